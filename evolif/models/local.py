"""A model on this machine's CPU: llama.cpp serves it in a child process, called like any other endpoint."""

from __future__ import annotations

import asyncio
import importlib.util
import json
import os
import secrets
import signal
import sys
import tempfile
from asyncio.subprocess import PIPE, Process
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import IO

from evolif.errors import ContextOverflowError, ModelError, UsageError
from evolif.models.base import ChatRequest, Reply
from evolif.models.endpoint import Endpoint, shown
from evolif.models.openai import OpenAIModel
from evolif.models.weights import CATALOGUE, WeightFile, find_weights, weight_path

_CHILD = Path(__file__).with_name("llama_child.py")
_GRACE = 3.0
"""Seconds between asking a child to end and killing it."""
_TAIL = 2000
"""Bytes at the end of a child's error output that are read when it does not start."""


@dataclass(frozen=True, slots=True)
class ServerSettings:
    """The served file and its share of this machine."""

    path: Path
    alias: str
    """The name the server gives itself in answers, so that no path of this machine enters a run."""
    context: int = 8192
    """Tokens of one conversation."""
    slots: int = 1
    threads: int = 1
    startup: float = 120.0
    """Seconds in which it must report; loading is fast, but a cold disk is slow."""


class LlamaServer:
    """A running child; `start` creates it, and `stop` or any end of this process ends it."""

    def __init__(self, process: Process, key: str, log: IO[bytes]) -> None:
        self._process = process
        self._log = log
        self.key = key
        self.port = 0

    def __repr__(self) -> str:
        return f"LlamaServer(pid={self.pid}, port={self.port})"

    @classmethod
    async def start(cls, settings: ServerSettings) -> LlamaServer:
        """Start a child and wait until it serves.

        Raises:
            ModelError: it could not load the file or did not report in time; the child has ended.
        """
        key = secrets.token_urlsafe(32)
        log = tempfile.TemporaryFile()  # noqa: SIM115 - lives as long as the child
        try:
            # By file, not by `-m`: it works wherever this package is, and with `-P` no file of the working directory
            # is imported. In a new session, since this process handles a Ctrl-C in the terminal.
            process = await asyncio.create_subprocess_exec(
                sys.executable, "-P", str(_CHILD), stdin=PIPE, stdout=PIPE, stderr=log, start_new_session=True
            )
        except BaseException:
            log.close()
            raise
        server = cls(process, key, log)
        try:
            server.port = await server._handshake(settings)
        except BaseException:  # also on cancellation: nothing else refers to the child yet
            await server.stop()
            raise
        return server

    @property
    def base_url(self) -> str:
        """The endpoint, on loopback."""
        return f"http://127.0.0.1:{self.port}/v1"

    @property
    def pid(self) -> int:
        """The child's process id."""
        return self._process.pid

    @property
    def running(self) -> bool:
        """Whether the child is running, as far as this process knows."""
        return self._process.returncode is None

    async def fate(self, wait: float = 1.0) -> str | None:
        """How the child ended, in words; None while it runs.

        Args:
            wait: Seconds to wait for its end: a broken connection is noticed earlier than the end of the process.
        """
        with suppress(TimeoutError):
            await asyncio.wait_for(self._process.wait(), wait)
        return None if self._process.returncode is None else _fate(self._process.returncode)

    async def stop(self) -> None:
        """End the child and wait for it; it is killed after a grace."""
        process = self._process
        if process.stdin is not None:
            process.stdin.close()
        try:
            self._signal(signal.SIGTERM)
            try:
                await asyncio.wait_for(process.communicate(), _GRACE)
            except TimeoutError:
                self._signal(signal.SIGKILL if hasattr(signal, "SIGKILL") else signal.SIGTERM)
                await process.communicate()
        finally:
            self._log.close()

    def _signal(self, number: int) -> None:
        if self._process.returncode is None:
            with suppress(ProcessLookupError):
                self._process.send_signal(number)

    async def _handshake(self, settings: ServerSettings) -> int:
        stdin, stdout = self._process.stdin, self._process.stdout
        assert stdin is not None and stdout is not None  # both are pipes
        line = json.dumps({**asdict(settings), "path": str(settings.path), "key": self.key, "parent": os.getpid()})
        with suppress(ConnectionError):  # a child that has ended reports why on the other pipe
            stdin.write(line.encode() + b"\n")
            await stdin.drain()
        try:
            answer = await asyncio.wait_for(stdout.readline(), settings.startup)
        except TimeoutError:
            raise self._failure(settings, f"it did not report within {settings.startup:g} s", retryable=True) from None
        try:
            report = json.loads(answer)
        except ValueError:
            raise self._failure(settings, await self.fate() or "it wrote no message") from None
        if "error" in report:
            raise self._failure(settings, str(report["error"]))
        return int(report["port"])

    def _failure(self, settings: ServerSettings, what: str, *, retryable: bool = False) -> ModelError:
        error = self._last_error()
        text = f"the local model {settings.alias} could not be started from {settings.path.name}: {what}"
        told = f"{text}{f' ({error})' if error else ''}."
        return ModelError(told.replace(f"{settings.path.parent}{os.sep}", ""), retryable=retryable)

    def _last_error(self) -> str:
        """The most informative line of the child's error output, cut; the key is never written there."""
        self._log.seek(max(0, self._log.seek(0, os.SEEK_END) - _TAIL))
        lines = [line.strip() for line in self._log.read().decode("utf-8", "replace").splitlines() if line.strip()]
        errors = [line for line in lines if "error loading model" in line or "Error" in line]
        line = (errors or lines or [""])[-1]
        return "".join(c for c in line if c.isprintable())[:300]


def _fate(returncode: int) -> str:
    if returncode >= 0:
        return f"it exited with code {returncode}"
    try:
        return f"it was killed by {signal.Signals(-returncode).name}"
    except ValueError:
        return f"it was killed by signal {-returncode}"


_CONTEXT = 8192
"""Tokens for a file that is not in the catalogue; llama.cpp lowers it to the model's training context."""
_MOST_CRASHES = 4
"""Consecutive crashes without an answer after which no server is started. A conversation that crashes it is given up
after its second crash, so that other conversations continue."""
_ADVICE = "try another file or fewer threads"


class LocalModel:
    """A GGUF file, served on loopback; implements `ChatModel`."""

    def __init__(self, name: str, *, timeout: float = 600.0, connections: int = 1, context: int | None = None) -> None:
        """Find the weights; the server is started by the first call.

        Args:
            name: A model of the catalogue, or the path of a `.gguf` file.
            timeout: Seconds for one answer.
            connections: Conversations side by side; more are not faster on a CPU.
            context: Tokens of one conversation; by default those of the catalogue, else 8192.

        Raises:
            UsageError: the weights or xllamacpp are missing; the message says how to get them.
        """
        weights = find_weights(name)
        path = _find_file(name, weights)
        self._name = name if weights is not None else Path(name).name
        if importlib.util.find_spec("xllamacpp") is None:
            raise UsageError(
                f"local/{shown(name, '')} needs llama.cpp: install the extra `local` "
                "(in a checkout: pip install -e '.[local]')."
            )
        self._context = context or (weights.context if weights else _CONTEXT)
        self.connections = connections
        alias = path.stem if weights is None else name
        self._settings = ServerSettings(path, alias, self._context, connections, local_threads())
        self._timeout = timeout
        self._lock = asyncio.Lock()
        self._server: LlamaServer | None = None
        self._client: OpenAIModel | None = None
        self._crashes = 0
        """Ends of the child since the last answer."""

    def __repr__(self) -> str:
        return f"LocalModel({self._name!r})"

    @property
    def name(self) -> str:
        """`local/NAME`, of a file without its folder: no path of this machine enters a run."""
        return f"local/{self._name}"

    @property
    def timeout(self) -> float:
        """Seconds for one answer."""
        return self._timeout

    async def complete(self, request: ChatRequest) -> Reply:
        """Answer the conversation; the first call starts the server.

        Raises:
            ContextOverflowError: the conversation, or it and its answer, is longer than the context.
            ModelError: the conversation has images, or the server could not be started (neither is retryable), or it
                crashed, and the next call restarts it. A second crash without an answer in between is not retryable.
        """
        if any(message.images for message in request.messages):
            raise ModelError(f"{self.name} reads no images; choose a model of openai/ or google/ that does.")
        server, client = await self._ready()
        try:
            reply = await client.complete(request)
        except ModelError as error:
            if not error.retryable or await server.fate() is None:
                raise
        else:
            self._crashes = 0
            self._check_room(request, reply)
            return reply
        raise await self._crashed(server)

    async def aclose(self) -> None:
        """Close the connections and end the child; a later call starts another."""
        async with self._lock:
            self._crashes = 0
            await self._discard()

    async def _ready(self) -> tuple[LlamaServer, OpenAIModel]:
        async with self._lock:
            server, client = self._server, self._client
            if server is None or client is None:
                if self._crashes >= _MOST_CRASHES:
                    raise ModelError(f"{self.name}: its server keeps crashing; {_ADVICE}.")
                server, client = await self._start()
        if not server.running:  # the server ended between two calls
            raise await self._crashed(server)
        return server, client

    async def _start(self) -> tuple[LlamaServer, OpenAIModel]:
        server = await LlamaServer.start(self._settings)
        # Without the environment's proxies, which would be used for this machine's loopback too.
        endpoint = Endpoint(server.base_url, server.key, trust_env=False)
        client = OpenAIModel(self._settings.alias, endpoint, label=self.name, timeout=self._timeout)
        self._server, self._client = server, client
        return server, client

    async def _crashed(self, server: LlamaServer) -> ModelError:
        """The error for a crashed server, which is discarded once for all waiting calls."""
        async with self._lock:
            if server is self._server:
                self._crashes += 1
                await self._discard()
        what = f"{self.name}: its server crashed ({await server.fate()})"
        if self._crashes > 1:
            return ModelError(f"{what}, twice in a row; {_ADVICE}.")
        return ModelError(f"{what}; the next call restarts it.", retryable=True)

    async def _discard(self) -> None:
        server, client, self._server, self._client = self._server, self._client, None, None
        try:
            if client is not None:
                await client.aclose()
        finally:
            if server is not None:
                await server.stop()

    def _check_room(self, request: ChatRequest, reply: Reply) -> None:
        """Refuse an answer that was cut at the end of the context, not at the token limit: the session is censored."""
        used, limit = reply.usage, request.sampling.max_tokens
        if used.prompt_tokens + used.completion_tokens < self._context:
            return
        if limit is None or used.completion_tokens < limit:
            raise ContextOverflowError(
                f"{self.name}: the conversation and the answer fill its context of {self._context} tokens."
            )


def local_threads() -> int:
    """Threads that the model computes with: `EVOLIF_LOCAL_THREADS`, else half of the usable processors.

    Measured with SmolLM2-135M on two cores, in tokens per second for one conversation: idle machine, 1 thread 72-80,
    2 threads 87-127; one core busy, 1 thread 74-78, 2 threads 15. The threads wait for each other at every layer, so a
    busy core stops them all, and this program is busy: using half the cores costs little speed and never collapses.

    Raises:
        UsageError: the variable is not a number from 1 to 1024.
    """
    configured = os.environ.get("EVOLIF_LOCAL_THREADS", "").strip()
    if not configured:
        usable = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
        return max(1, usable // 2)
    if not (configured.isascii() and configured.isdigit() and 0 < int(configured) <= 1024):
        raise UsageError("EVOLIF_LOCAL_THREADS must be a whole number from 1 to 1024.")
    return int(configured)


def _find_file(name: str, weights: WeightFile | None) -> Path:
    if weights is not None:
        path = weight_path(name)
        if not path.is_file() or path.stat().st_size != weights.size:
            raise UsageError(f"the weights of local/{name} are not downloaded yet: run `evolif models fetch {name}`.")
        return path
    path = Path(name).expanduser()
    known = ", ".join(w.name for w in CATALOGUE)
    try:
        with path.open("rb") as stream:
            if stream.read(4) == b"GGUF":
                return path.resolve()
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or "not a path"
        raise UsageError(f"local/{shown(name, '')}: {reason}; name a .gguf file or one of: {known}.") from error
    raise UsageError(f"local/{shown(name, '')} is not a GGUF file; name a GGUF file or one of: {known}.")
