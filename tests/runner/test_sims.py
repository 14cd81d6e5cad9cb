"""The simulated models: perfect is perfect to the last turn, and the others miss as documented."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from pathlib import Path

import pytest

from evolif import UsageError
from evolif.constraints import check
from evolif.instructions import Benchmark, generate, prompt_of
from evolif.models import ChatRequest, Sampling, open_model
from evolif.report import summarise
from evolif.runner import Run, evaluate
from evolif.types import Message

SIMS = ("sim/forgetful", "sim/steady", "sim/perfect")


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Benchmark:
    return generate(tmp_path_factory.mktemp("sims") / "bench", dialogues=12, turns=20, seed=2)


def answer(spec: str, bench: Benchmark, dialogue: int, turn: int, *, depth: int = 1, seed: int = 0) -> str:
    line = bench.turns(dialogue)[turn - 1]
    request = ChatRequest((Message("user", line.query),), Sampling(), prompt=prompt_of(line, depth))
    return asyncio.run(open_model(spec, seed=seed).complete(request)).text


@pytest.mark.parametrize("spec", SIMS)
def test_the_same_turn_seed_and_depth_get_the_same_answer(spec: str, bench: Benchmark) -> None:
    for turn in (1, 9, 20):
        assert answer(spec, bench, 2, turn, depth=4) == answer(spec, bench, 2, turn, depth=4)


def test_another_seed_misses_at_other_turns(bench: Benchmark) -> None:
    turns = [(d, t) for d in (1, 2, 3) for t in range(1, 21)]
    one, two = ([answer("sim/steady", bench, d, t, seed=seed) for d, t in turns] for seed in (1, 2))
    assert one != two


def test_a_miss_breaks_a_constraint_and_what_is_kept_passes(bench: Benchmark) -> None:
    kept = missed = 0
    for turn in bench.turns(1) + bench.turns(2):
        text = answer("sim/steady", bench, turn.dialogue, turn.turn)
        satisfied = all(v.satisfied is not False for v in check(turn.constraints, text))
        assert satisfied == (text == turn.witness)
        kept, missed = kept + satisfied, missed + (not satisfied)
    assert kept > missed > 0


def figures(run: Run) -> dict[str, dict[str, float | None]]:
    return {s.model: s.metrics.by_name() for s in summarise(run, resamples=1)}


def test_forgetful_is_below_steady_is_below_perfect_and_a_run_can_be_repeated(bench: Benchmark, tmp_path: Path) -> None:
    run = evaluate(bench, SIMS, tmp_path / "run", seed=1, max_turns=20)
    first = figures(run)
    again = evaluate(bench, SIMS[1::-1], tmp_path / "again", seed=1, max_turns=20, max_connections=3)
    assert figures(again) == {model: first[model] for model in SIMS[:2]}
    for metric in ("rob", "csr", "isr"):
        forgetful, steady, perfect = (first[model][metric] or 0 for model in SIMS)
        assert forgetful < steady < perfect
    assert (first[SIMS[0]]["edr_len"] or 0) < (first[SIMS[2]]["edr_len"] or 0)
    assert first["sim/perfect"]["rob"] == 1.0
    run.close()
    again.close()


def test_a_simulated_model_does_not_chat() -> None:
    with pytest.raises(UsageError, match="cannot chat"):
        asyncio.run(open_model("sim/perfect").complete(ChatRequest((Message("user", "Hi"),))))


PERFECT = """
import sys
from evolif.instructions import generate
from evolif.runner import evaluate
from evolif.report import summarise

folder, profile = sys.argv[1:]
bench = generate(f"{folder}/{profile}", dialogues=50, turns=50, seed=20, profile=profile)
run = evaluate(bench, "sim/perfect", f"{folder}/{profile}-run", max_turns=50)
[summary] = summarise(run, resamples=1)
assert {sum(any(turn.judged) for turn in s.turns) for s in run.sessions()} == {50}, "a dialogue ended before the cap"
assert {s.ending for s in run.sessions()} == {"censored"}
assert summary.metrics.rob == summary.metrics.csr == 1.0, summary.metrics
assert summary.metrics.dialogues == 50
# Turns with subjective constraints alone are not judged without a judge; they are no length, and do not use up the cap.
assert summary.metrics.edr_len == 50
assert profile == "paper" or summary.counts.not_judged_turns == 0
"""


@pytest.mark.slow
def test_perfect_reaches_the_cap_in_every_dialogue_of_both_profiles(tmp_path: Path) -> None:
    started = {
        profile: subprocess.Popen(
            [sys.executable, "-c", PERFECT, str(tmp_path), profile], stderr=subprocess.PIPE, text=True
        )
        for profile in ("paper", "objective")
    }
    for profile, process in started.items():
        _, err = process.communicate(timeout=300)
        assert process.returncode == 0, f"{profile}: {err}"
