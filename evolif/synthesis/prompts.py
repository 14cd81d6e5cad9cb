"""The prompt files, and their slots filled: f_new, f_continue and f_backtrack in two halves each (paper §3.2.2)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from evolif.constraints import describe, format_of, get_group
from evolif.errors import InputError
from evolif.resources import complaint, data_path, load_yaml
from evolif.rng import Purpose
from evolif.synthesis.template import Phrasing, capitalised, clause, dropped
from evolif.types import Constraint, Message, Operation, ScriptTurn, Turn

# The one change of a turn in plain words, for a model that has to say it and for one that checks what was said.


_PARTIAL = frozenset({"add", "release", "recount"})
"""Changes of a part of a constraint: the rest of it stays and is not said again."""


@dataclass(frozen=True, slots=True)
class ChangeText:
    """What a query of the turn has to say, in sentences for a prompt."""

    said: str
    """The change, complete."""
    meaning: str
    """What the requirement counts, word for word; empty where the change alone says it."""
    stays: str
    """The requirements that are not touched, one a line."""


def change_of(turn: Turn | ScriptTurn, attempt: int = 1) -> ChangeText:
    """Put the change of a turn into plain words; each attempt words it otherwise, so that a copy is no fixed phrase.

    Args:
        turn: The turn, with or without a query.
        attempt: Counted from 1.
    """
    wording = Phrasing(Purpose.VOICE, turn.dialogue, turn.turn + attempt)
    operation, fmt = turn.operation, format_of(turn.constraints)
    group = get_group(operation.group)
    rest = [c for c in turn.constraints if c.group != operation.group]
    named = [f"- {dropped(c.group, c.params, wording)}" for c in rest]
    partial = False
    if operation.after is None:
        assert operation.before is not None  # an operation has one of the two by construction
        said = f"{capitalised(dropped(operation.group, operation.before, wording))} can go."
        meaning = ""
    else:
        saying = group.saying(operation.kind, operation.before, operation.after)
        partial = operation.kind == "modify" and saying.key in _PARTIAL
        said = _said(operation, clause(operation.group, saying, "neutral", wording), wording, partial=partial)
        meaning = describe(Constraint(operation.group, operation.after), fmt)
    if partial:
        named.append(f"- whatever else was asked for of this kind: {_kept(operation)}")
    # A partial change must not be told whole: the description would name the part that stays.
    exact = f"Exactly meant: {meaning}" if meaning and not partial else ""
    return ChangeText(said, exact, "\n".join(named) or "- none")


def _said(operation: Operation, wanted: str, wording: Phrasing, *, partial: bool) -> str:
    if operation.before is None or partial:
        return f"{capitalised(wanted)}."
    return f"{capitalised(dropped(operation.group, operation.before, wording))} can go. Instead, {wanted}."


def _kept(operation: Operation) -> str:
    """The part of a constraint that a partial change leaves alone."""
    before, after = operation.before or {}, operation.after or {}
    if operation.group == "existence":
        kept = [word for word, count in after["counts"].items() if before["counts"].get(word) == count]
    else:
        kept = [word for word in after.get("keywords", ()) if word in before.get("keywords", ())]
    return ", ".join(f"“{word}”" for word in kept) or "nothing"


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
    return Message("system", fill_slots(system, slots)), Message("user", fill_slots(user, slots))


def draft_prompt(turn: Turn, change: ChangeText, feedback: str, *, bare: bool = False) -> tuple[Message, ...]:
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


def voice_prompt(
    turn: Turn, neutral: str, change: ChangeText, feedback: str, *, bare: bool = False
) -> tuple[Message, ...]:
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


def fill_slots(text: str, slots: Mapping[str, str]) -> str:
    """Replace `{slot}` by its text, which is not read for slots again; other braces stay."""
    filled = _SLOT.sub(lambda match: slots.get(match[1], match[0]), text)
    return _BLANK_LINES.sub("\n\n", filled).strip()


# The figures of query synthesis, from `seeds/synthesis.yaml`.

_Figure = Annotated[int, Field(ge=1)]


class SynthesisSettings(BaseModel):
    """How often is tried, and how much is read."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    source: str
    attempts: _Figure
    """k: attempts in all before a query is flagged (paper §3.2.2, §4.1)."""
    longest_query: _Figure
    """Characters."""
    longest_answer: _Figure
    """Characters of a model's answer that are read."""
    local_tokens: _Figure
    """Longest answer of a local model where nothing else is asked for."""
    local_temperature: Annotated[float, Field(ge=0)]
    """Temperature of a local model where nothing else is asked for."""


@lru_cache(maxsize=1)
def synthesis_settings() -> SynthesisSettings:
    """The settings as the package has them."""
    path = data_path("seeds", "synthesis.yaml")
    try:
        return SynthesisSettings.model_validate(load_yaml(path))
    except ValidationError as fault:
        raise InputError(complaint(fault, "settings"), path=path) from None
