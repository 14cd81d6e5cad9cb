"""Motives: which reason a person gives for a change, out of the own ones, the task's and anybody's.

Where persons are to fit (`Draw.persons`) only lines about the very demand are given: those of the persona and the task
for fewer words, more words or a layout, and those that `seeds/reasons.yaml` has for the group; never one that is odd.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from evolif.scenarios.instructions.constraints import Change
from evolif.scenarios.instructions.synthesis.draw import Draw
from evolif.scenarios.instructions.synthesis.own_reasons import Occasion, OwnReasons, occasion_of, persona_reasons
from evolif.scenarios.instructions.synthesis.phrases import Reason, ReasonKind, load_reasons, telling_reasons
from evolif.scenarios.instructions.synthesis.plans import echoes

_SPECIFIC = 0.65
"""How often a reason belongs to the very change rather than to any."""
_PERSONAS, _TASKS = 0.2, 0.6
"""How often a reason is the persona's own, and how often it lies in the task, as long as there is one.

Readers who do not know the persona find most natural what belongs to the task.
"""
_GENERAL = 0.2
"""How often a reason is given that would do for any change: readers ask what it has to do with this one."""
_TELLING: Mapping[Occasion, float] = {
    "shorter": 1,
    "longer": 1,
    "layout": 0.35,
    "detail": 0.2,
    "drop": 0.15,
    "any": _GENERAL,
}
"""The same of the reasons of a persona or a task, by what they motivate."""
_OWN = 0.5
"""How often a reason about the very demand is the task's or the persona's, where there is one."""


def reason_for(group: str, act: str, change: Change, draw: Draw) -> Reason | None:
    """A reason for a change that the dialogue has not given yet: the persona's own, the task's, or anybody's.

    Args:
        group: The group that changes.
        act: The plan's act.
        change: The change.
        draw: The draws of the turn, whose memory then holds the reason.

    Returns:
        The reason; None where there is none that fits.
    """
    cause = "lift" if change.shape == "release" else act
    if draw.persons:
        return _telling_reason(group, cause, change, draw)
    chance = draw.stream.fraction()
    if chance < _PERSONAS + _TASKS:
        for reasons in draw.own_reasons(persona_first=chance < _PERSONAS):
            found = _own_reason(reasons, group, cause, change, draw)
            if found is not None:
                return found
    return _stock_reason(group, cause, change, draw)


def _telling_reason(group: str, cause: str, change: Change, draw: Draw) -> Reason | None:
    """A reason about the very demand."""
    occasion = occasion_of(group, cause, change)
    if draw.says(_OWN):
        mine = persona_reasons(draw.persona)
        for own in draw.own_reasons(persona_first=False):
            if own is mine and occasion == "layout":
                continue  # where somebody pins things is told of a life, not of a task
            kind = f"own/{own.owner}/{occasion}"
            found = draw.next(kind, own.about(occasion), lambda reason: _is_new(reason, draw))
            if found is not None:
                return found
    kinds = _fitting_kinds(telling_reasons(), group, cause, change, draw)
    register = draw.persona.register
    lines = [line for line in _lines(kinds, register) if not line.odd]
    name = f"reasons/{register}/{'|'.join(kind.kind for kind in kinds)}"
    return draw.next(name, lines, lambda reason: _is_new(reason, draw))


def _own_reason(reasons: OwnReasons, group: str, cause: str, change: Change, draw: Draw) -> Reason | None:
    """A line of a persona or a task that the dialogue has not said yet."""
    occasion = occasion_of(group, cause, change)
    telling = occasion == "drop" or draw.says(_SPECIFIC)
    for at in (occasion, "any") if telling else ("any", occasion):
        if (at == "any" and occasion == "drop") or not draw.says(_TELLING[at]):
            continue
        found = draw.next(f"own/{reasons.owner}/{at}", reasons.of(at), lambda reason: _is_new(reason, draw))
        if found is not None:
            return found
    return None


def _stock_reason(group: str, cause: str, change: Change, draw: Draw) -> Reason | None:
    kinds = _fitting_kinds(load_reasons(), group, cause, change, draw)
    specific = [kind for kind in kinds if not kind.general]
    chosen = specific if specific and draw.says(_SPECIFIC) else [kind for kind in kinds if kind.general]
    if chosen is not specific and not draw.says(_GENERAL):
        return None
    register = draw.persona.register
    return draw.next(
        f"reasons/{register}/{'|'.join(kind.kind for kind in chosen)}",
        _lines(chosen, register),
        lambda reason: _is_new(reason, draw),
    )


def _fitting_kinds(every: Iterable[ReasonKind], group: str, cause: str, change: Change, draw: Draw) -> list[ReasonKind]:
    return [kind for kind in every if kind.motivates(group, cause, change) and not (draw.grave and kind.light)]


def _is_new(reason: Reason, draw: Draw) -> bool:
    """Whether the dialogue has not given the reason, nor the turn its words; then it has from now on."""
    if reason.kind in draw.memory.used or not draw.rings_new(reason.text) or not draw.in_tone(reason.text):
        return False
    draw.memory.used.add(reason.kind)
    draw.said |= echoes(reason.text)
    return True


def _lines(kinds: Iterable[ReasonKind], register: str) -> list[Reason]:
    return [reason for kind in kinds for reason in kind.lines if register in reason.registers]
