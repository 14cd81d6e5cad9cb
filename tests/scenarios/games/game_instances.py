"""Instances made by hand, and players that say what they are told to."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

from evolif.scenarios.games import RegexTokenizer, play
from evolif.types import Message

WORDS = RegexTokenizer(r"\w+|[^\w\s]")
CHESS: dict[str, Any] = {
    "game": "chess",
    "number": 0,
    "seed": 1,
    "settings": {},
    "private": [{"board": "\n".join(["K . . . . . . k"] * 8)}, {"board": "\n".join(["Q . . . . . . q"] * 8)}],
    "public": {},
    "answer": ["MINE", "YOURS"],
    "roles": ["player", "player"],
    "answerers": [0, 1],
    "chance": 0.5,
    "floor": 0.54,
    "proof": "pieces",
}
NAMES: dict[str, Any] = CHESS | {
    "game": "names",
    "private": [
        {"columns": ["name", "town"], "rows": [["Ada", "Ulm"], ["Bo", "Ulm"], ["Cy", "Bonn"]]},
        {"columns": ["name", "town"], "rows": [["Cy", "Ulm"], ["Bo", "Ulm"], ["Ada", "Bonn"]]},
    ],
    "answer": [2, 2],
    "chance": 1 / 3,
    "floor": 0.4,
    "proof": [2, 2],
}


class Script:
    """Says one text after the other, and keeps the messages that it was sent."""

    def __init__(self, *texts: str) -> None:
        self.texts = list(texts)
        self.asked: list[tuple[Message, ...]] = []

    async def __call__(self, messages: tuple[Message, ...]) -> str:
        self.asked.append(messages)
        return self.texts[len(self.asked) - 1]


def played(instance: dict[str, Any], texts: Sequence[str], turns: int, **more: Any) -> dict[str, Any]:
    """The dialogue of two players who say these texts in turn."""
    players = [Script(*texts[::2]), Script(*texts[1::2])]
    dialogue: Any = asyncio.run(play(instance, players, turns, **{"tokenizer": WORDS, **more}))
    return {**dialogue, "asked": [player.asked for player in players]}
