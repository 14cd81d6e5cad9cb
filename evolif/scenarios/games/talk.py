"""What a dialogue says: how dense and coherent it is, what it tells in names, and whether somebody apologises."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from evolif.scenarios.games.centering import centering
from evolif.scenarios.games.density import content_ratio, novelty
from evolif.scenarios.games.information import information_gain
from evolif.scenarios.games.noun_phrases import phrases
from evolif.scenarios.games.stored import Played

_APOLOGY = re.compile(r"\bapolog", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Talk:
    """How a dialogue is worded.

    Attributes:
        content: The share of content words.
        novelty: As `evolif.scenarios.games.novelty` has it.
        coherence: CS of centering; None if it is not asked for, or there is one turn only.
    """

    content: float
    novelty: float
    coherence: float | None

    @property
    def density(self) -> float:
        """Lexical density."""
        return 100 * self.content * self.novelty


@dataclass(frozen=True, slots=True)
class Information:
    """What a dialogue about names tells.

    Attributes:
        bits: Of each turn.
        needed: What it takes to single out a row.
        false: Claims that are false of the speaker's table.
        unread: Sentences that no rule reads.
    """

    bits: tuple[float, ...]
    needed: float
    false: int
    unread: int


def talk_of(dialogue: Played, *, coherent: bool) -> Talk:
    """Measure the wording of a dialogue.

    Args:
        dialogue: As `play` returns it.
        coherent: Whether to parse it for coherence.

    Raises:
        UsageError: it is to be parsed, and no parser is installed.
    """
    texts = _texts(dialogue)
    coherence = centering([_phrases(text) for text in texts])["CS"] if coherent else None
    return Talk(content_ratio(texts), novelty(texts), coherence)


def information_of(dialogue: Played) -> Information:
    """Measure what the turns of a dialogue about names tell.

    Raises:
        ArgumentError: it is of another game.
    """
    gains = information_gain(dialogue["instance"], _texts(dialogue))
    needed = math.log2(len(dialogue["instance"]["private"][1]["rows"]))
    return Information(
        tuple(gain["bits"] for gain in gains),
        needed,
        sum(gain["false"] for gain in gains),
        sum(gain["unread"] for gain in gains),
    )


def has_apology(dialogue: Played) -> bool:
    """Whether a word of a dialogue begins with *apolog*."""
    return any(_APOLOGY.search(text) for text in _texts(dialogue))


def _texts(dialogue: Played) -> list[str]:
    return [turn["text"] for turn in dialogue["turns"]]


@lru_cache(maxsize=20_000)
def _phrases(text: str) -> Mapping[str, Any]:
    """Parsed once: a report has tables, figures and JSON, and players repeat themselves."""
    return phrases(text)
