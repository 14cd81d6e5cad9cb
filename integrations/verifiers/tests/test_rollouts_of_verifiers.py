"""Rollouts of the released verifiers against a scripted server are asked, judged and rewarded as evolif does it."""

from __future__ import annotations

import json
from pathlib import Path
from statistics import fmean
from typing import Any

import pytest
import verifiers.v1 as vf
from evolif_verifiers.taskset import EvolifState
from playing import environment, requests_of, rollouts, scripted
from server import Seen, error

import evolif
from evolif.gym import Rollout

NEVER = 1000
"""A patience that does not run out; a run cannot be without, where its benchmark has some."""


def told(run: evolif.Run) -> dict[int, Any]:
    """Sessions of a run with their turns, by dialogue."""
    return {session.dialogue: (session, records) for session, records in run.transcripts(run.models[0])}


def traces_of(episodes: list[vf.Episode]) -> list[vf.Trace]:
    assert all(episode.ok and not episode.errors for episode in episodes), [episode.errors for episode in episodes]
    return [trace for episode in episodes for trace in episode.traces]


def test_sixty_dialogues_twice_are_asked_judged_and_rewarded_as_evolif_does(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bench = evolif.generate(tmp_path / "b", dialogues=60, turns=3, profile="objective", seed=7)
    monkeypatch.setenv("OPENAI_API_KEY", "k")
    with scripted() as server:
        traces = traces_of(rollouts(environment({"bench": str(tmp_path / "b"), "max_turns": 3}), server.url, 2))
        asked = requests_of(server)
        run = evolif.evaluate(bench, f"openai/tiny?base_url={server.url}", tmp_path / "r", max_turns=3, patience=NEVER)
        # The seed would make all rollouts of a group the same; sampling is the trainer's.
        theirs = [json.dumps({k: v for k, v in json.loads(one).items() if k != "seed"}) for one in requests_of(server)]
    assert asked == sorted(2 * theirs) and len(asked) == 2 * 60 * 3
    sessions = told(run)
    run.close()
    played = [trace.task.data.dialogue for trace in traces]
    assert sorted(played) == sorted(2 * list(sessions)) and len(sessions) == 60
    for trace in traces:
        session, records = sessions[trace.task.data.dialogue]
        rollout = Rollout.from_json(json.dumps(trace.state.rollout))
        assert [turn.answer for turn in rollout.turns] == [record.answer for record in records]
        assert (rollout.ending, rollout.cause) == (session.ending, session.cause) == ("censored", "cap")
        verdicts = [[verdict.satisfied for verdict in record.verdicts] for record in records]
        assert [[verdict.satisfied for verdict in turn.verdicts] for turn in rollout.turns] == verdicts
        assert rollout.rewards("dense") == pytest.approx([fmean(map(float, turn)) for turn in verdicts])
        assert rollout.rewards("turn") == tuple(float(all(turn)) for turn in verdicts)
        assert trace.reward == pytest.approx(fmean(fmean(map(float, turn)) for turn in verdicts))
        good = sum(map(all, verdicts))
        assert trace.metrics["good_turns"] == trace.metrics["session"] == pytest.approx(good / 3)
        assert trace.metrics["judged_turns"] == 3 and trace.metrics["ended_by_cap"] == 1
        # The history only grows, so that each trace is one sample; its nodes say where each turn's answer is.
        assert trace.num_branches == 1
        kept = trace.info["evolif"]["turns"]
        assert [trace.nodes[turn["node"]].message.content for turn in kept] == [turn.answer for turn in rollout.turns]
    assert len({trace.reward for trace in traces}) > 5


@pytest.mark.parametrize(("history", "player"), [("transcript", 0), ("chat", 0), ("transcript", 1)])
def test_games_are_played_with_the_scripted_partner(
    history: str, player: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    options = {"tokenizer": "regex", "history": history, "player": player}
    bench = evolif.generate(tmp_path / "b", scenario="games", options={"turns": [4, 6]}, dialogues=2, seed=7)
    monkeypatch.setenv("OPENAI_API_KEY", "k")
    with scripted() as server:
        env = environment({"bench": str(tmp_path / "b"), "play": options})
        traces = traces_of(rollouts(env, server.url))
        asked = requests_of(server)
        run = evolif.evaluate(bench, f"openai/tiny?base_url={server.url}", tmp_path / "r", options=options)
        theirs = [json.dumps({k: v for k, v in json.loads(one).items() if k != "seed"}) for one in requests_of(server)]
    assert asked == sorted(theirs) and len(asked) >= 10
    sessions = told(run)
    run.close()
    assert sorted(trace.task.data.dialogue for trace in traces) == sorted(sessions)
    for trace in traces:
        session, records = sessions[trace.task.data.dialogue]
        own = [record for record in records if record.prompt.seat == "target"]
        rollout = Rollout.from_json(json.dumps(trace.state.rollout))
        assert [turn.answer for turn in rollout.turns] == [record.answer for record in own]
        assert (rollout.ending, rollout.cause) == (session.ending, session.cause)
        correct = [score.value for turn in session.turns for score in turn.scores if score.name == "correct"]
        known = [value for value in correct if value is not None]
        assert trace.reward == (fmean(known) if known else 0.0)
        # A transcript is told anew in each prompt, which makes a sample of each turn; a chat grows.
        assert trace.num_branches == (1 if history == "chat" else len(own))


def test_a_scenario_without_patience_plays_to_its_own_end() -> None:
    with scripted() as server:
        env = environment({"scenario": "shifts", "options": {"rounds": [10]}, "dialogues": 2, "seed": 7})
        traces = traces_of(rollouts(env, server.url))
    for trace in traces:
        rollout = Rollout.from_json(json.dumps(trace.state.rollout))
        assert rollout.ending == "finished" and trace.metrics["ended_by_itself"] == 1
        *before, last = rollout.rewards("dense")
        assert set(before) == {None} and last is not None
        assert trace.rewards["evolif"].score == rollout.reward("dense")


def test_patience_ends_a_dialogue_where_it_is_asked_for() -> None:
    with scripted() as server:
        taskset = {"dialogues": 6, "max_turns": 8, "patience": 1, "options": {"turns": 8, "profile": "objective"}}
        env = environment({**taskset, "task": {"reward": "session"}})
        traces = traces_of(rollouts(env, server.url))
    ended = [trace for trace in traces if trace.metrics["ended_by_patience"]]
    assert ended
    for trace in ended:
        rewards = [turn["rewards"]["turn"] for turn in trace.info["evolif"]["turns"]]
        assert rewards[-1] == 0 and trace.reward == pytest.approx(sum(rewards) / 8)


def test_the_state_is_json_and_the_record_keeps_what_a_trainer_weighs() -> None:
    with scripted() as server:
        env = environment({"dialogues": 1, "max_turns": 2, "options": {"turns": 2, "profile": "objective"}})
        [episode] = rollouts(env, server.url)
    [trace] = episode.traces
    assert EvolifState.model_validate_json(trace.state.model_dump_json()) == trace.state
    assert json.loads(json.dumps(trace.state.rollout)) == trace.state.rollout
    record = json.dumps(episode.to_record())  # as it is stored, and as it is sent from a server to a trainer
    again = vf.WireEpisode.model_validate_json(record).traces[0]
    assert again.info["evolif"] == trace.info["evolif"] and again.reward == trace.reward
    assert again.task.key == f"{trace.task.data.benchmark}/1"


def test_a_limit_of_verifiers_ends_a_dialogue_and_what_was_played_counts() -> None:
    with scripted() as server:
        taskset = {"dialogues": 1, "max_turns": 4, "options": {"turns": 4, "profile": "objective"}}
        [trace] = traces_of(rollouts(environment(taskset, agent={"max_turns": 2}), server.url))
    assert trace.stop_condition == "max_turns" and len(trace.info["evolif"]["turns"]) == 2
    assert trace.metrics["ended_otherwise"] == 1 and trace.rewards["evolif"] is not None


def test_another_system_text_takes_the_place_of_the_scenarios_own(tmp_path: Path) -> None:
    (tmp_path / "system.txt").write_text("Answer in verse.")
    with scripted() as server:
        taskset = {"dialogues": 1, "max_turns": 2, "options": {"turns": 2, "profile": "objective"}}
        rollouts(environment({**taskset, "system_prompt": str(tmp_path / "system.txt")}), server.url)
        told = [[message for message in seen.body["messages"] if message["role"] == "system"] for seen in server.seen]
    assert told == 2 * [[{"role": "system", "content": "Answer in verse."}]]


def test_a_conversation_that_is_too_long_ends_the_dialogue_and_a_short_outage_does_not() -> None:
    outages = [error(503, "overloaded", headers={"Retry-After": "0"})]

    def first(seen: Seen) -> Any:
        if len(seen.body["messages"]) > 4:  # the third turn
            return error(400, "This model's maximum context length is 99 tokens.", code="context_length_exceeded")
        return outages.pop() if outages else None

    with scripted(first) as server:
        taskset = {"dialogues": 1, "max_turns": 4, "options": {"turns": 4, "profile": "objective"}}
        [trace] = traces_of(rollouts(environment(taskset), server.url))
        assert len(server.seen) == 4  # one of two turns was asked for twice
    assert trace.metrics["ended_by_context"] == 1 and len(trace.info["evolif"]["turns"]) == 2
    assert trace.num_turns == 2 and trace.rewards["evolif"] is not None


def test_a_provider_that_refuses_fails_the_rollout_with_its_own_words() -> None:
    with scripted(lambda seen: error(401, "no such key")) as server:
        [episode] = rollouts(environment({"dialogues": 1, "options": {"turns": 1, "profile": "objective"}}), server.url)
    assert not episode.ok and not episode.traces[0].rewards
    assert episode.traces[0].errors[0].type == "ProviderError" and "no such key" in episode.traces[0].errors[0].message
