"""Where SciPy is not installed, a report says what it lacks and tells the rest; a comparison says what to install."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
from runs_by_hand import make_run
from typer.testing import CliRunner

from evolif.cli import app

SESSIONS = {1: "finished:11 00 00 00", 2: "finished:00 00 00"}
MEND = "pip install 'evolif[report]'"


@pytest.fixture(autouse=True)
def _bare(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    for module in ("numpy", "scipy", "scipy.stats", "scipy.special"):
        monkeypatch.setitem(sys.modules, module, None)
    make_run(Path("r"), {"sim/a": SESSIONS, "sim/b": SESSIONS}).close()


def test_the_full_report_tells_the_rest() -> None:
    result = CliRunner().invoke(app, ["report", "r", "--full", "--latex", "t.tex"])
    assert result.exit_code == 0, result.output
    told = " ".join(result.stdout.split())
    assert "Survival" in told and MEND in told and "Hazard" in told and "Patience sweep" in told


def test_machines_read_why_a_part_is_missing() -> None:
    result = CliRunner().invoke(app, ["report", "r", "--json", "-"])
    assert result.exit_code == 0, result.output
    told = json.loads(result.stdout)
    model, [board] = told["models"][0], told["boards"]
    assert MEND in board["ranking"]["unavailable"]
    # Survival and hazard need nothing: one of two sessions ends at turn 3, the other at turn 4.
    assert [point["probability"]["value"] for point in model["survival"]["points"]] == [1, 1, 1, 0.5, 0]
    assert model["hazard"] and model["edr_len"]["value"] == 3.5 and model["isr_at_n"]["value"] == 1 / 20


def test_a_comparison_says_what_to_install() -> None:
    # How many dialogues are needed is what takes SciPy; it is told only where the differences vary.
    one = {d: f"finished:{'11 ' * (d % 3)}00 00 00" for d in range(1, 8)}
    other = {d: f"finished:{'11 ' * (d % 4)}00 00 00" for d in range(1, 8)}
    make_run(Path("other"), {"sim/a": one, "sim/b": other})
    result = CliRunner().invoke(app, ["compare", "other"])
    assert result.exit_code == 2 and MEND in " ".join(result.stderr.split())
