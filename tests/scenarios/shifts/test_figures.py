"""Completion rates, their ratio, and kappa."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evolif.scenarios.shifts.figures import cohen_kappa, tcr, tcr_gain
from evolif.scenarios.shifts.report import ceiling_shares, failure_shares
from evolif.scenarios.shifts.results import GoalOutcome
from evolif.scenarios.shifts.sessions import PlayedDialogue

SCORES = st.lists(st.integers(0, 9).flatmap(lambda total: st.tuples(st.integers(0, total), st.just(total))))


def test_macro_and_micro() -> None:
    figures = tcr([(2, 4), (3, 3), (0, 5)])
    assert figures["macro"] == pytest.approx(50.0)
    assert figures["micro"] == pytest.approx(500 / 12)
    assert figures["without_goals"] == 0


def test_dialogues_without_goals_are_left_out_and_as_released_count_as_zero() -> None:
    items = [(2, 4), (0, 0)]
    assert tcr(items) == {"macro": 50.0, "micro": 50.0, "without_goals": 1}
    assert tcr(items, as_released=True) == {"macro": 25.0, "micro": 50.0, "without_goals": 1}


def test_nothing_left_gives_no_figure() -> None:
    assert tcr([(0, 0)]) == {"macro": None, "micro": None, "without_goals": 1}
    assert tcr([]) == tcr([], as_released=True) == {"macro": None, "micro": None, "without_goals": 0}
    assert tcr([(0, 0)], as_released=True) == {"macro": 0.0, "micro": None, "without_goals": 1}


@pytest.mark.parametrize("item", [(2, 1), (-1, 2), (0, -1)])
def test_impossible_counts_are_refused(item: tuple[int, int]) -> None:
    with pytest.raises(ValueError, match="is no score"):
        tcr([item])


def test_a_released_judge_may_find_more_than_there_is() -> None:
    assert tcr([(3, 2)], as_released=True)["macro"] == 150.0


@given(SCORES)
def test_rates_equal_exact_fractions(items: list[tuple[int, int]]) -> None:
    figures = tcr(iter(items))
    scored = [Fraction(satisfied, total) for satisfied, total in items if total]
    assert figures["without_goals"] == len(items) - len(scored)
    if scored:
        assert figures["macro"] == pytest.approx(float(100 * sum(scored) / len(scored)))
        goals = sum(total for _, total in items)
        assert figures["micro"] == pytest.approx(100 * sum(satisfied for satisfied, _ in items) / goals)
    else:
        assert figures["macro"] is figures["micro"] is None


def test_gain_is_relative_to_the_full_history() -> None:
    assert tcr_gain(84.5, 87.4) == pytest.approx(-3.318, abs=5e-4)
    assert tcr_gain(66.3, 62.3) == pytest.approx(6.421, abs=5e-4)
    assert tcr_gain(0, 40) == -100
    for strategy in (0.0, 1.0):
        with pytest.raises(ValueError, match="no ratio"):
            tcr_gain(strategy, 0.0)


def test_kappa() -> None:
    # po = 4/6, pe = (3·3 + 3·3)/36 = 1/2
    assert cohen_kappa("aaabbb", "aababb") == pytest.approx(1 / 3)
    assert cohen_kappa(["y", "n"], ["n", "y"]) == -1.0
    assert cohen_kappa(["y", "y"], ["y", "n"]) == 0.0
    assert cohen_kappa(["y", "y"], ["y", "y"]) == 1.0
    assert cohen_kappa([], []) is None
    with pytest.raises(ValueError, match="cannot be paired"):
        cohen_kappa(["y"], [])


@given(st.lists(st.sampled_from("abc"), min_size=1))
def test_full_agreement_is_exactly_one(labels: list[str]) -> None:
    assert cohen_kappa(labels, list(labels)) == 1.0


@given(st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from("abc")), min_size=1))
def test_kappa_follows_its_definition(pairs: list[tuple[str, str]]) -> None:
    a, b = [one for one, _ in pairs], [other for _, other in pairs]
    n = len(pairs)
    po = Fraction(sum(one == other for one, other in pairs), n)
    pe = sum(Fraction(a.count(label) * b.count(label), n * n) for label in "abc")
    expected = 1.0 if pe == 1 else float((po - pe) / (1 - pe))
    assert cohen_kappa(a, b) == pytest.approx(expected)
    assert cohen_kappa(a, b) == cohen_kappa(b, a)


def play(number: int, met: int, ceiling: float | None) -> PlayedDialogue:
    """A session with two goals."""
    goals = tuple(GoalOutcome(str(goal), goal < met, None if goal < met else "missing") for goal in range(2))
    return PlayedDialogue(number, goals, ceiling=ceiling)


def test_the_model_is_compared_with_the_ceiling_of_the_same_dialogues() -> None:
    stats = pytest.importorskip("scipy.stats")
    met = [0, 1, 2, 1, 2, 0, 1, 2, 2, 1]
    ceilings = [0.5, 1.0, 1.0, 0.5, 1.0, 1.0, 0.5, 1.0, 0.5, 1.0]
    plays = [play(number, own, best) for number, (own, best) in enumerate(zip(met, ceilings, strict=True))]
    found = ceiling_shares([*plays, play(99, 2, None)])["difference"]
    apart = [own / 2 - best for own, best in zip(met, ceilings, strict=True)]
    mean = sum(apart) / 10
    squares = sum((one - mean) ** 2 for one in apart)
    kurtosis = 10 * sum((one - mean) ** 4 for one in apart) / squares**2
    half = float(stats.t.ppf(0.975, min(9, max(2, 20 / (kurtosis - 1))))) * (squares / 90) ** 0.5
    assert (found.value, found.of) == (pytest.approx(mean), 10)
    assert found.interval == pytest.approx((mean - half, mean + half))
    # Epochs of a dialogue belong together: four that agree say no more than one.
    again = ceiling_shares([one for one in plays for _ in range(4)])["difference"]
    assert again.interval == pytest.approx(found.interval)
    assert failure_shares(plays * 4)["unmet"].interval == pytest.approx(failure_shares(plays)["unmet"].interval)


def test_no_difference_from_the_ceiling_has_a_width() -> None:
    plays = [play(number, 2, 1.0) for number in range(8)]
    found = ceiling_shares(plays)["difference"]
    far = 1 - 0.025 ** (1 / 8)
    assert found.value == 0 and found.interval == pytest.approx((-far, far))
    assert ceiling_shares(plays[:5])["difference"].interval is None
    assert ceiling_shares([play(1, 2, None)])["difference"].value is None
