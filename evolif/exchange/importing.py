"""Import exports and files of the EvolIF authors as a benchmark directory; the files are untrusted input."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal, NoReturn, get_args

from evolif.errors import InputError, UsageError
from evolif.exchange.authors import DIALOGS, NOTHING, STATES, Derivation, parse_foreign
from evolif.exchange.rows import FIELD, Extension, Row, Shared, parse_extension, parse_shared
from evolif.exchange.tables import NESTED, from_columns
from evolif.exchange.unpacking import LONGEST_LINE, unpacked_rows
from evolif.scenarios.instructions import Header, InstructionBenchmark, to_object
from evolif.scenarios.instructions.audit.satisfiability import Status, satisfiability, witness_faults
from evolif.scenarios.instructions.folder import ImportedWriter
from evolif.scenarios.instructions.turn_lines import parse_turn
from evolif.scenarios.instructions.turns import Turn
from evolif.scenarios.instructions.witness import Refusal, build_fallback, build_witness
from evolif.util.files import new_path
from evolif.util.suggestions import near_path

DEEPEST = 40
"""Maximum nesting of objects and lists."""
MOST_TURNS = 10_000
"""Maximum turns of a dialogue."""
LARGEST_NUMBER = 999_999
"""Maximum number of a dialogue."""
OWN = "evolif"
_TABLES: Mapping[str, Literal["parquet", "arrow"]] = {".parquet": "parquet", ".arrow": "arrow"}


@dataclass(frozen=True, slots=True)
class ImportResult:
    """The result of an import."""

    path: Path
    format: str
    dialogues: int
    turns: int
    status: Mapping[str, int]
    """Turns by `satisfiable`, `awkward`, `impossible`, `undecided`; the first two have witnesses."""
    extendable: bool
    """Whether the benchmark has its script, so that an evaluation may extend it."""
    changes: Mapping[str, int]
    """Turns in which `none` or `several` constraints change, of files without the field `evolif`."""

    @property
    def ceiling(self) -> float:
        """The share of turns with a witness, from 0 to 1: an upper bound for every model."""
        return (self.status["satisfiable"] + self.status["awkward"]) / self.turns


def import_benchmark(
    path: Path | str, out: Path | str, progress: Callable[[int, int], None] | None = None
) -> ImportResult:
    """Make a benchmark from exported rows or from the authors' files.

    Args:
        path: A `.jsonl`, `.parquet` or `.arrow` file, or a folder of them.
        out: The folder to create.
        progress: Called with (files done, files in total).

    Raises:
        UsageError: there is nothing to import, or `out` already exists.
        InputError: a row is invalid; names the file and the line.
        OutsideError: the disk failed.
    """
    source, target = Path(path), Path(out)
    files = _find_files(source)
    state, witnesses = _ImportState(), _Witnesses()
    with new_path(target, is_folder=True) as folder:
        writer = ImportedWriter(folder)
        for done, file in enumerate(files, 1):
            for items in _dialogues(file, state):
                writer.add([witnesses.complete(turn) for turn in _turns(items, state)], file.name[:120])
            if progress is not None:
                progress(done, len(files))
        if not state.numbers:
            raise UsageError(f"{path} contains no turns")
        header = _finish(writer, state, source)
        try:
            InstructionBenchmark(folder)  # header and catalogues were copied unchecked
        except UsageError as fault:
            reason = str(fault).replace(str(folder), str(target))
            message = f"the field “{FIELD}” of its first row does not contain a complete benchmark: {reason}"
            raise InputError(message, path=source) from None
    return ImportResult(
        target,
        ", ".join(sorted(state.formats)),
        writer.dialogues,
        sum(witnesses.counts.values()),
        dict(witnesses.counts),
        header is not None and header.imported is None,
        dict(state.changes),
    )


def _finish(writer: ImportedWriter, state: _ImportState, path: Path) -> Header | None:
    if state.shared is None:
        writer.finish_foreign(", ".join(sorted(state.formats)))
        return None
    header, catalogues = state.shared
    missing = [name for name in ("topics.jsonl", "personas.jsonl") if name not in catalogues]
    if missing:
        raise InputError(f"the field “{FIELD}” has no {missing[0]}; export the benchmark again", path=path)
    writer.finish(header, catalogues)
    return header


@dataclass(slots=True)
class _ImportState:
    """What is known from the rows so far."""

    shared: Shared | None = None
    formats: set[str] = field(default_factory=set)
    numbers: set[int] = field(default_factory=set)
    """Numbers of dialogues."""
    changes: dict[str, int] = field(default_factory=lambda: {"none": 0, "several": 0})

    def free_number(self) -> int:
        number = len(self.numbers) + 1
        while number in self.numbers:
            number += 1
        return number

    def claim(self, number: int, place: RowPlace) -> None:
        if number > LARGEST_NUMBER:
            raise place.error(f"dialogue numbers end at {LARGEST_NUMBER}, this one is {str(number)[:20]}")
        if number in self.numbers:
            raise place.error(f"dialogue {number} occurs twice; keep the rows of a dialogue together")
        self.numbers.add(number)


@dataclass(frozen=True, slots=True)
class RowPlace:
    """The location of a row, for messages."""

    path: Path
    number: int
    """Line or row, counted from 1."""
    is_line: bool = True

    def error(self, message: object) -> InputError:
        """An error that names this place."""
        if self.is_line:
            return InputError(str(message), path=self.path, line=self.number)
        return InputError(f"row {self.number}: {message}", path=self.path)

    @contextmanager
    def named(self) -> Iterator[None]:
        """Errors raised inside name this place."""
        try:
            yield
        except UsageError as fault:
            raise self.error(fault) from None


@dataclass(frozen=True, slots=True)
class ImportItem:
    """A row with its place and its field `evolif`."""

    place: RowPlace
    row: Row
    extension: Extension | None


def _dialogues(file: Path, state: _ImportState) -> Iterator[list[ImportItem]]:
    """The rows of a file, grouped by dialogue."""
    items: list[ImportItem] = []
    for place, row in _read_rows(file):
        kind = _kind(row, place)
        extension = None
        with place.named():
            if row.get(FIELD) is not None:
                extension = parse_extension(row[FIELD])
                if extension.benchmark is not None:
                    state.shared = parse_shared(extension.benchmark)
        state.formats.add(kind)
        if kind == OWN:
            is_new = bool(items) and items[-1].row.get("dialogue") != row.get("dialogue")
        else:
            is_new = bool(items) and row.get("turn") == 1
        if is_new:
            yield items
            items = []
        items.append(ImportItem(place, row, extension))
        if len(items) > MOST_TURNS:
            raise place.error(f"a dialogue has at most {MOST_TURNS} turns; split the file")
    if items:
        yield items


def _kind(row: Row, place: RowPlace) -> str:
    if "instructions" in row:
        return DIALOGS if row.get("user_query_verified") or row.get("user_query") else STATES
    if "answer" in row and "model" in row:
        raise place.error("this is an exported run; only exported benchmarks can be imported")
    if "constraints" in row and "dialogue" in row:
        return OWN
    raise place.error(
        "neither a turn exported by evolif nor a line of the EvolIF authors (turn, active_topic, instructions), nor a "
        "conversation of your own (messages, conversations, turns or turn_1_prompt; docs/how-to/own-dialogues.md)"
    )


def _turns(items: Sequence[ImportItem], state: _ImportState) -> Iterator[Turn]:
    is_foreign = "instructions" in items[0].row
    lines = _foreign_lines(items, state) if is_foreign else _own_lines(items)
    dialogue = 0
    for expected, (place, line) in enumerate(lines, 1):
        with place.named():
            turn = parse_turn(line)
        if turn.turn != expected:
            raise place.error(f"expected turn {expected} but found turn {turn.turn}; restore the missing lines")
        if expected == 1:
            dialogue = turn.dialogue
            state.claim(dialogue, place)
        if turn.dialogue != dialogue:
            raise place.error(f"the line belongs to dialogue {turn.dialogue}, but the one before to {dialogue}")
        yield turn


def _own_lines(items: Sequence[ImportItem]) -> Iterator[tuple[RowPlace, Row]]:
    """The rows as lines, with what their columns could not hold as it was."""
    for item in items:
        yield item.place, item.row if item.extension is None else item.row | item.extension.line


def _foreign_lines(items: Sequence[ImportItem], state: _ImportState) -> Iterator[tuple[RowPlace, Row]]:
    """The authors' rows as lines of our own."""
    rows = []
    for item in items:
        with item.place.named():
            rows.append(parse_foreign(item.row))
    number = next((item.extension.line.get("dialogue") for item in items if item.extension is not None), None)
    dialogue = number if isinstance(number, int) and number >= 0 else state.free_number()
    with items[0].place.named():
        derivation = Derivation(dialogue, rows)
    for item, row in zip(items, rows, strict=True):
        with item.place.named():
            turn = derivation.turn(row)
        derived = to_object(turn)
        line = derived
        if item.extension is not None:
            line = derived | item.extension.line
        else:
            state.changes["none"] += any(finding.startswith("imported: nothing changes") for finding in turn.findings)
            state.changes["several"] += any(" changes in one turn" in finding for finding in turn.findings)
        if turn.operations == (NOTHING,) and "operations" not in line and line["operation"] == derived["operation"]:
            raise item.place.error("neither this line nor the one before has a constraint; remove the line")
        yield item.place, line


class _Witnesses:
    """Completes turns with witnesses, and counts which turns can be satisfied."""

    def __init__(self) -> None:
        self.counts: dict[str, int] = dict.fromkeys(get_args(Status), 0)
        self._built: dict[tuple[str, tuple[str, ...]], tuple[str | None, str]] = {}

    def complete(self, turn: Turn) -> Turn:
        """Keep a witness that passes every rule checker, else build one; None if that fails."""
        text = turn.witness or ""
        if text.strip() and not witness_faults(turn.constraints, text):  # an empty answer fails any constraint
            self.counts["satisfiable"] += 1
            return turn
        key = (repr(turn.constraints), turn.topic.keywords)
        if key not in self._built:
            self._built = {} if len(self._built) > 1000 else self._built
            self._built[key] = _build(turn)
        witness, status = self._built[key]
        self.counts[status] += 1
        return replace(turn, witness=witness)


def _build(turn: Turn) -> tuple[str | None, str]:
    """A witness and the turn's status."""
    constraints, keywords = turn.constraints, turn.topic.keywords
    text = build_witness(constraints, keywords)
    if isinstance(text, str):
        return text, "satisfiable"
    status = satisfiability(constraints, keywords).status
    if status in ("impossible", "undecided"):
        return None, status
    built = build_fallback(constraints, keywords)
    return (None, "undecided") if isinstance(built, Refusal) else (built.text, status)


def _find_files(path: Path) -> list[Path]:
    """The files to import, in natural order."""
    if path.is_file():
        return [path]
    if not path.is_dir():
        raise UsageError(
            f"{path} does not exist{near_path(path)}; use an exported file or folder, or one of the EvolIF authors' "
            "files"
        )
    if (path / "benchmark.json").exists():
        raise UsageError(f"{path} is already a benchmark; use it as it is, or copy the folder")
    if (path / "dataset_dict.json").exists():
        raise UsageError(f"{path} contains several splits; use the folder of one of them")
    for pattern in ("*.arrow", "*.parquet", "data/*.parquet", "*.jsonl", "data/*.jsonl"):
        files = sorted((file for file in path.glob(pattern) if file.is_file()), key=_natural)
        if files:
            return files
    raise UsageError(f"{path} contains no .jsonl, .parquet or .arrow file; choose another folder")


def _natural(path: Path) -> list[tuple[int, int | str]]:
    """A key that sorts `dialog_9` before `dialog_10`."""
    parts = re.split(r"(\d{1,18})", path.name)
    return [(0, int(part)) if part.isascii() and part.isdigit() else (1, part) for part in parts]


def _read_rows(path: Path) -> Iterator[tuple[RowPlace, Row]]:
    kind = _TABLES.get(path.suffix)
    if kind is None:
        yield from _json_rows(path)
        return
    for number, row in enumerate(unpacked_rows(path, kind), 1):
        place = RowPlace(path, number, is_line=False)
        yield place, _parse_columns(row, place, is_table=True)


def _json_rows(path: Path) -> Iterator[tuple[RowPlace, Row]]:
    try:
        with path.open("rb") as file:
            number = 0
            while line := file.readline(LONGEST_LINE + 1):
                number += 1
                place = RowPlace(path, number)
                if len(line) > LONGEST_LINE:
                    raise place.error(f"longer than {LONGEST_LINE >> 20} MiB; put each turn on a separate line")
                if line.strip():
                    yield place, _parse_line(line, place)
    except OSError as fault:
        raise InputError(f"cannot be read ({fault.strerror})", path=path) from None


def _parse_line(line: bytes, place: RowPlace) -> Row:
    try:
        text = line.decode("utf-8").removeprefix("\ufeff")
    except UnicodeDecodeError:
        raise place.error("not UTF-8; save the file as UTF-8") from None
    data = _parse_json(text, place)
    if not isinstance(data, dict):
        raise place.error("not a JSON object; fix or delete the line")
    return _parse_columns(data, place, is_table=False)


def _parse_columns(row: Row, place: RowPlace, *, is_table: bool) -> Row:
    """The row with its columns of JSON text parsed; tables converted to JSONL have them too.

    Structs of a table have nulls for parameters that only other constraints have.
    """
    parsed = dict(row)
    for name in ("constraints", "operations", FIELD):
        if isinstance(row.get(name), str):
            parsed[name] = _parse_json(row[name], place, f"the field “{name}” is ")
    if isinstance(row.get("operation"), dict):
        parsed["operation"] = _parse_operation(row["operation"], place)
    if isinstance(row.get("operations"), list):
        parsed["operations"] = [
            _parse_operation(one, place) if isinstance(one, dict) else one for one in row["operations"]
        ]
    extension = parsed.get(FIELD)
    if is_table or (isinstance(extension, dict) and extension.get("columns") is True):
        parsed |= {name: from_columns(name, parsed[name]) for name in NESTED if name in parsed}
    return parsed


def _parse_operation(operation: Mapping[str, Any], place: RowPlace) -> dict[str, Any]:
    """The operation with its parameters parsed where they are JSON text."""
    parsed = dict(operation)
    for name in ("before", "after"):
        if isinstance(parsed.get(name), str):
            parsed[name] = _parse_json(parsed[name], place, f"“{name}” is ")
    return parsed


def _parse_json(text: str, place: RowPlace, subject: str = "") -> Any:
    """Parse JSON, refusing NaN and infinity, lone surrogates and deep nesting."""
    try:
        data = json.loads(text, parse_constant=_refuse_constant)
    except (ValueError, RecursionError):  # a number of thousands of digits is a plain ValueError
        raise place.error(f"{subject}not JSON; fix or delete the line") from None
    if "\\u" in text:
        try:
            json.dumps(data, ensure_ascii=False).encode("utf-8")
        except (UnicodeEncodeError, RecursionError):
            raise place.error("it contains a lone surrogate (\\ud800…\\udfff); fix or delete the line") from None
    level = [data] if isinstance(data, (dict, list)) else []
    for _ in range(DEEPEST):
        children = (child for parent in level for child in (parent.values() if isinstance(parent, dict) else parent))
        level = [child for child in children if isinstance(child, (dict, list))]
        if not level:
            return data
    raise place.error(f"nested deeper than {DEEPEST} levels; fix or delete the line")


def _refuse_constant(constant: str) -> NoReturn:
    raise ValueError(constant)
