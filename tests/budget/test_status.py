"""What is told of a run while it goes on."""

from __future__ import annotations

import json
import shutil
import time
from contextlib import closing
from io import StringIO
from pathlib import Path

import pytest
from rich.console import Console
from rich.live import Live
from typer.testing import CliRunner

from evolif import UsageError
from evolif.budget import RunStatus, load_prices, quotes_of, snapshot
from evolif.cli import app
from evolif.cli.progress import LiveWatcher
from evolif.report.terminal import status_lines
from evolif.runner import Event, evaluate, load_run
from evolif.runner.events import TurnStored
from evolif.scenarios.instructions import generate


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("status") / "bench"
    generate(root, dialogues=4, turns=6, seed=8, profile="objective")
    return root


def look(folder: Path) -> RunStatus:
    with closing(load_run(folder, read_only=True)) as run:
        return snapshot(run, quotes_of(run.settings, load_prices()))


def test_a_run_is_seen_while_it_is_written_and_nothing_is_written_by_looking(bench: Path, tmp_path: Path) -> None:
    seen: list[RunStatus] = []
    turns = 0

    def watch(event: Event) -> None:
        nonlocal turns
        if isinstance(event, TurnStored):
            turns += 1
            if turns == 5:
                seen.append(look(tmp_path / "run"))

    run = evaluate(bench, "sim/steady", tmp_path / "run", max_turns=6, max_connections=1, observe=watch)
    run.close()
    [status] = seen
    assert status.turns == 5 and 0 < status.turns_left <= 19 and status.models[0].begun == 1
    files = {p.name: p.read_bytes() for p in (tmp_path / "run").iterdir()}
    end = look(tmp_path / "run")
    assert {p.name: p.read_bytes() for p in (tmp_path / "run").iterdir() if p.name in files} == files
    [one] = end.models
    assert (one.ended, one.sessions, end.turns_left, one.usd) == (4, 4, 0, 0) and one.value is not None
    assert one.survivors[0] == (1, 4) and one.turns == turns


def test_status_says_it_in_lines_and_in_json(bench: Path, tmp_path: Path) -> None:
    evaluate(bench, "sim/perfect", tmp_path / "run", max_turns=3).close()
    told = CliRunner().invoke(app, ["status", str(tmp_path / "run")], prog_name="evolif")
    assert told.exit_code == 0, told.output
    assert (
        "sim/perfect: 4 of 4 sessions ended; alive at turn 1:4 2:4 3:4; requests satisfied before patience ran out "
        "(ISR@3) so far 100; 12 turns" in told.stdout
    )
    assert "no interval over fewer than six dialogues" in told.stdout.splitlines()[-1]
    data = json.loads(CliRunner().invoke(app, ["status", str(tmp_path / "run"), "--json"]).stdout)
    assert data["models"][0]["isr_at_n"] == 1.0 and data["models"][0]["interval"] is None
    assert "value" not in data["models"][0] and data["models"][0]["turns"] == 12 and data["turns_per_second"] is None
    assert "0.5 turns/s, about 0 s left" in list(status_lines(look(tmp_path / "run"), 0.5))[-1]


def test_the_headline_counts_the_turns_that_were_never_reached(bench: Path, tmp_path: Path) -> None:
    evaluate(bench, ["sim/steady?skill=.6", "sim/steady"], tmp_path / "run", max_turns=6, patience=2).close()
    with closing(load_run(tmp_path / "run", read_only=True)) as run:
        own = {model: [[all(turn.judged) for turn in s.turns] for s in run.sessions(model)] for model in run.models}
    assert any(len(session) < 6 for session in own["sim/steady?skill=.6"]), "patience is to run out"
    found = look(tmp_path / "run")
    assert (found.headline.name, found.headline.label) == ("isr_at_n", "ISR@6")
    assert {one.model: one.value for one in found.models} == pytest.approx(
        {model: sum(map(sum, sessions)) / (6 * len(sessions)) for model, sessions in own.items()}
    )
    told = CliRunner().invoke(app, ["status", str(tmp_path / "run"), "--seconds", "0"])
    assert "ISR@6" in told.stdout and "ROB" not in told.stdout


def test_no_run_is_said_to_be_none(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="is not a run"):
        load_run(tmp_path, read_only=True)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
def test_the_live_table_shows_the_run(bench: Path, tmp_path: Path) -> None:
    evaluate(bench, "sim/perfect", tmp_path / "run", max_turns=3).close()
    out = StringIO()
    console = Console(file=out, force_terminal=True, width=200)
    with Live(console=console, auto_refresh=False) as live, LiveWatcher(live, tmp_path / "run", load_prices()):
        for _ in range(200):
            if "sim/perfect" in out.getvalue():
                break
            time.sleep(0.05)
    assert "4 of 4" in out.getvalue() and "1:4 2:4 3:4" in out.getvalue()


def test_the_live_table_waits_for_a_run_that_is_not_there_yet(tmp_path: Path) -> None:
    out = StringIO()
    with Live(console=Console(file=out), auto_refresh=False) as live:
        watcher = LiveWatcher(live, tmp_path / "never", load_prices())
        watcher._look()
    shutil.rmtree(tmp_path / "never", ignore_errors=True)
    assert "sim" not in out.getvalue()
