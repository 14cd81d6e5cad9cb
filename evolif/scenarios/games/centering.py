"""Coherence of a dialogue by centering: which noun phrases a turn takes up from the turn before (Grosz et al. 1995)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final, Literal, TypeAlias, TypedDict

from evolif.scenarios.games.arguments import items_of
from evolif.scenarios.games.noun_phrases import ROLES, Parsed, listed

Transition: TypeAlias = Literal["START", "CONTINUE", "RETAIN", "SMOOTH", "ROUGH"]
"""How a turn goes on from the one before."""
_WORTH: Final[Mapping[Transition, int]] = {"START": 0, "CONTINUE": 3, "RETAIN": 2, "SMOOTH": 1, "ROUGH": 0}


class Coherence(TypedDict):
    """How a dialogue coheres.

    Attributes:
        transitions: One a turn.
        CS: (3 CONTINUE + 2 RETAIN + 1 SMOOTH) / (turns - 1), below 3; None with fewer than two turns.
    """

    transitions: list[Transition]
    CS: float | None


def centering(parsed: Iterable[Parsed]) -> Coherence:
    """Name the transition to each turn, and score them.

    A turn looks back to the first phrase of the turn before that it holds as well (its backward-looking center). The
    transition depends on whether the turn before looked back to the same phrase, and whether that phrase is what this
    turn is mainly about: its first subject, or else its first object.

    Args:
        parsed: The noun phrases of each turn, as `phrases` gives them; a role may be missing.

    Raises:
        ArgumentError: no list, or a turn is no mapping from roles to lists of texts.
    """
    transitions: list[Transition] = []
    previous: list[str] = []
    center: str | None = None
    for turn in items_of(parsed, "noun phrases, one mapping a turn"):
        subjects, objects, others = (listed(turn, role) for role in ROLES)
        forward = subjects + objects + others
        here = set(forward)
        backward = next((phrase for phrase in previous if phrase in here), None)
        preferred = next(iter(subjects + objects), None)
        transitions.append(_transition(center, backward, preferred) if transitions else "START")
        previous, center = forward, backward
    steps = len(transitions) - 1
    score = sum(_WORTH[transition] for transition in transitions)
    return {"transitions": transitions, "CS": score / steps if steps > 0 else None}


def _transition(before: str | None, backward: str | None, preferred: str | None) -> Transition:
    if backward is None:
        return "ROUGH"
    if backward == before:
        return "CONTINUE" if backward == preferred else "RETAIN"
    return "SMOOTH" if backward == preferred else "ROUGH"
