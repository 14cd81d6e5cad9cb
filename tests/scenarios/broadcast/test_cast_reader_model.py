"""A responder that knows only what it is shown: what it reads, and what it goes on from."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from evolif.scenarios.broadcast import dialogue, score_reply, simulate
from evolif.scenarios.broadcast.reader_model import UNSEEN, answer_from, read_messages, reply_number
from evolif.types import Message

TEAMS = ["Quarry Herons", "Fen Terns"]
NAMES = {
    "sport": "basketball",
    "teams": TEAMS,
    "roster": {TEAMS[0]: ["Ana Rok", "Bo Lind"], TEAMS[1]: ["Cy Dorn", "Di Falk"]},
}


def told(where: str, *rows: str, words: str = "And?") -> Message:
    table = "\n".join(["=== ticker ===", *rows, "=== end of ticker ===", "---", words])
    return Message("user", f"GAME INFO\n{TEAMS[0]} vs. {TEAMS[1]} | {where}\n{table}")


def said(text: str) -> Message:
    return Message("assistant", text)


ROWS = (
    "11:40\tAna Rok makes 24-foot three point jump shot (Bo Lind assists)",
    "11:20\tCy Dorn makes two point layup",
    "11:02\tBo Lind bad pass (Di Falk steals)",
    "11:01\tDi Falk makes free throw 1 of 2",
    "11:01\tDi Falk misses free throw 2 of 2",
    "10:59\tAna Rok blocks Cy Dorn's 5-foot two point hook shot",
)


def test_rows_become_events_with_the_period_above_their_table() -> None:
    seen = read_messages([told("Q2 | part 1 of 5", *ROWS)], NAMES)
    assert seen.score == {TEAMS[0]: 3, TEAMS[1]: 3}
    assert [(event["period"], event["kind"], event["player"], event["pts"]) for event in seen.events] == [
        (2, "three_made", "Ana Rok", 3),
        (2, "two_made", "Cy Dorn", 2),
        (2, "", "Bo Lind", 0),
        (2, "free_made", "Di Falk", 1),
        (2, "free_missed", "Di Falk", 0),
        (2, "two_blocked", "Ana Rok", 0),
    ]
    assert seen.events[-1]["other"] == "Cy Dorn"


def test_the_score_that_it_stated_last_stands_for_rows_that_are_not_shown() -> None:
    stated = said("[Update Score]\nSo it reads Quarry Herons 20, Fen Terns 31 now.")
    seen = read_messages([stated, told("Q2 | part 2 of 5", *ROWS)], NAMES)
    assert seen.score == {TEAMS[0]: 23, TEAMS[1]: 34}
    summaries = Message("system", "Who plays: …\n\nEarlier in this conversation:\nQuarry Herons 2, Fen Terns 4")
    assert read_messages([summaries, told("Q1 | part 2 of 5", *ROWS)], NAMES).score == {TEAMS[0]: 5, TEAMS[1]: 7}
    words = told("Q1 | part 1 of 5", *ROWS, words="Like so: Quarry Herons 9, Fen Terns 9")
    assert read_messages([words], NAMES).score == {TEAMS[0]: 3, TEAMS[1]: 3}, "a friend states no score"


@pytest.mark.parametrize(
    ("replies", "number", "found"),
    [
        ([], 1, 1),
        ([], 7, 1),
        (["[Update Score] [Tag A]"], 2, 2),
        (["[Update Score] [Tag A]", "[Update Score]"], 3, 3),
        (["[Update Score]", "[Update Score] [Tag B]"], 12, 12),
        (["[Update Score] [Tag B]", "[Other Question]"], 9, 9),
        (["[Other Question]"], 7, 1),
    ],
)
def test_letters_go_on_from_the_last_replies_that_are_shown(replies: list[str], number: int, found: int) -> None:
    messages = [message for reply in replies for message in (told("Q1"), said(f"{reply}\nWell."))]
    assert reply_number([*messages, told("Q1")], number) == found


def test_a_summary_is_owed_in_the_period_of_its_announcement_until_it_is_there() -> None:
    asked = told("Q1 | part 4 of 5", words="Two turns later add a <Summary>...</Summary> block.")
    assert read_messages([asked, told("after Q1")], NAMES).summary == 1
    brought = said("[Other Question]\n<Summary>A tie.</Summary>")
    assert read_messages([asked, brought, told("after Q1")], NAMES).summary is None
    rules = Message("system", "Put it into a <Summary>...</Summary> block.")
    assert read_messages([rules, told("after Q1")], NAMES).summary is None


def shown(turns: Sequence[dict[str, Any]], last: int | None = None) -> list[str]:
    """Its replies to a whole dialogue, each time under the latest rounds only."""
    replies: list[str] = []
    for number, turn in enumerate(turns):
        first = 0 if last is None else max(0, number - last)
        past = [
            message
            for place in range(first, number)
            for message in (Message("user", turns[place]["message"]), said(replies[place]))
        ]
        replies.append(answer_from([*past, Message("user", turn["message"])], turn))
    return replies


@pytest.mark.sampled
@pytest.mark.parametrize("sport", ["basketball", "hockey"])
@pytest.mark.parametrize("task", ["IF", "CR", "IR", "TS"])
def test_under_the_full_history_all_is_right_and_under_little_only_some(task: str, sport: str) -> None:
    for number in range(3):
        turns = dialogue(task, sport, number, seed=9)["turns"]
        scores = {}
        for last in (None, 2):
            replies = shown(turns, last)
            judged = [pair for pair in zip(turns, replies, strict=True) if pair[0]["judged"]]
            scores[last] = [score_reply(turn, reply)["score"] for turn, reply in judged]
        assert set(scores[None]) == {1.0}
        assert sum(scores[2]) < len(scores[2])


def test_where_nothing_is_shown_it_says_so_and_names_nobody() -> None:
    for sport in ("basketball", "hockey"):
        match = simulate(sport, 0, seed=9)
        for task in ("CR", "IR"):
            for turn in dialogue(task, sport, 0, seed=9)["turns"]:
                if turn["judged"] and turn["kind"] != "S":
                    reply = answer_from([Message("user", turn["message"])], turn)
                    assert reply == UNSEEN
                    assert not any(name in reply for name in match["player_team"])


@pytest.mark.slow
def test_variants_are_read_as_well() -> None:
    for task, settings in (
        ("CR", {"whole": True}),
        ("IR", {"ask_after": 2}),
        ("TS", {"chunks": 10}),
        ("CR", {"pair": "interval"}),
    ):
        turns = dialogue(task, "basketball", 1, seed=9, **settings)["turns"]
        for turn, reply in zip(turns, shown(turns), strict=True):
            assert not turn["judged"] or score_reply(turn, reply)["score"] == 1.0
