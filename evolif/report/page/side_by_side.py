"""The page of two models' transcripts side by side, in order of how much they differ."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from markupsafe import Markup

from evolif._version import __version__
from evolif.errors import OutsideError, UsageError
from evolif.metrics.shown import metric_text
from evolif.report.analysis import ModelAnalysis
from evolif.report.page.evidence import one_line
from evolif.report.page.paired_sessions import (
    PairedSession,
    PairedSessions,
    Tallies,
    TurnDifference,
    most_frequent,
    paired_sessions,
)
from evolif.report.page.transcript_cache import asset, environment
from evolif.report.page.transcripts import (
    FaultRow,
    PromptReader,
    SessionHead,
    TurnView,
    Unlike,
    exhibits_of,
    faults_of,
    session_head,
    turn_views,
)
from evolif.report.wording import notice
from evolif.scenario import Exhibit
from evolif.text import plural
from evolif.types import Session
from evolif.util.files import workshop

MOST_BYTES = 10_000_000
"""Of all dialogues of a page together."""
MOST_DIALOGUES = 100
_MOST_GROUPS = 12
"""Rows of the table of what is decided otherwise."""


class Row(NamedTuple):
    """One turn as the template shows it."""

    turn: int
    views: tuple[TurnView | None, TurnView | None]
    """None for a model that was not asked."""
    is_shared: bool
    """Whether both were asked the same, which is then shown once."""
    found: TurnDifference

    @property
    def first(self) -> TurnView:
        """The view that what both share is taken from."""
        mine, theirs = self.views
        made = mine or theirs
        assert made is not None  # a row is made of at least one
        return made

    @property
    def is_partner(self) -> bool:
        """Whether somebody else than the model under test spoke."""
        return self.first.record.prompt.seat != "target"


@dataclass(frozen=True, slots=True)
class _Side:
    """A model on the page."""

    analysis: ModelAnalysis
    label: str
    reader: PromptReader
    faults: Mapping[tuple[str, int], tuple[FaultRow, ...]]

    def rows(self, number: int, session: Session, unlike: Mapping[int, Unlike]) -> dict[int, TurnView]:
        """The turns of a session, by their numbers."""
        records = self.analysis.of.run.store.turns(number)
        return {view.record.turn: view for view in turn_views(session, records, self.reader, unlike)}

    def head(self, place: int, session: Session, views: Mapping[int, TurnView]) -> SessionHead:
        """The summary of a session."""
        faults = self.faults.get((session.model, session.dialogue), ())
        records = [view.record for view in views.values()]
        return session_head(place, 0, session, records, faults, cap=self.analysis.of.settings.max_turns)

    def exhibits(self, views: Mapping[int, TurnView]) -> tuple[Exhibit, ...]:
        """What the scenario shows above a transcript."""
        return exhibits_of([view.record for view in views.values()], self.reader.scenario)

    def partner(self) -> str:
        """Who takes the other seat."""
        return self.reader.speaker(self.analysis.name)


def write_page(
    a: ModelAnalysis, b: ModelAnalysis, out: Path, dialogues: Sequence[int] | None, labels: tuple[str, str] | None
) -> Path:
    """See `evolif.report.page.write_side_by_side`."""
    _refuse_others(a, b, dialogues)
    found = paired_sessions(a, b, dialogues)
    if not found.pairs:
        raise UsageError(f"{a.name} and {b.name} have no dialogue in common, so there is nothing to show side by side")
    names = labels or _labels(a, b)
    sides = _side(a, names[0]), _side(b, names[1])
    try:
        with workshop(out) as folder:
            draft = folder / "page"
            draft.write_text(_page(sides, found), encoding="utf-8")
            os.replace(draft, out)
    except OSError as fault:
        raise OutsideError(f"{out}: the page cannot be written ({fault.strerror or fault})") from fault
    return out


def _refuse_others(a: ModelAnalysis, b: ModelAnalysis, dialogues: Sequence[int] | None) -> None:
    """Refuse two models that were not asked the same, and dialogues that are not there.

    Raises:
        UsageError: such models or dialogues.
    """
    one, other = a.of.settings, b.of.settings
    if (one.scenario, one.benchmark) != (other.scenario, other.benchmark):
        raise UsageError(
            f"{a.of.name} and {b.of.name} were played on different benchmarks, so no dialogue of theirs is the same; "
            "name two runs on one benchmark"
        )
    if a.of.run.path == b.of.run.path and a.name == b.name:
        raise UsageError(f"{a.name} stands on both sides; name two models, or one model in two runs")
    both = set(one.dialogues) & set(other.dialogues)
    unknown = [number for number in dialogues or () if number not in both]
    if unknown:
        raise UsageError(f"dialogue {unknown[0]} is not in both runs; they share {_listed(sorted(both))}")


def _listed(numbers: Sequence[int]) -> str:
    few = ", ".join(map(str, numbers[:10]))
    return f"{few} and {len(numbers) - 10} more" if len(numbers) > 10 else few or "none"


def _labels(a: ModelAnalysis, b: ModelAnalysis) -> tuple[str, str]:
    """The models' names; of one model in two runs, with the runs'."""
    if a.name != b.name:
        return a.name, b.name
    mine, other = a.of.name, b.of.name
    if mine == other:
        mine, other = "first run", "second run"
    return f"{a.name} ({mine})", f"{b.name} ({other})"


def _side(analysis: ModelAnalysis, label: str) -> _Side:
    run = analysis.of.run
    return _Side(analysis, label, PromptReader(run), faults_of(run))


def _page(sides: tuple[_Side, _Side], found: PairedSessions) -> str:
    bodies: list[Markup] = []
    has_pictures, left = False, MOST_BYTES
    for place, pair in enumerate(found.pairs[:MOST_DIALOGUES], start=1):
        text, pictures = _dialogue(sides, pair, place)
        left -= len(text.encode())
        if left < 0 and bodies:
            break
        bodies.append(Markup(text))
        has_pictures = has_pictures or pictures
    scenarios = {side.reader.scenario.presentation.requirement for side in sides}
    return (
        environment()
        .get_template("side_by_side.html")
        .render(
            style=asset("base.css", "transcript.css", "side_by_side.css"),
            script=asset("side_by_side.js", "transcript.js"),
            version=__version__,
            labels=[side.label for side in sides],
            title=" and ".join(one_line(side.label) for side in sides),
            lead=_lead(found),
            left_out=_left_out(found, len(bodies), sides),
            not_comparable=notice(side.analysis.of.settings for side in sides),
            tables=[*_tables(found, scenarios.pop())],
            bodies=bodies,
            pictures=has_pictures,
        )
    )


def _tables(found: PairedSessions, requirement: str) -> Iterator[tuple[tuple[str, str, str], Tallies, int]]:
    """The heads and rows of what differs, and how many rows are left out."""
    heads = (
        ((requirement, "satisfied for A alone", "for B alone"), found.groups),
        (("score", "higher for A", "higher for B"), found.names),
    )
    for head, tallies in heads:
        if tallies:
            shown = dict(most_frequent(tallies)[:_MOST_GROUPS])
            yield head, shown, len(tallies) - len(shown)


def _dialogue(sides: tuple[_Side, _Side], pair: PairedSession, place: int) -> tuple[str, bool]:
    """The transcripts of one dialogue, and whether there are pictures in it."""
    unlike: tuple[dict[int, Unlike], dict[int, Unlike]] = ({}, {})
    for turn, one in pair.turns.items():
        for which in (0, 1):
            unlike[which][turn] = {v[which] for v in one.verdicts}, {s[which] for s in one.scores}
    views = tuple(
        side.rows(number, session, differs)
        for side, number, session, differs in zip(sides, pair.numbers, pair.sessions, unlike, strict=True)
    )
    exhibits = [side.exhibits(own) for side, own in zip(sides, views, strict=True)]
    if exhibits[0] == exhibits[1]:
        exhibits.pop()
    text = (
        environment()
        .get_template("pair.html")
        .render(
            pair=pair,
            place=place,
            sides=sides,
            heads=[
                side.head(place, session, own) for side, session, own in zip(sides, pair.sessions, views, strict=True)
            ],
            rows=list(_rows(views[0], views[1], pair)),
            exhibits=exhibits,
            result=_result(pair, sides[0]),
            whys=[_why_not(session) for session in pair.sessions],
            requirement=sides[0].reader.scenario.presentation.requirement,
        )
    )
    return text, any(one.pictures for own in exhibits for one in own)


def _rows(mine: Mapping[int, TurnView], theirs: Mapping[int, TurnView], pair: PairedSession) -> Iterator[Row]:
    for turn in sorted(mine.keys() | theirs.keys()):
        views = mine.get(turn), theirs.get(turn)
        yield Row(turn, views, _asked_alike(*views), pair.turns.get(turn, TurnDifference()))


def _asked_alike(mine: TurnView | None, theirs: TurnView | None) -> bool:
    """Whether one of two prompts says it for both; where one model was asked alone, its own does."""
    if mine is None or theirs is None:
        return True
    one, other = mine.record.prompt, theirs.record.prompt
    return (one.seat, one.messages) == (other.seat, other.messages)


def _why_not(session: Session) -> str:
    """Why a model was not asked, for turns after its last one."""
    if session.ending is None:
        return "the session has not ended"
    return session.reason or session.ending


def _lead(found: PairedSessions) -> str:
    dialogues = plural(len(found.pairs), "dialogue", spec=",")
    first = " Those with the most differences come first." if len(found.pairs) > 1 else ""
    return f"{dialogues}, {found.told}.{first}"


def _result(pair: PairedSession, side: _Side) -> str:
    """The main metric of both sessions, in words; empty where the scenario has none of its own."""
    table = side.reader.scenario.table(side.analysis.of.settings.options)
    if table is None or pair.results == (None, None):
        return ""
    metric = table.metric(table.main)
    first, second = ("–" if value is None else metric_text(metric, value) for value in pair.results)
    return f"{metric.label} {first} and {second}{' %' if metric.unit == 'rate' else ''}"


def _left_out(found: PairedSessions, shown: int, sides: tuple[_Side, _Side]) -> str:
    told = []
    if missing := found.pairs[shown:]:
        differing = sum(pair.verdicts[0] + pair.scores[0] for pair in missing)
        told.append(
            f"Only the first {plural(shown, 'dialogue', spec=',')} are shown, as a page holds at most "
            f"{MOST_DIALOGUES} or {MOST_BYTES // 1_000_000} MB: {plural(len(missing), 'dialogue', spec=',')} with "
            f"{plural(differing, 'difference', spec=',')} are left out."
        )
    for side, number in zip(sides, found.alone, strict=True):
        if number:
            told.append(f"{plural(number, 'dialogue', spec=',')} that only {one_line(side.label)} played are not here.")
    return " ".join(told)
