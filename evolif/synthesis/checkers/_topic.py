"""Whether a query says concretely which topic is meant (paper §3.2.2); asked on new and backtrack turns."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache

from evolif._catalogues import data_path
from evolif.domain import Finding, Move, Topic
from evolif.synthesis.checkers._lemmas import word_stems
from evolif.synthesis.checkers._shadow import Query

_BACK = re.compile(
    r"(?<!\w)(?:(?:back|return(?:ing|s)?|revert(?:ing)?|turn(?:ing)?\s+(?:back|again)|circl(?:e|ing)\s+(?:back|round)|jump(?:ing)?\s+back|go(?:ing)?\s+back|com(?:e|ing)\s+back|switch(?:ing)?\s+back|get(?:ting)?\s+back|pick(?:ing)?\s+up)"
    r"(?:\s+(?:again|now|once\s+more|for\s+a\s+(?:bit|moment|second|minute)|briefly|quickly|a\s+moment))?\s+(?:to|on|at|with)"
    r"|revisit(?:ing)?|remember|recall|resum(?:e|ing)|reopen(?:ing)?|reflecting\s+(?:again|back)\s+on|as\s+for|regarding|concerning|about|on|for|with|pick(?:ing)?\s+up)\s+"
    r"(?P<what>(?:(?!(?<!\w)(?:could|can|would|will|please|let|and|but|i|use|make|keep|drop|forget|lift|this|now|where|which|that|you)(?!\w))[^.!?;:,\n—–()])+)"
)
_GOES_BACK = re.compile(
    r"back|return|revert|turn|circl|jump|go|com|switch|get|revisit|resum|reopen|remember|recall|pick|reflect"
)
NEW_SHARE = 0.34
"""Share of a task's telling words that a query for a new topic has to hold."""
BACK_SHARE = 0.5
"""Share of the telling words of a reference that have to belong to the topic."""


def check_topic(query: Query, topic: Topic, move: Move, masked: Iterable[tuple[int, int]] = ()) -> list[Finding]:
    """Findings on the topic.

    Args:
        query: The query.
        topic: The topic that is meant.
        move: On `continue` nothing has to be said.
        masked: Ranges that name values of the constraint, which do not name the topic.
    """
    if move == "continue":
        return []
    vocabulary = _vocabulary(topic)
    if not vocabulary:
        return []  # an imported dialogue that does not say what its topics are
    referred = [m.span("what") for m in _BACK.finditer(query.low) if _GOES_BACK.match(m.group())]
    text = _without(query.low, ((s, e) for s, e in masked if not any(low <= s < high for low, high in referred)))
    told = set(_telling(text))
    if move == "new":
        return _new(topic, told, vocabulary)
    return _back(query, text, topic, told, vocabulary)


def _new(topic: Topic, told: set[str], vocabulary: set[str]) -> list[Finding]:
    task = set(_telling(topic.prompt)) or vocabulary
    task = (task - _stems("genre-words.txt")) or task  # "a handout for people" is no topic
    covered = len(task & told) / len(task)
    if covered >= NEW_SHARE or (covered >= NEW_SHARE / 2 and len(told & vocabulary) >= 4):
        return []
    return [Finding("topic", f"it does not pose the task: {topic.prompt or ', '.join(topic.keywords[:5])}")]


def _back(query: Query, text: str, topic: Topic, told: set[str], vocabulary: set[str]) -> list[Finding]:
    references = [m for m in _BACK.finditer(text)]
    best = 0.0
    for match in references:
        words = set(_telling(match["what"]))
        if words:
            best = max(best, len(words & vocabulary) / len(words))
    hits = told & vocabulary
    title = set(_telling(topic.title))
    if best >= BACK_SHARE or (title and len(title & told) / len(title) >= BACK_SHARE):
        return []
    if hits & _core(topic) and not _names_another(references, vocabulary):
        return []
    name = topic.title or topic.prompt
    return [
        Finding(
            "topic",
            f"it does not say that it goes back to: {name}",
            tuple(m.span("what") for m in references[:1] if not hits),
        )
    ]


def _names_another(references: Sequence[re.Match[str]], vocabulary: set[str]) -> bool:
    """Whether the query plainly goes back to something else."""
    first = next((m for m in references if _GOES_BACK.match(m.group())), None)
    if first is None:
        return False
    words = set(_telling(first["what"]))
    return len(words) >= 2 and len(words & vocabulary) / len(words) < BACK_SHARE / 2


def _vocabulary(topic: Topic) -> set[str]:
    return {stem for text in (topic.prompt, topic.title, *topic.keywords) for stem in _telling(text)}


def _core(topic: Topic) -> set[str]:
    """Words that belong to this topic more than to others: keywords and title, else the prompt."""
    core = {stem for text in (topic.title, *topic.keywords) for stem in _telling(text)}
    return core or set(_telling(topic.prompt))


def _without(text: str, masked: Iterable[tuple[int, int]]) -> str:
    chars = list(text)
    for start, end in masked:
        chars[start:end] = " " * (end - start)
    return "".join(chars)


def _telling(text: str) -> list[str]:
    common = _common()
    return [stem for stem in word_stems(text) if stem not in common and len(stem) > 1]


def _common() -> frozenset[str]:
    """Stems that say nothing about a topic: function words, and the vocabulary of asking and of constraints."""
    return _stems("common-words.txt")


@lru_cache(maxsize=4)
def _stems(name: str) -> frozenset[str]:
    return frozenset(word_stems(data_path("seeds", name).read_text(encoding="utf-8")))
