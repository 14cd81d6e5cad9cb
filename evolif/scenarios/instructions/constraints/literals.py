"""Given texts: phrases at the edges, labels, marks and beginnings of units, which an answer holds as they are.

They conflict with constraints that ban what they hold, and take room.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
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
_QUESTION = ("?", "？")
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
    for name, find in _BANS.items():
        found = find(group, text, active) if name in active else ""
        if found:
            return name, found
    return "", ""


def _forbidden(group: str, text: str, active: Active) -> str:
    return _word_in(text, active["forbidden"]["keywords"])


def _counted(group: str, text: str, active: Active) -> str:
    word = _word_in(text, active["existence"].get("counts", ()))
    return f"{word}, which is counted" if word else ""


def _word_in(text: str, words: Iterable[str]) -> str:
    folded = fold(text)
    return next((f"“{word}”" for word in words if find_all(folded, fold(word))), "")


def _spelt(group: str, text: str, active: Active) -> str:
    return "letters of its own" if any(map(str.isalpha, text)) else ""


def _parting(group: str, text: str, active: Active) -> str:
    has_list = active["bullets"].get("relation", "none") != "none"
    return "a mark that parts a list" if has_list and group == "placement" and text.startswith(">") else ""


def _excluded(group: str, text: str, active: Active) -> str:
    punctuation = active["punctuation"]
    mark = ""
    if punctuation["mode"] == "exclude":
        mark = punctuation["mark"] if punctuation["mark"] in text else ""
    elif punctuation["mode"] == "exclude_all":
        mark = next((char for char in text if category(char)[0] == "P" and char not in _INNER), "")
    return f"“{mark}”" if mark else ""


def _numbered(group: str, text: str, active: Active) -> str:
    return "a digit" if any(map(str.isdecimal, text)) else ""


def _pictured(group: str, text: str, active: Active) -> str:
    return "an emoji" if active["emoji"].get("relation") == "none" and find_emoji(text) else ""


def _marked_up(group: str, text: str, active: Active) -> str:
    return "mark-up" if active["format"]["mode"] == "plain" and _has_elements(text) else ""


def _stated(group: str, text: str, active: Active) -> str:
    """A sentence that is no question."""
    if active["sentences"]["mode"] != "all_questions":
        return ""
    bare = text.rstrip(_CLOSERS)
    is_open = group == "end_with" and not (text[-1].isalnum() or text.endswith(_QUESTION))
    return "what is no question" if is_open or (bare.endswith(_FINAL) and not bare.endswith(_QUESTION)) else ""


def _spoken(group: str, text: str, active: Active) -> str:
    person = active["person"]
    if "use" in person:
        is_quoted = group == "placement" and text.startswith(">")
        return "a mark of quotations, which are nobody's own voice" if is_quoted else ""
    return f"a word of the {person['avoid']} person" if _speaks(text, person["avoid"]) else ""


def _unwanted(group: str, text: str, active: Active) -> str:
    return "a phrase that is not wanted" if _is_mannered(text, active["manner"]["mode"]) else ""


_BANS: Mapping[str, Callable[[str, str, Active], str]] = {
    "forbidden": _forbidden,
    "existence": _counted,
    "lettering": _spelt,
    "bullets": _parting,
    "punctuation": _excluded,
    "digits": _numbered,
    "emoji": _pictured,
    "format": _marked_up,
    "sentences": _stated,
    "person": _spoken,
    "manner": _unwanted,
}
"""What constraints of each group ban in a given text."""


@lru_cache(maxsize=1024)
def _has_elements(text: str) -> bool:
    return Reading(f"{text} Word").content.elements > 0


@lru_cache(maxsize=1024)
def _speaks(text: str, person: str) -> bool:
    return next(persons(text, person), None) is not None


@lru_cache(maxsize=1024)
def _is_mannered(text: str, mode: str) -> bool:
    return mannered(text, mode)


def literal_conflict(active: Active, budgets: Mapping[str, Any]) -> Conflict | None:
    """A given text that holds what another constraint bans."""
    for literal in literals_of(active):
        if not possible(literal, active):
            text = literal.options[0]
            group, what = ban(literal.group, text, active)
            return Conflict("literal-banned", (literal.group, group), f"“{text}” holds {what}")
    return None
