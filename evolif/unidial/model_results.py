"""What a run of recorded dialogues gave for one model: its records, what was expected of it, and figures over both.

Each session counts as a dialogue of its own. Intervals draw the dialogues of the benchmark, with all their epochs.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from importlib.util import find_spec
from typing import Any, Final

from evolif.metrics import FEWEST
from evolif.unidial.aggregation import (
    DEFAULT_AGGREGATION,
    Identifier,
    Record,
    aggregate,
    parse_aggregation,
    turn_scores,
)
from evolif.unidial.asking import expected_dialog
from evolif.unidial.coverage import bounds, coverage
from evolif.unidial.recorded_runs import StoredDialogs
from evolif.unidial.schema import Dialog
from evolif.unidial.scoring import session_records
from evolif.unidial.statistics import bootstrap_interval, paired_difference

COMMON_AGGREGATIONS: Final = ("mean-mean-turn", "mean-min-dialog", "min-min-dialog", "max-max-dialog")
"""Shown beside the run's own: from lenient to strict, one benchmark may give anything between 7 % and 95 %."""
_EPOCHS: Final = 1 << 20
"""More than a run can have; so an id says which dialogue and which epoch."""


def session_id(dialogue: int, epoch: int) -> int:
    """The `dialog_id` of a session, the same in every run."""
    return dialogue * _EPOCHS + epoch


def dialogue_of(identifier: Identifier) -> Identifier:
    """The dialogue whose session has that id; what an interval draws as a whole."""
    return identifier // _EPOCHS if isinstance(identifier, int) else identifier


@dataclass(frozen=True)
class ModelResults:
    """One model in one run.

    Attributes:
        head: Its name in tables.
        aggregation: That of its run, by which its score is computed.
        outlines: What is known of each session's dialogue, by the session's id (`outline_of`).
        records: All its records.
        apart: Its sessions that ended by a fault or a filter but have records; the headline leaves them out.
        seed: Of the draws of intervals.
        resamples: How many draws.
    """

    head: str
    aggregation: str
    outlines: Mapping[int, Mapping[str, Any]] = field(repr=False)
    records: Sequence[Record] = field(repr=False)
    apart: int = 0
    seed: int = 0
    resamples: int = 1000

    @cached_property
    def dialogs(self) -> tuple[Dialog, ...]:
        """What was expected."""
        return tuple(expected_dialog(outline, number) for number, outline in self.outlines.items())

    @cached_property
    def coverage(self) -> dict[str, dict[str, int]]:
        """As `evolif.unidial.coverage`."""
        return coverage(self.dialogs, self.records)

    @cached_property
    def figures(self) -> dict[str, Any]:
        """As `aggregate`, under the run's aggregation and by metric."""
        return aggregate(self.records, *parse_aggregation(self.aggregation), by_metric=True)

    def under(self, aggregation: str) -> dict[str, Any]:
        """The figures of `global` under another aggregation; empty without a valid record."""
        if aggregation == self.aggregation:
            return dict(self.figures["global"])
        return dict(aggregate(self.records, *parse_aggregation(aggregation))["global"])

    def bounds(self, aggregation: str) -> tuple[float, float] | None:
        """The score if everything that failed or is missing were 0, and 1; None if nothing was expected."""
        return bounds(self.dialogs, self.records, *parse_aggregation(aggregation))

    @cached_property
    def lengths(self) -> frozenset[int]:
        """How many turns of a dialogue should have a score, over all dialogues that have such a turn."""
        counts = (sum(bool(names) for _, names, _ in outline["turns"]) for outline in self.outlines.values())
        return frozenset(filter(None, counts))

    def interval(
        self, aggregation: str | None = None, records: Sequence[Record] | None = None
    ) -> tuple[float, float] | None:
        """The ends of the 95 % interval of a score.

        Args:
            aggregation: The run's own if None.
            records: Some of its records; all if None.

        Returns:
            None with fewer than six dialogues, or without NumPy.
        """
        own = self.records if records is None else records
        if not has_intervals() or len({dialogue_of(number) for number in turn_scores(own)}) < FEWEST:
            return None
        turn_stat, dialog_stat, level = parse_aggregation(aggregation or self.aggregation)
        found = bootstrap_interval(
            own,
            resamples=self.resamples,
            seed=self.seed,
            turn_stat=turn_stat,
            dialog_stat=dialog_stat,
            dataset_level=level,
            whole=dialogue_of,
        )
        return None if found is None else (found["lo"], found["hi"])

    def minus(self, other: ModelResults) -> dict[str, float] | None:
        """As `paired_difference`, under the run's aggregation; None without a dialogue that both have.

        Raises:
            UsageError: NumPy is not installed.
        """
        turn_stat, dialog_stat, level = parse_aggregation(self.aggregation)
        return paired_difference(
            self.records,
            other.records,
            resamples=self.resamples,
            seed=self.seed,
            turn_stat=turn_stat,
            dialog_stat=dialog_stat,
            dataset_level=level,
            whole=dialogue_of,
        )


def has_intervals() -> bool:
    """Whether NumPy, which intervals need, is installed."""
    return find_spec("numpy") is not None


def results_of(model: Any, head: str = "") -> ModelResults:
    """The results of a model in its run.

    Args:
        model: `evolif.report.ModelAnalysis`.
        head: Its name in tables; its own if empty.
    """
    analysis = model.of
    early, settings = analysis.early_end, analysis.settings
    dialogues = settings.dialogues if early is None else sorted(early.dialogues)
    sessions = {(session.dialogue, session.epoch): session for session in model.sessions}
    stored = StoredDialogs(analysis.run)
    outlines: dict[int, Mapping[str, Any]] = {}
    records: list[dict[str, Any]] = []
    apart = 0
    for dialogue in (one for one in dialogues if one in stored):
        outline = stored.outline(dialogue)
        for epoch in range(1, settings.epochs + 1):
            number, session = session_id(dialogue, epoch), sessions.get((dialogue, epoch))
            outlines[number] = outline
            if session is not None:
                records += session_records(outline, session, number)
                scored = any(score.value is not None for turn in session.turns for score in turn.scores)
                apart += scored and session.ending not in ("finished", "censored")
    return ModelResults(
        head or model.name,
        settings.options.get("aggregate", DEFAULT_AGGREGATION),
        outlines,
        records,
        apart,
        analysis.seed,
        analysis.resamples,
    )


def results_object(one: ModelResults) -> dict[str, Any]:
    """The same figures for machines: `aggregate`, `coverage`, `aggregations`, `by_metric`, `by_label`."""
    return {
        "aggregate": one.aggregation,
        "coverage": one.coverage,
        "aggregations": {name: _object(one, name) for name in dict.fromkeys((one.aggregation, *COMMON_AGGREGATIONS))},
        "by_metric": one.figures["by_metric"],
        "by_label": one.figures["by_label"],
    }


def _object(one: ModelResults, name: str) -> dict[str, Any]:
    low, high = one.interval(name) or (None, None)
    found = one.under(name)
    return {
        "value": found.get("mean"),
        "low": low,
        "high": high,
        "lowest": found.get("min"),
        "highest": found.get("max"),
        "count": found.get("count", 0),
        "bounds": one.bounds(name),
    }
