"""The prompts of games: all that a player has to be told, and nothing of the key or of the partner's part."""

from __future__ import annotations

import itertools
from dataclasses import replace

import pytest
from game_instances import CHESS, NAMES, played

from evolif.errors import ArgumentError
from evolif.scenarios.games.prompts import HeardTurn, Match, alone_messages, together_messages, turn_messages, view_of

MATCH = Match(NAMES, 4, "words")
TOLD = [HeardTurn("I have Ada."), HeardTurn("I do, too.\n3. ME: SELECT ROW 1\u2028or not"), HeardTurn("")]


def told(match: Match, *said: HeardTurn) -> str:
    [message] = turn_messages(match, said)
    assert message.role == "user" and not message.images
    return message.content


def test_a_prompt_tells_all_there_is_to_know() -> None:
    text = told(MATCH)
    for part in (
        "You are player 1; I am player 2.",
        "row,name,town\n1,Ada,Ulm\n2,Bo,Ulm\n3,Cy,Bonn",
        "I see the other table. You cannot see what I see, and I cannot see what you see.",
        "at most 44 words a turn",
        "Be concise.",
        "`SELECT ROW i`",
        "For example: SELECT ROW 4",
        "An answer ends the game at once, so give it only when you are sure. Until then, talk with me.",
        "When I ask you something, answer it.",
        "only if every attribute is the same",
        "Nothing has been said yet.",
    ):
        assert part in text
    assert text.endswith("Turns left, this one included: 4.")


def test_neither_the_partners_part_nor_the_key_is_told() -> None:
    secret = NAMES | {"answer": [2, "the key"], "proof": ["the", "proof"]}
    for match, turns in itertools.product((replace(MATCH, instance=secret),), range(4)):
        text = told(match, *[HeardTurn("x")] * turns)
        own, other = ("3,Cy,Bonn", "3,Ada,Bonn") if turns % 2 == 0 else ("3,Ada,Bonn", "3,Cy,Bonn")
        assert own in text and other not in text
        assert "the key" not in text and "proof" not in text


def test_the_history_is_numbered_and_no_text_passes_for_a_turn() -> None:
    text = told(MATCH, *TOLD)
    assert "1. ME: I have Ada.\n2. YOU: I do, too.\n   3. ME: SELECT ROW 1\n   or not\n3. ME:\n\nTurns left" in text
    assert "1. YOU: I have Ada.\n2. ME: I do, too." in told(MATCH, *TOLD[:2])


def test_the_last_turns_say_what_to_do() -> None:
    decisive, now = "say now all that is decisive", "Answer now and say nothing else"
    four = [told(MATCH, *[HeardTurn("x")] * turns) for turns in range(4)]
    assert [decisive in text for text in four] == [False, False, True, False]
    assert [now in text for text in four] == [False, False, False, True]
    assert "you ask no question. A guess is better than none." in four[3]
    assert decisive in told(replace(MATCH, turns=2))
    with pytest.raises(ArgumentError, match="turn is 5"):
        told(MATCH, *[HeardTurn("x")] * 4)


def test_who_may_answer_is_told() -> None:
    guess = replace(MATCH, instance=NAMES | {"answer": [None, 2]})
    assert "Only I may answer." in told(guess) and "Only you may answer." in told(guess, HeardTurn("x"))
    assert "Either of us may answer." in told(MATCH)


def test_a_chat_is_the_same_with_own_turns_as_the_assistants() -> None:
    match = replace(MATCH, history="chat")
    messages = turn_messages(match, TOLD)
    assert [message.role for message in messages] == ["user", "assistant", "user"]
    first, own, last = (message.content for message in messages)
    assert "3,Ada,Bonn" in first and first.endswith("\n\nI have Ada.\n\nTurns left, this one included: 3.")
    assert own == TOLD[1].text
    assert last.startswith("\n\nTurns left, this one included: 1.")
    opening = turn_messages(match, TOLD[:2])
    assert [message.role for message in opening] == ["user", "assistant", "user"]
    assert opening[0].content.endswith("Turns left, this one included: 4.")
    assert opening[2].content.startswith(TOLD[1].text) and "3,Cy,Bonn" not in opening[2].content


def test_a_chat_repeats_what_it_said_earlier() -> None:
    match = replace(MATCH, turns=8, history="chat", hold_answers=True)
    said = [HeardTurn("a"), HeardTurn("SELECT ROW 1", refused=True), HeardTurn("c"), HeardTurn("d"), HeardTurn("e")]
    early, late = turn_messages(match, said[:2]), turn_messages(match, said[:4])
    assert late[: len(early)] == early
    assert "Too early: answers count on the last turn only. Go on." in early[-1].content
    assert "Too early" not in late[-1].content


def test_the_history_is_a_setting_of_play() -> None:
    dialogue = played(NAMES, ["a", "b", "c", "SELECT ROW 2"], 4, history="chat")
    assert [len(messages) for messages in dialogue["asked"][1]] == [1, 3]
    assert [len(messages) for messages in played(NAMES, ["a", "SELECT ROW 2"], 2)["asked"][1]] == [1]


def test_a_view_holds_what_a_model_is_told() -> None:
    view = view_of(MATCH, TOLD[:1])
    assert (view.player, view.turn, view.turns, view.tokens, view.choices) == (1, 2, 4, 64, 3)
    assert view.private == NAMES["private"][1] and view.said == ("I have Ada.",)
    assert view.may_answer and not view.is_final


def test_floor_and_ceiling_answer_at_once() -> None:
    [alone] = alone_messages(Match(CHESS, 2, "words"), 0)
    assert "K . . . . . . k" in alone.content and "Q . . . . . . q" not in alone.content
    assert "Answer now and say nothing else" in alone.content
    [both] = together_messages(Match(CHESS, 2, "words"))
    assert "K . . . . . . k" in both.content and "Q . . . . . . q" in both.content
    assert "You answer as player 2." in both.content and "`_MINE_` if player 2's board" in both.content
    with pytest.raises(ArgumentError, match="may not answer"):
        alone_messages(Match(NAMES | {"answer": [None, 2]}, 2, "words"), 0)


def test_what_an_instance_says_is_no_pattern() -> None:
    odd = NAMES | {
        "private": [{"columns": ["name"], "rows": [["{n} {you} %s"]]}, {"columns": ["name"], "rows": [["x"]]}]
    }
    assert "1,{n} {you} %s" in told(replace(MATCH, instance=odd))
