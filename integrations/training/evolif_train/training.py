"""Training on a stream of fresh dialogues, with evaluations on dialogues that are held out."""

from __future__ import annotations

import asyncio
import json
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from math import fsum
from pathlib import Path
from typing import Any, Protocol

from evolif import UsageError
from evolif.gym import Gym, Rollout, Stream
from evolif.metrics.floor import TRIVIAL
from evolif.metrics.pairs import pair_test
from evolif.metrics.rewards import RewardKind
from evolif.metrics.table import MetricTable
from evolif.models import ChatModel, ChatRequest, Reply
from evolif.scenario import Benchmark
from evolif_train.learning import Weighed, advantages
from evolif_train.policy import Sample

_SHOWN = 8
"""Answers that an evaluation shows."""
_TABLE = MetricTable(("reward", "dialogues"), lambda session: (), {"reward": ("reward", "dialogues")})

Write = Callable[[dict[str, Any]], None]


class Sitting(ChatModel, Protocol):
    """A policy in one conversation."""

    @property
    def samples(self) -> list[Sample]:
        """What was sampled, call by call."""
        ...


class Trainee(Protocol):
    """What can be trained; see `Policy`."""

    temperature: float
    max_tokens: int
    tokens: int

    def seat(self, place: int) -> Sitting: ...

    def take(self, seat: Any) -> None: ...

    def leave(self, seat: Any) -> None: ...

    def reseed(self, seed: int) -> None: ...


class Learns(Protocol):
    """What takes steps; see `Learner`."""

    def step(self, weighed: Sequence[Weighed], longest: int) -> float | None: ...


@dataclass(frozen=True, slots=True)
class Plan:
    """How a policy is trained."""

    steps: int
    dialogues: int
    """In each step, all fresh."""
    answers: int
    """How often each is played in a step, at least 2: what one earns is compared with the mean of all."""
    reward: RewardKind
    scaled: bool
    """Whether advantages are divided by their standard deviation."""
    every: int
    """Steps between evaluations."""
    repeats: int
    """How often each held-out dialogue is played in an evaluation."""
    minutes: float | None
    """After which no step begins; None for no limit."""
    seed: int


@dataclass(frozen=True, slots=True)
class Played:
    """A dialogue with what was sampled in each of its turns."""

    rollout: Rollout
    samples: tuple[Sample, ...]


async def play(policy: Trainee, gym: Gym, dialogues: Sequence[int], times: int) -> list[list[Played]]:
    """Play dialogues, all at once.

    Args:
        policy: Answers.
        gym: Of their benchmark.
        dialogues: Which.
        times: How often each.

    Returns:
        Of each dialogue, all that was played of it.
    """

    async def one(seat: Sitting, dialogue: int, epoch: int) -> Played:
        try:
            rollout = await gym.rollout(seat, dialogue, epoch)
        finally:
            policy.leave(seat)
        return Played(rollout, tuple(seat.samples))

    seats = [policy.seat(place) for place in range(len(dialogues) * times)]
    for seat in seats:
        policy.take(seat)
    pairs = [(dialogue, epoch) for dialogue in dialogues for epoch in range(1, times + 1)]
    played = await asyncio.gather(*(one(seat, *pair) for seat, pair in zip(seats, pairs, strict=True)))
    return [list(played[start : start + times]) for start in range(0, len(played), times)]


def weigh(groups: Sequence[Sequence[Played]], kind: RewardKind, *, scaled: bool) -> list[Weighed]:
    """Every sample with its advantage: over the answers to the same turn of the same dialogue.

    From the second turn on, what was said before differs between them; what the script asks for does not.

    Args:
        groups: Of each dialogue, all that was played of it.
        kind: Which reward of a turn.
        scaled: Whether advantages are divided by their standard deviation.
    """
    found: list[Weighed] = []
    for group in groups:
        by_turn: dict[int, list[tuple[Sample, float | None]]] = defaultdict(list)
        for played in group:
            for turn, sample in zip(played.rollout.turns, played.samples, strict=True):
                by_turn[turn.turn].append((sample, turn.rewards[kind]))
        for pairs in by_turn.values():
            samples, rewards = zip(*pairs, strict=True)
            found += map(Weighed, samples, advantages(rewards, scaled=scaled))
    return found


def train(
    policy: Trainee,
    learner: Learns,
    stream: Stream,
    held_out: Benchmark,
    plan: Plan,
    open_gym: Callable[[Benchmark], Gym],
    write: Write,
) -> dict[str, Any]:
    """Train a policy, and evaluate it before, in between and after.

    Args:
        policy: What is trained.
        learner: Of its model.
        stream: Its dialogues, a benchmark for each step.
        held_out: What it is evaluated on.
        plan: How.
        open_gym: How a benchmark is played.
        write: Gets each record of the log.

    Returns:
        The last record, with the difference on the held-out dialogues and its interval.

    Raises:
        UsageError: the benchmarks cannot be played so, or rules judge nothing in them.
    """
    begun, worked = time.monotonic(), time.process_time()
    examined = Examination(open_gym(held_out), plan)
    write({"kind": "floor", "rewards": examined.floor()})
    before = examined.of(policy, 0, write)
    done = 0
    while done < plan.steps and (plan.minutes is None or time.monotonic() - begun < 60 * plan.minutes):
        done += 1
        write({"kind": "step", "step": done, **_step(policy, learner, open_gym(next(stream)), plan, done)})
        if done % plan.every == 0 and done < plan.steps:
            examined.of(policy, done, write, at_end=False)
    after = examined.of(policy, done, write)
    result = {
        "kind": "result",
        "steps": done,
        **{how: gain(before[how], after[how]) for how in before},
        "minutes": round((time.monotonic() - begun) / 60, 1),
        "processor_minutes": round((time.process_time() - worked) / 60, 1),
    }
    write(result)
    return result


def _step(policy: Trainee, learner: Learns, gym: Gym, plan: Plan, number: int) -> dict[str, Any]:
    policy.reseed(plan.seed * 1_000_003 + number)
    tokens, started, worked = policy.tokens, time.monotonic(), time.process_time()
    groups = asyncio.run(play(policy, gym, gym.dialogues[: plan.dialogues], plan.answers))
    sampled = time.monotonic()
    weighed = weigh(groups, plan.reward, scaled=plan.scaled)
    norm = learner.step(weighed, policy.max_tokens)
    return {
        **summary([played for group in groups for played in group], plan.reward),
        "telling": sum(one.advantage != 0 for one in weighed),
        "gradient": norm,
        "tokens": policy.tokens - tokens,
        "sampling_seconds": round(sampled - started, 1),
        "seconds": round(time.monotonic() - started, 1),
        "processor_seconds": round(time.process_time() - worked, 1),
    }


def summary(all_played: Sequence[Played], kind: RewardKind) -> dict[str, Any]:
    """The means of what was played; None where nothing was judged.

    Args:
        all_played: Dialogues.
        kind: Which reward.
    """
    turns = [turn for played in all_played for turn in played.rollout.turns]
    verdicts = [verdict.satisfied for turn in turns for verdict in turn.verdicts if verdict.satisfied is not None]
    lengths = [len(sample.answer) for played in all_played for sample in played.samples]
    return {
        "reward": _mean([played.rollout.reward(kind) for played in all_played]),
        "requirements": _mean([float(verdict) for verdict in verdicts]),
        "good_turns": _mean([turn.rewards["turn"] for turn in turns]),
        "truncated": _mean([float(turn.truncated) for turn in turns]),
        "answer_tokens": _mean([float(length) for length in lengths]),
    }


class Examination:
    """Plays the same held-out dialogues again and again.

    Args:
        gym: Of their benchmark.
        plan: Of the training.

    Raises:
        UsageError: rules judge nothing in them.
    """

    def __init__(self, gym: Gym, plan: Plan) -> None:
        self._gym, self._plan = gym, plan

    def floor(self) -> dict[str, float | None]:
        """What responders earn that follow nothing, each by its name."""
        return {name: asyncio.run(self._trivial(name)) for name in TRIVIAL}

    async def _trivial(self, name: str) -> float | None:
        rollouts = [await self._gym.rollout(_Trivial(name), dialogue) for dialogue in self._gym.dialogues]
        return _mean([rollout.reward(self._plan.reward) for rollout in rollouts])

    def of(self, policy: Trainee, step: int, write: Write, *, at_end: bool = True) -> dict[str, dict[int, float]]:
        """What the policy earns in each dialogue; those in which nothing was judged are left out.

        Args:
            policy: Whatever it has learned.
            step: After how many steps; it goes into the log.
            write: Gets the record.
            at_end: Whether it is the first or the last evaluation, for which the likeliest answers are judged, too.

        Returns:
            `sampled`, as in training, and at the ends `likeliest`, with the likeliest token each time.
        """
        found = {}
        ways = {"sampled": policy.temperature} | ({"likeliest": 0.0} if at_end else {})
        for how, temperature in ways.items():
            with _at(policy, temperature, self._plan.seed):
                started = time.monotonic()
                times = self._plan.repeats if temperature else 1
                groups = asyncio.run(play(policy, self._gym, self._gym.dialogues, times))
            rewards = _by_dialogue(groups, self._plan.reward)
            record = {"kind": "held_out", "step": step, "answers": how, "seconds": round(time.monotonic() - started, 1)}
            record |= summary([played for group in groups for played in group], self._plan.reward)
            record |= {"rewards": rewards, "groups": _by_group(groups), "shown": _shown(groups, self._plan.reward)}
            write(record)
            found[how] = rewards
        if not found["sampled"]:
            raise UsageError("rules judge nothing in the held-out dialogues; take another profile")
        return found


@contextmanager
def _at(policy: Trainee, temperature: float, seed: int) -> Iterator[None]:
    """Sampling at another temperature, with random numbers of its own; each evaluation has the same."""
    usual = policy.temperature
    policy.temperature = temperature
    policy.reseed(seed)
    try:
        yield
    finally:
        policy.temperature = usual


class _Trivial:
    """A responder that follows nothing, of those that runs are compared with; implements `ChatModel`."""

    connections = 1

    def __init__(self, name: str) -> None:
        self.name = f"trivial/{name}"
        self._answer = TRIVIAL[name]
        self._first: Any = None

    async def complete(self, request: ChatRequest) -> Reply:
        self._first = self._first or request.prompt
        if request.prompt is None:
            return Reply("")
        return Reply(self._answer(request.prompt, self._first))

    async def aclose(self) -> None:
        pass


def gain(before: dict[int, float], after: dict[int, float]) -> dict[str, Any]:
    """What a policy earns before training and after, and the test of the difference, paired by dialogue.

    Args:
        before: What it earned in each dialogue.
        after: What it earns now.
    """
    shared = sorted(before.keys() & after.keys())
    now, once = ([(rewards[dialogue], 1.0) for dialogue in shared] for rewards in (after, before))
    found = pair_test(_TABLE, now, once, "reward")
    earned, earlier = (fsum(reward for reward, _ in side) / len(shared) for side in (now, once))
    return {
        "before": earlier,
        "after": earned,
        "difference": earned - earlier,
        "interval": found.interval,
        "p": found.p,
        "dialogues": len(shared),
    }


def _mean(values: Sequence[float | None]) -> float | None:
    judged = [value for value in values if value is not None]
    return fsum(judged) / len(judged) if judged else None


def _by_dialogue(groups: Sequence[Sequence[Played]], kind: RewardKind) -> dict[int, float]:
    found = {}
    for group in groups:
        reward = _mean([played.rollout.reward(kind) for played in group])
        if reward is not None:
            found[group[0].rollout.dialogue] = reward
    return found


def _by_group(groups: Sequence[Sequence[Played]]) -> dict[str, list[int]]:
    """Of each group of requirements, how many were satisfied, and how many were judged."""
    found: dict[str, list[int]] = defaultdict(lambda: [0, 0])
    for group in groups:
        for played in group:
            for turn in played.rollout.turns:
                for verdict in turn.verdicts:
                    if verdict.satisfied is not None:
                        found[verdict.group][0] += verdict.satisfied
                        found[verdict.group][1] += 1
    return dict(sorted(found.items()))


def _shown(groups: Sequence[Sequence[Played]], kind: RewardKind) -> list[dict[str, Any]]:
    """What was asked and answered in the last turn of the first dialogues."""
    found = []
    for group in groups[:_SHOWN]:
        rollout = group[0].rollout
        last = rollout.turns[-1]
        asked = next((message.content for message in reversed(last.shown) if message.role == "user"), "")
        failed = [verdict.group for verdict in last.verdicts if verdict.satisfied is False]
        found.append(
            {
                "dialogue": rollout.dialogue,
                "asked": asked,
                "answer": last.answer,
                "reward": last.rewards[kind],
                "failed": failed,
            }
        )
    return found


def writer(path: Path) -> Write:
    """Writes records as lines of JSON, each at once.

    Args:
        path: A new file.

    Raises:
        UsageError: it exists, or cannot be written.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.open("x", encoding="utf-8").close()
    except FileExistsError:
        raise UsageError(f"{path} exists; nothing is written over, so name another") from None
    except OSError as fault:
        raise UsageError(f"{path} cannot be written: {fault.strerror}") from None

    def write(record: dict[str, Any]) -> None:
        with path.open("a", encoding="utf-8") as log:
            log.write(json.dumps(record, ensure_ascii=False) + "\n")

    return write
