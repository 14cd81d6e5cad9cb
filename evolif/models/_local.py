"""A real model on this machine's CPU: llama.cpp in a child process, spoken to like any other endpoint."""

from __future__ import annotations

import asyncio
import importlib.util
import os
from pathlib import Path

from evolif._errors import ContextOverflowError, ModelError, UsageError
from evolif.models._base import ChatRequest, Reply
from evolif.models._endpoint import Endpoint
from evolif.models._local_server import LlamaServer, ServerSettings
from evolif.models._names import shown
from evolif.models._openai import OpenAIModel
from evolif.models._weights import CATALOGUE, find_weights, weight_path

_CONTEXT = 8192
"""Tokens for a file that is not in the catalogue; llama.cpp lowers it to what the model was trained for."""
_MOST_CRASHES = 4
"""Crashes without an answer between them, after which no server is started any more. One conversation that crashes it
is given up at its second crash; the others must not pay for it."""
_TRY = "try another file or fewer threads"


class LocalModel:
    """A GGUF file, served on loopback; implements `ChatModel`."""

    def __init__(self, name: str, *, timeout: float = 600.0, connections: int = 1, context: int | None = None) -> None:
        """Find the weights; the server is started by the first call.

        Args:
            name: a model of the catalogue, or the path of a `.gguf` file.
            timeout: seconds for one answer.
            connections: conversations held side by side; more do not go faster on a CPU.
            context: tokens of one conversation; by default what the catalogue says, else 8192.

        Raises:
            UsageError: the weights or xllamacpp are missing; the sentence says how to get them.
        """
        weights = find_weights(name)
        self._name = name
        path = _file_of(name)
        if importlib.util.find_spec("xllamacpp") is None:
            raise UsageError(
                f"local/{shown(name, '')} needs llama.cpp: install the extra `local`, "
                "in a checkout by pip install -e '.[local]'."
            )
        self._context = context or (weights.context if weights else _CONTEXT)
        self._connections = connections
        self._settings = ServerSettings(
            path, path.stem if weights is None else name, self._context, connections, local_threads()
        )
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
        """`local/NAME`."""
        return f"local/{self._name}"

    @property
    def connections(self) -> int:
        """How many sessions it is worth running side by side by default."""
        return self._connections

    async def complete(self, request: ChatRequest) -> Reply:
        """Answer the conversation; the first call starts the server.

        Raises:
            ContextOverflowError: the conversation, or it and its answer, is longer than the context.
            ModelError: the server could not be started (not retryable), or it crashed: the next call starts it again.
                A second crash without an answer between them is not retryable.
        """
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
        raise await self._bury(server)

    async def aclose(self) -> None:
        """Close the connections and end the child; a later call starts a new one."""
        async with self._lock:
            self._crashes = 0
            await self._discard()

    async def _ready(self) -> tuple[LlamaServer, OpenAIModel]:
        async with self._lock:
            server, client = self._server, self._client
            if server is None or client is None:
                if self._crashes >= _MOST_CRASHES:
                    raise ModelError(f"{self.name}: its server crashed again and again; {_TRY}.")
                server, client = await self._start()
        if not server.running:  # it died while nothing was asked of it
            raise await self._bury(server)
        return server, client

    async def _start(self) -> tuple[LlamaServer, OpenAIModel]:
        server = await LlamaServer.start(self._settings)
        # Proxies are left out, or the environment's would be asked for this machine's own loopback.
        endpoint = Endpoint(server.base_url, server.key, trust_env=False)
        client = OpenAIModel(
            self._settings.alias,
            endpoint,
            label=self.name,
            timeout=self._timeout,
            connections=self._connections,
        )
        self._server, self._client = server, client
        return server, client

    async def _bury(self, server: LlamaServer) -> ModelError:
        """Put a dead server away, once for all calls that were waiting for it, and say what happened."""
        async with self._lock:
            if server is self._server:
                self._crashes += 1
                await self._discard()
        what = f"{self.name}: its server crashed ({await server.fate()})"
        if self._crashes > 1:
            return ModelError(f"{what}, twice in a row; {_TRY}.")
        return ModelError(f"{what}; the next call starts it again.", retryable=True)

    async def _discard(self) -> None:
        server, client, self._server, self._client = self._server, self._client, None, None
        try:
            if client is not None:
                await client.aclose()
        finally:
            if server is not None:
                await server.stop()

    def _check_room(self, request: ChatRequest, reply: Reply) -> None:
        """Tell an answer cut by the end of the context (the session is censored) from one cut at the token limit."""
        used, limit = reply.usage, request.sampling.max_tokens
        if used.prompt_tokens + used.completion_tokens < self._context:
            return
        if limit is None or used.completion_tokens < limit:
            raise ContextOverflowError(
                f"{self.name}: conversation and answer fill its context of {self._context} tokens."
            )


def local_threads() -> int:
    """How many threads the model computes with: `EVOLIF_LOCAL_THREADS`, else half of the usable processors.

    Measured with SmolLM2-135M on two cores, tokens per second for one conversation: idle machine, 1 thread 72-80,
    2 threads 87-127; one core busy, 1 thread 74-78, 2 threads 15. The threads wait for each other at every layer, so a
    busy core stops them all, and this program itself is busy: half costs little and never collapses.

    Raises:
        UsageError: the variable is no positive number.
    """
    configured = os.environ.get("EVOLIF_LOCAL_THREADS", "").strip()
    if not configured:
        usable = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
        return max(1, usable // 2)
    if not (configured.isascii() and configured.isdigit() and 0 < int(configured) <= 1024):
        raise UsageError("EVOLIF_LOCAL_THREADS must be a whole number from 1 to 1024.")
    return int(configured)


def _file_of(name: str) -> Path:
    weights = find_weights(name)
    if weights is not None:
        path = weight_path(name)
        if not path.is_file() or path.stat().st_size != weights.size:
            raise UsageError(f"the weights of local/{name} are not here yet: run `evolif models fetch {name}`.")
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
    raise UsageError(f"local/{shown(name, '')} is no GGUF file; name one, or one of: {known}.")
