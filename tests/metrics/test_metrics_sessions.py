"""Which sessions count, what is counted apart, and the bounds."""

from dataclasses import replace
from fractions import Fraction as F

import pytest

from evolif.errors import UsageError
from evolif.metrics import DialogueRecord, process_metrics, records_from_sessions
from evolif.metrics.sessions import Bounds, bounds
from evolif.types import JudgedTurn, Session, Verdict


def turn(*satisfied, number=1):
    return JudgedTurn(number, tuple(Verdict("length", value, "", "") for value in satisfied))


def session(dialogue, ending, *turns, patience=3, epoch=0, model="sim/steady"):
    return Session(model, dialogue, epoch, patience, ending, turns=tuple(turn(*t) for t in turns))


OK, BAD, UNJUDGED = (True,), (False,), (None,)


def test_finished_and_censored_count_the_others_are_counted():
    kept = records_from_sessions(
        [
            session(1, "finished", BAD, BAD, BAD),
            session(2, "censored", OK, UNJUDGED, (True, None, False)),
            session(3, "suspended", OK, OK, UNJUDGED),
            session(4, "withheld"),
            session(5, None, OK),
            session(6, None),
            session(7, "censored"),
        ]
    )
    assert kept.records == (
        DialogueRecord("1", 3, (BAD, BAD, BAD), cap=3),  # the longest that counts
        DialogueRecord("2", 3, (OK, (True, False)), cap=3),
        DialogueRecord("7", 3, (), cap=3),
    )
    assert (kept.finished, kept.censored, kept.suspended, kept.withheld, kept.running) == (1, 2, 1, 1, 2)
    assert (kept.not_judged_turns, kept.not_judged_constraints) == (1, 2)


def test_nothing_at_all():
    kept = records_from_sessions([])
    assert (kept.records, kept.finished, kept.running, kept.not_judged_turns) == ((), 0, 0, 0)


def test_unjudged_turns_after_exhausted_patience_are_not_counted():
    kept = records_from_sessions([session(1, "finished", BAD, UNJUDGED, BAD, UNJUDGED, patience=2)])
    assert kept.records[0].turns == (BAD, BAD)
    assert (kept.not_judged_turns, kept.not_judged_constraints) == (1, 1)


def test_epochs_are_kept_apart():
    kept = records_from_sessions([session(1, "censored", OK, epoch=e) for e in (0, 1)])
    assert [(r.dialogue, r.epoch) for r in kept.records] == [("1", 0), ("1", 1)]
    assert process_metrics(kept.records).dialogues == 2


def test_two_models_or_one_session_twice_are_refused():
    with pytest.raises(UsageError, match=r"one model at a time, not sim/a and sim/b"):
        records_from_sessions([session(1, "finished", model="sim/b"), session(2, "finished", model="sim/a")])
    with pytest.raises(UsageError, match="dialogue 1, epoch 0 occurs twice"):
        bounds([session(1, "finished"), session(1, "suspended")], max_turns=5)


def test_bounds_by_hand():
    sessions = [
        session(1, "finished", OK, BAD, BAD, BAD),
        session(2, "suspended", OK, OK, BAD),  # patience 2 left
        session(3, "withheld", BAD, UNJUDGED),  # patience 2 left; 2 turns towards the cap
        session(4, None, OK),  # the run was killed: patience 3 left, it goes on like the others
    ]
    both = bounds(sessions, max_turns=6)
    assert both.failed.edr_len == float(F(4 + 5 + 3 + 4, 4))
    assert both.failed.edr_succ == float(F(1 + 2 + 0 + 1, 4))
    assert both.failed.rob == pytest.approx(float((F(1, 4) + F(2, 5) + F(0, 3) + F(1, 4)) / 4))
    assert both.succeeded.edr_len == float(F(4 + 6 + 5 + 6, 4))
    assert both.succeeded.edr_succ == float(F(1 + 5 + 4 + 6, 4))
    assert both.succeeded.edr_lss == float(F(1 + 3 + 4 + 6, 4))
    assert both.succeeded.rec == pytest.approx(float((F(0, 2) + F(1, 1) + F(1, 1)) / 3))
    assert both.failed.dialogues == both.succeeded.dialogues == 4


def test_failing_on_stops_at_the_cap_too():
    both = bounds([session(1, "suspended", OK, OK)], max_turns=3)
    assert (both.failed.edr_len, both.failed.edr_succ) == (3.0, 2.0)
    beyond = bounds([session(1, "suspended", OK, OK)], max_turns=1)
    assert beyond.failed.edr_len == beyond.succeeded.edr_len == 2.0


def test_a_session_whose_patience_was_exhausted_goes_no_further():
    both = bounds([session(1, "suspended", BAD, BAD, BAD)], max_turns=9)
    assert both.failed == both.succeeded
    assert both.failed.edr_len == 3.0


def test_without_broken_sessions_both_bounds_are_the_table():
    sessions = [session(1, "finished", OK, BAD, BAD, BAD), session(2, "censored", OK)]
    sessions = [replace(one, cap=50) for one in sessions]
    table = process_metrics(records_from_sessions(sessions).records)
    assert bounds(sessions, max_turns=50) == Bounds(table, table)


def test_an_impossible_cap_is_refused():
    with pytest.raises(UsageError, match="cap is 0"):
        bounds([], max_turns=0)
