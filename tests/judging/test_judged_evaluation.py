"""A whole evaluation with judges behind a server, through the real SDK."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest
from asked import grade
from models.server import Server, error, ok, serving
from typer.testing import CliRunner

from evolif.cli import app
from evolif.judging import CACHE_FILE
from evolif.runner import Run, TurnRecord, evaluate
from evolif.scenarios.instructions import generate
from evolif.scenarios.instructions.constraints import get_group

CAP = 8


@pytest.fixture(autouse=True)
def environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JUDGE_KEY", "kk-judge-not-real")


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("judged") / "bench"
    generate(root, dialogues=3, turns=CAP, seed=5, profile="paper")
    return root


def judge(server: Server, name: str = "judge") -> str:
    return f"openai/{name}?base_url={server.url}&key_env=JUDGE_KEY"


def turns_of(run: Run) -> list[TurnRecord]:
    return [turn for model in run.models for _, turns in run.transcripts(model) for turn in turns]


@pytest.mark.slow
def test_a_panel_decides_turns_and_everything_of_it_is_kept(bench: Path, tmp_path: Path) -> None:
    with serving(ok(grade(4))) as low, serving(ok(grade(10))) as high:
        panel = [judge(low, "a"), judge(high, "b"), judge(high, "c")]
        run = evaluate(bench, ["sim/perfect"], tmp_path / "run", judge=panel, judge_rule="majority", max_turns=CAP)
    records = [record for turn in turns_of(run) for record in turn.records]
    subjective = [v for turn in turns_of(run) for v in turn.verdicts if get_group(v.group).subjective]
    assert len(records) == len(subjective) > 0 and all(v.satisfied for v in subjective)
    assert all(v.found.startswith("2 of 3 accept (4, 10, 10 of 10): ") for v in subjective)
    assert {tuple(s.judge for s in r.scores) for r in records} == {("openai/a", "openai/b", "openai/c")}
    costs = Counter({(cost.role, cost.model): cost.calls for cost in run.costs()})
    assert costs["judge", "openai/a"] == len(low.seen) > 0
    assert costs["judge", "openai/b"] + costs["judge", "openai/c"] == len(high.seen)
    assert run.settings.judge.startswith("majority of openai/a, openai/b, openai/c (rubric ")
    run.close()


@pytest.mark.slow
def test_judges_that_are_down_cost_no_answer_and_no_patience(bench: Path, tmp_path: Path) -> None:
    root = tmp_path / "run"
    options = {"max_turns": CAP, "max_retries": 0}
    with serving(error(503, "overloaded")) as server:
        name, address = judge(server), server.url
        broken = evaluate(bench, ["sim/perfect"], root, judge=name, **options)
    assert broken.suspended() > 0 and {fault[3] for fault in broken.faults()} == {"judge"}
    kept = [turn for turn in turns_of(broken) if not turn.is_judged]
    assert len(kept) == broken.suspended() and all(turn.answer for turn in kept)
    broken.close()
    with serving(ok(grade(9))) as server:
        settings = name.replace(address, server.url)
        move(root, address, server.url)
        whole = evaluate(bench, ["sim/perfect"], root, judge=settings, **options)
        plain = evaluate(bench, ["sim/perfect"], tmp_path / "plain", judge=settings, **options)
    assert whole.suspended() == 0 and len(turns_of(whole)) == 3 * CAP
    assert [(t.answer, t.verdicts) for t in turns_of(whole)] == [(t.answer, t.verdicts) for t in turns_of(plain)]
    [asked] = [cost.calls for cost in whole.costs() if cost.role == "target"]
    assert asked == 3 * CAP  # no answer was asked for twice
    whole.close()
    plain.close()


def move(root: Path, old: str, new: str) -> None:
    """The judge's server comes back at another port; its address is a setting."""
    import sqlite3

    connection = sqlite3.connect(root / "run.sqlite")
    with connection:
        connection.execute("UPDATE run SET value = replace(value, ?, ?) WHERE key = 'settings'", (old, new))
    connection.close()


@pytest.mark.slow
def test_verdicts_that_cannot_be_had_are_counted_and_never_scores(bench: Path, tmp_path: Path) -> None:
    with serving(ok("I would rather not say.")) as server:
        arguments = ["evaluate", str(bench), "-m", "sim/perfect", "--judge", judge(server), "-o", str(tmp_path / "run")]
        done = CliRunner().invoke(app, [*arguments, "--max-turns", str(CAP)], env={"COLUMNS": "200"})
        assert done.exit_code == 0, done.output
        assert len(server.seen) % 3 == 0 and len(server.seen) > 0
    shown = CliRunner().invoke(app, ["report", str(tmp_path / "run"), "--json", "-"])
    [model] = json.loads(shown.stdout)["models"]
    assert model["not_judged_constraints"] == len(server.seen) // 3
    assert model["isr"]["value"] == 1 and not {"emotion", "audience", "style"} & {
        group for group, seen in model["groups"].items() if seen["judged"]
    }


@pytest.mark.slow
def test_the_runs_own_file_of_scores_spares_the_second_judging(bench: Path, tmp_path: Path) -> None:
    with serving(ok(grade(9))) as server:
        for out in ("one", "two"):
            evaluate(bench, ["sim/perfect"], tmp_path / out, judge=judge(server), max_turns=CAP).close()
            if out == "one":
                first = len(server.seen)
                (tmp_path / "two").mkdir()
        assert (tmp_path / "one" / CACHE_FILE).is_file() and len(server.seen) == 2 * first  # runs share nothing
        evaluate(bench, ["sim/perfect"], tmp_path / "one", judge=judge(server), max_turns=CAP, epochs=2).close()
        assert len(server.seen) == 2 * first  # the same answers in the second epoch
