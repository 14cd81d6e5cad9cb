"""Whole dialogues of generated benchmarks, played with reactions."""

from __future__ import annotations

import asyncio
import json
import pickle
from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest

from evolif import UsageError
from evolif.models import ChatRequest, Sampling
from evolif.runner import evaluate, load_run
from evolif.scenario import Services
from evolif.scenarios.instructions import InstructionBenchmark, generate
from evolif.scenarios.instructions.constraints import check, get_group
from evolif.scenarios.instructions.environment import TurnEnvironment, open_environment
from evolif.scenarios.instructions.feedback import Reactions
from evolif.scenarios.instructions.players import player
from evolif.scenarios.instructions.prompt import requirements_of, told_of
from evolif.scenarios.instructions.queries import check_query
from evolif.scenarios.instructions.source import SynthesizerPool, TurnSource
from evolif.scenarios.instructions.turns import Finding
from evolif.types import End, Exchange, Prompt

TURNS = 16


class FullBenchmark(InstructionBenchmark):
    """A benchmark whose dialogues have all the turns that they will ever have."""

    def can_grow(self, dialogue: int) -> bool:
        return False


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> InstructionBenchmark:
    root = tmp_path_factory.mktemp("reacting") / "bench"
    generate(root, dialogues=12, turns=TURNS, seed=21, profile="everyday")
    return InstructionBenchmark(root)


def play(
    bench: InstructionBenchmark,
    mode: str,
    model: str = "steady?skill=.8",
    dialogue: int = 1,
    *,
    scored: bool = True,
    turns: int = TURNS,
) -> list[Exchange]:
    """The exchanges of a dialogue; the last prompt stands with an empty answer."""

    async def whole() -> list[Exchange]:
        environment = open_environment(bench, Services(feedback=mode, patience=5))
        simulated, past = player(model), list[Exchange]()
        for _ in range(turns):
            prompt = await environment.prompt(dialogue, past)
            assert isinstance(prompt, Prompt)
            text = (await simulated.complete(ChatRequest(prompt.messages, Sampling(), prompt=prompt))).text
            if scored:
                await environment.score(prompt, text, past)
            past.append(Exchange(prompt, text, text))
        return past

    return asyncio.run(whole())


def missed(exchange: Exchange) -> set[str]:
    constraints = [c for c in requirements_of(exchange.prompt).constraints if not get_group(c.group).subjective]
    return {verdict.group for verdict in check(constraints, exchange.answer) if not verdict.satisfied}


def moved(finding: Finding, start: int) -> Finding:
    """A finding on a query, in one that has so many characters before it."""
    return replace(finding, spans=tuple((first + start, last + start) for first, last in finding.spans))


def test_without_feedback_prompts_are_those_of_the_benchmark(bench: InstructionBenchmark) -> None:
    for exchange, turn in zip(play(bench, "none"), bench.turns(1), strict=True):
        prompt = exchange.prompt
        assert (prompt.query, prompt.fixed, prompt.turn) == (turn.query, True, turn.turn)
        assert "feedback" not in prompt.payload and "remark" not in prompt.labels


@pytest.mark.slow
def test_every_remark_names_what_was_missed_and_what_follows_passes(bench: InstructionBenchmark) -> None:
    remarks = silent = 0
    for dialogue in bench.dialogues():
        past = play(bench, "remark", dialogue=dialogue)
        for before, after in pairwise(past):
            turn = bench.turn(dialogue, after.prompt.turn)
            told, failed = told_of(after.prompt), missed(before)
            remark = after.prompt.payload["feedback"]["remark"]
            assert after.prompt.payload["feedback"]["script"] == after.prompt.turn and not after.prompt.fixed
            assert (told is not None) == (remark is not None and remark["kind"] == "missed")
            if told is not None:
                remarks += 1
                assert told.group in failed and told in requirements_of(before.prompt).constraints
                assert after.prompt.query == f"{remark['text']} {turn.query}"
                found, start = check_query(turn, after.prompt.query, remark=remark["text"]), len(remark["text"]) + 1
                assert found == [moved(finding, start) for finding in check_query(turn, turn.query)]
            elif failed:
                silent += 1
                taken = {operation.group for operation in turn.operations if operation.before is not None}
                assert turn.move == "continue" and (turn.act == "replace_all" or failed <= taken)
    assert remarks > 30 and silent < remarks / 2


def test_repairs_stand_between_turns_and_depth_counts_turns_of_the_script(bench: InstructionBenchmark) -> None:
    repairs = 0
    for dialogue in bench.dialogues():
        plain = {e.prompt.turn: e.prompt for e in play(bench, "none", dialogue=dialogue)}
        script = 0
        for exchange in play(bench, "repair", dialogue=dialogue):
            feedback = exchange.prompt.payload["feedback"]
            own = plain[feedback["script"]]
            if feedback["repair"]:
                repairs += 1
                assert feedback["script"] == script and exchange.prompt.query == feedback["remark"]["text"]
                assert exchange.prompt.labels["operation"] == "repair"
            else:
                script += 1
                assert feedback["script"] == script and exchange.prompt.query.endswith(own.query)
            assert exchange.prompt.labels["depth"] == own.labels["depth"]
            assert exchange.prompt.labels["topic"] == own.labels["topic"]
            assert {k: v for k, v in exchange.prompt.payload.items() if k != "feedback"} == dict(own.payload)
    assert repairs > 20


@pytest.mark.parametrize("mode", ["remark", "repair"])
def test_what_was_scored_before_changes_nothing(bench: InstructionBenchmark, mode: str) -> None:
    """Verdicts that are at hand only save time: a resumed session, which has none, is asked the same."""
    noted, worked_out = (play(bench, mode, dialogue=3, scored=scored) for scored in (True, False))
    assert [e.prompt for e in noted] == [e.prompt for e in worked_out]


def test_another_seed_of_the_benchmark_uses_other_lines(tmp_path: Path) -> None:
    said = []
    for seed in (1, 2):
        generate(tmp_path / str(seed), dialogues=1, turns=8, seed=seed, profile="objective")
        past = play(InstructionBenchmark(tmp_path / str(seed)), "repair", "steady?skill=.3", turns=8)
        remarks = [e.prompt.payload["feedback"]["remark"] for e in past]
        said.append([remark["text"] for remark in remarks if remark is not None])
    assert said[0] and said[1] and said[0] != said[1]


def test_a_payload_survives_a_journey_to_another_process(bench: InstructionBenchmark) -> None:
    past = play(bench, "remark", "steady?skill=.5", turns=6)
    prompt = next(e.prompt for e in past if e.prompt.labels["remark"] == "missed")
    travelled = pickle.loads(pickle.dumps(prompt))
    assert travelled == prompt and requirements_of(travelled) == requirements_of(prompt)
    assert (
        told_of(travelled)
        == told_of(prompt)
        == told_of(replace(prompt, payload=json.loads(json.dumps(prompt.payload))))
    )
    assert told_of(replace(prompt, payload={"constraints": []})) is None


def test_a_dialogue_that_cannot_grow_ends_behind_its_last_turn(tmp_path: Path) -> None:
    generate(tmp_path / "b", dialogues=1, turns=2, seed=1, profile="objective")
    environment = TurnEnvironment(
        "", TurnSource(FullBenchmark(tmp_path / "b")), None, SynthesizerPool({}), reactions=Reactions("remark", 3, 1, 2)
    )

    async def whole() -> list[Prompt | End]:
        past, asked = list[Exchange](), list[Prompt | End]()
        while not asked or isinstance(asked[-1], Prompt):
            asked.append(await environment.prompt(1, past))
            if isinstance(asked[-1], Prompt):
                past.append(Exchange(asked[-1], "", ""))
        return asked

    asked = asyncio.run(whole())
    assert len(asked) == 3 and isinstance(asked[-1], End) and asked[-1].cause == "benchmark"


def test_an_unknown_way_to_react_is_refused(bench: InstructionBenchmark) -> None:
    with pytest.raises(UsageError, match="unknown --feedback “repairs”"):
        open_environment(bench, Services(feedback="repairs"))


@pytest.mark.parametrize(("model", "chance"), [("steady?skill=.7&told=.6", 0.6), ("forgetful?told=.25", 0.25)])
@pytest.mark.parametrize("mode", ["remark", "repair"])
def test_a_simulated_model_mends_what_it_was_told(
    bench: InstructionBenchmark, model: str, chance: float, mode: str
) -> None:
    mended = []
    for dialogue in bench.dialogues():
        for exchange in play(bench, mode, model, dialogue):
            told = told_of(exchange.prompt)
            if told is not None and told in requirements_of(exchange.prompt).constraints:
                mended.append(told.group not in missed(exchange))
    assert len(mended) > 60
    # Three standard errors; a text that fails what it should is not always found.
    assert sum(mended) / len(mended) == pytest.approx(
        chance, abs=3 * (chance * (1 - chance) / len(mended)) ** 0.5 + 0.04
    )


@pytest.mark.parametrize(
    ("model", "chance"), [("steady?told=1", True), ("steady?told=0", False), ("forgetful?told=1", True)]
)
def test_a_certain_chance_is_certain(bench: InstructionBenchmark, model: str, chance: bool) -> None:
    past = play(bench, "repair", "steady?skill=.3", turns=8)
    prompts = [e.prompt for e in past if told_of(e.prompt) is not None]
    assert prompts
    from evolif.scenarios.instructions.players import Skill

    name, _, told = model.partition("?told=")
    for prompt in prompts:
        missing = Skill(name, 0, told=float(told)).misses(prompt)
        assert (told_of(prompt).group not in missing) == chance
        # What else is missed stays as it is.
        others = Skill(name, 0).misses(prompt)
        assert missing ^ others <= {told_of(prompt).group}


@pytest.mark.parametrize(
    "name",
    ["perfect?told=.5", "steady?told=", "steady?told=2", "steady?told=-1", "steady?told=nan", "steady?told=.5&told=.6",
     "steady?told=x"],
)  # fmt: skip
def test_a_chance_that_is_none_is_refused(name: str) -> None:
    with pytest.raises(UsageError, match=r"from 0 to 1: sim/steady\?told=\.7"):
        player(name)


def test_the_chances_are_joined() -> None:
    assert player("steady?told=.7&skill=.9").name == "sim/steady?told=.7&skill=.9"
    with pytest.raises(UsageError, match=r"sim/steady\?skill=\.9"):
        player("forgetful?skill=.9&told=.7")


class Cut:
    """A model whose answers are all cut at their longest length."""

    name, connections = "fake/cut", 1

    def __init__(self, calls: int) -> None:
        self.calls = calls

    async def complete(self, request: ChatRequest) -> object:
        from evolif import ModelError
        from evolif.models import Reply

        self.calls -= 1
        if self.calls < 0:
            raise ModelError("gone", retryable=False)
        return Reply("Half an", truncated=True)

    async def aclose(self) -> None:
        pass


def test_a_resumed_session_knows_which_answers_were_cut(
    bench: InstructionBenchmark, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[list[bool]] = []
    real: Callable = TurnEnvironment.prompt

    async def prompt(self: TurnEnvironment, dialogue: int, past: list[Exchange]) -> Prompt | End:
        seen.append([exchange.truncated for exchange in past])
        return await real(self, dialogue, past)

    monkeypatch.setattr(TurnEnvironment, "prompt", prompt)
    for calls in (2, 9):
        evaluate(bench, [Cut(calls)], tmp_path / "run", limit=1, max_turns=3, patience=9).close()
    assert all(all(flags) for flags in seen) and max(map(len, seen)) == 2
    run = load_run(tmp_path / "run")
    [(_, records)] = run.transcripts("fake/cut")
    assert [record.exchange("").truncated for record in records] == [True] * 3
    run.close()
