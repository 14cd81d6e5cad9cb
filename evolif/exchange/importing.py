"""Import: from an export, or from files of the EvolIF authors, to a benchmark directory."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any, NoReturn, TypeVar, get_args

from evolif.audit import Satisfiability, Status, satisfiability, witness_faults
from evolif.errors import InputError, UsageError
from evolif.exchange.authors import DIALOGS, NOTHING, STATES, Derivation, ForeignRow, parse_foreign
from evolif.exchange.exporting import new_folder
from evolif.exchange.rows import FIELD, Extension, Row, Whole, arrow_rows, parquet_rows, parse_extension, parse_whole
from evolif.instructions import Benchmark, Header, ImportedWriter, parse_turn, to_object
from evolif.types import Turn
from evolif.witness import Refusal, build_fallback, build_witness

# What can be imported: files and folders, read row by row as the hostile input they may be.

LONGEST_LINE = 32 << 20
"""Bytes of one line."""
DEEPEST = 40
"""Objects and lists inside each other."""


@dataclass(frozen=True, slots=True)
class RowPlace:
    """Where a row stands."""

    path: Path
    number: int
    """Line or row, counted from 1."""
    word: str = "line"

    def complaint(self, told: object) -> InputError:
        """An error that names the place."""
        if self.word == "line":
            return InputError(str(told), path=self.path, line=self.number)
        return InputError(f"row {self.number}: {told}", path=self.path)


Rows = Iterator[tuple[RowPlace, Row]]


@dataclass(frozen=True, slots=True)
class ImportFile:
    """One file of an import."""

    path: Path
    read: Callable[[Path], Rows]

    def rows(self) -> Rows:
        """Its rows in order."""
        return self.read(self.path)


def sources(path: Path) -> list[ImportFile]:
    """The files to import, in their natural order.

    Raises:
        UsageError: there is nothing that can be imported.
    """
    if path.is_dir():
        return _of_folder(path)
    if not path.is_file():
        raise UsageError(f"{path} does not exist; name an exported file or folder, or one of the EvolIF authors' files")
    reader = {".parquet": _parquet, ".arrow": _arrow}.get(path.suffix, json_rows)
    return [ImportFile(path, reader)]


def _of_folder(path: Path) -> list[ImportFile]:
    if (path / "benchmark.json").exists():
        raise UsageError(f"{path} is a benchmark already; use it as it is, or copy the folder")
    if (path / "dataset_dict.json").exists():
        raise UsageError(f"{path} holds several splits; name the folder of one of them")
    for pattern, reader in (
        ("*.arrow", _arrow),
        ("*.parquet", _parquet),
        ("data/*.parquet", _parquet),
        ("*.jsonl", json_rows),
        ("data/*.jsonl", json_rows),
    ):
        found = sorted((file for file in path.glob(pattern) if file.is_file()), key=natural)
        if found:
            return [ImportFile(file, reader) for file in found]
    raise UsageError(f"{path} holds no .jsonl, .parquet or .arrow file; name another folder")


def natural(path: Path) -> list[tuple[int, int | str]]:
    """A key that sorts `dialog_10` behind `dialog_9`."""
    parts = re.split(r"(\d{1,18})", path.name)
    return [(0, int(part)) if part.isascii() and part.isdigit() else (1, part) for part in parts]


def json_rows(path: Path) -> Rows:
    """The objects of a JSONL file."""
    try:
        with path.open("rb") as file:
            number = 0
            while line := file.readline(LONGEST_LINE + 1):
                number += 1
                place = RowPlace(path, number)
                if len(line) > LONGEST_LINE:
                    raise place.complaint(f"longer than {LONGEST_LINE >> 20} MiB; give every turn a line of its own")
                if line.strip():
                    yield place, _object(line, place)
    except OSError as fault:
        raise InputError(f"cannot be read ({fault.strerror})", path=path) from None


def _object(line: bytes, place: RowPlace) -> Row:
    try:
        text = line.decode("utf-8").removeprefix("\ufeff")
    except UnicodeDecodeError:
        raise place.complaint("not UTF-8; save the file as UTF-8") from None
    data = parse_json(text, place)
    if not isinstance(data, dict):
        raise place.complaint("not a JSON object; mend or delete the line")
    return _untyped(data, place)


def parse_json(text: str, place: RowPlace, what: str = "") -> Any:
    """JSON without numbers that are none, not nested too deeply, and without half characters.

    Args:
        text: The JSON.
        place: Where it stands.
        what: What it is, where it is not the whole line.

    Raises:
        InputError: it is not.
    """
    try:
        data = json.loads(text, parse_constant=_refuse)
    except (ValueError, RecursionError):  # a number of thousands of digits is a plain ValueError
        raise place.complaint(f"{what}not JSON; mend or delete the line") from None
    if "\\u" in text:
        try:
            json.dumps(data, ensure_ascii=False).encode("utf-8")
        except (UnicodeEncodeError, RecursionError):
            raise place.complaint("it holds half a character (\\ud800…\\udfff); mend or delete the line") from None
    _refuse_depth(data, place)
    return data


def _refuse(constant: str) -> NoReturn:
    raise ValueError(constant)


def _refuse_depth(data: Any, place: RowPlace) -> None:
    level = [data]
    for _ in range(DEEPEST):
        level = (
            [
                inner
                for outer in level
                for inner in (outer.values() if isinstance(outer, dict) else outer)
                if isinstance(inner, (dict, list))
            ]
            if isinstance(level[0] if level else None, (dict, list))
            else []
        )
        if not level:
            return
    raise place.complaint(f"nested deeper than {DEEPEST} levels; mend or delete the line")


def _parquet(path: Path) -> Rows:
    return _numbered(parquet_rows(path), path)


def _arrow(path: Path) -> Rows:
    return _numbered(arrow_rows(path), path)


def _numbered(rows: Iterator[Row], path: Path) -> Rows:
    for number, row in enumerate(rows, 1):
        place = RowPlace(path, number, "row")
        yield place, _untyped(row, place)


def _untyped(row: Row, place: RowPlace) -> Row:
    """Columns of JSON text as what they say; a table that was turned into JSONL has them too."""
    told = dict(row)
    for name in ("constraints", "evolif"):
        if isinstance(told.get(name), str):
            told[name] = parse_json(told[name], place, f"the field “{name}” is ")
    change = told.get("operation")
    if isinstance(change, dict):
        told["operation"] = {
            key: parse_json(part, place, f"“{key}” is ")
            if key in ("before", "after") and isinstance(part, str)
            else part
            for key, part in change.items()
        }
    return told


# Answer keys of imported turns: kept where they pass, built where none came along, absent where there is none.

STATUSES: tuple[str, ...] = get_args(Status)


class Witnesses:
    """Gives turns their witness and counts what can be satisfied."""

    def __init__(self) -> None:
        self.counts = dict.fromkeys(STATUSES, 0)
        self._known: dict[tuple[str, tuple[str, ...]], tuple[str | None, str]] = {}

    def give(self, turn: Turn) -> Turn:
        """The turn with a text that every rule checker passes; with None where there is none, or none was found."""
        text = turn.witness or ""
        if text.strip() and not witness_faults(turn.constraints, text):  # an empty answer fails whatever is asked
            self.counts["satisfiable"] += 1
            return turn
        key = (repr(turn.constraints), turn.topic.keywords)
        if key not in self._known:
            self._known = {} if len(self._known) > 1000 else self._known
            self._known[key] = _built(turn)
        built, status = self._known[key]
        self.counts[status] += 1
        return replace(turn, witness=built)


def _built(turn: Turn) -> tuple[str | None, str]:
    constraints, keywords = turn.constraints, turn.topic.keywords
    text = build_witness(constraints, keywords)
    if isinstance(text, str):
        return text, "satisfiable"
    found: Satisfiability = satisfiability(constraints, keywords)
    if found.status in ("impossible", "undecided"):
        return None, found.status
    built = build_fallback(constraints, keywords)
    return (None, "undecided") if isinstance(built, Refusal) else (built.text, found.status)


MOST_TURNS = 10_000
"""Of one dialogue."""
LARGEST_NUMBER = 999_999
"""Of a dialogue."""
OWN = "evolif"

Made = TypeVar("Made")
ImportItem = tuple[RowPlace, Row, Extension | None]


@dataclass(frozen=True, slots=True)
class ImportResult:
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


def import_benchmark(
    path: Path | str, out: Path | str, progress: Callable[[int, int], None] | None = None
) -> ImportResult:
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
    return ImportResult(
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


def _dialogues(source: ImportFile, seen: _Seen) -> Iterator[list[ImportItem]]:
    """The rows of a file, dialogue by dialogue."""
    items: list[ImportItem] = []
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


def _kind(row: Row, place: RowPlace) -> str:
    if "instructions" in row:
        return DIALOGS if row.get("user_query_verified") or row.get("user_query") else STATES
    if "answer" in row and "model" in row:
        raise place.complaint("this is the export of a run; import what a benchmark was exported to")
    if "constraints" in row and "dialogue" in row:
        return OWN
    raise place.complaint(
        "neither a turn that evolif has exported nor a line of the EvolIF authors (turn, active_topic, instructions)"
    )


def _extension(row: Row, place: RowPlace) -> Extension | None:
    data = row.get(FIELD)
    return None if data is None else _located(place, partial(parse_extension, data))


def _turns(items: list[ImportItem], seen: _Seen) -> Iterator[Turn]:
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


def _claim(number: int, place: RowPlace, seen: _Seen) -> None:
    if number > LARGEST_NUMBER:
        raise place.complaint(f"dialogues are numbered up to {LARGEST_NUMBER}, this one is {str(number)[:20]}")
    if number in seen.numbers:
        raise place.complaint(f"dialogue {number} was there before; keep the rows of a dialogue together")
    seen.numbers.add(number)


def _foreign_lines(items: list[ImportItem], seen: _Seen) -> Iterator[tuple[RowPlace, Row]]:
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


def _located(place: RowPlace, make: Callable[[], Made]) -> Made:
    """What is made of a row; complaints name its place."""
    try:
        return make()
    except UsageError as fault:
        raise place.complaint(fault) from None
