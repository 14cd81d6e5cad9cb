"""The examples of the documentation are what the template says today, four dialogues per register."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path
from types import ModuleType

import pytest

from evolif.scenarios.instructions.synthesis import load_personas, registers

DOCS = Path(__file__).parents[4] / "docs"


@pytest.fixture(scope="module")
def examples() -> ModuleType:
    spec = importlib.util.spec_from_file_location("make_examples", DOCS / "make_examples.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.slow
def test_the_page_is_what_its_script_writes(examples: ModuleType) -> None:
    assert (DOCS / "examples.md").read_text(encoding="utf-8") == examples.page(), "run docs/make_examples.py"


def test_every_register_has_four_dialogues_of_twelve_turns_with_its_personas() -> None:
    parts = re.split(r"^## ", (DOCS / "examples.md").read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]
    assert [part.split("\n")[0].lower() for part in parts] == list(registers())
    sentences: dict[str, set[str]] = {register: set() for register in registers()}
    for persona in load_personas():
        sentences[persona.register].add(persona.sentence)
    for part in parts:
        register, dialogues = part.split("\n")[0].lower(), part.split("\n### ")[1:]
        told = [dialogue.split("\n")[2].strip("*").replace("\\", "") for dialogue in dialogues]
        assert len(set(told)) == 4 and set(told) <= sentences[register]
        for dialogue in dialogues:
            assert re.findall(r"^(?:\| )?(\d+)(?: \||\.)", dialogue, re.MULTILINE) == [str(n) for n in range(1, 13)]
    assert sum("in force on its topic" in part for part in parts) == 2
