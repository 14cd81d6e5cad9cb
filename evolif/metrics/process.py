"""The eight process metrics, the exhaustion rate and pooled REC; each is a ratio of sums over dialogues."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby, pairwise
from typing import NamedTuple

from evolif.errors import UsageError
from evolif.metrics.at_n import Course, influence_of, satisfied
from evolif.metrics.statistics import Interval
from evolif.metrics.table import MetricTable, PlainName, intervals, summed_rows
from evolif.metrics.terms import SessionTerms, credit_of, terms_of_stored
from evolif.text import plural
from evolif.types import DEFAULT_RESAMPLES, JudgedTurn, Session


@dataclass(frozen=True, slots=True)
class DialogueRecord:
    """The judged turns of one session (docs/protocol.md, The figures; paper §3.4).

    Attributes:
        dialogue: Id of the dialogue, the sampling unit of every interval.
        patience: P_max, in failed turns in a row, at least 1; None if nothing ends the dialogue early.
        turns: One tuple per judged turn, in order; one bool per judged constraint, at least one. Turns in which nothing
            was judged are not here: `judged_record` drops them.
        epoch: Which repetition of the dialogue this is.
        credits: The satisfied share of each turn, from 0 to 1, or None where all its constraints weigh the same; empty
            if they do everywhere.
        cap: N of ISR@N, the most judged turns that it could have; None if unknown, and then there is no ISR@N.
        over: Whether all that would have followed its last turn counts as not satisfied, as after a full context.
        cluster: What it is resampled with, such as the instance of a game; its dialogue if empty.

    Raises:
        UsageError: Patience below 1, a turn without verdicts, or another number of credits than of turns.
    """

    dialogue: str
    patience: int | None
    turns: tuple[tuple[bool, ...], ...]
    epoch: int = 0
    credits: tuple[float | None, ...] = ()
    cap: int | None = None
    over: bool = False
    cluster: str = ""
    _walk: PatienceWalk | None = field(init=False, default=None, repr=False, compare=False)
    _terms: Terms | None = field(init=False, default=None, repr=False, compare=False)
    _course: Course | None = field(init=False, default=None, repr=False, compare=False)

    @property
    def unit(self) -> str:
        """What intervals, tests and ranks take as one: its cluster, else its dialogue."""
        return self.cluster or self.dialogue

    def __post_init__(self) -> None:
        if self.patience is not None and self.patience < 1:
            raise UsageError(f"patience of dialogue {self.dialogue!r} is {self.patience}; it must be at least 1")
        if not all(self.turns):
            raise UsageError(f"dialogue {self.dialogue!r} has a turn without verdicts; leave such turns out")
        if self.credits and len(self.credits) != len(self.turns):
            raise UsageError(
                f"dialogue {self.dialogue!r} has {plural(len(self.turns), 'turn')}, but "
                f"{plural(len(self.credits), 'credit')}; give each "
                "turn one"
            )


@dataclass(frozen=True, slots=True)
class DialogueFigures:
    """What one dialogue contributes to the metrics, after the patience cut.

    Attributes:
        length: N, judged turns.
        accuracy: Sum over turns of satisfied / judged constraints, in turns.
        successes: Turns with every judged constraint satisfied.
        longest_run: Longest run of successive such turns.
        recoveries: Turns that succeed right after a failed one.
        chances: Turns from the second on that follow a failed one; REC's denominator, 0 if there is none.
    """

    length: int
    accuracy: float
    successes: int
    longest_run: int
    recoveries: int
    chances: int


class PatienceWalk(NamedTuple):
    """How long patience lasts: counted turns, and the patience left after them (0: the session is finished)."""

    turns: int
    left: int


def judged_record(
    dialogue: str, patience: int | None, verdicts: Iterable[Iterable[bool | None]], *, epoch: int = 0
) -> DialogueRecord:
    """A record from raw verdicts, without None (not judged) and without turns that contain only None."""
    judged = (tuple(verdict for verdict in turn if verdict is not None) for turn in verdicts)
    return DialogueRecord(dialogue, patience, tuple(turn for turn in judged if turn), epoch)


def walk_patience(outcomes: Iterable[bool | None], patience: int | None) -> PatienceWalk:
    """Follow patience over the outcomes of successive turns (docs/protocol.md).

    Args:
        outcomes: Per turn True (all satisfied: patience is restored), False (patience falls by 1) or None (nothing
            judged: patience is unchanged).
        patience: P_max, at least 1; None if it is off, and then never exhausted (what is left is 1).
    """
    if patience is None:
        return PatienceWalk(sum(1 for _ in outcomes), 1)
    turns, left = 0, patience
    for outcome in outcomes:
        if left == 0:
            break
        turns += 1
        if outcome is not None:
            left = patience if outcome else left - 1
    return PatienceWalk(turns, left)


def cut(record: DialogueRecord) -> DialogueRecord:
    """The record without the turns after its patience was exhausted; no metric uses them."""
    number = walk_of(record).turns
    if number == len(record.turns):
        return record
    return replace(record, turns=record.turns[:number], credits=record.credits[:number])


def patience_left(record: DialogueRecord) -> int:
    """Patience after the record's last counted turn; above 0 the dialogue is censored, its length a lower bound."""
    return walk_of(record).left


def dialogue_figures(record: DialogueRecord) -> DialogueFigures:
    """The record's own figures, after the cut; a record without turns has zeros throughout."""
    kept = cut(record)
    turns = kept.turns
    good = [all(turn) for turn in turns]
    after_failure = [now for before, now in pairwise(good) if not before]
    return DialogueFigures(
        length=len(turns),
        # fsum rounds once, so that a dialogue's figure does not depend on the order of its turns.
        accuracy=math.fsum(_shares(kept)),
        successes=sum(good),
        longest_run=_longest_run(good),
        recoveries=sum(after_failure),
        chances=len(after_failure),
    )


def _shares(record: DialogueRecord) -> list[float]:
    """What share of each turn was satisfied."""
    if not record.credits:
        return [sum(turn) / len(turn) for turn in record.turns]
    pairs = zip(record.turns, record.credits, strict=True)
    return [sum(turn) / len(turn) if credit is None else credit for turn, credit in pairs]


def walk_of(record: DialogueRecord) -> PatienceWalk:
    """How long the patience of a record lasts, over its judged turns."""
    known = record._walk
    if known is None:
        known = walk_patience([all(turn) for turn in record.turns], record.patience)
        object.__setattr__(record, "_walk", known)
    return known


def _longest_run(good: Sequence[bool]) -> int:
    return max((sum(1 for _ in run) for satisfied, run in groupby(good) if satisfied), default=0)


class Terms(NamedTuple):
    """What one session adds to the sums; `has_*` are 1 if the session has its own denominator, else 0.

    `requests` is N, and `settled` the good turns among the first N; both are 0 if N is unknown.
    """

    sessions: float
    length: float
    accuracy: float
    successes: float
    longest_run: float
    recovery: float
    has_recovery: float
    robustness: float
    has_robustness: float
    exhausted: float
    recoveries: float
    chances: float
    settled: float
    requests: float


def session_terms(record: DialogueRecord) -> Terms:
    """One session's terms of the sums, after its patience cut."""
    # Worked out once: each comparison, rank and interval asks for them.
    known = record._terms
    if known is None:
        known = _session_terms(record)
        object.__setattr__(record, "_terms", known)
    return known


def _session_terms(record: DialogueRecord) -> Terms:
    own = dialogue_figures(record)
    course = course_of(record)
    return Terms(
        sessions=1.0,
        length=float(own.length),
        accuracy=own.accuracy,
        successes=float(own.successes),
        longest_run=float(own.longest_run),
        recovery=own.recoveries / own.chances if own.chances else 0.0,
        has_recovery=1.0 if own.chances else 0.0,
        robustness=own.successes / own.length if own.length else 0.0,
        has_robustness=1.0 if own.length else 0.0,
        exhausted=1.0 if patience_left(record) == 0 else 0.0,
        recoveries=float(own.recoveries),
        chances=float(own.chances),
        settled=float(sum(course.good)),
        requests=float(course.requests),
    )


def course_of(record: DialogueRecord) -> Course:
    """How a session went on up to turn N, for ISR@N; without requests if N is unknown."""
    known = record._course
    if known is None:
        known = _course_of(record)
        object.__setattr__(record, "_course", known)
    return known


def _course_of(record: DialogueRecord) -> Course:
    if record.cap is None:
        return Course((), 0, False)
    kept = cut(record)
    good = tuple([all(turn) for turn in kept.turns[: record.cap]])
    return Course(good, record.cap, len(good) < record.cap and not record.over and patience_left(record) > 0)


def terms_of(records: Sequence[DialogueRecord]) -> list[Terms]:
    """What each session adds to the sums, in their order; where sessions were cut, `settled` makes up for it.

    None of the records that have no `cap` enters ISR@N.
    """
    courses = [course_of(record) for record in records]
    rows = [session_terms(record) for record in records]
    if not any(course.cut for course in courses):
        return rows  # each of them says it of itself
    settled = satisfied(courses)
    if settled is None:
        return [row._replace(settled=0.0, requests=0.0) for row in rows]
    return [row._replace(settled=value) for row, value in zip(rows, settled, strict=True)]


def with_cap(records: Sequence[DialogueRecord]) -> list[DialogueRecord]:
    """The records; those that know no cap get the length of the longest of all."""
    if all(record.cap is not None for record in records):
        return list(records)
    longest = max((len(cut(record).turns) for record in records), default=0)
    return [record if record.cap is not None else replace(record, cap=longest) for record in records]


def session_record(session: Session) -> DialogueRecord:
    """The judged turns of a session's model under test, uncut; turns of a partner do not count."""
    known = terms_of_stored(session)
    if known is not None:
        return _record_of_terms(session, known)
    played = [(turn, own) for turn in session.turns if turn.seat == "target" and (own := judged_verdicts(turn))]
    return record_of(session, played)


def _record_of_terms(session: Session, terms: SessionTerms) -> DialogueRecord:
    """The record of a stored session, without its turns; the same object for the same session."""
    key = session.dialogue, session.epoch, session.patience, session.cap, session.ending, session.cause
    record: DialogueRecord | None = terms.records.get(key)
    if record is None:
        kept = tuple([own for own in terms.outcomes if own])
        credits: tuple[float | None, ...] = ()
        if terms.credits:
            credits = tuple([one for one, own in zip(terms.credits, terms.outcomes, strict=True) if own])
        record = terms.records[key] = _record(session, kept, credits, 0)
    return record


def record_of(session: Session, judged: Iterable[tuple[JudgedTurn, tuple[bool, ...]]]) -> DialogueRecord:
    """The record of a session's judged turns, each with its verdicts without None, of which there is at least one."""
    kept = list(judged)
    credits = tuple([credit_of(turn) for turn, _ in kept])
    later = sum(turn.seat == "target" and bool(turn.judged) for turn in session.later)
    return _record(session, tuple([own for _, own in kept]), credits, later)


def _record(
    session: Session, turns: tuple[tuple[bool, ...], ...], credits: tuple[float | None, ...], later: int
) -> DialogueRecord:
    given = credits if any(credit is not None for credit in credits) else ()
    cap = session.cap
    if ended_by_itself(session):
        whole = len(turns) + later
        cap = whole if cap is None else min(cap, whole)
    over = session.cause == "context"
    return DialogueRecord(str(session.dialogue), session.patience, turns, session.epoch, given, cap, over)


def ended_by_itself(session: Session) -> bool:
    """Whether a session came to the end of a dialogue of fixed length, whose last turn is its N then."""
    if session.ending == "finished":
        return session.cause not in ("", "patience")
    return session.ending == "censored" and session.cause == "benchmark"


def judged_verdicts(turn: JudgedTurn) -> tuple[bool, ...]:
    """As `JudgedTurn.judged`, for loops over all turns of a run."""
    return tuple([v.satisfied for v in turn.verdicts if v.satisfied is not None])


def _rates(session: Session) -> tuple[float, ...]:
    own = dialogue_figures(session_record(session))
    return float(own.length), own.accuracy, float(own.successes)


def _joint(sessions: Sequence[Session]) -> list[tuple[float, ...]]:
    return list(terms_of(with_cap(list(map(session_record, sessions)))))


def _influence(clusters: Sequence[Sequence[Session]]) -> list[float] | None:
    """What each cluster adds to ISR@N, where sessions were cut; None where the rows say it."""
    records = with_cap([session_record(session) for own in clusters for session in own])
    courses = iter(map(course_of, records))
    return influence_of([[next(courses) for _ in own] for own in clusters])


# CSR, ISR, pooled REC and the exhaustion rate pool all turns; the others are means over sessions. ISR@N comes first and
# ranks models: a model that satisfies whatever another one does never has less, and ending early earns nothing. Then
# how long sessions last and how often patience runs out (docs/explanation/metrics.md).
_SATISFIED = "requirements satisfied, averaged over turns"
_ALL_SATISFIED = PlainName("turns with everything satisfied", "good turns")
_REQUIREMENTS = PlainName("requirements satisfied", "requirements met")
AT_N = "isr_at_n"
"""The name of ISR@N."""

PROCESS = MetricTable(
    terms=Terms._fields,
    of=lambda session: _joint([session])[0],
    joint=_joint,
    influence={AT_N: _influence},
    ratios={
        AT_N: ("settled", "requests"),
        "edr_len": ("length", "sessions"),
        "exhaustion_rate": ("exhausted", "length"),
        "isr": ("successes", "length"),
        "edr_acc": ("accuracy", "sessions"),
        "edr_succ": ("successes", "sessions"),
        "edr_lss": ("longest_run", "sessions"),
        "rec": ("recovery", "has_recovery"),
        "pooled_rec": ("recoveries", "chances"),
        "rob": ("robustness", "has_robustness"),
        "csr": ("accuracy", "length"),
    },
    labels={
        AT_N: "ISR@N", "edr_len": "EDR len", "edr_acc": "EDR acc", "edr_succ": "EDR succ", "edr_lss": "EDR lss",
        "rec": "REC", "rob": "ROB", "csr": "CSR", "isr": "ISR",
        "exhaustion_rate": "EXH", "pooled_rec": "REC all",
    },
    plain={
        AT_N: PlainName("requests satisfied before patience ran out", "requests met"),
        "edr_len": PlainName("turns until patience ran out", "turns lasted"),
        "exhaustion_rate": PlainName("how often patience ran out, per turn", "patience ran out"),
        "isr": _ALL_SATISFIED,
        "edr_acc": PlainName("satisfied shares of the turns, summed", "shares, summed"),
        "edr_succ": PlainName("good turns in a session", "good in number"),
        "edr_lss": PlainName("longest run of good turns", "longest good run"),
        "rec": PlainName("recovery after a bad turn", "recovery"),
        "pooled_rec": PlainName("recovery after a bad turn, over all turns", "recovery, pooled"),
        "rob": PlainName("share of good turns in a session", "good per session"),
        "csr": _REQUIREMENTS,
    },
    units=dict.fromkeys(("edr_len", "edr_acc", "edr_succ", "edr_lss"), "turns"),
    meanings={
        AT_N: "good turns before patience ran out, of N; turns never reached are not satisfied",
        "edr_len": "turns that a session lasts; the cap bounds it",
        "exhaustion_rate": "sessions out of patience, per 100 turns",
        "isr": "turns with everything satisfied, of those played, so that early ends may raise it",
        "edr_acc": "sum of the satisfied shares of a session’s turns",
        "edr_succ": "good turns of a session",
        "edr_lss": "longest run of good turns in a session",
        "rec": "bad turns followed by a good one, mean over sessions",
        "pooled_rec": "bad turns followed by a good one, over all turns",
        "rob": "good turns, mean over sessions",
        "csr": _SATISFIED,
    },
    headline=AT_N,
    beside=frozenset({"exhaustion_rate", "pooled_rec"}),
    events=frozenset({"exhaustion_rate"}),
    lower=frozenset({"exhaustion_rate"}),
    bounded=("edr_len", "edr_acc", "edr_succ", "edr_lss", "rob", "rec", AT_N),
    is_checked=True,
)  # fmt: skip
"""ISR@N and the eight metrics of a run with patience, and two figures beside them: sessions that ran out of patience
per judged turn, and REC over all turns that follow a failed one."""

RATES = MetricTable(
    terms=("length", "accuracy", "successes"),
    of=_rates,
    ratios={"csr": ("accuracy", "length"), "isr": ("successes", "length")},
    labels={"csr": "CSR", "isr": "ISR"},
    plain={"csr": _REQUIREMENTS, "isr": _ALL_SATISFIED},
    meanings={"csr": _SATISFIED, "isr": "good turns, of all that were played"},
    headline="isr",
    is_checked=True,
)
"""What verdicts give without patience: every turn is played, so ISR is over all N of them."""

METRIC_NAMES: tuple[str, ...] = ("edr_len", "edr_acc", "edr_succ", "edr_lss", "rec", "rob", "csr", "isr")
"""The eight metrics in the order of docs/protocol.md."""


@dataclass(frozen=True, slots=True)
class Metrics:
    """The eight metrics of one model (docs/protocol.md, The figures; paper §3.4 and App. A).

    The four `edr_*` are in turns; `rec`, `rob`, `csr`, `isr` are fractions from 0 to 1. A metric is None, never NaN,
    if undefined: all of them without any dialogue, `rec` where no dialogue has a failed turn with a turn after it,
    `rob`, `csr` and `isr` where no turn was judged.

    A dialogue without any judged turn counts in `dialogues` and as 0 turns in the four `edr_*`: a session censored
    before its first answer counts with its turns so far. Its ROB is 0/0, so it is left out of ROB's mean, as a dialogue
    without REC denominator is left out of REC's; to CSR and ISR it adds no turn.

    Attributes:
        dialogues: Sessions counted (with several epochs, each counts).
        rec_left_out: Sessions left out of REC's mean.
        rob_left_out: Sessions left out of ROB's mean.
        exhaustion_rate: Sessions that ran out of patience per judged turn, a fraction; None where no turn was judged.
        pooled_rec: Turns that succeed right after a failed one, of all turns that follow one; None without any.
        isr_at_n: Good turns before patience ran out, of N in every dialogue; None where N is unknown, or where no
            session was played that far.
    """

    edr_len: float | None
    edr_acc: float | None
    edr_succ: float | None
    edr_lss: float | None
    rec: float | None
    rob: float | None
    csr: float | None
    isr: float | None
    dialogues: int
    rec_left_out: int
    rob_left_out: int = 0
    exhaustion_rate: float | None = None
    pooled_rec: float | None = None
    isr_at_n: float | None = None

    def value(self, metric: str) -> float | None:
        """The metric of that name: one of `METRIC_NAMES`, or a figure beside them."""
        found: float | None = getattr(self, metric)
        return found

    def by_name(self) -> dict[str, float | None]:
        """All eight, in the order of `METRIC_NAMES`; before them ISR@N where it is known."""
        values = (self.edr_len, self.edr_acc, self.edr_succ, self.edr_lss, self.rec, self.rob, self.csr, self.isr)
        lead = {} if self.isr_at_n is None else {AT_N: self.isr_at_n}
        return {**lead, **dict(zip(METRIC_NAMES, values, strict=True))}


def process_metrics(records: Iterable[DialogueRecord]) -> Metrics:
    """The eight metrics of one model over its records; turns after exhausted patience are ignored."""
    sums = Terms(*PROCESS.total(terms_of(list(records))))
    return Metrics(
        **{name: PROCESS.value(sums, name) for name in PROCESS.ratios},
        dialogues=round(sums.sessions),
        rec_left_out=round(sums.sessions - sums.has_recovery),
        rob_left_out=round(sums.sessions - sums.has_robustness),
    )


def process_intervals(
    records: Iterable[DialogueRecord], *, cap: int | None = None, seed: int = 0, resamples: int = DEFAULT_RESAMPLES
) -> dict[str, Interval | None]:
    """A 95 % interval for each of the eight and the figures beside them, over dialogues, never over turns.

    The epochs of a dialogue are taken together, since they are not independent. CSR, ISR and pooled REC are ratios of
    sums over the dialogues; REC and ROB are means over the dialogues that have a denominator. The same records in
    any order give the same intervals.

    Args:
        records: The records that the point figures come from.
        cap: The most turns that a session can have; the largest of the records' own if None, and unknown if one of
            them has none.
        seed: Of the draws that are needed where most sessions reach the cap; at least 0.
        resamples: How many; at least 1.

    Returns:
        Metric name to (low, high), in the metric's own unit; None if fewer than six dialogues contribute. A length
        never goes beyond the cap.

    Raises:
        UsageError: `seed` or `resamples` out of range.
    """
    given = list(records)
    units = (record.unit for record in given)
    rows = summed_rows(PROCESS, zip(units, terms_of(given), strict=True))
    most = _largest_cap(given) if cap is None else cap
    return intervals(PROCESS, rows.values(), cap=most, seed=seed, resamples=resamples)


def _largest_cap(records: Sequence[DialogueRecord]) -> int | None:
    caps = [record.cap for record in records if record.cap is not None]
    return max(caps, default=None) if len(caps) == len(records) else None
