"""Writes `docs/examples.md` anew: whole dialogues as the template words them, four per register, from a fixed seed.

.venv/bin/python docs/make_examples.py
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import count, islice
from pathlib import Path

from evolif.scenarios.instructions.constraints import describe, format_of
from evolif.scenarios.instructions.generator import template_of
from evolif.scenarios.instructions.synthesis import load_personas, persona_for, registers
from evolif.scenarios.instructions.tracker import ScriptSpec, load_profile, script
from evolif.scenarios.instructions.tracker.profile import load_topics_of
from evolif.scenarios.instructions.turn_lines import Spec
from evolif.scenarios.instructions.turns import Persona, ScriptTurn

PAGE = Path(__file__).parent / "examples.md"
SEED = 2615
TURNS = 12
PROFILES = ("everyday", "everyday", "objective", "extended")
"""Of the dialogues of a register."""
WITH_CONSTRAINTS = frozenset({"casual", "neutral"})
"""The registers whose first dialogue is shown with the constraints in force."""

HEAD = f"""# Twenty dialogues

Whole dialogues as the template synthesizer words them, {TURNS} turns each: for every register that a persona may have
two of the default profile `everyday`, one of `objective` and one of `extended`. What was asked for before stays in
force until it is changed or dropped, topic by topic. The first dialogues of a fixed seed are shown, unedited;
`docs/make_examples.py` writes this page.
"""


def main() -> None:
    """Write the page."""
    PAGE.write_text(page(), encoding="utf-8")
    print(PAGE.name)


def page() -> str:
    """The page, as Markdown."""
    return "\n".join([HEAD, *(_dialogues(register) for register in registers())])


def _dialogues(register: str) -> str:
    lines = [f"## {register.capitalize()}", ""]
    for number, (profile, persona, turns) in enumerate(_chosen(register)):
        says = template_of(Spec(profile=load_profile(profile), seed=SEED, dialogues=1, turns=TURNS)).say
        told = [(turn, says(turn, persona)) for turn in turns]
        shown = _table(told) if register in WITH_CONSTRAINTS and not number else _list(told)
        lines += [f"### Dialogue {turns[0].dialogue}, {profile}", "", f"*{_text(persona.sentence)}*", "", *shown, ""]
    return "\n".join(lines)


def _chosen(register: str) -> Iterator[tuple[str, Persona, list[ScriptTurn]]]:
    """The first dialogues of this register, a profile each."""
    personas = load_personas()
    numbers = (number for number in count(1) if persona_for(personas, SEED, number).register == register)
    for name, number in zip(PROFILES, numbers, strict=False):
        profile = load_profile(name)
        spec = ScriptSpec(profile, load_topics_of(profile), SEED, personas)
        yield name, persona_for(personas, SEED, number), list(islice(script(spec, number), TURNS))


def _list(told: Iterable[tuple[ScriptTurn, str]]) -> Iterator[str]:
    for turn, query in told:
        yield f"{turn.turn}. {_text(query)}"


def _table(told: Iterable[tuple[ScriptTurn, str]]) -> Iterator[str]:
    yield "| | the query | in force on its topic |"
    yield "|---:|---|---|"
    for turn, query in told:
        fmt = format_of(turn.constraints)
        held = "<br>".join(f"• {_text(describe(constraint, fmt))}" for constraint in turn.constraints)
        yield f"| {turn.turn} | {_text(query)} | {held or 'nothing'} |"


def _text(text: str) -> str:
    """The text with everything escaped that Markdown would take for mark-up."""
    return re.sub(r"([\\`*_<>|\[\]#~&])", r"\\\1", " ".join(text.split()))


if __name__ == "__main__":
    main()
