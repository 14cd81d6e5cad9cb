"""Which dialogues of a benchmark are played: all of them, the first ones, or those that are named by their numbers."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence

from evolif.config import EvalConfig
from evolif.errors import UsageError
from evolif.scenario import Benchmark
from evolif.text import plural

_PART = re.compile(r"(\d{1,9})(?:\s*[-–]\s*(\d{1,9}))?")
_MOST_SHOWN = 40
"""Characters of a part in a sentence."""


def chosen_dialogues(benchmark: Benchmark, config: EvalConfig) -> tuple[int, ...]:
    """The numbers of the dialogues that a run plays, ascending.

    Raises:
        UsageError: numbers that cannot be read, or that the benchmark does not have.
    """
    there = benchmark.dialogues()
    if config.dialogues is None:
        return tuple(there[: config.limit])
    if config.limit is not None:
        raise UsageError("--limit plays the first dialogues and --dialogues those that it names; leave one of them out")
    known = sorted(there)
    chosen: set[int] = set()
    for first, last in _ranges(config.dialogues):
        within = known[bisect_left(known, first) : bisect_right(known, last)]
        if len(within) <= last - first:
            pairs = zip(range(first, last + 1), [*within, 0], strict=False)
            missing = next(number for number, other in pairs if number != other)
            raise UsageError(
                f"--dialogues {config.dialogues[:_MOST_SHOWN]}: {benchmark.path} has no dialogue {missing}; it has "
                + (f"{plural(len(known), 'dialogue')}: {shown_ranges(known)}" if known else "none")
            )
        chosen.update(within)
    return tuple(sorted(chosen))


def _ranges(text: str) -> list[tuple[int, int]]:
    """The ranges of `1-500,700`, by their first and last numbers.

    Raises:
        UsageError: something else.
    """
    if text.strip().isdecimal():  # for other verbs, this flag says how many
        number = int(text.strip()[:_MOST_SHOWN])
        raise UsageError(
            f"--dialogues {number} could be one dialogue or so many; write {number}-{number} for the one, or --limit "
            f"{number} for the first ones"
        )
    found = []
    for part in text.split(","):
        match = _PART.fullmatch(part.strip())
        if match is None or int(match[1]) < 1:
            raise UsageError(
                f"--dialogues {text[:_MOST_SHOWN]}: “{part.strip()[:_MOST_SHOWN]}” is neither a number from 1 nor a "
                "range of such; write e.g. 1-500 or 1,4,7-9"
            )
        first, last = int(match[1]), int(match[2] or match[1])
        if last < first:
            raise UsageError(f"--dialogues {text[:_MOST_SHOWN]}: {first}-{last} is reversed; write {last}-{first}")
        found.append((first, last))
    return found


def shown_ranges(numbers: Sequence[int]) -> str:
    """Ascending numbers as `--dialogues` takes them: `1-3,7`, and `7-7` for one alone."""
    if len(numbers) == 1:
        return f"{numbers[0]}-{numbers[0]}"
    return ",".join(str(first) if first == last else f"{first}-{last}" for first, last in _runs(numbers))


def _runs(numbers: Iterable[int]) -> list[tuple[int, int]]:
    runs: list[tuple[int, int]] = []
    for number in numbers:
        if runs and runs[-1][1] == number - 1:
            runs[-1] = (runs[-1][0], number)
        else:
            runs.append((number, number))
    return runs


def flag_for(dialogues: Sequence[int]) -> tuple[str, str]:
    """The flag of `evolif evaluate` that plays these dialogues, and its value."""
    if tuple(dialogues) == tuple(range(1, len(dialogues) + 1)):
        return "--limit", str(len(dialogues))
    return "--dialogues", shown_ranges(sorted(dialogues))


def limit_note(benchmark: Benchmark, limit: int | None) -> str:
    """What to say if a run asks for more dialogues than there are; empty if it does not."""
    there = len(benchmark.dialogues())
    if limit is None or limit <= there:
        return ""
    return f"--limit {limit}: {benchmark.path} has only {plural(there, 'dialogue')}, so every one is played."
