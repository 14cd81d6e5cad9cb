"""Scenarios: they make the next user message and score the reply. EvolIF is the first."""

from __future__ import annotations

from collections import Counter
from typing import Protocol

from evolif.benchmark import Benchmark
from evolif.domain import Turn
from evolif.judging import Judge, Judgement, judge_answer


class Scenario(Protocol):
    """What a session plays."""

    def next_turn(self, dialogue: int, number: int) -> Turn | None:
        """The turn of that number, made on demand; None where the dialogue cannot go on."""
        ...

    def depth(self, dialogue: int, number: int) -> int:
        """How many turns the turn's topic has had, this one included."""
        ...

    def score(self, turn: Turn, answer: str) -> Judgement:
        """The verdicts on an answer."""
        ...


class EvolifScenario:
    """Dialogues of an own benchmark: extended for as long as the model follows."""

    def __init__(self, benchmark: Benchmark, judge: Judge | None) -> None:
        self._benchmark = benchmark
        self._judge = judge
        self._depths: dict[int, list[int]] = {}
        self._seen: dict[int, Counter[str]] = {}

    def next_turn(self, dialogue: int, number: int) -> Turn | None:
        """A turn of the benchmark; dialogues have no end."""
        return self._benchmark.turn(dialogue, number)

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
