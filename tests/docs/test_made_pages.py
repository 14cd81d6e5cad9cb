"""Pages that are made from the program are up to date."""

from __future__ import annotations

import re
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parent.parent.parent
STALE = "run docs/make_cli_reference.py"


@pytest.fixture(scope="module")
def maker() -> ModuleType:
    spec = spec_from_file_location("make_cli_reference", ROOT / "docs" / "make_cli_reference.py")
    assert spec is not None and spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_reference_of_the_command_line_is_fresh(maker: ModuleType) -> None:
    assert maker.CLI.read_text(encoding="utf-8") == maker.cli_page(), STALE


def test_the_table_of_variables_is_fresh(maker: ModuleType) -> None:
    assert maker.ENVIRONMENT.read_text(encoding="utf-8") == maker.environment_page(), STALE


def test_the_schema_of_plans_is_fresh(maker: ModuleType) -> None:
    assert maker.SCHEMA.read_text(encoding="utf-8") == maker.plan_schema_text(), STALE


def test_every_variable_that_the_program_reads_is_in_the_table(maker: ModuleType) -> None:
    page = maker.environment_page()
    read = {
        variable
        for file in (ROOT / "evolif").rglob("*.py")
        for variable in re.findall(r"\bEVOLIF_[A-Z_]*[A-Z]\b", file.read_text(encoding="utf-8"))
    }
    assert len(read) > 15  # most are made from the names of flags
    assert sorted(variable for variable in read if f"`{variable}`" not in page) == []


def test_every_verb_has_a_section_with_its_flags(maker: ModuleType) -> None:
    sections = dict(re.findall(r"^## evolif ([\w ]+)\n(.*?)(?=^## |\Z)", maker.cli_page(), re.MULTILINE | re.DOTALL))
    assert {"generate", "evaluate", "report", "topics write", "models fetch"} <= sections.keys()
    assert "`--patience N`" in sections["evaluate"] and "`EVOLIF_PATIENCE`" in sections["evaluate"]
    assert "`--system-prompt`, `--no-system-prompt` | on" in sections["evaluate"]
