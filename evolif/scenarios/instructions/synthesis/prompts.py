"""The prompts of the agent, filled from the prompt files: f_new, f_continue and f_backtrack (paper §3.2.2)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from evolif.errors import InputError
from evolif.scenarios.instructions.constraints import describe, format_of, get_group
from evolif.scenarios.instructions.synthesis.intent import intent_of
from evolif.scenarios.instructions.synthesis.plans import capitalised
from evolif.scenarios.instructions.synthesis.template import PARTIAL, Phrasing, clause, dropped
from evolif.scenarios.instructions.turns import Constraint, Operation, OperationKind, Turn
from evolif.types import Message
from evolif.util.resources import complaint, data_path, load_data
from evolif.util.rng import Purpose

_Figure = Annotated[int, Field(ge=1)]


class SynthesisSettings(BaseModel):
    """The parameters of query synthesis, from `seeds/synthesis.yaml`."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    source: str
    attempts: _Figure
    """k: attempts before a query is flagged (paper §3.2.2, §4.1)."""
    longest_query: _Figure
    """Characters."""
    longest_answer: _Figure
    """Characters of a model's answer that are read."""
    local_tokens: _Figure
    """Longest answer of a local model by default."""
    local_temperature: Annotated[float, Field(ge=0)]
    """Temperature of a local model by default."""


@lru_cache(maxsize=1)
def synthesis_settings() -> SynthesisSettings:
    """The packaged settings."""
    path = data_path("seeds", "synthesis.yaml")
    try:
        return SynthesisSettings.model_validate(load_data(path))
    except ValidationError as fault:
        raise InputError(complaint(fault, "settings"), path=path) from None


@dataclass(frozen=True, slots=True)
class ChangeText:
    """The change of a turn in plain words, for the model that writes the query and the one that checks it."""

    text: str
    """The change, complete."""
    meaning: str
    """What the requirement counts, word for word, for whoever checks the words; empty if the change alone says it."""
    unchanged: str
    """The other requirements, one a line."""


def change_of(turn: Turn, attempt: int = 1) -> ChangeText:
    """Put the change of a turn into plain words, differently for each attempt, so that no phrase is copied.

    Args:
        turn: The turn, with or without a query.
        attempt: Counted from 1.
    """
    wording = Phrasing(Purpose.VOICE, turn.dialogue, turn.turn + attempt)
    rest = [f"- {dropped(c.group, c.params, wording)}" for c in turn.constraints if c.group not in turn.changed]
    if turn.act == "carry":
        named = "\n".join(f"- {dropped(one.group, one.after, wording)}" for one in turn.operations if one.after)
        return ChangeText(_ALL_STAYS, "", named)
    if turn.act == "replace_all":
        parts = [_one_change(replace(one, before=None), turn, wording, rest) for one in turn.operations if one.after]
        texts = [_ALL_OFF, *(part.text for part in parts)]
    else:
        parts = [_one_change(one, turn, wording, rest) for one in turn.operations]
        texts = [part.text for part in parts]
    meanings = filter(None, (part.meaning for part in parts))
    return ChangeText(" ".join(texts), "\n".join(meanings), "\n".join(rest) or "- none")


_ALL_STAYS = (
    "Everything that was asked of the answers to the task before holds for this one, too, without being listed."
)
_ALL_OFF = "Everything that was asked of this answer so far can go, without being listed; from now on only this counts."


def _one_change(operation: Operation, turn: Turn, wording: Phrasing, rest: list[str]) -> ChangeText:
    """The change of one group; what a partial change leaves as it is goes to the rest."""
    before, after = operation.before, operation.after
    old = f"{capitalised(dropped(operation.group, before, wording))} can go." if before is not None else ""
    if after is None:
        return ChangeText(old, "", "")
    kind: OperationKind = operation.kind if before is not None else "add"
    saying = get_group(operation.group).saying(kind, before, after)
    new = clause(operation.group, saying, "neutral", wording, after)
    if kind == "modify" and saying.key in PARTIAL:
        # A partial change must not be described completely: the description would name the part that stays.
        rest.append(f"- whatever else was asked for of this kind: {_kept(operation)}")
        return ChangeText(f"{capitalised(new)}.", "", "")
    text = f"{old} Instead, {new}." if old else f"{capitalised(new)}."
    meaning = f"Exactly meant: {describe(Constraint(operation.group, after), format_of(turn.constraints))}"
    return ChangeText(text, meaning, "")


def _kept(operation: Operation) -> str:
    """The part of a constraint that a partial change does not touch."""
    before, after = operation.before or {}, operation.after or {}
    if operation.group == "existence":
        kept = [word for word, count in after["counts"].items() if before["counts"].get(word) == count]
    else:
        kept = [word for word in after.get("keywords", ()) if word in before.get("keywords", ())]
    return ", ".join(f"“{word}”" for word in kept) or "nothing"


_ECHO = 7
"""Number of consecutive shared words that is no coincidence."""
SLOTS: Mapping[str, frozenset[str]] = {
    "new": frozenset({"form", "opening", "task", "change", "reason", "feedback"}),
    "continue": frozenset({"form", "task", "change", "reason", "reference", "stays", "feedback"}),
    "backtrack": frozenset({"form", "title", "task", "change", "reason", "reference", "stays", "feedback"}),
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
        InputError: the file lacks a part, or has an unknown slot.
    """
    path = data_path("seeds", "prompts", f"{name}.yaml")
    data: Any = load_data(path)
    system, user = (data.get(part) if isinstance(data, dict) else None for part in ("system", "user"))
    if not isinstance(system, str) or not isinstance(user, str):
        raise InputError("a prompt has a “system” and a “user” text", path=path)
    unknown = sorted({slot for text in (system, user) for slot in _SLOT.findall(text)} - SLOTS[name])
    if unknown:
        known = ", ".join(sorted(SLOTS[name]))
        raise InputError(f"nothing fills the slot {{{unknown[0]}}}; known slots are {known}", path=path)
    return system, user


def prompt(name: str, slots: Mapping[str, str]) -> tuple[Message, ...]:
    """The messages of a prompt, its slots filled."""
    system, user = load_prompt(name)
    return Message("system", fill_slots(system, slots)), Message("user", fill_slots(user, slots))


def draft_prompt(turn: Turn, change: ChangeText, feedback: str, *, bare: bool = False) -> tuple[Message, ...]:
    """The first half of f_new, f_continue or f_backtrack: the intention in plain words.

    The feedback says what was wrong with the last attempt; a bare answer is the words alone rather than JSON.
    """
    topic, intent = turn.topic, intent_of(turn)
    return prompt(
        turn.move,
        {
            "opening": _OPENING if turn.turn == 1 else _LATER,
            "task": topic.prompt,
            "title": topic.title or topic.prompt,
            "change": change.text,
            "reason": f"The person's reason, to be told in a few words: {intent.reason}" if intent.reason else "",
            "reference": intent.reference,
            "stays": change.unchanged,
            "feedback": feedback,
            "form": _BARE if bare else _JSON,
        },
    )


def voice_prompt(
    turn: Turn, neutral: str, change: ChangeText, feedback: str, *, bare: bool = False
) -> tuple[Message, ...]:
    """The second half: the plain words `neutral` in the style of the dialogue's persona."""
    persona = turn.persona
    return prompt(
        "voice",
        {
            "persona": persona.sentence,
            "phrases": "; ".join(persona.phrases),
            "register": persona.register,
            "neutral": neutral,
            "change": change.text,
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
    """Whether words repeat seven words in a row of a prompt file."""
    return not _stretches(query).isdisjoint(_own_stretches(name))


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
