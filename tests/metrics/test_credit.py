"""Turns whose requirements weigh differently: their credit takes the place of the satisfied share."""

import pytest

from evolif.errors import UsageError
from evolif.metrics import DialogueRecord, breakdown, counted_sessions, process_metrics, records_from_sessions
from evolif.metrics.process import cut, dialogue_figures, session_record
from evolif.types import CREDIT, JudgedTurn, Score, Session, Verdict


def turn(number, satisfied, credit=None, **labels):
    scores = () if credit is None else (Score(CREDIT, credit),)
    verdicts = tuple(Verdict(group, value == "1", "", "") for group, value in zip("ab", satisfied, strict=False))
    return JudgedTurn(number, verdicts, labels, scores)


def session(*turns, patience=2):
    return Session("sim/steady", 1, 0, patience, "finished", turns=turns)


def test_the_credit_of_a_turn_is_its_share():
    own = session(turn(1, "10", 0.9), turn(2, "11", 1.0), turn(3, "01"))
    assert session_record(own).credits == (0.9, 1.0, None)
    assert dialogue_figures(session_record(own)).accuracy == pytest.approx(0.9 + 1 + 0.5)
    metrics = process_metrics(records_from_sessions([own]).records)
    assert metrics.csr == pytest.approx(2.4 / 3) and metrics.isr == pytest.approx(1 / 3)


def test_without_a_credit_requirements_weigh_the_same():
    own = session(turn(1, "10"), turn(2, "11"))
    assert session_record(own).credits == () and dialogue_figures(session_record(own)).accuracy == 1.5


def test_credits_are_cut_with_their_turns():
    record = DialogueRecord("d", 1, ((True,), (False,), (True,)), credits=(0.75, 0.25, 1.0))
    assert cut(record).credits == (0.75, 0.25) and dialogue_figures(record).accuracy == 1.0


def test_turns_after_exhausted_patience_are_kept_apart():
    turns = [turn(number, value, float(value)) for number, value in enumerate("10011", 1)]
    (own,) = counted_sessions([session(*turns)])
    assert [one.turn for one in own.turns] == [1, 2, 3] and [one.turn for one in own.later] == [4, 5]
    (whole,) = counted_sessions([session(*turns, patience=3)])
    assert len(whole.turns) == 5 and whole.later == ()


def test_slices_of_whole_turns_have_credit_and_groups_have_none():
    own = session(turn(1, "10", 0.9, kind="S"), turn(2, "11", 1.0, kind="A"))
    of_kind = breakdown([own], (), lambda one, prompt: one.labels["kind"])
    assert (of_kind["S"].csr, of_kind["A"].csr) == (0.9, 1.0)
    of_group = breakdown([own], (), "group")
    assert (of_group["a"].csr, of_group["b"].csr) == (1.0, 0.5)


def test_each_turn_has_one_credit():
    with pytest.raises(UsageError, match="2 turns, but 1 credit;"):
        DialogueRecord("d", 1, ((True,), (False,)), credits=(1.0,))
