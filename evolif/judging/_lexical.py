"""The offline judge `lexical`: word lists and counts. A heuristic, opt-in; it never enters the headline figures."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from evolif._catalogues import data_path, load_yaml
from evolif.domain import Constraint, Verdict
from evolif.judging._records import THRESHOLD
from evolif.text import Reading, words

_CONTRACTION = re.compile(r"\b\w+['’](?:t|s|re|ve|ll|d|m)\b", re.IGNORECASE)
_PASSIVE = re.compile(
    r"\b(?:is|are|was|were|be|been|being)(?:\s+\w+ly)?\s+(?:\w+ed|made|done|given|taken|found|seen|known|built|kept|sent)\b",
    re.IGNORECASE,
)
# Usual bands of words per sentence: a writer for children keeps sentences short.
_SENTENCE_BANDS = {"child": (0, 13), "youth": (8, 20), "adult": (12, 30), "senior": (8, 24)}


@lru_cache(maxsize=1)
def _lists() -> Mapping[str, Any]:
    lists: Mapping[str, Any] = load_yaml(data_path("constraints", "lexical.yaml"))
    return lists


class LexicalJudge:
    """Scores emotion, audience and style from 1 to 10 by counting; says what it counted."""

    name = "lexical"
    endpoints: tuple[str, ...] = ()

    async def assess(self, constraint: Constraint, reading: Reading) -> Verdict:
        """The verdict, which stands apart."""
        return self.judge(constraint, reading)

    async def aclose(self) -> None:
        """Nothing is held."""

    def judge(self, constraint: Constraint, reading: Reading) -> Verdict:
        """The verdict on one subjective constraint; an unreadable answer fails."""
        value = str(constraint.params[constraint.group])
        expected = f"{constraint.group}: {value}, scored above {THRESHOLD} of 10"
        if reading.unreadable:
            return Verdict(constraint.group, False, expected, reading.unreadable)
        score, why = self._score(constraint.group, value, reading)
        score = max(1, min(10, score))
        return Verdict(constraint.group, score > THRESHOLD, expected, f"{score} of 10: {why}")

    def _score(self, group: str, value: str, reading: Reading) -> tuple[int, str]:
        text = reading.content_text.lower().replace("’", "'")
        if group == "style" and value in ("active voice", "passive voice"):
            return _voice(value, reading)
        if group == "style" and value == "formal":
            return _formal(text)
        if group == "emotion" and value == "neutral":
            hits = sum(_hits(text, _lists()["emotion"][name]) for name in _lists()["emotion"])
            marks = text.count("!")
            return 9 - hits - marks, f"{hits} emotional words, {marks} exclamation marks"
        listed = _lists().get(group, {}).get(value)
        if listed is None:
            return 1, f"no word list for “{value}”"
        hits = _hits(text, listed)
        per_hundred = 100 * hits / max(1, reading.words)
        score = 3 + round(2 * per_hundred)
        if group == "audience":
            score += _band(value, reading)
        return score, f"{hits} words of the list in {reading.words}"


def _hits(text: str, listed: list[str]) -> int:
    tokens = words(text)
    bare = {token.strip(".,;:!?()\"'*_") for token in tokens}
    return sum(1 for entry in listed if (entry in text if " " in entry else entry in bare))


def _formal(text: str) -> tuple[int, str]:
    contractions = len(_CONTRACTION.findall(text))
    informal = _hits(text, _lists()["style"]["informal"])
    formal = _hits(text, _lists()["style"]["formal"])
    return 6 + formal - 2 * contractions - informal, f"{formal} formal words, {contractions} contractions"


def _voice(value: str, reading: Reading) -> tuple[int, str]:
    passive = len(_PASSIVE.findall(reading.content_text))
    total = max(1, len(reading.sentence_spans))
    share = min(1.0, passive / total)
    score = round(1 + 9 * share) if value == "passive voice" else round(10 - 9 * share)
    return score, f"{passive} passive forms in {total} sentences"


def _band(value: str, reading: Reading) -> int:
    low, high = _SENTENCE_BANDS[value]
    average = reading.words / max(1, len(reading.sentence_spans))
    return 3 if low <= average <= high else -1
