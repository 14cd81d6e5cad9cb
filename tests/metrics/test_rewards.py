"""Rewards by hand: what a turn and a dialogue earn, and that ending early earns nothing."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from evolif.metrics.rewards import REWARD_KINDS, RewardKind, reward_of, turn_rewards
from evolif.types import CREDIT, JudgedTurn, Score, Session, Verdict


def turn(number: int, *holds: bool | None, scores: tuple[Score, ...] = (), seat: str = "target") -> JudgedTurn:
    verdicts = tuple(Verdict(f"g{place}", one, "", "") for place, one in enumerate(holds))
    return JudgedTurn(number, verdicts, scores=scores, seat="partner" if seat == "partner" else "target")


def played(
    *turns: JudgedTurn, cause: str = "cap", patience: int | None = None, cap: int | None = 4, ending: str = "censored"
) -> Session:
    return Session("m", 1, 1, patience, "finished" if ending == "finished" else "censored", "", turns, cause, cap=cap)


def first_scores(scores: Sequence[Score]) -> tuple[float, ...]:
    return tuple(score.value for score in scores if score.name == "goal" and score.value is not None)


HALF = turn(1, True, False)
GOOD = turn(2, True)
BAD = turn(3, False)
NOTHING = turn(4, None)


@pytest.mark.parametrize(
    ("kind", "turns", "whole"),
    [
        ("dense", (0.5, 1.0, 0.0, None), 0.5),
        ("turn", (0.0, 1.0, 0.0, None), 1 / 3),
        ("session", (0.0, 0.25, 0.0, None), 0.25),
    ],
)
def test_each_kind(kind: RewardKind, turns: tuple[float | None, ...], whole: float) -> None:
    session = played(HALF, GOOD, BAD, NOTHING)
    assert turn_rewards(session, kind) == turns
    assert reward_of(session, kind) == pytest.approx(whole)


def test_nothing_judged_is_no_reward() -> None:
    for kind in REWARD_KINDS:
        assert reward_of(played(NOTHING), kind) is None
        assert turn_rewards(played(NOTHING), kind) == (None,)


def test_ending_early_earns_nothing_in_a_session_and_much_elsewhere() -> None:
    early = played(GOOD, BAD, BAD, cause="patience", ending="finished", patience=2, cap=10)
    late = played(GOOD, BAD, GOOD, BAD, GOOD, BAD, GOOD, BAD, GOOD, BAD, patience=2, cap=10)
    assert reward_of(early, "session") == pytest.approx(0.1)
    assert reward_of(late, "session") == pytest.approx(0.5)
    one = played(GOOD, cause="patience", ending="finished", patience=2, cap=10)
    assert reward_of(one, "turn") == 1.0  # which is why the module says to train without patience


def test_turns_after_patience_ran_out_count_nothing() -> None:
    session = played(BAD, BAD, GOOD, GOOD, patience=2)
    assert reward_of(session, "session") == 0
    assert turn_rewards(session, "turn") == (0.0, 0.0, 1.0, 1.0)


def test_a_dialogue_that_came_to_its_end_has_its_own_number_of_turns() -> None:
    assert reward_of(played(GOOD, BAD, cause="end", ending="finished", cap=50), "session") == 0.5
    assert reward_of(played(GOOD, BAD, cap=50), "session") == 0.02


def test_credit_weighs_requirements() -> None:
    session = played(turn(1, True, False, scores=(Score(CREDIT, 0.9),)))
    assert reward_of(session, "dense") == 0.9
    assert reward_of(session, "turn") == 0.0


def test_scores_reward_where_nothing_has_a_verdict() -> None:
    goals = (Score("goal", 1.0), Score("goal", 0.0), Score("goal", None), Score("words", 9.0))
    session = played(turn(1), turn(2, scores=goals), cause="end", ending="finished")
    assert reward_of(session, "dense", first_scores) == 0.5
    assert turn_rewards(session, "turn", first_scores) == (None, 0.0)
    assert reward_of(session, "dense") is None


def test_what_a_partner_ends_belongs_to_the_turn_before() -> None:
    end = turn(2, scores=(Score("goal", 1.0),), seat="partner")
    session = played(turn(1), end, cause="end", ending="finished")
    assert turn_rewards(session, "session", first_scores) == (1.0,)


def test_a_session_sums_its_turns() -> None:
    session = played(HALF, GOOD, GOOD, cap=7)
    found = [reward for reward in turn_rewards(session, "session") if reward is not None]
    assert sum(found) == pytest.approx(reward_of(session, "session"))
