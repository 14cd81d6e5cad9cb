"""What a run stores of goals, and the figures that are made of it."""

from __future__ import annotations

from typing import Any

import pytest
from shift_dialogues import GOALS, KEYS, reply

from evolif.metrics.table import figures
from evolif.scenarios.shifts import check_answer
from evolif.scenarios.shifts.checking import invented
from evolif.scenarios.shifts.completion import goal_counts, left_out
from evolif.scenarios.shifts.figures import tcr
from evolif.scenarios.shifts.results import TCR_TABLE, count_met, goal_scores, invented_score, outcomes_of, reasons_of
from evolif.types import JudgedTurn, Score, Session


def final(answer: str, number: int = 8, goals: Any = GOALS) -> JudgedTurn:
    scores = goal_scores(goals, check_answer(goals, answer))
    return JudgedTurn(number, (), scores=(*scores, invented_score(invented(goals, answer, keys=KEYS))))


def session(*turns: JudgedTurn, dialogue: int = 1, ending: Any = "finished") -> Session:
    return Session("m", dialogue, 1, None, ending, turns=turns)


def test_every_goal_has_a_score_that_says_why() -> None:
    turn = final(reply(budget_eur=900, destination="Lisbon", transport="train"))
    assert [(score.name, score.value, score.expected, score.found) for score in turn.scores] == [
        ("goal g1", 0.0, "destination is Ghent", "other_branch: Lisbon"),
        ("goal g2", 0.0, "budget_eur is 1200", "stale: 900"),
        ("goal g3", 1.0, "sights holds the harbour", "the harbour"),
        ("goal g4", 1.0, "sights does not hold the tower", "the harbour"),
        ("goal g5", 1.0, "guide has no value", ""),
        ("invented", 1.0, "no value where nothing was agreed", "transport"),
    ]
    assert [(one.id, one.satisfied, one.reason) for one in outcomes_of(turn)] == [
        ("g1", False, "other_branch"),
        ("g2", False, "stale"),
        ("g3", True, None),
        ("g4", True, None),
        ("g5", True, None),
    ]


def test_a_value_that_looks_like_a_reason_is_none() -> None:
    goal = GOALS[0] | {"value": "stale: yes"}
    turn = final('{"destination": "stale: yes"}', goals=(goal,))
    assert [(one.satisfied, one.reason) for one in outcomes_of(turn)] == [(True, None)]


def test_of_an_endless_value_the_beginning_is_kept() -> None:
    [score, *_] = final(reply(destination="Lisbon " * 5000)).scores
    assert (score.value, len(score.found)) == (0.0, len("other_branch: ") + 201)


def test_an_answer_that_cannot_be_read_fails_every_goal() -> None:
    assert list(reasons_of(session(final("Sorry.")))) == ["unreadable"] * 5


def test_the_rates_are_those_of_tcr() -> None:
    sessions = [
        session(JudgedTurn(1, ()), final(reply(budget_eur=900))),
        session(final("nothing"), dialogue=2),
        session(final(reply(), goals=GOALS[:3]), dialogue=3),
    ]
    expected = tcr([(4, 5), (0, 5), (3, 3)])
    found = figures([TCR_TABLE], sessions)
    assert 100 * (found.value("tcr") or 0) == pytest.approx(expected["macro"])
    assert 100 * (found.value("tcr_micro") or 0) == pytest.approx(expected["micro"])
    assert found.value("invented") == 0.0


def test_sessions_without_a_final_answer_or_goals_are_left_out_and_counted() -> None:
    sessions = [
        session(final(reply())),
        session(JudgedTurn(1, ()), dialogue=2, ending="censored"),
        session(final(reply(), goals=()), dialogue=3),
        session(JudgedTurn(1, (), scores=(Score("goal 1", None, "A goal.", "not judged"),)), dialogue=4),
    ]
    found = figures([TCR_TABLE], sessions)
    assert found.value("tcr") == 1.0
    assert found.left_out["tcr"] == 3
    assert goal_counts(sessions) == {
        "goals": 5,
        "met": 5,
        "without_goals": 1,
        "no_final_reply": 1,
        "goals_not_judged": 1,
        "reasons": {},
    }
    assert left_out("m", sessions) == [
        "m: 1 dialogue has no goals, and is left out of TCR.",
        "m: 1 session ended before the final request was answered, and is left out of TCR.",
        "m: 1 goal is not judged, and is left out of TCR.",
    ]
    assert left_out("m", sessions[2:3] * 2) == ["m: 2 dialogues have no goals, and are left out of TCR."]
    assert count_met(sessions[3]) == (0, 0)
