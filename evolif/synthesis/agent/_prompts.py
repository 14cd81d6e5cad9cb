"""The prompt files, and their slots filled: f_new, f_continue and f_backtrack in two halves each (paper §3.2.2)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from evolif._catalogues import data_path, load_yaml
from evolif._errors import InputError
from evolif.domain import Message, Turn
from evolif.synthesis.agent._change import Change

SLOTS: Mapping[str, frozenset[str]] = {
    "new": frozenset({"form", "opening", "task", "change", "meaning", "feedback"}),
    "continue": frozenset({"form", "task", "change", "meaning", "stays", "feedback"}),
    "backtrack": frozenset({"form", "title", "task", "change", "meaning", "stays", "feedback"}),
    "voice": frozenset({"form", "persona", "phrases", "register", "neutral", "change", "feedback"}),
    "check_topic": frozenset({"task", "title", "query", "fence"}),
    "check_rest": frozenset({"task", "change", "meaning", "stays", "query", "fence"}),
}
"""Which slots each prompt may have."""

_SLOT = re.compile(r"\{([a-z]+)\}")
_BLANK_LINES = re.compile(r"\n{3,}")


@lru_cache(maxsize=16)
def load_prompt(name: str) -> tuple[str, str]:
    """System and user part of a prompt file.

    Raises:
        InputError: the file lacks a part, or has a slot that nothing fills.
    """
    path = data_path("seeds", "prompts", f"{name}.yaml")
    data: Any = load_yaml(path)
    parts = [data.get(part) if isinstance(data, dict) else None for part in ("system", "user")]
    system, user = parts
    if not isinstance(system, str) or not isinstance(user, str):
        raise InputError("a prompt has a “system” and a “user” text", path=path)
    unknown = sorted({slot for text in (system, user) for slot in _SLOT.findall(text)} - SLOTS[name])
    if unknown:
        raise InputError(
            f"nothing fills the slot {{{unknown[0]}}}; there are {', '.join(sorted(SLOTS[name]))}", path=path
        )
    return system, user


def prompt(name: str, slots: Mapping[str, str]) -> tuple[Message, ...]:
    """The messages of a prompt; what fills a slot is text and never read for slots again."""
    system, user = load_prompt(name)
    return Message("system", _fill(system, slots)), Message("user", _fill(user, slots))


def draft_prompt(turn: Turn, change: Change, feedback: str, *, bare: bool = False) -> tuple[Message, ...]:
    """The first half of f_new, f_continue or f_backtrack: the intention in plain words.

    Args:
        turn: The intention: topic, move, instruction.
        change: What changes and what stays.
        feedback: What was wrong with the last attempt; empty at first.
        bare: Ask for the words alone rather than for JSON.
    """
    topic = turn.topic
    return prompt(
        turn.move,
        {
            "opening": _OPENING if turn.turn == 1 else _LATER,
            "task": topic.prompt,
            "title": topic.title or topic.prompt,
            "change": change.said,
            "meaning": change.meaning,
            "stays": change.stays,
            "feedback": feedback,
            "form": _BARE if bare else _JSON,
        },
    )


def voice_prompt(turn: Turn, neutral: str, change: Change, feedback: str, *, bare: bool = False) -> tuple[Message, ...]:
    """The second half of all three: plain words in the style of the dialogue's persona.

    Args:
        turn: The intention and the persona.
        neutral: The plain words.
        change: What must still be said.
        feedback: What was wrong with the last attempt; empty at first.
        bare: Ask for the words alone rather than for JSON.
    """
    persona = turn.persona
    return prompt(
        "voice",
        {
            "persona": persona.sentence,
            "phrases": "; ".join(persona.phrases),
            "register": persona.register,
            "neutral": neutral,
            "change": change.said,
            "feedback": feedback,
            "form": _BARE if bare else _JSON,
        },
    )


_JSON = 'Answer with one JSON object and nothing around it, its key "query", its value the message.'
_BARE = "Answer with the message alone: no label, no quotation marks around it, no comment."
_OPENING = "The person has said nothing yet: this is the first message of the talk."
_LATER = (
    "The talk so far was about other tasks. Make clear that this is a new one; what was asked for there stays there."
)


def echoed(query: str, name: str) -> bool:
    """Whether words repeat a stretch of a prompt's own wording, what fills its slots left out."""
    return not _stretches(query).isdisjoint(_own_stretches(name))


_ECHO = 7
"""Words in a row that are no coincidence any more."""


@lru_cache(maxsize=16)
def _own_stretches(name: str) -> frozenset[tuple[str, ...]]:
    parts = [part for text in load_prompt(name) for part in re.split(r"\{[a-z]+\}", text)]
    parts += [_JSON, _BARE, _OPENING, _LATER]
    return frozenset(stretch for part in parts for stretch in _stretches(part))


def _stretches(text: str) -> set[tuple[str, ...]]:
    words = re.findall(r"\w+", text.lower())
    return {tuple(words[i : i + _ECHO]) for i in range(len(words) - _ECHO + 1)}


def _fill(text: str, slots: Mapping[str, str]) -> str:
    filled = _SLOT.sub(lambda match: slots[match[1]], text)
    return _BLANK_LINES.sub("\n\n", filled).strip()
