"""How fast the SDK's transports answer at a latency of 0.2 s, side by side against a server of our own.

.venv/bin/python benchmarks/transport.py [in flight] [calls] [rounds]
"""

from __future__ import annotations

import asyncio
import importlib.util
import json
import multiprocessing
import statistics
import sys
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from multiprocessing.connection import Connection
from typing import Any

LATENCY = 0.2
WAIT = 60.0
"""Seconds without an answer that are no fault here: a client that collapses is slow and not broken."""
HISTORY = [{"role": "user", "content": "Write something about the sea, please. " * 8}] * 9
BODY: dict[str, Any] = {"model": "tiny", "messages": HISTORY}
ANSWER = json.dumps({
    "id": "c1", "object": "chat.completion", "created": 1, "model": "tiny",
    "choices": [{"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": "The sea. " * 100}}],
    "usage": {"prompt_tokens": 700, "completion_tokens": 200, "total_tokens": 900},
}).encode()  # fmt: skip

Call = Callable[[], Awaitable[object]]


class Peer(asyncio.Protocol):
    """One connection of the server: every request is answered after the latency."""

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
            asyncio.get_running_loop().call_later(LATENCY, self.answer)

    def answer(self) -> None:
        head = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n" % len(ANSWER)
        self.transport.write(head + ANSWER)


def serve(told: Connection) -> None:
    async def main() -> None:
        server = await asyncio.get_running_loop().create_server(Peer, "127.0.0.1", 0, backlog=1024)
        told.send(server.sockets[0].getsockname()[1])
        await asyncio.Event().wait()

    asyncio.run(main())


@asynccontextmanager
async def sdk(url: str, http_client: Any = None, *, bare: bool = False) -> AsyncIterator[Call]:
    """The SDK's own method, or (`bare`) its untyped `post`, which skips walking through the history."""
    import httpx2
    import openai

    async with openai.AsyncOpenAI(
        api_key="none", base_url=url, max_retries=0, timeout=WAIT, http_client=http_client
    ) as client:
        if bare:
            yield lambda: client.post("/chat/completions", body=BODY, cast_to=httpx2.Response)
        else:
            yield lambda: client.chat.completions.with_raw_response.create(**BODY)


@asynccontextmanager
async def sharded(url: str, shards: int, limits: Any) -> AsyncIterator[Call]:
    import openai

    clients = [
        openai.AsyncOpenAI(
            api_key="none",
            base_url=url,
            max_retries=0,
            http_client=openai.DefaultAsyncHttpxClient(timeout=WAIT, limits=limits),
        )
        for _ in range(shards)
    ]
    turn = iter(range(10**9))
    yield lambda: clients[next(turn) % shards].chat.completions.with_raw_response.create(**BODY)
    for client in clients:
        await client.close()


@asynccontextmanager
async def bare_aiohttp(url: str) -> AsyncIterator[Call]:
    import aiohttp

    async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0)) as session:

        async def call() -> object:
            async with session.post(f"{url}/chat/completions", json=BODY) as response:
                return await response.json()

        yield call


@asynccontextmanager
async def ours(url: str, max_connections: int | None) -> AsyncIterator[Call]:
    from evolif.models import ChatRequest, managed, open_model
    from evolif.types import Message

    model = managed(open_model("openai/tiny", base_url=url), max_connections)
    request = ChatRequest(tuple(Message("user", m["content"]) for m in HISTORY))
    yield lambda: model.complete(request)
    await model.aclose()


def variants(url: str) -> dict[str, Callable[[], Any]]:
    import httpx2
    import openai

    def httpx(connections: int, idle: int) -> Any:
        return openai.DefaultAsyncHttpxClient(
            timeout=WAIT, limits=httpx2.Limits(max_connections=connections, max_keepalive_connections=idle)
        )

    few = httpx2.Limits(max_connections=1000, max_keepalive_connections=1000)
    found: dict[str, Callable[[], Any]] = {
        "SDK, default pool (httpx2)": lambda: sdk(url),
        "SDK, default pool, untyped post": lambda: sdk(url, bare=True),
        "SDK, httpx2 100/20": lambda: sdk(url, httpx(100, 20)),
        "SDK, httpx2 1000/1000": lambda: sdk(url, httpx(1000, 1000)),
        "SDK, httpx2 in 10 shards": lambda: sharded(url, 10, few),
    }
    if importlib.util.find_spec("aiohttp"):
        found |= {
            "SDK, aiohttp": lambda: sdk(url, openai.DefaultAioHttpClient(timeout=WAIT)),
            "SDK, aiohttp, untyped post": lambda: sdk(url, openai.DefaultAioHttpClient(timeout=WAIT), bare=True),
            "evolif's client, places fixed": lambda: ours(url, 1000),
            "evolif's client, adaptive": lambda: ours(url, None),
            "no SDK, aiohttp": lambda: bare_aiohttp(url),
        }
    return found


async def measure(opened: Any, in_flight: int, calls: int) -> tuple[float, float]:
    """(calls a second, ms of this process's CPU a call), connections made beforehand."""
    async with opened as call:
        await asyncio.gather(*(call() for _ in range(in_flight)))
        left = iter(range(calls))

        async def work() -> None:
            for _ in left:
                await call()

        wall, cpu = time.perf_counter(), time.process_time()
        await asyncio.gather(*(work() for _ in range(in_flight)))
        return calls / (time.perf_counter() - wall), 1000 * (time.process_time() - cpu) / calls


def main() -> None:
    numbers = [int(word) for word in sys.argv[1:]]
    in_flight, calls, rounds = (*numbers, *(200, 2000, 3)[len(numbers) :])
    here, there = multiprocessing.Pipe()
    server = multiprocessing.Process(target=serve, args=(there,), daemon=True)
    server.start()
    ways = variants(f"http://127.0.0.1:{here.recv()}/v1")
    taken: dict[str, list[tuple[float, float]]] = {name: [] for name in ways}
    for _ in range(rounds):
        for name, opened in ways.items():
            taken[name].append(asyncio.run(measure(opened(), in_flight, calls)))
    print(f"{in_flight} in flight, {calls} calls, latency {LATENCY} s: ideal {in_flight / LATENCY:.0f} calls a second")
    for name, figures in taken.items():
        speeds = [speed for speed, _ in figures]
        cpu = statistics.median(ms for _, ms in figures)
        print(f"{name:34} {statistics.median(speeds):6.0f} ({min(speeds):.0f}-{max(speeds):.0f})  {cpu:.2f} ms CPU")
    server.terminate()


if __name__ == "__main__":
    main()
