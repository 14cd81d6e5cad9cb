"""Check that a stored description states its constraint's parameters. Rules look for each one in any wording."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from evolif.scenarios.instructions.constraints import describe
from evolif.scenarios.instructions.constraints.exclusions import has_everyday_kinds
from evolif.scenarios.instructions.turns import Constraint
from evolif.text import find_all, fold

_NUMBERS = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
    "eighteen nineteen twenty"
).split()
_TIMES = {1: r"|once|a single", 2: r"|twice|double"}
_NOT = (
    r"\b(?:not|no|never|nowhere|none|neither|without|avoid\w*|exclud\w*|forbid\w*|omit\w*|free of|leave out|refrain)\b"
    r"|n't\b"
)
_NEGATION = re.compile(_NOT, re.IGNORECASE)
_UPPER = r"upper[ -]?case|\bcapital|\bcaps\b|\bmajuscul"
_LOWER = r"lower[ -]?case|\bsmall letter|\bminuscul"
# Phrases before a number; the longer ones first, so that *no more than* is not read as *more than*.
_RELATIONS = (
    ("at_most", r"(?:no|not) (?:more|longer|greater) than|at most|up to|a maximum of|no longer than"),
    ("at_least", r"(?:no|not) (?:less|fewer|shorter) than|at least|a minimum of"),
    ("less_than", r"less than|fewer than|under|below|shorter than"),
    ("more_than", r"more than|over|above|exceed\w*|longer than|greater than"),
    ("exactly", r"exactly|precisely|just"),
)
_EDGE_WORDS = {
    "start_with": r"\bstart|\bbegin|\bopen|\bfirst\b|\blead",
    "end_with": r"\bend|\bfinish|\bclos|\bconclud|\blast\b|\bfinal",
}
_MARK_NAMES = {
    ".": r"full stop|period|\bdot", ",": r"\bcomma", ":": r"(?<!semi)colon", ";": r"semicolon", "!": r"exclamation",
    "?": r"question mark", "-": r"hyphen|dash", "`": r"backtick",
}  # fmt: skip
_STEMS = {
    "happy": r"\bhapp", "sad": r"\bsad", "angry": r"\bang[re]", "excited": r"\bexcit", "frustrated": r"\bfrustrat",
    "child": r"\bchild|\bkid", "youth": r"\byouth|\byoung|\bteen", "senior": r"\bsenior|\belder",
    "active voice": r"\bactive\b.{0,12}\bvoice", "passive voice": r"\bpassive\b.{0,12}\bvoice",
}  # fmt: skip


def description_matches(constraint: Constraint, description: str, fmt: str | None = None) -> bool:
    """Whether a description states the constraint's parameters.

    Args:
        constraint: The constraint.
        description: Its description in the line.
        fmt: The format that the instruction requires.
    """
    if not description.strip():
        return False
    if description.strip() == describe(constraint, fmt):
        return True
    if constraint.group not in _CHECKS or has_everyday_kinds({constraint.group: constraint.params}):
        return False  # only evolif describes these, always in the same words
    return _CHECKS[constraint.group](constraint.params, description)


def _has(pattern: str, text: str) -> bool:
    return re.search(pattern, text, re.IGNORECASE) is not None


def _number(count: int) -> str:
    """A pattern for a number in digits or words."""
    digits = rf"{count}|{count:,}" if count > 999 else str(count)
    word = rf"|{_NUMBERS[count]}" if count < len(_NUMBERS) else ""
    return rf"(?<![\w.,])(?:{digits}{word})(?![\w%]|[.,]\d)"


def _has_keyword(keyword: str, text: str) -> bool:
    return bool(find_all(fold(text), fold(keyword)))


def _edge(params: Mapping[str, Any], text: str, *, group: str) -> bool:
    if not _has(_EDGE_WORDS[group], text):
        return False
    mode = params["mode"]
    if mode == "quotation":
        # Quotation marks around a word do not count as a mention of the mark.
        left, right = re.escape(params["left"]), re.escape(params["right"])
        return _has(rf"{left}(?!\w).*(?<!\w){right}|{left}\W{{0,4}}{right}", text)
    if mode == "letter":
        value = params["value"]
        return _has(rf"\bletter\W{{1,3}}{value}(?!\w)|['\"“‘]{value}['\"”’]", text)
    return str(params["value"]) in text if mode == "emoji" else _has_keyword(params["value"], text)


def _format(params: Mapping[str, Any], text: str) -> bool:
    names = [mode for mode in ("json", "xml", "html", "csv", "markdown") if _has(rf"\b{mode}\b", text)]
    return names == [params["mode"]]


def _bullets(params: Mapping[str, Any], text: str) -> bool:
    relation = params.get("relation", "exactly")
    if relation not in ("exactly", "at_most", "at_least"):
        return False  # only a description in our own words says the others plainly enough
    return _has(r"\bbullet|list item|\bpoints?\b|\bitems?\b", text) and _relation(text, params["count"]) == relation


def _length(params: Mapping[str, Any], text: str) -> bool:
    unit, relation, count = params["unit"], params["relation"], params["count"]
    if not _has(rf"\b{unit[:-1]}s?\b", text):
        return False
    same = {"less_than": ("at_most", count - 1), "more_than": ("at_least", count + 1)}.get(relation)
    readings = [(relation, count), *([same] if same else [])]
    return any(number >= 0 and _relation(text, number) == kind for kind, number in readings)


def _relation(text: str, count: int) -> str | None:
    """The relation to a number, from the words around it, *exactly* by default; None without the number."""
    found = re.search(_number(count), text, re.IGNORECASE)
    if found is None:
        return None
    before = text[max(0, found.start() - 40) : found.start()]
    after = text[found.end() : found.end() + 24]
    if _has(r"^\s+(?:\w+\s+)?or (?:more|above)\b", after):
        return "at_least"
    if _has(r"^\s+(?:\w+\s+)?or (?:less|fewer|below)\b", after):
        return "at_most"
    for name, pattern in _RELATIONS:
        if _has(rf"\b(?:{pattern})\s+(?:the\s+)?$", before):
            return name
    return "exactly"


def _existence(params: Mapping[str, Any], text: str) -> bool:
    if _has(rf"(?:{_NOT})\W+(?:\w+\W+){{0,2}}(?:contain|include|use|mention|occur|appear)", text):
        return False
    return all(
        _has_keyword(word, text) and _has(f"{_number(count)}{_TIMES.get(count, '')}", text)
        for word, count in params.get("counts", {}).items()
    )


def _forbidden(params: Mapping[str, Any], text: str) -> bool:
    return _NEGATION.search(text) is not None and all(_has_keyword(word, text) for word in params["keywords"])


def _case(params: Mapping[str, Any], text: str) -> bool:
    upper, lower = _has(_UPPER, text), _has(_LOWER, text)
    if params["mode"] == "share":
        return upper and _has(rf"(?<![\d.]){params['percent']}\s*(?:%|per ?cent)", text)
    share = _has(r"\d\s*(?:%|per ?cent)", text)
    return not share and ((upper and not lower) if params["mode"] == "all_upper" else (lower and not upper))


def _punctuation(params: Mapping[str, Any], text: str) -> bool:
    mark = str(params["mark"])
    quoted = rf"['\"‘’“”«»`\s(]{re.escape(mark)}(?=['\"‘’“”«»`\s)])"
    name = _MARK_NAMES.get(mark)
    found = re.search(quoted, text) or (re.search(name, text, re.IGNORECASE) if name else None)
    if found is None:
        return False
    denied = _NEGATION.search(text[: found.start() + 1]) is not None or _has(_NOT, text[found.end() : found.end() + 30])
    return denied is (params["mode"] == "exclude")


def _value(params: Mapping[str, Any], text: str) -> bool:
    [value] = map(str, params.values())
    return _has(_STEMS.get(value, rf"\b{re.escape(value)}"), text)


_CHECKS: Mapping[str, Callable[[Mapping[str, Any], str], bool]] = {
    "start_with": partial(_edge, group="start_with"),
    "end_with": partial(_edge, group="end_with"),
    "format": _format,
    "bullets": _bullets,
    "length": _length,
    "existence": _existence,
    "forbidden": _forbidden,
    "case": _case,
    "punctuation": _punctuation,
    "emotion": _value,
    "audience": _value,
    "style": _value,
}
