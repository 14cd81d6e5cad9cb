"""Import: from an export, or from files of the EvolIF authors, to a benchmark directory."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TypeVar

from evolif._errors import InputError, UsageError
from evolif.benchmark import Benchmark, Header, ImportedWriter, parse_turn, to_object
from evolif.domain import Turn
from evolif.exchange._authors import DIALOGS, STATES
from evolif.exchange._derive import NOTHING, Derivation, ForeignRow, parse_foreign
from evolif.exchange._export import new_folder
from evolif.exchange._extension import FIELD, Extension, Whole, parse_extension, parse_whole
from evolif.exchange._rows import Row
from evolif.exchange._sources import Place, Source, sources
from evolif.exchange._witnesses import Witnesses

MOST_TURNS = 10_000
"""Of one dialogue."""
LARGEST_NUMBER = 999_999
"""Of a dialogue."""
OWN = "evolif"

Made = TypeVar("Made")
Item = tuple[Place, Row, Extension | None]


@dataclass(frozen=True, slots=True)
class Imported:
    """What an import made."""

    path: Path
    format: str
    dialogues: int
    turns: int
    status: Mapping[str, int]
    """Turns by `satisfiable`, `awkward`, `impossible`, `undecided`; the first two have a witness."""
    extendable: bool
    """Whether it is a benchmark with its script, which an evaluation may extend."""
    changes: Mapping[str, int]
    """Turns in which `none` or `several` constraints change, of files without the field `evolif`."""

    @property
    def ceiling(self) -> float:
        """The share of turns that have a witness, from 0 to 1: no model can satisfy more."""
        return (self.status["satisfiable"] + self.status["awkward"]) / self.turns


@dataclass(slots=True)
class _Seen:
    """What the rows have told so far."""

    whole: Whole | None = None
    formats: set[str] = field(default_factory=set)
    numbers: set[int] = field(default_factory=set)
    changes: dict[str, int] = field(default_factory=lambda: {"none": 0, "several": 0})
    turns: int = 0

    def next_number(self) -> int:
        """A number that no dialogue has."""
        number = len(self.numbers) + 1
        while number in self.numbers:
            number += 1
        return number


def import_benchmark(path: Path | str, out: Path | str, progress: Callable[[int, int], None] | None = None) -> Imported:
    """Make a benchmark of exported rows or of the authors' files.

    Args:
        path: A `.jsonl`, `.parquet` or `.arrow` file, or a folder of them.
        out: The folder to make.
        progress: Called with (files done, files to do).

    Raises:
        UsageError: nothing to import, or `out` is taken.
        InputError: a row that cannot be used; names the file and the line.
        OutsideError: the disk.
    """
    files = sources(Path(path))
    seen, witnesses, target = _Seen(), Witnesses(), Path(out)
    with new_folder(target) as folder:
        writer = ImportedWriter(folder)
        for done, source in enumerate(files, 1):
            for items in _dialogues(source, seen):
                turns = [witnesses.give(turn) for turn in _turns(items, seen)]
                writer.add(turns, source.path.name[:120])
                seen.turns += len(turns)
            if progress is not None:
                progress(done, len(files))
        if not seen.numbers:
            raise UsageError(f"{path} holds no turn")
        header = _finish(writer, seen, Path(path))
        _refuse_unopenable(folder, target, Path(path))
    return Imported(
        target,
        ", ".join(sorted(seen.formats)),
        writer.dialogues,
        seen.turns,
        dict(witnesses.counts),
        header is not None and header.imported is None,
        dict(seen.changes),
    )


def _refuse_unopenable(folder: Path, target: Path, path: Path) -> None:
    """See that what was written opens: header and catalogues came as they are."""
    try:
        Benchmark(folder)
    except UsageError as fault:
        told = str(fault).replace(str(folder), str(target))
        raise InputError(f"the field “{FIELD}” of its first row holds no whole benchmark: {told}", path=path) from None


def _finish(writer: ImportedWriter, seen: _Seen, path: Path) -> Header | None:
    if seen.whole is None:
        writer.finish_foreign(", ".join(sorted(seen.formats)))
        return None
    missing = [name for name in ("topics.jsonl", "personas.jsonl") if name not in seen.whole.catalogues]
    if missing:
        raise InputError(f"the field “{FIELD}” holds no {missing[0]}; export the benchmark again", path=path)
    writer.finish(seen.whole.header, seen.whole.catalogues)
    return seen.whole.header


def _dialogues(source: Source, seen: _Seen) -> Iterator[list[Item]]:
    """The rows of a file, dialogue by dialogue."""
    items: list[Item] = []
    for place, row in source.rows():
        kind = _kind(row, place)
        found = _extension(row, place)
        if found is not None and found.benchmark is not None:
            seen.whole = _located(place, partial(parse_whole, found.benchmark))
        seen.formats.add(kind)
        if items and _begins(items[-1][1], row, kind):
            yield items
            items = []
        items.append((place, row, found))
        if len(items) > MOST_TURNS:
            raise place.complaint(f"a dialogue has at most {MOST_TURNS} turns; split the file")
    if items:
        yield items


def _begins(before: Row, row: Row, kind: str) -> bool:
    """Whether a row begins another dialogue than the one before."""
    return bool(before.get("dialogue") != row.get("dialogue") if kind == OWN else row.get("turn") == 1)


def _kind(row: Row, place: Place) -> str:
    if "instructions" in row:
        return DIALOGS if row.get("user_query_verified") or row.get("user_query") else STATES
    if "answer" in row and "model" in row:
        raise place.complaint("this is the export of a run; import what a benchmark was exported to")
    if "constraints" in row and "dialogue" in row:
        return OWN
    raise place.complaint(
        "neither a turn that evolif has exported nor a line of the EvolIF authors (turn, active_topic, instructions)"
    )


def _extension(row: Row, place: Place) -> Extension | None:
    data = row.get(FIELD)
    return None if data is None else _located(place, partial(parse_extension, data))


def _turns(items: list[Item], seen: _Seen) -> Iterator[Turn]:
    foreign = "instructions" in items[0][1]
    number = None if foreign else 0
    lines = _foreign_lines(items, seen) if foreign else ((place, row) for place, row, _ in items)
    for expected, (place, line) in enumerate(lines, 1):
        turn = _located(place, partial(parse_turn, line))
        if turn.turn != expected:
            raise place.complaint(f"turn {turn.turn} stands where turn {expected} should; restore the missing lines")
        if expected == 1:
            number = turn.dialogue
            _claim(number, place, seen)
        if turn.dialogue != number:
            raise place.complaint(f"the line belongs to dialogue {turn.dialogue}, and the one before to {number}")
        yield turn


def _claim(number: int, place: Place, seen: _Seen) -> None:
    if number > LARGEST_NUMBER:
        raise place.complaint(f"dialogues are numbered up to {LARGEST_NUMBER}, this one is {str(number)[:20]}")
    if number in seen.numbers:
        raise place.complaint(f"dialogue {number} was there before; keep the rows of a dialogue together")
    seen.numbers.add(number)


def _foreign_lines(items: list[Item], seen: _Seen) -> Iterator[tuple[Place, Row]]:
    rows: list[ForeignRow] = [_located(place, partial(parse_foreign, row)) for place, row, _ in items]
    told = next((found.line.get("dialogue") for _, _, found in items if found is not None), None)
    dialogue = told if isinstance(told, int) and told >= 0 else seen.next_number()
    derivation = _located(items[0][0], partial(Derivation, dialogue, rows))
    for (place, _, found), row in zip(items, rows, strict=True):
        turn = _located(place, partial(derivation.turn, row))
        line = to_object(turn)
        if found is None:
            _count_changes(turn, seen)
        else:
            line |= found.line
        if line["operation"] == to_object(turn)["operation"] and turn.operation == NOTHING:
            raise place.complaint("nothing is asked of the answer, and nothing was asked before; leave the line out")
        yield place, line


def _count_changes(turn: Turn, seen: _Seen) -> None:
    for finding in turn.findings:
        seen.changes["none"] += finding.startswith("imported: nothing changes")
        seen.changes["several"] += " changes in one turn" in finding


def _located(place: Place, make: Callable[[], Made]) -> Made:
    """What is made of a row; complaints name its place."""
    try:
        return make()
    except UsageError as fault:
        raise place.complaint(fault) from None
