"""Whether a turn can be satisfied: a verified text, a proof that there is none, or neither."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from evolif.audit._proofs import smallest, smallest_conflict
from evolif.constraints import check_reading, find_conflict, format_of, get_group
from evolif.domain import Constraint
from evolif.text import Reading
from evolif.witness import Refusal, build_past_table

Status = Literal["satisfiable", "awkward", "impossible", "undecided"]


@dataclass(frozen=True, slots=True)
class Satisfiability:
    """The status of an instruction, the groups that stand against each other, and why."""

    status: Status
    conflict: tuple[str, ...] = ()
    reason: str = ""


def satisfiability(
    constraints: Sequence[Constraint], keywords: tuple[str, ...] = (), witness: str | None = None
) -> Satisfiability:
    """Judge an instruction.

    Args:
        constraints: The instruction; subjective constraints are left to the judge.
        keywords: The topic's keywords, where it has some.
        witness: A stored text; where it passes, no other is built.
    """
    objective = [c for c in constraints if not get_group(c.group).subjective]
    active = {c.group: c.params for c in objective}
    impossible = smallest_conflict(active)
    if impossible is not None:
        return Satisfiability("impossible", impossible.groups, impossible.reason)
    table = smallest(active, find_conflict)
    dense, refusal = False, None
    if witness is None or witness_faults(objective, witness):
        built = build_past_table(objective, keywords)
        refusal = built if isinstance(built, Refusal) else None
        dense = not isinstance(built, Refusal) and built.density == "soup"
    if refusal is not None:
        told = f"the compatibility table excludes it ({table.reason}); " if table else ""
        return Satisfiability("undecided", (), f"{told}no text was found and no proof that there is none")
    if table is not None:
        return Satisfiability("awkward", table.groups, f"{table.code}: {table.reason}")
    if dense:
        return Satisfiability("awkward", tuple(active), "soup: only a text without room for sense satisfies all of it")
    return Satisfiability("satisfiable")


def witness_faults(constraints: Sequence[Constraint], witness: str) -> list[str]:
    """What the rule checkers have against a stored witness; empty where it passes."""
    objective = [c for c in constraints if not get_group(c.group).subjective]
    verdicts = check_reading(objective, Reading(witness, format_of(objective)))
    return [f"{v.group}: expected {v.expected}, found {v.found}" for v in verdicts if not v.satisfied]
