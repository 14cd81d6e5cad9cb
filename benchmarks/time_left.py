"""How true the time left is: what `evolif status` says during a run beside what the run then took.

.venv/bin/python benchmarks/time_left.py [seconds per call] [dialogues] [in flight]
.venv/bin/python benchmarks/time_left.py simulate [dialogues] [in flight] [runs] [cap]

The first plays runs against a server of our own in another process, whose every answer takes so long, and reads the
status every second from another thread, as another shell would. The second plays no calls: it draws when sessions fail,
turn by turn, stops the clock after a tenth, a quarter and half of each run, and shows how the estimates spread.
"""

from __future__ import annotations

import asyncio
import heapq
import json
import multiprocessing
import os
import random
import statistics
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from contextlib import closing
from multiprocessing.connection import Connection
from pathlib import Path

from evolif.budget import load_prices, quotes_of, snapshot
from evolif.budget.time_left import model_left
from evolif.errors import EvolifError
from evolif.runner import Live, RunSettings, evaluate, load_run
from evolif.runner.live import Pace
from evolif.scenarios.instructions import InstructionBenchmark, generate
from evolif.types import JudgedTurn, Session, Verdict

CAP, PATIENCE = 20, 3
SHARES = (0.1, 0.25, 0.5)
Failing = Callable[[random.Random, int, bool], bool]
"""Whether a turn fails, of so many before it; and whether the one before it failed."""
OUTCOMES: dict[str, Failing] = {
    "fails half of all turns": lambda chance, turn, before: chance.random() < 0.5,
    "fails more often after a failure": lambda chance, turn, before: chance.random() < (0.7 if before else 0.2),
    "fails more often in long dialogues": lambda chance, turn, before: chance.random() < min(0.8, 0.1 + 0.05 * turn),
    "fails nearly always": lambda chance, turn, before: chance.random() < 0.9,
    "hardly ever fails": lambda chance, turn, before: chance.random() < 0.05,
}


# Without calls.


def settings(dialogues: int, cap: int) -> RunSettings:
    numbers = tuple(range(1, dialogues + 1))
    return RunSettings(
        benchmark="b", models=("m/x",), patience=PATIENCE, max_turns=cap, dialogues=numbers, reading_rules=1
    )


def drawn(failing: Failing, dialogues: int, cap: int, chance: random.Random) -> list[list[bool]]:
    """Per session, whether each of its turns failed."""
    sessions = []
    for _ in range(dialogues):
        failed: list[bool] = []
        while len(failed) < cap and not (len(failed) >= PATIENCE and all(failed[-PATIENCE:])):
            failed.append(failing(chance, len(failed), bool(failed) and failed[-1]))
        sessions.append(failed)
    return sessions


def simulated(failing: Failing, dialogues: int, in_flight: int, cap: int, chance: random.Random) -> list[float]:
    """Estimated by true seconds left, at each share of a run whose every turn takes a second."""
    plays = drawn(failing, dialogues, cap, chance)
    begins, rows = [], [0] * in_flight
    for play in plays:
        begins.append(heapq.heappop(rows))
        heapq.heappush(rows, begins[-1] + len(play))
    total, found = max(rows), []
    for share in SHARES:
        now = round(total * share)
        sessions = [so_far(number, *both, now) for number, both in enumerate(zip(plays, begins, strict=True), 1)]
        over = sum(session.ending is not None for session in sessions)
        alive = sum(begin <= now < begin + len(play) for play, begin in zip(plays, begins, strict=True))
        pace = Pace(alive, dialogues - over, 1, 1.0)
        seconds = model_left(sessions, settings(dialogues, cap), Live(0.0, {}), pace).seconds or 0.0
        found.append(seconds / (total - now))
    return found


VERDICTS = {failed: (Verdict("g", not failed, "", ""),) for failed in (True, False)}


def so_far(number: int, play: list[bool], begin: int, now: int) -> Session:
    played = play[: max(0, now - begin)]
    turns = tuple(JudgedTurn(turn, VERDICTS[failed]) for turn, failed in enumerate(played, 1))
    ending = None if len(played) < len(play) else "finished" if all(play[-PATIENCE:]) else "censored"
    return Session("m/x", number, 1, PATIENCE, ending, "", turns)


def simulate(dialogues: int = 100, in_flight: int = 8, runs: int = 300, cap: int = CAP) -> None:
    for name, failing in OUTCOMES.items():
        chance = random.Random(name)
        columns = list(zip(*(simulated(failing, dialogues, in_flight, cap, chance) for _ in range(runs)), strict=True))
        print(f"{name}:")
        for share, ratios in zip(SHARES, columns, strict=True):
            within = sum(0.5 <= ratio <= 2 for ratio in ratios) / runs
            spread = statistics.quantiles(ratios, n=20)
            print(
                f"  after {share:4.0%}: {within:6.1%} within a factor of two; estimate by truth "
                f"{statistics.median(ratios):.2f}, 90 % of runs {spread[0]:.2f} to {spread[-1]:.2f}"
            )


# With calls.


class Peer(asyncio.Protocol):
    """One connection of the server."""

    seconds = 2.0
    failing: Failing
    witnesses: dict[str, str]

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self.transport, self.received = transport, b""

    def data_received(self, data: bytes) -> None:
        self.received += data
        head, end, body = self.received.partition(b"\r\n\r\n")
        if not end:
            return
        length = next(int(line[15:]) for line in head.split(b"\r\n") if line.lower().startswith(b"content-length:"))
        if len(body) >= length:
            self.received = body[length:]
            asyncio.get_running_loop().call_later(self.seconds, self.answer, json.loads(body[:length])["messages"])

    def answer(self, messages: list[dict[str, str]]) -> None:
        asked = [message["content"] for message in messages if message["role"] == "user"]
        before = bool(asked[:-1]) and self.fails(asked[:-1])
        text = "" if type(self).failing(chance_of(asked), len(asked) - 1, before) else self.witnesses[asked[-1]]
        choice = {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": text}}
        usage = {"prompt_tokens": 100, "completion_tokens": 100, "total_tokens": 200}
        body = json.dumps({"id": "c", "model": "m", "choices": [choice], "usage": usage}).encode()
        head = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n" % len(body)
        self.transport.write(head + body)

    def fails(self, asked: list[str]) -> bool:
        before = bool(asked[:-1]) and self.fails(asked[:-1])
        return type(self).failing(chance_of(asked), len(asked) - 1, before)


def chance_of(asked: list[str]) -> random.Random:
    return random.Random(f"{asked[0]} {len(asked)}")


def serve(told: Connection, folder: Path, seconds: float, outcome: str) -> None:
    bench = InstructionBenchmark(folder)
    Peer.seconds, Peer.failing = seconds, staticmethod(OUTCOMES[outcome])
    Peer.witnesses = {turn.query: turn.witness or "" for number in bench.dialogues() for turn in bench.turns(number)}

    async def main() -> None:
        server = await asyncio.get_running_loop().create_server(Peer, "127.0.0.1", 0, backlog=1024)
        told.send(server.sockets[0].getsockname()[1])
        await asyncio.Event().wait()

    asyncio.run(main())


def watch(root: Path, every: float, over: threading.Event, seen: list[tuple[float, float | None]]) -> None:
    prices = load_prices()
    while not over.wait(every):
        try:
            with closing(load_run(root, read_only=True)) as run:
                seen.append((time.monotonic(), snapshot(run, quotes_of(run.settings, prices)).seconds_left))
        except EvolifError:
            continue  # not begun yet


def play(folder: Path, outcome: str, seconds: float, in_flight: int, root: Path) -> list[tuple[float, float, float]]:
    """(share of the run, estimate by truth, truth in seconds) of everything that was read."""
    here, there = multiprocessing.Pipe()
    server = multiprocessing.Process(target=serve, args=(there, folder, seconds, outcome), daemon=True)
    server.start()
    url = f"http://127.0.0.1:{here.recv()}/v1"
    over, seen = threading.Event(), list[tuple[float, float | None]]()
    watching = threading.Thread(target=watch, args=(root, max(0.2, seconds / 2), over, seen))
    began = time.monotonic()
    watching.start()
    try:
        evaluate(
            folder, f"openai/tiny?base_url={url}&key_env=NONE", root, max_turns=CAP, max_connections=in_flight
        ).close()
    finally:
        over.set()
        watching.join()
        server.terminate()
    end = time.monotonic()
    known = [(at, left) for at, left in seen if left is not None and at < end - seconds]
    return [((at - began) / (end - began), left / (end - at), end - at) for at, left in known]


def main(seconds: float = 2.0, dialogues: int = 40, in_flight: int = 8) -> None:
    os.environ["NONE"] = "none"
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary) / "bench"
        generate(folder, dialogues=dialogues, turns=CAP, seed=20, profile="objective")
        for number, outcome in enumerate(OUTCOMES):
            read = play(folder, outcome, seconds, in_flight, Path(temporary) / f"run{number}")
            after = [ratio for share, ratio, _ in read if SHARES[0] <= share <= 0.9]
            told = ", ".join(f"{next(ratio for at, ratio, _ in read if at >= share):.2f}" for share in SHARES)
            took = read[-1][2] / (1 - read[-1][0])
            print(
                f"{outcome}: {took:.0f} s; estimate by truth after 10, 25 and 50 %: {told}; from 10 to 90 % "
                f"{min(after):.2f} to {max(after):.2f}"
            )


if __name__ == "__main__":
    if sys.argv[1:2] == ["simulate"]:
        simulate(*map(int, sys.argv[2:]))
    else:
        main(*map(float, sys.argv[1:2]), *map(int, sys.argv[2:]))
