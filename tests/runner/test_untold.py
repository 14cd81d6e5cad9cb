"""A run without the system prompt, on a benchmark that says there alone what is counted, says so."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from scripted import Scripted, witness
from typer.testing import CliRunner

from evolif.cli import app
from evolif.runner import Run
from evolif.scenarios.instructions import generate

Play = Callable[..., Run]


def told(*arguments: str) -> str:
    result = CliRunner().invoke(app, [*arguments], prog_name="evolif")
    assert result.exit_code == 0, result.output
    return " ".join(result.output.split())


@pytest.mark.sampled
@pytest.mark.parametrize(("system_prompt", "untold"), [(False, True), (True, False)])
def test_the_report_says_what_models_were_not_told(
    play: Play, tmp_path: Path, system_prompt: bool, untold: bool
) -> None:
    run = play(Scripted(witness), max_turns=2, system_prompt=system_prompt)
    stored = json.loads(run.settings.model_dump_json())
    assert run.settings.untold is untold and ("untold" in stored) is untold
    note = "Not told what counts: this benchmark says in the system prompt alone"
    assert (note in told("report", str(run.path))) is untold
    assert (note in told("report", str(run.path), "--full")) is untold
    machine = tmp_path / "report.json"
    told("report", str(run.path), "--json", str(machine), "--html", str(tmp_path / "page.html"))
    [settings] = [one["settings"] for one in json.loads(machine.read_text("utf-8"))["runs"]]
    assert settings.get("untold", False) is untold
    page = " ".join((tmp_path / "page.html").read_text("utf-8").split())
    assert (note in page) is untold


def test_it_is_said_before_the_first_call(play: Play) -> None:
    notes: list[str] = []
    model = Scripted(lambda request: notes.append("called") or witness(request))
    play(model, max_turns=2, system_prompt=False, notify=notes.append)
    assert "says in the system prompt alone what exactly its constraints count" in notes[0]
    assert "evolif generate --definitions query" in notes[0]
    assert notes[1:] == ["called"] * 2


def test_a_benchmark_whose_queries_say_it_is_no_news(play: Play, tmp_path: Path) -> None:
    bench = generate(tmp_path / "said", dialogues=1, turns=2, definitions="query", profile="objective")
    notes: list[str] = []
    run = play(Scripted(witness), benchmark=bench, max_turns=2, system_prompt=False, notify=notes.append)
    assert not run.settings.untold and notes == []
