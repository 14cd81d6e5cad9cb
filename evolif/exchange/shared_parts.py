"""What two benchmarks share of what `evolif generate --split` keeps apart: kinds, topics, personas, wordings."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from evolif.benchmark import HEADER
from evolif.errors import EvolifError, UsageError
from evolif.scenarios.instructions import InstructionBenchmark
from evolif.scenarios.instructions.generator import template_of
from evolif.scenarios.instructions.partition import kind_of
from evolif.scenarios.instructions.synthesis import TEMPLATE
from evolif.scenarios.instructions.turns import Constraint, Turn
from evolif.text import plural

_SHOWN = 5
"""Of each part, in a sentence."""


@dataclass(slots=True)
class SplitParts:
    """What the dialogues of a benchmark are made of.

    Attributes:
        kinds: As `group/kind`.
        topics: Ids.
        personas: Ids.
        wordings: Of the template, before their slots are filled; of turns in other words, the whole queries.
        whole: Turns whose wording is their whole query.
        without_kinds: Groups that have no kinds.
    """

    kinds: set[str] = field(default_factory=set)
    topics: set[str] = field(default_factory=set)
    personas: set[str] = field(default_factory=set)
    wordings: set[str] = field(default_factory=set)
    whole: int = 0
    without_kinds: set[str] = field(default_factory=set)


@dataclass(frozen=True, slots=True)
class SharedParts:
    """What two benchmarks share, of which at least one is split."""

    other: str
    """The folder of the second."""
    sides: tuple[str | None, str | None]
    """Of the benchmark and the other; None for one that is not split."""
    kinds: tuple[str, ...]
    topics: tuple[str, ...]
    personas: tuple[str, ...]
    wordings: tuple[str, ...]
    without_kinds: tuple[str, ...]
    """Groups that both ask for and that have no kinds; they are no finding."""
    whole: int
    """Turns of both that are not in the template's words, of which whole queries were compared."""

    @property
    def found(self) -> bool:
        """Whether they share anything that a split keeps apart."""
        return any(part for _, part in self._parts())

    def to_object(self) -> dict[str, Any]:
        """As `contamination --json` prints it."""
        shared = {f"{name}s": list(part) for name, part in self._parts()}
        return {
            "benchmark": self.other,
            "splits": list(self.sides),
            **shared,
            "without_kinds": list(self.without_kinds),
            "whole_queries": self.whole,
        }

    def lines(self) -> Iterator[str]:
        """The finding, in sentences."""
        first, second = (side or "no split" for side in self.sides)
        told = [f"{plural(len(part), name)} ({_some(part)})" for name, part in self._parts() if part]
        shared = f"shares {'; '.join(told)}" if told else "shares no kind, topic, persona or wording"
        yield f"The benchmark ({first}) {shared} with {self.other} ({second})."
        if self.without_kinds:
            yield f"Both ask for {', '.join(self.without_kinds)}, which have no kinds to keep apart."
        if self.whole:
            yield f"{plural(self.whole, 'turn')} not in the template's words: their whole queries were compared."

    def _parts(self) -> tuple[tuple[str, tuple[str, ...]], ...]:
        return (("kind", self.kinds), ("topic", self.topics), ("persona", self.personas), ("wording", self.wordings))


def _some(names: tuple[str, ...]) -> str:
    more = len(names) - _SHOWN
    return ", ".join(names[:_SHOWN]) + (f" and {more} more" if more > 0 else "")


def parts_of(bench: InstructionBenchmark) -> SplitParts:
    """What the dialogues of a benchmark on disk are made of."""
    found, used = SplitParts(), set[str]()
    template = template_of(bench.header.spec, bench.frames, used)
    for dialogue in bench.dialogues():
        past: list[Turn] = []
        for turn in bench.turns(dialogue):
            found.topics.add(turn.topic.id)
            found.personas.add(turn.persona.id)
            for constraint in turn.constraints:
                _add_kind(constraint, found)
            used.clear()
            said = template.say(turn, turn.persona, past)  # always, since each turn depends on those before
            own = turn.source == TEMPLATE and turn.query.startswith(said)  # rules may follow
            found.wordings |= used if own else {turn.query}
            found.whole += not own
            past.append(turn)
    return found


def _add_kind(constraint: Constraint, found: SplitParts) -> None:
    try:
        kind = kind_of(constraint.group, constraint.params)
    except (UsageError, LookupError, TypeError):
        return
    if kind:
        found.kinds.add(f"{constraint.group}/{kind}")
    else:
        found.without_kinds.add(constraint.group)


def shared_parts(bench: InstructionBenchmark, other: InstructionBenchmark) -> SharedParts:
    """What two benchmarks share.

    Args:
        bench: The first.
        other: The second.
    """
    sides = tuple(one.header.spec.split for one in (bench, other))
    first, second = (None if split is None else split.side for split in sides)
    mine, others = parts_of(bench), parts_of(other)
    return SharedParts(
        other=str(other.path),
        sides=(first, second),
        kinds=tuple(sorted(mine.kinds & others.kinds)),
        topics=tuple(sorted(mine.topics & others.topics)),
        personas=tuple(sorted(mine.personas & others.personas)),
        wordings=tuple(sorted(mine.wordings & others.wordings)),
        without_kinds=tuple(sorted(mine.without_kinds & others.without_kinds)),
        whole=mine.whole + others.whole,
    )


def split_benchmark(bench: InstructionBenchmark, path: Path) -> InstructionBenchmark | None:
    """The benchmark in a folder, where it or the first one is split; None for anything else."""
    if not (path / HEADER).is_file():
        return None
    try:
        other = InstructionBenchmark(path)
    except EvolifError:  # a benchmark of another scenario, or none: its text is searched like any other
        return None
    return other if other.header.spec.split or bench.header.spec.split else None
