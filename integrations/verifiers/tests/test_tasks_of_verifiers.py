"""Tasks and their configuration: where dialogues come from, without end too, and what is refused in a sentence."""

from __future__ import annotations

import json
from itertools import islice
from pathlib import Path
from typing import Any

import pytest
import verifiers.v1 as vf
from evolif_verifiers import gyms
from evolif_verifiers.taskset import EvolifData, EvolifTask
from playing import environment, requests_of, rollouts, scripted
from pydantic import ValidationError
from verifiers.v1.cli.eval.main import main

import evolif
from evolif.gym import seed_of
from evolif.scenarios.instructions.tracker.profile import load_profile

SHORT = {"turns": 2, "profile": "objective"}


def keys_of(taskset: dict[str, Any], number: int) -> list[str]:
    return [task.key for task in environment(taskset).taskset.take(number)]


def test_tasks_are_the_dialogues_of_a_benchmark(tmp_path: Path) -> None:
    bench = evolif.generate(tmp_path / "b", dialogues=3, seed=7, **SHORT)
    made = {"dialogues": 3, "seed": 7, "options": SHORT}
    keys = [f"{bench.identity}/{dialogue}" for dialogue in (1, 2, 3)]
    assert keys_of(made, 9) == keys_of({"bench": str(tmp_path / "b")}, 9) == keys
    with pytest.raises(ValueError, match="infinite"):  # of verifiers: a stream has to be bounded
        environment({"endless": True, "options": SHORT}).taskset.shuffle()


def test_a_stream_has_fresh_dialogues_without_end_and_the_same_ones_for_the_same_seed() -> None:
    env = environment({"endless": True, "dialogues": 2, "seed": 3, "options": SHORT})
    assert not env.taskset.bounded
    tasks = list(islice(env.taskset, 5))
    assert [task.data.source.seed for task in tasks] == [seed_of(epoch, 0, 3) for epoch in (0, 0, 1, 1, 2)]
    assert len({task.key for task in tasks}) == 5
    gyms._opened.clear()
    later = environment({"endless": True, "dialogues": 2, "seed": 3, "start": 1, "options": SHORT}).taskset
    assert [task.key for task in islice(later, 3)] == [task.key for task in tasks[2:]]
    with scripted() as server:
        assert all(episode.ok for episode in rollouts(env, server.url, tasks=tasks))


def test_a_task_is_played_the_same_by_a_process_that_only_gets_its_data() -> None:
    env = environment({"dialogues": 3, "seed": 3, "options": SHORT, "max_turns": 2})
    with scripted() as server:
        rollouts(env, server.url)
        asked = requests_of(server)
        sent = [json.dumps(task.data.model_dump(mode="json")) for task in env.taskset]
        gyms._opened.clear()  # as in the worker of a server, which never loads the taskset
        rollouts(env, server.url, tasks=[EvolifTask(EvolifData.model_validate_json(data)) for data in sent])
        assert requests_of(server) == asked and len(asked) == 6


def test_a_benchmark_that_has_changed_since_its_tasks_were_made_is_not_played(tmp_path: Path) -> None:
    evolif.generate(tmp_path / "b", dialogues=1, seed=7, **SHORT)
    env = environment({"bench": str(tmp_path / "b")})
    with scripted() as server:
        [episode] = rollouts(env, server.url, tasks=[task.with_data(benchmark="0" * 16) for task in env.taskset])
        assert not server.seen
    assert not episode.ok and "load the tasks again" in episode.traces[0].errors[0].message


@pytest.mark.parametrize(
    ("taskset", "words"),
    [
        ({"scenario": "gamez"}, "the scenario “gamez” is not installed here (did you mean games?)"),
        ({"options": {"turnz": 3}}, "no option turnz (did you mean turns?)"),
        ({"options": {"profile": "objectiv"}}, "objective"),
        ({"scenario": "games", "options": {"game": "go"}}, "game"),
        ({"play": {"history": "chat"}}, "--set history"),
        ({"split": "tset"}, "split"),
        ({"bench": "no-such-folder"}, "no-such-folder"),
        ({"bench": "no-such-folder", "split": "train"}, "leave out split, or bench"),
        ({"task": {"reward": "nice"}}, "'dense', 'turn' or 'session'"),
        ({"patience": 0}, "greater than or equal to 1"),
        ({"profile": "objective"}, "Extra inputs are not permitted"),
    ],
)
def test_what_does_not_fit_is_refused_in_a_sentence(taskset: dict[str, Any], words: str) -> None:
    with pytest.raises(ValidationError) as refused:
        environment(taskset)
    [fault] = refused.value.errors()
    assert words in fault["msg"] and "Traceback" not in fault["msg"]


def test_a_benchmark_in_which_rules_judge_nothing_is_refused(tmp_path: Path) -> None:
    whole = load_profile("paper")
    judged = ("emotion", "audience", "style")
    pools = {group: whole.pools[group] for group in judged if group in whole.pools}
    only = whole.model_copy(update={"groups": judged, "pools": pools})
    evolif.generate(tmp_path / "b", dialogues=1, turns=1, profile=only)
    with pytest.raises(ValidationError, match="rules judge nothing in it"):
        environment({"bench": str(tmp_path / "b")})


def test_another_harness_is_refused() -> None:
    with pytest.raises(ValidationError, match="would send the first message only"):
        environment({"options": SHORT}, agent={"harness": {"id": "null"}})


def test_the_command_of_verifiers_finds_the_package_and_writes_rewards(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with scripted() as server:
        asked = f"evolif-verifiers -m tiny --client.base-url {server.url} --client.api-key-var NO_KEY -n 2 -r 2"
        knobs = "--env.taskset.options.turns 2 --env.taskset.max-turns 2 --env.taskset.task.reward turn"
        main([*asked.split(), *knobs.split(), "--no-push", "--no-rich", "--run.name", "mine"])
        assert len(server.seen) == 2 * 2 * 2
    lines = (tmp_path / "outputs" / "mine" / "traces.jsonl").read_text().splitlines()
    episodes = [vf.WireEpisode.model_validate_json(line) for line in lines]
    assert len(episodes) == 4 and all(episode.ok for episode in episodes)
    for episode in episodes:
        [trace] = episode.traces
        assert trace.rewards["evolif"].score == trace.info["evolif"]["reward_by"]["turn"]


def test_the_command_tells_what_is_wrong_without_a_traceback(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["evolif-verifiers", "--env.taskset.scenario", "gamez", "--no-push"])
    said = " ".join("".join(capsys.readouterr()).replace("│", " ").split()) + str(ended.value)
    assert "the scenario “gamez” is not installed here (did you mean games?)" in said and "Traceback" not in said
