"""Pages of more sessions than one list holds: some dialogues in one file, or all of them in shards beside the page."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from urllib.parse import quote

from markupsafe import Markup

import evolif.report.page.page as page
from evolif.report.page.evidence import one_line
from evolif.report.page.jobs import Job, selection_of, shards_of, working
from evolif.report.page.page import Content, Page, Plan, Sheet, Written, models_shown
from evolif.report.page.selection import MOST_DIALOGUES, Reason, Selected, Selection
from evolif.report.page.session_index import SessionIndex
from evolif.report.page.shards import ShardRoom, data_folder, remove_shards
from evolif.report.page.transcript_cache import sessions_of
from evolif.text import plural

MOST_SESSIONS = 1_000
"""Of a page that lists them all as elements, with a file for each beside it; more are slow to open and hard to move.
Sessions count and not turns: what is too long for a small page goes to its folder, one transcript at a time."""

MOST_BYTES = 30_000_000
"""Of a page with chosen dialogues in it: room for a hundred of five models with short answers."""


def write(plan: Plan, path: Path, *, whole: bool, most_sessions: int = MOST_SESSIONS) -> Written:
    """Write a page.

    Args:
        plan: What it is about.
        path: The file; an earlier page of that name is replaced, with what it had beside it.
        whole: Whether all transcripts of many sessions are wanted, in shards, or some dialogues in the page itself.
        most_sessions: With more sessions, they are many.

    Raises:
        OutsideError: It cannot be written.
    """
    models: Sequence[frozenset[str] | None] = plan.chosen or [None] * len(plan.analyses)
    if _sessions(plan, models) <= most_sessions:
        made = page.write(plan, path)
        remove_shards(path)
        return made
    with page.making(path) as (place, draft):
        job = Job(plan.runs, models, plan.seed, None if whole else MOST_BYTES)
        with working(job, place) as workers:
            told = plan.content()
            if whole:
                return _ShardedPage(plan, path, told, draft).write(shards_of(job, place, workers))
            return _ChosenPage(plan, path, told, selection_of(job, place, workers), draft).write()


def _sessions(plan: Plan, models: Sequence[frozenset[str] | None]) -> int:
    return sum(
        len(sessions_of(run, name))
        for run, own in zip(plan.runs, models, strict=True)
        for name in run.models
        if own is None or name in own
    )


_REASONS: Mapping[Reason, str] = {
    "differ": "where models are furthest apart in turns and failed turns",
    "early": "that ended earliest",
    "long": "that lasted longest",
}


class _ChosenPage(Page):
    """One file with the transcripts of chosen dialogues."""

    def __init__(self, plan: Plan, path: Path, content: Content, selection: Selection, draft: Path) -> None:
        super().__init__(plan, path, content, selection.transcripts, draft)
        self._selection = selection
        self._benchmarks = len({run.settings.benchmark for run in plan.analyses})

    def write(self) -> Written:
        """Decide by size how many of the chosen dialogues stand in the page, and write it."""
        rendered, self._listed = self._listed, []
        inside = fitting(self._selection.selected, self._room(MOST_BYTES))
        numbers = {number for one in inside for number in one.numbers}
        self._listed = [head for head in rendered if head.number in numbers]
        size = self._write(lambda number: Markup(self._transcripts.read(number)), self._told(inside))
        page.remove_side(self._path)
        remove_shards(self._path)
        note = (
            f", with {len(inside):,} of {self._selection.dialogues:,} dialogues. For all of them name a folder "
            "(--html FOLDER/), or add --zip"
        )
        is_all = len(inside) == self._selection.dialogues
        return Written(self._path, size, self._selection.sessions, len(numbers), None, "" if is_all else note)

    def _choice(self, inside: set[int]) -> str:
        return self._told(self._selection.selected)

    def _told(self, inside: Sequence[Selected]) -> str:
        """Which dialogues are here, how they were chosen, and how to get all."""
        total = self._selection
        if len(inside) == total.dialogues:
            return f"All {plural(total.sessions, 'transcript', spec=',')} are in this page."
        sessions = sum(len(one.numbers) for one in inside)
        kinds = [*filter(None, (self._kind(reason, inside) for reason in _REASONS))]
        if drawn := sum(one.reason == "drawn" for one in inside):
            kinds.append(f"{drawn} drawn with seed {self._seed}")
        chosen = min(MOST_DIALOGUES, total.dialogues)
        cut = f" Of {chosen} that were chosen, these are as many as fit into {MOST_BYTES // 1_000_000} MB."
        return (
            f"{len(inside):,} of {plural(total.dialogues, 'dialogue', spec=',')} are in this page, each with the "
            f"sessions of all models: {sessions:,} of {plural(total.sessions, 'transcript', spec=',')}. They are: "
            f"{'; '.join(kinds) or 'none'}.{cut if len(inside) < chosen else ''} Figures and tables are about all "
            "dialogues. For all transcripts, have the page written to a folder (--html FOLDER/) or an archive (--zip)."
        )

    def _kind(self, reason: Reason, inside: Sequence[Selected]) -> str:
        numbers = sorted(one.dialogue for one in inside if one.reason == reason)
        if not numbers:
            return ""
        # Of several benchmarks, a number says nothing.
        which = f" ({', '.join(map(str, numbers))})" if self._benchmarks == 1 else ""
        return f"{len(numbers)} {_REASONS[reason]}{which}"


def fitting(selected: Iterable[Selected], room: int) -> list[Selected]:
    """As many dialogues, in the given order, as there is room for.

    One that would take more than half of it is skipped. The first other one without room ends the list: going on with
    shorter ones would favour dialogues that ended early.

    Args:
        selected: Dialogues.
        room: Bytes.
    """
    half, taken = room // 2, []
    for one in selected:
        if one.bytes > half:
            continue
        room -= one.bytes
        if room < 0:
            break
        taken.append(one)
    return taken


class _ShardedPage(Sheet):
    """A page with the list of all sessions, and their transcripts in shards beside it."""

    def write(self, room: ShardRoom) -> Written:
        """Write the page, once all shards are there."""
        index = SessionIndex()
        for unit in room.rendered():
            index.add(unit)
        folder = data_folder(self._path)
        folder.mkdir(exist_ok=True)
        for name, _ in index.shards:
            os.replace(room.data / name, folder / name)
        size = self._replace(self._pieces(index, folder.name))
        # Only now, so that the earlier page has its shards as long as it is there.
        remove_shards(self._path, frozenset(name for name, _ in index.shards))
        page.remove_side(self._path)
        note = f", with all {plural(len(index), 'transcript', spec=',')} in {folder}; keep the two together"
        return Written(self._path, size, len(index), 0, folder, note)

    def _pieces(self, index: SessionIndex, folder: str) -> Iterable[str]:
        shown = models_shown(index.models, self._analyses)
        names = [one_line(name) for _, name in index.models]
        models = [(key, name, label) for name, (key, label) in zip(names, shown, strict=True)]
        return self._stream(
            "sharded.html",
            ("transcript.js", "sharded.js"),
            ("base.css", "transcript.css", "page.css", "sharded.css"),
            shards=True,
            pictures=index.pictures,
            folder=folder,
            number=len(index),
            files=len(index.shards),
            index=index.pieces(models, quote(folder)),
        )
