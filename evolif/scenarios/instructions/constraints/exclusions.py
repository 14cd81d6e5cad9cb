"""Conflicts that must be computed, of what people ask for every day; of literals, `literals.py` knows more.

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
from evolif.scenarios.instructions.constraints.literals import banned_literal, label_texts, literal_room, literals
from evolif.scenarios.instructions.constraints.relations import limits
from evolif.scenarios.instructions.constraints.room import room_conflict
from evolif.scenarios.instructions.turns import Params
from evolif.text import find_all, fold
from evolif.text.emoji import find_emoji
from evolif.text.languages import SCRIPTS

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


def label_count(labels: Params | None) -> int:
    """How many labels are asked for; 0 without any."""
    if labels is None:
        return 0
    return int(labels["count"]) if "noun" in labels else len(labels["labels"])


def _label_conflict(active: Active, budgets: _Budgets) -> Conflict | None:
    """Another beginning than the first label, and labels with what is forbidden, counted or excluded."""
    labels = active.get("labels")
    if labels is None:
        return None
    texts = list(islice(label_texts(labels), _MOST_SHOWN))
    start = active.get("start_with")
    if start is not None and fold(str(start.get("value", ""))).rstrip(_BEHIND_LABEL) != fold(texts[0]).rstrip(":"):
        return Conflict("label-start", ("labels", "start_with"), f"the answer opens with “{texts[0]}”")
    for text in texts if "wrap" in active else ():
        if fold(text) in fold(active["wrap"]["left"]):
            return Conflict("label-wrap", ("labels", "wrap"), f"“{active['wrap']['left']}” holds “{text}”")
    length = active.get("length")
    for unit, each in (("sentences", 1), ("lines", 1), ("words", 2), ("characters", 10)):
        limit = upper_limit(length, unit)
        if limit is not None and each * label_count(labels) > limit:
            return Conflict("label-budget", ("labels", "length"), f"{len(texts)} labels do not fit into {limit} {unit}")
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


def _hashtag_conflict(active: Active, budgets: _Budgets) -> Conflict | None:
    """More hashtags than fit into the allowed length, or without their sign."""
    if "hashtags" not in active:
        return None
    number = least_count(active["hashtags"])
    if number and active.get("punctuation", {}).get("mark") == "#" and active["punctuation"]["mode"] == "exclude":
        return Conflict("hashtag-mark", ("hashtags", "punctuation"), "a hashtag begins with #")
    for unit in ("words", "characters"):
        limit = upper_limit(active.get("length"), unit)
        if limit is not None and number * budgets[f"{unit}_per_hashtag"] > limit:
            return Conflict("hashtag-room", ("hashtags", "length"), f"{number} of them do not fit into {limit} {unit}")
    return None


def _letter_conflict(active: Active, budgets: _Budgets) -> Conflict | None:
    """Letters at an edge that the words may not have, and too many words to repeat none."""
    lettering = active.get("lettering")
    if lettering is None:
        return None
    if lettering["mode"] == "no_repeat":
        low = max(lower_limit(active.get("length"), unit) * each for unit, each in _LEAST_WORDS.items())
        if low > budgets["most_words_without_repetition"]:
            return Conflict("repetition", ("lettering", "length"), "so many words cannot all be different")
    for group in ("start_with", "end_with", "placement"):
        letter = _edge_letter(active.get(group, {}))
        wanted = lettering.get("letter", "").casefold()
        if letter and lettering["mode"] == "without" and letter == wanted:
            return Conflict("edge-letter", ("lettering", group), f"the letter {letter} is asked for there")
        if letter and lettering["mode"] == "first" and letter != wanted and group != "end_with":
            return Conflict("edge-letter", ("lettering", group), f"a word begins with {letter} there")
    return None


_LEAST_WORDS = {"words": 1, "sentences": 4, "paragraphs": 8, "lines": 4}
"""How many words a unit has at least, where nobody tries to be brief."""


def _edge_letter(params: Params) -> str:
    value = params.get("letter", params.get("value") if params.get("mode") == "letter" else "")
    return str(value).casefold()


def _language_conflict(active: Active, budgets: _Budgets) -> Conflict | None:
    """Phrases of English words, and texts in Latin script that are too short to tell their language."""
    language = active.get("language")
    if language is None:
        return None
    for literal in literals(active):
        is_phrase = active[literal.group].get("mode") in ("phrase", "unit_start")
        if is_phrase and any(map(str.isalpha, literal.texts[0])):
            return Conflict("foreign-phrase", ("language", literal.group), f"“{literal.texts[0]}” is English")
    for unit in ("words", "characters"):
        limit = upper_limit(active.get("length"), unit)
        if limit is not None and limit < budgets[f"foreign_least_{unit}"] and language.get("code") not in SCRIPTS:
            reason = f"{limit} {unit} are too few to detect a language"
            return Conflict("language-room", ("language", "length"), reason)
    return None


def _marks_conflict(active: Active, budgets: _Budgets) -> Conflict | None:
    """Sentences that nothing would part."""
    low = lower_limit(active.get("length"), "sentences")
    if low > 1 and active.get("punctuation", {}).get("mode") == "exclude_all":
        return Conflict("no-mark-sentences", ("punctuation", "length"), f"without a mark, {low} sentences are one")
    return None


def _room_conflict(active: Active, budgets: _Budgets) -> Conflict | None:
    """More than fits into the length; older kinds have budgets of their own."""
    return room_conflict(active, budgets) if has_everyday_kinds(active) else None


def _option_conflict(active: Active, budgets: _Budgets) -> Conflict | None:
    """A word that may be used in place of others, and that must not be used."""
    banned = [fold(word) for word in active.get("forbidden", {}).get("keywords", ())]
    for option in active.get("existence", {}).get("any_of", ()):
        if any(find_all(fold(option), word) for word in banned):
            return Conflict(
                "forbidden-option", ("existence", "forbidden"), f"“{option}” is one of the words to choose from"
            )
    return None


EVERYDAY_FINDERS: tuple[Callable[[Active, _Budgets], Conflict | None], ...] = (
    _choice_conflict, _shape_conflict, _label_conflict, _emoji_conflict, _part_conflict, _hashtag_conflict,
    _letter_conflict, _language_conflict, _marks_conflict, _option_conflict, banned_literal, literal_room,
    _room_conflict,
)  # fmt: skip
"""In the order of reporting."""

_GROUPS = frozenset({"labels", "choice", "part_length", "emoji", "hashtags", "person", "manner", "lettering", "wrap"})
_LENGTHS = frozenset({"at_most", "at_least", "about"})
_OLD_LANGUAGES = frozenset({"de", "es", "fr", "it", "nl", "pt"})
_NEW_KEYS: Mapping[str, frozenset[str]] = {
    "bullets": frozenset({"relation"}),
    "headings": frozenset({"relation", "levels"}),
    "emphasis": frozenset({"relation"}),
    "existence": frozenset({"at_least", "any_of"}),
    "format": frozenset({"fence", "column_count", "only"}),
}
_NEW_MODES: Mapping[str, frozenset[str]] = {
    "start_with": frozenset({"phrase"}),
    "end_with": frozenset({"phrase"}),
    "placement": frozenset({"unit_start"}),
    "sentences": frozenset({"all_questions"}),
    "punctuation": frozenset({"exclude_all"}),
    "format": frozenset({"code", "plain", "comma_list", "literal_list"}),
}


def is_everyday(active: Active) -> bool:
    """Whether some of the constraints are such that these functions know more about them."""
    return "language" in active or has_everyday_kinds(active)


def has_everyday_kinds(active: Active) -> bool:
    """Whether a constraint is in force that people ask for every day and no older profile draws."""
    return not _GROUPS.isdisjoint(active) or any(_is_new(group, params) for group, params in active.items())


def _is_new(group: str, params: Params) -> bool:
    if params.get("mode") in _NEW_MODES.get(group, ()) or not _NEW_KEYS.get(group, _NO_KEYS).isdisjoint(params):
        return True
    if group == "length":
        return params["unit"] == "lines" or params["relation"] in _LENGTHS
    if group == "language":
        return params.get("code") not in _OLD_LANGUAGES
    return group == "format" and params["mode"] == "table" and "columns" not in params


_NO_KEYS = frozenset[str]()
