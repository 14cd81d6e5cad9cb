"""Without Inspect, a sentence names the extra."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

import evolif
from evolif import UsageError
from evolif.exchange import export


@pytest.mark.slow
def test_the_format_names_the_extra(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    bench = evolif.generate(tmp_path / "b", dialogues=1, turns=1, seed=8, profile="objective")
    evolif.evaluate(bench, "sim/perfect", tmp_path / "r", max_turns=1).close()
    monkeypatch.setitem(sys.modules, "inspect_ai", None)
    monkeypatch.setitem(sys.modules, "inspect_ai.log", None)
    with pytest.raises(UsageError, match=r"needs inspect-ai; install evolif\[inspect\]"):
        export(tmp_path / "r", tmp_path / "out", format="inspect")
    assert not (tmp_path / "out").exists()


@pytest.mark.slow
def test_importing_the_package_imports_no_inspect() -> None:
    import subprocess

    code = "import evolif, evolif.inspect, evolif.inspect.scores, sys; print('inspect_ai' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


@pytest.mark.parametrize("name", ["evolif_dataset", "evolif_scorer", "evolif_solver"])
def test_the_parts_for_tasks_of_users_name_the_extra(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    import evolif.inspect

    module = f"evolif.inspect.{evolif.inspect._LAZY[name]}"
    for known in [one for one in sys.modules if one.partition(".")[0] == "inspect_ai"] + [module]:
        monkeypatch.delitem(sys.modules, known, raising=False)
    monkeypatch.setitem(sys.modules, "inspect_ai", None)
    with pytest.raises(UsageError, match=rf"{name} needs inspect-ai; install evolif\[inspect\]"):
        getattr(evolif.inspect, name)
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        evolif.inspect.nonsense  # noqa: B018
