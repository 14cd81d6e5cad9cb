"""A run ends early on the same prefix, whatever comes first."""

from __future__ import annotations

import asyncio
import json
import math
import random
import shutil
import sqlite3
import statistics
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from typer.testing import CliRunner

from evolif import UsageError
from evolif.budget import load_prices, quotes_of, snapshot
from evolif.budget.stop_rule import Rule, StopRule, parse_rule
from evolif.cli import app
from evolif.config import EvalConfig
from evolif.metrics.sequence import boundary
from evolif.models import ChatModel, ChatRequest, Reply, open_model
from evolif.report import Terminal, analyse, print_report, summarise, write_page
from evolif.report.comparable import group_comparable
from evolif.report.comparison import compare_models, comparison_grid
from evolif.report.early import early_line
from evolif.report.json import comparisons_object, report_object
from evolif.report.latex import latex_report
from evolif.runner import STOP_RULE, EarlyEnd, PlannedCall, Run, RunStore, evaluate, load_run, plan
from evolif.runner.events import SessionKey
from evolif.runner.records import EndEntry
from evolif.scenarios.instructions import InstructionBenchmark, generate

MODELS = ["sim/steady", "sim/forgetful"]
RULE = Rule("rob", 0.07)
LEAD = Rule("isr_at_n", 0.08)
SEQUENCE = Rule("isr_at_n", 0.115, "sequence")
DIALOGUES = 55
CAP = 8


class Late:
    """A simulated model whose answers come in an order of chance."""

    connections = 8

    def __init__(self, model: ChatModel, chance: random.Random) -> None:
        self._model, self._chance = model, chance
        self.name = model.name
        self.calls = 0

    async def complete(self, request: ChatRequest) -> Reply:
        self.calls += 1
        for _ in range(self._chance.choice([0, 1, 5, 40])):
            await asyncio.sleep(0)
        return await self._model.complete(request)

    async def aclose(self) -> None:
        pass


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("stop") / "bench"
    generate(root, dialogues=DIALOGUES, turns=CAP, seed=8, profile="objective")
    return root


@pytest.fixture(scope="module")
def whole(bench: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run without a rule; copy it to go on from there."""
    root = tmp_path_factory.mktemp("whole") / "run"
    play(bench, root, 0, rule=None).close()
    return root


def play(bench: Path, out: Path, order: int, rule: Rule | None = RULE, **changed: int) -> Run:
    chance = random.Random(order)
    late = [Late(open_model(name), chance) for name in MODELS]
    config = EvalConfig(models=tuple(MODELS), max_turns=CAP, **changed)
    stopping = None if rule is None else StopRule(rule, plan(InstructionBenchmark(bench), config), out)
    run = evaluate(bench, late, out, max_turns=CAP, gate=stopping, observe=stopping, **changed)
    if stopping is not None:
        (run.path / "said").write_text(stopping.summary(), encoding="utf-8")
    return run


def said(run: Run) -> str:
    return (run.path / "said").read_text(encoding="utf-8")


def rates(run: Run, model: str, dialogues: int) -> list[float]:
    """ROB of each of the first dialogues, worked out from the answers."""
    found = []
    for session in sorted(run.sessions(model), key=lambda one: one.dialogue):
        good = [all(verdict.satisfied for verdict in turn.verdicts) for turn in session.turns]
        found.append(sum(good) / len(good))
    return found[:dialogues]


def lasting(run: Run, model: str, dialogues: int) -> list[float]:
    """ISR@8 of each of the first dialogues: good turns of the eight that it could have."""
    sessions = sorted(run.sessions(model), key=lambda one: one.dialogue)
    return [sum(all(v.satisfied for v in t.verdicts) for t in one.turns) / CAP for one in sessions][:dialogues]


def planned(run: Run, half_width: float, own: Callable[[Run, str, int], list[float]] = rates) -> int:
    """What the pilot asks for, written out: Student's quantile for 29 degrees of freedom, 1.29 for the variance."""
    spread = max(statistics.stdev(own(run, model, 30)) for model in run.models)
    return max(30, math.ceil(1.29 * (2.04523 * spread / half_width) ** 2))


@pytest.mark.slow
def test_the_first_thirty_fix_the_number_in_any_order_of_answers(bench: Path, whole: Path, tmp_path: Path) -> None:
    with closing(load_run(whole)) as run:
        number = planned(run, RULE.half_width)
        assert 30 < number < DIALOGUES, "the rule is to stop the run, but not right after the pilot"
        assert run.early_end() is None
    figures = set()
    for order in (1, 2, 3):
        with closing(play(bench, tmp_path / f"run{order}", order)) as run:
            early = run.early_end()
            assert early is not None and early.dialogues == tuple(range(1, number + 1)) and early.method == "pilot"
            assert all(s.ending == "finished" or len(s.turns) == CAP for s in run.sessions() if s.dialogue <= number)
            assert run.unbegun()["stop rule"] > 0 and run.suspended() == 0
            assert f"the first 30 dialogues showed that {number} of {DIALOGUES} are enough" in said(run)
            status = snapshot(run, quotes_of(run.settings, load_prices()))
            assert status.turns_left == 0 and status.early_end == early
            values = [statistics.fmean(lasting(run, model, number)) for model in run.models]
            assert [m.value for m in status.models] == pytest.approx(values)
            assert [s.metrics.value("isr_at_n") for s in summarise(run)] == pytest.approx(values)
            figures.add(str([(s.metrics, s.intervals) for s in summarise(run)]))
    assert len(figures) == 1


@pytest.mark.slow
def test_the_headline_ends_a_run(bench: Path, whole: Path, tmp_path: Path) -> None:
    with closing(load_run(whole)) as run:
        number = planned(run, LEAD.half_width, lasting)
        assert 30 < number < DIALOGUES, "the rule is to stop the run, but not right after the pilot"
    words = ["evaluate", str(bench), "-m", MODELS[0], "-m", MODELS[1], "--max-turns", str(CAP), "--out"]
    told = CliRunner().invoke(app, [*words, str(tmp_path / "run"), "--stop-when", "isr_at_n=0.08"], prog_name="evolif")
    assert told.exit_code == 0, told.output
    assert f"Stop rule isr_at_n=0.08 ended the run early: the first 30 dialogues showed that {number} of" in " ".join(
        told.output.split()
    )
    with closing(load_run(tmp_path / "run")) as run:
        early = run.early_end()
        assert early is not None and (early.rule, early.dialogues) == ("isr_at_n=0.08", tuple(range(1, number + 1)))
        for one in summarise(run):
            assert one.metrics.value("isr_at_n") == pytest.approx(statistics.fmean(lasting(run, one.model, number)))


@pytest.mark.slow
def test_no_goal_ends_a_run_before_thirty_and_a_narrow_one_never(bench: Path, tmp_path: Path) -> None:
    with closing(play(bench, tmp_path / "wide", 1, Rule("rob", 0.9))) as run:
        early = run.early_end()
        assert early is not None and early.dialogues == tuple(range(1, 31))
    with closing(play(bench, tmp_path / "narrow", 1, Rule("rob", 0.001))) as run:
        assert run.early_end() is None and {s.metrics.dialogues for s in summarise(run)} == {DIALOGUES}
        assert f"did not end the run early ({DIALOGUES} dialogues): by the first 30, about" in said(run)
    with closing(play(bench, tmp_path / "short", 1, Rule("rob", 0.9), limit=30)) as run:
        assert run.early_end() is None and "has at least 30" in said(run)


@pytest.mark.slow
def test_every_output_marks_the_figure_and_resuming_asks_nothing(
    bench: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with closing(play(bench, tmp_path / "run", 1)) as run:
        before = [(s.dialogue, len(s.turns)) for s in run.sessions()]
        summaries = summarise(run)
        print_report(run, summaries, Terminal(width=400))
        told = json.loads(json.dumps(report_object([(run, summaries)])))
        number = len(told["runs"][0]["early_end"]["dialogues"])
        analyses = analyse([run], resamples=20)
        paper = latex_report(group_comparable(analyses))
        [comparison] = compare_models([(analyses[0].models[0], analyses[0].models[1])])
        compared = json.loads(json.dumps(comparisons_object([comparison])))["comparisons"][0]
        grid = comparison_grid(comparison)
        write_page(analyses, tmp_path / "page.html")
    shown = capsys.readouterr().out
    line = f"Ended early by the stop rule rob=0.07 after the first {number} dialogues"
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert line in shown and line in grid.note and line in page and line in paper.replace("{-}", "-")
    assert "ROB % *" in shown and r"ROB \% *" in paper and "ROB % *" in page and "ROB % *" in dict(grid.rows)
    assert compared["a"]["early_end"] == compared["b"]["early_end"] == told["runs"][0]["early_end"]
    assert told["runs"][0]["early_end"] | {"dialogues": []} == {
        "rule": "rob=0.07", "dialogues": [], "batch": 30, "method": "pilot", "sessions": 2
    }  # fmt: skip
    assert told["models"][0]["dialogues"] == number
    with closing(play(bench, tmp_path / "run", 2)) as again:
        assert [(s.dialogue, len(s.turns)) for s in again.sessions()] == before


@pytest.mark.slow
def test_what_was_decided_stays_until_models_or_epochs_change(
    bench: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with closing(play(bench, tmp_path / "run", 1)) as run:
        first = run.early_end()
    with monkeypatch.context() as later:
        later.setattr("evolif.budget.stop_rule.dialogues_for", lambda *_, **__: 31)
        with closing(play(bench, tmp_path / "run", 2)) as run:
            assert run.early_end() == first is not None and len(first.dialogues) > 31
        with closing(play(bench, tmp_path / "run", 2, epochs=2)) as run:
            again = run.early_end()
            assert again is not None and again.dialogues == tuple(range(1, 32)) and again.sessions == 4


def test_a_dialogue_that_a_budget_cut_keeps_the_pilot_open(bench: Path, whole: Path, tmp_path: Path) -> None:
    settings = plan(InstructionBenchmark(bench), EvalConfig(models=tuple(MODELS), max_turns=CAP))
    beyond = PlannedCall("target", "sim/steady", ChatRequest(()), SessionKey("sim/steady", DIALOGUES, 1))
    for cut in (0, 30):
        root = tmp_path / f"cut{cut}"
        shutil.copytree(whole, root)
        with closing(RunStore.open(root)) as store:
            store.write([EndEntry(number, "censored", "budget") for number in ids(root, cut)])
        denied = StopRule(RULE, settings, root).admit(beyond)
        assert (denied is None) == (cut > 0)


def ids(root: Path, dialogue: int) -> list[int]:
    """Of its stored sessions."""
    with closing(sqlite3.connect(root / "run.sqlite")) as file:
        return [number for (number,) in file.execute("SELECT id FROM session WHERE dialogue = ?", (dialogue,))]


@pytest.mark.slow
def test_a_sequence_gives_the_interval_at_the_first_narrow_look(bench: Path, whole: Path, tmp_path: Path) -> None:
    with closing(load_run(whole)) as run:
        spreads = [[statistics.stdev(lasting(run, model, n)) for model in run.models] for n in (30, 40, 50)]
    halves = [max(own) * boundary(n) for n, own in zip((30, 40, 50), spreads, strict=True)]
    narrow = [n for n, half in zip((30, 40, 50), halves, strict=True) if half < SEQUENCE.half_width]
    assert narrow and narrow[0] > 30, "the rule is to be satisfied, but not at once"
    with closing(play(bench, tmp_path / "run", 1, SEQUENCE)) as run:
        early = run.early_end()
        assert early is not None and early.dialogues == tuple(range(1, narrow[0] + 1)) and early.batch == 10
        assert f"narrow enough after {narrow[0]} of {DIALOGUES} dialogues" in said(run)
        summaries, status = summarise(run), snapshot(run, quotes_of(run.settings, load_prices()))
        for one, live, own in zip(summaries, status.models, spreads[narrow[0] // 10 - 3], strict=True):
            value, interval = one.metrics.value("isr_at_n"), one.intervals["isr_at_n"]
            assert value is not None and interval is not None and live.interval == pytest.approx(interval)
            assert interval[0] == pytest.approx(value - own * boundary(narrow[0]))
            assert interval[1] == pytest.approx(min(1, value + own * boundary(narrow[0])))
        assert "--stop-method sequence" in analyse([run])[0].commands[1].command
    with closing(play(bench, tmp_path / "run", 2, SEQUENCE)) as again:
        assert again.early_end() == early


@pytest.mark.slow
def test_without_the_rule_a_run_goes_on_to_its_end(bench: Path, tmp_path: Path) -> None:
    play(bench, tmp_path / "run", 1).close()
    play(bench, tmp_path / "run", 2, rule=None).close()
    with closing(load_run(tmp_path / "run")) as run:
        assert run.early_end() is None and not run.unbegun()
        assert {s.metrics.dialogues for s in summarise(run)} == {DIALOGUES}


def test_an_earlier_version_s_end_is_read_and_said(whole: Path, tmp_path: Path) -> None:
    shutil.copytree(whole, tmp_path / "old")
    with closing(RunStore.open(tmp_path / "old")) as store:
        old = '{"rule": "rob=0.08", "dialogues": [1, 2, 3, 4, 5, 6, 7, 8, 9, 10], "batch": 10}'
        store.note_early_end(EarlyEnd.load(old))
        store.write([EndEntry(number, None, STOP_RULE) for number in ids(tmp_path / "old", DIALOGUES)])
    with closing(load_run(tmp_path / "old")) as run:
        assert {s.metrics.dialogues for s in summarise(run)} == {10}
        line = early_line(run)
    assert "at one of many looks" in line and "by an earlier version, hold in fewer than 95 % of runs" in line


@pytest.mark.parametrize("text", ["rob", "rob=", "rob=0", "rob=-1", "rob=nan", "rob=inf", "length=1", "=0.1"])
def test_a_rule_that_is_none_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match=r"e\.g\. isr_at_n=0\.03 for ± 3 points"):
        parse_rule(text)


def test_a_rule_is_read() -> None:
    assert parse_rule("edr_len=1.5") == Rule("edr_len", 1.5) and str(parse_rule("rob=0.030")) == "rob=0.03"
    assert parse_rule("isr_at_n=0.03") == Rule("isr_at_n", 0.03)


def test_a_length_that_the_cap_bounds_stops_no_run(bench: Path, tmp_path: Path) -> None:
    rule = Rule("edr_len", 50)
    config = EvalConfig(models=("sim/perfect",), max_turns=4)
    settings = plan(InstructionBenchmark(bench), config)
    with closing(
        evaluate(
            bench,
            ["sim/perfect"],
            tmp_path / "run",
            max_turns=4,
            gate=(stopping := StopRule(rule, settings, tmp_path / "run")),
            observe=stopping,
        )
    ) as run:
        assert run.early_end() is None and {s.cause for s in run.sessions()} == {"cap"}
    with pytest.raises(UsageError, match=r"cap of 4 for 100 % of the sessions of sim/perfect so far.*exhaustion_rate"):
        StopRule(rule, settings, tmp_path / "run")
    StopRule(Rule("rob", 0.03), settings, tmp_path / "run")
    StopRule(Rule("exhaustion_rate", 0.01), settings, tmp_path / "run")
