"""Scenarios: they make the next user message and score the reply. EvolIF is the first."""

from __future__ import annotations

from typing import Protocol

from evolif.benchmark import Grower
from evolif.constraints import get_group
from evolif.domain import Turn
from evolif.judging import Judge, Judgement, LexicalJudge, judge_turn


class Scenario(Protocol):
    """What a session plays."""

    async def next_turn(self, dialogue: int, number: int) -> Turn | None:
        """The turn of that number, made on demand; None where the dialogue cannot go on.

        Raises:
            ModelError: whoever words the turns failed; the session is suspended.
        """
        ...

    def asks_a_judge(self, turn: Turn) -> bool:
        """Whether scoring an answer to this turn may take calls of its own."""
        ...

    async def score(self, turn: Turn, answer: str) -> Judgement:
        """The verdicts on an answer.

        Raises:
            JudgeError: a verdict that is needed could not be had; the answer is kept and judged on resuming.
        """
        ...


class EvolifScenario:
    """Dialogues of an own benchmark: extended for as long as the model follows.

    Args:
        grower: Hands out the benchmark's turns and makes missing ones.
        judge: For what rules cannot tell; None where nothing is judged.
    """

    def __init__(self, grower: Grower, judge: Judge | None) -> None:
        self._grower = grower
        self._judge = judge
        self._has_calls = judge is not None and not isinstance(judge, LexicalJudge)

    async def next_turn(self, dialogue: int, number: int) -> Turn | None:
        """A turn of the benchmark; dialogues have no end."""
        return await self._grower.turn(dialogue, number)

    def asks_a_judge(self, turn: Turn) -> bool:
        """Where a panel is named and a constraint is subjective."""
        return self._has_calls and any(get_group(c.group).subjective for c in turn.constraints)

    async def score(self, turn: Turn, answer: str) -> Judgement:
        """By rules, and by the judge for what rules cannot tell."""
        return await judge_turn(turn.constraints, answer, self._judge)
