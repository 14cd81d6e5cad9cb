"""What a chat model is told of an intention beside the change: the reason, and how to refer to what was asked."""

from __future__ import annotations

from dataclasses import dataclass

from evolif.constraints import get_group
from evolif.rng import Purpose, Stream
from evolif.synthesis.bank import Reference
from evolif.synthesis.stock import load_reasons
from evolif.synthesis.style import OWN_REGISTERS, Style, style_of
from evolif.turns import Turn

_SPECIFIC = 0.65
_HOW: dict[Reference, str] = {
    "name": "Name what is given up in two or three words, without its value.",
    "value": "Say the old value in passing.",
    "pronoun": "Point at the earlier answer with “it” or “that”, and say of the old requirement as little as you can.",
    "none": "Leave out of the old requirement whatever goes without saying.",
}
_NO_OLD = "Nothing is given up, so say nothing of earlier requirements."


@dataclass(frozen=True, slots=True)
class Intent:
    """Why a person wants a change, and how much of the old is said."""

    reason: str
    """A sentence; empty if the person gives no reason."""
    reference: str
    """An instruction for the writer."""


def intent_of(turn: Turn) -> Intent:
    """The intention of a turn: the same for every attempt at its words."""
    operation, style = turn.operation, style_of(turn.persona)
    stream = Stream(Purpose.VOICE, turn.dialogue, turn.turn)
    reason = _reason(turn, stream) if stream.fraction() < style.reason else ""
    if operation.before is None:
        return Intent(reason, _NO_OLD)
    return Intent(reason, _HOW[stream.choice(_references(turn, style))])


def _references(turn: Turn, style: Style) -> tuple[Reference, ...]:
    """How the person may refer to what is given up."""
    if turn.operation.after is None:
        return ("name", "value")  # or nobody would know what is lifted
    if style.refer == "name":
        return ("name", "value")
    return ("pronoun", "none") if style.refer == "leave" else ("name", "value", "pronoun", "none")


def _reason(turn: Turn, stream: Stream) -> str:
    operation, register = turn.operation, turn.persona.register
    register = register if register in OWN_REGISTERS else "neutral"
    change = get_group(operation.group).change(operation.before, operation.after)
    act = "state" if turn.move == "new" else change.act
    cause = "lift" if change.shape == "release" else act
    kinds = [kind for kind in load_reasons() if kind.motivates(operation.group, cause, change)]
    specific = [kind for kind in kinds if not kind.general]
    if specific and stream.fraction() < _SPECIFIC:
        kinds = specific
    lines = [reason.text for kind in kinds for reason in kind.lines if register in reason.registers]
    return stream.choice(lines) if lines else ""
