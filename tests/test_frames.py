"""Data frames of a run: the figures of its report, to the digit."""

from __future__ import annotations

import json
import math
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from talk_scenario import install, make_talk
from typer.testing import CliRunner

import evolif
from evolif.cli import app
from evolif.errors import UsageError
from evolif.exchange import export
from evolif.runner import Run

pandas = pytest.importorskip("pandas", reason="pandas is not installed (evolif[frames])")


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Run]:
    root = tmp_path_factory.mktemp("frames")
    bench = evolif.generate(root / "b", dialogues=8, turns=8, seed=8, profile="objective")
    played = evolif.evaluate(bench, ["sim/steady", "sim/forgetful"], root / "r", max_turns=8)
    yield played
    played.close()


def report(run: Run, *more: str) -> list[dict[str, Any]]:
    done = CliRunner().invoke(app, ["report", str(run.path), "--json", "-", *more])
    assert done.exit_code == 0, done.output
    models: list[dict[str, Any]] = json.loads(done.stdout)["models"]
    return models


@pytest.mark.slow
def test_metrics_are_those_of_the_report_to_the_digit(run: Run) -> None:
    frame = evolif.metrics_frame(run, seed=3, resamples=200)
    told = report(run, "--seed", "3", "--resamples", "200")
    assert list(frame.model.unique()) == [model["model"] for model in told]
    by_model = {model["model"]: model for model in told}
    for row in frame.itertuples():
        figures = by_model[row.model][row.metric]
        for end in ("value", "low", "high"):
            found = getattr(row, end)
            assert figures[end] == (None if math.isnan(found) else found)
    assert next(iter(frame.metric)) == "isr_at_n" and list(frame[frame.metric == "isr_at_n"].label) == ["ISR@8"] * 2
    assert {"isr_at_n", "edr_len", "isr", "csr", "rec", "rob", "exhaustion_rate"} <= set(frame.metric)
    lengths = frame[frame.metric == "edr_len"]
    assert list(lengths.label) == ["EDR len"] * 2 and list(lengths.unit) == ["turns"] * 2
    assert list(lengths.sessions) == [8, 8]
    rec = {row.model: row.sessions for row in frame[frame.metric == "rec"].itertuples()}
    assert rec == {model["model"]: 8 - model["rec_left_out"] for model in told}


def test_the_sums_of_sessions_give_the_figures(run: Run) -> None:
    sessions, figures = evolif.sessions_frame(run, terms=True), evolif.metrics_frame(run, resamples=50)
    for row in figures.itertuples():
        own = sessions[(sessions.model == row.model) & sessions.counted]
        of = math.fsum(own[f"{row.metric}_of"])
        assert row.value == math.fsum(own[f"{row.metric}_sum"]) / of
    assert "isr_sum" not in evolif.sessions_frame(run).columns
    told = [(s.model, s.dialogue, s.epoch, s.ending, s.cause) for s in run.sessions()]
    assert list(sessions[["model", "dialogue", "epoch", "ending", "cause"]].itertuples(index=False, name=None)) == told
    assert (sessions.edr_len == sessions.judged_turns).all() and (sessions.ok_turns <= sessions.judged_turns).all()


def test_isr_at_n_is_the_good_turns_of_all_that_sessions_could_have(run: Run) -> None:
    turns, figures = (
        evolif.turns_frame(run),
        evolif.metrics_frame(run, resamples=50).set_index(["model", "metric"]).value,
    )
    sessions = evolif.sessions_frame(run, terms=True)
    assert (sessions.isr_at_n_of == 8).all() and (sessions.isr_at_n_sum == sessions.ok_turns).all()
    for model, own in turns[turns.counted].groupby("model"):
        assert figures[model, "isr_at_n"] == own.ok.sum() / (8 * 8)


def test_the_sums_give_the_figure_where_a_budget_cut_sessions(run: Run, tmp_path: Path) -> None:
    broken = cut_by_a_budget(run, tmp_path / "r", sessions=(2, 3, 5))
    sessions, figures = evolif.sessions_frame(broken, terms=True), evolif.metrics_frame(broken, resamples=50)
    value = figures.set_index(["model", "metric"]).value["sim/steady", "isr_at_n"]
    own = sessions[(sessions.model == "sim/steady") & sessions.counted]
    assert value == own.isr_at_n_sum.sum() / own.isr_at_n_of.sum()
    # A good turn beyond the cut stands for those of the three, too, which nobody saw.
    kept = [[all(turn.judged) for turn in session.turns] for session in broken.sessions("sim/steady")]
    assert sorted(map(len, kept))[:3] == [3, 3, 3] and value > sum(map(sum, kept)) / 64
    seen = [
        sum(one[turn] for one in kept if len(one) > turn) / sum(len(one) > turn for one in kept) for turn in range(8)
    ]
    assert all(len(one) in (3, 8) for one in kept), "patience ran out nowhere, so every turn is reached"
    assert value == pytest.approx(sum(seen) / 8)
    assert report(broken)[0]["isr_at_n"]["value"] == value
    broken.close()


def cut_by_a_budget(run: Run, folder: Path, sessions: tuple[int, ...]) -> Run:
    """A copy of a run in which some sessions were cut after three turns."""
    from evolif.runner import RunStore, load_run
    from evolif.runner.records import EndEntry

    folder.mkdir()
    (folder / "run.sqlite").write_bytes((run.path / "run.sqlite").read_bytes())
    with closing(sqlite3.connect(folder / "run.sqlite")) as file, file:
        file.executemany("DELETE FROM turn WHERE session = ? AND turn > 3", [(number,) for number in sessions])
    with closing(RunStore.open(folder)) as store:
        store.write([EndEntry(number, "censored", "budget") for number in sessions])
    return load_run(folder, read_only=True)


def test_turns_that_count_give_isr_and_csr(run: Run) -> None:
    turns = evolif.turns_frame(run)
    turns = turns[turns.counted & (turns.judged > 0)]
    figures = evolif.metrics_frame(run, resamples=50).set_index(["model", "metric"]).value
    for model, own in turns.groupby("model"):
        assert own.ok.sum() / len(own) == figures[model, "isr"]
        shares = own.satisfied / own.judged
        assert math.fsum(shares) / len(own) == pytest.approx(figures[model, "csr"], abs=1e-12)


def test_turns_have_the_columns_of_an_export_with_all_answers(run: Run, tmp_path: Path) -> None:
    rows = [json.loads(line) for line in export(run.path, tmp_path / "r.jsonl").path.read_text("utf-8").splitlines()]
    turns = evolif.turns_frame(run)
    assert set(rows[0]) - set(turns.columns) == {"canary", "withheld", "evolif"}
    assert set(turns.columns) - set(rows[0]) == {"counted"} and len(turns) == len(rows)
    for row, turn in zip(rows, turns.itertuples(), strict=True):
        assert (row["model"], row["dialogue"], row["turn"]) == (turn.model, turn.dialogue, turn.turn)
        assert row["verdicts"] == json.loads(json.dumps(turn.verdicts)) and turn.answer
        assert row["ok"] == (None if turn.ok is pandas.NA else turn.ok)
    assert not turns.answer.isna().any()


def test_another_scenario_brings_its_own_columns_and_figures(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    install(monkeypatch)
    run = make_talk(tmp_path / "r", dialogues=2)
    turns, sessions, figures = (
        evolif.turns_frame(run),
        evolif.sessions_frame(run),
        evolif.metrics_frame(run, resamples=50),
    )
    assert list(turns.columns[:4]) == ["model", "dialogue", "epoch", "ending"] and len(turns) == 6
    assert turns.patience.isna().all() and list(turns.seat) == ["target", "partner", "target"] * 2
    assert list(sessions.turns) == [2, 2]
    told = {(m["model"], name): m[name]["value"] for m in report(run) for name in figures.metric}
    assert told == {(row.model, row.metric): row.value for row in figures.itertuples()}
    run.close()


def test_a_session_that_was_cut_short_is_shown_and_does_not_count(run: Run, tmp_path: Path) -> None:
    from evolif.runner import RunStore, load_run
    from evolif.runner.records import EndEntry

    (tmp_path / "r").mkdir()
    (tmp_path / "r" / "run.sqlite").write_bytes((run.path / "run.sqlite").read_bytes())
    store = RunStore.open(tmp_path / "r")
    store.write([EndEntry(1, "suspended", "timeout", "it took too long")])
    store.close()
    broken = load_run(tmp_path / "r", read_only=True)
    sessions, turns = evolif.sessions_frame(broken), evolif.turns_frame(broken)
    [row] = sessions[~sessions.counted].itertuples()
    assert (row.ending, row.cause) == ("suspended", "timeout") and math.isnan(row.edr_len)
    assert set(turns[~turns.counted].dialogue) == {row.dialogue} and set(turns[~turns.counted].model) == {row.model}
    figures = evolif.metrics_frame(broken, resamples=50).set_index(["model", "metric"])
    assert figures.loc[(row.model, "edr_len"), "sessions"] == 7
    broken.close()


def test_without_pandas_a_sentence_names_the_extra(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pandas", None)
    for frame in (evolif.turns_frame, evolif.sessions_frame, evolif.metrics_frame):
        with pytest.raises(UsageError, match=r"data frames need pandas; install evolif\[frames\]"):
            frame(run)


@pytest.mark.slow
def test_importing_evolif_imports_no_pandas() -> None:
    code = "import evolif, evolif.runner, evolif.report, evolif.exchange, evolif.frames, evolif.cli, sys"
    code += "; print({'pandas', 'pyarrow', 'inspect_ai', 'numpy'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"


def test_the_methods_of_before_warn_and_give_the_same(run: Run) -> None:
    for name in ("turns_frame", "sessions_frame", "metrics_frame"):
        with pytest.warns(DeprecationWarning, match=rf"is now evolif\.{name}\(run\)"):
            old = getattr(run, name)()
        pandas.testing.assert_frame_equal(old, getattr(evolif, name)(run))
