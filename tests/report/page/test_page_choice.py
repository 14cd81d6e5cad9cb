"""Which transcripts stand in the page: as many of each model, by a seed."""

from __future__ import annotations

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from evolif.report.page.page import fair_order


@given(st.lists(st.integers(0, 4), max_size=60), st.integers(0, 2**32))
def test_it_is_a_permutation_and_every_beginning_is_fair(models: list[int], seed: int) -> None:
    sessions = [(model, number) for number, model in enumerate(models, start=1)]
    order = fair_order(sessions, seed)
    assert sorted(order) == list(range(1, len(models) + 1))
    assert order == fair_order(sessions, seed)
    have = Counter(models)
    for size in range(len(order) + 1):
        taken = Counter(models[number - 1] for number in order[:size])
        most = max(taken.values(), default=0)
        assert all(taken[model] >= min(most - 1, have[model]) for model in have)


def test_the_seed_decides() -> None:
    sessions = [("a", number) for number in range(1, 101)]
    first, second = fair_order(sessions, 1), fair_order(sessions, 2)
    assert first != second and first != sorted(first)
