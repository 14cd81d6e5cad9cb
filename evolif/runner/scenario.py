"""Scenarios supply the turns and score the answers; context strategies select which messages a call sends."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from evolif.instructions import TurnSource, has_subjective, judge_turn
from evolif.judging import Judge, Judgement, LexicalJudge
from evolif.turns import Turn
from evolif.types import Message


class Scenario(Protocol):
    """What a session plays."""

    async def next_turn(self, dialogue: int, number: int) -> Turn | None:
        """The turn with that number, generated if missing; None if the dialogue cannot continue.

        Raises:
            ModelError: the synthesizer failed; the session is suspended.
        """
        ...

    def asks_a_judge(self, turn: Turn) -> bool:
        """Whether scoring an answer to this turn may require calls."""
        ...

    async def score(self, turn: Turn, answer: str) -> Judgement:
        """The verdicts on an answer.

        Raises:
            JudgeError: a verdict is missing; the answer is stored and judged on resuming.
        """
        ...


class EvolifScenario:
    """Dialogues of a benchmark, extended as long as the model keeps up.

    Args:
        source: The benchmark's turns.
        judge: For the subjective constraints; None if they are not judged.
    """

    def __init__(self, source: TurnSource, judge: Judge | None) -> None:
        self._source = source
        self._judge = judge
        self._has_calls = judge is not None and not isinstance(judge, LexicalJudge)

    async def next_turn(self, dialogue: int, number: int) -> Turn | None:
        """A turn of the benchmark."""
        return await self._source.turn(dialogue, number)

    def asks_a_judge(self, turn: Turn) -> bool:
        """True if there is a panel and a subjective constraint."""
        return self._has_calls and has_subjective(turn.constraints)

    async def score(self, turn: Turn, answer: str) -> Judgement:
        """By rules, and by the judge for subjective constraints."""
        return await judge_turn(turn.constraints, answer, self._judge)


SYSTEM_PROMPT = """\
You are in a long conversation about several tasks. Each task has its own set of requirements for your answer.
- A requirement stays in force for its task until the user changes or withdraws it, and it holds for that task only.
- A new task starts without requirements. When the user comes back to an earlier task, that task's requirements hold \
again, together with whatever the user changes now.
- Every answer is the complete answer to the task in question and satisfies all requirements in force for it.
- Requirements on the text mean what a reader of the answer sees: in JSON, XML, HTML and CSV the keys, values, cells \
and visible text, not the syntax around them.
Reply with the answer alone: no preamble, no comment on the requirements."""
"""Explains scoped constraints; on by default, left out for the ablation (paper App. E)."""


class ContextStrategy(Protocol):
    """Chooses the messages of a call."""

    name: str

    def messages(self, system: str, history: Sequence[Message], query: str) -> tuple[Message, ...]:
        """The messages to send, the query last."""
        ...


class FullHistory:
    """The whole conversation, including the model's own answers."""

    name = "full"

    def messages(self, system: str, history: Sequence[Message], query: str) -> tuple[Message, ...]:
        """System prompt (if any), history, query."""
        head = (Message("system", system),) if system else ()
        return (*head, *history, Message("user", query))
