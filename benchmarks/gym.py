"""The gym: how fast benchmarks come without end, how fast rollouts are played, and what games give to the silent.

.venv/bin/python benchmarks/gym.py [seconds a row]
"""

from __future__ import annotations

import asyncio
import sys
import tempfile
import time
from pathlib import Path
from statistics import fmean

from evolif.gym import Gym, Rollout, Stream
from evolif.models import ChatModel, ChatRequest, Reply
from evolif.scenario import get_scenario
from evolif.scenarios.generating import generate

DIALOGUES, TURNS, PROCESSES = 200, 10, 2
AT_ONCE = 64


class Silent:
    """A policy that says nothing of use."""

    name, connections = "policy/silent", AT_ONCE

    async def complete(self, request: ChatRequest) -> Reply:
        return Reply("Hm.")

    async def aclose(self) -> None:
        pass


def streamed(profile: str, seconds: float) -> str:
    """Dialogues a second, once the processes have loaded what they need."""
    options = {"turns": TURNS, "profile": profile}
    with Stream(dialogues=DIALOGUES, options=options, seed=1, processes=PROCESSES, ahead=4) as stream:
        for _ in range(2 * PROCESSES):
            next(stream)
        # What is made already would flatter the figure: it counts what is made from here on.
        started, made = time.perf_counter(), 0
        while time.perf_counter() - started < seconds or made % PROCESSES:
            next(stream)
            made += 1
        taken = time.perf_counter() - started
    return f"stream of {profile}: {made * DIALOGUES / taken:.0f} dialogues of {TURNS} turns a second"


async def played(gym: Gym, policy: ChatModel) -> list[Rollout]:
    at_once = asyncio.Semaphore(AT_ONCE)

    async def one(dialogue: int) -> Rollout:
        async with at_once:
            return await gym.rollout(policy, dialogue)

    return list(await asyncio.gather(*map(one, gym.dialogues)))


def rolled(profile: str, folder: Path) -> str:
    """Turns a second of a policy that answers at once: what the gym itself takes."""
    bench = generate(folder / profile, dialogues=DIALOGUES, turns=TURNS, seed=1, profile=profile)
    gym = Gym(bench, max_turns=TURNS)
    policy = get_scenario("instructions").player("steady?skill=0.9", 0)
    asyncio.run(gym.rollout(policy, 1))
    started, cpu = time.perf_counter(), time.process_time()
    turns = sum(len(one.turns) for one in asyncio.run(played(gym, policy)))
    taken, used = time.perf_counter() - started, time.process_time() - cpu
    return f"rollouts of {profile}: {turns / taken:.0f} turns a second, {1000 * used / turns:.2f} ms of CPU a turn"


def silent(game: str, folder: Path) -> str:
    games = get_scenario("games")
    bench = games.generate(folder / game, games.spec(game=game), dialogues=160, seed=5)
    rewards = [
        fmean(
            one.reward("turn") or 0.0 for one in asyncio.run(played(Gym(bench, options={"player": player}), Silent()))
        )
        for player in (0, 1)
    ]
    return f"silence in {game}: {rewards[0]:.2f} where the partner answers, {rewards[1]:.2f} where the policy does"


def main() -> None:
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else 20.0
    for profile in ("everyday", "objective", "paper"):
        print(streamed(profile, seconds), flush=True)
    with tempfile.TemporaryDirectory() as name:
        for profile in ("everyday", "objective"):
            print(rolled(profile, Path(name)), flush=True)
        for game in ("chess", "names", "questions", "scenes", "shapes"):
            print(silent(game, Path(name)), flush=True)


if __name__ == "__main__":
    main()
