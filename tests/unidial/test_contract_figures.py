"""Figures of records as the page of the schema has them: aggregation and coverage."""

from __future__ import annotations

import copy
import math
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evolif.errors import EvolifError
from evolif.scenarios.recorded import (
    Dialog,
    aggregate,
    bounds,
    clean_labels,
    coverage,
    flat_labels,
    length_curve,
    parse_aggregation,
)

REFUSED = (ValueError, EvolifError)
STATS = ("mean", "min", "max")


def record(dialog_id: int | str, turn_id: int, score: Any, metric: str = "recall", **more: Any) -> dict[str, Any]:
    return {
        "dialog_id": dialog_id,
        "turn_id": turn_id,
        "metric_name": metric,
        "score": score,
        "details": {},
        "dialog_labels": {},
        "turn_labels": {},
        **more,
    }


EXAMPLE = [record(4, 1, 0.8), record(4, 1, 0.4, "f1_score"), record(4, 3, 1.0), record(9, 1, 0.3)]
EMPTY: dict[str, Any] = {"global": {}, "by_metric": {}, "by_label": {}}


def four(count: int, mean: float, low: float, high: float) -> Any:
    return pytest.approx({"count": count, "mean": mean, "min": low, "max": high}, abs=1e-12)


# Aggregation


def test_the_example_of_the_page() -> None:
    found = aggregate(EXAMPLE)
    assert found == {
        "config": {"turn_stat": "mean", "dialog_stat": "min", "dataset_level": "dialog"},
        "global": four(2, 0.45, 0.3, 0.6),
        "by_metric": {},
        "by_label": {"dialog": {}, "turn": {}},
    }
    assert aggregate(EXAMPLE, "mean", "min", "turn")["global"] == four(3, 1.9 / 3, 0.3, 1.0)


@pytest.mark.parametrize("dialog_stat", STATS)
@pytest.mark.parametrize(("turn_stat", "first", "third"), [("mean", 0.6, 1.0), ("min", 0.4, 1.0), ("max", 0.8, 1.0)])
def test_every_statistic(turn_stat: str, first: float, third: float, dialog_stat: str) -> None:
    four_ = {"mean": (first + third) / 2, "min": min(first, third), "max": max(first, third)}[dialog_stat]
    by_dialog = aggregate(EXAMPLE, turn_stat, dialog_stat, "dialog")
    assert by_dialog["global"] == four(2, (four_ + 0.3) / 2, 0.3, four_)
    by_turn = aggregate(EXAMPLE, turn_stat, dialog_stat, "turn")
    assert by_turn["global"] == four(3, (first + third + 0.3) / 3, 0.3, 1.0)
    assert by_turn["config"] == {"turn_stat": turn_stat, "dialog_stat": dialog_stat, "dataset_level": "turn"}


@pytest.mark.parametrize("bad", [None, True, False, math.nan, math.inf, -math.inf, "0.5", [1.0], {"score": 1}])
def test_what_is_no_finite_number_enters_no_figure(bad: Any) -> None:
    assert aggregate([*EXAMPLE, record(4, 3, bad), record(5, 1, bad)], by_metric=True) == aggregate(
        EXAMPLE, by_metric=True
    )
    assert aggregate([record(1, 1, bad)], by_metric=True) == EMPTY
    strict = aggregate([record(1, 1, 0.5), record(1, 1, bad), record(2, 1, bad)], strict=True)
    assert strict["global"] == four(2, 0.125, 0.0, 0.25)


def test_no_record_is_no_figure() -> None:
    assert aggregate([]) == EMPTY
    assert aggregate([], strict=True) == EMPTY


def test_metrics_are_counted_by_record() -> None:
    found = aggregate(EXAMPLE, "max", "max", "turn", by_metric=True)["by_metric"]
    assert found == {"recall": four(3, 0.7, 0.3, 1.0), "f1_score": four(1, 0.4, 0.4, 0.4)}
    lost = [*EXAMPLE, record(9, 1, None), record(9, 1, None, "precision")]
    assert aggregate(lost, by_metric=True)["by_metric"] == found
    strict = aggregate(lost, by_metric=True, strict=True)["by_metric"]
    assert strict == {**found, "recall": four(4, 0.525, 0.0, 1.0), "precision": four(1, 0.0, 0.0, 0.0)}


@pytest.mark.parametrize("wrong", [("median", "min", "dialog"), ("mean", "sum", "dialog"), ("mean", "min", "session")])
def test_unknown_statistics_are_refused(wrong: tuple[str, str, str]) -> None:
    with pytest.raises(REFUSED):
        aggregate(EXAMPLE, *wrong)


@pytest.mark.parametrize("level", ["dialog", "turn"])
def test_labels_of_dialogues_and_turns_keep_to_their_side(level: str) -> None:
    labels = [{"dialog_labels": {"kind": "a"}, "turn_labels": {"depth": depth}} for depth in (1, 2, 1)]
    records = [
        record(4, 1, 0.8, **labels[0]),
        record(4, 1, 0.4, **labels[0]),
        record(4, 3, 1.0, **labels[1]),
        record(9, 1, 0.3, **labels[2]),
    ]
    found = aggregate(records, dataset_level=level)["by_label"]
    assert found["dialog"] == {"kind:a": four(2, 0.45, 0.3, 0.6)}
    assert found["turn"] == {"depth:1": four(2, 0.45, 0.3, 0.6), "depth:2": four(1, 1.0, 1.0, 1.0)}


@pytest.mark.parametrize(
    ("labels", "buckets"),
    [
        ({}, []),
        ({"a": {"b": {"c": "x"}}, "d": 5}, ["a.b.c:x", "d:5"]),
        ({"a": None, "b": {"c": None}, "d": []}, []),
        ({"a": ["x", "y", "x"]}, ["a:x", "a:y"]),
        ({"a": ["x", None]}, ["a:x"]),
        ({"score": "high", "": "x"}, [":x", "score:high"]),
        ({"a": "x:y > z"}, ["a:x:y > z"]),
        ({"task_type": "t"}, ["task_type:t"]),
        ({"task_type": "t", "task_subtype": "s"}, ["task_hierarchy:t > s", "task_subtype:s", "task_type:t"]),
        (
            {"task_type": ["t", "u"], "task_subtype": "s"},
            ["task_hierarchy:t > s", "task_hierarchy:u > s", "task_subtype:s", "task_type:t", "task_type:u"],
        ),
        ({"task_type": "t", "task_subtype": None}, ["task_type:t"]),
    ],
)
def test_buckets(labels: dict[str, Any], buckets: list[str]) -> None:
    records = [record(1, 1, 0.5, dialog_labels=labels, turn_labels=labels), record(1, 3, 0.7, dialog_labels=labels)]
    before = copy.deepcopy(records)
    found = aggregate(records)["by_label"]
    assert sorted(found["dialog"]) == buckets
    assert all(figures == four(1, 0.5, 0.5, 0.5) for figures in found["dialog"].values())
    assert sorted(found["turn"]) == [bucket for bucket in buckets if not bucket.startswith("task_hierarchy:")]
    assert records == before


def test_labels_are_those_of_the_first_valid_record() -> None:
    kinds = [(None, "none"), (0.5, "first"), (0.7, "later")]
    records = [
        record(1, 9 - number, score, dialog_labels={"kind": kind}, turn_labels={"kind": kind})
        for number, (score, kind) in enumerate(kinds)
    ]
    same_turn = [{**each, "turn_id": 1} for each in records]
    assert list(aggregate(records)["by_label"]["dialog"]) == ["kind:first"]
    assert list(aggregate(same_turn)["by_label"]["turn"]) == ["kind:first"]


def test_an_id_that_is_text_is_another_dialogue() -> None:
    assert aggregate([record(1, 1, 0.0), record("1", 1, 1.0)])["global"] == four(2, 0.5, 0.0, 1.0)


def test_parse_aggregation() -> None:
    for turn_stat in STATS:
        for dialog_stat in STATS:
            for level in ("dialog", "turn"):
                assert parse_aggregation(f"{turn_stat}-{dialog_stat}-{level}") == (turn_stat, dialog_stat, level)


@pytest.mark.parametrize(
    "name", ["", "mean", "mean-min", "mean-min-dialog-x", "median-min-dialog", "mean-min-session", "mean--dialog"]
)
def test_other_names_are_refused(name: str) -> None:
    with pytest.raises(REFUSED):
        parse_aggregation(name)


def test_flat_labels_as_the_release_writes_them() -> None:
    clean = {"dialog": {"task_type:maths": {"count": 2, "mean": 0.5, "min": 0.25, "max": 0.75}}, "turn": {}}
    flat = flat_labels(clean)
    assert flat == {
        "dialog": {
            "task_type:('maths', 'count')": 2.0,
            "task_type:('maths', 'mean')": 0.5,
            "task_type:('maths', 'min')": 0.25,
            "task_type:('maths', 'max')": 0.75,
        },
        "turn": {},
    }
    assert all(type(value) is float for value in flat["dialog"].values())
    assert clean_labels(flat) == clean


def test_clean_labels_reads_quoted_and_bare_values() -> None:
    flat = {
        "dialog": {"task_hierarchy:('expansion > multi', 'mean')": 0.4, "a:(\"it's\", 'mean')": 0.5},
        "turn": {"depth:(3, 'count')": 6.0, "depth:(3, 'mean')": 0.25, "share:(0.5, 'max')": 1.0},
    }
    found = clean_labels(flat)
    assert found["dialog"] == {"task_hierarchy:expansion > multi": {"mean": 0.4}, "a:it's": {"mean": 0.5}}
    assert found["turn"] == {"depth:3": {"count": 6, "mean": 0.25}, "share:0.5": {"max": 1.0}}


@given(st.dictionaries(st.text(), st.sampled_from([0.0, 0.5, 1.0]), max_size=4))
def test_any_label_survives_the_flat_form(values: dict[str, float]) -> None:
    clean = {
        "dialog": {
            f"column:{value}": {"count": 1, "mean": score, "min": score, "max": score}
            for value, score in values.items()
        },
        "turn": {},
    }
    assert clean_labels(flat_labels(clean)) == clean


@pytest.mark.parametrize(
    ("lengths", "curve"),
    [
        ({}, {}),
        ({1: [0.5]}, {1: 0.5}),
        # One of three reaches 3, two reach 2.
        ({1: [0.9, 0.4, 0.1], 2: [0.5, 0.6], 3: [0.1]}, {1: 0.5, 2: 0.45}),
        # Half is enough.
        ({1: [0.2], 2: [0.8, 0.6]}, {1: 0.5, 2: 0.6}),
    ],
)
def test_length_curve(lengths: dict[int, list[float]], curve: dict[int, float]) -> None:
    records = [record(name, 2 * k, score) for name, scores in lengths.items() for k, score in enumerate(scores)]
    assert length_curve(records[::-1]) == pytest.approx(curve, abs=1e-12)


def test_length_curve_takes_the_turn_statistic_and_valid_records_only() -> None:
    records = [record(1, 1, 0.8), record(1, 1, 0.4), record(1, 3, None), record(1, 5, 0.5)]
    assert length_curve(records) == pytest.approx({1: 0.6, 2: 0.5}, abs=1e-12)
    assert length_curve(records, turn_stat="max") == pytest.approx({1: 0.8, 2: 0.5}, abs=1e-12)


# Coverage


def dialogues(*metrics: Sequence[Sequence[str] | None]) -> list[Dialog]:
    """Dialogues 0, 1, …: for each evaluated turn (1, 3, …) its metrics; None for a given one."""
    return [
        Dialog.model_validate(
            {
                "dialog_id": number,
                "dialog_turns": [
                    turn
                    for place, names in enumerate(each)
                    for turn in (
                        {"turn_id": 2 * place, "role": "user", "content": "q"},
                        {
                            "turn_id": 2 * place + 1,
                            "role": "assistant",
                            "content": "a",
                            "eval_config": {
                                "do_eval": names is not None,
                                "metrics": [{"class_name": name} for name in names or ["recall"]],
                            }
                            if names != []
                            else {"do_eval": True},
                        },
                    )
                ],
            }
        )
        for number, each in enumerate(metrics)
    ]


def tally(expected: int, scored: int, failed: int, missing: int) -> dict[str, int]:
    return {"expected": expected, "scored": scored, "failed": failed, "missing": missing}


def test_coverage_counts_records_turns_and_dialogues() -> None:
    dialogs = dialogues([["recall", "f1_score"], ["recall"]], [["recall"]], [["recall"], None], [[]])
    records = [record(0, 1, 0.5), record(0, 1, None, "f1_score", details={"failure": "judge"}), record(2, 1, 0.0)]
    assert coverage(dialogs, records) == {
        "records": tally(5, 2, 1, 2),
        "turns": tally(4, 1, 1, 2),
        "dialogues": tally(3, 1, 1, 1),
        "failures": {"judge": 1},
    }


def test_coverage_of_nothing() -> None:
    none = {"records": tally(0, 0, 0, 0), "turns": tally(0, 0, 0, 0), "dialogues": tally(0, 0, 0, 0)}
    assert coverage([], []) == {**none, "failures": {}}
    assert coverage(dialogues([None], [[]]), []) == {**none, "failures": {}}


@pytest.mark.parametrize(
    "kind", ["generation", "withheld", "judge", "no_reference", "bad_args", "unknown_metric", "unsupported"]
)
def test_failures_are_counted_by_kind(kind: str) -> None:
    found = coverage(dialogues([["recall"]]), [record(0, 1, None, details={"failure": kind})])
    assert found["failures"] == {kind: 1}
    assert found["records"] == found["turns"] == found["dialogues"] == tally(1, 0, 1, 0)


@pytest.mark.parametrize("bad", [None, True, math.nan, math.inf, "1"])
def test_an_invalid_score_without_a_kind_is_invalid(bad: Any) -> None:
    found = coverage(dialogues([["recall"]]), [record(0, 1, bad)])
    assert found["failures"] == {"invalid": 1}
    assert found["records"] == tally(1, 0, 1, 0)


def test_a_turn_with_a_missing_record_is_failed() -> None:
    found = coverage(dialogues([["recall", "f1_score"]]), [record(0, 1, 1.0)])
    assert found["records"] == tally(2, 1, 0, 1)
    assert found["turns"] == found["dialogues"] == tally(1, 0, 1, 0)


def test_of_doubled_records_the_first_valid_one_counts() -> None:
    doubled = [record(0, 1, None, details={"failure": "judge"}), record(0, 1, 0.25), record(0, 1, 0.75)]
    assert coverage(dialogues([["recall"]]), doubled)["records"] == tally(1, 1, 0, 0)
    assert bounds(dialogues([["recall"]]), doubled) == pytest.approx((0.25, 0.25))


@pytest.mark.parametrize(
    "stray", [record(7, 1, 1.0), record(0, 9, 1.0), record(0, 1, 1.0, "f1_score"), record("0", 1, 1.0)]
)
def test_unexpected_records_are_counted_apart(stray: dict[str, Any]) -> None:
    found = coverage(dialogues([["recall"]]), [stray, record(0, 1, 0.5)])
    assert found["failures"] == {"unexpected": 1}
    assert found["records"] == found["turns"] == found["dialogues"] == tally(1, 1, 0, 0)
    assert bounds(dialogues([["recall"]]), [stray, record(0, 1, 0.5)]) == pytest.approx((0.5, 0.5))


def test_entries_are_told_apart_by_their_name() -> None:
    [dialog] = dialogues([["llm_judge", "llm_judge"]])
    for entry, name in zip(dialog.dialog_turns[1].eval_config.metrics, ("clarity", "tone"), strict=True):
        entry.args["template_name"] = name
    found = coverage([dialog], [record(0, 1, 1.0, "llm_judge->tone")])
    assert found["records"] == tally(2, 1, 0, 1)
    assert found["failures"] == {}


@pytest.mark.parametrize(
    ("statistics", "low", "high"),
    [
        ((), (0.0 + 0.5 + 0.0) / 3, (0.5 + 0.5 + 1.0) / 3),
        (("mean", "mean", "dialog"), (0.25 + 0.5 + 0.0) / 3, (0.75 + 0.5 + 1.0) / 3),
        (("mean", "min", "turn"), 1.0 / 4, 3.0 / 4),
        (("mean", "max", "dialog"), 1.0 / 3, 2.5 / 3),
    ],
)
def test_bounds(statistics: tuple[str, ...], low: float, high: float) -> None:
    dialogs = dialogues([["recall"], ["recall"]], [["recall"]], [["recall"]])
    records = [record(0, 1, 0.5), record(0, 3, None), record(1, 1, 0.5)]
    assert bounds(dialogs, records, *statistics) == pytest.approx((low, high), abs=1e-12)


def test_bounds_of_complete_records_are_the_mean() -> None:
    dialogs = dialogues([["recall"], ["recall"]], [["recall"]])
    records = [record(0, 1, 0.5), record(0, 3, 0.25), record(1, 1, 1.0)]
    assert bounds(dialogs, records) == pytest.approx((0.625, 0.625), abs=1e-12)
    assert bounds([], []) is None
