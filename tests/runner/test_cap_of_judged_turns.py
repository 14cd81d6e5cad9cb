"""What a run without a judge leaves unjudged: it is said beforehand, and does not use up the cap."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from scripted import Scripted, witness
from typer.testing import CliRunner

from evolif import UsageError
from evolif.cli import app
from evolif.config import EvalConfig
from evolif.metrics.sessions import bounds
from evolif.models import Reply
from evolif.report import ModelAnalysis, RunAnalysis
from evolif.report.comparable import group_comparable
from evolif.report.comparison import compare_models
from evolif.report.json import analysis_object
from evolif.runner import Run, RunSettings, evaluate, plan
from evolif.runner.rejudge import rejudge
from evolif.runner.store import RunStore
from evolif.scenario import Benchmark, get_scenario
from evolif.scenarios.instructions import generate
from evolif.types import JudgedTurn, Session, Verdict

CAP = 6


def judged(session: Session) -> int:
    return sum(bool(turn.judged) for turn in session.turns)


def settings_of(bench: Path, **given: Any) -> RunSettings:
    opened: Benchmark = get_scenario("instructions").open(bench)
    return plan(opened, EvalConfig(models=("sim/perfect",), max_turns=CAP, **given))


def model_of(run: Run) -> ModelAnalysis:
    return RunAnalysis(run, resamples=50).models[0]


@pytest.fixture
def perfect(paper_bench: Path, tmp_path: Path) -> Callable[..., Run]:
    def run(out: str = "run", **given: Any) -> Run:
        return evaluate(paper_bench, "sim/perfect", tmp_path / out, **{"max_turns": CAP, **given})

    return run


@pytest.fixture
def old(paper_bench: Path, tmp_path: Path) -> Path:
    """A run that was begun when the cap counted every turn."""
    RunStore.create(tmp_path / "old", settings_of(paper_bench).model_copy(update={"cap_counts": "turns"})).close()
    return tmp_path / "old"


def generous() -> Scripted:
    """A judge that accepts everything."""
    return Scripted(lambda request: Reply('{"rationale": "Fine.", "score": 9}'), name="fake/judge")


def test_a_perfect_responder_reaches_the_cap_and_the_ceiling(perfect: Callable[..., Run]) -> None:
    run = perfect()
    sessions = run.sessions()
    assert {judged(session) for session in sessions} == {CAP}
    assert {(session.ending, session.cause) for session in sessions} == {("censored", "cap")}
    assert max(len(session.turns) for session in sessions) > CAP, "the benchmark has no turn that needs a judge"
    analysis = RunAnalysis(run, resamples=50)
    assert analysis.ceiling is not None
    for name in ("edr_len", "edr_acc", "edr_succ", "edr_lss", "rob", "csr", "isr", "exhaustion_rate"):
        assert analysis.models[0].summary.metrics.value(name) == analysis.ceiling.metrics.value(name), name


def test_the_rule_is_kept_only_where_it_makes_a_difference(bench: Path, paper_bench: Path) -> None:
    for found in (settings_of(bench), settings_of(paper_bench, judges=("openai/judge",))):
        assert found.cap_counts == "turns" and "cap_counts" not in found.model_dump()
    found = settings_of(paper_bench)
    assert found.model_dump()["cap_counts"] == "judged"
    assert found.hash() != found.model_copy(update={"cap_counts": "turns"}).hash()
    assert settings_of(paper_bench, judges=("lexical",)).cap_counts == "judged"


def test_a_session_ends_where_nothing_is_ever_judged(tmp_path: Path) -> None:
    profile = Path("seeds/profiles/paper.yaml").read_text("utf-8")
    groups = next(line for line in profile.splitlines() if line.startswith("groups:"))
    (tmp_path / "own.yaml").write_text(
        profile.replace(groups, "groups: [emotion, audience, style]").replace("name: paper", "name: own"), "utf-8"
    )
    generate(tmp_path / "b", dialogues=2, turns=2, seed=1, profile=str(tmp_path / "own.yaml"))
    told: list[str] = []
    run = evaluate(tmp_path / "b", "sim/perfect", tmp_path / "run", max_turns=2, notify=told.append)
    assert {(len(s.turns), s.ending, s.cause) for s in run.sessions()} == {(14, "censored", "cap")}
    assert {s.reason for s in run.sessions()} == {"14 turns, in 14 of which nothing was judged"}
    assert "about 100 % of the constraints, and all there is in about 100 % of the turns" in told[0]
    assert "EDR len can reach 0 judged turns" in told[0]
    [model] = analysis_object(group_comparable([RunAnalysis(run, resamples=50)]))["models"]
    shown = " ".join(CliRunner().invoke(app, ["report", str(tmp_path / "run")]).stdout.split())
    assert "No turn was judged, so lengths of 0 say nothing about the model: sim/perfect." in shown
    assert "rules check nothing over 28 asked turns, so there is no ceiling." in shown
    assert "read the exhaustion rate" not in shown and "ceiling 100 %" not in shown
    assert (model["edr_len"]["value"], model["rob"]["value"], model["isr"]["value"]) == (0, None, None)


def test_a_run_begun_before_keeps_its_rule(old: Path, perfect: Callable[..., Run]) -> None:
    told: list[str] = []
    run = perfect("old", notify=told.append)
    assert run.settings.cap_counts == "turns"
    assert {len(session.turns) for session in run.sessions()} == {CAP}
    assert min(map(judged, run.sessions())) < CAP
    assert any("was started when such turns used up the cap of 6" in line for line in told)
    run.close()
    grown = perfect("old", epochs=2)
    assert {len(session.turns) for session in grown.sessions()} == {CAP}


def test_a_fork_of_such_a_run_counts_judged_turns(old: Path, perfect: Callable[..., Run], tmp_path: Path) -> None:
    perfect("old").close()
    run = perfect("old", fork_into=tmp_path / "new")
    assert run.settings.cap_counts == "judged"
    assert {judged(session) for session in run.sessions()} == {CAP}


def test_a_fork_under_a_smaller_cap_ends_at_its_judged_turns(perfect: Callable[..., Run], tmp_path: Path) -> None:
    perfect().close()
    run = perfect("run", fork_into=tmp_path / "less", max_turns=3)
    assert {(judged(session), session.cause) for session in run.sessions()} == {(3, "cap")}


def test_a_panel_that_judges_again_ends_sessions_at_the_cap(perfect: Callable[..., Run], tmp_path: Path) -> None:
    first = perfect()
    again = rejudge(first.path, generous(), tmp_path / "again")
    assert again.settings.cap_counts == "turns"
    assert {(len(s.turns), judged(s), s.cause) for s in again.sessions()} == {(CAP, CAP, "cap")}


def test_runs_of_two_rules_are_not_compared(
    old: Path, perfect: Callable[..., Run], tmp_path: Path, paper_bench: Path
) -> None:
    before, now = perfect("old"), perfect()
    with pytest.raises(UsageError, match="the unit of the cap is turns in the first and judged turns in the second"):
        compare_models([(model_of(before), model_of(now))])
    panel = evaluate(paper_bench, "sim/perfect", tmp_path / "panel", judge=generous(), max_turns=CAP)
    [found] = compare_models([(model_of(now), model_of(panel))], ablation="judge")
    assert found.kind == "judge"


@pytest.mark.parametrize(("counts", "longest"), [("turns", 3), ("judged", 4)])
def test_bounds_of_an_interrupted_session_have_the_room_that_the_cap_leaves(counts: Any, longest: int) -> None:
    turns = tuple(JudgedTurn(n, (Verdict("style", v, "", ""),)) for n, v in enumerate((True, None), 1))
    found = bounds([Session("m", 1, 1, 3, "suspended", turns=turns)], max_turns=4, counts=counts)
    assert found.succeeded.edr_len == longest


def test_the_gap_is_told_before_the_first_call(paper_bench: Path, bench: Path, tmp_path: Path) -> None:
    order: list[str] = []
    model = Scripted(lambda request: order.append("call") or witness(request))
    evaluate(paper_bench, model, tmp_path / "run", max_turns=2, notify=order.append).close()
    assert order[1] == "call" and order[0].startswith(
        "No judge is named, so emotion, audience and style will not be judged: about "
    )
    assert order[0].endswith("EDR len can reach 2 judged turns. To judge everything, name a model with --judge.")
    for folder, out, given in ((bench, "objective", {}), (paper_bench, "panel", {"judge": generous()})):
        told: list[str] = []
        evaluate(folder, "sim/perfect", tmp_path / out, max_turns=2, notify=told.append, **given).close()
        assert told == []


def test_a_dry_run_tells_it_too_beside_its_figures(paper_bench: Path, tmp_path: Path) -> None:
    result = CliRunner().invoke(
        app, ["evaluate", str(paper_bench), "-m", "sim/perfect", "--judge", "lexical", "--max-turns", "6", "--dry-run"]
    )
    assert result.exit_code == 0, result.output
    assert "The judge lexical affects no figure, so" in result.stderr and "affects no figure" not in result.stdout
    assert "4 sessions, at most 88 calls (cap 6 judged turns)" in result.stdout
