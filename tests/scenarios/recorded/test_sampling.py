"""Stratified sizes against the rules applied one step at a time, and which dialogues are taken."""

from __future__ import annotations

import hashlib
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evolif.errors import ArgumentError
from evolif.scenarios.recorded import Dialog, stratified_sample, stratified_sizes


def one_step_at_a_time(counts: dict[str, int], n: int) -> dict[str, int]:
    total = sum(counts.values())
    if n >= total:
        return dict(counts)
    quotas = {name: Fraction(n * count, total) for name, count in counts.items()}
    sizes = {name: min(max(int(quotas[name]), 1 if count else 0), count) for name, count in counts.items()}
    while sum(sizes.values()) < n:
        open_strata = [name for name in counts if sizes[name] < counts[name]]
        best = min(open_strata, key=lambda name: (sizes[name] - quotas[name], -counts[name], name))
        sizes[best] += 1
    while sum(sizes.values()) > n and max(sizes.values()) > 1:
        large = [name for name in counts if sizes[name] > 1]
        worst = min(large, key=lambda name: (quotas[name] - sizes[name], counts[name], name))
        sizes[worst] -= 1
    return sizes


@given(
    st.dictionaries(st.text(max_size=3), st.one_of(st.integers(0, 4), st.integers(0, 40)), max_size=9),
    st.integers(0, 60),
)
def test_sizes_follow_the_rules(counts: dict[str, int], n: int) -> None:
    assert stratified_sizes(counts, n) == one_step_at_a_time(counts, n)


def test_the_example_of_the_specification() -> None:
    assert stratified_sizes({"a": 10, "b": 9, "c": 6}, 12) == {"a": 5, "b": 4, "c": 3}


def test_ties_go_to_the_larger_stratum_and_then_to_the_first_name() -> None:
    assert stratified_sizes({"b": 5, "a": 5}, 3) == {"b": 1, "a": 2}
    assert stratified_sizes({"a": 1, "b": 3, "c": 12}, 4) == one_step_at_a_time({"a": 1, "b": 3, "c": 12}, 4)


def test_every_stratum_that_has_an_item_keeps_one() -> None:
    assert stratified_sizes({"a": 100, "b": 1, "c": 1, "empty": 0}, 2) == {"a": 1, "b": 1, "c": 1, "empty": 0}


def test_a_great_many_strata_are_quick() -> None:
    counts = {f"s{number}": number % 5 + 1 for number in range(50_000)}
    sizes = stratified_sizes(counts, 60_000)
    assert sum(sizes.values()) == 60_000


@pytest.mark.parametrize(
    ("counts", "n"), [({"a": -1}, 1), ({"a": 1.5}, 1), ({"a": True}, 1), ({"a": 1}, -1), ({"a": 1}, 0.5)]
)
def test_what_is_no_count_is_refused(counts: Any, n: Any) -> None:
    with pytest.raises(ArgumentError, match="whole number of at least 0"):
        stratified_sizes(counts, n)


def dialogs(*labels: dict[str, Any]) -> list[Dialog]:
    return [
        Dialog.model_validate({"dialog_id": number, "dialog_labels": label, "dialog_turns": []})
        for number, label in enumerate(labels)
    ]


def test_dialogues_are_taken_by_the_digest_of_seed_label_and_id() -> None:
    given_ = dialogs(*[{"kind": "x"}] * 6, *[{"kind": "y"}] * 4, *[{"kind": None}] * 2)[::-1]
    for seed in range(5):
        expected: set[int] = set()
        for ids, size in ((range(6), 3), (range(6, 10), 2), (range(10, 12), 1)):

            def digest(number: int, seed: int = seed) -> str:
                return hashlib.blake2b(f"{seed}:kind:{number}".encode()).hexdigest()

            expected.update(sorted(ids, key=digest)[:size])
        chosen = [dialog.dialog_id for dialog in stratified_sample(given_, 6, label="kind", seed=seed)]
        assert chosen == sorted(expected, reverse=True)


def test_strata_of_nested_labels_and_of_lists() -> None:
    given_ = dialogs({"a": {"b": 1}}, {"a": {"b": 1}}, {"a": {"b": [1, 2]}}, {"a": {"b": [1, 2]}}, {}, {"a": 3})
    chosen = [dialog.dialog_id for dialog in stratified_sample(given_, 3, label="a.b")]
    assert [len(set(chosen) & part) for part in ({0, 1}, {2, 3}, {4, 5})] == [1, 1, 1]


def test_all_are_taken_where_there_are_not_enough() -> None:
    given_ = dialogs({"kind": "x"}, {})
    assert stratified_sample(given_, 2, label="kind") == given_
    assert stratified_sample([], 2, label="kind") == []
