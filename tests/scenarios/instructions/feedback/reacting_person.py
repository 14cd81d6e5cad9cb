"""Dialogues by hand, and a way to answer them: turns of one topic or several, each with a few constraints."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import Any

from evolif.scenarios.instructions.feedback import Reactions
from evolif.scenarios.instructions.feedback.replay import Step
from evolif.scenarios.instructions.prompt import prompt_of, reacting
from evolif.scenarios.instructions.turns import Constraint, Operation, Persona, Topic, Turn
from evolif.types import Exchange, Prompt

FERRY = Topic("ferry", "Tell me about the ferry.", ("ferry", "ticket", "harbour"), title="the ferry")
BREAD = Topic("bread", "How do I bake bread?", ("bread", "flour", "oven"), title="the bread")
NEUTRAL = Persona("P1", "A plain person.", ("plain words",), "neutral")

FIVE_BULLETS = Constraint("bullets", {"kind": "bullet", "relation": "exactly", "count": 5})
FEW_WORDS = Constraint("length", {"unit": "words", "relation": "at_most", "count": 10})
NO_DIGITS = Constraint("digits", {"mode": "none"})
NO_EMOJI = Constraint("emoji", {"relation": "none"})
HAPPY = Constraint("emotion", {"emotion": "happy"})

LONG = "There are many more words in this answer than the ten that were asked for here."
GOOD = "It leaves at noon."


def add(*constraints: Constraint) -> tuple[Operation, ...]:
    return tuple(Operation("add", c.group, None, c.params) for c in constraints)


def lift(constraint: Constraint) -> Operation:
    return Operation("remove", constraint.group, constraint.params, None)


def change(constraint: Constraint, **params: Any) -> Operation:
    return Operation("modify", constraint.group, constraint.params, {**constraint.params, **params})


def turn(number: int, constraints: Sequence[Constraint], operations: Sequence[Operation] = (), **other: Any) -> Turn:
    told: dict[str, Any] = {
        "topic": FERRY,
        "move": "new" if number == 1 else "continue",
        "persona": NEUTRAL,
        "query": f"Request {number}.",
        "source": "template",
        **other,
    }
    return Turn(1, number, operations=tuple(operations), constraints=tuple(constraints), **told)


class Play:
    """One dialogue: asks its turns, and says what comes next.

    Args:
        turns: The script.
        mode: Of the reactions.
        patience: Of the session.
        seed: Of the benchmark.
    """

    def __init__(self, turns: Sequence[Turn], mode: str = "remark", patience: int | None = 3, seed: int = 1) -> None:
        self.turns = turns
        self.fresh: Callable[[], Reactions] = lambda: Reactions(mode, patience, seed, 2)
        self.reactions = self.fresh()
        self.past: list[Exchange] = []
        self.asked = self.prompt()

    async def _turn_of(self, number: int) -> Turn | None:
        return self.turns[number - 1] if number <= len(self.turns) else None

    def step(self, reactions: Reactions | None = None) -> Step | None:
        return asyncio.run((reactions or self.reactions).next(1, self.past, self._turn_of))

    def prompt(self, reactions: Reactions | None = None) -> Prompt | None:
        """The next prompt; None at the end."""
        step = self.step(reactions)
        if step is None:
            return None
        return reacting(prompt_of(step.turn, step.turn.turn), len(self.past) + 1, step.repair, step.remark)

    def answer(self, text: str, **known: Any) -> Prompt | None:
        """Answer the last prompt, and get the next one."""
        assert self.asked is not None
        self.past.append(Exchange(self.asked, text, text, **known))
        self.asked = self.prompt()
        return self.asked

    def remark(self) -> dict[str, Any] | None:
        """What the next prompt says of the last answer."""
        assert self.asked is not None
        said: dict[str, Any] | None = self.asked.payload["feedback"]["remark"]
        return said
