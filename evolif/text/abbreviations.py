"""Abbreviations of languages other than English (edition 2), from `seeds/abbreviations/`, a file per language."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from evolif.util.resources import data_path, load_data

_WORD = re.compile(r"[^\W\d_]+")
_READ_CHARACTERS = 10_000
"""How much of a text decides on its language."""


@dataclass(frozen=True, slots=True)
class Abbreviations:
    """Without their last dot, in lower case."""

    always: frozenset[str]
    """No English words, so they are abbreviations in every text."""
    inside: Mapping[str, frozenset[str]]
    """English words, too, with common words of their languages: abbreviations only in texts of these."""
    ends: frozenset[str]
    """Those that stand at the end of a list, as “etc.” does: a capital behind one begins a sentence."""


@lru_cache(maxsize=1)
def foreign_abbreviations() -> Abbreviations:
    """Those of all languages; read on first use."""
    languages: list[dict[str, Any]] = [
        load_data(path) for path in sorted(data_path("seeds", "abbreviations").glob("*.yaml"))
    ]
    return Abbreviations(
        frozenset(word for one in languages for word in one["always"]),
        {word: frozenset(one["common"]) for one in languages for word in one.get("inside", ())},
        frozenset(word for one in languages for word in one.get("ends", ())),
    )


def is_in_language(texts: Iterable[str], common: frozenset[str]) -> bool:
    """Whether a text is in a language: more of its words are common ones of it than are English function words."""
    words = _WORD.findall("\n".join(texts)[:_READ_CHARACTERS].casefold())
    english = _english()
    return sum(word in common for word in words) > sum(word in english for word in words)


@lru_cache(maxsize=1)
def _english() -> frozenset[str]:
    lines = data_path("seeds", "function-words.txt").read_text(encoding="utf-8").splitlines()
    return frozenset(word for line in lines for word in line.partition("#")[0].split())
