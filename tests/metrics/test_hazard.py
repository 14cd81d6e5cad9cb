"""Where sessions end."""

from dataclasses import replace
from fractions import Fraction as F

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sessions_by_hand import lasting, play

from evolif.metrics.intervals import event_interval
from evolif.metrics.statistics import wilson
from evolif.metrics.survival import hazard


def test_by_hand():
    sessions = [
        lasting(1, 3),
        lasting(2, 3),
        lasting(3, 5),
        lasting(4, 4, over=False),
        lasting(5, 0, over=False),
        play(6, "1 1 1 1 1 1", "suspended"),
        play(7, "1", None),
        play(8, "0 ? 0 ? 0 ? 1"),  # three judged turns up to the end of patience
    ]
    told = [(h.turn, h.at_risk, h.exhausted, h.censored) for h in hazard(sessions)]
    assert told == [(1, 5, 0, 0), (2, 5, 0, 0), (3, 5, 3, 0), (4, 2, 0, 1), (5, 1, 1, 0)]
    assert [h.hazard for h in hazard(sessions)] == [0, 0, float(F(3, 5)), 0, 1]
    assert hazard(sessions[::-1]) == hazard(sessions)


def test_the_interval_is_that_of_events_over_dialogues():
    # Two epochs each. At turn 4 dialogues 0 to 5 have 2, 2, 2, 2, 1 and 1 sessions; 2, 0, 1, 0, 0 and 1 of them end.
    told = [(4, 4), (7, 9), (4, 8), (5, 5), (3, 6), (3, 4), (3, 3)]
    sessions = [lasting(d, n, epoch=e) for d, own in enumerate(told) for e, n in enumerate(own)]
    found = hazard(sessions)
    assert [(h.at_risk, h.exhausted) for h in found[2:4]] == [(14, 4), (10, 4)]
    assert found[2].interval == event_interval([0, 0, 0, 0, 1, 1, 2], [2] * 7)
    assert found[3].interval == event_interval([2, 0, 1, 0, 0, 1], [2, 2, 2, 2, 1, 1])
    # At turn 5 only four dialogues are left.
    assert [h.interval is None for h in found] == [False] * 4 + [True] * 5
    wide, narrow = (hazard([*sessions, *more])[2].interval for more in ([], [lasting(9, 8), lasting(9, 8, epoch=1)]))
    assert wide[1] > narrow[1]


def test_dialogues_of_one_cluster_count_once():
    def board(session, number):
        return replace(session, turns=tuple(replace(turn, labels={"board": number}) for turn in session.turns))

    sessions = [board(lasting(d, 3 + d % 4), d // 2) for d in range(12)]
    alone, together = hazard(sessions), hazard(sessions, "board")
    assert together[2].interval == event_interval([1, 0] * 3, [2] * 6) != alone[2].interval
    assert hazard(sessions[:10], "board")[2].interval is None


def test_no_session_no_hazard():
    assert hazard([]) == hazard([play(1, "? ?", "censored")]) == ()


@pytest.mark.parametrize(("hits", "n"), [(0, 1), (1, 1), (0, 7), (3, 7), (7, 7), (40, 150), (1, 10_000)])
def test_wilson_is_scipys(hits, n):
    stats = pytest.importorskip("scipy.stats")
    interval = stats.binomtest(hits, n).proportion_ci(0.95, method="wilson")
    assert wilson(hits / n, n) == pytest.approx((interval.low, interval.high), abs=1e-12)


@given(st.lists(st.tuples(st.integers(0, 12), st.booleans()), max_size=20))
def test_every_session_leaves_once(lives):
    sessions = [lasting(d, max(3, n) if over else n, over=over) for d, (n, over) in enumerate(lives)]
    hazards = hazard(sessions)
    had_turns = sum(bool(session.turns) for session in sessions)
    assert sum(h.exhausted + h.censored for h in hazards) == had_turns
    left = had_turns
    for h in hazards:
        assert h.at_risk == left > 0
        assert (h.interval is None) == (h.at_risk < 6)  # each session is a dialogue of its own
        assert h.interval is None or h.interval[0] <= h.hazard <= h.interval[1]
        left -= h.exhausted + h.censored
    assert left == 0
