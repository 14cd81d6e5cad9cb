"""Twenty keywords out of those that a model offered: what is plainly wrong is left out before anybody complains."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from evolif.catalogue._keywords import (
    KEYWORDS,
    RARE_LETTERS,
    SAME_LETTER,
    SINGLE_WORDS,
    form_faults,
    singulars_of,
    stems_of,
)
from evolif.catalogue._words import contains, stem, words

_PLAIN = str.maketrans({"’": "'", "‘": "'", "‐": "-", "‑": "-", "–": "-", "_": " "})
_MOST_OFFERED = 60


def pick(offered: object, prompt: str, title: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The best twenty keywords, or all that are any good; and what is wrong with the others.

    Args:
        offered: What stood under `keywords`: a list of texts, or one text with commas.
        prompt: The prompt; keywords out of it go first.
        title: The title, likewise.
    """
    good, faults = _good(_texts(offered))
    said = (tuple(map(stem, words(title))), tuple(map(stem, words(prompt))))
    used = [word for text in said for word in good if contains(text, stems_of(word))]
    rare = [word for word in good if word[0] in RARE_LETTERS]
    firsts = list({word[0]: word for word in reversed(good)}.values())[::-1]
    return _within_limits([*used, *rare[:1], *firsts, *good]), tuple(faults)


def _texts(offered: object) -> list[str]:
    if isinstance(offered, str):
        offered = offered.split(",")
    items = offered[:_MOST_OFFERED] if isinstance(offered, list) else []
    texts = [" ".join(item.translate(_PLAIN).lower().split()) for item in items if isinstance(item, str)]
    return list(dict.fromkeys(filter(None, (text.strip(" .,;:!?\"'*") for text in texts))))


def _good(offered: Sequence[str]) -> tuple[list[str], list[str]]:
    """Those of good form that neither hold an earlier one nor are held by it."""
    good: list[str] = []
    faults: list[str] = []
    reduced: list[tuple[str, ...]] = []
    for keyword in offered:
        wrong = [fault.message for fault in form_faults(keyword)]
        parts = singulars_of(keyword)
        near = next((word for word, other in zip(good, reduced, strict=True) if _touch(parts, other)), None)
        if near is not None:
            wrong.append(f"the keywords “{keyword}” and “{near}” hold the same word")
        if wrong:
            faults += wrong
        else:
            good.append(keyword)
            reduced.append(parts)
    return good, faults


def _touch(some: tuple[str, ...], others: tuple[str, ...]) -> bool:
    return contains(some, others) or contains(others, some)


def _within_limits(ordered: Sequence[str]) -> tuple[str, ...]:
    chosen: list[str] = []
    letters: Counter[str] = Counter()
    phrases = 0
    for keyword in dict.fromkeys(ordered):
        is_phrase = " " in keyword
        if letters[keyword[0]] >= SAME_LETTER or phrases + is_phrase > KEYWORDS - SINGLE_WORDS:
            continue
        if len(chosen) < KEYWORDS:
            chosen.append(keyword)
            letters[keyword[0]] += 1
            phrases += is_phrase
    return tuple(chosen)
