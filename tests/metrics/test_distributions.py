"""Tails and quantiles in plain Python against SciPy, and against each other."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evolif.metrics.distributions import (
    beta_share,
    binomial_low,
    gamma_share,
    poisson_limits,
    student_quantile,
    student_tail,
)
from evolif.metrics.intervals import event_interval

FREEDOMS = [1, 1.3, 1.99, 2, 2.4, 3, 4.5, 7.3, 12, 29, 149, 600.5, 5000]
EVENTS = [0.2, 0.5, 1, 1.7, 2, 3.3, 9, 40, 40.5, 123.4, 700, 999.9, 1000, 20_000.5, 123_456]


@pytest.fixture(scope="module")
def stats():
    return pytest.importorskip("scipy.stats", reason="SciPy is not installed")


@pytest.mark.parametrize("freedom", FREEDOMS)
def test_tails_are_students(stats, freedom):
    for t in (0, 1e-9, 0.01, 0.5, 1, 1.96, 2.5, 4, 8, 15, 40, 300):
        assert student_tail(t, freedom) == pytest.approx(2 * stats.t.sf(t, freedom), rel=1e-9, abs=1e-290), t
        assert student_tail(-t, freedom) == student_tail(t, freedom)
    assert (student_tail(0, freedom), student_tail(math.inf, freedom)) == (1, 0)


def test_tails_far_below_a_millionth_are_right_too(stats):
    for freedom in FREEDOMS:
        for share in (1e-7, 1e-9, 1e-13, 1e-20):
            t = stats.t.isf(share / 2, freedom)
            assert student_tail(t, freedom) == pytest.approx(share, rel=1e-8)


@pytest.mark.parametrize("freedom", FREEDOMS)
def test_quantiles_are_students(stats, freedom):
    for share in (0.9, 0.5, 0.2, 0.05, 0.0451, 0.0141, 0.01, 0.0005, 1e-6, 1e-9):
        assert student_quantile(freedom, share) == pytest.approx(stats.t.isf(share / 2, freedom), rel=1e-9), share
    assert student_quantile(freedom) == student_quantile(freedom, 0.05)


@given(st.floats(1, 5000), st.floats(1e-7, 0.95))
def test_quantile_and_tail_invert_each_other(freedom, share):
    assert student_tail(student_quantile(freedom, share), freedom) == pytest.approx(share, rel=1e-9)


@given(st.floats(1, 5000), st.floats(0.01, 30))
def test_tail_and_quantile_invert_each_other(freedom, t):
    share = student_tail(t, freedom)
    if share > 1e-12:
        assert student_quantile(freedom, share) == pytest.approx(t, rel=1e-7)


@pytest.mark.parametrize("events", EVENTS)
def test_limits_of_a_count_are_garwoods(stats, events):
    expected = stats.gamma.ppf(0.025, events), stats.gamma.ppf(0.975, events + 1)
    assert poisson_limits(events) == pytest.approx(expected, rel=1e-9)
    low, high = poisson_limits(events)
    assert 1 - gamma_share(high, events + 1) == pytest.approx(0.025, rel=1e-7)
    assert gamma_share(low, events) == pytest.approx(0.025, rel=1e-7)


def test_no_event_has_a_high_end_only():
    assert poisson_limits(0) == (0, pytest.approx(-math.log(0.025)))


@pytest.mark.sampled
@pytest.mark.parametrize("of", [1, 6, 24, 150])
def test_the_low_end_of_a_share_is_clopper_and_pearsons(stats, of):
    for right in range(of + 1):
        expected = stats.binomtest(right, of).proportion_ci(0.95, method="exact").low
        assert binomial_low(right, of) == pytest.approx(expected, rel=1e-9, abs=1e-12)


def test_shares_of_beta_and_gamma_are_scipys(stats):
    for a in (0.5, 1, 2.5, 14, 300):
        for b in (0.5, 1, 7.2, 90):
            for x in (0, 1e-8, 0.01, 0.3, 0.5, 0.77, 0.999, 1):
                assert beta_share(x, a, b) == pytest.approx(stats.beta.cdf(x, a, b), rel=1e-9, abs=1e-13)
        for times in (0, 0.01, 0.3, 0.9, 1, 1.1, 2, 9):
            assert gamma_share(a * times, a) == pytest.approx(stats.gamma.cdf(a * times, a), rel=1e-9, abs=1e-13)


@pytest.mark.parametrize("clusters", [6, 20, 150])
def test_events_that_vary_no_more_than_independent_ones_have_garwoods_interval_but_for_students_factor(stats, clusters):
    events, turns = [1] * clusters, [10] * clusters
    factor = (stats.t.ppf(0.975, clusters - 1) / stats.norm.ppf(0.975)) ** 2
    low, high = (factor * end / (10 * clusters) for end in poisson_limits(clusters / factor))
    assert event_interval(events, turns) == pytest.approx((low, min(1, high)))


def test_events_that_come_in_clusters_have_a_wider_interval(stats):
    apart, together = [1] * 20, [4] * 5 + [0] * 15
    dispersion = 20 / 19 * (5 * 3**2 + 15 * 1) / 20 * (stats.t.ppf(0.975, 19) / stats.norm.ppf(0.975)) ** 2
    low, high = (dispersion * end / 200 for end in poisson_limits(20 / dispersion))
    assert event_interval(together, [10] * 20) == pytest.approx((low, high))
    narrow = event_interval(apart, [10] * 20)
    assert low < narrow[0] < narrow[1] < high
    assert event_interval([*together, 3, 0], [*[10] * 20, 0, 0]) == event_interval(together, [10] * 20)


def test_a_rate_of_events_has_no_interval_with_fewer_than_six_clusters():
    assert event_interval([1] * 5, [3] * 5) is event_interval([], []) is event_interval([0] * 9, [0] * 9) is None
    assert event_interval([1] * 6, [1] * 6)[1] == 1
