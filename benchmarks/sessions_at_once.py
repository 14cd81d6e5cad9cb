"""Sessions that wait for an answer at the same time: what each takes in memory, and what they do a second.

.venv/bin/python benchmarks/sessions_at_once.py memory [sessions ...]   # by default 1000 5000 10000
.venv/bin/python benchmarks/sessions_at_once.py speed [sessions ...]    # by default 512 2000 10000

Memory: a server of our own answers the first turns at once and holds the last request of every session, each of a
dialogue of its own. When all of them wait, the process is measured: what it has beyond the same run of ten sessions, by
session, and how much of that is the text of the conversation. `alone` is a model object in place of the server, which
leaves the HTTP client out. Speed: the server answers every request after five seconds. Each size is a process of its
own, after the benchmark was made in another.
"""

from __future__ import annotations

import asyncio
import json
import multiprocessing
import os
import subprocess
import sys
import tempfile
import threading
import time
from contextlib import suppress
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from evolif.models import ChatRequest, Reply
from evolif.runner import Event, evaluate
from evolif.runner.events import SessionEnded, TurnStored
from evolif.scenarios.instructions import InstructionBenchmark, generate
from evolif.util.resource_limits import open_files

TURNS = 5
"""Turns of a session; the last one is held where memory is measured."""
LATENCY = 5.0
FEW = 10
TEXT = "The sea. " * 100
ANSWER = json.dumps({
    "id": "c1", "object": "chat.completion", "created": 1, "model": "m",
    "choices": [{"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": TEXT}}],
    "usage": {"prompt_tokens": 700, "completion_tokens": 200, "total_tokens": 900},
}).encode()  # fmt: skip
HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n" % len(ANSWER)


class Peer(asyncio.Protocol):
    """One connection of the server."""

    def __init__(self, latency: float | None) -> None:
        self.latency = latency
        """None: the last turn is never answered, the others at once."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self.transport, self.received = transport, b""

    def data_received(self, data: bytes) -> None:
        self.received += data
        head, end, body = self.received.partition(b"\r\n\r\n")
        if not end:
            return
        length = next(int(line[15:]) for line in head.split(b"\r\n") if line.lower().startswith(b"content-length:"))
        if len(body) < length:
            return
        self.received = b""
        if self.latency is not None:
            asyncio.get_running_loop().call_later(self.latency, self.answer)
        elif body.count(b'"role": "user"') < TURNS:
            self.answer()

    def answer(self) -> None:
        self.transport.write(HEAD + ANSWER)


def serve(told: Connection, latency: float | None) -> None:
    open_files(20_000)

    async def main() -> None:
        loop = asyncio.get_running_loop()
        server = await loop.create_server(lambda: Peer(latency), "127.0.0.1", 0, backlog=4096)
        told.send(server.sockets[0].getsockname()[1])
        await asyncio.Event().wait()

    asyncio.run(main())


class Sleeper:
    """A model that never answers the last turn."""

    name = "own/sleeper"
    connections = 10_000

    async def complete(self, request: ChatRequest) -> Reply:
        """The same answer, or none."""
        if sum(message.role == "user" for message in request.messages) == TURNS:
            await asyncio.Event().wait()
        return Reply(TEXT)

    async def aclose(self) -> None:
        """Nothing to release."""


def resident() -> int:
    """Bytes of this process in memory."""
    return int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1]) * os.sysconf("SC_PAGE_SIZE")


def measure_when_idle(text: int) -> None:
    """Print once all sessions wait, and end the process."""
    before = -1.0
    while time.process_time() - before > 0.1:
        before = time.process_time()
        time.sleep(1)
    print(json.dumps({"bytes": resident(), "text": text, "cpu": time.process_time()}), flush=True)
    os._exit(0)


def hold(bench: str, url: str, sessions: str, out: str) -> None:
    """Play until every session waits for its last answer."""
    number, stored = int(sessions), 0
    opened = InstructionBenchmark(bench)
    shown = [turn.query for d in opened.dialogues()[:number] for turn in opened.turns(d)[:TURNS]]
    text = sum(map(len, shown)) // number + (TURNS - 1) * len(TEXT)
    opened = InstructionBenchmark(bench)
    del shown

    def watch(event: Event) -> None:
        nonlocal stored
        stored += isinstance(event, TurnStored)
        if stored == number * (TURNS - 1):
            stored += 1
            threading.Thread(target=measure_when_idle, args=(text,)).start()

    model: Any = f"openai/m?base_url={url}" if url else Sleeper()
    evaluate(
        opened, model, out, max_turns=TURNS, patience=TURNS + 1, max_connections=number, limit=number, observe=watch
    )  # fmt: skip


def pace(bench: str, url: str, sessions: str, out: str) -> None:
    """Play to the end, and print turns a second from the first answer on."""
    turns, first, last = 0, 0.0, 0.0

    def watch(event: Event) -> None:
        nonlocal turns, first, last
        if isinstance(event, TurnStored):
            turns += 1
            first = first or time.perf_counter()
        elif isinstance(event, SessionEnded):
            last = time.perf_counter()

    began = time.process_time()
    run = evaluate(
        InstructionBenchmark(bench), f"openai/m?base_url={url}", out, max_turns=TURNS, patience=TURNS + 1,
        max_connections=int(sessions), limit=int(sessions), observe=watch, timeout=600,
    )  # fmt: skip
    assert not run.faults()
    took = last - first + LATENCY
    print(json.dumps({"rate": turns / took, "cpu": 1000 * (time.process_time() - began) / turns, "bytes": resident()}))


def in_a_process(*words: object) -> dict[str, float]:
    told = subprocess.run(
        [sys.executable, __file__, *map(str, words)], capture_output=True, text=True, check=False
    )  # fmt: skip
    assert told.returncode == 0, told.stderr
    found: dict[str, float] = json.loads(told.stdout.splitlines()[-1])
    return found


def main() -> None:
    what, *words = sys.argv[1:] or ["memory"]
    if what in ("hold", "pace"):
        (hold if what == "hold" else pace)(*words)
        return
    sizes = [int(word) for word in words] or ([1000, 5000, 10_000] if what == "memory" else [512, 2000, 10_000])
    here, there = multiprocessing.Pipe()
    server = multiprocessing.Process(target=serve, args=(there, None if what == "memory" else LATENCY), daemon=True)
    server.start()
    url = f"http://127.0.0.1:{here.recv()}/v1"
    with tempfile.TemporaryDirectory() as folder, suppress(KeyboardInterrupt):
        bench = generate(Path(folder) / "bench", dialogues=max(sizes), turns=TURNS, seed=1, profile="objective").path
        if what == "memory":
            for name, where in (("alone", ""), ("with the HTTP client", url)):
                few = in_a_process("hold", bench, where, FEW, Path(folder) / f"{name}-few")["bytes"]
                for size in sizes:
                    told = in_a_process("hold", bench, where, size, Path(folder) / f"{name}-{size}")
                    each = (told["bytes"] - few) / (size - FEW)
                    print(
                        f"{size:6} sessions wait, {name}: {told['bytes'] / 2**20:.0f} MiB, {each / 1000:.1f} kB each, "
                        f"{told['text'] / 1000:.1f} kB of them text of the conversation; "
                        f"{told['cpu']:.1f} s of CPU so far", flush=True,
                    )  # fmt: skip
        else:
            for size in sizes:
                told = in_a_process("pace", bench, url, size, Path(folder) / f"run-{size}")
                print(
                    f"{size:6} sessions at once, {LATENCY:.0f} s a reply: {told['rate']:.0f} turns/s of "
                    f"{size / LATENCY:.0f}, {told['cpu']:.2f} ms of CPU a turn, {told['bytes'] / 2**20:.0f} MiB",
                    flush=True,
                )  # fmt: skip
    server.terminate()


if __name__ == "__main__":
    main()
