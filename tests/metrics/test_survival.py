"""Kaplan-Meier curves, their bounds, and the log-rank test."""

from fractions import Fraction as F

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sessions_by_hand import lasting, play

from evolif.errors import UsageError
from evolif.metrics import hazard, log_rank, process_intervals, records_from_sessions, survival, survival_bounds
from evolif.metrics.intervals import ratio_interval

pytest.importorskip("scipy", reason="SciPy is not installed")

# Patience exhausted at 3, 3, 5 and 8; censored at 0, 4 and 6. At 3 there are six at risk, at 5 three, at 8 one.
SESSIONS = [*(lasting(d, n) for d, n in enumerate((3, 3, 5, 8))), *(lasting(10 + n, n, over=False) for n in (0, 4, 6))]
CURVE = [F(1)] * 3 + [F(4, 6)] * 2 + [F(4, 6) * F(2, 3)] * 3 + [F(0)]


def test_the_curve_is_the_product_by_hand():
    curve = survival(SESSIONS, resamples=20)
    assert [p.turn for p in curve.points] == list(range(9))
    assert [p.probability for p in curve.points] == pytest.approx([float(x) for x in CURVE], abs=1e-12)
    assert [p.at_risk for p in curve.points] == [7, 6, 6, 6, 4, 3, 2, 1, 1]
    assert [p.exhausted for p in curve.points] == [0, 0, 0, 2, 0, 1, 0, 0, 1]
    assert [p.censored for p in curve.points] == [1, 0, 0, 0, 1, 0, 1, 0, 0]
    assert curve.sessions == 7


def test_median_and_restricted_mean_by_hand():
    curve = survival(SESSIONS, max_turns=10, resamples=20)
    assert curve.median == 5  # 4/9, after 6/9
    assert curve.restricted_mean == pytest.approx(float(sum(CURVE)))  # 0 from turn 8 on
    shorter = survival(SESSIONS, max_turns=4, resamples=20)
    assert shorter.restricted_mean == pytest.approx(float(F(3) + F(4, 6)))
    assert survival(SESSIONS, resamples=20).cap == 8


def test_a_curve_that_stays_up_goes_on_at_its_height():
    curve = survival([lasting(1, 3), lasting(2, 4, over=False), lasting(3, 5, over=False)], max_turns=10, resamples=20)
    assert [p.probability for p in curve.points] == pytest.approx([1, 1, 1, 2 / 3, 2 / 3, 2 / 3])
    assert curve.median is curve.median_interval is None
    assert curve.restricted_mean == pytest.approx(float(F(3) + 7 * F(2, 3)))


def test_exactly_a_half_is_the_median():
    assert survival([lasting(1, 3), lasting(2, 9)], resamples=20).median == 3
    thirds = [lasting(d, n) for d, n in enumerate((3, 4, 5, 6, 7, 8))]
    assert survival(thirds, resamples=20).median == 5


def test_without_censoring_the_restricted_mean_is_edr_len():
    lengths = (3, 3, 5, 8, 12)
    curve = survival([lasting(d, n) for d, n in enumerate(lengths)], max_turns=50, resamples=20)
    assert curve.restricted_mean == pytest.approx(float(F(sum(lengths), 5)))
    assert curve.median == 5


def test_the_band_is_greenwoods_on_the_log_log_scale():
    import math
    from statistics import NormalDist

    curve = survival(SESSIONS, resamples=20)
    # At turn 5: S = 4/9; the sum of d / (n (n - d)) is 2/(6*4) + 1/(3*2) = 1/4.
    s = 4 / 9
    spread = NormalDist().inv_cdf(0.975) * math.sqrt(0.25 / math.log(s) ** 2)
    point = curve.points[5]
    assert point.low == pytest.approx(s ** math.exp(spread))
    assert point.high == pytest.approx(s ** math.exp(-spread))
    assert (curve.points[0].low, curve.points[0].high) == (1, 1)
    assert (curve.points[8].low, curve.points[8].high) == (None, None)
    lows = [p.turn for p in curve.points if p.low is None or p.low <= 0.5]
    assert curve.median_interval == (lows[0], None)


def test_not_judged_turns_and_broken_sessions_are_left_out():
    curve = survival([play(1, "? 0 ? 0 0 1"), play(2, "1 1", "suspended"), play(3, "1 1", None)], resamples=20)
    assert (curve.sessions, curve.median, curve.cap) == (1, 3, 3)
    assert curve.restricted_mean_interval is None


def test_nothing_at_all():
    curve = survival([], max_turns=50)
    assert (curve.points, curve.sessions, curve.median, curve.restricted_mean, curve.cap) == ((), 0, None, None, 50)
    flat = survival([play(1, "?", "censored"), play(2, "", "censored")], resamples=20)
    assert [p.probability for p in flat.points] == [1.0]
    assert (flat.cap, flat.restricted_mean, flat.median) == (0, 0.0, None)
    assert flat.restricted_mean_interval is None


def test_the_interval_of_the_mean_by_hand():
    # Without censoring the area is the mean length.
    lengths = [3, 9, 4, 4, 12, 6, 5]
    curve = survival([lasting(d, length) for d, length in enumerate(lengths)], max_turns=20)
    expected = ratio_interval(lengths, [1] * 7, rate=False, most=20)
    assert curve.restricted_mean_interval == pytest.approx(expected)
    few = survival([lasting(d, 7) for d in range(5)], max_turns=20)
    assert few.restricted_mean_interval is None
    low, high = survival([lasting(d, 7) for d in range(6)], max_turns=20).restricted_mean_interval
    assert low < 7 < high
    # Most at the cap: as the interval of EDR len.
    strong = [lasting(d, 20, over=False) for d in range(12)] + [lasting(20, 6), lasting(21, 9)]
    records = records_from_sessions(strong).records
    expected = process_intervals(records, cap=20)["edr_len"]
    assert survival(strong, max_turns=20).restricted_mean_interval == pytest.approx(expected)


def test_the_interval_of_the_mean_agrees_with_curves_of_resampled_sessions():
    import random

    chance = random.Random(2)
    sessions = [lasting(d, chance.randint(3, 15), over=chance.random() < 0.7) for d in range(40)]
    curve = survival(sessions, max_turns=15, resamples=2000)

    def mean():
        drawn = [chance.choice(sessions) for _ in sessions]
        ended = [(len(s.turns), s.ending == "finished") for s in drawn]
        height = area = 1.0
        for turn in range(1, 15):
            alive = sum(n >= turn for n, _ in ended)
            height *= 1 - sum(over and n == turn for n, over in ended) / alive if alive else 1
            area += height
        return area

    means = sorted(mean() for _ in range(600))
    low, high = curve.restricted_mean_interval
    assert low == pytest.approx(means[15], abs=0.35)
    assert high == pytest.approx(means[584], abs=0.35)


def test_bounds_by_hand():
    sessions = [
        lasting(1, 4),
        play(2, "1 0", "suspended"),  # patience 2 left: exhausted at 4, or goes on to 6
        play(3, "", "withheld"),  # exhausted at 3, or goes on to 6
        play(4, "1 1", None),  # the run was killed: exhausted at 5, or goes on to 6
    ]
    both = survival_bounds(sessions, max_turns=6, resamples=20)
    assert both.failed.sessions == both.succeeded.sessions == 4
    assert [p.probability for p in both.failed.points] == pytest.approx([1, 1, 1, 3 / 4, 1 / 4, 0])
    assert [p.probability for p in both.succeeded.points] == pytest.approx([1, 1, 1, 1, 3 / 4, 3 / 4, 3 / 4])
    assert [p.censored for p in both.succeeded.points][-1] == 3
    assert both.failed.restricted_mean == pytest.approx(4)
    assert both.succeeded.restricted_mean == pytest.approx(float(F(4) + 2 * F(3, 4)))
    with pytest.raises(UsageError, match="cap is 0"):
        survival_bounds(sessions, max_turns=0)
    with pytest.raises(UsageError, match="cap is 0"):
        survival(sessions, max_turns=0)


def test_without_broken_sessions_both_bounds_are_the_curve():
    both = survival_bounds(SESSIONS, max_turns=9, resamples=20)
    assert both.failed == both.succeeded == survival(SESSIONS, max_turns=9, resamples=20)


def test_log_rank_by_hand():
    # Events at 3, 4 (first) and 6, 7 (second). At 3: 2 of 4 at risk; at 4: 1 of 3; at 6 and 7: 0 of the first.
    result = log_rank([lasting(1, 3), lasting(2, 4)], [lasting(1, 6), lasting(2, 7)])
    observed, expected = 2, F(2, 4) + F(1, 3)
    variance = F(2, 4) * F(2, 4) + F(1, 3) * F(2, 3)
    statistic = float(observed - expected) / float(variance) ** 0.5
    assert result.statistic == pytest.approx(statistic)
    from statistics import NormalDist

    assert result.p == pytest.approx(2 * (1 - NormalDist().cdf(statistic)))


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ([], []),
        ([lasting(1, 3)], []),
        ([lasting(1, 3, over=False)], [lasting(1, 5, over=False)]),
        ([lasting(1, 3, over=False)], [lasting(1, 5)]),
        ([play(1, "", "censored")], [lasting(1, 5)]),
    ],
)
def test_log_rank_without_anything_to_tell_them_apart(a, b):
    assert (log_rank(a, b).statistic, log_rank(a, b).p) == (None, None)


def test_several_models_are_refused():
    with pytest.raises(UsageError, match="one model at a time"):
        survival([lasting(1, 3), lasting(2, 3, model="sim/other")])


lives = st.lists(st.tuples(st.integers(0, 9), st.booleans(), st.integers(0, 1)), min_size=1, max_size=12)


@settings(max_examples=40)
@given(lives, st.randoms())
def test_any_curve(raw, random):
    sessions = [lasting(d, max(3, n) if over else n, over=over, epoch=e) for d, (n, over, e) in enumerate(raw)]
    curve = survival(sessions, max_turns=9, resamples=20)
    assert survival(random.sample(sessions, len(sessions)), max_turns=9, resamples=20) == curve
    height = F(1)
    assert curve.points[0].probability == 1
    for point, step in zip(curve.points[1:], hazard(sessions), strict=True):
        height *= 1 - F(step.exhausted, step.at_risk)
        assert point.probability == pytest.approx(float(height), abs=1e-12)
        assert point.at_risk == step.at_risk
        if point.low is not None:
            assert 0 <= point.low <= point.probability + 1e-12
            assert point.probability - 1e-12 <= point.high <= 1
    assert 0 <= curve.restricted_mean <= 9
