"""Which constraints exclude each other: the declared table, its budgets, and conflicts that must be computed.

The rows and budgets are data, with a reason for each: `constraints/compatibility.yaml` for the paper's groups,
`compatibility-extended.yaml` and `compatibility-everyday.yaml` for the others. The functions in `_FINDERS` and in
`exclusions.py` look for the rest.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from operator import itemgetter
from typing import Any

from evolif.scenarios.instructions.constraints.base import (
    Active,
    Conflict,
    least_count,
    lower_limit,
    required_words,
    upper_limit,
)
from evolif.scenarios.instructions.constraints.exclusions import EVERYDAY_FINDERS, is_everyday
from evolif.scenarios.instructions.turns import Params
from evolif.text import count_words, find_all, fold
from evolif.util.resources import data_path, load_data

_Budgets = Mapping[str, Any]
_Row = tuple[tuple[tuple[str, Mapping[str, Any]], ...], Mapping[str, Any]]
"""Conditions by group, and the row that they come from."""

_EXTENDED = frozenset({"language", "placement", "sentences", "headings", "emphasis", "digits", "wrap"})
_TABLES = ("compatibility", "compatibility-extended", "compatibility-everyday")
_NAMES = frozenset({"keys", "columns"})
_DIGIT = re.compile(r"\d")


def find_conflict(active: Active) -> Conflict | None:
    """The first reason why these constraints exclude each other; None if there is none."""
    is_extended = not _EXTENDED.isdisjoint(active) or not _NAMES.isdisjoint(active.get("format", ()))
    finders = (*_FINDERS, *_EXTENDED_FINDERS) if is_extended else _FINDERS
    if is_everyday(active):
        finders = (*finders, *EVERYDAY_FINDERS)
    return find_declared(active) or next(filter(None, (find(active, _budgets()) for find in finders)), None)


def find_declared(active: Active) -> Conflict | None:
    """The first row of the table that excludes these constraints; None if there is none."""
    for conditions, row in _rows_of(frozenset(active)):
        for group, condition in conditions:
            if not _matches(condition, active[group]):
                break
        else:
            return Conflict(row["id"], tuple(row["when"]), row["reason"])
    return None


def is_closed(group: str, active: Active) -> bool:
    """Whether the table excludes all parameters of `group`, given the active constraints."""
    for others in _closing(group):
        for other, condition in others:
            if other not in active or not _matches(condition, active[other]):
                break
        else:
            return True
    return False


def table_version() -> int:
    """The edition of the table; a change of any row changes it."""
    return int(_table("compatibility")["version"])


@lru_cache(maxsize=4)
def _table(name: str) -> Mapping[str, Any]:
    table: Mapping[str, Any] = load_data(data_path("constraints", f"{name}.yaml"))
    return table


@lru_cache(maxsize=1)
def _rows() -> tuple[Mapping[str, Any], ...]:
    return tuple(row for table in _TABLES for row in _table(table)["rows"])


@lru_cache(maxsize=4096)
def _rows_of(groups: frozenset[str]) -> tuple[_Row, ...]:
    """The rows that can apply where these groups are active."""
    first = _by_first()
    rows = (numbered for group in groups for numbered in first.get(group, ()) if groups.issuperset(numbered[1]["when"]))
    return tuple((tuple(row["when"].items()), row) for _, row in sorted(rows, key=itemgetter(0)))


@lru_cache(maxsize=1)
def _by_first() -> Mapping[str, list[tuple[int, Mapping[str, Any]]]]:
    """The rows with their numbers, by the first group of their condition."""
    found: dict[str, list[tuple[int, Mapping[str, Any]]]] = {}
    for number, row in enumerate(_rows()):
        found.setdefault(next(iter(row["when"])), []).append((number, row))
    return found


@lru_cache(maxsize=1)
def _budgets() -> _Budgets:
    return {name: budget for table in _TABLES for name, budget in _table(table)["budgets"].items()}


@lru_cache(maxsize=64)
def _closing(group: str) -> tuple[tuple[tuple[str, Mapping[str, Any]], ...], ...]:
    """The conditions on other groups under which a row excludes the whole group."""
    rows = [row["when"] for row in _rows() if row["when"].get(group) == {}]
    return tuple(tuple((g, condition) for g, condition in when.items() if g != group) for when in rows)


def _matches(condition: Mapping[str, Any], params: Params) -> bool:
    # A plain loop: every draw asks hundreds of times.
    for key, values in condition.items():
        if key not in params if values == "any" else params.get(key) not in values:
            return False
    return True


def _holders(active: Active) -> tuple[str, ...]:
    """The groups that require keywords."""
    return tuple(g for g in ("existence", "start_with", "end_with", "placement") if g in active)


def _contents_conflict(active: Active, budgets: _Budgets) -> Conflict | None:
    """A required keyword that contains something excluded."""
    words = required_words(active)
    for forbidden in active.get("forbidden", {}).get("keywords", ()):
        for word in words:
            if find_all(fold(word), fold(forbidden)):
                return Conflict(
                    "forbidden-inside", ("forbidden", *_holders(active)), f"“{word}” contains “{forbidden}”"
                )
    punctuation = active.get("punctuation", {})
    if punctuation.get("mode") == "exclude":
        for word in words:
            if punctuation["mark"] in word:
                reason = f"“{word}” contains “{punctuation['mark']}”"
                return Conflict("mark-inside", ("punctuation", *_holders(active)), reason)
    return None


def _items_conflict(active: Active, budgets: _Budgets) -> Conflict | None:
    if "bullets" not in active or "length" not in active:
        return None
    items = least_count(active["bullets"], some=2)
    each = {"sentences": 1, "words": budgets["words_per_item"], "characters": budgets["characters_per_item"]}
    for unit, least in each.items():
        limit = upper_limit(active["length"], unit)
        if limit is not None and items * least > limit:
            return Conflict("items-budget", ("bullets", "length"), f"{items} items do not fit into {limit} {unit}")
    return None


def _words_conflict(active: Active, budgets: _Budgets) -> Conflict | None:
    """More required keywords than fit into the answer."""
    words = required_words(active)
    if not words:
        return None
    total = sum(words.values())
    if len(words) > budgets["max_required_keywords"] or total > budgets["max_required_occurrences"]:
        reason = f"{len(words)} keywords with {total} occurrences are too many for one answer"
        return Conflict("keywords-budget", _holders(active), reason)
    share = budgets["required_share"]
    least = {
        "words": share * sum(count_words(w) * n for w, n in words.items()),
        "characters": share * sum(len(w) * n for w, n in words.items()),
        "sentences": -(-total // budgets["occurrences_per_sentence"]),
    }
    for unit, count in least.items():
        limit = upper_limit(active.get("length"), unit)
        if limit is not None and count > limit:
            return Conflict(
                "length-budget",
                (*_holders(active), "length"),
                f"{total} occurrences do not fit well into {limit} {unit}",
            )
    return None


def _format_conflict(active: Active, budgets: _Budgets) -> Conflict | None:
    length = active.get("length")
    if length is None or active.get("format", {}).get("mode") not in budgets["data_formats"]:
        return None
    limit = upper_limit(length, "characters")
    if limit is not None and limit < budgets["data_format_min_characters"]:
        return Conflict("format-budget", ("format", "length"), f"{limit} characters are too few for markup and text")
    if lower_limit(length, "words") > budgets["data_format_max_words"]:
        return Conflict("format-budget", ("format", "length"), "a data format cannot sensibly hold that many words")
    return None


def _counts_conflict(active: Active, budgets: _Budgets) -> Conflict | None:
    """Names and placed keywords that would change the counts of other keywords."""
    fmt = active.get("format", {})
    counted = list(active.get("existence", {}).get("counts", ()))
    forbidden = active.get("forbidden", {}).get("keywords", ())
    watched = [*((word, "existence") for word in counted), *((word, "forbidden") for word in forbidden)]
    for name in fmt.get("keys") or fmt.get("columns") or ():
        for word, group in watched:
            if _overlap(name, word):
                return Conflict("name-counts", ("format", group), f"“{name}” and “{word}” overlap")
    value = str(active.get("placement", {}).get("value", ""))
    for word in counted if value else ():
        if _overlap(word, value):
            return Conflict("placed-counted", ("placement", "existence"), f"“{value}” is placed and “{word}” counted")
    return None


def _overlap(first: str, second: str) -> bool:
    return bool(find_all(fold(first), fold(second)) or find_all(fold(second), fold(first)))


def _digits_conflict(active: Active, budgets: _Budgets) -> Conflict | None:
    words = required_words(active) if "digits" in active else ()
    word = next((word for word in words if _DIGIT.search(word)), None)
    if word is None:
        return None
    return Conflict("digit-inside", ("digits", *_holders(active)), f"“{word}” contains a digit")


def _position_conflict(active: Active, budgets: _Budgets) -> Conflict | None:
    placement, start = active.get("placement", {}), active.get("start_with", {})
    if placement.get("mode") != "nth_word" or start.get("mode") != "keyword":
        return None
    if count_words(start["value"]) < placement["position"] - 1:
        return None
    return Conflict(
        "position-in-start", ("placement", "start_with"), f"“{start['value']}” already covers that position"
    )


def _room_conflict(active: Active, budgets: _Budgets) -> Conflict | None:
    """More headings, bold passages, questions or paragraphs than fit into the allowed length."""
    length = active.get("length")
    for group, count, kind in _pieces(active):
        for unit in ("words", "characters"):
            limit = upper_limit(length, unit)
            if limit is not None and count * budgets[f"{unit}_per_{kind}"] > limit:
                return Conflict(
                    f"{kind}-budget", (group, "length"), f"{count} of them do not fit well into {limit} {unit}"
                )
        limit = upper_limit(length, "sentences")
        most = budgets["bold_per_sentence"] if kind == "bold" else 1
        if limit is not None and kind != "heading" and count > most * limit:
            return Conflict(
                f"{kind}-budget", (group, "length"), f"{count} of them do not fit well into {limit} sentences"
            )
    limit = upper_limit(length, "paragraphs")
    if limit is not None and limit < 2 and active.get("placement", {}).get("mode") == "every_paragraph":
        return Conflict("paragraph-budget", ("placement", "length"), "this needs at least two paragraphs")
    return None


def _pieces(active: Active) -> Iterator[tuple[str, int, str]]:
    """Groups that take up space, with the number and kind of pieces they require."""
    if "headings" in active:
        yield "headings", least_count(active["headings"]), "heading"
    if "emphasis" in active:
        yield "emphasis", least_count(active["emphasis"]), "bold"
    if active.get("sentences", {}).get("mode") == "questions":
        yield "sentences", active["sentences"]["count"], "question"
    mode = active.get("placement", {}).get("mode")
    if mode == "acrostic":
        yield "placement", len(active["placement"]["word"]), "paragraph"
    elif mode == "every_paragraph":
        yield "placement", max(2, lower_limit(active.get("length"), "paragraphs")), "paragraph"


def _distinct_conflict(active: Active, budgets: _Budgets) -> Conflict | None:
    length = active.get("length")
    if active.get("sentences", {}).get("mode") != "distinct_starts" or length is None:
        return None
    groups = ("sentences", "length")
    limit = upper_limit(length, "sentences")
    if limit is not None and limit < budgets["distinct_min_sentences"]:
        return Conflict("distinct-budget", groups, f"{limit} sentences are too few for this")
    for unit in ("sentences", "words"):
        low = lower_limit(length, unit)
        if low > budgets[f"distinct_max_{unit}"]:
            return Conflict(
                "distinct-budget", groups, f"{low} {unit} without a repeated sentence beginning would be contrived"
            )
    return None


def _table_conflict(active: Active, budgets: _Budgets) -> Conflict | None:
    limit = upper_limit(active.get("length"), "characters")
    if limit is None or limit >= budgets["table_min_characters"] or "columns" not in active.get("format", {}):
        return None
    return Conflict("table-budget", ("format", "length"), f"{limit} characters are too few for a table and text")


def _language_conflict(active: Active, budgets: _Budgets) -> Conflict | None:
    if "language" not in active:
        return None
    limit = upper_limit(active.get("length"), "characters")
    is_brief = active.get("length", {}).get("relation") in ("at_most", "about")  # `exclusions.py` has its budget
    if limit is not None and limit < budgets["foreign_min_characters"] and not is_brief:
        return Conflict(
            "language-budget", ("language", "length"), f"{limit} characters are too few to detect a language"
        )
    total = sum(count_words(word) * count for word, count in required_words(active).items())
    if total <= budgets["foreign_max_keyword_words"]:
        return None
    reason = f"{total} English keyword words make the language ambiguous"
    return Conflict("language-keywords", ("language", *_holders(active)), reason)


_Finder = Callable[[Active, _Budgets], Conflict | None]

# In the order of reporting.
_FINDERS: tuple[_Finder, ...] = (_contents_conflict, _items_conflict, _words_conflict, _format_conflict)
_EXTENDED_FINDERS: tuple[_Finder, ...] = (
    _counts_conflict, _digits_conflict, _position_conflict, _room_conflict, _distinct_conflict, _table_conflict,
    _language_conflict,
)  # fmt: skip
