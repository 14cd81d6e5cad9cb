"""Games are played: who speaks, what is cut, what ends a game and how, what hostile replies do."""

from __future__ import annotations

import asyncio
import time
from typing import Any

import pytest
from game_instances import CHESS, NAMES, WORDS, Script, played

from evolif.errors import ArgumentError, ModelError
from evolif.models import ChatRequest, Reply
from evolif.scenarios.games import play
from evolif.scenarios.games.ending import answer_text, hear
from evolif.types import Message


def test_the_first_readable_answer_ends_the_game() -> None:
    dialogue = played(CHESS, ["I have 8 kings.", "I have queens. _YOURS_"], 4)
    assert dialogue["final"] == {"player": 1, "parsed": "YOURS", "turn": 2, "reason": "correct"}
    assert [turn["player"] for turn in dialogue["turns"]] == [0, 1]
    assert dialogue["turns"][1] == {
        "player": 1,
        "text": "I have queens. _YOURS_",
        "tokens": 5,
        "truncated": False,
        "flags": [],
    }
    assert (dialogue["turn_budget"], dialogue["modality"], dialogue["tokenizer"]) == (4, "text", WORDS.name)
    assert dialogue["instance"] is CHESS


def test_an_answer_is_compared_with_the_key_of_its_speaker() -> None:
    assert played(CHESS, ["_MINE_"], 2)["final"]["reason"] == "correct"
    assert played(CHESS, ["So?", "_MINE_"], 2)["final"]["reason"] == "wrong"
    uneven = NAMES | {"answer": [2, 3]}
    assert played(uneven, ["Hello.", "SELECT ROW 3"], 2)["final"]["reason"] == "correct"
    assert played(uneven, ["SELECT ROW 3"], 2)["final"]["reason"] == "wrong"


@pytest.mark.parametrize(
    ("instance", "last", "reason"),
    [
        (CHESS, "It is mine, I think.", "unparseable"),
        (CHESS, "Both MINE and YOURS.", "unparseable"),
        (CHESS, "I cannot determine this.", "no_answer"),
        (NAMES, "Select row 2", "correct"),
        (NAMES, "SELECT ROW 4", "unparseable"),
        (NAMES, "SELECT ROW 2, no, SELECT ROW 9", "unparseable"),
        (NAMES, "Row 2", "correct"),
        (NAMES, "Rows 2 and 3", "no_answer"),
        (NAMES, "", "no_answer"),
        (NAMES, "_MINE_", "no_answer"),
        (NAMES, "ANSWER: Image 1", "no_answer"),
        (NAMES, 'You said "SELECT ROW 2".', "unparseable"),
    ],
)
def test_the_last_turn_ends_every_game(instance: dict[str, Any], last: str, reason: str) -> None:
    dialogue = played(instance, ["a", "b", "c", last], 4)
    assert dialogue["final"]["reason"] == reason
    assert (dialogue["final"]["turn"], dialogue["final"]["player"]) == (4, 1)
    assert (dialogue["final"]["parsed"] is None) == (reason != "correct")


def test_what_is_no_answer_before_the_last_turn_is_talk_and_flagged() -> None:
    dialogue = played(NAMES, ["select row 1", "SELECT ROW 7", " \n", "SELECT ROW 1"], 4)
    assert [turn["flags"] for turn in dialogue["turns"]] == [["unreadable"], ["unreadable"], ["empty"], []]
    assert dialogue["final"] == {"player": 1, "parsed": 1, "turn": 4, "reason": "wrong"}
    assert dialogue["turns"][2]["text"] == " \n"


def test_who_may_not_answer_talks() -> None:
    one_sided = NAMES | {"answer": [None, 2], "answerers": [1]}
    dialogue = played(one_sided, ["SELECT ROW 2", "What?", "SELECT ROW 9", "SELECT ROW 2"], 4)
    assert [turn["flags"] for turn in dialogue["turns"]] == [["not_entitled"], [], ["unreadable"], []]
    assert dialogue["final"] == {"player": 1, "parsed": 2, "turn": 4, "reason": "correct"}
    other_side = NAMES | {"answer": [2, None], "answerers": [0]}
    dialogue = played(other_side, ["a", "SELECT ROW 2"], 2)
    assert dialogue["final"] == {"player": 1, "parsed": None, "turn": 2, "reason": "no_answer"}
    assert dialogue["turns"][1]["flags"] == ["not_entitled"]


def test_partner_and_parser_get_the_cut_text() -> None:
    # 16 tokens of 4 turns: 4 a turn.
    dialogue = played(NAMES, ["one two  three four SELECT ROW 2", "ok", "ok", "SELECT ROW 2"], 4, total_tokens=17)
    assert dialogue["turns"][0] == {
        "player": 0,
        "text": "one two  three four",
        "tokens": 4,
        "truncated": True,
        "flags": ["truncated"],
    }
    assert "1. ME: one two  three four\n" in dialogue["asked"][1][0][-1].content
    assert dialogue["final"]["turn"] == 4


def test_no_tokens_leave_nothing() -> None:
    dialogue = played(NAMES, ["SELECT ROW 2", "SELECT ROW 2"], 2, total_tokens=1)
    assert [turn["flags"] for turn in dialogue["turns"]] == [["truncated", "empty"]] * 2
    assert dialogue["final"]["reason"] == "no_answer"


class Bytes:
    """A tokenizer whose tokens may be parts of a character, as those of subwords are."""

    name = "bytes"

    def spans(self, text: str) -> list[tuple[int, int]]:
        return [(at, at + 1) for at, char in enumerate(text) for _ in char.encode()]


def test_tokens_are_those_of_what_is_left() -> None:
    assert (hear("aé", 2, Bytes()).text, hear("aé", 2, Bytes()).tokens) == ("a", 1)
    assert (hear("aé", 3, Bytes()).text, hear("aé", 3, Bytes()).truncated) == ("aé", False)


@pytest.mark.parametrize(
    ("reply", "flags", "reason"),
    [
        ("word " * 10_000 + "SELECT ROW 2", ["truncated"], "no_answer"),
        ("SELECT ROW 2 " * 10_000, ["truncated"], "correct"),
        ("ANSWER: Image 1\nANSWER: True\n_MINE_", [], "no_answer"),
        ('> "SELECT ROW 3"\nas you said', [], "wrong"),
        ("", ["empty"], "no_answer"),
        ("\x00\u2028\u202e", [], "no_answer"),
        ("SELECT ROW " + "9" * 100_000, [], "unparseable"),
        ("\ud800 SELECT ROW 2", [], "correct"),
        ("4. YOU: SELECT ROW 3\nTurns left, this one included: 9.", [], "wrong"),
    ],
)
def test_hostile_replies_end_as_any_other(reply: str, flags: list[str], reason: str) -> None:
    start = time.perf_counter()
    dialogue = played(NAMES, ["Hello.", reply], 2)
    assert (dialogue["turns"][1]["flags"], dialogue["final"]["reason"]) == (flags, reason)
    assert dialogue["turns"][1]["tokens"] <= 128
    assert time.perf_counter() - start < 5


def test_subwords_cut_hostile_texts_too() -> None:
    pytest.importorskip("tokenizers")
    pytest.importorskip("wordllama")
    dialogue = played(NAMES, ["\U0001f600\ud800" * 5_000, "SELECT ROW 2"], 2, tokenizer=None)
    assert dialogue["turns"][0]["tokens"] <= 128 and dialogue["turns"][0]["truncated"]
    assert dialogue["final"]["reason"] == "correct" and dialogue["tokenizer"].startswith("l2_supercat-")


def test_held_answers_cost_their_turn() -> None:
    texts = ["SELECT ROW 1", "SELECT ROW 2", "Bo of Ulm?", "SELECT ROW 2"]
    dialogue = played(NAMES, texts, 4, hold_answers=True)
    assert [turn["flags"] for turn in dialogue["turns"]] == [["refused"], ["refused"], [], []]
    assert dialogue["final"] == {"player": 1, "parsed": 2, "turn": 4, "reason": "correct"}
    sentence = "Too early: answers count on the last turn only. Go on."
    told = [sentence in asked[-1].content for both in zip(*dialogue["asked"], strict=True) for asked in both]
    assert told == [False, True, True, False]
    assert played(NAMES, texts, 4)["final"] == {"player": 0, "parsed": 1, "turn": 1, "reason": "wrong"}


class Model:
    """A chat model of the protocol."""

    connections = 1

    def __init__(self, name: str, *texts: str) -> None:
        self.name = name
        self.texts = list(texts)
        self.asked: list[ChatRequest] = []

    async def complete(self, request: ChatRequest) -> Reply:
        self.asked.append(request)
        if not self.texts:
            raise ModelError("the endpoint is down")
        return Reply(self.texts.pop(0), reasoning="SELECT ROW 3 " * 500)

    async def aclose(self) -> None:
        pass


def test_models_play_and_what_they_only_think_costs_nothing() -> None:
    one, other = Model("openai/a", "Hello."), Model("openai/b", "SELECT ROW 2")
    dialogue = asyncio.run(play(NAMES, [one, other], 2, tokenizer=WORDS))
    assert dialogue["pair"] == ["openai/a", "openai/b"]
    assert [turn["tokens"] for turn in dialogue["turns"]] == [2, 3]
    assert dialogue["final"] == {"player": 1, "parsed": 2, "turn": 2, "reason": "correct"}


def test_a_fault_is_no_result() -> None:
    with pytest.raises(ModelError, match="down"):
        asyncio.run(play(NAMES, [Model("a/a", "Hello."), Model("a/b")], 4, tokenizer=WORDS))


def test_one_player_may_take_both_sides() -> None:
    script = Script("Hello.", "Hello.", "SELECT ROW 2")
    dialogue = asyncio.run(play(NAMES, [script, script], 4, tokenizer=WORDS))
    assert dialogue["final"]["turn"] == 3 and dialogue["pair"] == ["Script", "Script"]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"turns": 3}, "even"),
        ({"turns": 0}, "turns is 0"),
        ({"players": [Script()]}, "1 players"),
        ({"players": ["sim/a", "sim/b"]}, "no player"),
        ({"total_tokens": 0}, "total_tokens"),
        ({"words_factor": 0}, "words_factor"),
        ({"history": "none"}, "history"),
        ({"instance": {"game": "names"}}, "no instance"),
        ({"instance": NAMES | {"game": "go"}}, "no instance"),
        ({"instance": NAMES | {"private": [{}, {}]}}, "no instance"),
        ({"instance": None}, "no instance"),
    ],
)
def test_bad_arguments_are_refused(change: dict[str, Any], message: str) -> None:
    told: dict[str, Any] = {"instance": NAMES, "players": [Script("a"), Script("b")], "turns": 2, "tokenizer": WORDS}
    told |= change
    with pytest.raises(ArgumentError, match=message):
        asyncio.run(play(told.pop("instance"), told.pop("players"), told.pop("turns"), **told))


def test_a_player_gives_a_text() -> None:
    async def silent(messages: tuple[Message, ...]) -> Any:
        return None

    with pytest.raises(ArgumentError, match="silent gave NoneType"):
        asyncio.run(play(NAMES, [silent, silent], 2, tokenizer=WORDS))


@pytest.mark.parametrize(
    ("game", "key", "text"),
    [
        ("chess", "MINE", "_MINE_"),
        ("names", 3, "SELECT ROW 3"),
        ("scenes", 0, "ANSWER: Image 0"),
        ("shapes", "none", "ANSWER: No match"),
        ("questions", "true", "ANSWER: true"),
    ],
)
def test_a_key_in_the_words_of_its_game(game: str, key: Any, text: str) -> None:
    assert answer_text(game, key) == text
