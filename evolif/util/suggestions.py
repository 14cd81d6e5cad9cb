"""What a user probably meant, and what validation found wrong, in plain words.

`did_you_mean` proposes the nearest of the words there are, `wrong_folder` the folder that was meant. `fault_of` says
what is wrong with a value, as the end of a sentence that begins with its name: “must be at least 1, not 0”.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Mapping
from difflib import get_close_matches
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pydantic_core import ErrorDetails

_CUTOFF = 0.65
_MOST = 40
"""Characters of a value that a message repeats."""
_NUMBER = re.compile(r"[-+]?[0-9]+(\.[0-9]+)?")


def nearest(word: str, known: Iterable[str], cutoff: float = _CUTOFF) -> str | None:
    """The word that was probably meant; None if none is near. Case and the choice of `-` or `_` do not count."""
    spelt = {_folded(one): one for one in reversed([*known])}
    found = get_close_matches(_folded(word), spelt, n=1, cutoff=cutoff)
    return spelt[found[0]] if found else None


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """` (did you mean X?)`, to follow the unknown word; empty if nothing is near, or the word is there."""
    listed = [*known]
    near = None if word in listed else nearest(word, listed)
    return f" (did you mean {near}?)" if near else ""


def one_of(words: Iterable[str], last: str = "or") -> str:
    """`a, b or c`."""
    *first, final = words
    return f"{', '.join(first)} {last} {final}" if first else final


def _folded(word: str) -> str:
    return word.strip().casefold().replace("_", "-")


# Faults that pydantic finds.


def fault_of(detail: ErrorDetails) -> str:
    """One fault as the end of a sentence: `must be at least 1, not 0`; what a validator of ours says stays as it is."""
    kind, context = detail["type"], detail.get("ctx", {})
    if kind in ("value_error", "assertion_error"):
        return str(context.get("error", detail["msg"].partition(", ")[2] or detail["msg"]))
    if kind in _PLAIN:
        return _PLAIN[kind]
    if kind in ("literal_error", "enum"):
        return _choice(str(context.get("expected", "")), detail.get("input"))
    for pattern, words in _WORDS:
        if pattern.fullmatch(kind):
            return words(context) + _not_this(detail.get("input"))
    return re.sub("^Input should be", "must be", detail["msg"])


def sentence(name: str, detail: ErrorDetails) -> str:
    """A fault as a sentence about what is named: `--limit must be at least 1, not 0`."""
    fault = fault_of(detail)
    if not name:
        return fault
    return f"{name} {fault}" if fault.startswith(("must ", "is ")) else f"{name}: {fault}"


def _choice(expected: str, found: object) -> str:
    """The words that a value may be; the nearest is proposed."""
    words = [first or second for first, second in re.findall(r"'([^']*)'|([^\s',]+)(?=,|$| or )", expected)]
    listed = one_of(words) if words else expected
    near = nearest(found, words) if isinstance(found, str) else None
    return f"must be {listed}{_not_this(found)}" + (f"; did you mean {near}?" if near else "")


def _not_this(found: object) -> str:
    """The value that was found, if it is short and plain."""
    if isinstance(found, bool) or not isinstance(found, int | float | str):
        return ""
    if isinstance(found, str):
        text = "".join(sign for sign in found if sign.isprintable())
        quoted = text if _NUMBER.fullmatch(text) else f"“{text}”"
        return f", not {quoted}" if len(text) <= _MOST else ""
    return f", not {found:g}" if isinstance(found, float) else f", not {found}" * (abs(found) < 10**_MOST)


def _number(value: Any) -> str:
    return f"{value:g}" if isinstance(value, float) and math.isfinite(value) else str(value)


def _items(least: bool, noun: str | None = None) -> Callable[[Mapping[str, Any]], str]:
    key, words = ("min_length", "at least") if least else ("max_length", "at most")

    def say(context: Mapping[str, Any]) -> str:
        number = context.get(key)
        named = noun or ("field" if context.get("field_type") == "Dictionary" else "item")
        return f"must have {words} {number} {named}{'' if number == 1 else 's'}"

    return say


def _form(pattern: str) -> str:
    return "must not be blank" if pattern == r"\S" else f"must have the form {pattern}"


_PLAIN: Mapping[str, str] = {"missing": "must be given", "extra_forbidden": "is unknown here"}
_WORDS: tuple[tuple[re.Pattern[str], Callable[[Mapping[str, Any]], str]], ...] = tuple(
    (re.compile(kind), words)
    for kind, words in (
        ("greater_than_equal", lambda context: f"must be at least {_number(context['ge'])}"),
        ("greater_than", lambda context: f"must be more than {_number(context['gt'])}"),
        ("less_than_equal", lambda context: f"must be at most {_number(context['le'])}"),
        ("less_than", lambda context: f"must be less than {_number(context['lt'])}"),
        ("multiple_of", lambda context: f"must be a multiple of {_number(context['multiple_of'])}"),
        ("int_parsing_size", lambda _: "must be a whole number of fewer digits"),
        ("int_.*", lambda _: "must be a whole number"),
        ("finite_number", lambda _: "must be a finite number"),
        ("(float|decimal)_.*", lambda _: "must be a number"),
        ("bool_.*", lambda _: "must be true or false"),
        ("string_too_short", _items(True, "character")),
        ("string_too_long", _items(False, "character")),
        ("string_pattern_mismatch", lambda context: _form(str(context["pattern"]))),
        ("(string|path|bytes).*", lambda _: "must be a text"),
        ("too_short", _items(True)),
        ("too_long", _items(False)),
        ("(list|tuple|set|frozen_set|iterable|sequence)_.*", lambda _: "must be a list"),
        ("(dict|mapping|model|dataclass)_.*", lambda _: "must be an object with fields"),
        ("none_required", lambda _: "must be null"),
    )
)


# Folders.

_FOLDERS: Mapping[str, tuple[str, str]] = {
    "benchmark": ("benchmark.json", "generate"),
    "run": ("run.sqlite", "evaluate"),
}
_MOST_LOOKED_AT = 1000
"""Entries of a folder that are looked at for a name that was meant."""


def wrong_folder(path: Path, kind: str) -> str:
    """Why a path is no benchmark or no run, and what was probably meant, as one sentence.

    Args:
        path: As it was given.
        kind: `benchmark` or `run`.
    """
    file, verb = _FOLDERS[kind]
    other = "run" if kind == "benchmark" else "benchmark"
    start = f"{path} is not a {kind}:"
    try:
        if path.name in (file, f"{file}-wal", f"{file}-shm") and path.is_file():
            return f"{start} it is a file in one; name the folder, {path.parent}"
        if (path / _FOLDERS[other][0]).is_file():
            return f"{start} it is a {other}; {_OTHER_KIND[other].format(path=path)}"
        if path.exists():
            if kind == "benchmark" and (path.is_file() or any(path.glob("*.json"))):
                return f"{start} it has no {file}; of dialogues, make one with `evolif import {path} BENCH`"
            inside = _holding(path, file)
            near = inside[0] if len(inside) == 1 else ""
            return f"{start} it has no {file}" + (
                f" (did you mean {path / near}?)" if near else f"; create one with `evolif {verb}`"
            )
        near = nearest(path.name, _holding(path.parent, file)) or ""
        meant = f" (did you mean {path.parent / near}?)" if near else ""
        return f"{start} there is no such folder{meant}; create one with `evolif {verb}`"
    except OSError:  # it may not be looked at
        return f"{start} it has no {file}; create one with `evolif {verb}`"


_OTHER_KIND: Mapping[str, str] = {
    "run": "name the folder of the benchmark that was played; evolif report {path} shows the run",
    "benchmark": "play it with `evolif evaluate {path}`, and name the run's folder here",
}


def near_path(path: Path) -> str:
    """` (did you mean X?)` for a path that does not exist: the nearest name in its folder; empty if there is none."""
    try:
        if path.exists() or not path.parent.is_dir():
            return ""
        near = nearest(path.name, sorted(entry.name for entry in islice(path.parent.iterdir(), _MOST_LOOKED_AT)))
    except OSError:
        return ""
    return f" (did you mean {path.parent / near}?)" if near else ""


def _holding(folder: Path, file: str) -> list[str]:
    """The names of folders in a folder that hold a file, sorted."""
    if not folder.is_dir():
        return []
    entries = islice(folder.iterdir(), _MOST_LOOKED_AT)
    return sorted(entry.name for entry in entries if (entry / file).is_file())
