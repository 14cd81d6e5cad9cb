"""Folders of UniDial-EvalKit: dialogues, records of scores, and summaries, one JSON file each.

Files may come from anywhere. Each fault names the file, the line or turn, and what to do about it.
"""

from __future__ import annotations

import json
import math
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from evolif.benchmark.files import objection, write_whole, writing
from evolif.errors import ArgumentError, InputError, UsageError
from evolif.scenarios.recorded.labels import flat_labels
from evolif.scenarios.recorded.schema import Dialog
from evolif.util.opened import read_file

META = "_meta.json"
"""Says what a folder of dialogues holds."""
GENERATED = "generated"
"""Where the folder of a model's results has its dialogues."""
_MOST_BYTES = 256 << 20
_SHOWN = 40
_EXPECTED: Mapping[str, str] = {
    "dialog_id": "a whole number of 64 bits",
    "turn_id": "a whole number of 64 bits",
    "role": "system, user or assistant",
    "content": "a text, a list of text parts, or null",
    "reference": "a text, a list of texts, or null",
    "reference_document": "a text, a list of turn ids, or null",
    "do_eval": "true or false",
    "use_reference_history": "true or false",
    "class_name": "the name of a metric",
    "metrics": "a list of objects with class_name and args",
    "dialog_turns": "a list of turns",
}
"""What a field is to be; all others are objects."""
_UNIONS = frozenset({"content", "reference", "reference_document"})


def read_dialogs(folder: Path | str, *, recursive: bool = False) -> list[Dialog]:
    """Read the dialogues of a folder in the order of their file names as text.

    Args:
        folder: Holds `*.json`; names that begin with `_` or `.` are skipped.
        recursive: Whether folders in it are read, too.

    Raises:
        InputError: it is no folder, or a file in it cannot be used.
    """
    found: dict[int, Path] = {}
    dialogs = []
    for path in _files(Path(folder), recursive):
        dialog = _dialog(_read_json(path), path)
        if dialog.dialog_id in found:
            first = found[dialog.dialog_id]
            raise InputError(
                f"the dialog_id {dialog.dialog_id} is also that of {first}; give every dialogue an id of its own",
                path=path,
            )
        found[dialog.dialog_id] = path
        dialogs.append(dialog)
    return dialogs


def read_meta(folder: Path | str) -> dict[str, Any]:
    """What the folder's `_meta.json` says, such as `benchmark_id` and `count`; empty if it has none.

    Raises:
        InputError: the file is broken.
    """
    path = Path(folder) / META
    if not path.exists():
        return {}
    _require_inside(path, Path(folder).resolve())
    return _object(_read_json(path), path)


def write_dialogs(
    folder: Path | str, dialogs: Iterable[Dialog], *, benchmark_id: str, version: int = 1, raw_path: str = ""
) -> None:
    """Write a folder of dialogues: a file each, then `_meta.json`.

    Args:
        folder: New, empty, or with earlier versions of these dialogues.
        dialogs: In any order.
        benchmark_id: The name of the benchmark.
        version: Of the benchmark.
        raw_path: Where the dialogues were made from; only its last name is stored.

    Raises:
        ArgumentError: two dialogues have the same id, or something cannot be stored.
        UsageError: the folder holds other dialogues.
        OutsideError: the folder cannot be written.
    """
    root = Path(folder)
    texts: dict[str, str] = {}
    for dialog in dialogs:
        name = f"{dialog.dialog_id}.json"
        if name in texts:
            raise ArgumentError(f"the dialog_id {dialog.dialog_id} is used twice; give every dialogue its own")
        texts[name] = _json(_checked(dialog))
    meta = {"version": version, "raw_path": _last_name(raw_path), "benchmark_id": benchmark_id, "count": len(texts)}
    problem = objection(meta)
    if problem:
        raise ArgumentError(f"{META} cannot be stored: {problem}")
    with writing(root):
        _refuse_others(root, texts)
        root.mkdir(parents=True, exist_ok=True)
        for name, text in texts.items():
            write_whole(root / name, text.encode("utf-8"))
        write_whole(root / META, _json(meta).encode("utf-8"))


def read_records(folder: Path | str) -> list[dict[str, Any]]:
    """Read the records of all files of an `eval_details` folder, in the order of the file names as text.

    A score may be anything, even NaN: what is no number is counted as a failure, not refused. NaN in details and
    labels, which the release writes beside such a score, is read as null.

    Raises:
        InputError: it is no folder, or a file in it cannot be used.
    """
    records = []
    for path in _files(Path(folder), recursive=False):
        data = _read_json(path)
        if not isinstance(data, list):
            raise InputError("not a list of records; restore the file", path=path)
        for number, record in enumerate(data, 1):
            if isinstance(record, dict):
                _forget_nan(record)
            problem = _record_problem(record)
            if problem:
                raise InputError(f"{_record_place(record, number)}: {problem}", path=path)
            records.append(record)
    return records


def _forget_nan(record: dict[str, Any]) -> None:
    """Put null in place of NaN everywhere but in the score, which says itself that it failed."""
    waiting: list[Any] = [record.get(key) for key in _RECORD_OBJECTS]
    while waiting:  # no recursion: how deep a file nests is not in our hands
        value = waiting.pop()
        places = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
        for key, inner in list(places):
            if isinstance(inner, float) and math.isnan(inner):
                value[key] = None
            elif isinstance(inner, dict | list):
                waiting.append(inner)


def write_records(folder: Path | str, dialogs: Iterable[Dialog], records: Iterable[Mapping[str, Any]]) -> None:
    """Write the records of dialogues, a file for each dialogue; one without records gets an empty list.

    Args:
        folder: The `eval_details` folder; files of other dialogues in it are left alone.
        dialogs: The dialogues.
        records: Theirs, in any order; those of a dialogue keep theirs.

    Raises:
        ArgumentError: a record is broken, or belongs to no dialogue given.
        OutsideError: the folder cannot be written.
    """
    root = Path(folder)
    by_dialog: dict[int | str, list[dict[str, Any]]] = {dialog.dialog_id: [] for dialog in dialogs}
    for number, record in enumerate(records, 1):
        problem = _record_problem(record) or _unwritable_score(record)
        if not problem and record["dialog_id"] not in by_dialog:
            problem = f"the dialogue {record['dialog_id']!r} is not among those given; give it, or drop the record"
        if problem:
            raise ArgumentError(f"{_record_place(record, number)}: {problem}")
        by_dialog[record["dialog_id"]].append(dict(record))
    with writing(root):
        root.mkdir(parents=True, exist_ok=True)
        for dialog_id, own in by_dialog.items():
            write_whole(root / f"{dialog_id}.json", _json(own).encode("utf-8"))


def read_summary(path: Path | str) -> dict[str, Any]:
    """Read a `summary.json`, in whichever form its labels are, without the outer key.

    Raises:
        InputError: the file is not a summary.
    """
    file = Path(path)
    summary = _object(_read_json(file), file).get("summary")
    if not isinstance(summary, dict):
        raise InputError("it has no object “summary”; name the summary.json of a model's results", path=file)
    return summary


def write_summary(path: Path | str, summary: Mapping[str, Any], *, flat: bool = False) -> None:
    """Write a `summary.json`.

    Args:
        path: The file.
        summary: As `aggregate` returns it.
        flat: Whether to write labels as the public release does; see `flat_labels`.

    Raises:
        ArgumentError: the summary is not JSON, or its labels have no figures.
        OutsideError: the file cannot be written.
    """
    file = Path(path)
    whole = dict(summary)
    if flat and "by_label" in whole:
        whole["by_label"] = flat_labels(whole["by_label"])
    problem = objection(whole)
    if problem:
        raise ArgumentError(f"the summary cannot be stored: {problem}")
    with writing(file):
        file.parent.mkdir(parents=True, exist_ok=True)
        write_whole(file, _json({"summary": whole}).encode("utf-8"))


def _files(root: Path, recursive: bool) -> list[Path]:
    """The data files of a folder, each checked to be a plain file inside it."""
    if not root.is_dir():
        raise InputError("not a folder; name the folder that holds the files", path=root)
    home = root.resolve()
    try:
        found = sorted(_json_files(root, recursive), key=lambda path: path.relative_to(root).as_posix())
    except OSError as fault:
        raise InputError(f"cannot be read ({fault.strerror}); make it readable", path=fault.filename or root) from None
    for path in found:
        _require_inside(path, home)
    return found


def _json_files(root: Path, recursive: bool) -> Iterator[Path]:
    with os.scandir(root) as listing:
        entries = list(listing)
    for entry in entries:
        if entry.is_dir(follow_symlinks=False):
            if recursive:
                yield from _json_files(Path(entry.path), recursive)
        elif recursive and entry.is_symlink() and entry.is_dir():
            raise InputError("a link to a folder; put a copy of the folder in its place", path=entry.path)
        elif entry.name.endswith(".json") and entry.name[0] not in "_.":
            yield Path(entry.path)


def _require_inside(path: Path, home: Path) -> None:
    if path.is_symlink() and not path.resolve().is_relative_to(home):
        raise InputError("a link that leads out of the folder; put a copy of the file in its place", path=path)


def _read_json(path: Path) -> Any:
    """The value in a file: any JSON, and NaN, which the caller checks."""
    try:
        raw = read_file(path, _MOST_BYTES, mend="split the dialogue")
    except OSError as fault:
        raise InputError(f"cannot be read ({fault.strerror}); restore it, or make it readable", path=path) from None
    if raw.startswith(b"\xef\xbb\xbf"):
        raise InputError("starts with a byte order mark; save it as UTF-8 without one", path=path)
    try:
        return json.loads(raw.decode("utf-8"))
    except UnicodeDecodeError:
        raise InputError("not UTF-8; save it as UTF-8", path=path) from None
    except json.JSONDecodeError as fault:
        raise InputError(f"not JSON ({fault.msg}); fix or restore the file", path=path, line=fault.lineno) from None
    except RecursionError:
        raise InputError("lists and objects are nested too deeply; make them flatter", path=path) from None
    except ValueError:
        raise InputError("a number has thousands of digits; write it as a text", path=path) from None


def _object(data: Any, path: Path) -> dict[str, Any]:
    problem = objection(data)
    if problem:
        raise InputError(f"{problem}; fix or restore the file", path=path)
    whole: dict[str, Any] = data
    return whole


def _dialog(data: Any, path: Path) -> Dialog:
    problem = objection(data)
    if problem:
        raise InputError(f"{_objection_place(data)}{problem}; fix or restore the file", path=path)
    try:
        return Dialog.model_validate(data)
    except ValidationError as fault:
        raise InputError(_schema_problem(fault, data), path=path) from None


def _checked(dialog: Dialog) -> dict[str, Any]:
    """A dialogue as it is written; it may have been changed since it was read."""
    data = dialog.written()
    problem = objection(data)
    if problem:
        raise ArgumentError(f"dialogue {dialog.dialog_id} cannot be stored: {_objection_place(data)}{problem}")
    try:
        Dialog.model_validate(data)
    except ValidationError as fault:
        raise ArgumentError(f"dialogue {dialog.dialog_id}: {_schema_problem(fault, data)}") from None
    return data


def _objection_place(data: Any) -> str:
    """Which turn holds what no JSON file can hold, as a prefix; empty if it is elsewhere."""
    turns = data.get("dialog_turns") if isinstance(data, dict) else None
    if isinstance(turns, list):
        for index, turn in enumerate(turns):
            if isinstance(turn, dict) and objection(turn):
                return f"{_turn_name(turns, index)}: "
    return ""


def _turn_name(turns: Sequence[Any], index: int) -> str:
    turn = turns[index]
    number = turn.get("turn_id") if isinstance(turn, dict) else None
    return f"turn {number}" if type(number) is int else f"turn {index + 1} of the list"


def _schema_problem(fault: ValidationError, data: Mapping[str, Any]) -> str:
    """The first thing that is wrong with a dialogue: the turn, the field, and the remedy."""
    first = fault.errors(include_url=False)[0]
    steps = list(first["loc"])
    turn = ""
    if len(steps) > 1 and steps[0] == "dialog_turns" and isinstance(steps[1], int):
        turn, steps = f"{_turn_name(data['dialog_turns'], steps[1])}: ", steps[2:]
    if first["type"] == "value_error":
        return f"{turn}{first['ctx']['error']}"
    union = next((place for place, step in enumerate(steps) if step in _UNIONS), None)
    if union is not None:
        steps = steps[: union + 1]  # what follows is the member of the union that did not fit
    field = ".".join(map(str, steps)) or "it"
    expected = _EXPECTED.get(str(steps[-1]) if steps else "", "an object")
    if first["type"] == "missing":
        return f"{turn}{field} is missing; write {expected}"
    return f"{turn}{field} is not {expected}; correct it (found: {_short(first['input'])})"


def _short(value: object) -> str:
    text = "true" if value is True else "false" if value is False else "null" if value is None else repr(value)
    return text if len(text) <= _SHOWN else f"{text[: _SHOWN - 1]}…"


def _record_problem(record: Any) -> str:
    """What is wrong with a record, with the remedy; empty if it is one. Its score may be anything."""
    if not isinstance(record, Mapping):
        return "not an object; write a record or drop it"
    score = record.get("score")
    problem = objection({**record, "score": None if isinstance(score, float) else score})
    if problem:
        return f"{problem}; correct it"
    for key, kinds, expected in _RECORD:
        value = record.get(key)
        if key not in record:
            return f"{key} is missing; write {expected}"
        if not isinstance(value, kinds) or isinstance(value, bool):
            return f"{key} is not {expected}; correct it (found: {_short(value)})"
    if "score" not in record:
        return "score is missing; write null where there is none"
    broken = next((key for key in _RECORD_OBJECTS if not isinstance(record.get(key, {}), Mapping)), "")
    return f"{broken} is not an object; correct it (found: {_short(record[broken])})" if broken else ""


_RECORD: tuple[tuple[str, tuple[type, ...], str], ...] = (
    ("dialog_id", (int, str), "a whole number or a text"),
    ("turn_id", (int,), "a whole number"),
    ("metric_name", (str,), "the name of a metric"),
)
_RECORD_OBJECTS = ("details", "dialog_labels", "turn_labels")


def _unwritable_score(record: Mapping[str, Any]) -> str:
    score = record["score"]
    if isinstance(score, float) and not math.isfinite(score):
        return f"score is {score}, which is not JSON; write null, and the reason in details.failure"
    return ""


def _record_place(record: Any, number: int) -> str:
    turn = record.get("turn_id") if isinstance(record, Mapping) else None
    return f"record {number}" + (f" (turn {turn})" if type(turn) is int else "")


def _refuse_others(root: Path, names: Iterable[str]) -> None:
    """Dialogues of another set in the same folder would be read as part of this one."""
    if not root.is_dir():
        return
    others = sorted({path.name for path in _json_files(root, recursive=False)} - set(names))
    if others:
        raise UsageError(f"{root} holds other dialogues ({', '.join(others[:3])}); choose another folder")


def _last_name(path: str) -> str:
    return path.replace("\\", "/").rstrip("/").rpartition("/")[2]


def _json(data: object) -> str:
    return json.dumps(data, ensure_ascii=False, indent=2, allow_nan=False) + "\n"
