"""Whether a request is worded formally or informally, by weighted cues (in paper App. G, a judge decides)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from typing import Any, Literal

from evolif.util.resources import data_path, load_data

Formality = Literal["formal", "informal"]

_VALUES = re.compile(r"“[^”]{0,400}”|\"[^\"]{0,400}\"|`[^`]{0,400}`|\([^()]{0,400}\)")
_CONTRACTION = re.compile(r"\b\w+(?:n't|'(?:d|ll|m|re|s|ve))\b")
_SENTENCE = re.compile(r"[^.!?\n]{1,2000}")
_LONGEST = 16_384
"""Characters read; human requests are shorter."""
_FEW_WORDS = 4


@dataclass(frozen=True, slots=True)
class _Cues:
    weighted: tuple[tuple[int, re.Pattern[str]], ...]
    """Above 0 for formal words, below for informal ones."""
    contraction: int
    exclamation: int
    no_capital: int
    fragment: int


def formality(query: str) -> Formality:
    """Classify a user's query; without any cue it is formal.

    Values in quotation marks and parentheses do not show the writer's tone, so they do not count. docs/queries.md says
    how well this works.
    """
    return "formal" if formality_score(query) >= 0 else "informal"


def formality_score(query: str) -> int:
    """The sum of the cues: above 0 formal, below 0 informal."""
    cues = _cues()
    text = _VALUES.sub(" ", query[:_LONGEST].replace("’", "'"))
    low = text.lower()
    score = sum(weight * sum(1 for _ in pattern.finditer(low)) for weight, pattern in cues.weighted)
    score -= cues.contraction * sum(1 for _ in _CONTRACTION.finditer(low))
    score -= cues.exclamation * text.count("!")
    score -= cues.no_capital * text.lstrip()[:1].islower()
    return score - cues.fragment * sum(map(_is_fragment, _SENTENCE.findall(low)))


def _is_fragment(sentence: str) -> bool:
    words = sentence.split()
    return 0 < len(words) <= _FEW_WORDS and "please" not in words


@cache
def _cues() -> _Cues:
    data: dict[str, Any] = load_data(data_path("seeds", "formality.yaml"))
    weighted = tuple(
        (sign * weight, re.compile(rf"(?<![\w'])(?:{'|'.join(words)})(?![\w'])"))
        for name, sign in (("formal", 1), ("informal", -1))
        for weight, words in data[name].items()
    )
    return _Cues(weighted, data["contraction"], data["exclamation"], data["no_capital"], data["fragment"])
