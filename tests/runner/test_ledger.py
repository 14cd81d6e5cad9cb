"""The call ledger: what a call can use is stored before it is made, and what nobody knows counts at its most."""

from __future__ import annotations

import json
import sqlite3
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing
from pathlib import Path

import pytest
from fast_server import Asked, FastServer, Served, fast_server
from lives import nursery
from scripted import Scripted, number, witness
from typer.testing import CliRunner

from evolif import OutsideError
from evolif.budget import Quotes, load_prices
from evolif.budget.budget import Budget
from evolif.cli.app import app
from evolif.models import ChatRequest, Reply, open_cache
from evolif.models.cache import CacheStore
from evolif.runner import Run, RunStore, load_run
from evolif.runner.bounds import upper_bound
from evolif.runner.records import Reservation
from evolif.scenarios.instructions import InstructionBenchmark, generate
from evolif.types import Spent, Usage

Play = Callable[..., Run]
QUOTES = Quotes(load_prices(), {})
USED = {"prompt_tokens": 10, "completion_tokens": 5}
MODEL = "fake/model"


class KilledError(BaseException):
    """Ends the process, as far as a run can tell."""


@pytest.fixture(autouse=True)
def _in_time() -> Iterator[None]:
    began = time.monotonic()
    yield
    assert time.monotonic() - began < 60


@pytest.fixture(scope="module")
def long_bench(tmp_path_factory: pytest.TempPathFactory) -> InstructionBenchmark:
    root = tmp_path_factory.mktemp("long") / "bench"
    return generate(root, dialogues=6, turns=6, seed=12, profile="objective")


def rows(folder: Path) -> list[tuple[object, ...]]:
    """(session, turn, role, model, calls, tokens, state, whether there is a bound) of every row of the ledger."""
    with closing(sqlite3.connect(folder / "run.sqlite")) as file:
        return file.execute(
            "SELECT session, turn, role, model, calls, prompt_tokens + completion_tokens, state, bound > 0"
            " FROM call ORDER BY id"
        ).fetchall()


def evaluated(server: FastServer, bench: InstructionBenchmark, out: Path, *flags: str) -> tuple[int, str]:
    words = ["evaluate", str(bench.path), "-m", f"openai/m?base_url={server.url}", "--out", str(out)]
    told = CliRunner().invoke(app, [*words, "--max-tokens", "50", "--max-connections", "4", *flags])
    return told.exit_code, told.output


def total(run: Run) -> int:
    """The tokens that a budget counts."""
    with closing(run):
        return sum(one.usage.tokens + one.bound for one in (*run.costs(), *run.store.under_way()))


# One budget, whatever an endpoint reports.

NONSENSE = {
    "missing": None,
    "no object": [10, 5],
    "empty": {},
    "one missing": {"prompt_tokens": 10},
    "negative": {"prompt_tokens": 10, "completion_tokens": -5},
    "no number": {"prompt_tokens": float("nan"), "completion_tokens": 5},
    "infinite": {"prompt_tokens": 10, "completion_tokens": float("inf")},
    "text": {"prompt_tokens": "10", "completion_tokens": "5"},
    "true": {"prompt_tokens": True, "completion_tokens": True},
    "nothing": {"prompt_tokens": 0, "completion_tokens": 0},
    "beyond every database": {"prompt_tokens": 10, "completion_tokens": 2**70},
    "absurd": {"prompt_tokens": 10, "completion_tokens": 10**9},
}


@pytest.mark.sampled
@pytest.mark.parametrize("kind", NONSENSE)
def test_the_same_command_spends_one_budget_whatever_is_reported(
    long_bench: InstructionBenchmark, tmp_path: Path, kind: str
) -> None:
    budget, counts = 12_000, []
    with fast_server(long_bench, lambda asked: Served(asked.turn.witness or "", usage=NONSENSE[kind])) as server:
        for _ in range(4 if kind == "missing" else 2):
            code, told = evaluated(server, long_bench, tmp_path / "run", "--budget-tokens", str(budget))
            assert code == 0 and "The budget" in told
            counts.append(len(server.asked))
    calls = counts[0]
    assert counts == [calls] * len(counts) and 4 < calls < 36
    run = load_run(tmp_path / "run")
    [spent] = run.costs()
    assert spent == Spent("target", "openai/m", Usage(), calls, unknown=calls, bound=spent.bound)
    assert budget / 2 < total(run) <= budget
    assert f"plus {calls} calls of unknown usage" in " ".join(told.split())
    words = f"{calls} calls of unknown usage (at most {spent.bound:,} tokens, price unknown)."
    report = CliRunner().invoke(app, ["report", str(tmp_path / "run")], prog_name="evolif")
    assert words in " ".join(report.output.split())
    assert all(row[5:] == (None, None, 1) for row in rows(tmp_path / "run"))


def test_a_report_that_exceeds_the_bound_a_little_is_true(long_bench: InstructionBenchmark, tmp_path: Path) -> None:
    thought = {"prompt_tokens": 300, "completion_tokens": 9_000}
    with fast_server(long_bench, lambda asked: Served("No.", usage=thought)) as server:
        evaluated(server, long_bench, tmp_path / "run", "--limit", "1")
    [spent] = load_run(tmp_path / "run").costs()
    assert (spent.unknown, spent.usage.tokens) == (0, 9_300 * spent.calls)


@pytest.mark.sampled
@pytest.mark.parametrize("told", [(-1, 5), ("7", 5), (float("nan"), 5), (5, True), (1, 2**62)])
def test_what_a_client_of_somebody_else_reports_is_checked_too(play: Play, told: tuple[int, int]) -> None:
    run = play(Scripted(lambda request: Reply(witness(request), usage=Usage(*told))), max_turns=2)
    [spent] = run.costs()
    assert (spent.calls, spent.unknown, spent.usage) == (2, 2, Usage()) and spent.bound > 0
    [(_, [first, _])] = run.transcripts(MODEL)
    assert first.usage == Usage()


def test_a_simulated_model_uses_no_tokens_and_reserves_none(play: Play, tmp_path: Path) -> None:
    run = play({}, models="sim/perfect", max_turns=3, gate=Budget(QUOTES, tokens=0))
    assert run.costs() == [Spent("target", "sim/perfect", Usage(), 3)]


def test_dollars_of_unknown_usage_are_counted_at_the_dearer_price() -> None:
    unknown = Spent("target", "openai/gpt-4.1", Usage(), 1, unknown=1, bound=1_000_000)
    price = load_prices().price("openai/gpt-4.1")
    assert price is not None and price.completion > price.prompt
    assert QUOTES.highest("target", "openai/gpt-4.1", 1_000_000) == price.completion
    assert QUOTES.highest("target", "fake/x", 1) is None
    budget = Budget(QUOTES, usd=price.completion, spent=[unknown])
    assert budget._limits[0].spent == price.completion


@pytest.mark.slow
def test_every_report_names_calls_of_unknown_usage(play: Play, tmp_path: Path) -> None:
    out, page = str(tmp_path / "run"), tmp_path / "page.html"
    usages = iter([Usage(10, 5), Usage()])
    with closing(play(Scripted(lambda request: Reply(witness(request), usage=next(usages))), max_turns=2)) as run:
        [spent] = run.costs()

    def told(*words: str) -> str:
        done = CliRunner().invoke(app, [*words])
        assert done.exit_code == 0, done.output
        return done.output

    figures = tmp_path / "figures.json"
    shown = " ".join(told("report", out, "--html", str(page), "--json", str(figures)).split())
    unknown = f"1 call of unknown usage (at most {spent.bound:,} tokens, price unknown)"
    assert f"Spent on target {MODEL}: 1 call, 10 + 5 tokens, price unknown plus {unknown}." in shown
    assert unknown in page.read_text("utf-8")
    [costs] = json.loads(figures.read_text("utf-8"))["runs"][0]["costs"]
    assert (costs["calls"], costs["unknown_calls"], costs["unknown_tokens_at_most"]) == (2, 1, spent.bound)
    assert "plus 1 call of unknown usage" in " ".join(told("status", out, "--seconds", "0").split())
    assert json.loads(told("status", out, "--seconds", "0", "--json"))["unknown_calls"] == 1


# Reserved before the call, settled with the turn.


def test_a_reservation_is_durable_before_the_call_and_gone_with_the_turn(play: Play, tmp_path: Path) -> None:
    seen: list[list[tuple[object, ...]]] = []

    def answer(request: ChatRequest) -> Reply:
        seen.append(rows(tmp_path / "run"))
        return Reply(witness(request), usage=Usage(10, 5))

    run = play(Scripted(answer), max_turns=3, gate=Budget(QUOTES, tokens=10**9))
    done = [(1, turn, "target", MODEL, 1, 15, None, None) for turn in (1, 2, 3)]
    assert seen == [[*done[:turn], (1, turn + 1, "target", MODEL, 1, None, "open", 1)] for turn in (0, 1, 2)]
    assert rows(tmp_path / "run") == done and run.store.under_way() == []


def killed_at(turn: int) -> Callable[[ChatRequest], Reply]:
    def answer(request: ChatRequest) -> Reply:
        if number(request) == turn:
            raise KilledError
        return Reply(witness(request), usage=Usage(10, 5))

    return answer


def test_a_call_under_way_at_a_kill_counts_as_its_bound(play: Play, tmp_path: Path) -> None:
    model = Scripted(killed_at(3))
    with pytest.raises(BaseExceptionGroup) as fault:
        play(model, max_turns=4, gate=Budget(QUOTES, tokens=10**9))
    assert fault.group_contains(KilledError)
    most = upper_bound(MODEL, model.asked[2]).tokens
    with closing(load_run(tmp_path / "run")) as run:
        assert run.costs() == [Spent("target", MODEL, Usage(20, 10), 2)]
        assert run.store.under_way() == [Spent("target", MODEL, Usage(), 1, unknown=1, bound=most)]
        earlier = [*run.costs(), *run.store.under_way()]
    tight = Budget(QUOTES, tokens=30 + most + 1, spent=earlier)
    run = play(Scripted(killed_at(9)), max_turns=4, gate=tight)
    assert tight.stop is not None and [s.cause for s in run.sessions()] == ["budget"]
    assert run.costs() == [Spent("target", MODEL, Usage(20, 10), 3, unknown=1, bound=most)]
    assert [row[6] for row in rows(tmp_path / "run")] == [None, None, "lost"]
    run = play(Scripted(killed_at(9)), max_turns=4, gate=Budget(QUOTES, tokens=10**9, spent=run.costs()))
    assert run.costs() == [Spent("target", MODEL, Usage(40, 20), 5, unknown=1, bound=most)]


def test_without_a_budget_nothing_is_reserved_and_every_call_is_in_the_file(play: Play, tmp_path: Path) -> None:
    with pytest.raises(BaseExceptionGroup) as fault:
        play(Scripted(killed_at(3)), max_turns=4)
    assert fault.group_contains(KilledError)
    assert rows(tmp_path / "run") == [(1, turn, "target", MODEL, 1, 15, None, None) for turn in (1, 2)]


@pytest.mark.parametrize("died", ["target", "judge"])
def test_a_panel_is_reserved_for_too(play: Play, paper_bench: Path, tmp_path: Path, died: str) -> None:
    calls = dict.fromkeys(("target", "judge"), 0)

    def counted(role: str, reply: Callable[[ChatRequest], str]) -> Callable[[ChatRequest], Reply]:
        def answer(request: ChatRequest) -> Reply:
            calls[role] += 1
            if calls[role] == 3 and role == died:
                raise KilledError
            return Reply(reply(request))  # without usage

        return answer

    scored = counted("judge", lambda request: '{"rationale": "good", "score": 9}')
    models = {MODEL: Scripted(counted("target", witness)), "fake/judge": Scripted(scored, name="fake/judge")}
    settings = {"judge": "fake/judge", "benchmark": paper_bench, "max_turns": 6}
    with pytest.raises(BaseExceptionGroup) as fault:
        play(models, gate=Budget(QUOTES, tokens=10**9), **settings)
    assert fault.group_contains(KilledError)
    with closing(RunStore.open(tmp_path / "run", read_only=True)) as store:
        [lost] = store.under_way()
        assert (lost.role, lost.calls) == (died, 1) and lost.bound > 0
        assert sum(one.calls for one in (*store.costs(), lost)) == sum(calls.values())
    run = play(models, gate=Budget(QUOTES, tokens=10**9), **settings)
    assert {one.role: (one.calls, one.unknown) for one in run.costs()} == {r: (n, n) for r, n in calls.items()}


@pytest.mark.slow
def test_a_refused_call_costs_nothing_and_an_unanswered_one_may(
    long_bench: InstructionBenchmark, tmp_path: Path
) -> None:
    kinds = iter(["429", "garbage", "reset", "ok"])

    def brain(asked: Asked) -> Served:
        kind = next(kinds, "ok")
        if kind == "429":
            return Served(status=429)
        return Served(asked.turn.witness or "", fault="" if kind == "ok" else kind, usage=USED)

    with fast_server(long_bench, brain) as server:
        flags = ("--limit", "1", "--max-turns", "2", "--budget-tokens", "1000000")
        assert evaluated(server, long_bench, tmp_path / "run", *flags)[0] == 0
        assert len(server.asked) == 5
    [spent] = load_run(tmp_path / "run").costs()
    assert (spent.calls, spent.unknown, spent.usage) == (4, 2, Usage(20, 10))
    assert all(row[6] is None for row in rows(tmp_path / "run"))


def test_a_call_that_cannot_be_reserved_is_not_made(
    play: Play, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write = RunStore.write

    def full(store: RunStore, entries: Iterable[object]) -> None:
        told = list(entries)
        if any(isinstance(entry, Reservation) for entry in told):
            raise OutsideError("the disk is full")
        write(store, told)

    model, budget = Scripted(witness), Budget(QUOTES, tokens=10**9)
    with monkeypatch.context() as patch, pytest.raises(OutsideError, match="the disk is full"):
        patch.setattr(RunStore, "write", full)
        play(model, gate=budget)
    assert model.asked == [] and rows(tmp_path / "run") == []
    assert budget._limits[0].spent == budget._limits[0].reserved == 0


# The cache.


@pytest.mark.sampled
@pytest.mark.parametrize("stored", [True, False])
def test_an_answer_from_the_cache_was_booked_when_it_was_paid(
    play: Play, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, stored: bool
) -> None:
    put = CacheStore.put

    def dying(*arguments: object) -> None:
        if stored:
            put(*arguments)
        raise KilledError

    model = Scripted(lambda request: Reply(witness(request), usage=Usage(10, 5)))
    with monkeypatch.context() as patch, pytest.raises(BaseExceptionGroup) as fault:
        patch.setattr(CacheStore, "put", dying)
        play(model, max_turns=2, cache=open_cache(tmp_path / "cache"))
    assert fault.group_contains(KilledError)
    run = play(model, max_turns=2, cache=open_cache(tmp_path / "cache"))
    assert len(model.asked) == (2 if stored else 3)
    assert run.costs() == [Spent("target", MODEL, Usage(10 * len(model.asked), 5 * len(model.asked)), len(model.asked))]
    [again] = [play(model, out="other", max_turns=2, cache=open_cache(tmp_path / "cache")).costs()]
    assert again == []


# Killed, with calls in flight.


@pytest.mark.slow
def test_kills_hide_no_call_from_a_budget(long_bench: InstructionBenchmark, tmp_path: Path) -> None:
    """Commands under one budget, each of which is killed with calls in flight."""
    folder, budget, connections, kills = tmp_path / "run", 20_000, 4, 4
    stalled = 0

    def brain(asked: Asked) -> Served:
        return Served(asked.turn.witness or "", delay=3600.0 if len(server.asked) > stalled else 0.002, usage=None)

    settings = {"max_turns": 6, "max_tokens": 50, "max_connections": connections, "budget_tokens": budget}
    with fast_server(long_bench, brain) as server, nursery() as forks:
        for _ in range(kills):
            before = len(server.asked)
            stalled = before + 3
            forks.begin(str(long_bench.path), f"openai/m?base_url={server.url}", str(folder), **settings)
            if server.wait_for(before + 3 + connections, 3):
                forks.kill()
            forks.end()
        stalled = 10**9
        forks.begin(str(long_bench.path), f"openai/m?base_url={server.url}", str(folder), **settings)
        assert forks.end() == 0
        calls = len(server.asked)
    run = load_run(folder)
    [spent] = run.costs()
    assert calls <= spent.calls == spent.unknown <= calls + kills * connections
    assert calls > 8 and total(run) <= budget
    assert {row[6] for row in rows(folder)} == {None, "lost"}
