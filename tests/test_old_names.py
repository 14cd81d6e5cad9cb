"""Names of modules from before every scenario had a folder: they work for one release, and warn."""

from __future__ import annotations

import importlib
import subprocess
import sys

import pytest

from evolif._moved import MOVED, name_today


@pytest.fixture
def forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    """No old module has been imported yet."""
    for name in [name for name in sys.modules if name_today(name) is not None]:
        monkeypatch.delitem(sys.modules, name)


@pytest.mark.parametrize("old", MOVED)
@pytest.mark.usefixtures("forgotten")
@pytest.mark.filterwarnings("ignore:evolif.instructions is now")
def test_a_moved_module_is_found_by_its_old_name_with_a_warning(old: str) -> None:
    with pytest.warns(DeprecationWarning, match=f"{old} is now {name_today(old)}; import from there"):
        module = importlib.import_module(old)
    today = importlib.import_module(str(name_today(old)))
    assert module.__doc__ == today.__doc__
    public = getattr(today, "__all__", [name for name in vars(today) if not name.startswith("_")])
    assert public and all(getattr(module, name) is getattr(today, name) for name in public)


@pytest.mark.parametrize(
    ("old", "today", "name"),
    [
        ("evolif.constraints.base", "evolif.scenarios.instructions", "Group"),
        ("evolif.constraints", "evolif.scenarios.instructions", "ParamsModel"),
        ("evolif.synthesis", "evolif.scenarios.instructions", "Writer"),
        ("evolif.unidial.memories", "evolif.scenarios.recorded", "Memory"),
        ("evolif.unidial.memories", "evolif.scenarios.recorded", "Snippet"),
        ("evolif.games.tokens", "evolif.scenarios.games.tokens", "RegexTokenizer"),
        ("evolif.instructions.generate", "evolif.scenarios.instructions", "generate"),
    ],
)
@pytest.mark.usefixtures("forgotten")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_both_names_give_the_same_object(old: str, today: str, name: str) -> None:
    assert getattr(importlib.import_module(old), name) is getattr(importlib.import_module(today), name)


@pytest.mark.usefixtures("forgotten")
@pytest.mark.filterwarnings("ignore:evolif.instructions is now")
def test_a_renamed_class_has_its_old_name_with_a_warning() -> None:
    from evolif.scenarios import instructions

    for package in (instructions, importlib.import_module("evolif.instructions")):
        with pytest.warns(DeprecationWarning, match="Benchmark is now InstructionBenchmark"):
            assert package.Benchmark is instructions.InstructionBenchmark


@pytest.mark.usefixtures("forgotten")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_what_never_was_is_not_found() -> None:
    for name in ("evolif.nothing", "evolif.games.nothing", "evolif.turns.nothing"):
        with pytest.raises(ModuleNotFoundError):
            importlib.import_module(name)


def test_the_warning_points_at_the_line_that_imports() -> None:
    code = "import evolif\nfrom evolif.games.tokens import *"
    done = subprocess.run([sys.executable, "-W", "always", "-c", code], capture_output=True, text=True, check=True)
    assert "<string>:2: DeprecationWarning: evolif.games.tokens is now" in done.stderr
