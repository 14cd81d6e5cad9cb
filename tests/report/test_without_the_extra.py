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
    for module in ("numpy", "scipy", "scipy.stats"):
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
    model = json.loads(result.stdout)["models"][0]
    assert MEND in model["survival"]["unavailable"] and model["hazard"] and model["edr_len"]["value"] == 3.5


def test_a_comparison_says_what_to_install() -> None:
    result = CliRunner().invoke(app, ["compare", "r"])
    assert result.exit_code == 2 and MEND in " ".join(result.stderr.split())
