"""Whether a query says concretely which topic is meant (paper §3.2.2); asked on new and backtrack turns."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from evolif.scenarios.instructions.queries.reading import Query
from evolif.scenarios.instructions.queries.vocabulary import cues, word_stems
from evolif.scenarios.instructions.turns import Finding, Move, Topic
from evolif.util.resources import data_path

NEW_SHARE = 0.42
"""Share of a task's telling words that a query for a new topic has to hold."""
MANY_WORDS = 4
"""Telling words of a topic that do where only half that share of the task is told."""
BACK_SHARE = 0.5
"""Share of the telling words of a reference that have to belong to the topic."""
_SUBJECT = re.compile(r"\s{1,4}[^.!?;:,\n—–()]+")


@dataclass(frozen=True, slots=True)
class _Reference:
    """Where a query refers to a subject."""

    start: int
    end: int
    goes_back: bool

    def words(self, text: str) -> set[str]:
        return set(_telling(text[self.start : self.end]))


def check_topic(query: Query, topic: Topic, move: Move, masked: Iterable[tuple[int, int]] = ()) -> list[Finding]:
    """Findings on the topic.

    Args:
        query: The query.
        topic: The topic that is meant.
        move: On `continue` nothing has to be said.
        masked: Ranges that name values of the constraint, which do not name the topic unless a reference holds them.
    """
    if move == "continue":
        return []
    vocabulary = _vocabulary(topic)
    if not vocabulary:
        return []  # an imported dialogue that does not say what its topics are
    back = [r for r in _references(query.low) if r.goes_back]
    text = _without(query.low, ((s, e) for s, e in masked if not any(r.start <= s < r.end for r in back)))
    told = set(_telling(text))
    return _new(topic, told, vocabulary) if move == "new" else _back(text, topic, told, vocabulary)


def _new(topic: Topic, told: set[str], vocabulary: set[str]) -> list[Finding]:
    for prompt in topic.prompts:
        task = set(_telling(prompt)) or vocabulary
        task = (task - _stems("genre-words.txt")) or task  # "a handout for people" is no topic
        covered = len(task & told) / len(task)
        if covered >= NEW_SHARE or (covered >= NEW_SHARE / 2 and len(told & vocabulary) >= MANY_WORDS):
            return []
    return [
        Finding("topic", f"it does not pose the task: {topic.prompt or ', '.join(topic.keywords[:5])}", kind="topic")
    ]


def _back(text: str, topic: Topic, told: set[str], vocabulary: set[str]) -> list[Finding]:
    references = _references(text)
    if any(name and name.casefold() in text for name in (topic.title, topic.short)):
        return []
    for title in (set(_telling(name)) for name in (topic.title, topic.short)):
        if title and len(title & told) / len(title) >= BACK_SHARE:
            return []
    named = [r.words(text) - (_stems("genre-words.txt") if _is_other(text, r) else set()) for r in references]
    if any(_share(words, vocabulary) >= BACK_SHARE for words in named):
        return []
    if told & _core(topic) and not _names_another(text, references, vocabulary):
        return []
    spans = () if told & vocabulary else tuple((r.start, r.end) for r in references[:1])
    return [Finding("topic", f"it does not say that it goes back to: {topic.title or topic.prompt}", spans, "topic")]


def _references(text: str) -> list[_Reference]:
    """What the query refers to, in order; a reference inside another one is part of it."""
    found: list[_Reference] = []
    for cue in cues().anywhere("topic", "refers").finditer(text):
        subject = _SUBJECT.match(text, cue.end())
        if subject is None or (found and cue.start() < found[-1].end):
            continue
        start = subject.start() + len(subject.group()) - len(subject.group().lstrip())
        ends = cues().anywhere("topic", "ends").search(text, start, subject.end())
        end = ends.start() if ends else subject.end()
        if start < end:
            found.append(_Reference(start, end, cue.lastgroup == "back"))
    return found


def _is_other(text: str, reference: _Reference) -> bool:
    """Whether a kind of text does not tell which is meant: `on the other proposal`."""
    return cues().anywhere("topic", "other").search(text, reference.start, reference.end) is not None


def _names_another(text: str, references: Sequence[_Reference], vocabulary: set[str]) -> bool:
    """Whether the query plainly goes back to something else."""
    first = next((r for r in references if r.goes_back), None)
    words = first.words(text) if first else set()
    return len(words) >= 2 and _share(words, vocabulary) < BACK_SHARE / 2


def _share(words: set[str], vocabulary: set[str]) -> float:
    return len(words & vocabulary) / len(words) if words else 0.0


def _vocabulary(topic: Topic) -> set[str]:
    return {stem for text in (*topic.prompts, topic.title, topic.short, *topic.keywords) for stem in _telling(text)}


def _core(topic: Topic) -> set[str]:
    """Words that belong to this topic more than to others: keywords and title, else the prompt."""
    core = {stem for text in (topic.title, topic.short, *topic.keywords) for stem in _telling(text)}
    return core or set(_telling(topic.prompt))


def _without(text: str, masked: Iterable[tuple[int, int]]) -> str:
    chars = list(text)
    for start, end in masked:
        chars[start:end] = " " * (end - start)
    return "".join(chars)


def _telling(text: str) -> list[str]:
    """Stems that say something about a topic: no function words, nor the vocabulary of asking and of constraints."""
    common = _stems("common-words.txt")
    return [stem for stem in word_stems(text) if stem not in common and len(stem) > 1]


@lru_cache(maxsize=4)
def _stems(name: str) -> frozenset[str]:
    return frozenset(word_stems(data_path("seeds", name).read_text(encoding="utf-8")))
