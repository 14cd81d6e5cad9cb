"""Tokens of a conversation, turn by turn: as an earlier run had them, or as may be assumed of a benchmark's words."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from statistics import fmean

from evolif.benchmark import Benchmark
from evolif.constraints import get_group
from evolif.domain import Turn
from evolif.protocol import SYSTEM_PROMPT, Run

ASSUMED_TOKENS = 300
"""Of an answer, where no earlier run tells."""
JUDGE_PROMPT, JUDGE_REPLY = 700, 80
"""Tokens of a judge's call beside the answer it is about."""
CHARACTERS = 4
"""Per token, in English."""
_LOOKED_AT = 20
"""Dialogues whose stored turns are looked at."""


@dataclass(frozen=True, slots=True)
class Profile:
    """Mean tokens of the calls of one session."""

    prompts: tuple[float, ...]
    """Of the calls for turn 1, 2, …; further ones grow as the last ones did."""
    answer: float

    def prompt(self, turn: int) -> float:
        """Tokens sent for a turn."""
        known = self.prompts
        if turn <= len(known):
            return known[turn - 1]
        step = (known[-1] - known[0]) / (len(known) - 1) if len(known) > 1 else known[0] + self.answer
        return known[-1] + max(0.0, step) * (turn - len(known))


def assumed_profile(benchmark: Benchmark, *, system_prompt: bool, max_tokens: int | None) -> Profile:
    """The benchmark's queries at four characters a token, and answers of an assumed length."""
    queries = [len(turn.query) / CHARACTERS for turn in some_turns(benchmark)]
    query = fmean(queries) if queries else 80.0
    head = len(SYSTEM_PROMPT) / CHARACTERS if system_prompt else 0.0
    answer = float(min(ASSUMED_TOKENS, max_tokens or ASSUMED_TOKENS))
    return Profile((head + query, head + 2 * query + answer), answer)


def profile_of_run(run: Run, models: Iterable[str]) -> Profile | None:
    """What the calls of these models came to; None where no tokens were told."""
    prompts: defaultdict[int, list[int]] = defaultdict(list)
    answers: list[int] = []
    for model in models:
        for _, records in run.transcripts(model):
            for record in records:
                if record.usage.prompt_tokens:
                    prompts[record.turn].append(record.usage.prompt_tokens)
                    answers.append(record.usage.completion_tokens)
    known: list[float] = []
    while prompts[len(known) + 1]:
        known.append(fmean(prompts[len(known) + 1]))
    return Profile(tuple(known), fmean(answers)) if known else None


def subjective_per_turn(benchmark: Benchmark) -> float:
    """Constraints of a turn that only a judge can tell, on the average."""
    counts = [sum(get_group(c.group).subjective for c in turn.constraints) for turn in some_turns(benchmark)]
    return fmean(counts) if counts else 0.0


def some_turns(benchmark: Benchmark) -> list[Turn]:
    """The stored turns of the first dialogues."""
    return [turn for dialogue in benchmark.dialogues()[:_LOOKED_AT] for turn in benchmark.turns(dialogue)]
