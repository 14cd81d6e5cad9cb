"""Rollouts of the gym: what a run of the same answers would have stored, with rewards, as JSON."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest

import evolif
from evolif.gym import Gym, Rollout
from evolif.gym.gym import reward_kind
from evolif.models import ChatModel, ChatRequest, Reply
from evolif.runner import Run
from evolif.scenario import Benchmark, get_scenario


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Benchmark:
    return evolif.generate(tmp_path_factory.mktemp("gym") / "b", dialogues=4, turns=4, seed=3, profile="objective")


def rollouts(gym: Gym, policy: ChatModel, epochs: int = 1) -> list[Rollout]:
    async def play() -> list[Rollout]:
        pairs = [(dialogue, epoch) for dialogue in gym.dialogues for epoch in range(1, epochs + 1)]
        return list(await asyncio.gather(*(gym.rollout(policy, *pair) for pair in pairs)))

    return asyncio.run(play())


class Saying:
    """Says what it is told to, and keeps what it was asked."""

    name, connections = "policy/saying", 8

    def __init__(self, *texts: str) -> None:
        self.texts = texts
        self.asked: list[ChatRequest] = []

    async def complete(self, request: ChatRequest) -> Reply:
        self.asked.append(request)
        return Reply(self.texts[len(self.asked) % len(self.texts)])

    async def aclose(self) -> None:
        raise AssertionError("the caller closes its policy")


def same_as_run(found: Rollout, run: Run) -> None:
    sessions = {session.dialogue: (session, records) for session, records in run.transcripts(run.models[0])}
    session, records = sessions[found.dialogue]
    assert (found.ending, found.cause) == (session.ending, session.cause)
    assert [turn.answer for turn in found.turns] == [record.answer for record in records]
    told = [[(one.group, one.satisfied, one.found) for one in record.verdicts] for record in records]
    assert [[(one.group, one.satisfied, one.found) for one in turn.verdicts] for turn in found.turns] == told


@pytest.mark.parametrize("patience", [None, 2])
def test_a_rollout_is_what_a_run_would_have_stored(bench: Benchmark, tmp_path: Path, patience: int | None) -> None:
    gym = Gym(bench, patience=patience, max_turns=6)
    policy = get_scenario("instructions").player("steady?skill=0.7", 0)
    found = rollouts(gym, policy)
    # Without patience a session goes on to the cap, as with more patience than it has turns.
    run = evolif.evaluate(bench, "sim/steady?skill=0.7", tmp_path / "r", patience=patience or 99, max_turns=6)
    for one in found:
        same_as_run(one, run)
    assert {one.cause for one in found} <= {"patience", "cap"}
    assert patience is not None or {len(one.turns) for one in found} == {6}
    run.close()


def test_rewards_follow_from_the_verdicts_and_survive_json(bench: Benchmark) -> None:
    found = rollouts(Gym(bench, max_turns=3), get_scenario("instructions").player("forgetful", 0))
    for one in found:
        held = [[verdict.satisfied for verdict in turn.verdicts] for turn in one.turns]
        assert one.rewards("turn") == tuple(float(all(turn)) for turn in held)
        assert one.rewards("dense") == pytest.approx([sum(map(bool, turn)) / len(turn) for turn in held])
        assert one.reward("session") == pytest.approx(sum(all(turn) for turn in held) / 3)
        assert Rollout.from_json(one.to_json()) == one
        assert json.loads(one.to_json())["turns"][0]["answer"] == one.turns[0].answer
    assert len({one.reward("dense") for one in found}) > 1


def test_the_policy_sees_the_whole_history(bench: Benchmark) -> None:
    policy = Saying("one", "two")
    gym = Gym(bench, max_turns=2)
    found = asyncio.run(gym.rollout(policy, 1))
    first, second = (request.messages for request in policy.asked)
    assert first == asyncio.run(gym.opening(1))
    assert [message.role for message in second] == ["system", "user", "assistant", "user"]
    assert [(message.role, message.content) for message in found.messages[:-1]] == [(m.role, m.content) for m in second]


def test_what_a_policy_raises_reaches_the_caller(bench: Benchmark) -> None:
    class Broken(Saying):
        async def complete(self, request: ChatRequest) -> Reply:
            raise ZeroDivisionError("in the policy")

    with pytest.raises(ZeroDivisionError, match="in the policy"):
        asyncio.run(Gym(bench, max_turns=2).rollout(Broken("x"), 1))


def test_an_answer_can_be_required_to_be_about_its_task(bench: Benchmark) -> None:
    plain = rollouts(Gym(bench, max_turns=1), Saying("Mm."))
    relevant = rollouts(Gym(bench, max_turns=1, relevant=True), Saying("Mm."))
    assert [len(one.turns[0].verdicts) + 1 for one in plain] == [len(one.turns[0].verdicts) for one in relevant]
    assert all(one.reward("turn") == 0 for one in relevant)


def test_games_are_played_with_the_scripted_partner(tmp_path: Path) -> None:
    games = get_scenario("games")
    bench = games.generate(tmp_path / "b", games.spec(game="names"), dialogues=6, seed=5)
    found = rollouts(Gym(bench), games.player("perfect", 0))
    assert {one.reward("turn") for one in found} == {1.0}
    silent = rollouts(Gym(bench, options={"player": 1}), Saying("Hm."))
    assert {one.reward("session") for one in silent} == {0.0}
    assert all(Rollout.from_json(one.to_json()) == one for one in silent)


def test_shifts_earn_the_share_of_their_goals(tmp_path: Path) -> None:
    shifts = get_scenario("shifts")
    bench = shifts.generate(tmp_path / "b", shifts.spec(), dialogues=2, seed=5)
    for one in rollouts(Gym(bench), shifts.player("perfect", 0)):
        assert one.reward("dense") == 1.0
        assert set(one.rewards("dense")[:-1]) == {None}


def test_what_cannot_be_played_is_refused_in_a_sentence(bench: Benchmark, tmp_path: Path) -> None:
    with pytest.raises(evolif.UsageError, match="patience must be at least 1, not 0"):
        Gym(bench, patience=0)
    with pytest.raises(evolif.UsageError, match="nonsense"):
        Gym(bench, options={"nonsense": 1})
    with pytest.raises(evolif.UsageError, match="there is no reward sparse; choose dense, turn, session"):
        reward_kind("sparse")
    with pytest.raises(evolif.UsageError, match="a rollout"):
        Rollout.from_json("{")
