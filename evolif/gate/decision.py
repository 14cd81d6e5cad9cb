"""What a gate decides: one decision for each model and requirement, and the verdict on all of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal, TypeAlias

from evolif.metrics import Interval, Metric
from evolif.metrics.shown import decimals
from evolif.report.coverage import unit_name

Outcome: TypeAlias = Literal["passed", "failed", "undecided"]

EXIT_CODES: dict[Outcome, int] = {"passed": 0, "failed": 1, "undecided": 4}
"""What `evolif gate` exits with."""


@dataclass(frozen=True, slots=True)
class Decision:
    """One requirement, decided for one model.

    Attributes:
        model: As the run calls it.
        requirement: In words: “ISR@20 of at least 80 %”.
        metric: The name of the metric.
        outcome: `passed`, `failed` or `undecided`.
        value: The figure, or the difference from the baseline, in the metric's unit; None if it is undefined.
        interval: Its 95 % interval; None with too few dialogues.
        limit: What is required of it, in the same unit.
        dialogues: What the interval stands on: dialogues, or what the scenario takes as one.
        needed: How many would most likely decide it, if the figure stays as it is; None where that is not known, and
            where it is decided.
        reason: Why, in one sentence.
    """

    model: str
    requirement: str
    metric: str
    outcome: Outcome
    value: float | None
    interval: Interval | None
    limit: float
    dialogues: int
    needed: int | None
    reason: str

    def to_object(self) -> dict[str, Any]:
        """For JSON."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class Verdict:
    """All decisions on a run.

    Attributes:
        run: The name of its folder.
        decisions: In the order of models and requirements.
    """

    run: str
    decisions: tuple[Decision, ...]

    @property
    def outcome(self) -> Outcome:
        """`failed` if one is, else `undecided` if one is, else `passed`."""
        return combined(one.outcome for one in self.decisions)

    @property
    def exit_code(self) -> int:
        """0 passed, 1 failed, 4 undecided."""
        return EXIT_CODES[self.outcome]

    @property
    def summary(self) -> str:
        """The verdict as a sentence, such as “Gate: undecided (2 passed, 1 undecided).”."""
        counts = Counter(one.outcome for one in self.decisions)
        told = ", ".join(f"{counts[one]} {one}" for one in EXIT_CODES if counts[one])
        return f"Gate: {self.outcome}." if len(self.decisions) == 1 else f"Gate: {self.outcome} ({told})."

    def to_object(self) -> dict[str, Any]:
        """For JSON."""
        return {"run": self.run, "outcome": self.outcome, "decisions": [one.to_object() for one in self.decisions]}


def combined(outcomes: Iterable[Outcome]) -> Outcome:
    """The outcome of several decisions together: one that failed decides, then one that is undecided.

    Example:
        >>> combined(["passed", "undecided", "passed"])
        'undecided'
    """
    found = set(outcomes)
    return "failed" if "failed" in found else "undecided" if "undecided" in found else "passed"


def by_interval(interval: Interval | None, limit: float, *, at_most: bool = False) -> Outcome:
    """Whether an interval lies on the required side of a limit, on the other, or over it.

    Args:
        interval: Of the figure; None is over any limit.
        limit: In the same unit.
        at_most: Whether the limit is one from above.

    Example:
        >>> by_interval((0.81, 0.9), 0.8), by_interval((0.7, 0.85), 0.8), by_interval((0.6, 0.79), 0.8)
        ('passed', 'undecided', 'failed')
    """
    if interval is None:
        return "undecided"
    low, high = (-interval[1], -interval[0]) if at_most else interval
    bound = -limit if at_most else limit
    return "passed" if low >= bound else "failed" if high < bound else "undecided"


def figure_text(metric: Metric, value: float | None, interval: Interval | None) -> str:
    """A figure with its interval, as a sentence has it: “84.2 % [81.0–87.1]”."""
    if value is None:
        return "undefined"
    ends = "" if interval is None else f" [{_number(metric, interval[0])}–{_number(metric, interval[1])}]"
    return f"{with_unit(metric, _number(metric, value))}{ends}"


def _number(metric: Metric, value: float) -> str:
    """With a digit more than reports have: an end that is just below a limit must not read as if it were on it."""
    if metric.unit != "rate":
        return f"{value:.2f}"
    return f"{100 * value:.{decimals(100 * value) + 1 if metric.small else 1}f}"


def with_unit(metric: Metric, text: str) -> str:
    """A number of a metric with its unit."""
    return f"{text} %" if metric.unit == "rate" else f"{text} turns" if metric.unit == "turns" else text


def missing_words(clusters: int, needed: int | None, cluster: str) -> str:
    """What it takes to decide, as a clause: “cannot be decided with 3 dialogues: about 17 are needed”.

    Args:
        clusters: What there is.
        needed: What would most likely decide; None if no number would.
        cluster: What is counted, as `MetricTable.cluster`.
    """
    units = unit_name(cluster)
    there = f"cannot be decided with {clusters} {units if clusters != 1 else cluster or 'dialogue'}"
    if needed is None:
        return f"{there}: the figure is so close to the limit that more {units} would hardly decide it"
    if needed <= clusters:
        return f"{there}: a few more are needed"
    return f"{there}: about {needed:,} are needed, if the figure stays as it is"


def failed_by_edit(decisions: Sequence[Decision], reason: str) -> tuple[Decision, ...]:
    """The decisions on a run that was edited: none of its figures counts."""
    return tuple(
        Decision(d.model, d.requirement, d.metric, "failed", None, None, d.limit, d.dialogues, None, reason)
        for d in decisions
    )
