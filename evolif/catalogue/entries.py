"""What a lint reports: findings with their line and mend, and the nearest pairs, which are none."""

from __future__ import annotations

import heapq
import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from evolif.catalogue.index import Near
from evolif.errors import InputError


@dataclass(frozen=True, slots=True)
class RuleFault:
    """A broken rule, before it is known where it stands."""

    rule: str
    message: str
    """What is wrong, as half a sentence."""
    mend: str
    """What to do, as an imperative."""


@dataclass(frozen=True, slots=True)
class LintFinding:
    """A broken rule, and where."""

    file: str
    line: int
    """Counted from 1; 0 where the whole file is meant."""
    entry: str
    """The id, as far as it could be read."""
    rule: str
    message: str
    mend: str

    def __str__(self) -> str:
        where = f"{self.file}, line {self.line}" if self.line else self.file
        who = f" ({self.entry})" if self.entry else ""
        return f"{where}{who}: {self.message}; {self.mend} [{self.rule}]"


@dataclass(frozen=True, slots=True)
class Pair:
    """Two entries that are near each other by some measure."""

    first: str
    second: str
    value: float
    """Number of keywords or phrases shared; or shared words over all words of the two, from 0 to 1."""
    shared: tuple[str, ...]
    lines: tuple[int, int]


@dataclass(frozen=True, slots=True)
class LintReport:
    """All that a lint has to say of a file."""

    kind: str
    """`topic` or `persona`."""
    file: str
    entries: int
    """Lines that were meant to be one, broken ones included."""
    findings: tuple[LintFinding, ...]
    nearest: Mapping[str, tuple[Pair, ...]]
    """By measure, nearest first."""
    counts: Mapping[str, int] = field(default_factory=dict)
    """Entries by domain, or by register."""
    samples: Mapping[str, int] = field(default_factory=dict)
    """`files` and `words` that the file was compared with; empty where nothing was."""

    def to_object(self) -> dict[str, Any]:
        """The report as plain data, for JSON."""
        return asdict(self)


# Lines of a catalogue as a lint reads them: hostile input, where one broken line hides no other.

LONGEST_LINE = 1 << 20
"""Bytes of a line that are read; no entry is a tenth as long."""
LONGEST_TEXT = 10_000
"""Characters of a text, as the loaders have it."""
LONGEST_LIST, LONGEST_ITEM = 100, 500
"""Items of a list, and characters of one."""


@dataclass(frozen=True, slots=True)
class EntryRow:
    """A line that is not blank: its object, or what is wrong with it."""

    line: int
    data: Mapping[str, Any] | None
    faults: tuple[RuleFault, ...] = ()


def read_rows(path: Path) -> Iterator[EntryRow]:
    """The lines of a file, one by one.

    Raises:
        InputError: no regular file, or not readable.
    """
    if not path.is_file():
        what = "is a folder" if path.is_dir() else "is no regular file" if path.exists() else "is not there"
        raise InputError(f"{what}; name a JSONL file", path=path)
    try:
        with path.open("rb") as file:
            number = 0
            while raw := file.readline(LONGEST_LINE + 1):
                number += 1
                if len(raw) > LONGEST_LINE:
                    yield EntryRow(number, None, (_too_long(),))
                    while raw and not raw.endswith(b"\n"):
                        raw = file.readline(LONGEST_LINE)
                elif raw.strip():
                    yield _row(number, raw)
    except OSError as fault:
        raise InputError(f"cannot be read ({fault.strerror})", path=path) from None


def text_of(data: Mapping[str, Any], name: str, faults: list[RuleFault]) -> str:
    """A text field; what is wrong with it is added to the faults."""
    value = data.get(name)
    if name not in data:
        faults.append(RuleFault("fields", f"“{name}” is missing", f"add the field {name}"))
    elif not isinstance(value, str):
        faults.append(RuleFault("fields", f"“{name}” is no text", f"write {name} in quotation marks"))
    elif not value.strip():
        faults.append(RuleFault("fields", f"“{name}” is empty", f"fill the field {name}"))
    elif len(value) > LONGEST_TEXT:
        faults.append(RuleFault("fields", f"“{name}” has {len(value)} characters", f"keep to {LONGEST_TEXT} at most"))
    elif not _is_plain(value):
        faults.append(
            RuleFault("fields", f"“{name}” holds characters that no reader sees", "type the text again without them")
        )
    else:
        return value
    return ""


def texts_of(data: Mapping[str, Any], name: str, faults: list[RuleFault]) -> tuple[str, ...]:
    """A list of texts; what is wrong with it is added to the faults."""
    value = data.get(name)
    if name not in data:
        faults.append(RuleFault("fields", f"“{name}” is missing", f"add the list {name}"))
    elif not isinstance(value, list):
        faults.append(RuleFault("fields", f"“{name}” is no list", f"write {name} as a list of texts"))
    elif len(value) > LONGEST_LIST:
        faults.append(RuleFault("fields", f"“{name}” has {len(value)} items", "keep the best of them"))
    elif not all(isinstance(item, str) and item.strip() for item in value):
        faults.append(RuleFault("fields", f"“{name}” holds something else than texts", "write every item as a text"))
    elif longest := next((item for item in value if len(item) > LONGEST_ITEM), None):
        faults.append(RuleFault("fields", f"“{name}” holds a text of {len(longest)} characters", "shorten it"))
    elif not all(map(_is_plain, value)):
        faults.append(
            RuleFault("fields", f"“{name}” holds characters that no reader sees", "type the text again without them")
        )
    else:
        return tuple(value)
    return ()


def _is_plain(text: str) -> bool:
    """Without controls, line breaks, invisible marks and half surrogate pairs."""
    return text.isprintable()


def _too_long() -> RuleFault:
    return RuleFault("json", f"is longer than {LONGEST_LINE} bytes", "break the file into one entry a line")


def _row(number: int, raw: bytes) -> EntryRow:
    twice: list[str] = []

    def pairs(items: list[tuple[str, Any]]) -> dict[str, Any]:
        made = dict(items)
        if len(made) < len(items):
            twice.extend(key for key, count in Counter(name for name, _ in items).items() if count > 1)
        return made

    try:
        data = json.loads(raw.decode("utf-8"), object_pairs_hook=pairs)
    except UnicodeDecodeError:
        return EntryRow(number, None, (RuleFault("json", "is not UTF-8", "save the file as UTF-8"),))
    except (ValueError, RecursionError) as fault:
        what = "starts with a byte order mark" if raw.startswith(b"\xef\xbb\xbf") else "is not a JSON object"
        if isinstance(fault, json.JSONDecodeError) and not raw.startswith(b"\xef\xbb\xbf"):
            what += f" ({fault.msg.lower()} at column {fault.colno})"
        return EntryRow(number, None, (RuleFault("json", what, "mend or delete the line"),))
    if not isinstance(data, dict):
        return EntryRow(number, None, (RuleFault("json", "is not a JSON object", "mend or delete the line"),))
    faults = tuple(
        RuleFault("json", f"the key “{key[:40]}” stands there twice", "keep one of them")
        for key in dict.fromkeys(twice)
    )
    return EntryRow(number, data, faults)


# Numbers of entries.


def next_number(letter: str, rows: Iterable[EntryRow]) -> int:
    """The number after the highest one among ids such as `T007`."""
    form = re.compile(rf"{letter}([0-9]{{1,9}})")
    ids = [(row.data or {}).get("id") for row in rows]
    found = [form.fullmatch(name) for name in ids if isinstance(name, str)]
    return max((int(match[1]) for match in found if match), default=0) + 1


# The nearest pairs seen so far, by one measure.

SHOWN = 5
"""Pairs that a report names by each measure."""


class NearestPairs:
    """Keeps the nearest pairs: for every entry, the earlier one that is nearest to it."""

    def __init__(self, name: Callable[[int], tuple[str, int]], *, by_count: bool = False) -> None:
        """`name` gives the id and the line of an entry's number; `by_count` ranks by shared features."""
        self._name = name
        self._by_count = by_count
        self._heap: list[tuple[float, float, int, int, tuple[str, ...]]] = []

    def offer(self, found: Sequence[Near], at: int) -> None:
        """Keep the pair of an entry and the first of those found, if it is among the nearest."""
        if not found:
            return
        near = found[0]
        shared = tuple(sorted(map(str, near.shared)))
        value = float(len(shared)) if self._by_count else near.jaccard
        entry = (value, near.jaccard, -at, -near.at, shared)
        if len(self._heap) < SHOWN:
            heapq.heappush(self._heap, entry)
        else:
            heapq.heappushpop(self._heap, entry)

    def pairs(self) -> tuple[Pair, ...]:
        """The pairs, nearest first; of equals, the earliest in the file."""
        made = []
        for value, _, at, near, shared in sorted(self._heap, reverse=True):
            (first, low), (second, high) = self._name(-near), self._name(-at)
            made.append(Pair(first, second, round(value, 3), shared, (low, high)))
        return tuple(made)
