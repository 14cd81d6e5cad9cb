"""The simulated models: perfect is perfect to the last turn, and the others miss as documented."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from collections import Counter
from contextlib import closing
from itertools import islice
from math import sqrt
from pathlib import Path
from statistics import NormalDist, fmean

import pytest

from evolif import UsageError
from evolif.models import ChatRequest, Sampling, open_model
from evolif.report import summarise
from evolif.runner import Run, evaluate
from evolif.scenarios.instructions import InstructionBenchmark, generate
from evolif.scenarios.instructions.constraints import check
from evolif.scenarios.instructions.players import OTHER_SKILL, SKILLS, Skill, difficulty_of
from evolif.scenarios.instructions.prompt import prompt_of
from evolif.scenarios.instructions.tracker import ScriptSpec, load_profile, load_topics, script
from evolif.scenarios.instructions.turns import Persona, Turn
from evolif.types import Message

SIMS = ("sim/forgetful", "sim/steady", "sim/perfect")


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> InstructionBenchmark:
    return generate(tmp_path_factory.mktemp("sims") / "bench", dialogues=12, turns=20, seed=2, profile="objective")


def answer(spec: str, bench: InstructionBenchmark, dialogue: int, turn: int, *, depth: int = 1, seed: int = 0) -> str:
    line = bench.turns(dialogue)[turn - 1]
    request = ChatRequest((Message("user", line.query),), Sampling(), prompt=prompt_of(line, depth))
    return asyncio.run(open_model(spec, seed=seed).complete(request)).text


@pytest.mark.sampled
@pytest.mark.parametrize("spec", SIMS)
def test_the_same_turn_seed_and_depth_get_the_same_answer(spec: str, bench: InstructionBenchmark) -> None:
    for turn in (1, 9, 20):
        assert answer(spec, bench, 2, turn, depth=4) == answer(spec, bench, 2, turn, depth=4)


def test_another_seed_misses_at_other_turns(bench: InstructionBenchmark) -> None:
    turns = [(d, t) for d in (1, 2, 3) for t in range(1, 21)]
    one, two = ([answer("sim/steady", bench, d, t, seed=seed) for d, t in turns] for seed in (1, 2))
    assert one != two


def test_a_miss_breaks_a_constraint_and_what_is_kept_passes(bench: InstructionBenchmark) -> None:
    kept = missed = 0
    for turn in bench.turns(1) + bench.turns(2):
        text = answer("sim/steady", bench, turn.dialogue, turn.turn)
        satisfied = all(v.satisfied is not False for v in check(turn.constraints, text))
        assert satisfied == (text == turn.witness)
        kept, missed = kept + satisfied, missed + (not satisfied)
    assert kept > missed > 0


def shares(spec: str, profile: str, dialogues: int, turns: int) -> dict[str, tuple[int, int]]:
    """How often a model kept a constraint of each group, and how often there was one."""
    script_of = ScriptSpec(load_profile(profile), load_topics(), 4)
    kept, given = Counter[str](), Counter[str]()
    model = open_model(spec)
    for turn in (t for d in range(1, dialogues + 1) for t in islice(script(script_of, d), turns)):
        line = Turn(
            turn.dialogue, turn.turn, turn.topic, turn.move, turn.operations, turn.constraints,
            Persona("anyone", "", ()), "", "template", witness=turn.witness,
        )  # fmt: skip
        text = asyncio.run(model.complete(ChatRequest((), prompt=prompt_of(line, 1)))).text
        for verdict in check(turn.constraints, text):
            given[verdict.group] += 1
            kept[verdict.group] += verdict.satisfied is True
    return {group: (kept[group], given[group]) for group in given}


@pytest.mark.slow
def test_every_group_is_kept_as_often_as_documented() -> None:
    told = shares("sim/steady", "escalating", 40, 40)
    assert set(told) == set(load_profile("escalating").groups)
    for group, (kept, given) in told.items():
        chance = SKILLS.get(group, OTHER_SKILL)
        # Four standard errors, and half of one more since turns of a dialogue are alike.
        assert abs(kept / given - chance) < 4.5 * sqrt(chance * (1 - chance) / given), (group, kept, given)
        assert kept < given


@pytest.mark.slow
def test_a_skill_holds_for_every_group() -> None:
    told = shares("sim/steady?skill=.9", "escalating", 8, 40)
    assert all(abs(kept / given - 0.9) < 4 * sqrt(0.09 / given) for kept, given in told.values()), told


def test_the_chance_over_all_dialogues_is_the_documented_one() -> None:
    normal, steps = NormalDist(), 2000
    difficulties = [normal.inv_cdf((i + 0.5) / steps) for i in range(steps)]
    for name in ("steady", "forgetful"):
        skill = Skill(name, 0)
        for group, depth in (("existence", 1), ("length", 7), ("digits", 1)):
            mean = fmean(skill.chance_in(d, group, depth) for d in difficulties)
            assert mean == pytest.approx(skill.chance(group, depth), abs=1e-4)
            assert skill.chance_in(1, group, depth) < skill.chance(group, depth) < skill.chance_in(-1, group, depth)
    assert Skill("perfect", 0).chance_in(3, "existence", 9) == 1


def test_a_hard_dialogue_is_hard_for_every_seed_and_model(bench: InstructionBenchmark, tmp_path: Path) -> None:
    chosen = sorted(bench.dialogues(), key=lambda d: difficulty_of(d, bench.turns(d)[0].persona.id))
    easy, hard = chosen[:4], chosen[-4:]

    def failures(seed: int, dialogues: list[int]) -> int:
        return sum(
            any(v.satisfied is False for v in check(t.constraints, answer("sim/steady", bench, d, t.turn, seed=seed)))
            for d in dialogues
            for t in bench.turns(d)
        )

    assert all(failures(seed, easy) < failures(seed, hard) for seed in (1, 2, 3))


@pytest.mark.parametrize(
    "spec",
    ["sim/perfect?skill=.9", "sim/forgetful?skill=.9", "sim/steady?skill=0", "sim/steady?skill=1.1", "sim/steady?",
     "sim/steady?skill=nan", "sim/steady?skill=", "sim/steady?skil=.9", "sim/steady?skill=.9&skill=.8"],
)  # fmt: skip
def test_an_option_that_does_not_exist_is_refused(spec: str) -> None:
    with pytest.raises(UsageError, match=r"sim/steady\?skill=\.9"):
        open_model(spec)


def test_models_of_two_skills_are_two_models(bench: InstructionBenchmark, tmp_path: Path) -> None:
    models = ("sim/steady?skill=.99", "sim/steady?skill=.7")
    with closing(evaluate(bench, models, tmp_path / "run", max_turns=6)) as run:
        assert run.models == models
        better, worse = (summary.metrics.csr or 0 for summary in summarise(run, resamples=1))
    assert better > 0.9 > worse


def figures(run: Run) -> dict[str, dict[str, float | None]]:
    return {s.model: s.metrics.by_name() for s in summarise(run, resamples=1)}


@pytest.mark.slow
def test_forgetful_is_below_steady_is_below_perfect_and_a_run_can_be_repeated(
    bench: InstructionBenchmark, tmp_path: Path
) -> None:
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
from evolif.scenarios.instructions import generate
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
