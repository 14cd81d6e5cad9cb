"""`--context retrieval:K` in a run of instruction following that is killed and resumed."""

from __future__ import annotations

import asyncio
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from evolif import evaluate, load_benchmark, load_run
from evolif.cli import app
from evolif.contexts import Context, context_tokens, open_strategy, tokenizer_name
from evolif.contexts.retrieval import Retrieval
from evolif.scenarios.instructions import generate
from evolif.scenarios.instructions.system import system_text
from evolif.types import Exchange

pytestmark = [
    pytest.mark.skipif(tokenizer_name() is None, reason="needs the extra `contexts`"),
    pytest.mark.skipif(sys.platform == "win32", reason="signals of this kind are not there"),
]
MODEL, TURNS = "sim/steady", 8
KILLED = """
import os, signal, sys
from evolif import evaluate
from evolif.contexts.retrieval import Retrieval

built, calls = Retrieval.build, []

async def build(*arguments):
    calls.append(1)
    if len(calls) > 7:
        os.kill(os.getpid(), signal.SIGKILL)
    return await built(*arguments)

Retrieval.build = build
bench, out = sys.argv[1:]
evaluate(bench, "sim/steady", out, context="retrieval:3", patience=20, max_turns=8)
"""


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("retrieval") / "bench"
    generate(root, dialogues=2, turns=TURNS, seed=5, profile="objective")
    return root


def play(bench: Path, out: Path) -> None:
    evaluate(bench, MODEL, out, context="retrieval:3", patience=20, max_turns=8).close()


def turns(out: Path) -> dict[tuple[int, int], tuple[Any, ...]]:
    """What is stored of each turn."""
    run = load_run(out)
    found = {
        (session.dialogue, r.turn): (r.prompt.query, r.answer, dict(r.notes), r.context_tokens)
        for session, records in run.transcripts(MODEL)
        for r in records
    }
    run.close()
    return found


@pytest.mark.slow
def test_a_killed_run_is_resumed_as_if_nothing_had_been(
    bench: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    play(bench, tmp_path / "whole")
    whole = turns(tmp_path / "whole")
    assert len(whole) == 2 * TURNS
    dead = subprocess.run([sys.executable, "-c", KILLED, str(bench), str(tmp_path / "run")], capture_output=True)
    assert dead.returncode == -signal.SIGKILL, dead.stderr
    before = turns(tmp_path / "run")
    assert 0 < len(before) < 8 and before.items() <= whole.items()
    built: list[tuple[int, int]] = []
    real = Retrieval.build

    async def build(self: Retrieval, system: str, past: Any, prompt: Any) -> Context:
        built.append((prompt.dialogue, prompt.turn))
        return await real(self, system, past, prompt)

    monkeypatch.setattr(Retrieval, "build", build)
    play(bench, tmp_path / "run")
    assert turns(tmp_path / "run") == whole
    assert sorted(built) == sorted(whole.keys() - before.keys())


def test_three_rounds_are_shown_and_their_tokens_recorded(bench: Path, tmp_path: Path) -> None:
    play(bench, tmp_path / "run")
    run = load_run(tmp_path / "run")
    assert run.settings.context == "retrieval:3?embedder=wordllama"
    strategy = open_strategy(run.settings.context)
    system = system_text(load_benchmark(bench).header)
    shown = []
    for _, records in run.transcripts(MODEL):
        past: list[Exchange] = []
        for record in records:
            context = asyncio.run(strategy.build(system, past, record.prompt))
            assert record.context_tokens == context_tokens(context.messages) and record.notes == context.notes
            shown.append(len(context.shown))
            past.append(Exchange(record.prompt, record.answer, record.answer, record.notes))
    run.close()
    assert shown == [min(n, 3) for n in range(TURNS)] * 2


@pytest.mark.slow
def test_the_command_names_the_strategy_in_full(bench: Path, tmp_path: Path) -> None:
    out = str(tmp_path / "run")
    told = CliRunner().invoke(app, ["evaluate", str(bench), "-m", MODEL, "-o", out, "--context", "retrieval"])
    assert told.exit_code == 0, told.output
    other = CliRunner().invoke(app, ["evaluate", str(bench), "-m", MODEL, "-o", out, "--context", "retrieval:3"])
    assert other.exit_code == 2
    words = " ".join(other.output.split())
    assert "the context strategy was retrieval?embedder=wordllama and is now retrieval:3?embedder=wordllama" in words
