"""How many dialogues a pilot asks for, and what the intervals of a confidence sequence are worth."""

from __future__ import annotations

import math
import statistics

import pytest

from evolif.budget.pilot import PILOT, dialogues_for
from evolif.metrics import PROCESS, intervals
from evolif.metrics.process import DialogueRecord, session_terms
from evolif.metrics.sequence import boundary, deviation, one_interval, sequence_interval

np = pytest.importorskip("numpy")
stats = pytest.importorskip("scipy.stats")


def rows(*successes: int, of: int = 10) -> list[tuple[float, ...]]:
    """Dialogues of ten turns, some of which succeed, those first."""
    answers = [tuple((turn < own,) for turn in range(of)) for own in successes]
    return [tuple(session_terms(DialogueRecord(str(i), None, turns))) for i, turns in enumerate(answers)]


def test_the_deviation_is_that_of_the_mean_or_of_the_linearised_ratio() -> None:
    shares = [3, 5, 8, 9, 10, 2]
    assert deviation(PROCESS, rows(*shares), "rob") == pytest.approx(statistics.stdev(shares) / 10)
    mixed = [*rows(3, 5), *rows(1, 4, 5, of=5)]  # ISR 18 of 35 turns
    residuals = [3 - 10 * 18 / 35, 5 - 10 * 18 / 35, 1 - 90 / 35, 4 - 90 / 35, 5 - 90 / 35]
    expected = math.sqrt(sum(one**2 for one in residuals) / 4) / 7
    assert deviation(PROCESS, mixed, "isr") == pytest.approx(expected)
    assert deviation(PROCESS, rows(10, 10), "rec") is None, "no dialogue has a failed turn"


def test_the_number_follows_stein_and_is_never_below_the_pilot() -> None:
    pilot = rows(*([4, 6, 8] * 10))
    spread = statistics.stdev([0.4, 0.6, 0.8] * 10)
    wanted = math.ceil(1.29 * (stats.t.ppf(0.975, 29) * spread / 0.03) ** 2)
    assert dialogues_for(PROCESS, pilot, "rob", 0.03, most=1000) == wanted > 100
    assert dialogues_for(PROCESS, pilot, "rob", 0.5, most=1000) == PILOT
    assert dialogues_for(PROCESS, pilot, "rob", 1e-9, most=1000) == 10**12
    for tiny in (1e-200, 5e-324):
        for name in ("rob", "exhaustion_rate"):
            assert dialogues_for(PROCESS, pilot, name, tiny, most=1000) == 10**12
    assert dialogues_for(PROCESS, rows(*[10] * 30), "rec", 0.1, most=1000) is None


def test_a_pilot_without_an_event_asks_for_what_excludes_a_rate_that_it_may_have_missed() -> None:
    number = dialogues_for(PROCESS, rows(*[10] * 30), "exhaustion_rate", 0.002, most=2000)
    assert number is not None and number > 150
    [low, high] = intervals(PROCESS, rows(*[10] * number))["exhaustion_rate"] or (0, 1)
    assert (high - low) / 2 < 0.002


def test_the_boundary_is_the_published_one_and_narrowest_near_a_hundred() -> None:
    tuned = math.sqrt((-2 * math.log(0.05) + math.log(-2 * math.log(0.05)) + 1) / 100)
    for n in (30, 100, 500):
        published = math.sqrt(2 * (n * tuned**2 + 1) / (n * tuned) ** 2 * math.log(math.sqrt(n * tuned**2 + 1) / 0.05))
        assert boundary(n) == pytest.approx(published)
    assert 3.0 < boundary(100) * 10 < 3.1 and boundary(30) * math.sqrt(30) < 3.2


def test_a_sequence_holds_at_all_looks_at_once_where_intervals_do_not() -> None:
    drawn = np.random.default_rng(1).normal(size=(1000, 500))
    looks = np.arange(30, 501, 10)
    sums, squares = drawn.cumsum(1)[:, looks - 1], (drawn**2).cumsum(1)[:, looks - 1]
    spread = np.sqrt((squares - sums**2 / looks) / (looks - 1))
    sequence = np.array([boundary(n) for n in looks])
    missed = (abs(sums / looks) > spread * sequence).any(1).mean()
    student_s = stats.t.ppf(0.975, looks - 1) / np.sqrt(looks)
    assert missed < 0.05 < 0.15 < (abs(sums / looks) > spread * student_s).any(1).mean()


def test_a_sequence_is_never_narrower_than_the_ordinary_interval() -> None:
    same = rows(*[10] * 40)
    assert sequence_interval(PROCESS, same, "exhaustion_rate") == intervals(PROCESS, same)["exhaustion_rate"]
    varied = [*rows(*([9, 10] * 10)), *rows(*([18, 20] * 10), of=20)]  # not most of them at one length, as at a cap
    low, high = sequence_interval(PROCESS, varied, "rob") or (0, 0)
    assert low == pytest.approx(0.95 - 0.05 * math.sqrt(40 / 39) * boundary(40)) and high <= 1
    assert sequence_interval(PROCESS, rows(*[10] * 40), "rec") is None
    for few in ([], rows(5), rows(5, 6)):
        assert sequence_interval(PROCESS, few, "rob") is None
    assert dialogues_for(PROCESS, [], "rob", 0.1, most=100) is None


def test_one_interval_is_that_of_all_metrics() -> None:
    varied = rows(*([4, 7, 10, 10, 10] * 8))
    for cap in (None, 10):
        every = intervals(PROCESS, varied, cap=cap)
        assert {name: one_interval(PROCESS, varied, name, cap=cap) for name in PROCESS.ratios} == every
