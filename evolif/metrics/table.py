"""What figures are made of: a table of terms per session, and the keys by which they are broken down; their values."""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Callable, Collection, Hashable, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Literal, NamedTuple, TypeAlias

from evolif.errors import UsageError
from evolif.metrics.cells import Key
from evolif.metrics.intervals import event_interval, ratio_interval
from evolif.metrics.statistics import Interval, check_draws
from evolif.metrics.terms import first_label, terms_of_stored
from evolif.types import DEFAULT_RESAMPLES, JudgedTurn, Label, Prompt, Session, Verdict
from evolif.util.suggestions import did_you_mean

UNKNOWN = "unknown"
"""The key of turns whose label is missing or empty, as in old or foreign runs."""
Unit: TypeAlias = Literal["rate", "turns", "count"]
"""A fraction shown in per cent; a number of turns; any other number."""
Row: TypeAlias = tuple[float, ...]
"""Terms of a session, or sums of them, in the order of their table."""

_LARGEST = 1e50
"""The largest term: sums and squares of such terms, and of ratios of them, are numbers still."""
_NAME = re.compile(r"[a-z][a-z0-9_]{0,39}")


class PlainName(NamedTuple):
    """What an abbreviation stands for, in the reader's words."""

    full: str
    """Where there is room, as on the page: `turns with everything satisfied`."""
    short: str
    """Of at most 16 characters, for the first column of a table on a terminal: `good turns`."""


@dataclass(frozen=True, slots=True)
class Metric:
    """A metric as reports name it."""

    name: str
    label: str
    unit: Unit
    small: bool = False
    """Whether it is a rate that may be far below one per cent, and needs decimals."""
    meaning: str = ""
    """What it is, in plain words; empty if its table does not say."""
    plain: PlainName | None = None
    """Its name in the reader's words, where `label` is an abbreviation; None if the label is plain."""

    @property
    def head(self) -> str:
        """Its label in a table, with the sign of a rate."""
        return f"{self.label} %" if self.unit == "rate" else self.label

    @property
    def title(self) -> str:
        """Its name in plain words with the abbreviation behind it, such as `requirements satisfied (CSR)`."""
        return self.label if self.plain is None else f"{self.plain.full} ({self.label})"


@dataclass(frozen=True, slots=True, eq=False)
class MetricTable:
    """Figures as ratios of sums: each session adds its terms, and a metric divides one sum by another.

    Intervals, ranks, comparisons and stop rules read this table and nothing else, so a scenario's own figures get all
    of them.

    Raises:
        UsageError: a metric without a proper name, of a term that does not exist, or an unknown headline.
    """

    terms: tuple[str, ...]
    """The names of the terms."""
    of: Callable[[Session], tuple[float, ...]]
    """What one session adds to the sums, in the order of `terms`; a denominator is at least 0."""
    ratios: Mapping[str, tuple[str, str]]
    """Metric to the terms of its numerator and denominator."""
    labels: Mapping[str, str] = field(default_factory=dict)
    """Metric to its name in tables, without a unit; the metric itself if it has none."""
    units: Mapping[str, Unit] = field(default_factory=dict)
    """`rate` unless said otherwise."""
    meanings: Mapping[str, str] = field(default_factory=dict)
    """Metric to what it is, in a few plain words; reports show them under the names."""
    headline: str = ""
    """The metric that models are ranked by; the first if empty."""
    beside: Set[str] = frozenset()
    """Metrics that are shown beside the others: without a panel of their own, and not in Holm's correction."""
    events: Set[str] = frozenset()
    """Metrics that count events over turns: small rates, whose intervals are those of a Poisson count."""
    lower: Set[str] = frozenset()
    """Metrics of which less is better; a ranking by them starts with the smallest."""

    bounded: tuple[str, ...] = ()
    """Means over sessions that the sessions which end early decide, once most reach the cap; the length comes first."""
    scored_in_both: bool = False
    """Whether a comparison leaves out dialogues in which one side has no denominator of the main metric."""
    optional: Set[str] = frozenset()
    """Metrics that only some benchmarks have; reports on a run without any of their denominators leave them out."""
    cluster: str = ""
    """The label of turns by whose value dialogues belong together, such as the instance of a game: what is resampled,
    tested and counted as one. The dialogue itself if empty."""
    joint: Callable[[Sequence[Session]], Sequence[Row]] | None = None
    """What each of some sessions adds, where that depends on the others; `of` says it of one alone."""
    influence: Mapping[str, Callable[[Sequence[Sequence[Session]]], Sequence[float] | None]] = field(
        default_factory=dict
    )
    """Metric to the jackknife over clusters of sessions where the rows do not tell; None where they do."""
    plain: Mapping[str, PlainName] = field(default_factory=dict)
    """Metric to its name in the reader's words, where its label is an abbreviation; reports put that behind it."""
    kept: str = ""
    """Under which name a run keeps each session's terms when it ends, with an edition that changes whenever `of` does,
    such as `games/1`; `of` must depend on the turns and the end alone then. Empty: they are worked out from the turns
    whenever they are read."""
    is_checked: bool = False
    """Whether `of` and `joint` are known to give sound terms, all of them floats, so that rows need no check."""

    def __post_init__(self) -> None:
        wrong = [name for name in self.ratios if not _NAME.fullmatch(name)]
        missing = {term for ends in self.ratios.values() for term in ends} - set(self.terms)
        if not self.ratios or wrong:
            raise UsageError(
                f"a metric needs a name of lowercase letters, digits and _, not {', '.join(wrong) or 'none'}"
            )
        if missing:
            raise UsageError(f"metrics are made of terms that their table does not have: {', '.join(sorted(missing))}")
        if self.main not in self.ratios:
            raise UsageError(f"the headline “{self.headline}” is none of the table's metrics: {', '.join(self.ratios)}")

    @property
    def main(self) -> str:
        """The metric that models are ranked by."""
        return self.headline or next(iter(self.ratios))

    def metric(self, name: str) -> Metric:
        """A metric with its label and unit."""
        label, unit = self.labels.get(name, name), self.units.get(name, "rate")
        return Metric(name, label, unit, name in self.events, self.meanings.get(name, ""), self.plain.get(name))

    def places(self, name: str) -> tuple[int, int]:
        """Where the numerator and the denominator of a metric are in a row.

        Raises:
            UsageError: the table has no such metric.
        """
        if name not in self.ratios:
            raise UsageError(f"unknown metric “{name}”{did_you_mean(name, self.ratios)}; use {', '.join(self.ratios)}")
        top, bottom = self.ratios[name]
        return self.terms.index(top), self.terms.index(bottom)

    def counts(self, row: Row) -> bool:
        """Whether a row has something to divide by in the main metric."""
        return row[self.places(self.main)[1]] > 0

    def row(self, session: Session) -> Row:
        """What a session adds to the sums.

        Raises:
            UsageError: `of` gives another number of terms, a term that is no finite number or beyond all measure, or a
                negative denominator.
        """
        known = terms_of_stored(session) if self.kept else None
        row = None if known is None else known.rows.get(self.kept)
        if row is not None and len(row) == len(self.terms):
            return row
        try:
            row = tuple(self.of(session))
        except Exception as fault:
            raise _not_worked_out(session, fault) from fault
        return row if self.is_checked else self._checked(session, row)

    def rows(self, sessions: Sequence[Session]) -> list[Row]:
        """What each of some sessions adds to the sums, in their order.

        Raises:
            UsageError: as `row`.
        """
        if self.joint is None:
            return [self.row(session) for session in sessions]
        if self.is_checked:
            return list(self.joint(sessions))
        return [self._checked(session, tuple(row)) for session, row in zip(sessions, self.joint(sessions), strict=True)]

    def _checked(self, session: Session, row: Row) -> Row:
        try:
            finite = all(math.isfinite(term) and abs(term) <= _LARGEST for term in row)
        except Exception as fault:  # a term of any kind, of any size
            raise _not_worked_out(session, fault) from fault
        if len(row) != len(self.terms) or not finite:
            raise UsageError(
                f"dialogue {session.dialogue}: the figures of the scenario need {len(self.terms)} finite numbers "
                f"({', '.join(self.terms)}) of at most {_LARGEST:g}; correct its metric table"
            )
        bottoms = [row[self.terms.index(bottom)] for _, bottom in self.ratios.values()]
        if any(bottom < 0 for bottom in bottoms):
            raise UsageError(f"dialogue {session.dialogue}: a denominator of the scenario's metrics is below 0")
        if any(0 < bottom < 1 / _LARGEST for bottom in bottoms):
            raise UsageError(
                f"dialogue {session.dialogue}: a denominator of the scenario's metrics is below {1 / _LARGEST:g}, but "
                "not 0"
            )
        return row

    def value(self, sums: Row, name: str) -> float | None:
        """A metric, from sums; None if its denominator is 0."""
        top, bottom = self.places(name)
        return sums[top] / sums[bottom] if sums[bottom] else None

    def fitting(self, sessions: Iterable[Session]) -> MetricTable:
        """The table without the optional metrics of which no session has a denominator.

        Args:
            sessions: Those that count, as `counted_sessions` gives them.

        Returns:
            The same object for the same metrics.
        """
        if not self.optional:
            return self
        sums = self.total(self.rows(tuple(sessions)))
        return _only(self, tuple(n for n in self.ratios if n not in self.optional or sums[self.places(n)[1]]))

    def total(self, rows: Iterable[Row]) -> Row:
        """The sums over rows, each rounded once: the order of the rows does not matter."""
        return tuple(map(math.fsum, zip(*rows, strict=True))) or (0.0,) * len(self.terms)


def _not_worked_out(session: Session, fault: Exception) -> UsageError:
    return UsageError(
        f"dialogue {session.dialogue}: the figures of the scenario cannot be worked out "
        f"({type(fault).__name__}: {fault}); correct its metric table"
    )


@lru_cache(maxsize=64)
def clustered(table: MetricTable, label: str) -> MetricTable:
    """The table with another cluster; the same object for the same label, since reports tell tables apart by identity.

    Args:
        table: Any.
        label: Of turns; empty for the dialogue.
    """
    return table if table.cluster == label else replace(table, cluster=label)


@lru_cache(maxsize=64)
def named(table: MetricTable, name: str, label: str) -> MetricTable:
    """The table with another label of one metric, such as ISR@50; the same object for the same label.

    Args:
        table: Any.
        name: One of its metrics.
        label: As tables print it; the table's own if empty.
    """
    return replace(table, labels={**table.labels, name: label}) if label else table


@lru_cache(maxsize=64)
def _only(table: MetricTable, names: tuple[str, ...]) -> MetricTable:
    # Cached, since reports tell tables apart by identity.
    if len(names) == len(table.ratios):
        return table
    return replace(table, ratios={name: table.ratios[name] for name in names})


def described(tables: Iterable[MetricTable]) -> dict[str, Metric]:
    """The metrics of some tables by name, in their order."""
    return {name: table.metric(name) for table in tables for name in table.ratios}


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
    """What the table shows; empty if reports have it in JSON only."""
    label: str = ""
    """The prompt's label that is the key; `name` if empty."""
    split: Split | None = None
    """Instead of a label: a key of its own."""
    kind: bool = False
    """Whether whole dialogues are classified by it too: by the key of most of their turns."""
    edition: int = 0
    """Of `split`, for breakdowns whose parts a run keeps with each session when it ends; increase it with every change.
    0: its parts are worked out from the turns whenever they are read."""

    @property
    def kept(self) -> str:
        """Under which name its parts are kept; empty if they are not."""
        if self.split is not None:
            return f"{self.name}/{self.edition}" if self.edition else ""
        return f"label {self.label or self.name}"

    def parts(self, turn: JudgedTurn, prompt: Prompt | None) -> Iterable[tuple[Key, Sequence[Verdict]]]:
        """The parts of a turn; where the label is missing or empty, the key is `UNKNOWN`."""
        if self.split is not None:
            return self.split(turn, prompt)
        label = self.label or self.name
        key = turn.labels.get(label, "")
        if key == "" and prompt is not None:
            key = prompt.labels.get(label, "")
        return ((UNKNOWN if key == "" else key, turn.verdicts),)


@dataclass(frozen=True, slots=True)
class Figures:
    """The metrics of some sessions, over one or more tables.

    Attributes:
        values: Metric to its value; None if undefined.
        dialogues: Sessions counted (with several epochs, each counts).
        left_out: Metric to the sessions without a denominator of their own; only metrics that have such sessions.
    """

    values: Mapping[str, float | None]
    dialogues: int
    left_out: Mapping[str, int]

    def __repr__(self) -> str:
        """Its first values; `by_name()` has all."""
        shown = [f"{name} {'–' if value is None else f'{value:.3g}'}" for name, value in self.values.items()]
        more = f", and {len(shown) - 4} more" if len(shown) > 4 else ""
        return f"<Figures: {self.dialogues} sessions, {', '.join(shown[:4])}{more}>"

    def value(self, metric: str) -> float | None:
        """The metric of that name; None if it is undefined, or of none of the tables."""
        return self.values.get(metric)

    def by_name(self) -> dict[str, float | None]:
        """All metrics, in the order of the tables."""
        return dict(self.values)

    def __getattr__(self, name: str) -> float | None:
        """A metric as an attribute, such as `figures.rob`; `figures.rec_left_out` is its number of `left_out`.

        Raises:
            AttributeError: none of the tables has it.
        """
        if name not in Figures.__slots__:  # while it is copied, a slot may be empty
            if name in self.values:
                return self.values[name]
            metric = name.removesuffix("_left_out")
            if metric != name and metric in self.values:
                return self.left_out.get(metric, 0)
        raise AttributeError(f"there is no metric “{name}” here")


@dataclass(frozen=True, slots=True)
class MetricFigures:
    """The metrics of some sessions, each with its 95 % interval as `intervals` gives it (None: not defined)."""

    metrics: Figures
    intervals: Mapping[str, Interval | None]


Cluster: TypeAlias = Hashable
"""What names a cluster: the number of a dialogue, or a label's value with its name."""


def clusters_of(label: str, sessions: Iterable[Session]) -> dict[int, Cluster]:
    """Dialogue to the cluster that it belongs to.

    Args:
        label: Of turns, as `MetricTable.cluster`; empty for the dialogue itself.
        sessions: Of one or more models. A dialogue of which no session has a turn with the label is its own cluster.
    """
    found: dict[int, Cluster] = {}
    for session in sessions:
        known = label and _label_of(session, label)
        if known != "":
            found[session.dialogue] = (label, known)
        else:
            found.setdefault(session.dialogue, session.dialogue)
    return found


def _label_of(session: Session, label: str) -> Label:
    stored = terms_of_stored(session)
    known = None if stored is None else stored.clusters.get(label)
    return first_label(session.turns, label) if known is None else known


def cluster_rows(
    table: MetricTable, sessions: Iterable[Session], clusters: Mapping[int, Cluster] | None = None
) -> dict[Cluster, Row]:
    """Cluster to the sums of all its sessions: of all epochs of a dialogue, of all variants of a match.

    Args:
        table: What is summed.
        sessions: Of one model, those that count, as `counted_sessions` gives them.
        clusters: Dialogue to its cluster, where more sessions than these know it; as `clusters_of` finds it if None.

    Raises:
        UsageError: as `MetricTable.row`.
    """
    given = tuple(sessions)
    known = clusters_of(table.cluster, given) if clusters is None else clusters
    return summed_rows(table, zip((known[s.dialogue] for s in given), table.rows(given), strict=True))


def grouped(
    sessions: Iterable[Session], clusters: Mapping[int, Cluster], order: Iterable[Cluster]
) -> list[list[Session]]:
    """The sessions of each cluster, in an order of clusters.

    Args:
        sessions: Of one model.
        clusters: Dialogue to its cluster.
        order: All clusters.
    """
    groups: dict[Cluster, list[Session]] = {cluster: [] for cluster in order}
    for session in sessions:
        groups[clusters[session.dialogue]].append(session)
    return list(groups.values())


def summed_rows(table: MetricTable, rows: Iterable[tuple[Cluster, Row]]) -> dict[Cluster, Row]:
    """Cluster to the sums of its rows."""
    by_cluster: defaultdict[Cluster, list[Row]] = defaultdict(list)
    for cluster, row in rows:
        by_cluster[cluster].append(row)
    # The sum of one row is that row; most clusters have no more.
    one = (lambda row: row) if table.is_checked else _as_sum
    return {cluster: table.total(own) if len(own) > 1 else one(own[0]) for cluster, own in by_cluster.items()}


def _as_sum(row: Row) -> Row:
    return tuple([0.0 + term for term in row])


def figures(tables: Sequence[MetricTable], sessions: Sequence[Session]) -> Figures:
    """The metrics of some sessions, without intervals.

    Args:
        tables: Of the run.
        sessions: Those that count, as `counted_sessions` gives them.
    """
    values: dict[str, float | None] = {}
    left_out: dict[str, int] = {}
    for table in tables:
        rows = table.rows(sessions)
        sums = table.total(rows)
        for name in table.ratios:
            bottom = table.places(name)[1]
            values[name] = table.value(sums, name)
            if missing := sum(not row[bottom] for row in rows):
                left_out[name] = missing
    return Figures(values, len(sessions), left_out)


def figures_with_intervals(
    tables: Sequence[MetricTable],
    sessions: Sequence[Session],
    *,
    cap: int | None = None,
    seed: int = 0,
    resamples: int = DEFAULT_RESAMPLES,
) -> MetricFigures:
    """The metrics of some sessions with their intervals.

    Args:
        tables: Of the run.
        sessions: Those that count, as `counted_sessions` gives them.
        cap: Of the run, in turns; None if unknown.
        seed: Of the draws; at least 0.
        resamples: How many; at least 1.
    """
    found: dict[str, Interval | None] = {}
    for table in tables:
        rows = cluster_rows(table, sessions).values()
        found |= intervals(table, rows, cap=cap, seed=seed, resamples=resamples)
    return MetricFigures(figures(tables, sessions), found)


def intervals(
    table: MetricTable,
    rows: Collection[Row],
    *,
    cap: int | None = None,
    seed: int = 0,
    resamples: int = DEFAULT_RESAMPLES,
) -> dict[str, Interval | None]:
    """A 95 % interval per metric, over clusters (the sampling unit), never over turns; see `ratio_interval`.

    The same rows in any order give the same intervals. Metrics of events have the interval of a count instead, see
    `event_interval`.

    Args:
        table: What the rows are.
        rows: One per cluster, all its sessions summed: they are not independent.
        cap: The most turns that a session can have; None if unknown.
        seed: Of the draws that are needed where most sessions reach the cap; at least 0.
        resamples: How many; at least 1.

    Returns:
        Metric to (low, high), in the metric's own unit; None if fewer than six clusters contribute.

    Raises:
        UsageError: `seed` or `resamples` out of range.
    """
    check_draws(seed, resamples)
    # Sorted by value, so that the order in which sessions ended does not matter.
    columns = list(zip(*sorted(rows), strict=True)) or [()] * len(table.terms)
    at_cap = _most_are_longest(table, columns)
    found: dict[str, Interval | None] = {}
    for name in table.ratios:
        top, bottom = (columns[place] for place in table.places(name))
        unit = table.units.get(name, "rate")
        if name in table.events:
            found[name] = event_interval(top, bottom)
        else:
            found[name] = ratio_interval(
                top,
                bottom,
                rate=unit == "rate",
                most=cap if unit == "turns" else None,
                at_cap=at_cap and name in table.bounded,
                draws=(seed, resamples),
            )
    return found


def _most_are_longest(table: MetricTable, columns: Sequence[Sequence[float]]) -> bool:
    """Whether more than half of the dialogues have the largest length of all: the cap, as far as one can see."""
    if not table.bounded:
        return False
    top, bottom = (columns[place] for place in table.places(table.bounded[0]))
    lengths = [above / below for above, below in zip(top, bottom, strict=True) if below > 0]
    longest = max(lengths, default=0.0)
    return sum(length >= longest for length in lengths) > len(lengths) / 2
