"""Conflicts that must be computed, of what people ask for every day: choices, lists, labels, parts and emoji.

`compatibility.py` asks these functions after its own; they share its budgets.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import islice
from typing import Any

from evolif.scenarios.instructions.constraints.base import (
    Active,
    Conflict,
    least_count,
    lower_limit,
    required_words,
    upper_limit,
)
from evolif.scenarios.instructions.constraints.literals import label_count, label_texts, literal_conflict
from evolif.scenarios.instructions.constraints.relations import limits
from evolif.scenarios.instructions.constraints.room import room_conflict
from evolif.scenarios.instructions.turns import Params
from evolif.text import find_all, fold
from evolif.text.emoji import find_emoji

_Budgets = Mapping[str, Any]
_MOST_SHOWN = 50
_BESIDE_CHOICE = frozenset({"choice", "case"})
_BEHIND_LABEL = ":：. "
_QUOTES = frozenset("\"“«'‘„")
SOME_ITEMS = 2
"""One item is no list."""


def _choice_conflict(active: Active, budgets: _Budgets) -> Conflict | None:
    """A choice leaves room for its case and for quotation marks only; with a reason, also for an end."""
    if "choice" not in active:
        return None
    allowed = _BESIDE_CHOICE | ({"end_with"} if active["choice"].get("reason") else frozenset())
    for group, params in active.items():
        if group in allowed or (group == "wrap" and params.get("left") in _QUOTES):
            continue
        return Conflict("choice-alone", ("choice", group), "the answer is one of the options and nothing else")
    return None


def _shape_conflict(active: Active, budgets: _Budgets) -> Conflict | None:
    """A list, two labels or the length of items in one sentence, paragraph or line."""
    length = active.get("length")
    for group, what in _wide(active):
        for unit in ("sentences", "paragraphs", "lines"):
            limit = upper_limit(length, unit)
            if limit is not None and limit < SOME_ITEMS:
                return Conflict("one-piece", (group, "length"), f"{what} do not fit into one {unit[:-1]}")
    return None


def _wide(active: Active) -> Iterator[tuple[str, str]]:
    """Groups that need more than one line, and what of theirs does."""
    bullets = active.get("bullets", {})
    if "relation" in bullets and bullets["relation"] != "none":
        yield "bullets", "the items of a list"
    if label_count(active.get("labels")) >= SOME_ITEMS:
        yield "labels", "several labels"
    if active.get("part_length", {}).get("unit") == "item":
        yield "part_length", "the items of a list"
    if active.get("emoji", {}).get("place") == "each_item":
        yield "emoji", "the items of a list"


def _label_conflict(active: Active, budgets: _Budgets) -> Conflict | None:
    """Another beginning than the first label, and labels with what is forbidden, counted or excluded."""
    labels = active.get("labels")
    if labels is None:
        return None
    texts = list(islice(label_texts(labels), _MOST_SHOWN))
    start = active.get("start_with")
    if start is not None and fold(str(start.get("value", ""))).rstrip(_BEHIND_LABEL) != fold(texts[0]).rstrip(":"):
        return Conflict("label-start", ("labels", "start_with"), f"the answer opens with “{texts[0]}”")
    length = active.get("length")
    for unit, each in (("sentences", 1), ("lines", 1), ("words", 2), ("characters", 10)):
        limit = upper_limit(length, unit)
        if limit is not None and each * label_count(labels) > limit:
            return Conflict("label-budget", ("labels", "length"), f"{len(texts)} labels do not fit into {limit} {unit}")
    for text in texts if "wrap" in active else ():
        if fold(text) in fold(active["wrap"]["left"]):
            return Conflict("label-wrap", ("labels", "wrap"), f"“{active['wrap']['left']}” holds “{text}”")
    return next(filter(None, (_word_conflict(text, active) for text in texts)), None)


def _word_conflict(label: str, active: Active) -> Conflict | None:
    folded = fold(label)
    for word in active.get("forbidden", {}).get("keywords", ()):
        if find_all(folded, fold(word)):
            return Conflict("label-forbidden", ("labels", "forbidden"), f"“{label}” contains “{word}”")
    for word in active.get("existence", {}).get("counts", ()):
        if find_all(folded, fold(word)):
            return Conflict("label-counted", ("labels", "existence"), f"“{label}” contains “{word}”, which is counted")
    punctuation = active.get("punctuation", {})
    if punctuation.get("mode") == "exclude" and punctuation["mark"] in label:
        return Conflict("label-mark", ("labels", "punctuation"), f"“{label}” contains “{punctuation['mark']}”")
    if "digits" in active and any(map(str.isdecimal, label)):
        return Conflict("label-digit", ("labels", "digits"), f"“{label}” contains a digit")
    if active.get("emoji", {}).get("relation") == "none" and find_emoji(label):
        return Conflict("label-emoji", ("labels", "emoji"), f"“{label}” contains an emoji")
    return None


def _emoji_conflict(active: Active, budgets: _Budgets) -> Conflict | None:
    """An emoji in every item needs a list, and an excluded or forbidden emoji is required nowhere."""
    emoji = active.get("emoji", {})
    if emoji.get("place") == "each_item" and not least_count(active.get("bullets", {"count": 0}), SOME_ITEMS):
        return Conflict("emoji-without-list", ("emoji",), "an emoji in every item needs a list")
    if emoji.get("relation") == "none":
        word = next((word for word in required_words(active) if find_emoji(word)), None)
        if word is not None:
            return Conflict("emoji-required", ("emoji", "existence"), f"“{word}” contains an emoji")
    return None


def _part_conflict(active: Active, budgets: _Budgets) -> Conflict | None:
    """Parts that are too short for text, and more of them than fit into the allowed length."""
    part = active.get("part_length")
    if part is None:
        return None
    low, most = limits(part)
    least = {"words": budgets["words_per_part"], "characters": budgets["characters_per_part"]}
    if most is not None and most < least.get(part["measure"], 1):
        return Conflict("part-budget", ("part_length",), f"{most} {part['measure']} are too few for text")
    if part["measure"] == "sentences":
        return None
    limit = upper_limit(active.get("length"), part["measure"])
    number = least_count(active.get("bullets", {"count": 1}), SOME_ITEMS) if part["unit"] == "item" else 1
    if limit is not None and number * low > limit:
        return Conflict("part-room", ("part_length", "length"), f"they do not fit into {limit} {part['measure']}")
    return None


def _words_conflict(active: Active, budgets: _Budgets) -> Conflict | None:
    """Too many words without a repeated one, and too few to tell a language."""
    length = active.get("length")
    if active.get("lettering", {}).get("mode") == "no_repeat":
        low, most = lower_limit(length, "words"), budgets["no_repeat_words"]
        if low > most:
            return Conflict("no-repeat-budget", ("lettering", "length"), f"{low} words would be repeated")
    if "language" not in active:
        return None
    for unit in ("words", "characters"):
        limit = upper_limit(length, unit)
        if limit is not None and limit < budgets[f"foreign_least_{unit}"]:
            return Conflict("language-budget", ("language", "length"), f"{limit} {unit} do not tell a language")
    if "forbidden" in active:
        return Conflict("language-forbidden", ("language", "forbidden"), "the words are English")
    return None


EVERYDAY_FINDERS: tuple[Callable[[Active, _Budgets], Conflict | None], ...] = (
    _choice_conflict, _shape_conflict, _label_conflict, _emoji_conflict, _part_conflict, literal_conflict,
    room_conflict, _words_conflict,
)  # fmt: skip
"""In the order of reporting."""

_GROUPS = frozenset({"labels", "choice", "part_length", "emoji", "wrap", "hashtags", "lettering", "person", "manner"})
_OLD_LANGUAGES = frozenset({"de", "es", "fr", "it", "nl", "pt"})
_LENGTHS = frozenset({"at_most", "at_least", "about"})
_MODES = {
    "start_with": frozenset({"phrase"}),
    "end_with": frozenset({"phrase"}),
    "placement": frozenset({"unit_start"}),
    "sentences": frozenset({"all_questions"}),
    "punctuation": frozenset({"exclude_all"}),
    "format": frozenset({"table", "code", "plain", "comma_list", "literal_list"}),
}


def is_everyday(active: Active) -> bool:
    """Whether a constraint is in force that people ask for every day and the paper's profiles do not draw."""
    return not _GROUPS.isdisjoint(active) or any(_is_new(group, params) for group, params in active.items())


def _is_new(group: str, params: Params) -> bool:
    if group in _MODES:
        is_old = params["mode"] not in _MODES[group] or params.keys() == {"mode", "columns"}
        return not is_old or "fence" in params
    if group == "length":
        return params["unit"] == "lines" or params["relation"] in _LENGTHS
    if group == "language":
        return params.get("code") not in _OLD_LANGUAGES
    if group in ("bullets", "headings", "emphasis"):
        return "relation" in params or "levels" in params
    return group == "existence" and ("any_of" in params or "at_least" in params)
