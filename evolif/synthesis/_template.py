"""The template synthesizer: offline, deterministic, and it says exactly this turn's change."""

from __future__ import annotations

from evolif.constraints import get_group
from evolif.domain import Operation, Persona, ScriptTurn
from evolif.synthesis._frames import Frames, own_frames
from evolif.synthesis._grammar import Wording, capitalised, clause, dropped, frame
from evolif.synthesis._notes import reading_note, with_note


class TemplateSynthesizer:
    """Puts a scripted turn into words by the grammar of the persona's register.

    Args:
        seed: Of the wording.
        frames: The registers' frames; the project's own where None.
    """

    name = "template"

    def __init__(self, seed: int, frames: Frames | None = None) -> None:
        self._seed = seed
        self._frames = frames or own_frames()

    def say(self, turn: ScriptTurn, persona: Persona) -> str:
        """The user query of the turn; the same turn is always said the same way."""
        wording = Wording(self._seed, turn.dialogue, turn.turn)
        slots = {
            "task": turn.topic.prompt,
            "topic": turn.topic.title or f"what I asked for earlier (“{turn.topic.prompt}”)",
        }
        path, change = self._change(turn, persona.register, wording)
        slots |= change
        chosen = frame(self._frames, persona.register, *path, wording=wording)
        if _is_one_more(turn.operation) and "also" not in chosen.lower():
            slots["clause"] = f"also {slots['clause']}"
        slots |= {capitalised(key): capitalised(text) for key, text in slots.items()}
        return with_note(chosen.format(**slots), reading_note(turn))

    def _change(self, turn: ScriptTurn, register: str, wording: Wording) -> tuple[tuple[str, ...], dict[str, str]]:
        """Where the frame is found, and its slots for this operation."""
        operation = turn.operation
        opening: tuple[str, ...] = (turn.move,)
        if turn.move == "new":
            opening = ("first",) if turn.turn == 1 else ("new",)
        if operation.kind == "remove" and operation.before is not None:
            return (*opening, "remove"), {"drop": dropped(operation.group, operation.before, wording)}
        saying = get_group(operation.group).saying(operation.kind, operation.before, operation.after)
        slots = {"clause": clause(operation.group, saying, register, wording)}
        if turn.move == "new":
            return opening, slots
        if operation.kind == "modify" and operation.before is not None and saying.key not in _PARTIAL:
            slots["old"] = dropped(operation.group, operation.before, wording)
            return (*opening, "modify"), slots
        return (*opening, "add"), slots


def _is_one_more(operation: Operation) -> bool:
    """A keyword joins others that stay."""
    if operation.kind != "modify":
        return False
    return get_group(operation.group).saying("modify", operation.before, operation.after).key == "add"


_PARTIAL = frozenset({"add", "release", "recount"})
"""Changes of a part of a constraint: their clause alone says it, and nothing is replaced."""
