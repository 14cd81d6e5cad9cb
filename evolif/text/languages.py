"""Which language a text is in: by its script where that decides, else by langdetect with a fixed seed.

Scripts decide on Greek, Hindi, Hebrew, Thai, Tamil, Bengali and Korean; the share of kana on Chinese and Japanese.
langdetect tells Russian, Ukrainian and Bulgarian apart, Arabic, Persian and Urdu, and all languages of Latin script.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

import regex

from evolif.text.tokens import count_words

READ_CHARACTERS = 10_000
"""Limit on langdetect's input, to bound the time."""
SHORT_WORDS = 20
"""A text of fewer words is too short for langdetect's first guess to decide."""
TOLD_APART = 40
"""Letters from which on langdetect tells the languages of a script apart."""
LIKELY = 0.2
"""In a short text, a language of this probability or more will do."""

SCRIPTS: Mapping[str, str] = {
    "ru": "Cyrillic", "uk": "Cyrillic", "bg": "Cyrillic", "ar": "Arabic", "fa": "Arabic", "ur": "Arabic", "zh": "Han",
    "ja": "Han", "ko": "Hangul", "el": "Greek", "hi": "Devanagari", "he": "Hebrew", "th": "Thai", "ta": "Tamil",
    "bn": "Bengali",
}  # fmt: skip
"""The script of each language that is told by it."""

_SEED = 0
_LETTER = regex.compile(r"\p{L}")
_KANA = regex.compile(r"[\p{Hiragana}\p{Katakana}ーｰ]")
_OF_SCRIPT = {
    script: regex.compile(rf"[\p{{L}}&&\p{{{script}}}]", regex.VERSION1) for script in dict.fromkeys(SCRIPTS.values())
}
_KANA_PERCENT = 5
_TWINS = frozenset({"no", "da"})
"""langdetect cannot tell them apart in a short text."""


@lru_cache(maxsize=1)
def _factory() -> Any:
    """A separate factory with its own seed, so that langdetect's shared one stays unchanged."""
    from langdetect.detector_factory import PROFILES_DIRECTORY, DetectorFactory

    factory = DetectorFactory()
    factory.load_profile(PROFILES_DIRECTORY)
    factory.seed = _SEED
    return factory


@lru_cache(maxsize=1024)
def probabilities(text: str, among: frozenset[str] = frozenset()) -> tuple[tuple[str, float], ...]:
    """The likely languages of a text with langdetect's probabilities, best first, case ignored; empty if there is none.

    Args:
        text: The text, of which callers give the first 10,000 characters.
        among: The languages in question; all if empty.
    """
    detector = _factory().create()
    from langdetect.lang_detect_exception import LangDetectException

    if among:
        detector.set_prior_map(dict.fromkeys(among, 1.0))
    # langdetect skips words in capitals, so that a text in capitals would have no language.
    detector.append(text.lower())
    try:
        found = detector.get_probabilities()
    except LangDetectException:  # no letters
        return ()
    return tuple((str(one.lang).partition("-")[0], float(one.prob)) for one in found)


def raw_language(text: str) -> str | None:
    """What langdetect itself says of a text as it stands, such as `zh-cn`; None if it finds nothing to go by."""
    from langdetect.lang_detect_exception import LangDetectException

    detector = _factory().create()
    detector.append(text[:READ_CHARACTERS])
    try:
        return str(detector.detect())
    except LangDetectException:
        return None


def detect_language(text: str) -> str:
    """The code of langdetect's most likely language of `text`; empty if there is none."""
    return next((code for code, _ in probabilities(text[:READ_CHARACTERS])), "")


def language_of(text: str) -> str:
    """The code of the language that a text is in; empty if it has no letter or none can be told."""
    for script in _OF_SCRIPT:
        if _is_written_in(text, script):
            return _within_script(text, script)
    return detect_language(text) if _LETTER.search(text) else ""


def may_be_in(text: str, code: str) -> bool:
    """Whether a text may be in a language; a short one may be in several.

    >>> may_be_in("好的，明天开会。", "zh")
    True
    """
    script = SCRIPTS.get(code)
    if script is not None:
        if not _is_written_in(text, script):
            return False
        by_letters = script != "Han" and len(_OF_SCRIPT[script].findall(text)) < TOLD_APART
        return by_letters or _within_script(text, script) == code
    if not _LETTER.search(text):
        return False
    if count_words(text) >= SHORT_WORDS:
        return detect_language(text) == code
    same = _TWINS if code in _TWINS else {code}
    return sum(share for language, share in probabilities(text[:READ_CHARACTERS]) if language in same) >= LIKELY


def _is_written_in(text: str, script: str) -> bool:
    """Whether at least half of the letters are of a script; kana are counted with Han."""
    if text.isascii():
        return False
    own = len(_OF_SCRIPT[script].findall(text))
    own += len(_KANA.findall(text)) if script == "Han" else 0
    return own > 0 and 2 * own >= len(_LETTER.findall(text))


def _within_script(text: str, script: str) -> str:
    """Which language of its script a text is in."""
    if script == "Han":
        kana = len(_KANA.findall(text))
        return "ja" if 100 * kana > _KANA_PERCENT * (kana + len(_OF_SCRIPT[script].findall(text))) else "zh"
    family = frozenset(code for code, own in SCRIPTS.items() if own == script)
    if len(family) == 1:
        return next(iter(family))
    return next((code for code, _ in probabilities(text[:READ_CHARACTERS], family)), "")
