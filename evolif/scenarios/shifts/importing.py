"""Released files as dialogues that can be played: goals without a type, those apart that nobody stated.

Whether somebody stated a goal is decided by rules: all its numbers and names, and at least half of its other telling
words, occur in what the user says. Words are compared by their stems, as English has them.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal, TypeAlias

from evolif.errors import InputError
from evolif.scenarios.shifts.reading import numbers_of
from evolif.scenarios.shifts.released import ReleasedDialogue, read_released
from evolif.text import fold
from evolif.util.nltk_part import nltk_part
from evolif.util.resources import data_path

Unstated: TypeAlias = Literal["drop", "keep"]
"""What becomes of a goal that nobody stated."""

_MARK = re.compile(r"\(\s*+[0-9]++\s*+\)")
_WORD = re.compile(r"[^\W\d_]++")
_DATE = re.compile(r"(?<![0-9])([0-9]{4})-(0[1-9]|1[0-2])-([0-9]{2})(?![0-9])", re.ASCII)
_MONTHS = "January February March April May June July August September October November December".split()
_SHORTEST = 3
"""Letters of a telling word, at least."""
_SHARE = 0.5
"""Of a goal's telling words, at least so many are said by the user."""
_LONGEST_LINE = 1 << 20
"""Bytes of a first line that are read to see what a file is."""
_ABOUT_ANSWERS = frozenset(
    "answer answers assistant contain contains correctly final include included includes mention mentioned mentions "
    "model plan reply respond response result should state stated states user".split()
)
"""Words by which a goal speaks of the answer, not of its subject."""


def goals_in(question: str) -> list[str]:
    """The goals of a checkpoint question, in order: what follows each number in round brackets."""
    marks = list(_MARK.finditer(question))
    ends = (*(mark.start() for mark in marks[1:]), len(question))
    return [" ".join(question[mark.end() : end].split()) for mark, end in zip(marks, ends, strict=False)]


def is_stated(goal: str, said: Iterable[str]) -> bool:
    """Whether somebody stated a goal, as far as its words tell.

    Args:
        goal: In words.
        said: What the user says, turn by turn.
    """
    goal, text = _dates_in_words(goal), _dates_in_words("\n".join(said))
    if not set(numbers_of(goal)) <= set(numbers_of(text)):
        return False
    heard = set(map(_stem, _words(text)))
    names = set(map(_stem, _names(goal)))
    telling = {_stem(word) for word in _words(goal) if _tells(word)}
    return names <= heard and len(telling & heard) >= _SHARE * len(telling)


def released_lines(dialogue: ReleasedDialogue, unstated: Unstated = "drop") -> list[dict[str, Any]]:
    """The lines of a released dialogue as a benchmark holds them, one a turn.

    Args:
        dialogue: As read.
        unstated: Whether goals that nobody stated count.

    Returns:
        Lines with `query` and `labels`; the last one has `goals`, each with `number`, `statement` and `stated`, and
        `left_out`, those that do not count.
    """
    said = [turn["content"] for turn in dialogue.user_turns]
    goals = [
        {"number": number, "statement": goal, "stated": is_stated(goal, said)}
        for number, goal in enumerate(goals_in(dialogue.checkpoint_question), 1)
        if goal
    ]
    kept = [goal for goal in goals if goal["stated"] or unstated == "keep"]
    labels = {"rounds": len(said), "conversation": dialogue.conversation_id}
    lines: list[dict[str, Any]] = [{"query": text, "labels": labels} for text in said]
    lines[-1] |= {"goals": kept, "left_out": [goal for goal in goals if goal not in kept]}
    return lines


def read_playable(path: Path) -> list[ReleasedDialogue]:
    """Read a released file whose dialogues all have a turn to ask.

    Raises:
        InputError: a broken line, a dialogue without a user turn, or a file without a dialogue.
    """
    dialogues = read_released(path)
    if not dialogues:
        raise InputError("no dialogue in it; give a file of JSON lines", path=path)
    for dialogue in dialogues:
        if not dialogue.user_turns:
            raise InputError(
                f"conversation {dialogue.conversation_id[:100]} has no user turn; remove it, or give it one", path=path
            )
    return dialogues


def is_released(path: Path) -> bool:
    """Whether a file looks like a released one: its first line is an object with their fields."""
    if path.suffix != ".jsonl" or not path.is_file():
        return False
    try:
        with path.open("rb") as file:
            first = next((line for line in iter(lambda: file.readline(_LONGEST_LINE), b"") if line.strip()), b"")
        data = json.loads(first)
    except (OSError, ValueError, RecursionError):
        return False
    return isinstance(data, dict) and {"conversation_id", "user_turns", "checkpoint_question"} <= data.keys()


def digest_of_released(dialogues: Sequence[ReleasedDialogue]) -> str:
    """Changes with everything that the dialogues hold: 16 hex digits."""
    text = json.dumps([dialogue.model_dump() for dialogue in dialogues], sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def _dates_in_words(text: str) -> str:
    """A text with its ISO dates as people say them: “7 April 2027”."""
    return _DATE.sub(lambda date: f"{int(date[3])} {_MONTHS[int(date[2]) - 1]} {date[1]}", text)


def _words(text: str) -> Iterator[str]:
    return (match[0] for match in _WORD.finditer(fold(text)))


def _names(goal: str) -> Iterator[str]:
    """Capitalised words of a goal that do not begin it or a sentence in it."""
    for match in _WORD.finditer(goal):
        before = goal[: match.start()].rstrip()
        if before and before[-1] not in '.:!?“"' and match[0][0].isupper() and len(match[0]) > 1:
            yield fold(match[0])


def _tells(word: str) -> bool:
    return len(word) >= _SHORTEST and word not in _ABOUT_ANSWERS and word not in _function_words()


@lru_cache(maxsize=50_000)
def _stem(word: str) -> str:
    """What the forms of a word have in common, by Porter's rules."""
    return str(_porter().stem(word))


@lru_cache(maxsize=1)
def _porter() -> Any:
    return nltk_part("stem.porter").PorterStemmer()


@lru_cache(maxsize=1)
def _function_words() -> frozenset[str]:
    lines = data_path("seeds", "function-words.txt").read_text(encoding="utf-8").splitlines()
    return frozenset(word for line in lines for word in line.partition("#")[0].split())
