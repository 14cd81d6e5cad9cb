"""What a lint reports: findings with their line and mend, and the nearest pairs, which are none."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class Fault:
    """A broken rule, before it is known where it stands."""

    rule: str
    message: str
    """What is wrong, as half a sentence."""
    mend: str
    """What to do, as an imperative."""


@dataclass(frozen=True, slots=True)
class LintFinding:
    """A broken rule, and where."""

    file: str
    line: int
    """Counted from 1; 0 where the whole file is meant."""
    entry: str
    """The id, as far as it could be read."""
    rule: str
    message: str
    mend: str

    def __str__(self) -> str:
        where = f"{self.file}, line {self.line}" if self.line else self.file
        who = f" ({self.entry})" if self.entry else ""
        return f"{where}{who}: {self.message}; {self.mend} [{self.rule}]"


@dataclass(frozen=True, slots=True)
class Pair:
    """Two entries that are near each other by some measure."""

    first: str
    second: str
    value: float
    """Number of keywords or phrases shared; or shared words over all words of the two, from 0 to 1."""
    shared: tuple[str, ...]
    lines: tuple[int, int]


@dataclass(frozen=True, slots=True)
class LintReport:
    """All that a lint has to say of a file."""

    kind: str
    """`topic` or `persona`."""
    file: str
    entries: int
    """Lines that were meant to be one, broken ones included."""
    findings: tuple[LintFinding, ...]
    nearest: Mapping[str, tuple[Pair, ...]]
    """By measure, nearest first."""
    counts: Mapping[str, int] = field(default_factory=dict)
    """Entries by domain, or by register."""
    samples: Mapping[str, int] = field(default_factory=dict)
    """`files` and `words` that the file was compared with; empty where nothing was."""

    def to_object(self) -> dict[str, Any]:
        """The report as plain data, for JSON."""
        return asdict(self)
