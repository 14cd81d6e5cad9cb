"""The bank of short plans: what people type who make few words, for one constraint (`seeds/plans/everyday/`).

A file belongs to a group: kinds of constraints (`short_values.py` names them), in them kinds of wordings. `do` is an
order, `bit` a fragment, `hung` what hangs on a task, `say` a short sentence, `gripe` a question or a complaint about
the last answer, `to` a change of the value alone, `free` the release of a part; `names` are noun phrases for what is
dropped. A line may begin with the registers that say it, as in `plans.py`. `reasons` has, by kind of constraint, why
somebody would ask for just this; a line fits every value of its kind, and every task unless its tags say otherwise.
Several kinds that share their lines are named with commas between them. `lifts.yaml` has what fits every group.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from evolif.errors import InputError
from evolif.scenarios.instructions.synthesis.plans import UNSEAL, Plan, capitalised, parse_plan, seal, starts_sentence
from evolif.scenarios.instructions.synthesis.short_values import LITERAL_SLOTS
from evolif.util.resources import data_path, load_data

KINDS = ("do", "bit", "hung", "say", "gripe", "to", "free", "names")

Shapes = Mapping[str, Mapping[str, tuple[Plan, ...]]]


@dataclass(frozen=True, slots=True)
class ShortPlans:
    """The short plans of one group."""

    group: str
    shapes: Shapes
    """By kind of constraint and kind of wording."""
    tails: Mapping[str, tuple[str, ...]]
    """What is added to a plan for what its kind of constraint does not say."""
    reasons: Mapping[str, tuple[Plan, ...]]
    """By kind of constraint, why somebody asks for it."""

    def of(self, shape: str, kind: str, register: str = "") -> tuple[Plan, ...]:
        """The plans of a kind; where a register is given, those that it says."""
        plans = self.shapes.get(shape, {}).get(kind, ())
        return tuple(plan for plan in plans if not register or register in plan.registers)


@dataclass(frozen=True, slots=True)
class DropPlans:
    """How constraints are dropped, whatever they are."""

    lift: Mapping[str, tuple[Plan, ...]]
    """By kind of wording; {name} is what the constraint is called."""
    reset: tuple[Plan, ...]
    """Everything that was asked for before is off."""
    reset_with: tuple[Plan, ...]
    """The same in one sentence with what holds from now on, {now}."""
    again: tuple[Plan, ...]
    """Before what hangs on a task that was done before."""
    back: tuple[Plan, ...]
    """A return to {topic}."""
    carry: tuple[Plan, ...]
    """What was asked of the task before holds for a new one, too."""
    still: tuple[Plan, ...]
    """On a return: what was asked of it holds as before; {now} is one demand in short."""


@lru_cache(maxsize=64)
def load_short_plans(group: str) -> ShortPlans | None:
    """The packaged short plans of a group; None if it has none.

    Raises:
        InputError: the file is not a bank of short plans.
    """
    path = data_path("seeds", "plans", "everyday") / f"{group}.yaml"
    if not path.is_file():
        return None
    data = load_data(path)
    if not isinstance(data, dict) or data.get("group") != group:
        raise InputError(f"needs “group: {group}”, as its name says", path=path)
    tails = {name: tuple(lines) for name, lines in (data.get("tails") or {}).items()}
    shapes: dict[str, dict[str, tuple[Plan, ...]]] = {}
    for shape, kinds in data.items():
        if shape not in ("group", "tails", "reasons"):
            shapes[shape] = {kind: _plans(lines, f"{group}/{shape}/{kind}", path) for kind, lines in kinds.items()}
            unknown = sorted(kinds.keys() - set(KINDS))
            if unknown:
                raise InputError(f"{shape}: “{unknown[0]}” is unknown; use {', '.join(KINDS)}", path=path)
    reasons = read_reasons(data.get("reasons") or {}, shapes, path)
    return ShortPlans(group, shapes, tails, reasons)


def read_reasons(data: object, shapes: Shapes, path: Path) -> dict[str, tuple[Plan, ...]]:
    """The reasons of a file, by kind of constraint.

    Args:
        data: What the file has under `reasons`.
        shapes: Its kinds of constraints.
        path: The file, which is named by its group.

    Raises:
        InputError: a kind that the file does not have or that comes twice, or lines that are no texts.
    """
    if not isinstance(data, dict):
        raise InputError("reasons: needs kinds of constraints, each with a list of texts", path=path)
    found: dict[str, tuple[Plan, ...]] = {}
    for names, lines in data.items():
        for shape in str(names).split(", "):
            if shape not in shapes or shape in found:
                fault = "comes twice" if shape in found else "is no kind of constraint"
                raise InputError(f"reasons: “{shape}” {fault}; use {', '.join(shapes)}, each once", path=path)
            found[shape] = _plans(lines, f"{path.stem}/{shape}/reasons", path)
    return found


_DROP_LISTS = ("reset", "reset_with", "again", "back", "carry", "still")


@lru_cache(maxsize=1)
def load_drop_plans() -> DropPlans:
    """The packaged ways to drop one constraint or all, and to come back to a topic.

    Raises:
        InputError: the file is broken.
    """
    path = data_path("seeds", "plans", "everyday", "lifts.yaml")
    data = load_data(path)
    try:
        lists = {name: _plans(data[name], name, path) for name in _DROP_LISTS}
        lift = {kind: _plans(lines, f"lift/{kind}", path) for kind, lines in data["lift"].items()}
    except (LookupError, TypeError, AttributeError):
        raise InputError("needs lift, reset, reset_with, again, back, carry and still", path=path) from None
    return DropPlans(lift, **lists)


def _plans(lines: object, key: str, path: Path) -> tuple[Plan, ...]:
    if not isinstance(lines, list) or not all(isinstance(line, str) for line in lines):
        raise InputError(f"{key}: needs a list of texts; put each in quotation marks", path=path)
    try:
        return tuple(parse_plan(f"{key}/{number}", line) for number, line in enumerate(lines, 1))
    except ValueError as fault:
        raise InputError(f"{key}: {fault}", path=path) from None


def fill_short(plan: Plan, slots: Mapping[str, str]) -> str:
    """The text of a short plan, its slots filled, values sealed against changes of style.

    Raises:
        KeyError: a slot that has no value.
    """
    text = ""
    for piece in plan.pieces:
        if not piece.slot:
            text += piece.text
            continue
        value = slots[piece.text]
        if piece.forms is not None:
            text += piece.forms[0 if value in ("1", "one") else 1]
            continue
        if piece.capital or (value[:1].islower() and starts_sentence(text)):
            value = capitalised(value)
        text += seal(value) if piece.text in LITERAL_SLOTS else value
    return going_on(text)


def going_on(text: str) -> str:
    """The text with sentences that go on behind a value which ends in a stop, so that no style begins another there."""
    return _ENDING_IN_TEXT.sub(rf"\1\2{UNSEAL}", text)


_ENDING_IN_TEXT = re.compile(rf"([.?!][”\"`]){UNSEAL}(\s[a-z]+)")
"""A value that ends in a stop, inside a sentence: the word behind it is sealed, too, or it would get a capital."""
