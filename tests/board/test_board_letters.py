"""Letters: two models share one if and only if they are not told apart."""

from __future__ import annotations

from itertools import combinations

from hypothesis import given
from hypothesis import strategies as st

from evolif.board.letters import letters_of

NAMES = [f"m{number}" for number in range(9)]
PAIRS = [frozenset(pair) for pair in combinations(NAMES, 2)]


@given(st.sets(st.sampled_from(PAIRS)))
def test_two_share_a_letter_if_and_only_if_they_are_not_told_apart(apart: set[frozenset[str]]) -> None:
    found = letters_of(NAMES, apart)
    assert list(found) == NAMES and all(found.values())
    for a, b in combinations(NAMES, 2):
        assert bool({*found[a]} & {*found[b]}) == (frozenset({a, b}) not in apart), (a, b)


def test_letters_follow_the_order_of_figures() -> None:
    apart = [frozenset({"a", "c"}), frozenset({"a", "d"}), frozenset({"b", "d"})]
    assert letters_of("abcd", apart) == {"a": "a", "b": "ab", "c": "bc", "d": "c"}


def test_all_alike_and_all_apart() -> None:
    assert letters_of(NAMES, []) == dict.fromkeys(NAMES, "a")
    assert "".join(letters_of(NAMES, PAIRS).values()) == "abcdefghi"
    assert letters_of([], []) == {} and letters_of(["alone"], []) == {"alone": "a"}


def test_more_groups_than_letters() -> None:
    names = [f"m{number}" for number in range(60)]
    found = letters_of(names, [frozenset(pair) for pair in combinations(names, 2)])
    assert found["m25"] == "z" and found["m26"] == "a1" and found["m52"] == "a2"
    assert len(set(found.values())) == 60
