"""Writes `docs/examples.md` anew: whole dialogues as the template words them, one per register, from a fixed seed.

.venv/bin/python docs/make_examples.py
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import count, islice
from pathlib import Path

from evolif.constraints import describe, format_of
from evolif.synthesis import TemplateSynthesizer, load_personas, persona_for, registers
from evolif.tracker import ScriptSpec, load_profile, load_topics, script
from evolif.turns import Persona, ScriptTurn

PAGE = Path(__file__).parent / "examples.md"
SEED = 21
TURNS = 12
WITH_CONSTRAINTS = frozenset({"casual", "neutral"})
"""The registers whose dialogue is shown with the constraints in force."""

HEAD = f"""# Five dialogues

Whole dialogues of the profile `paper` as the template synthesizer words them: {TURNS} turns each, one for every
register a persona may have. Every query says one change; what was asked for before stays in force until it is changed
or dropped, topic by topic. The first dialogues of a fixed seed that go back to a topic and drop something are shown,
unedited; `docs/make_examples.py` writes this page.
"""


def main() -> None:
    """Write the page."""
    PAGE.write_text(page(), encoding="utf-8")
    print(PAGE.name)


def page() -> str:
    """The page, as Markdown."""
    return "\n".join([HEAD, *(_dialogue(register) for register in registers())])


def _dialogue(register: str) -> str:
    persona, turns = _chosen(register)
    says = TemplateSynthesizer(SEED).say
    told = [(turn, says(turn, persona)) for turn in turns]
    shown = _table(told) if register in WITH_CONSTRAINTS else _list(told)
    return "\n".join([f"## {register.capitalize()}", "", f"*{_text(persona.sentence)}*", "", *shown, ""])


def _chosen(register: str) -> tuple[Persona, list[ScriptTurn]]:
    """The first dialogue of this register that holds a backtrack and a removal."""
    spec = ScriptSpec(load_profile("paper"), load_topics(), SEED)
    personas = load_personas()
    for dialogue in count(1):
        persona = persona_for(personas, SEED, dialogue)
        if persona.register != register:
            continue
        turns = list(islice(script(spec, dialogue), TURNS))
        if any(t.move == "backtrack" for t in turns) and any(t.operation.kind == "remove" for t in turns):
            return persona, turns
    raise AssertionError("dialogues are endless")


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
