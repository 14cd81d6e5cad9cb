"""Common code for catalogue entries: reading a line, checking it, and the lint report."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from evolif.errors import InputError
from evolif.text import plural

LONGEST_LINE = 1 << 20
"""Maximum bytes read of a line; entries are less than a tenth of that."""
LONGEST_TEXT = 10_000
"""Maximum characters of a text, as in the loaders."""
LONGEST_LIST, LONGEST_ITEM = 100, 500
"""Maximum items of a list, and characters of an item."""
LONGEST_ID = 40


@dataclass(frozen=True, slots=True)
class RuleFault:
    """A broken rule, without its location."""

    rule: str
    message: str
    """What is wrong, as a clause."""
    mend: str
    """What to do, as an imperative."""

    def __str__(self) -> str:
        return f"{self.message}; {self.mend}"


@dataclass(frozen=True, slots=True)
class LintFinding:
    """A broken rule and its location."""

    file: str
    line: int
    """Counted from 1."""
    entry: str
    """The id, if it could be read."""
    rule: str
    message: str
    mend: str

    def __str__(self) -> str:
        who = f" ({self.entry})" if self.entry else ""
        return f"{self.file}, line {self.line}{who}: {self.message}; {self.mend} [{self.rule}]"


@dataclass(frozen=True, slots=True)
class Pair:
    """Two entries that are similar by some measure."""

    first: str
    second: str
    value: float
    """Number of keywords or phrases shared; or shared words over all words of the two, from 0 to 1."""
    shared: tuple[str, ...]
    lines: tuple[int, int]


@dataclass(frozen=True, slots=True)
class LintReport:
    """The result of a lint."""

    kind: str
    """`topic` or `persona`."""
    file: str
    entries: int
    """Lines that are not blank, broken ones included."""
    findings: tuple[LintFinding, ...]
    nearest: Mapping[str, tuple[Pair, ...]]
    """By measure, nearest first."""
    counts: Mapping[str, int] = field(default_factory=dict)
    """Entries by domain, or by register."""
    samples: Mapping[str, int] = field(default_factory=dict)
    """Numbers of `files` and `words` compared with; empty without samples."""
    notes: tuple[str, ...] = ()
    """What is no fault but worth knowing, as sentences."""

    def to_object(self) -> dict[str, Any]:
        """The report as plain data, for JSON."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class EntryRow:
    """A line that is not blank: its object, or its faults."""

    line: int
    data: Mapping[str, Any] | None
    faults: tuple[RuleFault, ...] = ()


def read_rows(path: Path) -> Iterator[EntryRow]:
    """The lines of a file, one by one.

    Raises:
        InputError: no regular file, or not readable.
    """
    if not path.is_file():
        what = "is a folder" if path.is_dir() else "is not a regular file" if path.exists() else "does not exist"
        raise InputError(f"{what}; name a JSONL file", path=path)
    try:
        with path.open("rb") as file:
            number = 0
            while raw := file.readline(LONGEST_LINE + 1):
                number += 1
                if len(raw) > LONGEST_LINE:
                    too_long = f"is longer than {LONGEST_LINE} bytes"
                    yield _broken(number, too_long, "write one entry per line")
                    while raw and not raw.endswith(b"\n"):
                        raw = file.readline(LONGEST_LINE)
                elif raw.strip():
                    yield _row(number, raw)
    except OSError as fault:
        raise InputError(f"cannot be read ({fault.strerror})", path=path) from None


def text_of(data: Mapping[str, Any], name: str, faults: list[RuleFault]) -> str:
    """A text field; its faults are added to the list."""
    value = data.get(name)
    if name not in data:
        faults.append(RuleFault("fields", f"“{name}” is missing", f"add the field {name}"))
    elif not isinstance(value, str):
        faults.append(RuleFault("fields", f"“{name}” is not text", f"write {name} in quotation marks"))
    elif not value.strip():
        faults.append(RuleFault("fields", f"“{name}” is empty", f"fill the field {name}"))
    elif len(value) > LONGEST_TEXT:
        faults.append(
            RuleFault("fields", f"“{name}” has {plural(len(value), 'character')}", f"keep to {LONGEST_TEXT} at most")
        )
    elif not value.isprintable():
        faults.append(_invisible(name))
    else:
        return value
    return ""


def texts_of(data: Mapping[str, Any], name: str, faults: list[RuleFault]) -> tuple[str, ...]:
    """A list of texts; its faults are added to the list."""
    value = data.get(name)
    if name not in data:
        faults.append(RuleFault("fields", f"“{name}” is missing", f"add the list {name}"))
    elif not isinstance(value, list):
        faults.append(RuleFault("fields", f"“{name}” is not a list", f"write {name} as a list of texts"))
    elif len(value) > LONGEST_LIST:
        faults.append(RuleFault("fields", f"“{name}” has {plural(len(value), 'item')}", "keep the best of them"))
    elif not all(isinstance(item, str) and item.strip() for item in value):
        faults.append(RuleFault("fields", f"“{name}” contains items that are not text", "write every item as a text"))
    elif longest := next((item for item in value if len(item) > LONGEST_ITEM), None):
        faults.append(
            RuleFault("fields", f"“{name}” contains a text of {plural(len(longest), 'character')}", "shorten it")
        )
    elif not all(map(str.isprintable, value)):
        faults.append(_invisible(name))
    else:
        return tuple(value)
    return ()


def id_faults(name: str) -> Iterator[RuleFault]:
    """What is wrong with an id."""
    if len(name) > LONGEST_ID or name != name.strip():
        yield RuleFault(
            "id", f"the id “{name[:LONGEST_ID]}” is too long or has spaces around it", "give it a short name"
        )


def _invisible(name: str) -> RuleFault:
    """Controls, line breaks, invisible marks and half surrogate pairs."""
    return RuleFault("fields", f"“{name}” contains invisible characters", "retype the text without them")


def _broken(number: int, message: str, mend: str = "fix or delete the line") -> EntryRow:
    return EntryRow(number, None, (RuleFault("json", message, mend),))


def _row(number: int, raw: bytes) -> EntryRow:
    repeated: list[str] = []

    def pairs(items: list[tuple[str, Any]]) -> dict[str, Any]:
        data = dict(items)
        if len(data) < len(items):
            repeated.extend(key for key, count in Counter(name for name, _ in items).items() if count > 1)
        return data

    try:
        data = json.loads(raw.decode("utf-8"), object_pairs_hook=pairs)
    except UnicodeDecodeError:
        return _broken(number, "is not UTF-8", "save the file as UTF-8")
    except (ValueError, RecursionError) as fault:
        if raw.startswith(b"\xef\xbb\xbf"):
            return _broken(number, "starts with a byte order mark")
        where = f" ({fault.msg.lower()} at column {fault.colno})" if isinstance(fault, json.JSONDecodeError) else ""
        return _broken(number, f"is not a JSON object{where}")
    if not isinstance(data, dict):
        return _broken(number, "is not a JSON object")
    faults = tuple(
        RuleFault("json", f"the key “{key[:40]}” occurs twice", "keep one of them") for key in dict.fromkeys(repeated)
    )
    return EntryRow(number, data, faults)


def next_number(letter: str, rows: Iterable[EntryRow]) -> int:
    """The number after the highest one among ids such as `T007`."""
    form = re.compile(rf"{letter}([0-9]{{1,9}})")
    ids = [(row.data or {}).get("id") for row in rows]
    found = [form.fullmatch(name) for name in ids if isinstance(name, str)]
    return max((int(match[1]) for match in found if match), default=0) + 1
