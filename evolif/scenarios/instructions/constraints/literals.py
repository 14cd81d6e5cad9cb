"""Given texts: phrases at the edges, labels, marks and beginnings of units, which an answer holds as they are.

They conflict with constraints that ban what they hold, and take room.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any, NamedTuple
from unicodedata import category

from evolif.scenarios.instructions.constraints.base import Active, Conflict
from evolif.scenarios.instructions.constraints.manner import mannered
from evolif.scenarios.instructions.constraints.person import persons
from evolif.scenarios.instructions.constraints.phrases import phrases_of
from evolif.scenarios.instructions.turns import Params
from evolif.text import Reading, find_all, fold
from evolif.text.emoji import find_emoji

_FINAL = (".", "!", "?", "…", "。", "！", "？")
_CLOSERS = "\"'”’»)]*_ "
_INNER = "'’-\u2010"
"""Marks that are no punctuation inside a word."""
_EDGES = ("start_with", "end_with")


class Literal(NamedTuple):
    """A given text: the group that gives it, and the texts of which one is used."""

    group: str
    options: tuple[str, ...]


def label_count(labels: Params | None) -> int:
    """How many labels are asked for; 0 without any."""
    if labels is None:
        return 0
    return int(labels["count"]) if "noun" in labels else len(labels["labels"])


def label_texts(labels: Params | None) -> Iterator[str]:
    """The labels that are asked for."""
    if labels is not None and "noun" in labels:
        yield from (f"{labels['noun']} {number}" for number in range(1, labels["count"] + 1))
    elif labels is not None:
        yield from labels["labels"]


@lru_cache(maxsize=1024)
def whole_sentences(literal: str) -> int:
    """How many sentences a given text is; 0 if it needs other words to be one.

    >>> whole_sentences("Right away!"), whole_sentences("Note:")
    (1, 0)
    """
    if not literal.rstrip(_CLOSERS).endswith(_FINAL):
        return 0
    return len(Reading(literal).sentence_spans)


def literals_of(active: Active) -> Iterator[Literal]:
    """Every given text but the labels."""
    for group in _EDGES:
        params = active.get(group, {})
        if params.get("mode") == "phrase":
            yield Literal(group, tuple(phrases_of(params)))
    placement = active.get("placement", {})
    if placement.get("mode") == "unit_start" and "letter" not in placement:
        yield Literal("placement", tuple(phrases_of(placement)))
    if "wrap" in active:
        yield Literal("wrap", (active["wrap"]["left"],))
        yield Literal("wrap", (active["wrap"]["right"],))


def possible(literal: Literal, active: Active) -> list[str]:
    """Those of its texts that hold nothing that another constraint bans."""
    return [text for text in literal.options if not ban(literal.group, text, active)[0]]


def ban(group: str, text: str, active: Active) -> tuple[str, str]:
    """The group that bans what a given text holds, and what that is; empty if none does."""
    folded = fold(text)
    for word in active.get("forbidden", {}).get("keywords", ()):
        if find_all(folded, fold(word)):
            return "forbidden", f"“{word}”"
    for word in active.get("existence", {}).get("counts", ()):
        if find_all(folded, fold(word)):
            return "existence", f"“{word}”, which is counted"
    if "lettering" in active and any(map(str.isalpha, text)):
        return "lettering", "letters of its own"
    if group == "placement" and text.startswith(">") and active.get("bullets", {}).get("relation", "none") != "none":
        return "bullets", "a mark that parts a list"
    if group == "placement" and text.startswith(">") and "use" in active.get("person", {}):
        return "person", "a mark of quotations, which are nobody's own voice"
    mark = _excluded(text, active)
    if mark:
        return "punctuation", f"“{mark}”"
    if "digits" in active and any(map(str.isdecimal, text)):
        return "digits", "a digit"
    if active.get("emoji", {}).get("relation") == "none" and find_emoji(text):
        return "emoji", "an emoji"
    if active.get("format", {}).get("mode") == "plain" and _has_elements(text):
        return "format", "mark-up"
    person, manner = active.get("person", {}).get("avoid"), active.get("manner", {}).get("mode")
    if person and _speaks(text, person):
        return "person", f"a word of the {person} person"
    if manner and _is_mannered(text, manner):
        return "manner", "a phrase that is not wanted"
    if active.get("sentences", {}).get("mode") == "all_questions" and _states(group, text):
        return "sentences", "what is no question"
    return "", ""


def _excluded(text: str, active: Active) -> str:
    punctuation = active.get("punctuation", {})
    if punctuation.get("mode") == "exclude":
        return str(punctuation["mark"]) if punctuation["mark"] in text else ""
    if punctuation.get("mode") == "exclude_all":
        return next((char for char in text if category(char)[0] == "P" and char not in _INNER), "")
    return ""


@lru_cache(maxsize=1024)
def _has_elements(text: str) -> bool:
    return Reading(f"{text} Word").content.elements > 0


@lru_cache(maxsize=1024)
def _speaks(text: str, person: str) -> bool:
    return next(persons(text, person), None) is not None


@lru_cache(maxsize=1024)
def _is_mannered(text: str, mode: str) -> bool:
    return mannered(text, mode)


def _states(group: str, text: str) -> bool:
    """Whether a text makes a sentence that is no question."""
    bare = text.rstrip(_CLOSERS)
    if group == "end_with" and not (text[-1].isalnum() or text.endswith(("?", "？"))):
        return True
    return bare.endswith(_FINAL) and not bare.endswith(("?", "？"))


def literal_conflict(active: Active, budgets: Mapping[str, Any]) -> Conflict | None:
    """A given text that holds what another constraint bans."""
    for literal in literals_of(active):
        if not possible(literal, active):
            text = literal.options[0]
            group, what = ban(literal.group, text, active)
            return Conflict("literal-banned", (literal.group, group), f"“{text}” holds {what}")
    return None
