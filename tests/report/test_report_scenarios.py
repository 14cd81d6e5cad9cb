"""Reports on a terminal of a scenario with scores, a partner, and no patience."""

from __future__ import annotations

import io
from contextlib import closing
from pathlib import Path

import pytest
from rich.console import Console
from talk_scenario import install, make_talk

from evolif.report import analyse, print_report, summarise
from evolif.report.comparable import group_comparable
from evolif.report.terminal import first_failure, print_runs


def test_it_speaks_of_what_the_run_has(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    install(monkeypatch)
    told = Console(file=io.StringIO(), width=200)
    with closing(make_talk(tmp_path / "run")) as run:
        print_runs(group_comparable(analyse([run], resamples=20))[0], told, full=True)
        print_report(run, summarise(run, resamples=20), told)
        found = first_failure(run, run.models[0])
    text = told.file.getvalue()
    assert "points" in text and "per rule group" in text and "Scenario talk, cap 2 turns" in text
    for word in ("onstraint", "atience", "ROB", "EDR", "EvolIF", "urviv", "perfect responder", "othing judged"):
        assert word not in text, word
    assert found is not None and found[1].turn == 3


def test_runs_of_two_scenarios_have_tables_of_their_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from runs_by_hand import make_run

    install(monkeypatch)
    with (
        closing(make_talk(tmp_path / "a")) as talk,
        closing(make_run(tmp_path / "b", {"sim/a": {1: "finished:0 0 0"}})) as run,
    ):
        groups = group_comparable(analyse([talk, run], resamples=20))
    assert (
        len(groups) == 2 and "the scenario is talk in the first and instructions in the second" in groups[0].why_alone
    )
