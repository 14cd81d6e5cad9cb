"""The one change of a turn in plain words, for a model that has to say it and for one that checks what was said."""

from __future__ import annotations

from dataclasses import dataclass

from evolif.constraints import describe, format_of, get_group
from evolif.domain import Constraint, Instruction, Operation, ScriptTurn, Turn
from evolif.synthesis._grammar import Wording, capitalised, clause, dropped

_PURPOSE = 5
"""Separates the prompts' stream from those of script, persona, wording and simulated models."""

_PARTIAL = frozenset({"add", "release", "recount"})
"""Changes of a part of a constraint: the rest of it stays and is not said again."""


@dataclass(frozen=True, slots=True)
class Change:
    """What a query of the turn has to say, in sentences for a prompt."""

    said: str
    """The change, complete."""
    meaning: str
    """What the requirement counts, word for word; empty where the change alone says it."""
    stays: str
    """The requirements that are not touched, one a line."""


def change_of(turn: Turn | ScriptTurn, attempt: int = 1) -> Change:
    """Put the change of a turn into plain words; each attempt words it otherwise, so that a copy is no fixed phrase.

    Args:
        turn: The turn, with or without a query.
        attempt: Counted from 1.
    """
    wording = Wording(_PURPOSE, turn.dialogue, turn.turn + attempt)
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
    return Change(said, exact, "\n".join(named) or "- none")


def instruction_before(turn: Turn | ScriptTurn) -> Instruction:
    """The topic's constraints before this turn's operation."""
    operation = turn.operation
    kept = tuple(c for c in turn.constraints if c.group != operation.group)
    if operation.before is None:
        return kept
    return (*kept, Constraint(operation.group, operation.before))


def _said(operation: Operation, wanted: str, wording: Wording, *, partial: bool) -> str:
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
