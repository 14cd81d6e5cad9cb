"""The taskset: one task for each dialogue of a benchmark, or of fresh benchmarks without end."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any

import verifiers.v1 as vf
from pydantic import Field, model_validator

from evolif.errors import ArgumentError, EvolifError
from evolif.gym import Gym, Stream, seed_of
from evolif.metrics.rewards import RewardKind
from evolif.runner.shutdown import run_to_end
from evolif.scenario import DEFAULT_SCENARIO, Benchmark
from evolif_verifiers.gyms import Play, Source, gym_of

INFO = "evolif"
"""Where in a trace's `info` the outcome of a dialogue is."""
_ENDS = ("itself", "patience", "cap", "context")
"""What ends a dialogue, where it has a metric of its own."""


class EvolifData(vf.TaskData):
    """A dialogue: all that a process needs to play it, so that it can be served to others."""

    source: Source
    play: Play
    dialogue: int
    benchmark: str
    """The identity of the benchmark."""


class EvolifState(vf.State):
    """What has happened in a rollout so far, as JSON values."""

    rollout: dict[str, Any] = Field(default_factory=dict)
    """An `evolif.gym.Rollout`: turns with messages, answers, verdicts and rewards; empty until it ended."""
    nodes: dict[str, int] = Field(default_factory=dict)
    """The node of the trace that holds the answer, by the number of the turn."""


class EvolifTaskConfig(vf.TaskConfig):
    """How a dialogue is rewarded."""

    reward: RewardKind = "dense"
    """dense: the share of a turn's requirements that hold; turn: 1 if all of them do; session: good turns over N."""


class EvolifTask(vf.Task[EvolifData, EvolifState, EvolifTaskConfig]):
    """A dialogue with its rewards, which are those of evolif's own verdicts."""

    @property
    def key(self) -> str:
        """The same wherever the benchmark lies."""
        return f"{self.data.benchmark}/{self.data.dialogue}"

    async def finalize(self, trace: vf.Trace) -> None:
        """Keep the outcome in the trace, since its record has no `state`; the messages are in its nodes already."""
        state: EvolifState = trace.state
        if state.rollout:
            trace.info[INFO] = outcome(state.rollout, state.nodes)

    @vf.reward
    async def evolif(self, trace: vf.Trace) -> dict[str, float]:
        """What the dialogue earns, from 0 to 1; no reward is recorded where nothing was judged."""
        return _known(evolif=_earned(trace, self.config.reward))

    @vf.metric
    async def session(self, trace: vf.Trace) -> dict[str, float]:
        """Good turns over the number of turns by script, whatever the reward is."""
        return _known(session=_earned(trace, "session"))

    @vf.metric
    async def turns(self, trace: vf.Trace) -> dict[str, float]:
        """How many turns were judged, and in which share of them everything holds."""
        rewards = [turn["rewards"]["turn"] for turn in trace.info.get(INFO, {}).get("turns", ())]
        goods = [reward for reward in rewards if reward is not None]
        return _known(judged_turns=float(len(goods)), good_turns=sum(goods) / len(goods) if goods else None)

    @vf.metric
    async def ending(self, trace: vf.Trace) -> dict[str, float]:
        """What ended the dialogue: one of them is 1; `ended_otherwise` is for filters, and limits of verifiers."""
        info = trace.info.get(INFO, {"ending": None, "cause": ""})
        cause = info["cause"]
        if info["ending"] == "finished" and cause not in _ENDS:
            cause = "itself"
        return {
            **{f"ended_by_{one}": float(one == cause) for one in _ENDS},
            "ended_otherwise": float(cause not in _ENDS),
        }


def _earned(trace: vf.Trace, kind: RewardKind) -> float | None:
    reward: float | None = trace.info[INFO]["reward_by"][kind] if INFO in trace.info else None
    return reward


def _known(**values: float | None) -> dict[str, float]:
    return {name: value for name, value in values.items() if value is not None}


def outcome(rollout: dict[str, Any], nodes: dict[str, int]) -> dict[str, Any]:
    """What of a rollout is kept in a trace.

    Args:
        rollout: As in the state.
        nodes: As in the state.
    """
    kept = {key: rollout[key] for key in ("scenario", "benchmark", "dialogue", "ending", "cause", "reward_by")}
    turns = [
        {
            "turn": turn["turn"],
            "node": nodes.get(str(turn["turn"])),
            **{key: turn[key] for key in ("truncated", "verdicts", "rewards")},
        }
        for turn in rollout["turns"]
    ]
    return {**kept, "turns": turns}


class EvolifConfig(vf.TasksetConfig):
    """Which dialogues, and how they are played; with `endless`, fresh ones without end."""

    bench: Path | None = None
    """The folder of a benchmark; without one, it is made from what follows."""
    scenario: str | None = None
    """What kind of conversation: instructions (by default), games, shifts, broadcast, or one of a plug-in."""
    split: str | None = None
    """train or test: whose kinds, topics, personas and wordings; both sides without."""
    seed: int = Field(0, ge=0)
    """Of all that is drawn; of the whole training, if endless."""
    dialogues: int = Field(100, ge=1)
    """How many; in each of the benchmarks, if endless."""
    options: dict[str, Any] = Field(default_factory=dict)
    """Options of `evolif generate` for the scenario, such as turns and profile."""
    endless: bool = False
    """Fresh benchmarks without end, each with a seed of its own, made in the background."""
    worker: int = Field(0, ge=0)
    """Which of several trainers this is, if endless: each has other dialogues."""
    start: int = Field(0, ge=0)
    """Which benchmark of the stream is the first, if endless: to go on with an earlier training."""
    patience: int | None = Field(None, ge=1)
    """Failed turns in a row that end a dialogue; by default none do."""
    max_turns: int | None = Field(None, ge=1)
    """The most turns of the policy in a dialogue; the benchmark's cap by default."""
    relevant: bool = False
    """Whether an answer must be about its task, as one more requirement."""
    play: dict[str, Any] = Field(default_factory=dict)
    """Options of `evolif evaluate --set` for the scenario, such as history in games."""
    task: EvolifTaskConfig = EvolifTaskConfig()

    @property
    def played(self) -> Play:
        """How dialogues are played."""
        return Play(patience=self.patience, max_turns=self.max_turns, relevant=self.relevant, options=self.play)

    def source(self, seed: int, dialogues: int) -> Source:
        """A benchmark of this configuration.

        Args:
            seed: Of the benchmark, if it is made.
            dialogues: How many it then has.
        """
        if self.bench is not None:
            return Source(bench=str(self.bench.expanduser().resolve()))
        split = {} if self.split is None else {"split": self.split}
        options = {**self.options, **split}
        return Source(scenario=self.scenario or DEFAULT_SCENARIO, seed=seed, dialogues=dialogues, options=options)

    @model_validator(mode="after")
    def _can_be_played(self) -> EvolifConfig:
        """Have one dialogue opened here, where what is wrong is told in a sentence."""
        if self.bench is not None:
            asked = {"scenario": self.scenario, "split": self.split, "options": self.options, "endless": self.endless}
            if wrong := [name for name, value in asked.items() if value]:
                raise ValueError(f"a benchmark of a folder is what it is; leave out {', '.join(wrong)}, or bench")
        fault = _fault(self.source(self.seed, 1).model_dump_json(), self.played.model_dump_json())
        if fault:
            raise ValueError(fault)
        return self


@lru_cache(maxsize=64)
def _fault(source: str, play: str) -> str:
    """What is wrong with a benchmark, or how it is to be played; a command reads its configuration several times."""
    try:
        gym = gym_of(Source.model_validate_json(source), Play.model_validate_json(play))
        run_to_end(shown_first(gym, gym.dialogues[0]))  # finds packages that are missing
    except EvolifError as fault:
        return str(fault)
    return ""


class EvolifTaskset(vf.Taskset[EvolifTask, EvolifConfig]):
    """The dialogues of a benchmark of evolif."""

    def __init__(self, config: EvolifConfig) -> None:
        super().__init__(config)
        self.INFINITE = config.endless

    def load(self) -> Iterator[EvolifTask]:
        """One task for each dialogue."""
        if self.config.endless:
            yield from self._endless()
        else:
            yield from self._tasks(self.config.source(self.config.seed, self.config.dialogues))

    def _endless(self) -> Iterator[EvolifTask]:
        config = self.config
        asked = config.source(0, config.dialogues)
        with Stream(
            scenario=asked.scenario,
            dialogues=config.dialogues,
            options=asked.options,
            seed=config.seed,
            worker=config.worker,
            start=config.start,
        ) as stream:
            for epoch, bench in enumerate(stream, config.start):
                source = config.source(seed_of(epoch, config.worker, config.seed), config.dialogues)
                yield from self._tasks(source, bench)

    def _tasks(self, source: Source, made: Benchmark | None = None) -> Iterator[EvolifTask]:
        gym = gym_of(source, self.config.played, made)
        for dialogue in gym.dialogues:
            system, prompt = run_to_end(shown_first(gym, dialogue))
            data = EvolifData(
                id=f"{gym.identity}/{dialogue}",
                name=f"{gym.bench.scenario} {dialogue}",
                prompt=prompt,
                system_prompt=system or None,
                source=source,
                play=self.config.played,
                dialogue=dialogue,
                benchmark=gym.identity,
            )
            yield EvolifTask(data, self.config.task)


async def shown_first(gym: Gym, dialogue: int) -> tuple[str, Any]:
    """The system text and the first prompt, without pictures; no prompt where the partner speaks first.

    Args:
        gym: What plays the dialogue.
        dialogue: Which one.
    """
    try:
        first, *rest = await gym.opening(dialogue)
    except ArgumentError:
        return "", []
    if first.role == "system" and rest:
        return first.content, [{"role": one.role, "content": one.content} for one in rest]
    return "", [{"role": one.role, "content": one.content} for one in (first, *rest)]
