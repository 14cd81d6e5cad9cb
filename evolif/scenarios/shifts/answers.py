"""Finds what a final answer gives for each key, however a model wrote it (rules 2).

An answer holds an object, as JSON or nearly so, YAML, a table, or lines of keys and values. What is found last counts.
It is hostile input: everything here takes time that grows with its length only.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any

from evolif.scenarios.shifts.answer_words import answer_words, unit_names
from evolif.scenarios.shifts.literals import flow, objects_in, scalar
from evolif.scenarios.shifts.reading import fenced_blocks, read_object
from evolif.text import clean, fold, normalise
from evolif.text.answers import is_too_long

_LEVELS = 3
"""So deep an object is looked for in another."""
_LONGEST_KEY = 80
_PAIR = frozenset({"key", "value"})
_MARKS = " \t*_`'\"“”‘’"
_BULLET = re.compile(r"[ \t]{0,40}(?:[-*•+]|[0-9]{1,3}[.)])[ \t]+")
_INDENT = re.compile(r"[ \t]{0,40}")
_REMARK = re.compile(r"(?:^|\s)#")
_WORDS = re.compile(r"[^\W_]+|[%€$]")
_COUNTING = ("#", "no.", "nr", "number", "")
_BREAK = re.compile(r"<br ?/?>", re.IGNORECASE)


class KeyNames:
    """Tells which key of a task a model means: `Budget (EUR)`, `budgetEur` and `Budget` are `budget_eur`.

    Args:
        known: The keys of the task.
    """

    def __init__(self, known: Iterable[str]) -> None:
        self.known = tuple(dict.fromkeys(known))
        self._flat: dict[str, str] = {}
        stems: dict[str, list[str]] = {}
        for key in self.known:
            words = key.split("_")
            self._flat.setdefault(_flat(words), key)
            if len(words) > 1 and words[-1] in unit_names():
                stems.setdefault(_flat(words[:-1]), []).append(key)
        self._stems = {stem: keys[0] for stem, keys in stems.items() if len(keys) == 1 and stem not in self._flat}

    def find(self, said: str) -> str | None:
        """The key that is meant; None if it is none."""
        if said in self.known:
            return said
        if len(said) > _LONGEST_KEY:
            return None
        words = _words(said)
        units = unit_names()
        fillers = answer_words()["fillers"]
        kept = [word for word in words if word not in fillers] or words
        for one in (words, kept, [*kept[:-1], units.get(kept[-1], kept[-1])] if kept else kept):
            key = self._flat.get(_flat(one)) or self._stems.get(_flat(one))
            if key is not None:
                return key
        return self._stems.get(_flat(kept[:-1])) if kept and kept[-1] in units else None


def _words(said: str) -> list[str]:
    return _WORDS.findall(fold(clean(said)).replace("hh:mm", "hhmm").replace("yyyy-mm-dd", "date"))


def _flat(words: Iterable[str]) -> str:
    return "".join(words)


def read_fields(answer: str, known: Collection[str]) -> dict[str, Any] | None:
    """Find what an answer gives for each key.

    It is the last fenced `json` block with a known key; else the last such block of any other kind; else the last
    object, the tables, or the lines of the text.

    Args:
        answer: As received.
        known: The keys that count; of others, those of the object that was found are kept as written.

    Returns:
        Keys to values; numbers that are no texts are `JsonNumber`. None if there is nothing of this kind, or the answer
        is longer than 64 KiB.

    Example:
        `read_fields("- **Budget (EUR):** 1,530", ["budget_eur"])` is `{"budget_eur": "1,530"}`.
    """
    text = normalise(answer)
    if is_too_long(text):
        return None
    names = KeyNames(known)
    for found in _candidates(text):
        fitted = fit(found, names)
        if fitted is not None:
            return fitted
    strict = read_object(answer)
    if strict is not None:
        return strict
    return next(objects_in(text), None)


def _candidates(text: str) -> Iterator[Mapping[str, Any]]:
    """All that may be the answer's object, the best first."""
    blocks = list(fenced_blocks(text))[::-1]
    for language, inside in blocks:
        if language.startswith("json"):
            yield from _objects_of(inside, closed=False)
    for language, inside in blocks:
        if not language.startswith("json"):
            yield from _objects_of(inside, closed=False)
            yield dict(pairs_in(inside, remarks=True))
    yield from _objects_of(text)
    yield {key: value for table in tables_in(text) for key, value in table.items()}
    yield dict(pairs_in(text))


def _objects_of(text: str, *, closed: bool = True) -> Iterator[Mapping[str, Any]]:
    """The objects of a text, the last first; then those that are pairs, such as `{"key": "city", "value": "Ghent"}`."""
    objects = list(objects_in(text, closed=closed))
    yield from reversed(objects)
    yield {one["key"]: one["value"] for one in objects if one.keys() == _PAIR and isinstance(one["key"], str)}


def fit(found: Mapping[str, Any], names: KeyNames) -> dict[str, Any] | None:
    """An object by the keys of a task, where it has any of them: its own, or those of objects in it.

    Args:
        found: As read.
        names: Of the keys.

    Returns:
        Known keys to their values, and others as written; None if no key is known. A key that two objects in it hold
        is left out: nobody knows which one is meant.
    """
    level: list[Mapping[str, Any]] = [found]
    for _ in range(_LEVELS + 1):
        named = [_renamed(one, names) for one in level]
        of_task = [one for one in named if not one.keys().isdisjoint(names.known)]
        if of_task:
            twice = {key for at, one in enumerate(of_task) for key in one if any(key in two for two in of_task[:at])}
            return {key: value for one in of_task for key, value in one.items() if key not in twice}
        level = [value for one in level for inner in one.values() for value in _objects(inner)]
    return None


def _objects(value: Any) -> list[Mapping[str, Any]]:
    return [one for one in (value if isinstance(value, list) else [value]) if isinstance(one, dict)]


def _renamed(found: Mapping[str, Any], names: KeyNames) -> dict[str, Any]:
    renamed = {names.find(key) or key: value for key, value in found.items()}
    # A key that is written exactly goes before one that only looks like it.
    return renamed | {key: found[key] for key in names.known if key in found}


def pairs_in(text: str, *, remarks: bool = False) -> Iterator[tuple[str, Any]]:
    """The keys and values of lines: YAML, or a list such as `- **City:** Ghent`.

    Args:
        text: Normalised.
        remarks: Whether `#` begins a remark, as in YAML.

    Returns:
        An iterator of keys, without marks of emphasis, and their values. What is listed below a key is its value.
    """
    waiting: str | None = None
    items: list[Any] = []
    depth = 0
    for line in text.split("\n"):
        if remarks:
            line = line[: found.start()] if (found := _REMARK.search(line)) else line
        if not line.strip():
            continue
        pair = _pair(line)
        bullet = _BULLET.match(line)
        if waiting is not None and bullet and (pair is None or len(_indent(line)) > depth):
            items.append(flow(_bare(line[bullet.end() :])))
            continue
        if waiting is not None:
            yield waiting, items or None
            waiting = None
        if pair is None:
            continue
        key, value = pair
        if value:
            yield key, flow(value)
        else:
            waiting, items, depth = key, [], len(_indent(line))
    if waiting is not None:
        yield waiting, items or None


def _indent(line: str) -> str:
    match = _INDENT.match(line)
    return match[0] if match else ""


def _pair(line: str) -> tuple[str, str] | None:
    """The key and the value of a line; its first colon, equals sign or dash outside of brackets parts them."""
    bullet = _BULLET.match(line)
    line = line[bullet.end() :] if bullet else line
    brackets = 0
    for at, char in enumerate(line[: 2 * _LONGEST_KEY]):
        brackets += (char in "([") - (char in ")]")
        if brackets <= 0 and (char in ":=" or (char in "–—" and line[at - 1 : at] == " ")):
            key = line[:at].strip(_MARKS)
            return (key, _bare(line[at + 1 :])) if key else None
    return None


def _bare(value: str) -> str:
    """A value without marks of emphasis that began before it, and without the comma of a broken object."""
    value = value.strip()
    if value[:3] in ("** ", "__ ") or value in ("**", "__"):
        value = value[2:].strip()
    return value[:-1].rstrip() if value.endswith(",") else value


def tables_in(text: str) -> Iterator[dict[str, Any]]:
    """The tables of a text, each as its keys to their values.

    Of two columns the header row is a pair like the others. Of more, the keys are in the column before the first one
    whose head says that values stand there, or in the first; a column of remarks, units or old values holds neither.
    """
    if "|" not in text:
        return
    import pyromark

    cells: list[list[str]] = []
    width = 0
    inside = False
    for event in pyromark.events(text, options=pyromark.Options.ENABLE_TABLES):
        match event:
            case {"Start": {"Table": columns}}:
                width, cells = len(columns), []
            case {"Start": "TableCell"}:
                cells.append([])
                inside = True
            case {"End": "TableCell"}:
                inside = False
            case {"Text": str(part)} | {"Code": str(part)} if inside:
                cells[-1].append(part)
            case {"InlineHtml": str(part)} if inside:
                cells[-1].append("\n" if _BREAK.fullmatch(part) else part)
            case {"End": "Table"} if width > 1:
                texts = ["".join(parts).strip() for parts in cells]
                yield _by_key([texts[at : at + width] for at in range(0, len(texts), width)])


def _by_key(rows: Sequence[Sequence[str]]) -> dict[str, Any]:
    heads = [fold(head).strip(_MARKS) for head in rows[0]]
    keys, values = 0, 1
    if len(heads) > 2:
        keys, values = _key_and_value_columns(heads)
        rows = rows[1:]
    return {row[keys]: scalar(row[values]) if row[values] else None for row in rows if row[keys]}


def _key_and_value_columns(heads: Sequence[str]) -> tuple[int, int]:
    """Where a table of three columns or more has its keys and its values; a column that counts rows holds neither."""
    words = answer_words()
    told = [at for at, head in enumerate(heads) if head not in _COUNTING]
    shown = [at for at in told[1:] if heads[at] not in words["other_heads"]]
    named = [at for at in shown if heads[at] in words["value_heads"]]
    values = (named or shown or [1])[0]
    return next((at for at in told if at != values), 0), values
