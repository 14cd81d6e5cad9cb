"""What a chat model is told of an intention beside the change: the reason, and how to refer to what was asked."""

from __future__ import annotations

from dataclasses import dataclass

from evolif.scenarios.instructions.constraints import Change, get_group
from evolif.scenarios.instructions.synthesis.own_reasons import Occasion, occasion_of, persona_reasons, task_reasons
from evolif.scenarios.instructions.synthesis.phrases import load_reasons
from evolif.scenarios.instructions.synthesis.plans import Reference
from evolif.scenarios.instructions.synthesis.style import OWN_REGISTERS, TypingStyle, style_of
from evolif.scenarios.instructions.synthesis.tone import is_flippant, is_grave
from evolif.scenarios.instructions.turns import Turn
from evolif.util.rng import Purpose, Stream

_SPECIFIC = 0.65
_OWN = 0.8
"""How often a reason is the persona's own or lies in the task, where there is one."""
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
    style = style_of(turn.persona)
    if len(turn.operations) != 1:  # two demands with one reason read like a form
        return Intent("", _NO_OLD if turn.act == "replace_all" or turn.kind == "add" else _HOW["name"])
    operation = turn.operation
    stream = Stream(Purpose.VOICE, turn.dialogue, turn.turn)
    reason = _reason(turn, stream) if stream.fraction() < style.reason else ""
    if operation.before is None:
        return Intent(reason, _NO_OLD)
    return Intent(reason, _HOW[stream.choice(_references(turn, style))])


def _references(turn: Turn, style: TypingStyle) -> tuple[Reference, ...]:
    """How the person may refer to what is given up."""
    if turn.operation.after is None:
        return ("name", "value")  # or nobody would know what is lifted
    if style.refer == "name":
        return ("name", "value")
    return ("pronoun", "none") if style.refer == "leave" else ("name", "value", "pronoun", "none")


def _reason(turn: Turn, stream: Stream) -> str:
    operation = turn.operation
    change = get_group(operation.group).change(operation.before, operation.after)
    act = "state" if turn.move == "new" else change.act
    cause = "lift" if change.shape == "release" else act
    own = _own_lines(turn, cause, change)
    if own and stream.fraction() < _OWN:
        # Each turn takes another one, so that a talk repeats none before all are said.
        order = Stream(Purpose.VOICE, turn.dialogue, 0).sample(own, len(own))
        return order[turn.turn % len(order)]
    return _stock_line(turn, cause, change, stream)


def _own_lines(turn: Turn, cause: str, change: Change) -> list[str]:
    """What this persona, or anybody with this task, would say for a reason."""
    topic, occasion = turn.topic, occasion_of(turn.operation.group, cause, change)
    sources = (None if is_grave(topic) else persona_reasons(turn.persona), task_reasons(topic))
    occasions: tuple[Occasion, ...] = (occasion,) if occasion in ("drop", "any") else (occasion, "any")
    return [line.text for source in sources if source is not None for at in occasions for line in source.of(at)]


def _stock_line(turn: Turn, cause: str, change: Change, stream: Stream) -> str:
    register = turn.persona.register
    register = register if register in OWN_REGISTERS else "neutral"
    grave = is_grave(turn.topic)
    known = (kind for kind in load_reasons() if not (grave and kind.light))
    kinds = [kind for kind in known if kind.motivates(turn.operation.group, cause, change)]
    specific = [kind for kind in kinds if not kind.general]
    if specific and stream.fraction() < _SPECIFIC:
        kinds = specific
    lines = [reason.text for kind in kinds for reason in kind.lines if register in reason.registers]
    lines = [line for line in lines if not (grave and is_flippant(line))]
    return stream.choice(lines) if lines else ""
