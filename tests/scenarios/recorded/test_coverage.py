"""What is expected, what is scored, and how far the rest could move the mean."""

from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evolif.errors import ArgumentError
from evolif.scenarios.recorded import Dialog, aggregate, bounds, coverage


def turn(turn_id: int, *metrics: str, do_eval: bool = True) -> dict[str, Any]:
    entries = [{"class_name": metric} for metric in metrics]
    return {"turn_id": turn_id, "role": "assistant", "eval_config": {"do_eval": do_eval, "metrics": entries}}


def dialog(dialog_id: int, *turns: dict[str, Any]) -> Dialog:
    return Dialog.model_validate({"dialog_id": dialog_id, "dialog_turns": list(turns)})


def record(dialog_id: Any, turn_id: Any, metric: Any, score: Any, **details: Any) -> dict[str, Any]:
    return {"dialog_id": dialog_id, "turn_id": turn_id, "metric_name": metric, "score": score, "details": details}


DIALOGS = [
    dialog(1, turn(1, "a", "b"), turn(3, "a")),
    dialog(2, turn(1, "a")),
    dialog(3, turn(1, "a")),
    dialog(4, turn(1), turn(3, "a", do_eval=False)),
]


def counts(expected: int, scored: int, failed: int, missing: int) -> dict[str, int]:
    return {"expected": expected, "scored": scored, "failed": failed, "missing": missing}


def test_each_state_at_each_level() -> None:
    records = [
        record(1, 1, "a", 1.0),
        record(1, 1, "b", None, failure="judge"),
        record(1, 3, "a", 0.5),
        record(2, 1, "a", 0.25),
    ]
    assert coverage(DIALOGS, records) == {
        "records": counts(5, 3, 1, 1),
        "turns": counts(4, 2, 1, 1),
        "dialogues": counts(3, 1, 1, 1),
        "failures": {"judge": 1},
    }


def test_nothing_expected() -> None:
    nothing = counts(0, 0, 0, 0)
    assert coverage([DIALOGS[3]], []) == {"records": nothing, "turns": nothing, "dialogues": nothing, "failures": {}}
    assert bounds([DIALOGS[3]], [record(4, 3, "a", 1.0)]) is None


def test_a_turn_that_is_partly_there_has_failed() -> None:
    found = coverage(DIALOGS[:1], [record(1, 1, "a", 1.0)])
    assert found["records"] == counts(3, 1, 0, 2)
    assert found["turns"] == counts(2, 0, 1, 1)
    assert found["dialogues"] == counts(1, 0, 1, 0)


@pytest.mark.parametrize("details", [{}, {"failure": ""}, {"failure": 3}, {"failure": None}])
@pytest.mark.parametrize("score", [None, True, math.nan, math.inf, "1", 10**400])
def test_an_invalid_score_without_a_kind_is_invalid(score: Any, details: dict[str, Any]) -> None:
    found = coverage(DIALOGS[1:2], [record(2, 1, "a", score, **details)])
    assert found["failures"] == {"invalid": 1}
    assert found["records"] == counts(1, 0, 1, 0)


def test_of_doubled_records_the_first_valid_one_counts() -> None:
    doubled = [record(2, 1, "a", None, failure="judge"), record(2, 1, "a", 0.25), record(2, 1, "a", 1.0)]
    found = coverage(DIALOGS[1:2], doubled)
    assert found["records"] == counts(1, 1, 0, 0)
    assert found["failures"] == {}
    assert bounds(DIALOGS[1:2], doubled) == (0.25, 0.25)


def test_entries_of_one_name_expect_a_record_each() -> None:
    twice = [dialog(1, turn(1, "a", "a"))]
    assert coverage(twice, [record(1, 1, "a", 1.0)])["records"] == counts(2, 1, 0, 1)
    assert bounds(twice, [record(1, 1, "a", 1.0)]) == (0.5, 1.0)


def test_records_that_nobody_asked_for_are_unexpected() -> None:
    strangers: list[Any] = [
        record(4, 3, "a", 1.0),
        record("2", 1, "a", 1.0),
        record(2, True, "a", 1.0),
        record([2], 1, "a", 1.0),
        record(2, 1, {}, 1.0),
        {},
    ]
    found = coverage(DIALOGS[1:2], [*strangers, record(2, 1, "a", 0.5)])
    assert found["failures"] == {"unexpected": 6}
    assert found["records"] == counts(1, 1, 0, 0)
    assert bounds(DIALOGS[1:2], [*strangers, record(2, 1, "a", 0.5)]) == (0.5, 0.5)


def test_metrics_are_known_by_their_full_name() -> None:
    entry = {"class_name": "llm_judge", "args": {"scale": 5, "template_name": "clarity"}}
    named = {"turn_id": 1, "role": "assistant", "eval_config": {"do_eval": True, "metrics": [entry]}}
    assert coverage([dialog(1, named)], [record(1, 1, "llm_judge->clarity", 1)])["records"] == counts(1, 1, 0, 0)


def test_a_record_is_a_dict() -> None:
    with pytest.raises(ArgumentError, match="record 1 is no dict but NoneType"):
        coverage(DIALOGS, [None])


def test_bounds_refuse_an_unknown_statistic() -> None:
    with pytest.raises(ArgumentError, match="median"):
        bounds(DIALOGS, [], "median")


SCORES = st.one_of(st.floats(0, 1), st.sampled_from([None, True, math.nan]))
STATISTICS = st.sampled_from(["mean", "min", "max"])
LEVELS = st.sampled_from(["dialog", "turn"])
KEYS = [(1, 1, "a"), (1, 1, "b"), (1, 3, "a"), (2, 1, "a"), (3, 1, "a")]


@given(st.dictionaries(st.sampled_from(KEYS), SCORES), STATISTICS, STATISTICS, LEVELS)
def test_bounds_are_the_means_with_all_gaps_filled(
    scores: dict[tuple[int, int, str], Any], turn_stat: str, dialog_stat: str, level: str
) -> None:
    def filled(instead: float) -> float:
        complete = []
        for key in KEYS:
            score = scores.get(key)
            complete.append(record(*key, score if type(score) is float and score == score else instead))
        return float(aggregate(complete, turn_stat, dialog_stat, level)["global"]["mean"])

    records = [record(*key, score) for key, score in scores.items()]
    found = bounds(DIALOGS, records, turn_stat, dialog_stat, level)
    assert found == (pytest.approx(filled(0.0)), pytest.approx(filled(1.0)))
    counted = coverage(DIALOGS, records)
    for level_counts in (counted["records"], counted["turns"], counted["dialogues"]):
        assert level_counts["expected"] == sum(level_counts[state] for state in ("scored", "failed", "missing"))
    assert sum(counted["failures"].values()) == counted["records"]["failed"]
