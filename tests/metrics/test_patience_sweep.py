"""The figures at less patience."""

from dataclasses import replace
from fractions import Fraction as F

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sessions_by_hand import play

from evolif.errors import UsageError
from evolif.metrics import patience_sweep, process_intervals, process_metrics, records_from_sessions
from evolif.metrics.process import judged_record


def test_by_hand():
    sessions = [
        play(1, "1 0 1 0 0 1 0 0 0"),  # ends at 2, 5, 9
        play(2, "1 1 0 ? 0 1", "censored"),  # ends at 3, 5 judged turns are 4; at 3 not at all
        play(3, "1 0", "suspended"),  # ends at 2 with patience 1, else broke off
        play(4, "1 1", "withheld"),
    ]
    one, two, three = patience_sweep(sessions, 3, intervals=False)
    assert [p.patience for p in (one, two, three)] == [1, 2, 3]
    assert one.metrics.edr_len == float(F(2 + 3 + 2, 3))
    assert one.metrics.edr_succ == float(F(1 + 2 + 1, 3))
    assert one.metrics.rec is None
    assert two.metrics.edr_len == float(F(5 + 4, 2))
    assert two.metrics.rob == pytest.approx(float((F(2, 5) + F(2, 4)) / 2))
    assert two.metrics.rec == pytest.approx(float((F(1, 2) + F(0, 1)) / 2))
    assert three.metrics == process_metrics(records_from_sessions(sessions).records)
    assert [(p.finished, p.censored, p.left_out) for p in (one, two, three)] == [(3, 0, 1), (2, 0, 2), (1, 1, 2)]
    assert [p.intervals for p in (one, two, three)] == [{}, {}, {}]


def test_a_censored_session_may_be_finished_at_less_patience():
    one, two = patience_sweep([play(1, "1 0 1", "censored", patience=2)], intervals=False)
    assert (one.finished, one.censored, two.finished, two.censored) == (1, 0, 0, 1)


def test_a_suspended_session_never_enters_the_table_at_its_own_patience():
    # Its patience was exhausted, and still the run says that it broke off.
    one, two = patience_sweep([play(1, "0 0", "suspended", patience=2)], intervals=False)
    assert (one.metrics.dialogues, two.metrics.dialogues) == (1, 0)


def test_intervals_are_those_of_the_metrics():
    sessions = [play(d, f"{'1 ' * (d % 4)}0 1 0 0 {'1 ' * d}0 0 0") for d in range(6)]
    sweep = patience_sweep(sessions, seed=3, resamples=40)
    for point in sweep:
        cut = [
            judged_record(str(s.dialogue), point.patience, [[v.satisfied for v in t.verdicts] for t in s.turns])
            for s in sessions
        ]
        longest = max(len(s.turns) for s in sessions)
        cut = [replace(record, cap=longest) for record in cut]
        assert point.intervals == process_intervals(cut, seed=3, resamples=40)


def test_more_patience_than_there_was_is_refused():
    with pytest.raises(UsageError, match="a session had patience 2"):
        patience_sweep([play(1, "0 0", patience=2)], 3)
    with pytest.raises(UsageError, match="patience is 0"):
        patience_sweep([], 0)
    with pytest.raises(UsageError, match="one model at a time"):
        patience_sweep([play(1, "1"), play(1, "1", model="sim/other")])
    assert patience_sweep([]) == ()


@given(st.lists(st.lists(st.text("10?", min_size=1, max_size=3), max_size=12), max_size=5), st.integers(1, 4))
def test_the_sweep_is_the_metrics_run_again(raw, patience):
    sessions = [play(d, " ".join(turns), "censored", patience=patience) for d, turns in enumerate(raw)]
    for point in patience_sweep(sessions, patience, intervals=False):
        again = [
            judged_record(str(s.dialogue), point.patience, [[v.satisfied for v in t.verdicts] for t in s.turns])
            for s in sessions
        ]
        longest = max((record.cap for record in records_from_sessions(sessions).records), default=0)
        assert point.metrics == process_metrics([replace(record, cap=longest) for record in again])
        assert point.finished + point.censored == len(sessions)
