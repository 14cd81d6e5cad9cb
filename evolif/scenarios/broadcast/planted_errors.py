"""Planted defects: replies with one fault each, and exactly what the fault costs."""

from __future__ import annotations

from dataclasses import dataclass

from evolif.scenarios.broadcast.checklist import needs_judge
from evolif.scenarios.broadcast.faults import faults_of
from evolif.scenarios.broadcast.faults_format import format_faults_of
from evolif.scenarios.broadcast.witness import Turn, is_formatted

_SILENCED = ("no_right_player", "no_summary")
"""The gates that a reply triggers by saying nothing."""


@dataclass(frozen=True, slots=True)
class Defect:
    """A reply with one fault.

    Attributes:
        name: What is wrong with it.
        reply: All that it says.
        costs: The places of the items that it fails, of those that rules check; of equal items the last.
        gates: The gates that it triggers.
        false: How many false events it tells, where each costs as much as a missing one.
    """

    name: str
    reply: str
    costs: tuple[int, ...]
    gates: tuple[str, ...]
    false: int = 0


def planted(turn: Turn, *, harmless: bool = False) -> list[Defect]:
    """Replies to a turn that are right but for one fault each.

    Args:
        turn: With `kind`, `key`, `names`, `checklist` and `gates`; its `question` says whom a gate excepts.
        harmless: Whether to return the faults that cost nothing, too: in edition 1 one event invented beside five right
            ones.

    Raises:
        ArgumentError: no reply to a turn of this kind is judged.
    """
    if is_formatted(turn):
        found = [Defect(*fault) for fault in format_faults_of(turn)]
    else:
        found = [Defect(*fault) for fault in faults_of(turn)]
    checked = tuple(place for place, item in enumerate(turn["checklist"]) if not needs_judge(item))
    found.append(Defect("nothing said", "", checked, tuple(gate for gate in turn["gates"] if gate in _SILENCED)))
    return [defect for defect in found if harmless or defect.costs or defect.gates or defect.false]
