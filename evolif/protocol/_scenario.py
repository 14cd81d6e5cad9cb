"""Scenarios: they make the next user message and score the reply. EvolIF is the first."""

from __future__ import annotations

from collections import Counter
from typing import Protocol

from evolif.benchmark import Benchmark, Grower
from evolif.domain import Turn
from evolif.judging import Judge, Judgement, judge_answer


class Scenario(Protocol):
    """What a session plays."""

    async def next_turn(self, dialogue: int, number: int) -> Turn | None:
        """The turn of that number, made on demand; None where the dialogue cannot go on.

        Raises:
            ModelError: whoever words the turns failed; the session is suspended.
        """
        ...

    def depth(self, dialogue: int, number: int) -> int:
        """How many turns the turn's topic has had, this one included."""
        ...

    def score(self, turn: Turn, answer: str) -> Judgement:
        """The verdicts on an answer."""
        ...


class EvolifScenario:
    """Dialogues of an own benchmark: extended for as long as the model follows.

    Args:
        benchmark: The benchmark.
        judge: For what rules cannot tell; None where nothing is judged.
        grower: Makes missing turns; one of the template alone where None.
    """

    def __init__(self, benchmark: Benchmark, judge: Judge | None, grower: Grower | None = None) -> None:
        self._benchmark = benchmark
        self._grower = grower or Grower(benchmark)
        self._judge = judge
        self._depths: dict[int, list[int]] = {}
        self._seen: dict[int, Counter[str]] = {}

    async def next_turn(self, dialogue: int, number: int) -> Turn | None:
        """A turn of the benchmark; dialogues have no end."""
        return await self._grower.turn(dialogue, number)

    def depth(self, dialogue: int, number: int) -> int:
        """Counted once per dialogue and kept."""
        depths = self._depths.setdefault(dialogue, [])
        seen = self._seen.setdefault(dialogue, Counter())
        while len(depths) < number:
            topic = self._benchmark.turn(dialogue, len(depths) + 1).topic.id
            seen[topic] += 1
            depths.append(seen[topic])
        return depths[number - 1]

    def score(self, turn: Turn, answer: str) -> Judgement:
        """By rules, and by the judge for what rules cannot tell."""
        return judge_answer(turn.constraints, answer, self._judge)
