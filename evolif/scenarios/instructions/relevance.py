"""Whether an answer is about its task: by the words that it names, or by the judge.

The lexical gate compares stems, offline. It cannot tell a good answer from words strewn in; docs/explanation/metrics.md
has its rates of error. Words that a constraint itself names do not count: any text that keeps the constraint has them,
or has them not. Where the constraints leave no room for other words of the task, the gate does not judge.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import islice
from typing import Any

from evolif.judging import Criterion
from evolif.judging.relevance import relevance_criterion
from evolif.scenarios.instructions.constraints import format_of, upper_limit
from evolif.scenarios.instructions.turns import Instruction, Topic
from evolif.scenarios.instructions.witness import Refusal, build_witness
from evolif.scenarios.instructions.witness.build import given_words
from evolif.scenarios.instructions.witness.naming import name_words
from evolif.text import READING_RULES_VERSION, Reading
from evolif.types import RELEVANCE, Verdict
from evolif.util.nltk_part import nltk_part
from evolif.util.resources import data_path

LEXICAL = "lexical (rules 1)"
"""The gate's name in a run's settings; the number changes with its rules."""
LONG_ANSWER = 100
"""Words from which on an answer names two words of its task; a shorter one names one."""
SHORTEST_LIMIT = 12
"""Where an answer may have fewer words than this, its words do not tell what it is about."""
LETTERS_A_WORD = 6
"""With the space; converts a limit in characters."""

_WORD = re.compile(r"[^\W\d_]{3,40}")
_ANY_WORD = re.compile(r"[^\W\d_]+")
_FUNCTION_WORDS = 4
"""Every fourth word of an English text is one, at least."""
_SHOWN = 5


@dataclass(frozen=True, slots=True)
class Task:
    """What an answer has to be about."""

    prompt: str
    """In the user's words."""
    title: str
    keywords: tuple[str, ...]

    def as_object(self) -> dict[str, Any]:
        """For a prompt's payload."""
        return {"prompt": self.prompt, "title": self.title, "keywords": list(self.keywords)}


def task_of(topic: Topic) -> Task:
    """The task of a topic."""
    return Task(topic.prompt, topic.title, topic.keywords)


def read_task(stored: Mapping[str, Any] | None) -> Task | None:
    """The task of a stored payload; None if it has none."""
    if not stored:
        return None
    return Task(str(stored["prompt"]), str(stored["title"]), tuple(map(str, stored["keywords"])))


@dataclass(frozen=True, slots=True)
class TaskWords:
    """The words that tell a task from others."""

    stems: Mapping[str, str]
    """Each with a word of it."""
    is_english: bool
    """Whether the task is put in English; of another language only the keywords are known to be telling."""

    def without(self, constraints: Instruction) -> TaskWords:
        """Those that no constraint names."""
        given = given_words({constraint.group: constraint.params for constraint in constraints})
        taken = {stem(part) for word in given for part in _WORD.findall(word)}
        return replace(self, stems={root: word for root, word in self.stems.items() if root not in taken})

    def named(self, text: str) -> list[str]:
        """The words of a text that are among them, each stem once."""
        found: dict[str, str] = {}
        for word in _WORD.findall(text):
            root = stem(word)
            if root in self.stems:
                found.setdefault(root, word.lower())
        return list(found.values())

    def suffice(self, reading: Reading) -> bool:
        """Whether an answer names enough of them."""
        return len(self.named(reading.content_text)) >= _least(reading)


def _least(reading: Reading) -> int:
    return 2 if reading.words >= LONG_ANSWER else 1


@lru_cache(maxsize=1024)
def task_words(task: Task) -> TaskWords:
    """The words of a task: those of its keywords, and what its title and an English prompt say beyond common words."""
    prose = _WORD.findall(f"{task.title} {task.prompt}".casefold())
    is_english = _is_english(f"{task.title} {task.prompt}".casefold())
    words = [word for keyword in task.keywords for word in _WORD.findall(keyword.casefold())]
    common = _common_stems()
    stems: dict[str, str] = {}
    for word in (*words, *(prose if is_english else ())):
        if stem(word) not in common:
            stems.setdefault(stem(word), word)
    return TaskWords(stems, is_english)


def _is_english(text: str) -> bool:
    """Whether a folded text has as many of English's function words as English has."""
    words = _ANY_WORD.findall(text)
    function_words = _listed("function-words.txt")
    return _FUNCTION_WORDS * sum(word in function_words for word in words) >= len(words)


@lru_cache(maxsize=50_000)
def stem(word: str) -> str:
    """What the forms of a word have in common, by Porter's rules."""
    return str(_porter().stem(word.casefold()))


@lru_cache(maxsize=1)
def _porter() -> Any:
    return nltk_part("stem.porter").PorterStemmer()


@lru_cache(maxsize=1)
def _common_stems() -> frozenset[str]:
    """Of words that any answer may have: they name no task."""
    names = ("function-words.txt", "common-words.txt", "genre-words.txt")
    return frozenset(stem(word) for name in names for word in _listed(name))


@lru_cache(maxsize=4)
def _listed(name: str) -> frozenset[str]:
    lines = data_path("seeds", name).read_text(encoding="utf-8").splitlines()
    return frozenset(word for line in lines for word in _ANY_WORD.findall(line.partition("#")[0].casefold()))


def why_not_judged(
    task: Task | None, constraints: Instruction, witness: str | None, rules: int = READING_RULES_VERSION
) -> str:
    """Why the lexical gate cannot judge answers to a turn; empty if it can.

    Args:
        task: Of the turn; None if the run does not have it.
        constraints: What its answers have to satisfy.
        witness: A text that does; built if None.
        rules: The edition of the reading rules.
    """
    if task is None:
        return "the run does not have the task"
    words = task_words(task).without(constraints)
    if not words.stems:
        return "there are no words of the task to look for"
    active = {constraint.group: constraint.params for constraint in constraints}
    language = str(active["language"].get("code", "")) if "language" in active else "en"
    if language != "en" or ("language" in active and not words.is_english):
        return "the answer is in another language than the task"
    if _most_words(active.get("length")) < SHORTEST_LIMIT:
        return f"an answer of fewer than {SHORTEST_LIMIT} words need not name its task"
    text = build_witness(constraints, task.keywords) if witness is None else witness
    if isinstance(text, Refusal) or name_task(text, task, constraints, rules) is None:
        return "the constraints leave no room for words of the task"
    return ""


def _most_words(length: Mapping[str, Any] | None) -> float:
    """How many words an answer may have; infinite without a limit."""
    words, characters = upper_limit(length, "words"), upper_limit(length, "characters")
    if words is not None:
        return words
    return float("inf") if characters is None else characters / LETTERS_A_WORD


def name_task(text: str, task: Task, constraints: Instruction, rules: int = READING_RULES_VERSION) -> str | None:
    """The text with enough words of its task in the place of fillers, no verdict changed; None if there is no room."""
    words, fmt = task_words(task).without(constraints), format_of(constraints)
    return name_words(
        text,
        constraints,
        tuple(words.stems.values()),
        lambda changed: words.suffice(Reading(changed, fmt, rules=rules)),
        rules,
    )


def lexical_verdict(task: Task | None, constraints: Instruction, reading: Reading, reason: str) -> Verdict:
    """Whether an answer names words of its task.

    Args:
        task: Of the turn.
        constraints: Of the turn.
        reading: The answer.
        reason: Why it cannot be judged, as `why_not_judged` says.
    """
    if reason or task is None:
        return Verdict(RELEVANCE, None, "the answer names words of its task", f"not judged: {reason}")
    words, least = task_words(task).without(constraints), _least(reading)
    few = ", ".join(islice(words.stems.values(), _SHOWN))
    expected = f"the answer names at least {least} of the {len(words.stems)} words of its task ({few}, …)"
    if reading.unreadable:
        return Verdict(RELEVANCE, False, expected, reading.unreadable)
    named = words.named(reading.content_text)
    return Verdict(RELEVANCE, len(named) >= least, expected, _found(named))


def _found(named: Iterable[str]) -> str:
    words = list(named)
    if not words:
        return "it names none"
    more = f" and {len(words) - _SHOWN} more" if len(words) > _SHOWN else ""
    return f"it names {', '.join(words[:_SHOWN])}{more}"


def task_criterion(task: Task) -> Criterion:
    """What a judge is asked about relevance."""
    return relevance_criterion(task.prompt or task.title or ", ".join(task.keywords))
