"""A run that ends as soon as its figures are sure enough, without favouring any result.

Looking at sessions as they end would favour the short ones. So the rule looks only at whole prefixes of the dialogues,
in their seeded order and in batches, of which every session of every model has ended: which prefix satisfies it is a
matter of the answers alone, whatever the order in which they came.
"""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from evolif.errors import UsageError
from evolif.metrics import METRIC_NAMES, bootstrap_intervals, records_from_sessions
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
from evolif.types import Usage

BATCH = 10
"""Dialogues by which a prefix grows."""


@dataclass(frozen=True, slots=True)
class Rule:
    """Every model's 95 % interval of a metric is narrower than ± a half-width, in the metric's own unit."""

    metric: str
    half_width: float

    def __str__(self) -> str:
        return f"{self.metric}={self.half_width:g}"


def parse_rule(text: str) -> Rule:
    """Read `rob=0.03`.

    Raises:
        UsageError: no metric, or no half-width above zero.
    """
    metric, _, width = text.partition("=")
    try:
        half_width = float(width)
    except ValueError:
        half_width = 0.0
    if metric.strip() not in METRIC_NAMES or not 0 < half_width < float("inf"):
        raise UsageError(
            "--stop-when takes a metric and the half-width of its interval, e.g. rob=0.03 for ± 3 points "
            f"(metrics: {', '.join(METRIC_NAMES)}; turns for edr_…, fractions for the others)"
        )
    return Rule(metric.strip(), half_width)


class StopRule:
    """Implements `Gate` and is an observer of the run.

    Args:
        rule: When to stop.
        settings: The run's.
        root: Its folder; what ended there before counts.
        seed: Of the bootstrap.
    """

    def __init__(self, rule: Rule, settings: RunSettings, root: Path, seed: int = 0) -> None:
        self._rule = rule
        self._settings = settings
        self._root = root
        self._seed = seed
        self._batch_of = {dialogue: i // BATCH for i, dialogue in enumerate(settings.dialogues)}
        per_dialogue = len(settings.models) * settings.epochs
        self._left = [0] * (1 + max(self._batch_of.values()))
        for batch in self._batch_of.values():
            self._left[batch] += per_dialogue
        self._whole = 0
        """Batches looked at."""
        self._prefix: frozenset[int] | None = None
        self._stop = Deny(STOP_RULE, f"the rule {rule} is satisfied by the dialogues before")
        if RunStore.begun(root):
            self._take_up()

    @property
    def prefix(self) -> int | None:
        """Dialogues that satisfied the rule; None while it is not satisfied."""
        return None if self._prefix is None else len(self._prefix)

    def said(self) -> str:
        """A sentence: what the rule came to."""
        whole = f"{len(self._settings.dialogues)} dialogues"
        if self._prefix is None:
            return f"Rule {self._rule}: not satisfied before the end, so that the run was not ended early ({whole})."
        return (
            f"Rule {self._rule}: satisfied by the first {len(self._prefix)} of {whole}, and the run ended early; the "
            "figures are of those alone."
        )

    def __call__(self, event: Event) -> None:
        """Note what ended, and look when a batch is whole."""
        if isinstance(event, SessionEnded) and event.ending in _ENDED and event.cause not in _CUT:
            self._count(event.key.dialogue)
            self._look()

    def ask(self, call: PlannedCall) -> Deny | None:
        """Stops whatever lies beyond the prefix; an answer that is paid is still judged."""
        if self._prefix is None or call.role == "judge" or call.key is None or call.key.dialogue in self._prefix:
            return None
        return self._stop

    def tell(self, call: PlannedCall, usage: Usage | None) -> None:
        """Looks at nothing."""

    def _take_up(self) -> None:
        with closing(RunStore.open(self._root)) as store:
            for model in self._settings.models:
                for dialogue, epoch in store.ended(model):
                    if dialogue in self._batch_of and epoch <= self._settings.epochs:
                        self._count(dialogue)
        self._look()

    def _count(self, dialogue: int) -> None:
        self._left[self._batch_of[dialogue]] -= 1

    def _look(self) -> None:
        """Look at each prefix that has become whole, the shortest first; the whole run is none to stop for."""
        while self._prefix is None and self._whole < len(self._left) - 1 and self._left[self._whole] == 0:
            self._whole += 1
            prefix = frozenset(self._settings.dialogues[: self._whole * BATCH])
            with closing(load_run(self._root)) as run:
                if all(self._is_narrow(run, model, prefix) for model in self._settings.models):
                    self._prefix = prefix
                    run.store.note_early_end(EarlyEnd(str(self._rule), tuple(sorted(prefix)), BATCH))

    def _is_narrow(self, run: Run, model: str, prefix: Iterable[int]) -> bool:
        sessions = [s for s in run.sessions(model) if s.dialogue in prefix and s.epoch <= self._settings.epochs]
        records = records_from_sessions(sessions).records
        interval = bootstrap_intervals(records, seed=self._seed)[self._rule.metric]
        return interval is not None and (interval[1] - interval[0]) / 2 < self._rule.half_width


_ENDED = frozenset({"finished", "censored", "withheld"})
_CUT = frozenset({STOP_RULE, "budget"})
