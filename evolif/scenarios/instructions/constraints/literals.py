"""Literals, which the constraints want in an answer as they stand, and what other constraints ban.

A start phrase with *my* in it excludes an answer without the first person, and so on.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache, partial
from itertools import islice
from typing import Any

from evolif.scenarios.instructions.constraints.base import Active, Conflict, upper_limit
from evolif.scenarios.instructions.constraints.manner import mannered
from evolif.scenarios.instructions.constraints.person import persons
from evolif.scenarios.instructions.turns import Params
from evolif.text import Reading, count_words, find_all, fold
from evolif.text.emoji import find_emoji

_HASHTAG = re.compile(r"#\w")
_MOST_LABELS = 50
_FINAL = (".", "!", "?", "…", "。", "！", "？")
_QUESTION = ("?", "？")
_CLOSERS = "\"'”’»)]*_ "
_INSIDE_WORDS = frozenset("'’-")
"""Marks that no constraint excludes inside words."""


@dataclass(frozen=True, slots=True)
class Literal:
    """What a group wants in the answer: one of several texts."""

    group: str
    texts: tuple[str, ...]


def label_texts(labels: Params | None) -> Iterator[str]:
    """The labels that are asked for."""
    if labels is not None and "noun" in labels:
        yield from (f"{labels['noun']} {number}" for number in range(1, labels["count"] + 1))
    elif labels is not None:
        yield from labels["labels"]


def phrases(active: Active) -> Iterator[Literal]:
    """The literals that are more than keywords: phrases at the edges and at the start of units, and marks."""
    for group in ("start_with", "end_with"):
        if group in active and active[group]["mode"] == "phrase":
            yield _one_of(group, active[group])
    placement = active.get("placement")
    if placement is not None and placement["mode"] == "unit_start" and "letter" not in placement:
        yield _one_of("placement", placement)
    wrap = active.get("wrap")
    if wrap is not None:
        yield from (Literal("wrap", (wrap[side],)) for side in ("left", "right"))


def literals(active: Active) -> Iterator[Literal]:
    """All literals of constraints: phrases, keywords and labels."""
    yield from phrases(active)
    for group in ("start_with", "end_with"):
        if group in active and active[group]["mode"] == "keyword":
            yield _one_of(group, active[group])
    placement = active.get("placement", {})
    if "value" in placement and placement["mode"] != "unit_start":
        yield _one_of("placement", placement)
    yield from (Literal("labels", (text,)) for text in islice(label_texts(active.get("labels")), _MOST_LABELS))
    existence = active.get("existence", {})
    for key in ("counts", "at_least"):
        yield from (Literal("existence", (word,)) for word, n in existence.get(key, {}).items() if n)
    if "any_of" in existence:
        yield Literal("existence", tuple(existence["any_of"]))


def _one_of(group: str, params: Params) -> Literal:
    return Literal(group, tuple(params["values"]) if "values" in params else (params["value"],))


_Ban = Callable[[Literal, str], bool]
"""Whether a text of a literal holds what a constraint bans."""


@lru_cache(maxsize=1024)
def _speaks(text: str, person: str) -> bool:
    return any(persons(text, person))


@lru_cache(maxsize=1024)
def _is_mannered(text: str, mode: str) -> bool:
    return mannered(text, mode)


def _says_person(person: str, literal: Literal, text: str) -> bool:
    return _speaks(text, person)


def _has_manner(mode: str, literal: Literal, text: str) -> bool:
    if literal.group == "start_with":
        return mode in ("answer_only", "no_disclaimer") and _is_mannered(text, mode)
    if literal.group == "end_with" and mode == "answer_only":
        return _is_mannered(text, "no_offer")
    return (literal.group == "end_with" or mode == "no_disclaimer") and _is_mannered(text, mode)


def _has_word(words: tuple[str, ...], literal: Literal, text: str) -> bool:
    return any(find_all(fold(text), fold(word)) for word in words)


def _has_mark(mark: str, literal: Literal, text: str) -> bool:
    return mark in text


def _has_any_mark(literal: Literal, text: str) -> bool:
    return any(unicodedata.category(char)[0] == "P" and char not in _INSIDE_WORDS for char in text)


def _has_digit(literal: Literal, text: str) -> bool:
    return any(map(str.isdecimal, text))


def _has_emoji(literal: Literal, text: str) -> bool:
    return bool(find_emoji(text))


def _has_hashtag(literal: Literal, text: str) -> bool:
    return bool(_HASHTAG.search(text))


def _has_letter(literal: Literal, text: str) -> bool:
    return literal.group == "wrap" and any(map(str.isalpha, text))


def _is_counted(words: tuple[str, ...], literal: Literal, text: str) -> bool:
    return literal.group != "existence" and any(find_all(fold(text), fold(word)) for word in words)


def _quotes(literal: Literal, text: str) -> bool:
    """Whether it makes block quotes of paragraphs, which part lists and are nobody's own voice."""
    return literal.group == "placement" and text.startswith(">")


@lru_cache(maxsize=1024)
def _has_elements(text: str) -> bool:
    return Reading(f"{text} Word").content.elements > 0


def _has_markup(literal: Literal, text: str) -> bool:
    return _has_elements(text)


def _states(literal: Literal, text: str) -> bool:
    """Whether it makes a sentence that is no question."""
    is_open = literal.group == "end_with" and not (text[-1].isalnum() or text.endswith(_QUESTION))
    bare = text.rstrip(_CLOSERS)
    return is_open or (bare.endswith(_FINAL) and not bare.endswith(_QUESTION))


@lru_cache(maxsize=1024)
def whole_sentences(text: str) -> int:
    """How many sentences a given text is; 0 if it needs other words to be one.

    >>> whole_sentences("Right away!"), whole_sentences("Note:")
    (1, 0)
    """
    if not text.rstrip(_CLOSERS).endswith(_FINAL):
        return 0
    return len(Reading(text).sentence_spans)


def possible(literal: Literal, active: Active) -> list[str]:
    """Those of its texts that hold nothing that another constraint bans."""
    bans = [ban for _, ban in _bans(active)]
    return [text for text in literal.texts if not any(ban(literal, text) for ban in bans)]


def _bans(active: Active) -> Iterator[tuple[str, _Ban]]:
    """What the constraints ban, by group."""
    if "avoid" in active.get("person", {}):
        yield "person", partial(_says_person, active["person"]["avoid"])
    if "manner" in active:
        yield "manner", partial(_has_manner, active["manner"]["mode"])
    if "forbidden" in active:
        yield "forbidden", partial(_has_word, tuple(active["forbidden"]["keywords"]))
    punctuation = active.get("punctuation", {})
    if punctuation.get("mode") == "exclude":
        yield "punctuation", partial(_has_mark, punctuation["mark"])
    if punctuation.get("mode") == "exclude_all":
        yield "punctuation", _has_any_mark
    yield from _bans_of_phrases(active)
    if "digits" in active:
        yield "digits", _has_digit
    for group, ban in (("emoji", _has_emoji), ("hashtags", _has_hashtag)):
        if active.get(group, {}).get("relation") == "none":
            yield group, ban


def _bans_of_phrases(active: Active) -> Iterator[tuple[str, _Ban]]:
    """What the constraints ban in phrases, marks and the like, but not in keywords."""
    if active.get("sentences", {}).get("mode") == "all_questions":
        yield "sentences", _states
    if active.get("format", {}).get("mode") == "plain":
        yield "format", _has_markup
    if "lettering" in active:
        yield "lettering", _has_letter
    counted = active.get("existence", {}).get("counts")
    if counted and any(True for _ in phrases(active)):
        yield "existence", partial(_is_counted, tuple(counted))
    if "use" in active.get("person", {}):
        yield "person", _quotes
    if active.get("bullets", {}).get("relation", "none") != "none":
        yield "bullets", _quotes


def banned_literal(active: Active, budgets: Mapping[str, Any]) -> Conflict | None:
    """A literal that holds what another constraint bans, in each of the texts that would do."""
    given = list(literals(active))
    bans = list(_bans(active)) if given else []
    for literal in given if bans else ():
        for group, ban in bans:
            if all(ban(literal, text) for text in literal.texts):
                reason = f"“{literal.texts[0]}” holds what {group} excludes"
                return Conflict("banned-literal", (group, literal.group), reason)
    return None


def literal_room(active: Active, budgets: Mapping[str, Any]) -> Conflict | None:
    """Literals that take up more than their share of the allowed length."""
    length = active.get("length")
    if length is None:
        return None
    shortest = [min(literal.texts, key=len) for literal in literals(active)]
    if not shortest or length["unit"] not in ("words", "characters"):
        return None
    taken = {"words": sum(map(count_words, shortest)), "characters": sum(map(len, shortest))}
    for unit, number in taken.items():
        limit = upper_limit(length, unit)
        if limit is not None and budgets["required_share"] * number > limit:
            groups = tuple(dict.fromkeys(literal.group for literal in literals(active)))
            reason = f"literals of {number} {unit} do not fit well into {limit}"
            return Conflict("literal-room", (*groups, "length"), reason)
    return None
