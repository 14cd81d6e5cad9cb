"""Kaplan-Meier curves, their bands and bounds, and the log-rank test."""

import math
import random
from dataclasses import replace
from fractions import Fraction as F

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sessions_by_hand import lasting, play

from evolif.errors import UsageError
from evolif.metrics import process_intervals, records_from_sessions, survival
from evolif.metrics.distributions import binomial_low, student_quantile, student_tail
from evolif.metrics.intervals import freedom_of, ratio_interval
from evolif.metrics.survival import hazard, log_rank, survival_bounds

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


def product(lives, turn):
    """The share that lasts longer than a turn, of lengths with whether patience ran out."""
    height = F(1)
    for now in range(1, turn + 1):
        alive = sum(n >= now for n, _ in lives)
        height *= 1 - F(sum(over and n == now for n, over in lives), alive) if alive else 1
    return height


def test_the_band_is_the_jackknifes_over_dialogues_on_the_log_log_scale():
    epochs = [[(3, True), (5, True)], [(4, False)], [(3, True)], [(8, True), (9, False)], [(6, True)], [(9, False)]]
    sessions = [lasting(d, n, over=over, epoch=e) for d, own in enumerate(epochs) for e, (n, over) in enumerate(own)]
    curve = survival(sessions)
    raw = []
    for turn in (3, 5, 6, 8):
        height, *without = (
            product([life for d, own in enumerate(epochs) if d != left_out for life in own], turn)
            for left_out in (None, *range(6))
        )
        influence = [float(5 * (sum(without) / 6 - own)) for own in without]
        error = math.sqrt(sum(own**2 for own in influence) / (6 * 5))
        scale = math.log(-math.log(height))
        step = student_quantile(freedom_of(influence)) * error / (height * abs(math.log(height)))
        raw.append([math.exp(-math.exp(scale + sign * step)) for sign in (1, -1)])
        assert curve.points[turn].probability == pytest.approx(float(height))
    # The curve never rises: what it stays above later it stays above before, and the other way round.
    for place, turn in enumerate((3, 5, 6, 8)):
        assert curve.points[turn].low == pytest.approx(max(low for low, _ in raw[place:]))
        assert curve.points[turn].high == pytest.approx(min(high for _, high in raw[: place + 1]))
    assert raw[1][0] < raw[3][0]
    assert curve.points[0].interval == (1, 1)
    # Nobody has failed at turn 2; all six dialogues reach it.
    assert curve.points[2].interval == (pytest.approx(0.025 ** (1 / 6)), 1)
    halves = [
        next((p.turn for p in curve.points if end(p) <= 0.5), None) for end in (lambda p: p.low, lambda p: p.high)
    ]
    assert curve.median_interval == tuple(halves)


def test_where_nobody_or_everybody_has_failed_the_band_has_a_width():
    curve = survival([lasting(d, 5) for d in range(20)])
    seen = 0.025 ** (1 / 20)
    assert [p.interval for p in curve.points] == [(1, 1), *[(pytest.approx(seen), 1)] * 4, (0, pytest.approx(1 - seen))]
    assert (curve.median, curve.median_interval) == (5, (5, 5))
    # The share falls alike in all dialogues: one of two epochs ends at turn 4.
    halves = [lasting(d, n, epoch=n) for d in range(20) for n in (4, 7)]
    assert survival(halves).points[4].interval == pytest.approx((0.5 * seen, 1 - 0.5 * seen))


def test_one_failure_of_many_leaves_no_absurd_band():
    """As any share: no farther than Clopper and Pearson's interval of whole dialogues."""
    many = [lasting(d, 30, over=False) for d in range(23)]
    curve = survival([*many, lasting(99, 10)])
    assert curve.points[10].interval[0] == curve.points[29].interval[0] == pytest.approx(binomial_low(23, 24))
    epochs = [replace(one, epoch=1) for one in (*many, lasting(99, 12))]
    assert survival([*many, lasting(99, 10), *epochs]).points[12].low == pytest.approx(binomial_low(23, 24))
    # Few that are left, in the same way.
    few = survival([*(lasting(d, 4 + d % 3) for d in range(23)), lasting(99, 30, over=False)])
    assert few.points[6].high == pytest.approx(1 - binomial_low(23, 24))
    # It is no share where a session was cut before, or where one dialogue has more sessions than the others.
    for other in (lasting(98, 9, over=False), lasting(0, 30, over=False, epoch=1)):
        assert survival([*many, other, lasting(99, 10)]).points[10].low < 0.3
    assert survival([*many, lasting(98, 10, over=False), lasting(99, 10)]).points[10].low > 0.7


def test_epochs_that_say_the_same_narrow_no_band():
    lengths = [(3, True), (3, True), (5, True), (8, True), (4, False), (6, False), (9, True), (12, False)]
    once, twice = (
        survival([lasting(d, n, over=over, epoch=e) for d, (n, over) in enumerate(lengths) for e in range(epochs)])
        for epochs in (1, 2)
    )
    assert [p.interval for p in twice.points] == [pytest.approx(p.interval) for p in once.points]
    assert twice.median_interval == once.median_interval
    assert twice.restricted_mean_interval == pytest.approx(once.restricted_mean_interval)


def labelled(session, **labels):
    return replace(session, turns=tuple(replace(turn, labels={**turn.labels, **labels}) for turn in session.turns))


def test_dialogues_of_one_cluster_count_once():
    lengths = [3, 5, 8, 4, 6, 9]
    alone = [lasting(d, n) for d, n in enumerate(lengths)]
    doubled = [labelled(lasting(10 * copy + d, n), board=d) for copy in (0, 1) for d, n in enumerate(lengths)]
    own, together = survival(alone), survival(doubled, cluster="board")
    assert [p.interval for p in together.points] == [pytest.approx(p.interval) for p in own.points]
    assert together.restricted_mean_interval == pytest.approx(own.restricted_mean_interval)
    assert survival(doubled).points[4].low > together.points[4].low
    five = [one for one in doubled if one.turns[0].labels["board"] < 5]
    few = survival(five, cluster="board")
    assert {p.interval for p in few.points} == {few.median_interval, few.restricted_mean_interval} == {None}
    both = survival_bounds(five, max_turns=9, cluster="board")
    assert both.failed.points[4].interval is both.succeeded.points[4].interval is None
    assert survival_bounds(five, max_turns=9).failed.points[4].interval is not None


def test_fewer_than_six_dialogues_have_no_band():
    sessions = [lasting(d, 3 + d) for d in range(5)]
    curve = survival([*sessions, lasting(9, 0, over=False)])  # which tells nothing
    assert curve.median == 5 and {p.interval for p in curve.points} == {curve.median_interval} == {None}
    assert survival([*sessions, lasting(9, 1, over=False)]).points[5].interval is not None


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
    first = {
        1: [(3, True), (4, True)],
        2: [(5, False)],
        3: [(6, True)],
        4: [(4, True)],
        5: [(9, False)],
        6: [(3, True)],
    }
    second = {
        1: [(6, True)],
        2: [(7, True), (9, False)],
        4: [(4, True)],
        5: [(8, True)],
        6: [(9, False)],
        7: [(5, True)],
    }
    a, b = (
        [lasting(d, n, over=over, epoch=e) for d, own in side.items() for e, (n, over) in enumerate(own)]
        for side in (first, second)
    )
    scores = dict.fromkeys(range(1, 8), F(0))
    observed_less_expected = F(0)
    for turn in range(1, 10):
        alive = [{d: sum(n >= turn for n, _ in own) for d, own in side.items()} for side in (first, second)]
        ends = [{d: own.count((turn, True)) for d, own in side.items()} for side in (first, second)]
        (mine, yours), (a_ends, b_ends) = (map(sum, map(dict.values, both)) for both in (alive, ends))
        share, rate = F(mine, mine + yours), F(a_ends + b_ends, mine + yours)
        observed_less_expected += a_ends - (a_ends + b_ends) * share
        for d in scores:
            scores[d] += (1 - share) * (ends[0].get(d, 0) - alive[0].get(d, 0) * rate)
            scores[d] -= share * (ends[1].get(d, 0) - alive[1].get(d, 0) * rate)
    assert sum(scores.values()) == observed_less_expected > 0
    apart = [score - observed_less_expected / 7 for score in scores.values()]
    statistic = float(observed_less_expected) / math.sqrt(F(7, 6) * sum(own**2 for own in apart))
    found = log_rank(a, b)
    assert found.statistic == pytest.approx(statistic)
    assert found.p == pytest.approx(student_tail(statistic, freedom_of(list(map(float, apart)))))
    back = log_rank(b, a)
    assert (back.statistic, back.p) == (pytest.approx(-found.statistic), pytest.approx(found.p))


def test_the_log_rank_test_pairs_dialogues():
    """Every dialogue lasts a little longer with the second model, but dialogues differ by far more."""
    stats = pytest.importorskip("scipy.stats")
    a, b = ([lasting(d, 3 + 2 * d + more) for d in range(12)] for more in (0, 1))
    assert log_rank(a, b).p < 0.01
    lengths = [stats.CensoredData(uncensored=[len(s.turns) for s in side]) for side in (a, b)]
    assert stats.logrank(*lengths).pvalue > 0.5


def test_the_log_rank_test_takes_epochs_and_clusters_as_one():
    chance = random.Random(4)
    lengths = [[(chance.randint(3, 12), chance.random() < 0.8) for _ in range(10)] for _ in range(2)]

    def sides(epochs):
        return [
            [lasting(d, n, over=over, epoch=e) for d, (n, over) in enumerate(own) for e in range(epochs)]
            for own in lengths
        ]

    once, twice = (log_rank(*sides(epochs)) for epochs in (1, 2))
    assert (twice.statistic, twice.p) == (pytest.approx(once.statistic), pytest.approx(once.p))
    boards = [[labelled(one, board=one.dialogue % 7) for one in side] for side in sides(1)]
    assert log_rank(*boards, cluster="board").p != pytest.approx(once.p)
    five = [[labelled(one, board=one.dialogue % 5) for one in side] for side in sides(1)]
    assert log_rank(*five, cluster="board").p is None


def six(length, over=True, first=0):
    return [lasting(first + d, length, over=over) for d in range(6)]


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ([], []),
        (six(3), []),
        (six(3), six(9)[:5]),
        (six(3, over=False), six(5, over=False)),
        (six(3, over=False), six(5)),
        (six(0, over=False), six(5)),
        (six(4), six(4)),
    ],
)
def test_log_rank_without_anything_to_tell_them_apart(a, b):
    assert (log_rank(a, b).statistic, log_rank(a, b).p) == (None, None)


def test_several_models_are_refused():
    with pytest.raises(UsageError, match="one model at a time"):
        survival([lasting(1, 3), lasting(2, 3, model="sim/other")])


lives = st.lists(st.tuples(st.integers(0, 9), st.booleans(), st.integers(0, 1)), min_size=1, max_size=16)


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
    band = [point.interval for point in curve.points]
    if None in band:
        assert set(band) == {None} and len({s.dialogue for s in sessions if s.turns}) < 6
        return
    assert all(
        0 <= low <= point.probability <= high <= 1 for point, (low, high) in zip(curve.points, band, strict=True)
    )
    assert all(low < high for low, high in band[1:])
    assert band == sorted(band, reverse=True) and [high for _, high in band] == sorted(
        [h for _, h in band], reverse=True
    )
    assert 0 <= curve.restricted_mean <= 9


def test_where_all_dialogues_differ_alike_the_log_rank_test_has_the_p_of_their_signs():
    a, b = [lasting(d, 10, over=False) for d in range(12)], [lasting(d, 4, model="sim/other") for d in range(12)]
    found = log_rank(a, b)
    assert found.p == 2**-11 and found.statistic < -3
    assert log_rank(b, a).statistic == -found.statistic
