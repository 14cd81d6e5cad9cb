"""What a run of recorded dialogues gave for one model: its records, what was expected of it, and figures over both.

Each session counts as a dialogue of its own. Intervals draw the dialogues of the benchmark, with all their epochs.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property
from importlib.util import find_spec
from typing import Any, Final

from evolif.metrics import FEWEST
from evolif.scenario import ModelView
from evolif.scenarios.recorded.aggregation import (
    DEFAULT_AGGREGATION,
    Identifier,
    Record,
    aggregate,
    parse_aggregation,
    valid_score,
)
from evolif.scenarios.recorded.coverage import bounds, coverage
from evolif.scenarios.recorded.prompts import expected_dialog
from evolif.scenarios.recorded.recorded_runs import StoredDialogs
from evolif.scenarios.recorded.schema import Dialog
from evolif.scenarios.recorded.scoring import session_records
from evolif.scenarios.recorded.statistics import bootstrap_interval, paired_difference

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
        records: Those of sessions that came to their end, as every score here.
        apart: Those of sessions that a fault or a filter ended, or that are not over: they are in the coverage only.
        seed: Of the draws of intervals.
        resamples: How many draws.
    """

    head: str
    aggregation: str
    outlines: Mapping[int, Mapping[str, Any]] = field(repr=False)
    records: Sequence[Record] = field(repr=False)
    apart: Sequence[Record] = field(default=(), repr=False)
    seed: int = 0
    resamples: int = 1000

    @cached_property
    def dialogs(self) -> tuple[Dialog, ...]:
        """What was expected."""
        return tuple(expected_dialog(outline, number) for number, outline in self.outlines.items())

    @cached_property
    def coverage(self) -> dict[str, dict[str, int]]:
        """As `evolif.scenarios.recorded.coverage`."""
        return coverage(self.dialogs, [*self.records, *self.apart])

    @cached_property
    def figures(self) -> dict[str, Any]:
        """As `aggregate`, under the run's aggregation and by metric."""
        return aggregate(self.records, *parse_aggregation(self.aggregation), by_metric=True)

    @cached_property
    def valid(self) -> list[Record]:
        """The records with a score, without their labels: those take most of the time."""
        return [
            {key: record[key] for key in ("dialog_id", "turn_id", "score")}
            for record in self.records
            if valid_score(record) is not None
        ]

    @cached_property
    def under(self) -> Callable[[str], dict[str, Any]]:
        """A function from an aggregation to the figures of its `global`; empty without a valid record."""
        return cache(lambda name: dict(aggregate(self.valid, *parse_aggregation(name))["global"]))

    @cached_property
    def bounds(self) -> Callable[[str], tuple[float, float] | None]:
        """A function from an aggregation to its score if everything that is not in it were 0, and 1.

        None if nothing was expected.
        """
        return cache(lambda name: bounds(self.dialogs, self.records, *parse_aggregation(name)))

    @cached_property
    def score_interval(self) -> Callable[[str], tuple[float, float] | None]:
        """A function from an aggregation to the ends of its interval, as `interval`."""
        return cache(lambda name: self.interval(name, self.valid))

    @cached_property
    def lengths(self) -> frozenset[int]:
        """How many turns of a dialogue should have a score, over all dialogues that have such a turn."""
        counts = (sum(bool(names) for _, names, _ in outline["turns"]) for outline in self.outlines.values())
        return frozenset(filter(None, counts))

    @cached_property
    def unscored(self) -> dict[str, int]:
        """What no metric scores: `turns` of `evaluated_turns`, and `dialogues` of which that holds for every turn."""
        names = [[bool(own) for _, own, _ in outline["turns"]] for outline in self.outlines.values()]
        return {
            "turns": sum(own.count(False) for own in names),
            "evaluated_turns": sum(map(len, names)),
            "dialogues": sum(bool(own) and not any(own) for own in names),
        }

    def lacking(self, aggregation: str) -> int | None:
        """How many dialogues or turns a score would be over if everything had a metric; None if everything has."""
        if not self.unscored["turns"]:
            return None
        by_turn = parse_aggregation(aggregation)[2] == "turn"
        return (
            self.unscored["evaluated_turns"] if by_turn else sum(bool(one["turns"]) for one in self.outlines.values())
        )

    def interval(self, aggregation: str, records: Sequence[Record]) -> tuple[float, float] | None:
        """The ends of the 95 % interval of a score.

        Args:
            aggregation: Its name.
            records: All that it is from: some of the model's records.

        Returns:
            None with fewer than six dialogues, or without NumPy.
        """
        scored = {dialogue_of(record["dialog_id"]) for record in records if valid_score(record) is not None}
        if len(scored) < FEWEST or not has_intervals():
            return None
        turn_stat, dialog_stat, level = parse_aggregation(aggregation)
        found = bootstrap_interval(
            records,
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
            self.valid,
            other.valid,
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


def results_of(model: ModelView, head: str = "") -> ModelResults:
    """The results of a model in its run.

    Args:
        model: Of a report.
        head: Its name in tables; its own if empty.
    """
    analysis = model.of
    early, settings = analysis.early_end, analysis.settings
    dialogues = settings.dialogues if early is None else sorted(early.dialogues)
    sessions = {(session.dialogue, session.epoch): session for session in model.sessions}
    stored = StoredDialogs(analysis.run)
    outlines: dict[int, Mapping[str, Any]] = {}
    records: list[dict[str, Any]] = []
    apart: list[dict[str, Any]] = []
    for dialogue in (one for one in dialogues if one in stored):
        outline = stored.outline(dialogue)
        for epoch in range(1, settings.epochs + 1):
            number, session = session_id(dialogue, epoch), sessions.get((dialogue, epoch))
            outlines[number] = outline
            if session is not None:
                own = session_records(outline, session, number)
                (records if session.ending in ("finished", "censored") else apart).extend(own)
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
    """The same figures for machines: `aggregate`, `coverage`, `aggregations`, `by_metric`, `by_label`.

    Where turns have no metric, `unscored` counts them.
    """
    return {
        **({"unscored": one.unscored} if one.unscored["turns"] else {}),
        "aggregate": one.aggregation,
        "coverage": one.coverage,
        "aggregations": {name: _object(one, name) for name in dict.fromkeys((one.aggregation, *COMMON_AGGREGATIONS))},
        "by_metric": one.figures["by_metric"],
        "by_label": one.figures["by_label"],
    }


def _object(one: ModelResults, name: str) -> dict[str, Any]:
    low, high = one.score_interval(name) or (None, None)
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
