"""`--context tree` and `summary:K` in runs: killed and resumed, suspended by their model, paid for, read again."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from scripted import Scripted, witness
from typer.testing import CliRunner

from evolif import ModelError, evaluate, load_benchmark, load_run
from evolif.cli import app
from evolif.contexts import context_tokens, open_strategy, tokenizer_name
from evolif.models import ChatRequest, Reply
from evolif.runner import Run
from evolif.scenarios.instructions import generate
from evolif.scenarios.instructions.system import system_text
from evolif.types import Exchange, Usage

pytestmark = pytest.mark.skipif(tokenizer_name() is None, reason="needs the extra `contexts`")
MODEL, TURNS = "sim/steady", 10
BY_MODEL = "tree?decider=model&summariser=model"
KILLED = """
import os, signal, sys
from evolif import evaluate
from evolif.contexts.tree import Tree

built, calls = Tree.build, []

async def build(*arguments):
    calls.append(1)
    if len(calls) > 13:
        os.kill(os.getpid(), signal.SIGKILL)
    return await built(*arguments)

Tree.build = build
bench, out = sys.argv[1:]
evaluate(bench, "sim/steady", out, context="tree", patience=20, max_turns=10)
"""


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("tree") / "bench"
    generate(root, dialogues=2, turns=TURNS, seed=5, profile="objective")
    return root


def play(bench: Path, out: Path, context: str, **more: Any) -> Run:
    return evaluate(bench, more.pop("model", MODEL), out, context=context, patience=20, max_turns=TURNS, **more)


def turns(run: Run) -> dict[tuple[int, int], tuple[Any, ...]]:
    """What is stored of each turn."""
    [model] = run.models
    found = {
        (session.dialogue, r.turn): (r.prompt.query, r.answer, dict(r.notes), r.context_tokens, r.built)
        for session, records in run.transcripts(model)
        for r in records
    }
    run.close()
    return found


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="signals of this kind are not there")
def test_a_killed_run_is_resumed_as_if_nothing_had_been(bench: Path, tmp_path: Path) -> None:
    whole = turns(play(bench, tmp_path / "whole", "tree"))
    dead = subprocess.run([sys.executable, "-c", KILLED, str(bench), str(tmp_path / "run")], capture_output=True)
    assert dead.returncode == -signal.SIGKILL, dead.stderr
    before = turns(load_run(tmp_path / "run"))
    assert 0 < len(before) < len(whole) and before.items() <= whole.items()
    assert turns(play(bench, tmp_path / "run", "tree")) == whole


@pytest.mark.sampled
@pytest.mark.parametrize("name", ["tree", "summary:2"])
def test_what_is_stored_is_what_the_strategy_shows(name: str, bench: Path, tmp_path: Path) -> None:
    run = play(bench, tmp_path / "run", name)
    strategy = open_strategy(run.settings.context)
    assert run.settings.context == strategy.name != name
    system = system_text(load_benchmark(bench).header)
    kinds: Counter[str] = Counter()
    for _, records in run.transcripts(MODEL):
        past: list[Exchange] = []
        for record in records:
            coroutine = strategy.build(system, past, record.prompt)
            context = _without_waiting(coroutine)
            assert record.built is not None
            assert (record.built.shown, record.built.decision) == (context.shown, context.decision)
            assert record.built.cost == context.cost and record.built.cost.seconds > 0
            assert record.context_tokens == context_tokens(context.messages) and record.notes == context.notes
            kinds.update(context.shown.values())
            past.append(Exchange(record.prompt, record.answer, record.answer, record.notes))
    assert kinds["full"] > 10 and kinds["summary"] > 10
    assert not run.integrity().edited
    run.close()


def _without_waiting(coroutine: Any) -> Any:
    try:
        coroutine.send(None)
    except StopIteration as done:
        return done.value
    raise AssertionError("a strategy without a model waited for something")


def about(request: ChatRequest) -> Reply:
    """Opens a new topic at every turn; summaries name nothing."""
    decides = request.schema is not None
    return Reply(json.dumps({"action": "CREATE_TOPIC"}) if decides else "They spoke.", usage=Usage(100, 5))


def by_model(bench: Path, out: Path, own: Any, **more: Any) -> tuple[Run, Scripted]:
    model = Scripted(witness)
    return play(bench, out, BY_MODEL, model=model, context_model=own, **more), model


def test_own_calls_are_booked_and_stored_with_their_turn(bench: Path, tmp_path: Path) -> None:
    own = Scripted(about, name="fake/context")
    run, model = by_model(bench, tmp_path / "run", own)
    assert run.settings.context == f"{BY_MODEL}&theta=0.4&embedder=wordllama"
    assert run.settings.context_model == "fake/context"
    calls = 2 * (2 * TURNS - 2)  # in each of two dialogues a summary and a decision a turn, from the second on
    [booked] = [spent for spent in run.costs() if spent.role == "context"]
    assert (len(own.asked), booked.calls, booked.usage) == (calls, calls, Usage(100 * calls, 5 * calls))
    built = [record.built for _, records in run.transcripts("fake/model") for record in records]
    assert [b.cost.calls for b in built if b] == [0, *[2] * (TURNS - 1)] * 2
    assert sum(b.cost.completion_tokens for b in built if b) < sum(b.cost.prompt_tokens for b in built if b)
    assert all(b.cost.fallbacks == 0 for b in built if b)
    assert {how for b in built if b for how in b.shown.values()} == {"summary"}
    assert "Topic 1: They spoke." in model.asked[-1].messages[0].content
    run.close()


def test_fallbacks_are_stored(bench: Path, tmp_path: Path) -> None:
    run, _ = by_model(bench, tmp_path / "run", Scripted(lambda _: "", name="fake/context"))
    built = [record.built for _, records in run.transcripts("fake/model") for record in records]
    assert all(b and b.cost.fallbacks >= 2 for b in built[1:TURNS]) and built[0] and built[0].cost.fallbacks == 0
    run.close()


@pytest.mark.slow
def test_a_fault_of_its_provider_suspends_and_a_resume_asks_nothing_twice(bench: Path, tmp_path: Path) -> None:
    broken = True

    def own(request: ChatRequest) -> Reply | Exception:
        late = len(asked.asked) > 9
        return ModelError("no network") if broken and late else about(request)

    asked = Scripted(own, name="fake/context")
    run, _ = by_model(bench, tmp_path / "run", asked)
    assert run.suspended() == 2
    assert {kind for _, _, _, kind, _ in run.faults()} == {"context"}
    run.close()
    stored = len(turns(load_run(tmp_path / "run")))
    assert 0 < stored < 2 * TURNS
    broken = False
    asked.asked.clear()
    run, again = by_model(bench, tmp_path / "run", asked)
    assert len(again.asked) == 2 * TURNS - stored
    resumed = turns(run)
    whole, _ = by_model(bench, tmp_path / "whole", Scripted(about, name="fake/context"))
    assert resumed == turns(whole)


def test_the_command_asks_for_a_model_where_one_is_needed(bench: Path, tmp_path: Path) -> None:
    command = ["evaluate", str(bench), "-m", MODEL, "-o", str(tmp_path / "run"), "--context", "tree?decider=model"]
    told = CliRunner().invoke(app, command)
    assert told.exit_code == 2 and "--context-model" in told.output
    assert not (tmp_path / "run").exists()


def test_a_name_may_be_given_in_any_order(bench: Path, tmp_path: Path) -> None:
    play(bench, tmp_path / "run", "tree?theta=0.40&decider=rules", limit=1).close()
    again = play(bench, tmp_path / "run", "tree", limit=1)
    assert len(again.sessions()) == 1
    again.close()
