"""A run ends early on the same prefix, whatever comes first."""

from __future__ import annotations

import asyncio
import json
import random
from contextlib import closing
from pathlib import Path

import pytest

from evolif import UsageError
from evolif.budget import Rule, StopRule, load_prices, parse_rule, quotes_of, snapshot
from evolif.instructions import Benchmark, generate
from evolif.metrics import bootstrap_intervals, records_from_sessions
from evolif.models import ChatModel, ChatRequest, Reply, open_model
from evolif.report import Terminal, print_report, report_object, summarise
from evolif.runner import EvalConfig, Run, evaluate, load_run, plan

MODELS = ["sim/steady", "sim/forgetful"]
RULE = Rule("rob", 0.08)
CAP = 12


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
    generate(root, dialogues=40, turns=CAP, seed=8, profile="objective")
    return root


def play(bench: Path, out: Path, order: int, rule: Rule | None = RULE) -> Run:
    chance = random.Random(order)
    late = [Late(open_model(name), chance) for name in MODELS]
    config = EvalConfig(models=tuple(MODELS), max_turns=CAP)
    stopping = None if rule is None else StopRule(rule, plan(Benchmark(bench), config), out)
    return evaluate(bench, late, out, max_turns=CAP, gate=stopping, observe=stopping)


def half_widths(run: Run, dialogues: int) -> list[float]:
    widths = []
    for model in run.models:
        records = records_from_sessions(s for s in run.sessions(model) if s.dialogue <= dialogues).records
        interval = bootstrap_intervals(records)["rob"]
        assert interval is not None
        widths.append((interval[1] - interval[0]) / 2)
    return widths


def test_the_prefix_is_the_first_whole_one_that_is_narrow_in_any_order_of_answers(bench: Path, tmp_path: Path) -> None:
    with closing(play(bench, tmp_path / "whole", 0, rule=None)) as whole:
        narrow = [n for n in (10, 20, 30) if max(half_widths(whole, n)) < RULE.half_width]
        assert narrow and narrow[0] > 10, "the rule is to be satisfied, but not at once"
        assert whole.early_end() is None
    figures = set()
    for order in (1, 2, 3):
        with closing(play(bench, tmp_path / f"run{order}", order)) as run:
            early = run.early_end()
            assert early is not None and early.dialogues == tuple(range(1, narrow[0] + 1))
            assert all(s.ending == "finished" or len(s.turns) == CAP for s in run.sessions() if s.dialogue <= narrow[0])
            assert run.unbegun()["stop rule"] > 0 and run.suspended() == 0
            status = snapshot(run, quotes_of(run.settings, load_prices()))
            assert status.turns_left == 0 and status.early_end == early
            assert [m.value for m in status.models] == [s.metrics.value("rob") for s in summarise(run)]
            figures.add(str([(s.metrics, s.intervals) for s in summarise(run)]))
    assert len(figures) == 1


def test_the_report_says_the_rule_and_resuming_with_it_asks_nothing(
    bench: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with closing(play(bench, tmp_path / "run", 1)) as run:
        before = [(s.dialogue, len(s.turns)) for s in run.sessions()]
        summaries = summarise(run)
        print_report(run, summaries, Terminal(width=300))
        told = json.loads(json.dumps(report_object([(run, summaries)])))
        number = len(told["runs"][0]["early_end"]["dialogues"])
    said = capsys.readouterr().out
    assert "Ended early by the stop rule rob=0.08" in said and f"first {number} dialogues" in said
    assert told["runs"][0]["early_end"]["rule"] == "rob=0.08" and told["models"][0]["dialogues"] == number
    with closing(play(bench, tmp_path / "run", 2)) as again:
        assert [(s.dialogue, len(s.turns)) for s in again.sessions()] == before


def test_without_the_rule_a_run_goes_on_to_its_end(bench: Path, tmp_path: Path) -> None:
    play(bench, tmp_path / "run", 1).close()
    play(bench, tmp_path / "run", 2, rule=None).close()
    with closing(load_run(tmp_path / "run")) as run:
        assert run.early_end() is None and not run.unbegun()
        assert {s.metrics.dialogues for s in summarise(run)} == {40}


@pytest.mark.parametrize("text", ["rob", "rob=", "rob=0", "rob=-1", "rob=nan", "rob=inf", "length=1", "=0.1"])
def test_a_rule_that_is_none_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match=r"rob=0\.03"):
        parse_rule(text)


def test_a_rule_is_read() -> None:
    assert parse_rule("edr_len=1.5") == Rule("edr_len", 1.5) and str(parse_rule("rob=0.030")) == "rob=0.03"


def test_a_length_that_the_cap_bounds_stops_no_run(bench: Path, tmp_path: Path) -> None:
    rule = Rule("edr_len", 50)
    config = EvalConfig(models=("sim/perfect",), max_turns=4)
    settings = plan(Benchmark(bench), config)
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


def test_an_exhaustion_rate_needs_scipy_to_stop_a_run(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(name: str) -> None:
        raise ImportError(name)

    monkeypatch.setattr("evolif.metrics.statistics.import_module", missing)
    with pytest.raises(UsageError, match="the interval of exhaustion_rate needs SciPy"):
        parse_rule("exhaustion_rate=0.01")
