"""Which constraints may stand together: the declared table, its budgets, and what can be computed."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from evolif._catalogues import data_path, load_yaml
from evolif.constraints._extended_budgets import find_extended
from evolif.constraints._limits import Active, Conflict, lower_limit, required_words, upper_limit
from evolif.domain import Params
from evolif.text import count_words, find_all, fold

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
