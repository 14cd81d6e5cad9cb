"""Did a final answer keep the form that was asked for? A verdict of its own: what it says is checked apart."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping
from typing import Any

from evolif.scenarios.shifts.reading import JsonNumber, dates_of, last_object
from evolif.text import clean, clip, normalise
from evolif.text.answers import is_too_long

_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_TIME = re.compile(r"(?:[01][0-9]|2[0-3]):[0-5][0-9]")
_LONGEST = 100
"""Characters of a fault that are told."""


def form_fault(goals: Iterable[Mapping[str, Any]], keys: Collection[str], answer: str) -> str:
    """What is not as the final request asked for it: one JSON object at the end, with exactly the keys of the task.

    Null may stand under any key; else numbers are plain, dates `YYYY-MM-DD`, times `HH:MM`, yes and no are true and
    false, lists are arrays.

    Args:
        goals: Of the dialogue; they tell the types of their keys.
        keys: All keys of the task.
        answer: As received.

    Returns:
        The first fault as a clause; empty if the form is kept.

    Example:
        `form_fault([], ["city"], '{"City": "Ghent"}')` is `"no key city"`.
    """
    text = normalise(answer)
    found = None if is_too_long(text) else last_object(text)
    if found is None:
        return "no JSON object"
    data, end = found
    if text[end:].strip().strip("`~").strip():
        return "more behind the object"
    missing = [key for key in keys if key not in data]
    extra = [clean(key) for key in data if key not in keys]
    if missing or extra:
        told = [f"no key {', '.join(missing)}"] if missing else []
        return clip("; ".join([*told, *([f"not asked for: {', '.join(extra)}"] if extra else [])]), _LONGEST)
    types = {str(goal["key"]): str(goal["type"]) for goal in goals}
    wrong = [key for key, kind in types.items() if data.get(key) is not None and not _FITS[kind](data[key])]
    return clip(f"not in the form asked for: {', '.join(wrong)}", _LONGEST) if wrong else ""


def _is_text(value: Any) -> bool:
    return isinstance(value, str) and not isinstance(value, JsonNumber)


def _is_list(value: Any) -> bool:
    return isinstance(value, list) and all(_is_text(entry) for entry in value)


_FITS: Mapping[str, Callable[[Any], bool]] = {
    "text": _is_text,
    "number": lambda value: isinstance(value, JsonNumber),
    "date": lambda value: _is_text(value) and bool(_DATE.fullmatch(value)) and bool(dates_of(value)),
    "time": lambda value: _is_text(value) and bool(_TIME.fullmatch(value)),
    "yes_no": lambda value: isinstance(value, bool),
    "item": _is_list,
}
