"""Which constraints may stand together: the declared table, its budgets, and what can be computed."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from typing import Any

from evolif.constraints.base import Active, Conflict, lower_limit, required_words, upper_limit
from evolif.resources import data_path, load_yaml
from evolif.text import count_words, find_all, fold
from evolif.types import Params

# What can be computed about constraints that only the profile `extended` asks for.

_DIGIT = re.compile(r"\d")
_GROUPS = frozenset({"language", "placement", "sentences", "headings", "emphasis", "digits"})
_NAMES = frozenset({"keys", "columns"})
_Find = Callable[[Active, Mapping[str, Any]], Conflict | None]


def find_extended(active: Active, budgets: Mapping[str, Any]) -> Conflict | None:
    """The first reason that involves a group, or a format's given names, which the paper does not have."""
    if _GROUPS.isdisjoint(active) and not _NAMES.intersection(active.get("format", ())):
        return None
    for find in _FINDERS:
        conflict = find(active, budgets)
        if conflict is not None:
            return conflict
    return None


def _texts_conflict(active: Active, budgets: Mapping[str, Any]) -> Conflict | None:
    """Given texts that would change each other's counts."""
    fmt = active.get("format", {})
    for name in fmt.get("keys") or fmt.get("columns") or ():
        for word, group in _watched(active):
            if find_all(fold(name), fold(word)) or find_all(fold(word), fold(name)):
                return Conflict("name-counts", ("format", group), f"“{name}” and “{word}” are each other's text")
    value = str(active.get("placement", {}).get("value", ""))
    for word in active.get("existence", {}).get("counts", ()) if value else ():
        if find_all(fold(word), fold(value)) or find_all(fold(value), fold(word)):
            return Conflict("placed-counted", ("placement", "existence"), f"“{value}” is placed and “{word}” counted")
    return None


def _watched(active: Active) -> Iterator[tuple[str, str]]:
    """Keywords whose occurrences are counted, with the group that does."""
    yield from ((word, "existence") for word in active.get("existence", {}).get("counts", ()))
    yield from ((word, "forbidden") for word in active.get("forbidden", {}).get("keywords", ()))


def _digits_conflict(active: Active, budgets: Mapping[str, Any]) -> Conflict | None:
    if "digits" not in active:
        return None
    held = next((word for word in required_words(active) if _DIGIT.search(word)), None)
    if held is None:
        return None
    holders = tuple(g for g in ("existence", "start_with", "end_with", "placement") if g in active)
    return Conflict("digit-inside", ("digits", *holders), f"“{held}” holds a digit")


def _position_conflict(active: Active, budgets: Mapping[str, Any]) -> Conflict | None:
    placement, start = active.get("placement", {}), active.get("start_with", {})
    if placement.get("mode") != "nth_word" or start.get("mode") != "keyword":
        return None
    if count_words(start["value"]) < placement["position"] - 1:
        return None
    return Conflict("position-in-start", ("placement", "start_with"), f"“{start['value']}” takes the place")


def _room_conflict(active: Active, budgets: Mapping[str, Any]) -> Conflict | None:
    """Whether what is asked for fits into the length that is allowed."""
    length = active.get("length")
    for group, count, kind in _takers(active):
        for unit in ("words", "characters"):
            limit = upper_limit(length, unit)
            if limit is not None and count * budgets[f"{unit}_per_{kind}"] > limit:
                return Conflict(f"{kind}-budget", (group, "length"), f"{count} of them crowd {limit} {unit}")
        limit = upper_limit(length, "sentences")
        most = budgets["bold_per_sentence"] if kind == "bold" else 1
        if limit is not None and kind != "heading" and count > most * limit:
            return Conflict(f"{kind}-budget", (group, "length"), f"{count} of them crowd {limit} sentences")
    limit = upper_limit(length, "paragraphs")
    if limit is not None and limit < 2 and active.get("placement", {}).get("mode") == "every_paragraph":
        return Conflict("paragraph-budget", ("placement", "length"), "one paragraph is not every paragraph")
    return None


def _takers(active: Active) -> Iterator[tuple[str, int, str]]:
    """Groups that take room, how many pieces of it, and of what kind."""
    if "headings" in active:
        yield "headings", active["headings"]["count"], "heading"
    if "emphasis" in active:
        yield "emphasis", active["emphasis"]["count"], "bold"
    if active.get("sentences", {}).get("mode") == "questions":
        yield "sentences", active["sentences"]["count"], "question"
    mode = active.get("placement", {}).get("mode")
    if mode == "acrostic":
        yield "placement", len(active["placement"]["word"]), "paragraph"
    elif mode == "every_paragraph":
        yield "placement", max(2, lower_limit(active.get("length"), "paragraphs")), "paragraph"


def _distinct_conflict(active: Active, budgets: Mapping[str, Any]) -> Conflict | None:
    length = active.get("length")
    if active.get("sentences", {}).get("mode") != "distinct_starts" or length is None:
        return None
    limit = upper_limit(length, "sentences")
    if limit is not None and limit < budgets["distinct_min_sentences"]:
        return Conflict("distinct-budget", ("sentences", "length"), f"{limit} sentences are too few to tell")
    for unit in ("sentences", "words"):
        low = lower_limit(length, unit)
        if low > budgets[f"distinct_max_{unit}"]:
            return Conflict(
                "distinct-budget", ("sentences", "length"), f"no beginning twice in {low} {unit} is a trick"
            )
    return None


def _table_conflict(active: Active, budgets: Mapping[str, Any]) -> Conflict | None:
    limit = upper_limit(active.get("length"), "characters")
    if limit is None or limit >= budgets["table_min_characters"] or "columns" not in active.get("format", {}):
        return None
    return Conflict("table-budget", ("format", "length"), f"{limit} characters are too few for a table and text")


def _language_conflict(active: Active, budgets: Mapping[str, Any]) -> Conflict | None:
    if "language" not in active:
        return None
    limit = upper_limit(active.get("length"), "characters")
    if limit is not None and limit < budgets["foreign_min_characters"]:
        return Conflict("language-budget", ("language", "length"), f"{limit} characters are too few to tell a language")
    words = required_words(active)
    total = sum(count_words(word) * count for word, count in words.items())
    if total <= budgets["foreign_max_keyword_words"]:
        return None
    holders = tuple(g for g in ("existence", "start_with", "end_with", "placement") if g in active)
    return Conflict("language-keywords", ("language", *holders), f"{total} English words leave the language in doubt")


_FINDERS: tuple[_Find, ...] = (
    _texts_conflict,
    _digits_conflict,
    _position_conflict,
    _room_conflict,
    _distinct_conflict,
    _table_conflict,
    _language_conflict,
)


_Row = tuple[frozenset[str], Mapping[str, Any]]


@lru_cache(maxsize=1)
def _table() -> Mapping[str, Any]:
    table: Mapping[str, Any] = load_yaml(data_path("constraints", "compatibility.yaml"))
    return table


@lru_cache(maxsize=1)
def _extended() -> Mapping[str, Any]:
    table: Mapping[str, Any] = load_yaml(data_path("constraints", "compatibility-extended.yaml"))
    return table


@lru_cache(maxsize=1)
def _rows() -> tuple[_Row, ...]:
    """All rows, each with the groups that must be active for it to apply."""
    return tuple((frozenset(row["when"]), row) for row in [*_table()["rows"], *_extended()["rows"]])


def table_version() -> int:
    """The edition of the table; a change of any row changes it."""
    return int(_table()["version"])


def _matches(condition: Mapping[str, Any], params: Params | None) -> bool:
    return params is not None and all(
        key in params if values == "any" else params.get(key) in values for key, values in condition.items()
    )


def is_closed(group: str, active: Active) -> bool:
    """Whether the table leaves no parameters of `group` open beside what is active."""
    return any(all(_matches(c, active.get(g)) for g, c in others.items()) for others in _closing(group))


@lru_cache(maxsize=64)
def _closing(group: str) -> tuple[Mapping[str, Any], ...]:
    """What the rows that close the whole group ask of the other groups."""
    rows = [row["when"] for _, row in _rows() if row["when"].get(group) == {}]
    return tuple({g: condition for g, condition in when.items() if g != group} for when in rows)


def find_declared(active: Active) -> Conflict | None:
    """The first row of the table that excludes these constraints; None where there is none."""
    for groups, row in _rows():
        when = row["when"]
        if groups <= active.keys() and all(_matches(condition, active.get(group)) for group, condition in when.items()):
            return Conflict(row["id"], tuple(when), row["reason"])
    return None


def find_conflict(active: Active) -> Conflict | None:
    """The first reason why these constraints may not be asked for together; None where there is none."""
    return (
        find_declared(active) or _computed(active) or _budget(active) or find_extended(active, _extended()["budgets"])
    )


def _computed(active: Active) -> Conflict | None:
    words = required_words(active)
    if not words:
        return None
    holders = tuple(g for g in ("existence", "start_with", "end_with", "placement") if g in active)
    for forbidden in active.get("forbidden", {}).get("keywords", ()):
        for word in words:
            if find_all(fold(word), fold(forbidden)):
                return Conflict("forbidden-inside", ("forbidden", *holders), f"“{word}” holds “{forbidden}”")
    punctuation = active.get("punctuation", {})
    if punctuation.get("mode") == "exclude":
        for word in words:
            if punctuation["mark"] in word:
                return Conflict("mark-inside", ("punctuation", *holders), f"“{word}” holds “{punctuation['mark']}”")
    return None


def _budget(active: Active) -> Conflict | None:
    budgets = _table()["budgets"]
    for find in (_items_budget, _words_budget, _format_budget):
        conflict = find(active, budgets)
        if conflict is not None:
            return conflict
    return None


def _items_budget(active: Active, budgets: Mapping[str, Any]) -> Conflict | None:
    if "bullets" not in active or "length" not in active:
        return None
    items = active["bullets"]["count"]
    for unit, each in (
        ("sentences", 1),
        ("words", budgets["words_per_item"]),
        ("characters", budgets["characters_per_item"]),
    ):
        limit = upper_limit(active["length"], unit)
        if limit is not None and items * each > limit:
            return Conflict("items-budget", ("bullets", "length"), f"{items} items do not fit into {limit} {unit}")
    return None


def _words_budget(active: Active, budgets: Mapping[str, Any]) -> Conflict | None:
    words = required_words(active)
    if not words:
        return None
    holders = tuple(g for g in ("existence", "start_with", "end_with", "placement") if g in active)
    total = sum(words.values())
    if len(words) > budgets["max_required_keywords"] or total > budgets["max_required_occurrences"]:
        return Conflict(
            "keywords-budget", holders, f"{len(words)} keywords, {total} occurrences are more than an answer"
        )
    length, share = active.get("length"), budgets["required_share"]
    needs = {
        "words": share * sum(count_words(w) * n for w, n in words.items()),
        "characters": share * sum(len(w) * n for w, n in words.items()),
        "sentences": -(-total // budgets["occurrences_per_sentence"]),
    }
    for unit, need in needs.items():
        limit = upper_limit(length, unit)
        if limit is not None and need > limit:
            return Conflict("length-budget", (*holders, "length"), f"{total} occurrences crowd {limit} {unit}")
    return None


def _format_budget(active: Active, budgets: Mapping[str, Any]) -> Conflict | None:
    length = active.get("length")
    if length is None or active.get("format", {}).get("mode") not in budgets["data_formats"]:
        return None
    limit = upper_limit(length, "characters")
    if limit is not None and limit < budgets["data_format_min_characters"]:
        return Conflict("format-budget", ("format", "length"), f"{limit} characters are too few for mark-up and text")
    if lower_limit(length, "words") > budgets["data_format_max_words"]:
        return Conflict("format-budget", ("format", "length"), "that many words in a data format are soup")
    return None
