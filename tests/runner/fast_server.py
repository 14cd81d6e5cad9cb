"""An OpenAI-compatible server in a thread of its own, fast enough to be no part of what is tested.

It knows a benchmark: which dialogue and turn a request is, what satisfies it, and who has asked for it how often.
"""

from __future__ import annotations

import asyncio
import json
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from evolif.scenarios.instructions import InstructionBenchmark
from evolif.scenarios.instructions.turns import Turn


@dataclass(frozen=True)
class Asked:
    """One request: the turn, and how often it was asked for before."""

    turn: Turn
    before: int


@dataclass(frozen=True)
class Served:
    """An answer, or a fault: `reset` breaks the connection in mid-body, `hang up` at once, `stall` never answers,
    `garbage` is a body that is no JSON."""

    text: str = ""
    status: int = 200
    fault: str = ""
    delay: float = 0.0
    retry_after: float | None = 0
    """Seconds, sent with 429 and 503."""
    error: str = "not now"
    """What is said with another status than 200."""
    code: str | None = None
    """Of the error, as providers give it beside its words."""
    body: Any = None
    """Sent instead, as JSON; the usage is added."""
    usage: object = field(default_factory=lambda: {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15})


Brain = Callable[[Asked], Served]


class FastServer:
    """Counts every request by its turn."""

    def __init__(self, bench: InstructionBenchmark, brain: Brain) -> None:
        self.brain = brain
        self.asked: list[tuple[int, int]] = []
        self.counts: Counter[tuple[int, int]] = Counter()
        self.arrived = threading.Condition()
        self.url = ""
        self.peers: set[asyncio.Transport] = set()
        self._turns = {(d, t.turn): t for d in bench.dialogues() for t in bench.turns(d)}
        self._first = {bench.turns(d)[0].query: d for d in bench.dialogues()}

    def answer(self, body: dict[str, Any]) -> Served:
        queries = [m["content"] for m in body["messages"] if m["role"] == "user"]
        turn = self._turns[self._first[queries[0]], len(queries)]
        assert turn.query == queries[-1]
        where = (turn.dialogue, turn.turn)
        with self.arrived:
            asked = Asked(turn, self.counts[where])
            self.counts[where] += 1
            self.asked.append(where)
            self.arrived.notify_all()
        return self.brain(asked)

    def wait_for(self, count: int, timeout: float) -> bool:
        """Wait until so many requests have arrived in all; says whether they have."""
        with self.arrived:
            return self.arrived.wait_for(lambda: len(self.asked) >= count, timeout)


class _Peer(asyncio.Protocol):
    def __init__(self, server: FastServer) -> None:
        self._server = server
        self._received = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        self._server.peers.add(transport)

    def connection_lost(self, exc: Exception | None) -> None:
        self._server.peers.discard(self._transport)

    def data_received(self, data: bytes) -> None:
        self._received += data
        head, end, body = self._received.partition(b"\r\n\r\n")
        if not end:
            return
        length = next(int(line[15:]) for line in head.split(b"\r\n") if line.lower().startswith(b"content-length:"))
        if len(body) >= length:
            self._received = body[length:]
            served = self._server.answer(json.loads(body[:length]))
            asyncio.get_running_loop().call_later(served.delay, self._send, served)

    def _send(self, served: Served) -> None:
        if served.fault in ("stall", "hang up"):
            if served.fault == "hang up":
                self._transport.close()
            return
        told: dict[str, Any] = {**(served.body or completion({"content": served.text})), "usage": served.usage}
        if served.status != 200:
            told = {"error": {"message": served.error, "type": "some_error", "code": served.code}}
        body = b"{half" if served.fault == "garbage" else json.dumps({"id": "c", "model": "m", **told}).encode()
        waits = served.status in (429, 503) and served.retry_after is not None
        retry = b"Retry-After: %d\r\n" % served.retry_after if waits else b""
        head = b"HTTP/1.1 %d X\r\nContent-Type: application/json\r\n%sContent-Length: %d\r\n\r\n"
        self._transport.write(head % (served.status, retry, len(body) + 100 * (served.fault == "reset")) + body)
        if served.fault == "reset":
            self._transport.close()


def completion(message: dict[str, Any], finish: str = "stop") -> dict[str, Any]:
    """The body of an answer."""
    return {"choices": [{"index": 0, "finish_reason": finish, "message": {"role": "assistant", **message}}]}


@contextmanager
def fast_server(bench: InstructionBenchmark, brain: Brain, port: int = 0) -> Iterator[FastServer]:
    """Serve a benchmark; on any free port where none is told."""
    server, loop, over = FastServer(bench, brain), asyncio.new_event_loop(), asyncio.Event()
    ready = threading.Event()

    async def main() -> None:
        listening = await loop.create_server(lambda: _Peer(server), "127.0.0.1", port, backlog=1024)
        server.url = f"http://127.0.0.1:{listening.sockets[0].getsockname()[1]}/v1"
        ready.set()
        await over.wait()
        listening.close()
        for peer in list(server.peers):
            peer.abort()

    thread = threading.Thread(target=loop.run_until_complete, args=(main(),), daemon=True)
    thread.start()
    ready.wait()
    try:
        yield server
    finally:
        loop.call_soon_threadsafe(over.set)
        thread.join(10)
        loop.close()
