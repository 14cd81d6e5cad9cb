"""Statistics of scores and samples of dialogues as the page of the schema has them."""

from __future__ import annotations

import math
import subprocess
import sys
from collections.abc import Mapping, Sequence
from fractions import Fraction
from hashlib import blake2b
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evolif.errors import EvolifError
from evolif.scenarios.recorded import (
    Dialog,
    aggregate,
    bootstrap_interval,
    discriminability,
    paired_difference,
    spearman,
    spearman_matrix,
    stratified_sample,
    stratified_sizes,
)

REFUSED = (ValueError, EvolifError)


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


def test_only_intervals_need_numpy() -> None:
    code = (
        "import sys\n"
        "from evolif.scenarios import recorded as unidial\n"
        "records = [{'dialog_id': n, 'turn_id': 1, 'metric_name': 'm', 'score': n / 4, 'details': {},"
        " 'dialog_labels': {'kind': 'ab'[n % 2]}, 'turn_labels': {}} for n in range(4)]\n"
        "unidial.aggregate(records, by_metric=True)\n"
        "unidial.spearman([1, 2, 3], [1, 3, 2])\n"
        "unidial.spearman_matrix({'x': records, 'y': records})\n"
        "unidial.discriminability([0.1, 0.2])\n"
        "unidial.stratified_sizes({'a': 3, 'b': 4}, 4)\n"
        "unidial.retrieval_scores(['a b'], ['a b'], 1.0)\n"
        "unidial.numeric_match('1', '1')\n"
        "print('numpy' in sys.modules)\n"
        "unidial.bootstrap_interval(records)\n"
        "print('numpy' in sys.modules)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, encoding="utf-8", check=True)
    assert done.stdout.split() == ["False", "True"]


def drawn(values: Mapping[Any, list[float]], level: str, resamples: int, seed: int) -> Any:
    """The resampled figures of the page; values: turn scores by dialogue, in its order."""
    index = np.random.default_rng(seed).integers(0, len(values), size=(resamples, len(values)))
    turns = list(values.values())
    if level == "dialog":
        return np.array([min(scores) for scores in turns])[index].mean(axis=1)
    sums, sizes = np.array([sum(scores) for scores in turns]), np.array([len(scores) for scores in turns])
    return sums[index].sum(axis=1) / sizes[index].sum(axis=1)


TURNS: dict[int | str, list[float]] = {
    2: [0.9, 0.4],
    10: [0.1],
    11: [1.0, 0.7, 0.8],
    "10": [0.6],
    "9": [0.2, 0.3],
    "a": [0.5],
}
"""In the order of the page: integers before texts."""


def records_of(values: Mapping[Any, list[float]]) -> list[dict[str, Any]]:
    found = [record(name, 2 * k + 1, score) for name, scores in values.items() for k, score in enumerate(scores)]
    return found[::-1]


@pytest.mark.parametrize("level", ["dialog", "turn"])
@pytest.mark.parametrize(("resamples", "seed", "alpha"), [(1000, 0, 0.05), (50, 3, 0.2)])
def test_bootstrap_interval(level: str, resamples: int, seed: int, alpha: float) -> None:
    lost = [record(5, 1, None), record("zz", 1, math.nan)]
    found = bootstrap_interval(
        [*lost, *records_of(TURNS)], resamples=resamples, seed=seed, alpha=alpha, dataset_level=level
    )
    figures = drawn(TURNS, level, resamples, seed)
    lo, hi = np.percentile(figures, [100 * alpha / 2, 100 * (1 - alpha / 2)])
    point = aggregate(records_of(TURNS), dataset_level=level)["global"]["mean"]
    assert found == pytest.approx({"point": point, "lo": lo, "hi": hi}, abs=1e-12)


def test_bootstrap_interval_by_default() -> None:
    values = {number: [number**2 * 0.37 % 1] for number in range(30)}
    lo, hi = np.percentile(drawn(values, "dialog", 1000, 0), [2.5, 97.5])
    found = bootstrap_interval(records_of(values))
    assert found is not None
    assert (found["lo"], found["hi"]) == pytest.approx((lo, hi), abs=1e-12)


def test_bootstrap_interval_of_one_and_of_none() -> None:
    one = [record(4, 1, 0.8), record(4, 1, 0.4), record(4, 3, 1.0)]
    assert bootstrap_interval(one) == pytest.approx({"point": 0.6, "lo": 0.6, "hi": 0.6}, abs=1e-12)
    assert bootstrap_interval([]) is None
    assert bootstrap_interval([record(1, 1, None)]) is None


def test_paired_difference() -> None:
    first = {name: scores for name, scores in TURNS.items() if name != 10}
    second = {name: [1 - score for score in scores] for name, scores in TURNS.items() if name != "a"}
    common = [name for name in TURNS if name not in (10, "a")]
    figures = drawn({name: first[name] for name in common}, "dialog", 1000, 0) - drawn(
        {name: second[name] for name in common}, "dialog", 1000, 0
    )
    point = sum(min(first[name]) - min(second[name]) for name in common) / len(common)
    lo, hi = np.percentile(figures, [2.5, 97.5])
    found = paired_difference(records_of(first), records_of(second))
    assert found == pytest.approx({"point": point, "lo": lo, "hi": hi, "dialogues": 4}, abs=1e-12)


def test_paired_difference_of_the_same_and_of_strangers() -> None:
    same = paired_difference(records_of(TURNS), records_of(TURNS), dataset_level="turn")
    assert same == pytest.approx({"point": 0.0, "lo": 0.0, "hi": 0.0, "dialogues": 6}, abs=1e-12)
    assert paired_difference([record(1, 1, 1.0)], [record(2, 1, 1.0), record(1, 1, None)]) is None


@pytest.mark.parametrize(
    ("scores", "result"),
    [([0.2, 0.4], 1 / 3), ([0.5], 0.0), ([0.0, 0.0], 0.0), ([0.1, 0.2, 0.3, 0.6], math.sqrt(0.035) / 0.3)],
)
def test_discriminability(scores: list[float], result: float) -> None:
    assert discriminability(scores) == pytest.approx(result, abs=1e-12)


def test_discriminability_of_nothing_is_null() -> None:
    assert discriminability([]) is None


@pytest.mark.parametrize(
    ("x", "y", "rho"),
    [
        ([1, 2, 3], [10, 20, 1000], 1.0),
        ([1, 2, 3], [3, 2, 1], -1.0),
        ([1, 2, 2, 3], [1, 3, 2, 4], 4.5 / math.sqrt(22.5)),
        ([0, 0, 1], [0, 1, 1], 0.5),
        ([1, 2, 3, 4], [2, 1, 4, 3], 0.6),
        ([1, 1, 1], [1, 2, 3], None),
        ([1, 2, 3], [5, 5, 5], None),
        ([1], [1], None),
        ([], [], None),
    ],
)
def test_spearman(x: list[float], y: list[float], rho: float | None) -> None:
    assert spearman(x, y) == (None if rho is None else pytest.approx(rho, abs=1e-12))


def test_spearman_of_lists_of_unequal_length_is_an_error() -> None:
    with pytest.raises(REFUSED):
        spearman([1, 2, 3], [1, 2])


def test_spearman_matrix() -> None:
    def model(first: float, second: float) -> list[dict[str, Any]]:
        kinds = ((first, "a"), (second, "b"), (1 - first, "c"))
        return [record(number, 1, score, dialog_labels={"kind": kind}) for number, (score, kind) in enumerate(kinds)]

    few = spearman_matrix({f"m{place}": model(place / 10, place / 20) for place in range(4)})
    assert few.keys() == {"pairs", "models", "warning"}
    found = {frozenset((first, second)): rho for first, second, rho in few["pairs"]}
    assert found == {
        frozenset(("kind:a", "kind:b")): pytest.approx(1.0),
        frozenset(("kind:a", "kind:c")): pytest.approx(-1.0),
        frozenset(("kind:b", "kind:c")): pytest.approx(-1.0),
    }
    assert few["warning"]
    assert not spearman_matrix({f"m{place}": model(place / 10, place / 20) for place in range(8)})["warning"]


# Samples


@pytest.mark.parametrize(
    ("counts", "n", "sizes"),
    [
        ({"a": 10, "b": 9, "c": 6}, 12, {"a": 5, "b": 4, "c": 3}),
        ({"a": 2, "b": 3}, 5, {"a": 2, "b": 3}),
        ({"a": 2, "b": 3}, 99, {"a": 2, "b": 3}),
        # Quotas 1.67, 0.17, 0.17: each has at least one, and nobody can give.
        ({"a": 10, "b": 1, "c": 1}, 2, {"a": 1, "b": 1, "c": 1}),
        # Seven strata of one leave three for the large one.
        ({"a": 91, **dict.fromkeys("bcdefgh", 1)}, 10, {"a": 3, **dict.fromkeys("bcdefgh", 1)}),
        # Equal quotas and counts: the first name takes the rest.
        ({"b": 5, "a": 5}, 5, {"a": 3, "b": 2}),
        # Quotas 0.5, 1.5, 2.0: the first is raised to one, and the second is owed more.
        ({"x": 1, "y": 3, "z": 4}, 4, {"x": 1, "y": 1, "z": 2}),
        # Equal quotas to give away: the first name gives.
        ({"a": 4, "b": 4, **dict.fromkeys("cdefgh", 1)}, 9, {"a": 1, "b": 2, **dict.fromkeys("cdefgh", 1)}),
        # Equal lack of 1/2 to give away: the smaller stratum gives.
        ({"a": 7, "b": 5, **dict.fromkeys("cdefgh", 1)}, 9, {"a": 2, "b": 1, **dict.fromkeys("cdefgh", 1)}),
        # Two large strata give in turns.
        ({"a": 40, "b": 41, **dict.fromkeys("cdefghijkl", 1)}, 14, {"a": 2, "b": 2, **dict.fromkeys("cdefghijkl", 1)}),
        ({"a": 0, "b": 5}, 2, {"a": 0, "b": 2}),
        ({}, 3, {}),
    ],
)
def test_stratified_sizes(counts: dict[str, int], n: int, sizes: dict[str, int]) -> None:
    assert stratified_sizes(counts, n) == sizes


@given(st.dictionaries(st.text(max_size=2), st.integers(0, 40), max_size=8), st.integers(1, 120))
def test_stratified_sizes_hold_what_they_promise(counts: dict[str, int], n: int) -> None:
    sizes = stratified_sizes(counts, n)
    assert sizes.keys() == counts.keys()
    assert all(min(1, counts[name]) <= size <= counts[name] for name, size in sizes.items())
    total, strata = sum(counts.values()), sum(count > 0 for count in counts.values())
    assert sum(sizes.values()) == min(total, max(n, strata))


def by_the_page(counts: Mapping[str, int], n: int) -> dict[str, int]:
    """The sizes, one item after another, as the page says it."""
    total = sum(counts.values())
    if n >= total:
        return dict(counts)
    quota = {name: Fraction(n * count, total) for name, count in counts.items()}
    sizes = {name: min(count, max(1, math.floor(quota[name]))) for name, count in counts.items()}
    while sum(sizes.values()) < n:
        open_ = [name for name in counts if sizes[name] < counts[name]]
        sizes[min(open_, key=lambda name: (sizes[name] - quota[name], -counts[name], name))] += 1
    while sum(sizes.values()) > n and max(sizes.values()) > 1:
        large = [name for name in counts if sizes[name] > 1]
        sizes[min(large, key=lambda name: (quota[name] - sizes[name], counts[name], name))] -= 1
    return sizes


@given(
    st.dictionaries(st.sampled_from("abcdefghijkl"), st.sampled_from([0, 1, 1, 1, 2, 3, 5, 40]), max_size=12),
    st.integers(1, 60),
)
def test_stratified_sizes_step_by_step(counts: dict[str, int], n: int) -> None:
    assert stratified_sizes(counts, n) == by_the_page(counts, n)


def labelled(kinds: Sequence[str | None]) -> list[Dialog]:
    return [
        Dialog.model_validate(
            {"dialog_id": 100 - number, "dialog_turns": [], "dialog_labels": {} if kind is None else {"kind": kind}}
        )
        for number, kind in enumerate(kinds)
    ]


def test_stratified_sample() -> None:
    dialogs = labelled(["a", "b", "c"] * 6 + ["a", "b"] * 3 + ["a"])
    assert [sum(each.dialog_labels["kind"] == kind for each in dialogs) for kind in "abc"] == [10, 9, 6]
    sample = stratified_sample(dialogs, 12, label="kind", seed=5)
    assert [sum(each.dialog_labels["kind"] == kind for each in sample) for kind in "abc"] == [5, 4, 3]
    ids = [each.dialog_id for each in sample]
    assert ids == sorted(ids, reverse=True)
    assert sample == stratified_sample(dialogs, 12, label="kind", seed=5)
    assert stratified_sample(dialogs, 99, label="kind") == dialogs
    drawn_ids = {
        tuple(each.dialog_id for each in stratified_sample(dialogs, 12, label="kind", seed=s)) for s in range(9)
    }
    assert len(drawn_ids) > 1


def test_no_label_is_a_stratum_of_its_own() -> None:
    sample = stratified_sample(labelled([None] * 3 + ["a"] * 6), 3, label="kind")
    assert [each.dialog_labels.get("kind") for each in sample] == [None, "a", "a"]


@pytest.mark.parametrize("seed", [0, 7])
def test_the_sample_is_drawn_by_digest(seed: int) -> None:
    dialogs = labelled(["only"] * 20)
    ranked = sorted(dialogs, key=lambda each: blake2b(f"{seed}:kind:{each.dialog_id}".encode()).digest())
    sample = stratified_sample(dialogs, 6, label="kind", seed=seed)
    assert {each.dialog_id for each in sample} == {each.dialog_id for each in ranked[:6]}
