"""Figures of records: held to a plain second implementation, and to a summary of the public release."""

from __future__ import annotations

import math
import sys
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from evolif.errors import ArgumentError
from evolif.scenarios.recorded import aggregate, clean_labels, flat_labels, length_curve, parse_aggregation

STATISTICS = {"mean": lambda values: sum(values) / len(values), "min": min, "max": max}
NAMES = [(turn, dialog, level) for turn in STATISTICS for dialog in STATISTICS for level in ("dialog", "turn")]

EXAMPLE = [
    {"dialog_id": 4, "turn_id": 1, "metric_name": "a", "score": 0.8},
    {"dialog_id": 4, "turn_id": 1, "metric_name": "b", "score": 0.4},
    {"dialog_id": 4, "turn_id": 3, "metric_name": "a", "score": 1.0},
    {"dialog_id": 9, "turn_id": 1, "metric_name": "a", "score": 0.3},
]


def of(values: Sequence[float]) -> dict[str, Any]:
    return {
        "count": len(values),
        "mean": pytest.approx(sum(values) / len(values)),
        "min": pytest.approx(min(values)),
        "max": pytest.approx(max(values)),
    }


def test_the_example_of_the_specification() -> None:
    figures = aggregate(EXAMPLE)
    assert figures["config"] == {"turn_stat": "mean", "dialog_stat": "min", "dataset_level": "dialog"}
    assert figures["global"] == of([0.6000000000000001, 0.3])
    assert aggregate(EXAMPLE, dataset_level="turn")["global"] == of([0.6000000000000001, 1.0, 0.3])
    assert figures["by_metric"] == {}
    assert figures["by_label"] == {"dialog": {}, "turn": {}}
    assert aggregate(EXAMPLE, by_metric=True)["by_metric"] == {"a": of([0.8, 1.0, 0.3]), "b": of([0.4])}


# --- a second implementation, by nested loops ---


def is_number(score: Any) -> bool:
    return type(score) in (int, float) and score == score and abs(score) <= sys.float_info.max


def plain_global(records: list[dict[str, Any]], turn_stat: str, dialog_stat: str, level: str) -> list[float]:
    kept = [record for record in records if is_number(record.get("score"))]
    every_turn, every_dialogue = [], []
    for dialogue in {record["dialog_id"] for record in kept}:
        own = []
        for turn in {record["turn_id"] for record in kept if record["dialog_id"] == dialogue}:
            scores = [r["score"] for r in kept if r["dialog_id"] == dialogue and r["turn_id"] == turn]
            own.append(STATISTICS[turn_stat](scores))
        every_turn += own
        every_dialogue.append(STATISTICS[dialog_stat](own))
    return every_dialogue if level == "dialog" else every_turn


def plain_buckets(records: list[dict[str, Any]], column: str) -> dict[str, list[float]]:
    """Over dialogue scores (mean-min) by one flat label."""
    buckets: dict[str, list[float]] = {}
    kept = [record for record in records if is_number(record.get("score"))]
    for dialogue in {record["dialog_id"] for record in kept}:
        own = [record for record in kept if record["dialog_id"] == dialogue]
        label = own[0]["dialog_labels"].get(column)
        members = label if isinstance(label, list) else [label]
        for member in {str(member) for member in members if member is not None}:
            buckets.setdefault(f"{column}:{member}", []).extend(plain_global(own, "mean", "min", "dialog"))
    return buckets


SCORES = st.one_of(
    st.floats(0, 1),
    st.integers(0, 1),
    st.sampled_from([None, True, False, math.nan, math.inf, -math.inf, "0.5", [1.0], 10**400]),
)
VALUES = st.sampled_from(["maths", "x:y", 3, True, None, ["a", "b", "a"], ["a", None], []])
RECORDS = st.lists(
    st.fixed_dictionaries(
        {
            "dialog_id": st.sampled_from([0, 1, 2, 10, "1", "a"]),
            "turn_id": st.integers(0, 3),
            "metric_name": st.sampled_from(["f1_score", "llm_judge->clarity"]),
            "score": SCORES,
            "dialog_labels": st.fixed_dictionaries({}, optional={"task_type": VALUES}),
            "turn_labels": st.just({}),
        }
    ),
    max_size=25,
)


@given(RECORDS, st.sampled_from(NAMES))
def test_global_figures_are_those_of_plain_loops(records: list[dict[str, Any]], name: tuple[str, str, str]) -> None:
    expected = plain_global(records, *name)
    found = aggregate(records, *name)["global"]
    assert found == (of(expected) if expected else {})


@given(RECORDS)
def test_labels_are_those_of_plain_loops(records: list[dict[str, Any]]) -> None:
    expected = {bucket: of(values) for bucket, values in plain_buckets(records, "task_type").items()}
    assert aggregate(records)["by_label"].get("dialog", {}) == expected


@given(RECORDS)
def test_strict_counts_what_is_invalid_as_zero(records: list[dict[str, Any]]) -> None:
    zeros = [{**record, "score": record["score"] if is_number(record["score"]) else 0} for record in records]
    assert aggregate(records, by_metric=True, strict=True) == aggregate(zeros, by_metric=True)


@given(RECORDS)
def test_the_order_of_records_only_chooses_labels(records: list[dict[str, Any]]) -> None:
    plain = [{**record, "dialog_labels": {"t": "u"}} for record in records]
    assert aggregate(plain, by_metric=True) == aggregate(plain[::-1], by_metric=True)


# --- what a record may hold ---


def test_without_a_valid_record_there_is_no_figure() -> None:
    nothing = {"global": {}, "by_metric": {}, "by_label": {}}
    assert aggregate([]) == nothing
    assert aggregate([{"dialog_id": 1, "turn_id": 1, "score": True}, {"score": math.nan}], by_metric=True) == nothing


def test_a_mean_never_leaves_its_values() -> None:
    same = [{"dialog_id": 1, "turn_id": 1, "score": 0.1} for _ in range(3)]
    assert aggregate(same)["global"] == {"count": 1, "mean": 0.1, "min": 0.1, "max": 0.1}
    huge = [{"dialog_id": 1, "turn_id": turn, "score": sys.float_info.max} for turn in range(3)]
    assert aggregate(huge, "mean", "mean", "turn")["global"]["mean"] == pytest.approx(sys.float_info.max)


@pytest.mark.parametrize(
    ("record", "message"),
    [
        ({"turn_id": 1, "score": 1}, "record 2: its dialog_id is missing"),
        ({"dialog_id": True, "turn_id": 1, "score": 1}, "record 2: its dialog_id is bool"),
        ({"dialog_id": 1, "turn_id": [1], "score": 1}, "record 2: its turn_id is list"),
        ("text", "record 2 is no dict but str"),
    ],
)
def test_a_record_that_counts_says_where_it_belongs(record: Any, message: str) -> None:
    with pytest.raises(ArgumentError, match=message):
        aggregate([{"dialog_id": 1, "turn_id": 1, "score": 1}, record])


def test_labels_of_any_shape() -> None:
    deep: dict[str, Any] = {"end": 1}
    for _ in range(5_000):
        deep = {"a": deep}
    labels = {"score": "high", "n": {"lang": {"code": "en"}}, "none": None, "tags": [["x"], {"k": 1.5}], "deep": deep}
    [*_, deepest], buckets = sorted(found := _buckets(labels), key=len), set(found)
    assert {"score:high", "n.lang.code:en", "tags:x", "tags.k:1.5"} == buckets - {deepest}
    assert deepest == f"deep.{'a.' * 5_000}end:1"
    for no_labels in (None, "text", 3, [1], {}):
        assert _buckets(no_labels) == []


def _buckets(labels: Any) -> list[str]:
    record = {"dialog_id": 1, "turn_id": 1, "score": 1, "dialog_labels": labels}
    return list(aggregate([record])["by_label"]["dialog"])


def test_labels_are_those_of_the_first_valid_record_in_the_order_given() -> None:
    def record(turn: int, score: float | None, label: str) -> dict[str, Any]:
        labels = {"dialog_labels": {"d": label}, "turn_labels": {"t": label}}
        return {"dialog_id": 1, "turn_id": turn, "score": score, **labels}

    records = [record(5, None, "no"), record(5, 1, "five"), record(1, 1, "one"), record(1, 1, "again")]
    by_label = aggregate(records, dataset_level="turn")["by_label"]
    assert list(by_label["dialog"]) == ["d:five"]
    assert list(by_label["turn"]) == ["t:five", "t:one"]


def test_task_types_make_a_hierarchy_of_each_pair() -> None:
    labels = {"task_type": ["maths", "logic"], "task_subtype": "hard"}
    record = {"dialog_id": 1, "turn_id": 1, "score": 1, "dialog_labels": labels, "turn_labels": labels}
    by_label = aggregate([record])["by_label"]
    assert {bucket for bucket in by_label["dialog"] if bucket.startswith("task_hierarchy")} == {
        "task_hierarchy:maths > hard",
        "task_hierarchy:logic > hard",
    }
    assert not any(bucket.startswith("task_hierarchy") for bucket in by_label["turn"])
    assert "task_hierarchy" not in str(_buckets({"task_type": "maths", "task_subtype": None}))


# --- names ---


@pytest.mark.parametrize("name", NAMES)
def test_a_name_is_parsed(name: tuple[str, str, str]) -> None:
    assert parse_aggregation("-".join(name)) == name


@pytest.mark.parametrize(
    "name", ["", "mean", "mean-min", "mean-min-dialog-x", "median-min-dialog", "mean-mean-set", None]
)
def test_another_name_is_refused(name: Any) -> None:
    with pytest.raises(ArgumentError, match=r"aggregation|statistic|level"):
        parse_aggregation(name)


@pytest.mark.parametrize("stats", [{"turn_stat": "sum"}, {"dialog_stat": ["min"]}, {"dataset_level": "set"}])
def test_another_statistic_is_refused(stats: dict[str, Any]) -> None:
    with pytest.raises(ArgumentError, match="take one of"):
        aggregate(EXAMPLE, **stats)


# --- the curve of lengths ---


def curve_records(dialogues: list[list[float]]) -> list[dict[str, Any]]:
    return [
        {"dialog_id": dialogue, "turn_id": turn, "score": score}
        for dialogue, scores in enumerate(dialogues)
        for turn, score in reversed(list(enumerate(scores)))
    ]


@given(st.lists(st.lists(st.floats(0, 1), min_size=1, max_size=6), max_size=6))
def test_the_curve_is_the_mean_minimum_of_the_first_turns(dialogues: list[list[float]]) -> None:
    expected = {}
    for k in range(1, 7):
        reach = [scores for scores in dialogues if len(scores) >= k]
        if reach and len(reach) * 2 >= len(dialogues):
            expected[k] = pytest.approx(sum(min(scores[:k]) for scores in reach) / len(reach))
    assert length_curve(curve_records(dialogues)) == expected


# --- the flat form of labels ---


@pytest.mark.parametrize(
    ("value", "bucket", "flat"),
    [
        (0, "x:0", "x:(0, 'mean')"),
        (1, "x:1", "x:(1, 'mean')"),
        ("1", "x:'1'", "x:('1', 'mean')"),
        (1.5, "x:1.5", "x:(1.5, 'mean')"),
        ("-1.5e3", "x:'-1.5e3'", "x:('-1.5e3', 'mean')"),
        (True, "x:True", "x:(True, 'mean')"),
        ("True", "x:'True'", "x:('True', 'mean')"),
        ("'1'", "x:\"'1'\"", "x:(\"'1'\", 'mean')"),
        ("maths", "x:maths", "x:('maths', 'mean')"),
        ("1 of 2", "x:1 of 2", "x:('1 of 2', 'mean')"),
        ("２", "x:２", "x:('２', 'mean')"),
    ],
)
def test_values_keep_their_type_in_both_forms(value: Any, bucket: str, flat: str) -> None:
    record = {"dialog_id": 1, "turn_id": 1, "score": 1, "dialog_labels": {"x": value}}
    by_label = aggregate([record])["by_label"]
    assert list(by_label["dialog"]) == [bucket]
    released = flat_labels(by_label)
    assert flat in released["dialog"]
    assert clean_labels(released) == by_label and flat_labels(clean_labels(released)) == released


def test_one_and_the_text_one_stay_apart() -> None:
    records = [
        {"dialog_id": number, "turn_id": 1, "score": score, "dialog_labels": {"level": level}}
        for number, (level, score) in enumerate([(1, 0.2), ("1", 0.8), (1, 0.4)])
    ]
    found = aggregate(records)["by_label"]["dialog"]
    assert found["level:1"]["count"] == 2 and found["level:1"]["mean"] == pytest.approx(0.3)
    assert found["level:'1'"]["mean"] == 0.8


def test_the_flat_form_and_back() -> None:
    figures = {"count": 2, "mean": 0.5, "min": 0.25, "max": 0.75}
    clean = {"dialog": {"task_type:maths": figures, "who:it's": figures}, "turn": {"t:startend:a": figures}}
    flat = flat_labels(clean)
    assert flat["dialog"]["task_type:('maths', 'mean')"] == 0.5
    assert flat["dialog"]["who:(\"it's\", 'count')"] == 2.0
    assert flat["turn"]["t:('startend:a', 'max')"] == 0.75
    assert all(type(value) is float for side in flat.values() for value in side.values())
    assert clean_labels(flat) == clean
    assert [type(one["count"]) for one in clean_labels(flat)["dialog"].values()] == [int, int]
    assert clean_labels(clean) == clean


def test_bare_values_are_read() -> None:
    flat = {"dialog": {"n:(3, 'count')": 1.0, "n:(3, 'mean')": 0.5, "b:(True, 'min')": 0.0, "f:(1.5, 'max')": 1.0}}
    expected = {"n:3": {"count": 1, "mean": 0.5}, "b:True": {"min": 0.0}, "f:1.5": {"max": 1.0}}
    assert clean_labels(flat) == {"dialog": expected}


@given(st.dictionaries(st.text(), st.text(), max_size=4))
@example({"a": "\ud800", "b:(": "it's \"\\', 'mean')", "": ":"})
def test_any_label_survives_the_flat_form(labels: dict[str, str]) -> None:
    record = {"dialog_id": 1, "turn_id": 1, "score": 0.5, "dialog_labels": labels, "turn_labels": labels}
    by_label = aggregate([record])["by_label"]
    assert clean_labels(flat_labels(by_label)) == by_label


@pytest.mark.parametrize("key", ["task_type", "a:('b', 'median')", "a:'b', 'mean'", "a:('b')", ""])
def test_another_key_is_refused(key: str) -> None:
    with pytest.raises(ArgumentError, match="has the key"):
        clean_labels({"dialog": {key: 0.5}, "turn": {}})


@pytest.mark.parametrize("by_label", [[], {"dialog": []}, {"dialog": {1: 0.5}}, None])
def test_another_shape_is_refused(by_label: Any) -> None:
    with pytest.raises(ArgumentError, match="figures by label"):
        clean_labels(by_label)
    with pytest.raises(ArgumentError, match="figures by label"):
        flat_labels(by_label)


# --- the release's run of deepseek-v3.2 on ten dialogues of MT-Eval: scores, labels, and its figures of them ---

JUDGE = "llm_judge->"
START = "startend:start_char"
RELEASED: list[tuple[str, str, str, dict[int, tuple[float, str | None]]]] = [
    (
        "expansion",
        "multi",
        JUDGE + "expansion_evaluation",
        {turn: (score, None) for turn, score in zip(range(1, 14, 2), (1.0, 1.0, 0.7, 1.0, 0.7, 0.4, 1.0), strict=True)},
    ),
    ("expansion", "single", JUDGE + "expansion_evaluation", {1: (0.9, None)}),
    ("follow-up", "multi", JUDGE + "mt_bench_evaluation", {5: (0.9, None), 7: (1.0, None), 9: (1.0, None)}),
    ("follow-up", "single", JUDGE + "mt_bench_evaluation", {1: (0.9, None)}),
    ("recollection", "multi", "precision", dict.fromkeys(range(3, 22, 2), (1.0, None))),
    ("recollection", "multi", "instruction_following->" + START, dict.fromkeys(range(3, 22, 2), (1.0, START))),
    ("recollection", "single", "precision", {1: (0.0, None)}),
    ("recollection", "single", "instruction_following->" + START, {1: (1.0, START)}),
    (
        "refinement",
        "multi",
        JUDGE + "refinement_multi_evaluation",
        dict(zip(range(1, 12, 2), ((score, "sum") for score in (0.2, 0.1, 0.2, 0.4, 0.8, 0.6)), strict=True))
        | dict(zip(range(13, 24, 2), ((score, "ner") for score in (0.2, 0.3, 0.2, 0.2, 0.2, 0.2)), strict=True)),
    ),
    ("refinement", "single", JUDGE + "refinement_single_evaluation", {1: (0.9, "sum")}),
]
RELEASED_GLOBAL = {"count": 10, "mean": 0.71, "min": 0.0, "max": 1.0}
RELEASED_DIALOG: dict[str, tuple[int, float, float, float]] = {
    "task_type:expansion": (2, 0.65, 0.4, 0.9),
    "task_type:follow-up": (2, 0.9, 0.9, 0.9),
    "task_type:recollection": (4, 0.75, 0.0, 1.0),
    "task_type:refinement": (2, 0.5, 0.1, 0.9),
    "task_subtype:multi": (5, 0.6799999999999999, 0.1, 1.0),
    "task_subtype:single": (5, 0.74, 0.0, 1.0),
    "task_hierarchy:expansion > multi": (1, 0.4, 0.4, 0.4),
    "task_hierarchy:expansion > single": (1, 0.9, 0.9, 0.9),
    "task_hierarchy:follow-up > multi": (1, 0.9, 0.9, 0.9),
    "task_hierarchy:follow-up > single": (1, 0.9, 0.9, 0.9),
    "task_hierarchy:recollection > multi": (2, 1.0, 1.0, 1.0),
    "task_hierarchy:recollection > single": (2, 0.5, 0.0, 1.0),
    "task_hierarchy:refinement > multi": (1, 0.1, 0.1, 0.1),
    "task_hierarchy:refinement > single": (1, 0.9, 0.9, 0.9),
}
RELEASED_TURN = {
    "cur_task_type:ner": (6, 0.21666666666666665, 0.2, 0.3),
    "cur_task_type:startend:start_char": (11, 1.0, 1.0, 1.0),
    "cur_task_type:sum": (7, 0.4571428571428572, 0.1, 0.9),
}


def released_records() -> list[dict[str, Any]]:
    return [
        {
            "dialog_id": dialogue,
            "turn_id": turn,
            "metric_name": metric,
            "score": score,
            "details": {},
            "dialog_labels": {"task_type": kind, "task_subtype": subkind},
            "turn_labels": {"cur_task_type": task} if task else {},
        }
        for dialogue, (kind, subkind, metric, turns) in enumerate(RELEASED)
        for turn, (score, task) in turns.items()
    ]


def released_flat(buckets: dict[str, tuple[int, float, float, float]]) -> dict[str, float]:
    flat = {}
    for bucket, values in buckets.items():
        column, _, value = bucket.partition(":")
        for figure, number in zip(("count", "mean", "min", "max"), values, strict=True):
            flat[f"{column}:('{value}', '{figure}')"] = float(number)
    return flat


def test_the_released_records_give_the_released_summary() -> None:
    summary = aggregate(released_records())
    assert summary["global"] == pytest.approx(RELEASED_GLOBAL, abs=1e-12)
    flat = flat_labels(summary["by_label"])
    for side, expected in (("dialog", RELEASED_DIALOG), ("turn", RELEASED_TURN)):
        assert flat[side] == pytest.approx(released_flat(expected), abs=1e-12)
        assert clean_labels({side: released_flat(expected)})[side].keys() == expected.keys()
