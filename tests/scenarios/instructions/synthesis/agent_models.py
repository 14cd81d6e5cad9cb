"""Models that a test scripts, as the synthesizer agent asks them."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from evolif.scenarios.instructions.synthesis.chat import Completion
from evolif.scenarios.instructions.turns import Constraint, Finding, Operation, Persona, Topic, Turn
from evolif.types import Message, Usage

Answer = Callable[[tuple[Message, ...]], "Completion | str | Exception"]

TOPIC = Topic("t1", "Plan a quiet weekend by the lake.", ("lake", "boat", "cabin"), title="the lake weekend")
PERSONA = Persona("p1", "A ferryman counts what he says.", ("speaks in short sentences", "names the weather"), "brisk")


@dataclass
class Said:
    """Answers by a function, or with these texts in turn and the last one for ever."""

    answers: Answer | list[str]
    name: str = "fake/model"
    structured: bool = True
    asked: list[tuple[tuple[Message, ...], Mapping[str, Any] | None]] = field(default_factory=list)

    async def ask(self, messages: tuple[Message, ...], schema: Mapping[str, Any] | None) -> Completion:
        self.asked.append((messages, schema))
        if isinstance(self.answers, list):
            answer: Completion | str | Exception = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        else:
            answer = self.answers(messages)
        if isinstance(answer, Exception):
            raise answer
        return Completion(answer, Usage(10, 2)) if isinstance(answer, str) else answer

    def user(self, call: int) -> str:
        """What the user part of a call said."""
        return self.asked[call][0][-1].content

    def system(self, call: int) -> str:
        """What the system part of a call said."""
        return self.asked[call][0][0].content


def query(text: str) -> str:
    return json.dumps({"query": text}, ensure_ascii=False)


def make_turn(
    move: str = "continue",
    kind: str = "add",
    group: str = "bullets",
    before: Mapping[str, Any] | None = None,
    after: Mapping[str, Any] | None = None,
    others: tuple[Constraint, ...] = (),
    number: int = 3,
    witness: str | None = None,
) -> Turn:
    if after is None and kind != "remove":
        after = {"count": 5}
    own = () if after is None else (Constraint(group, after),)
    return Turn(
        1, number, TOPIC, move, (Operation(kind, group, before, after),), (*others, *own), PERSONA, "—", "template",
        witness=witness,
    )  # fmt: skip


def says(*needed: str) -> Callable[[Turn, str], list[Finding]]:
    """Rules that want these words in a query."""
    return lambda turn, text: [Finding("bullets", f"it does not say {word}") for word in needed if word not in text]


def nothing(turn: Turn, text: str) -> list[Finding]:
    """Rules that hold nothing against anything."""
    return []
