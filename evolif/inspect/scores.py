"""What a session is as a score of Inspect: its own figures, the sums that the run's figures are made of, and why."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from math import fsum, sqrt
from typing import Any

from evolif.metrics import AT_N, PROCESS, MetricTable, clusters_of, counted_sessions, intervals, tables_of
from evolif.metrics.at_n import Course, satisfied
from evolif.metrics.process import course_of, session_record
from evolif.runner import RunSettings
from evolif.scenario import get_scenario
from evolif.text import plural
from evolif.types import JudgedTurn, Score, Session, Verdict

STORE = "evolif"
"""The name of a session in the store of a sample."""
SCORER, METRIC = "figures", "pooled"
"""The registered names of the scorer of sessions, and of what makes the figures of a run of them."""
OWN_SCORER = "evolif_scorer"
"""The registered name of the scorer of conversations that other solvers have held."""
_MOST_SHOWN = 20
"""Failed requirements in an explanation."""


def tables_of_session(stored: Mapping[str, Any]) -> tuple[MetricTable, ...]:
    """The metric tables of the run that a stored session belongs to, as before it was played.

    Args:
        stored: As `session_object` gives it.

    Raises:
        UsageError: its scenario is not installed.
    """
    own = get_scenario(stored["scenario"]).table(stored["options"])
    has_feedback = stored.get("feedback", "none") != "none"  # logs without it do not say so
    return tables_of(own, stored["patience"], has_gate=bool(stored["relevance"]), has_feedback=has_feedback)


def sums_of(tables: Sequence[MetricTable], session: Session) -> dict[str, list[float]]:
    """Metric to numerator and denominator of a session; empty if it enters no figure.

    Turns after exhausted patience do not count, so the session may be given with them.
    """
    found: dict[str, list[float]] = {}
    for counted in counted_sessions([session]):
        for table in tables:
            row = table.row(counted)
            found |= {name: [row[place] for place in table.places(name)] for name in table.ratios}
    return found


def course_of_session(tables: Sequence[MetricTable], session: Session) -> dict[str, Any]:
    """What ISR@N of several sessions needs of one: its good turns up to turn N, N, and whether it was cut before.

    Empty if it enters no figure, or there is no ISR@N.
    """
    if not any(AT_N in table.ratios for table in tables):
        return {}
    for counted in counted_sessions([session]):
        course = course_of(session_record(counted))
        return {"good": "".join("1" if good else "0" for good in course.good), "n": course.requests, "cut": course.cut}
    return {}


def cluster_of(tables: Sequence[MetricTable], session: Session) -> str:
    """What a session is resampled with, as a name."""
    return str(clusters_of(tables[0].cluster if tables else "", [session])[session.dialogue])


def weighed(told: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Sequence[float]]]:
    """The sums of some sessions; where some were cut, those of ISR@N make up for it, as in a report.

    Args:
        told: Metadata of scores, with `sums` and, where there is ISR@N, `course`.
    """
    sums: list[Mapping[str, Sequence[float]]] = [one.get("sums", {}) for one in told]
    of = [number for number, one in enumerate(told) if one.get("course")]
    courses = [_course(told[number]["course"]) for number in of]
    if any(course.cut for course in courses):
        found = satisfied(courses)
        for place, number in enumerate(of):
            known = [0.0, 0.0] if found is None else [found[place], float(courses[place].requests)]
            sums[number] = {**sums[number], AT_N: known}
    return sums


def _course(stored: Mapping[str, Any]) -> Course:
    return Course(tuple(letter == "1" for letter in stored["good"]), int(stored["n"]), bool(stored["cut"]))


def values_of(sums: Mapping[str, Sequence[float]]) -> dict[str, float | None]:
    """Metric to the value of one session; None where it is undefined."""
    return {name: top / bottom if bottom else None for name, (top, bottom) in sums.items()}


def pooled(sums: Iterable[Mapping[str, Sequence[float]]]) -> dict[str, float]:
    """The figures of some sessions, from the sums of each; without those that are undefined."""
    parts: dict[str, tuple[list[float], list[float]]] = {}
    for one in sums:
        for name, (top, bottom) in one.items():
            tops, bottoms = parts.setdefault(name, ([], []))
            tops.append(top)
            bottoms.append(bottom)
    totals = {name: (fsum(tops), fsum(bottoms)) for name, (tops, bottoms) in parts.items()}
    return {name: top / bottom for name, (top, bottom) in totals.items() if bottom}


def headline_error(main: str, sums: Iterable[tuple[Any, Mapping[str, Sequence[float]]]]) -> float | None:
    """The standard error of a ratio of sums over dialogues, linearised; None over fewer than two.

    Args:
        main: The metric.
        sums: Of each session what it is resampled with, and the sums; sessions of one dialogue are not independent.
    """
    rows = [row for row in _by_cluster(main, sums) if row[1] > 0]
    below = fsum(bottom for _, bottom in rows)
    if len(rows) < 2:
        return None
    ratio = fsum(top for top, _ in rows) / below
    squares = fsum((top - ratio * bottom) ** 2 for top, bottom in rows)
    return sqrt(squares * len(rows) / (len(rows) - 1)) / below


def headline_interval(main: str, sums: Iterable[tuple[Any, Mapping[str, Sequence[float]]]]) -> dict[str, float]:
    """The ends of its 95 % interval, as a report has them; empty over fewer than six dialogues.

    Args:
        main: The metric.
        sums: As `headline_error` gets them.
    """
    told = list(sums)
    if not any(main in one for _, one in told):
        return {}
    length = PROCESS.bounded[0]
    bounded = main in PROCESS.bounded and any(length in one for _, one in told)
    names = (length, main) if bounded else (main,)
    columns = [_by_cluster(name, told) for name in names]
    terms = [f"{end} {name}" for name in names for end in ("top", "bottom")]
    ratios = {name: (f"top {name}", f"bottom {name}") for name in names}
    table = MetricTable(tuple(terms), lambda session: (), ratios, headline=main, bounded=names if bounded else ())
    rows = [tuple(value for pair in row for value in pair) for row in zip(*columns, strict=True)]
    ends = intervals(table, rows)[main]
    return {} if ends is None else {f"{main} 95 % low": ends[0], f"{main} 95 % high": ends[1]}


def _by_cluster(main: str, sums: Iterable[tuple[Any, Mapping[str, Sequence[float]]]]) -> list[tuple[float, float]]:
    rows: defaultdict[Any, list[Sequence[float]]] = defaultdict(list)
    for cluster, one in sums:
        if main in one:
            rows[cluster].append(one[main])
    return [(fsum(top for top, _ in own), fsum(bottom for _, bottom in own)) for own in rows.values()]


def explanation(session: Session) -> str:
    """How a session ended, and what failed in it, a line each."""
    lines = [f"{session.ending or 'running'}: {session.reason or session.cause or 'no reason'}"]
    failed = [
        f"turn {turn.turn}, {verdict.group}: expected {verdict.expected or '…'}; found {verdict.found or '…'}"
        for turn in session.turns
        for verdict in turn.verdicts
        if verdict.satisfied is False
    ]
    more = [f"… and {len(failed) - _MOST_SHOWN} more"] if len(failed) > _MOST_SHOWN else []
    count = f"{plural(len(failed), 'requirement')} failed" if failed else "nothing that was judged failed"
    return "\n".join([*lines, count, *failed[:_MOST_SHOWN], *more])


def session_object(session: Session, settings: RunSettings, *, hide_expected: bool = False) -> dict[str, Any]:
    """A session as JSON values: how it was played and ended, and the verdicts and scores of its turns.

    Args:
        session: Without answers.
        settings: Of its run.
        hide_expected: Leave out what was expected, since that gives answer keys away.
    """
    return {
        "scenario": settings.scenario,
        "options": dict(settings.options),
        "relevance": settings.relevance,
        **({} if settings.feedback == "none" else {"feedback": settings.feedback}),
        **{name: getattr(session, name) for name in _FIELDS},
        "turns": [_turn_object(turn, hide_expected) for turn in session.turns],
    }


_FIELDS = ("model", "dialogue", "epoch", "patience", "ending", "cause", "reason", "cap")


def _turn_object(turn: JudgedTurn, hide_expected: bool) -> dict[str, Any]:
    verdicts = [
        {"group": one.group, "satisfied": one.satisfied, "expected": one.expected, "found": one.found}
        for one in turn.verdicts
    ]
    scores = [asdict(score) for score in turn.scores]
    if hide_expected:
        for found in (*verdicts, *scores):
            found["expected"] = ""
    return {
        "turn": turn.turn, "seat": turn.seat, "labels": dict(turn.labels), "verdicts": verdicts, "scores": scores
    }  # fmt: skip


def session_of(stored: Mapping[str, Any]) -> Session:
    """The session of `session_object`."""
    turns = tuple(
        JudgedTurn(
            one["turn"],
            tuple(Verdict(**verdict) for verdict in one["verdicts"]),
            one["labels"],
            tuple(Score(**score) for score in one["scores"]),
            one["seat"],
        )
        for one in stored["turns"]
    )
    # Logs of earlier versions do not know the cap.
    known: dict[str, Any] = {name: stored[name] for name in _FIELDS if name in stored}
    return Session(**known, turns=turns)
