"""What figures are made of: a table of terms per session, and the keys by which figures are broken down."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from evolif.types import JudgedTurn, Prompt, Session, Verdict

Key: TypeAlias = str | int


@dataclass(frozen=True, slots=True)
class MetricTable:
    """Figures as ratios of sums: each session adds its terms, and a metric divides one sum by another.

    Intervals, ranks, comparisons and stop rules read this table and nothing else, so a scenario's own figures get all
    of them.
    """

    terms: tuple[str, ...]
    """The names of the terms."""
    of: Callable[[Session], tuple[float, ...]]
    """What one session adds to the sums, in the order of `terms`."""
    ratios: Mapping[str, tuple[str, str]]
    """Metric to the terms of its numerator and denominator."""
    labels: Mapping[str, str] = field(default_factory=dict)
    """Metric to its name in tables; the metric itself if it has none."""
    units: Mapping[str, Literal["rate", "count"]] = field(default_factory=dict)
    """`rate`, a fraction shown in per cent, unless said otherwise; `count` for turns, points and the like."""
    headline: str = ""
    """The metric that models are ranked by; the first if empty."""


Split: TypeAlias = Callable[[JudgedTurn, Prompt | None], Iterable[tuple[Key, Sequence[Verdict]]]]
"""The parts of a turn: keys, each with the verdicts that count for it; the prompt is None if the run has none."""


@dataclass(frozen=True, slots=True)
class Breakdown:
    """A key by which CSR and ISR are broken down."""

    name: str
    """As a reader asks for it, such as `depth`."""
    first: str
    """The head of the column of keys."""
    title: str
    """What the table shows."""
    label: str = ""
    """The prompt's label that is the key; `name` if empty."""
    split: Split | None = None
    """Instead of a label: a key of its own."""
    kind: bool = False
    """Whether whole dialogues are classified by it too: by the key of most of their turns."""
