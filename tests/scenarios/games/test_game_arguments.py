"""Bad arguments raise the package's usage error, whichever function they are given to."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from evolif.errors import UsageError
from evolif.scenarios import games

WORDS = games.RegexTokenizer()
NAMES = games.generate("names", 0, seed=1, n=9)


async def talks(messages: Any) -> str:
    return "Let us talk."


async def gives_a_number(messages: Any) -> Any:
    return 3


def answers_at_once(messages: Any) -> str:
    return "Let us talk."


def play(instance: Any = NAMES, players: Any = (talks, talks), turns: Any = 2, **options: Any) -> Any:
    options.setdefault("tokenizer", WORDS)
    return asyncio.run(games.play(instance, players, turns, **options))


BAD: list[tuple[str, tuple[Any, ...], dict[str, Any]]] = [
    ("budget", ("256", 2), {}),
    ("budget", (256.5, 2), {}),
    ("budget", (256, "2"), {}),
    ("budget", (256, 2, -1), {}),
    ("budget", (256, 2, float("nan")), {}),
    ("budget", (256, 2, float("inf")), {}),
    ("turn_meta", ("1", 2), {}),
    ("turn_meta", (1.5, 2), {}),
    ("truncate", (5, 1, WORDS), {}),
    ("truncate", (None, 1, WORDS), {}),
    ("truncate", ("a", "1", WORDS), {}),
    ("truncate", ("a", 1, None), {}),
    ("truncate", ("a", 1, "regex"), {}),
    ("RegexTokenizer", ("(",), {}),
    ("RegexTokenizer", (3,), {}),
    ("parse_chess", (None,), {}),
    ("parse_question", (3,), {}),
    ("parse_image", (None, 6), {}),
    ("parse_image", ("ANSWER: Image 1", "6"), {}),
    ("parse_row", (None, 9), {}),
    ("parse_row", ("SELECT ROW 1", 9.0), {}),
    ("usage", (["a"], 0, 256, WORDS), {}),
    ("usage", (["a"], 2, 0, WORDS), {}),
    ("usage", ("abc", 4, 4, WORDS), {}),
    ("usage", ([3], 4, 4, WORDS), {}),
    ("usage", (None, 4, 4, WORDS), {}),
    ("usage", (["a"] * 5, 4, 4, WORDS), {}),
    ("usage", (["a"], 4, 4, None), {}),
    ("isotoken", ([0.5, 0.6],), {}),
    ("isotoken", (None,), {}),
    ("isotoken", ({2: "a"},), {}),
    ("isotoken", ({2: float("nan")},), {}),
    ("isotoken", ({2: None},), {}),
    ("isotoken", ({0: 0.5},), {}),
    ("guess_and_check", (9.5, 2), {}),
    ("guess_and_check", ("9", 2), {}),
    ("guess_and_check", (9, "2"), {}),
    ("content_ratio", ("a text",), {}),
    ("content_ratio", ([1],), {}),
    ("novelty", (None,), {}),
    ("novelty", ("a text",), {}),
    ("lexical_density", ([None],), {}),
    ("phrases", (3,), {}),
    ("centering", (None,), {}),
    ("centering", ([3],), {}),
    ("centering", ([{"subj": "lamp", "obj": [], "other": []}],), {}),
    ("centering", ({"subj": ["lamp"], "obj": [], "other": []},), {}),
    ("answer_proposal", (None,), {}),
    ("shared_rows", ("a", "b"), {}),
    ("shared_rows", (None, []), {}),
    ("shared_rows", ([1], [1]), {}),
    ("information_gain", (NAMES, "a text"), {}),
    ("information_gain", (NAMES, [3]), {}),
    ("information_gain", ({}, []), {}),
    ("information_gain", (None, []), {}),
    ("accuracy_table", (None,), {}),
    ("accuracy_table", ([{}],), {}),
    ("accuracy_table", ([3],), {}),
    ("proposal_table", (None,), {}),
    ("proposal_table", ([{}],), {}),
    ("generate", ("names", "0"), {"seed": 1}),
    ("generate", ("names", 0.5), {"seed": 1}),
    ("generate", ("names", 0), {"seed": "x"}),
    ("generate", ("names", 0), {"seed": None}),
    ("generate", (None, 0), {"seed": 1}),
    ("generate", ("scenes", 0), {"seed": 1, "modality": "smell"}),
    ("generate", ("questions", 0), {"seed": 1, "family": "who"}),
    ("private_text", ({}, 0), {}),
    ("private_text", (None, 0), {}),
    ("private_text", (NAMES, "0"), {}),
    ("private_text", (NAMES, 2), {}),
    ("private_image", (NAMES, 0), {}),
]


@pytest.mark.parametrize(("name", "arguments", "named"), BAD, ids=[f"{row[0]}-{n}" for n, row in enumerate(BAD)])
def test_a_bad_argument_is_a_usage_error(name: str, arguments: tuple[Any, ...], named: dict[str, Any]) -> None:
    with pytest.raises(UsageError) as caught:
        getattr(games, name)(*arguments, **named)
    assert len(str(caught.value)) > 20


@pytest.mark.parametrize(
    "options",
    [
        {"instance": {}},
        {"instance": None},
        {"instance": {**NAMES, "private": 3}},
        {"instance": {**NAMES, "answer": None}},
        {"players": None},
        {"players": "ab"},
        {"players": [3, 4]},
        {"players": [gives_a_number, talks]},
        {"players": [answers_at_once, talks]},
        {"turns": "2"},
        {"turns": 2.0},
        {"total_tokens": 0},
        {"total_tokens": "256"},
        {"words_factor": -1},
        {"words_factor": float("nan")},
        {"tokenizer": "regex"},
        {"tokenizer": 3},
        {"history": "diary"},
    ],
    ids=lambda options: next(iter(options)),
)
def test_a_game_is_not_played_with_bad_arguments(options: dict[str, Any]) -> None:
    with pytest.raises(UsageError):
        play(**options)


def test_the_same_player_may_sit_on_both_sides() -> None:
    assert play(players=[talks, talks])["final"]["reason"] == "no_answer"
    assert play(players=(talks, talks), turns=4)["turn_budget"] == 4
