"""Turn sessions into records: which sessions count, and bounds for those that do not."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from evolif.errors import UsageError
from evolif.metrics.feedback import FEEDBACK_TABLE
from evolif.metrics.process import (
    AT_N,
    PROCESS,
    RATES,
    DialogueRecord,
    Metrics,
    ended_by_itself,
    judged_verdicts,
    patience_left,
    process_metrics,
    record_of,
    session_record,
    walk_of,
    walk_patience,
    with_cap,
)
from evolif.metrics.relevance import RELEVANCE_TABLE
from evolif.metrics.table import Cluster, MetricTable, clustered, clusters_of, named
from evolif.metrics.terms import SessionTerms, targets_of, terms_of_stored
from evolif.types import CapCounts, Session


@dataclass(frozen=True, slots=True)
class SessionRecords:
    """The records that enter the table, and counts of everything that does not.

    Attributes:
        records: One per finished or censored session, in the order given.
        finished: Sessions that came to their end, as a rule by exhausted patience; they count.
        censored: Sessions stopped by a cap, the context or a budget; they count with the turns they have.
        suspended: Sessions stopped by a fault outside; left out, see `bounds`.
        withheld: Sessions the provider's content filter refused; left out, see `bounds`.
        running: Sessions without an ending; left out, see `bounds`.
        not_judged_turns: Turns of the counted sessions in which nothing was judged.
        not_judged_constraints: Constraints of the counted sessions without a verdict, including those of such turns.
    """

    records: tuple[DialogueRecord, ...]
    finished: int
    censored: int
    suspended: int
    withheld: int
    running: int
    not_judged_turns: int
    not_judged_constraints: int


@dataclass(frozen=True, slots=True)
class Bounds:
    """The table's figures if all suspended and withheld sessions had continued and failed, or succeeded.

    The two bracket what the four `edr_*` would have been. The rates need not lie between them: a long session with
    mediocre turns could have a lower ROB than one that fails at once.
    """

    failed: Metrics
    succeeded: Metrics


def counted_sessions(sessions: Iterable[Session]) -> tuple[Session, ...]:
    """The sessions that enter the table, finished and censored; turns after exhausted patience are in `later`."""
    return tuple(
        session if _is_whole(session) else _counted(session).session
        for session in sessions
        if session.ending in ("finished", "censored")
    )


def _is_whole(session: Session) -> bool:
    """Whether a stored session has no turns after exhausted patience."""
    known = terms_of_stored(session)
    return known is not None and not _is_cut(known, session.patience)


def capped(*groups: Sequence[Session]) -> list[tuple[Session, ...]]:
    """The sessions of models that are compared, so that ISR@N has the same N for all.

    Where their caps differ, the smallest counts. A session that knows no cap gets the length of the longest given. A
    dialogue of fixed length that some session played to its end has this length for all.

    Args:
        groups: Sessions of each model, those that count. Within one, caps may differ by turns that nobody judged.
    """
    every = [session for own in groups for session in own]
    records = [session_record(session) for session in every]
    longest = max((walk_of(record).turns for record in records), default=0)
    caps = [longest if session.cap is None else session.cap for session in every]
    known = iter(caps)
    common = min((max(next(known) for _ in own) for own in groups if own), default=longest)
    whole: dict[int, int] = {}
    for session, record in zip(every, records, strict=True):
        if ended_by_itself(session) and record.cap is not None:
            whole[session.dialogue] = min(record.cap, whole.get(session.dialogue, record.cap))
    wanted = (min(cap, common, whole.get(one.dialogue, common)) for one, cap in zip(every, caps, strict=True))
    found = iter(one if one.cap == cap else replace(one, cap=cap) for one, cap in zip(every, wanted, strict=True))
    return [tuple(next(found) for _ in own) for own in groups]


class Counted(NamedTuple):
    """A session that enters the table, without turns after exhausted patience.

    Attributes:
        session: The session, cut, with the other turns in `later`; turns of a partner are still there.
        judged: Per turn of the model under test the verdicts without None, computed once for all callers.
        record: Its record.
    """

    session: Session
    judged: Sequence[tuple[bool, ...]]
    record: DialogueRecord


def counted_with_verdicts(sessions: Iterable[Session]) -> list[Counted]:
    """The finished and censored sessions as the table counts them."""
    return [_counted(session) for session in sessions if session.ending in ("finished", "censored")]


def records_from_sessions(sessions: Iterable[Session], cluster: str = "") -> SessionRecords:
    """The records of one model's sessions (docs/protocol.md).

    Args:
        sessions: All of one model, each (dialogue, epoch) once, their turns in order.
        cluster: The label of turns that says which dialogues are resampled together, see `MetricTable.cluster`.

    Raises:
        UsageError: Sessions of several models, or one session twice.
    """
    given = of_one_model(sessions)
    counted = counted_with_verdicts(given)
    endings = Counter(session.ending for session in given)
    return SessionRecords(
        records=clustered_records(
            zip((own.session for own in counted), with_cap([own.record for own in counted]), strict=True), cluster
        ),
        finished=endings["finished"],
        censored=endings["censored"],
        suspended=endings["suspended"],
        withheld=endings["withheld"],
        running=endings[None],
        not_judged_turns=sum(map(_nothing_judged, counted)),
        not_judged_constraints=sum(_requirements(own.session) - sum(map(len, own.judged)) for own in counted),
    )


def _nothing_judged(counted: Counted) -> int:
    """Turns of the model under test with neither a verdict nor a score."""
    known = terms_of_stored(counted.session)
    if known is not None:
        return known.silent
    turns = (turn for turn in counted.session.turns if turn.seat == "target")
    pairs = zip(turns, counted.judged, strict=True)
    return sum(not judged and all(score.value is None for score in turn.scores) for turn, judged in pairs)


def _requirements(session: Session) -> int:
    """Requirements of the turns of the model under test, with or without a verdict."""
    known = terms_of_stored(session)
    if known is not None:
        return known.requirements
    return sum(len(turn.verdicts) for turn in session.turns if turn.seat == "target")


def clustered_records(pairs: Iterable[tuple[Session, DialogueRecord]], label: str) -> tuple[DialogueRecord, ...]:
    """The records, each with what it is resampled with.

    Args:
        pairs: Sessions with their records.
        label: As `MetricTable.cluster`; empty for the dialogue itself.
    """
    given = list(pairs)
    if not label:
        return tuple(record for _, record in given)
    of = clusters_of(label, (session for session, _ in given))
    return tuple(replace(record, cluster=_name(of[session.dialogue])) for session, record in given)


def _name(cluster: Cluster) -> str:
    """A label with its value; empty for a dialogue that has none."""
    return " ".join(map(str, cluster)) if isinstance(cluster, tuple) else ""


def bounds(sessions: Iterable[Session], *, max_turns: int, counts: CapCounts = "turns") -> Bounds:
    """The metrics including the sessions that the table leaves out, at worst and at best.

    Failed: each continues with no constraint satisfied until its patience is exhausted. Succeeded: each continues with
    every constraint satisfied up to the cap. This applies to suspended and withheld sessions, and to those without an
    ending: a run that was killed, or is still going, leaves its longest sessions without one.

    Args:
        sessions: As for `records_from_sessions`.
        max_turns: The run's cap, in turns; at least 1.
        counts: Whether the cap counts every turn, or judged ones only.

    Raises:
        UsageError: As `records_from_sessions`, or a cap below 1.
    """
    failed, succeeded = bounding_records(sessions, max_turns=max_turns, counts=counts)
    return Bounds(process_metrics(failed), process_metrics(succeeded))


def bounding_records(
    sessions: Iterable[Session], *, max_turns: int, counts: CapCounts = "turns", cluster: str = ""
) -> tuple[list[DialogueRecord], list[DialogueRecord]]:
    """The records behind `bounds`: with all interrupted sessions failing, and with all continuing to the cap.

    Raises:
        UsageError: As `bounds`.
    """
    if max_turns < 1:
        raise UsageError(f"the cap is {max_turns} turns; it must be at least 1")
    given = of_one_model(sessions)
    table = [(own.session, own.record) for own in counted_with_verdicts(given)]
    broken = [session for session in given if session.ending not in ("finished", "censored")]
    failed, succeeded = (
        [*table, *((session, _continued(session, max_turns, counts, good=good)) for session in broken)]
        for good in (False, True)
    )
    known, more = (
        [replace(one, cap=max_turns) if one.cap is None else one for one in clustered_records(pairs, cluster)]
        for pairs in (failed, succeeded)
    )
    return known, more


def all_records(sessions: Iterable[Session], cluster: str = "") -> list[tuple[Session, DialogueRecord]]:
    """Every session of one model with its uncut record, regardless of its ending.

    Args:
        sessions: Of one model.
        cluster: As for `records_from_sessions`.

    Raises:
        UsageError: As `records_from_sessions`.
    """
    given = of_one_model(sessions)
    records = with_cap([session_record(session) for session in given])
    return list(zip(given, clustered_records(zip(given, records, strict=True), cluster), strict=True))


def _continued(session: Session, max_turns: int, counts: CapCounts, *, good: bool) -> DialogueRecord:
    record = session_record(session)
    used = len(record.turns) if counts == "judged" else targets_of(session)
    left, room = patience_left(record), max(0, max_turns - used)
    if left == 0:
        return record
    # The number of constraints of these turns does not matter: the satisfied share is 0 or 1 for any number.
    further = room if good or session.patience is None else min(left, room)
    credits = record.credits + (None,) * further if record.credits else ()
    return replace(record, turns=record.turns + ((good,),) * further, credits=credits)


def _counted(session: Session) -> Counted:
    known = terms_of_stored(session)
    if known is not None and not _is_cut(known, session.patience):
        return Counted(session, known.outcomes, session_record(session))
    places = [place for place, turn in enumerate(session.turns) if turn.seat == "target"]
    judged = [judged_verdicts(session.turns[place]) for place in places]
    number = walk_patience([all(own) if own else None for own in judged], session.patience).turns
    if number < len(judged):
        end = places[number - 1] + 1
        session, judged = replace(session, turns=session.turns[:end], later=session.turns[end:]), judged[:number]
    kept = [(session.turns[place], own) for place, own in zip(places, judged, strict=False) if own]
    return Counted(session, judged, record_of(session, kept))


def _is_cut(known: SessionTerms, patience: int | None) -> bool:
    """Whether a session has turns after its patience was exhausted."""
    if patience not in known.cut:
        outcomes = [all(own) if own else None for own in known.outcomes]
        known.cut[patience] = walk_patience(outcomes, patience).turns < len(outcomes)
    return known.cut[patience]


def _has_verdicts(session: Session) -> bool:
    known = terms_of_stored(session)
    return any(turn.verdicts for turn in session.turns) if known is None else known.has_verdicts


def tables_of(
    own: MetricTable | None,
    patience: int | None,
    sessions: Iterable[Session] | None = None,
    *,
    has_gate: bool = False,
    has_feedback: bool = False,
    cap: int | None = None,
) -> tuple[MetricTable, ...]:
    """The metric tables of a run: its scenario's own, then what patience or verdicts give.

    Args:
        own: The scenario's; without optional metrics that the sessions do not have.
        patience: Of the run; None if it has none.
        sessions: Of the run; None before it is played, when any of them may get verdicts.
        has_gate: Whether the run asks whether answers are about their tasks.
        has_feedback: Whether the person reacts to answers.
        cap: Of the run, which names ISR@N unless some dialogues are shorter; None if unknown.

    Raises:
        UsageError: a metric of the scenario has the name of another one, or of another part of a report.
    """
    played = None if sessions is None else tuple(sessions)
    if own is not None and played is not None and own.optional:
        own = own.fitting(counted_sessions(played))
    tables = () if own is None else (own,)
    label = "" if own is None else own.cluster
    if patience is not None:
        shorter = played is not None and any(map(ended_by_itself, played))
        tables = (*tables, named(clustered(PROCESS, label), AT_N, "" if cap is None or shorter else f"ISR@{cap}"))
    elif played is None or any(map(_has_verdicts, played)):
        tables = (*tables, clustered(RATES, label))
    if has_gate:
        tables = (*tables, clustered(RELEVANCE_TABLE, label))
    if has_feedback:
        fitted = FEEDBACK_TABLE if played is None else FEEDBACK_TABLE.fitting(counted_sessions(played))
        tables = (*tables, clustered(fitted, label))
    taken = _TAKEN.union(
        PROCESS.ratios, RELEVANCE_TABLE.ratios if has_gate else (), FEEDBACK_TABLE.ratios if has_feedback else ()
    )
    taken &= frozenset(() if own is None else own.ratios)
    if taken:
        raise UsageError(
            f"reports use the names {', '.join(sorted(taken))} already; rename these metrics of the scenario"
        )
    return tables


_TAKEN = frozenset(
    "at_cap bounds by censored csr_corrected dialogues epoch exhaustion_by_turn expected_length expected_length_over "
    "failing finished floor groups hazard heuristic kinds left_out misses model "
    "not_judged_constraints not_judged_turns patience patience_sweep rec_left_out relevance_not_judged run saturated "
    "sessions survival survival_bounds suspended tokens turns withheld without_witness".split()
)
"""What reports as JSON show beside metrics."""


def of_one_model(sessions: Iterable[Session]) -> Sequence[Session]:
    """The sessions, checked to be one model's, each once.

    Raises:
        UsageError: They are not.
    """
    given = tuple(sessions)
    models = sorted({session.model for session in given})
    if len(models) > 1:
        raise UsageError(f"metrics cover one model at a time, not {' and '.join(models)} together")
    twice = [key for key, n in Counter((session.dialogue, session.epoch) for session in given).items() if n > 1]
    if twice:
        raise UsageError(f"dialogue {twice[0][0]}, epoch {twice[0][1]} occurs twice; pass each session once")
    return given
