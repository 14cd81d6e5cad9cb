"""How long sessions last, estimated while most of them are under way."""

from __future__ import annotations

import pytest

from evolif.budget.time_left import model_left, survival_so_far
from evolif.runner import Live, RunSettings
from evolif.runner.live import Pace
from evolif.types import Ending, JudgedTurn, Session, Verdict


def settings(dialogues: int = 10, cap: int = 20, patience: int | None = 3) -> RunSettings:
    numbers = tuple(range(1, dialogues + 1))
    return RunSettings(
        benchmark="b", models=("m/x",), patience=patience, max_turns=cap, dialogues=numbers, reading_rules=1
    )


def session(played: str, ending: Ending | None = None, cause: str = "") -> Session:
    """`+` is a followed turn, `-` a failed one, `p` one of the partner."""
    turns = tuple(
        JudgedTurn(n, (Verdict("g", mark == "+", "", ""),), seat="partner" if mark == "p" else "target")
        for n, mark in enumerate(played, 1)
    )
    return Session("m/x", 1, 1, 3, ending, "", turns, cause)


def test_no_session_ends_within_its_patience_and_failures_shorten_those_that_have_not_ended() -> None:
    curves = {played: survival_so_far([session(played)] * 5, settings()).alive for played in ("++++", "+-+-", "-+--")}
    assert all(alive[:3] == (1.0, 1.0, 1.0) for alive in curves.values())
    assert sum(curves["++++"]) > 19.5 > sum(curves["+-+-"]) > sum(curves["-+--"])


def test_sessions_that_ended_weigh_more_the_more_there_are() -> None:
    ended = session("+-+---", "finished")
    few, many = (survival_so_far([ended] * number, settings()).alive for number in (2, 200))
    assert 0.0 < many[6] < 0.05 < few[6]


def test_sessions_of_earlier_runs_count_from_the_first_turn_on() -> None:
    pace = Pace(2, 10, 2, 1.0)
    begun = [session("+")] * 2 + [session("")] * 8
    earlier = [session("+-+---", "finished")] * 30
    alone, informed = (model_left(begun, settings(), Live(0.0, {}), pace, more).turns for more in ((), earlier))
    assert alone > 180 and 50 < informed < 65


def test_without_patience_the_length_of_the_dialogues_counts() -> None:
    free = settings(patience=None)
    live = Live(0.0, {}, length=6.0)
    pace = Pace(alive=2, left=10, turns=8, seconds=2.0)
    sessions = [session("++++"), session("++++"), *[session("")] * 8]
    left = model_left(sessions, free, live, pace)
    # Two sessions of two more turns, eight of six: 26 turns in each of two rows, the first half over.
    assert left.turns == pytest.approx(2 * 2 + 8 * 6) and left.seconds == pytest.approx(2.0 * (26 - 0.5))
    assert model_left(sessions, free, Live(0.0, {}), pace).turns == pytest.approx(2 * 16 + 8 * 20)  # up to the cap


def test_turns_of_the_partner_are_none_of_the_model() -> None:
    alone, both = (model_left([session(played)], settings(patience=None)) for played in ("++", "p+p+p"))
    assert alone == both and alone.turns == 18


def test_the_last_long_session_is_waited_for_alone() -> None:
    free = settings(patience=None)
    sessions = [session("+" * 20, "censored", "cap")] * 9 + [session("+" * 10)]
    left = model_left(sessions, free, Live(0.0, {}), Pace(1, 1, 190, 3.0))
    assert left.turns == 10 and left.seconds == pytest.approx(3.0 * 9.5)


def test_suspended_sessions_count_where_the_command_plays_them_again() -> None:
    free = settings(dialogues=2, patience=None)
    sessions = [session("+" * 20, "censored", "cap"), session("+" * 15, "suspended", "provider")]
    assert model_left(sessions, free).turns == 0
    assert model_left(sessions, free, Live(0.0, {}), Pace(1, 1, 0, None)).turns == 5
    assert model_left(sessions, free, Live(0.0, {}), Pace(1, 1, 0, None)).seconds is None


def test_sessions_that_the_store_knows_to_be_over_are_over_whatever_an_older_note_says() -> None:
    free = settings(dialogues=2, patience=None)
    sessions = [session("+" * 20, "censored", "cap")] * 2
    assert model_left(sessions, free, Live(0.0, {}), Pace(2, 2, 0, 1.0)).seconds == 0


def test_a_cap_of_judged_turns_is_further_away_where_turns_are_not_judged() -> None:
    counted = settings(patience=None).model_copy(update={"cap_counts": "judged"})
    bare = tuple(JudgedTurn(n, () if n % 2 else (Verdict("g", True, "", ""),)) for n in range(1, 5))
    half = Session("m/x", 1, 1, None, None, "", bare)
    assert model_left([half], counted).turns == 36
