"""A stop rule ends a run as soon as its figures are precise enough, without favouring any result.

Checking sessions as they end would favour short ones. So the rule checks only complete prefixes of the dialogues, in
seeded order and in batches, once every session of every model in them has ended. Which prefix satisfies the rule then
depends on the answers alone, not on the order in which they arrive.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from evolif.errors import UsageError
from evolif.metrics import (
    PROCESS,
    MetricTable,
    counted_sessions,
    described,
    dialogue_rows,
    intervals,
    is_saturated,
    sessions_at_cap,
)
from evolif.metrics.statistics import require
from evolif.runner import (
    STOP_RULE,
    Deny,
    EarlyEnd,
    Event,
    PlannedCall,
    Run,
    RunSettings,
    RunStore,
    SessionEnded,
    load_run,
)
from evolif.types import Session, Usage

BATCH = 10
"""Dialogues in each batch."""

BOUNDED = "edr_len"
"""The metric that a cap bounds: where most sessions reach it, its interval is narrow whatever the model can do."""

_ENDED = frozenset({"finished", "censored", "withheld"})
_CUT = frozenset({STOP_RULE, "budget"})


@dataclass(frozen=True, slots=True)
class Rule:
    """Stop when every model's 95 % interval of a metric is narrower than ± a half-width, in the metric's unit."""

    metric: str
    half_width: float

    def __str__(self) -> str:
        return f"{self.metric}={self.half_width:g}"


def parse_rule(text: str, tables: Sequence[MetricTable] = (PROCESS,)) -> Rule:
    """Read `rob=0.03`.

    Args:
        text: A metric and a half-width.
        tables: Those that the run will have (`tables_of`).

    Raises:
        UsageError: an unknown metric, a half-width that is not above zero, or an interval that needs SciPy, which is
            not installed.
    """
    metric, _, width = text.partition("=")
    metrics = described(tables)
    try:
        half_width = float(width)
    except ValueError:
        half_width = 0.0
    if metric.strip() not in metrics or not 0 < half_width < float("inf"):
        example = "rob" if "rob" in metrics else next(iter(metrics), "rob")
        points = " for ± 3 points" if metrics[example].unit == "rate" else ""
        lengths = "turns for edr_…, fractions for the others" if "edr_len" in metrics else "rates are fractions"
        raise UsageError(
            f"--stop-when takes a metric and the half-width of its interval, e.g. {example}=0.03{points} "
            f"(metrics: {', '.join(metrics)}; {lengths})"
        )
    if any(metric.strip() in table.events for table in tables):
        require("scipy.special", f"the interval of {metric.strip()}")
    return Rule(metric.strip(), half_width)


class StopRule:
    """Implements `CallPolicy` and observes the run.

    Args:
        rule: When to stop.
        settings: The run's settings.
        root: The run's folder; sessions that ended there earlier count.
        seed: Seed of the bootstrap.
        tables: Those that the run will have.

    Raises:
        UsageError: the rule is on EDR len, and the sessions stored so far show that the cap bounds it.
    """

    def __init__(
        self, rule: Rule, settings: RunSettings, root: Path, seed: int = 0, tables: Sequence[MetricTable] = (PROCESS,)
    ) -> None:
        self._rule = rule
        self._table = next(table for table in tables if rule.metric in table.ratios)
        self._settings = settings
        self._root = root
        self._seed = seed
        self._batch_of = {dialogue: i // BATCH for i, dialogue in enumerate(settings.dialogues)}
        self._left = [0] * (1 + max(self._batch_of.values()))
        """Sessions of each batch that have not ended."""
        for batch in self._batch_of.values():
            self._left[batch] += len(settings.models) * settings.epochs
        self._checked = 0
        """Batches checked so far."""
        self._prefix: frozenset[int] | None = None
        self._stop = Deny(STOP_RULE, f"earlier dialogues already satisfy the stop rule {rule}")
        self._was_applied = False
        """Whether the rule has ended the run before, perhaps without a look at the cap."""
        if RunStore.begun(root):
            self._refuse_saturated()
            self._count_earlier()

    def summary(self) -> str:
        """The outcome as a sentence."""
        whole = f"{len(self._settings.dialogues)} dialogues"
        if self._prefix is None:
            return f"Stop rule {self._rule} was not satisfied; the run was not ended early ({whole})."
        return (
            f"Stop rule {self._rule} was satisfied by the first {len(self._prefix)} of {whole}, so the run ended "
            "early; the metrics cover only those."
        )

    def __call__(self, event: Event) -> None:
        """Count the sessions that end; check the rule when a batch is complete."""
        if isinstance(event, SessionEnded) and event.ending in _ENDED and event.cause not in _CUT:
            self._left[self._batch_of[event.key.dialogue]] -= 1
            self._check()

    def admit(self, call: PlannedCall) -> Deny | None:
        """Deny every call beyond the prefix, except to judge an answer that is already paid for."""
        if self._prefix is None or call.role == "judge" or call.key is None or call.key.dialogue in self._prefix:
            return None
        return self._stop

    def record(self, call: PlannedCall, usage: Usage | None) -> None:
        """Do nothing: the rule ignores usage."""

    def _refuse_saturated(self) -> None:
        with closing(load_run(self._root)) as run:
            early = run.early_end()
            self._was_applied = early is not None and early.rule == str(self._rule)
            for model in () if self._was_applied else self._settings.models:
                share = self._share_at_cap(tuple(run.sessions(model)))
                if share is not None:
                    raise UsageError(
                        f"--stop-when {self._rule}: EDR len is bounded by the cap of {self._settings.max_turns} for "
                        f"{100 * share:.0f} % of the sessions of {model} so far, so its interval is narrow whatever "
                        "the model can do; leave the rule out, or use exhaustion_rate=0.005"
                    )

    def _share_at_cap(self, sessions: Sequence[Session]) -> float | None:
        """The share of counted sessions at the cap if the rule is on EDR len and the cap bounds it; else None."""
        counted = sum(session.ending in ("finished", "censored") for session in sessions)
        at_cap = sessions_at_cap(sessions, self._settings.max_turns)
        if self._rule.metric != BOUNDED or not is_saturated(at_cap, counted):
            return None
        return at_cap / counted

    def _count_earlier(self) -> None:
        with closing(RunStore.open(self._root)) as store:
            for model in self._settings.models:
                for dialogue, epoch in store.ended(model):
                    if dialogue in self._batch_of and epoch <= self._settings.epochs:
                        self._left[self._batch_of[dialogue]] -= 1
        self._check()

    def _check(self) -> None:
        """Check each complete prefix, shortest first, except the whole run, when nothing is left to stop."""
        while self._prefix is None and self._checked < len(self._left) - 1 and self._left[self._checked] == 0:
            self._checked += 1
            prefix = frozenset(self._settings.dialogues[: self._checked * BATCH])
            with closing(load_run(self._root)) as run:
                if all(self._is_narrow(run, model, prefix) for model in self._settings.models):
                    self._prefix = prefix
                    run.store.note_early_end(EarlyEnd(str(self._rule), tuple(sorted(prefix)), BATCH))

    def _is_narrow(self, run: Run, model: str, prefix: Iterable[int]) -> bool:
        sessions = [s for s in run.sessions(model) if s.dialogue in prefix and s.epoch <= self._settings.epochs]
        if not self._was_applied and self._share_at_cap(sessions) is not None:
            return False
        rows = dialogue_rows(self._table, counted_sessions(sessions)).values()
        interval = intervals(self._table, rows, seed=self._seed)[self._rule.metric]
        return interval is not None and (interval[1] - interval[0]) / 2 < self._rule.half_width
