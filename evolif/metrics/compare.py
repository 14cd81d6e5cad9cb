"""Compare two models, or two runs of one model, paired by dialogue."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache

from evolif.metrics.feedback import scripted
from evolif.metrics.pairs import has_enough, influence_of, pair_test
from evolif.metrics.power import PowerPlan, effect_size, plan
from evolif.metrics.process import AT_N, PROCESS, course_of, session_record
from evolif.metrics.sessions import capped, counted_sessions, of_one_model
from evolif.metrics.statistics import Interval
from evolif.metrics.table import MetricTable, PlainName, Row, cluster_rows, clustered, clusters_of, grouped
from evolif.metrics.terms import SessionTerms, StoredTurns, outcomes_of, terms_of_stored
from evolif.types import JudgedTurn, Session


@dataclass(frozen=True, slots=True)
class Difference:
    """One metric of two models over their shared dialogues.

    Attributes:
        a: The metric of the first, over the shared dialogues; None if undefined.
        b: Of the second.
        value: a - b, in the metric's unit; None if either is None.
        interval: 95 %, of the test behind `p`; None where there is no p.
        p: Two-sided, see `pair_test`; None if fewer than six clusters contribute to either.
        p_holm: Of the main metric of the first table p as it counts, where no other pair is compared. None for all
            others, which are not corrected.
        effect: d_z, mean / standard deviation of the paired differences of the clusters' own values; None if fewer
            than two have both, or all differ equally.
        plan: How many clusters would tell the two apart, and what pairing gains.
    """

    a: float | None
    b: float | None
    value: float | None
    interval: Interval | None
    p: float | None
    p_holm: float | None
    effect: float | None
    plan: PowerPlan

    @property
    def dialogues_needed(self) -> int | None:
        """Clusters that would tell the two apart, in this metric alone."""
        return None if self.plan.needed is None else self.plan.needed.dialogues


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two models side by side.

    Attributes:
        differences: Per metric, in the order of the tables.
        dialogues: Shared dialogues, on which all figures here are based.
        left_out: Reason to number of dialogues left out, only for reasons that occur: `only in the first`,
            `only in the second`, `not counted in the first` (suspended, withheld or running there),
            `not counted in the second`, `not counted in either`, `not scored in both`.
        beside: The same as `differences` for figures beside the metrics.
        clusters: What was tested: dialogues, or what the scenario takes together.
        shared: ISR on the turns that both were asked; None without patience.
        early: Sessions of both that ended before turn N; None without ISR@N.
        cap: N of ISR@N, where it is the same in all dialogues.
    """

    differences: Mapping[str, Difference]
    dialogues: int
    left_out: Mapping[str, int]
    beside: Mapping[str, Difference] = field(default_factory=dict)
    clusters: int = 0
    shared: Difference | None = None
    early: int | None = None
    cap: int | None = None

    def difference(self, metric: str) -> Difference:
        """The difference of a metric, also of one beside the others."""
        return self.differences[metric] if metric in self.differences else self.beside[metric]


def compare(a: Iterable[Session], b: Iterable[Session], *, tables: Sequence[MetricTable] = (PROCESS,)) -> Comparison:
    """The differences a - b of all metrics, over the dialogues that both have counted sessions of.

    The caller makes sure that the two may be compared (same cap, patience, judge and benchmark).

    Args:
        a: Sessions of one model; finished and censored ones count.
        b: Sessions of the other, or of the same in another run.
        tables: Of both runs; at least one. The first says what is tested as one (`MetricTable.cluster`).

    Raises:
        UsageError: SciPy (extra `report`) is not installed; several models on one side.
    """
    first, second = of_one_model(a), of_one_model(b)
    counted = capped(counted_sessions(first), counted_sessions(second))
    in_a, in_b = ({session.dialogue for session in own} for own in counted)
    unscored = _unscored(tables, counted)
    shared = (in_a & in_b) - unscored
    one, other = (tuple(s for s in own if s.dialogue in shared) for own in counted)
    sides = Sides(one, other, tables[0].cluster)
    lead = tables[0].main
    of = {name: table for table in tables for name in table.ratios}
    beside = {name for table in tables for name in table.ratios if name in table.beside}
    differences, others = (
        Differences(sides, {name: table for name, table in of.items() if (name in beside) is is_beside}, lead)
        for is_beside in (False, True)
    )
    (others if lead in beside else differences)[lead]  # whoever compares is told here that SciPy is not installed
    patient = any(AT_N in table.ratios for table in tables)
    courses = [course_of(session_record(session)) for own in (sides.a, sides.b) for session in own]
    caps = {course.requests for course in courses}
    return Comparison(
        differences=differences,
        dialogues=len(shared),
        left_out=_left_out(first, second, in_a, in_b, len(in_a & in_b & unscored)),
        beside=others,
        clusters=len(sides.clusters),
        shared=_difference(sides.on_shared_turns(), SHARED_TURNS, "isr") if patient else None,
        early=sum(len(one.good) < one.requests and not one.cut for one in courses) if patient else None,
        cap=caps.pop() if patient and len(caps) == 1 else None,
    )


class Differences(Mapping[str, "Difference"]):
    """Metric to its difference, worked out when somebody asks for it: most readers want one of a dozen.

    Args:
        sides: The sessions of both.
        tables: Metric to its table, in order.
        lead: The main metric of the first table.
    """

    def __init__(self, sides: Sides, tables: Mapping[str, MetricTable], lead: str) -> None:
        self._sides, self._tables, self._lead = sides, tables, lead
        self._found: dict[str, Difference] = {}

    def __getitem__(self, name: str) -> Difference:
        if name not in self._found:
            found = _difference(self._sides, self._tables[name], name)
            self._found[name] = replace(found, p_holm=found.p) if name == self._lead else found
        return self._found[name]

    def __contains__(self, name: object) -> bool:
        return name in self._tables

    def __iter__(self) -> Iterator[str]:
        return iter(self._tables)

    def __len__(self) -> int:
        return len(self._tables)

    def __repr__(self) -> str:
        return repr(dict(self))

    def __or__(self, other: Mapping[str, Difference]) -> dict[str, Difference]:
        return {**self, **other}

    def __reduce__(self) -> tuple[type, tuple[dict[str, Difference]]]:
        return dict, (dict(self),)


class Sides:
    """The sessions of two models over the same dialogues, by what is tested as one.

    Args:
        a: Of the first, those that count.
        b: Of the second.
        label: What says which dialogues are tested together, see `MetricTable.cluster`.
    """

    def __init__(self, a: Sequence[Session], b: Sequence[Session], label: str) -> None:
        self.a, self.b, self._label = a, b, label
        self._of = clusters_of(label, (*a, *b))
        self.clusters = list(dict.fromkeys(self._of[dialogue] for dialogue in sorted(self._of)))
        self.groups = [grouped(side, self._of, self.clusters) for side in (a, b)]
        """The sessions of both, per cluster."""
        self.rows = cache(self._rows_of)
        """The terms of both by a table, per cluster."""

    def _rows_of(self, table: MetricTable) -> tuple[list[Row], list[Row]]:
        own = clustered(table, self._label)
        nothing = (0.0,) * len(table.terms)
        first, second = (cluster_rows(own, side, self._of) for side in (self.a, self.b))
        return [first.get(c, nothing) for c in self.clusters], [second.get(c, nothing) for c in self.clusters]

    @property
    def most(self) -> float | None:
        """The largest length of a session; None if unknown."""
        return max((float(s.cap) for s in (*self.a, *self.b) if s.cap is not None), default=None)

    def on_shared_turns(self) -> Sides:
        """The same with the turns alone that both were asked: of each dialogue, in the same epoch, without repairs."""
        known = [terms_of_stored(session) for session in (*self.a, *self.b)]
        if all(terms is not None and terms.is_plain for terms in known):
            return self._on_first_turns()
        planned = [[(s, scripted(s.turns)) for s in own] for own in (self.a, self.b)]
        asked = [{(s.dialogue, s.epoch, number) for s, turns in own for number, _ in turns} for own in planned]
        both = asked[0] & asked[1]
        one, other = (
            tuple(
                replace(s, turns=tuple(turn for number, turn in turns if (s.dialogue, s.epoch, number) in both))
                for s, turns in own
            )
            for own in planned
        )
        return Sides(one, other, self._label)

    def _on_first_turns(self) -> Sides:
        """The same where turns are numbered one after the other: those are shared that the shorter session has."""
        lengths = [{(s.dialogue, s.epoch): len(s.turns) for s in own} for own in (self.a, self.b)]
        one, other = (
            tuple(replace(s, turns=_FirstTurns(s.turns, yours.get((s.dialogue, s.epoch), 0))) for s in own)
            for own, yours in zip((self.a, self.b), reversed(lengths), strict=True)
        )
        return Sides(one, other, self._label)


class _FirstTurns(StoredTurns):
    """The first turns of a stored session whose turns are numbered one after the other.

    Args:
        turns: All of them.
        most: How many at most.
    """

    __slots__ = ()

    def __init__(self, turns: Sequence[JudgedTurn], most: int) -> None:
        assert isinstance(turns, StoredTurns)
        own = turns.terms
        kept = min(most, own.turns)
        terms = SessionTerms(own.outcomes[:kept], turns=kept, is_plain=True, clusters=own.clusters)
        super().__init__(terms, lambda: turns[:kept])


def _good_turns(session: Session) -> tuple[float, float]:
    judged = [own for own in outcomes_of(session) if own]
    return float(sum(map(all, judged))), float(len(judged))


SHARED_TURNS = MetricTable(
    terms=("good", "turns"),
    of=_good_turns,
    ratios={"isr": ("good", "turns")},
    labels={"isr": "ISR shared"},
    plain={"isr": PlainName("turns with everything satisfied, of those both were asked", "good, both asked")},
    meanings={"isr": "turns with everything satisfied, of those that both were asked"},
    is_checked=True,
)
"""ISR on the turns that two models were both asked: the same load for both, and ending early earns nothing."""


def _difference(sides: Sides, table: MetricTable, metric: str) -> Difference:
    rows = sides.rows(table)
    influence = None
    if all(has_enough(table, own, metric) for own in rows):
        one, other = (influence_of(table, own, metric, groups) for own, groups in zip(rows, sides.groups, strict=True))
        influence = one, other
    a, b = (table.value(table.total(own), metric) for own in rows)
    test = pair_test(table, *rows, metric, most=sides.most, influence=influence)
    return Difference(
        a=a,
        b=b,
        value=None if a is None or b is None else a - b,
        interval=test.interval,
        p=test.p,
        p_holm=None,
        effect=effect_size(table, *rows, metric),
        plan=plan(table, *rows, metric),
    )


def _unscored(tables: Sequence[MetricTable], sides: Iterable[Sequence[Session]]) -> set[int]:
    """The dialogues that a table wants scored in both, and that one side has no score of."""
    wanting = [clustered(table, "") for table in tables if table.scored_in_both]
    rows = (
        (table, dialogue, row)
        for own in sides
        for table in wanting
        for dialogue, row in zip(*_by_dialogue(table, own), strict=True)
    )
    return {dialogue for table, dialogue, row in rows if not table.counts(row)}


def _by_dialogue(table: MetricTable, sessions: Sequence[Session]) -> tuple[list[int], list[Row]]:
    of = {session.dialogue: session.dialogue for session in sessions}
    return list(of), list(cluster_rows(table, sessions, of).values())


def _left_out(
    first: Sequence[Session], second: Sequence[Session], counted_a: set[int], counted_b: set[int], unscored: int
) -> dict[str, int]:
    all_a, all_b = ({session.dialogue for session in own} for own in (first, second))
    reasons = Counter(
        {
            "only in the first": len(all_a - all_b),
            "only in the second": len(all_b - all_a),
            "not counted in the first": len((all_a & counted_b) - counted_a),
            "not counted in the second": len((all_b & counted_a) - counted_b),
            "not counted in either": len((all_a & all_b) - counted_a - counted_b),
            "not scored in both": unscored,
        }
    )
    return dict(+reasons)
