"""The figures of section 7 and a judge's scores of section 6, computed by hand."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evolif.scenarios.shifts.figures import cohen_kappa, tcr, tcr_gain
from evolif.scenarios.shifts.released import count_goals, read_score

Items = list[tuple[int, int]]


@pytest.mark.parametrize(
    ("items", "macro", "micro", "without"),
    [
        ([(2, 4), (3, 3), (0, 5)], 50.0, 41.6667, 0),  # the page's example
        ([(1, 1)], 100.0, 100.0, 0),
        ([(0, 3)], 0.0, 0.0, 0),
        ([(1, 2), (1, 10)], 30.0, 16.6667, 0),
        ([(2, 4), (0, 0), (3, 3), (0, 5)], 50.0, 41.6667, 1),
        ([(0, 0), (1, 1), (0, 0)], 100.0, 100.0, 2),
        ([(0, 0)], None, None, 1),
        ([], None, None, 0),
    ],
)
def test_the_rate_of_goals(items: Items, macro: float | None, micro: float | None, without: int) -> None:
    result = tcr(items)
    assert set(result) == {"macro", "micro", "without_goals"}
    assert result["macro"] == pytest.approx(macro, abs=1e-4)
    assert result["micro"] == pytest.approx(micro, abs=1e-4)
    assert result["without_goals"] == without


@pytest.mark.parametrize(
    ("items", "macro", "micro"),
    [
        ([(2, 4), (3, 3), (0, 5)], 50.0, 41.6667),
        ([(2, 4), (3, 3), (0, 5), (0, 0)], 37.5, 41.6667),
        ([(1, 1), (0, 0)], 50.0, 100.0),
        ([(1, 1), (0, 0), (0, 0), (0, 0)], 25.0, 100.0),
    ],
)
def test_dialogues_without_goals_as_released(items: Items, macro: float, micro: float) -> None:
    result = tcr(items, as_released=True)
    assert result["macro"] == pytest.approx(macro, abs=1e-4)
    assert result["micro"] == pytest.approx(micro, abs=1e-4)


def test_only_dialogues_without_goals_as_released() -> None:
    result = tcr([(0, 0), (0, 0)], as_released=True)
    assert (result["macro"], result["micro"]) == (0.0, None)


def test_items_may_come_one_by_one() -> None:
    assert tcr(iter([(1, 2), (1, 1)]))["macro"] == pytest.approx(75.0)


ITEMS = st.lists(st.integers(0, 9).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))), max_size=12)


@given(ITEMS, st.randoms(use_true_random=False))
def test_the_rate_by_fractions(items: Items, random: Any) -> None:
    result = tcr(items)
    some = [(Fraction(x, y), x, y) for x, y in items if y]
    assert result["without_goals"] == len(items) - len(some)
    if some:
        assert result["macro"] == pytest.approx(float(100 * sum(f for f, _, _ in some) / len(some)))
        assert result["micro"] == pytest.approx(100 * sum(x for _, x, _ in some) / sum(y for _, _, y in some))
    shuffled = items[:]
    random.shuffle(shuffled)
    assert tcr(shuffled) == pytest.approx(result)


@pytest.mark.parametrize(
    ("strategy", "full", "gain"),
    [(52, 40, 30.0), (30, 40, -25.0), (40, 40, 0.0), (0, 40, -100.0), (66.3, 62.3, 6.4205), (84.5, 87.4, -3.3181)],
)
def test_the_gain_in_percent(strategy: float, full: float, gain: float) -> None:
    assert tcr_gain(strategy, full) == pytest.approx(gain, abs=1e-4)


@pytest.mark.parametrize("strategy", [0.0, 50.0])
def test_no_gain_over_nothing(strategy: float) -> None:
    with pytest.raises(ValueError):
        tcr_gain(strategy, 0.0)


# A judge's x/y


@pytest.mark.parametrize(
    ("reply", "score"),
    [
        ("3/4", (3, 4)),
        (" 3/4 ", (3, 4)),
        ("3 / 4", (3, 4)),
        ("3/4.", (3, 4)),
        ("\n3/4.\n", (3, 4)),
        ("3\n/\n4", (3, 4)),
        ("  3 /  4 . ", (3, 4)),
        ("0/4", (0, 4)),
        ("4/4", (4, 4)),
        ("12/15", (12, 15)),
        ("0/0", None),
        ("3/0", None),
        ("5/4", None),
        ("3/4..", None),
        (".3/4", None),
        ("3/4!", None),
        ("3/4/4", None),
        ("3//4", None),
        ("3/", None),
        ("/4", None),
        ("3", None),
        ("", None),
        (" ", None),
        ("3 of 4", None),
        ("3\\4", None),
        ("Score: 3/4", None),
        ("3/4 goals", None),
        ("**3/4**", None),
        ("-1/4", None),
        ("+1/4", None),
        ("1.5/4", None),
        ("1,0/4", None),
        ("3/4 3/4", None),
        ("٣/٤", None),
        ("３/４", None),
        ("²/4", None),
        ("1 2/4", None),
    ],
)
def test_a_score_is_the_whole_reply(reply: str, score: tuple[int, int] | None) -> None:
    assert read_score(reply) == score


@pytest.mark.parametrize(
    ("reply", "total", "score"),
    [("3/4", 4, (3, 4)), ("3/4", 5, None), ("3/4", 3, None), ("4/4", 4, (4, 4)), ("0/1", 1, (0, 1)), ("x", 4, None)],
)
def test_the_denominator_is_the_number_of_goals(reply: str, total: int, score: tuple[int, int] | None) -> None:
    assert read_score(reply, total=total) == score


@pytest.mark.parametrize(
    ("reply", "score"),
    [
        ("3/4", (3, 4)),
        ("Score: 3/4", (3, 4)),
        ("1 of 2: 3/4", (123, 4)),  # all digits before the slash, run together
        ("3/4, so 75%", (3, 475)),
        ("3/4/5", (3, 4)),  # up to the next slash
        ("3/4 and 5/6", (3, 45)),
        ("5/4", (5, 4)),
        ("0/0", (0, 0)),
        ("n/a: 3 of 4", (3, 4)),  # no digit before the slash: the first two runs
        ("/4", (4, 1)),
        ("3/", (3, 1)),
        ("7/ then 8/9", (7, 8)),
        ("3//4", (3, 4)),  # no digit between the slashes
        ("3 out of 4", (3, 4)),
        ("3 out of 4, that is 75", (3, 4)),
        ("12 met", (12, 1)),
        ("1.5", (1, 5)),
        ("all met", (0, 0)),
        ("and/or", (0, 0)),
        ("", (0, 0)),
    ],
)
def test_a_score_as_released(reply: str, score: tuple[int, int]) -> None:
    assert read_score(reply, as_released=True) == score


@given(st.integers(0, 99), st.integers(1, 99))
def test_scores_in_plain_form(x: int, y: int) -> None:
    score = (x, y) if x <= y else None
    assert read_score(f"{x}/{y}") == score
    assert read_score(f" {x} / {y}. ", total=y) == score
    assert read_score(f"{x}/{y}", total=y + 1) is None
    assert read_score(f"{x}/{y}", as_released=True) == (x, y)
    assert read_score(f"x={x}/{y}") is None


@given(st.text(alphabet="0123456789/ .ax\n", max_size=20))
def test_a_score_is_possible_or_none(reply: str) -> None:
    score = read_score(reply)
    if score is not None:
        assert 0 <= score[0] <= score[1] and score[1] > 0
        assert set(reply) <= set("0123456789/ .\n") and reply.count("/") == 1
    assert read_score(reply, as_released=True) is not None


# Goals in a question


@pytest.mark.parametrize(
    ("question", "goals"),
    [
        ("", 0),
        ("Are these met?", 0),
        ("(1) city (2) budget", 2),
        ("(1) city (2) budget (3) dates", 3),
        ("( 1 ) city (2 ) budget ( 3) dates", 3),
        ("(\t1\t)", 1),
        ("(1) and again (1)", 2),  # every occurrence
        ("(10)(11)(12)", 3),
        ("1) city 2) budget", 0),
        ("(a) city (b) budget", 0),
        ("(1.5) (1,2) (1a) (a1) (1 2)", 0),
        ("[1] {2} <3>", 0),
        ("() ( )", 0),
        ("((1))", 1),
        ("(1", 0),
        ("in (2024) we met", 1),
        ("(１) (٢)", 0),
    ],
)
def test_goals_are_integers_in_round_brackets(question: str, goals: int) -> None:
    assert count_goals(question) == goals


@given(st.lists(st.integers(0, 999), max_size=9))
def test_as_many_goals_as_numbers(numbers: list[int]) -> None:
    assert count_goals(" ".join(f"({n}) something" for n in numbers)) == len(numbers)


# Kappa


@pytest.mark.parametrize(
    ("a", "b", "kappa"),
    [
        ("yyyy", "yyyy", 1.0),  # pe = 1
        ("yynn", "yynn", 1.0),
        ("yynn", "nnyy", -1.0),
        ("yynn", "ynyn", 0.0),
        ("yyyn", "yynn", 0.5),  # po 3/4, pe 1/2
        ("yyyy", "nnnn", 0.0),  # pe 0
        ("yyyy", "yyyn", 0.0),  # po = pe = 3/4
        ("y" * 25 + "n" * 25, "y" * 20 + "n" * 5 + "y" * 10 + "n" * 15, 0.4),
        ("abc", "abc", 1.0),
        ("abc", "acb", 0.0),
        ("aabbcc", "aabbca", 0.75),  # po 5/6, pe (2*3 + 2*2 + 2*1)/36 = 1/3
        ("y", "y", 1.0),
        ("y", "n", 0.0),
    ],
)
def test_kappa(a: str, b: str, kappa: float) -> None:
    assert cohen_kappa(list(a), list(b)) == pytest.approx(kappa)
    assert cohen_kappa(list(b), list(a)) == pytest.approx(kappa)


def test_kappa_of_nothing() -> None:
    assert cohen_kappa([], []) is None


@pytest.mark.parametrize(("a", "b"), [([1], []), ([], [1]), ([1, 2], [1]), ([1, 2], [1, 2, 3])])
def test_kappa_needs_equal_lengths(a: Sequence[int], b: Sequence[int]) -> None:
    with pytest.raises(ValueError):
        cohen_kappa(a, b)


@given(st.lists(st.tuples(st.sampled_from("xyz"), st.sampled_from("xyz")), min_size=1, max_size=20))
def test_kappa_by_its_definition(pairs: list[tuple[str, str]]) -> None:
    a, b = [p for p, _ in pairs], [q for _, q in pairs]
    n = len(pairs)
    po = Fraction(sum(p == q for p, q in pairs), n)
    pe = sum(Fraction(a.count(label) * b.count(label), n * n) for label in "xyz")
    expected = 1.0 if pe == 1 else float((po - pe) / (1 - pe))
    assert cohen_kappa(a, b) == pytest.approx(expected)
    names = {"x": True, "y": 0.5, "z": None}
    assert cohen_kappa([names[p] for p in a], [names[q] for q in b]) == pytest.approx(expected)
