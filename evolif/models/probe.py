"""What an endpoint can do, found out by a few short calls.

The first call is the one that every evaluation begins with: a system message, a seed and a longest answer. Where it
tells something already, such as the usage or the reasoning, nothing is asked again. A call that the endpoint refuses is
no answer and costs nothing.
"""

from __future__ import annotations

import json
import struct
import time
import zlib
from collections.abc import AsyncGenerator, AsyncIterator, Iterator, Mapping
from dataclasses import dataclass, field, replace
from importlib import import_module
from secrets import randbelow
from typing import Any

from evolif.errors import AccessError, EvolifError, ModelError, OutsideError
from evolif.models.base import ChatModel, ChatRequest, Reply, Sampling
from evolif.models.dialect import Dialect
from evolif.models.endpoint import ModelName, resolve_endpoint
from evolif.models.faults import mapping
from evolif.models.google import resolve_google
from evolif.models.listing import list_models
from evolif.models.open import client_of, open_client
from evolif.models.parameters import Parameters
from evolif.models.refused_parameters import LIMITS, ROLE, SYSTEM
from evolif.text import plural
from evolif.types import Image, Message

YES, NO, UNCLEAR, UNASKED = "yes", "no", "unclear", "not asked"
MOST_CALLS = 5
"""Answers that are asked for at most, without those that are refused."""
ROOM = 1_000
"""The longest first answer in tokens: enough for a reasoning model to think about a word."""
SHORT = 16
"""The longest answer of the call that finds out whether it is kept."""
_SLACK = 4
"""Tokens by which servers count the end of an answer differently."""
_TEMPERATURE = 0.5
_SCHEMA = {
    "type": "object",
    "properties": {"sum": {"type": "integer"}},
    "required": ["sum"],
    "additionalProperties": False,
}
_OUT_OF_ROOM = "model output limit was reached"
_EFFORT = "reasoning_effort"
_PARTS_OF_USAGE = (
    ("prompt_tokens_details", "cached_tokens", "cached"),
    ("completion_tokens_details", "reasoning_tokens", "reasoning"),
)


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that an endpoint can do, or not."""

    what: str
    """A word or two, such as `system role`."""
    state: str
    """`yes`, `no`, `unclear` or `not asked`."""
    detail: str = ""


@dataclass(slots=True)
class Probe:
    """The calls of one model, and what they told.

    Args:
        name: The model.
        timeout: Seconds for each call; None for the usual ones.
    """

    name: ModelName
    timeout: float | None = None
    fault: EvolifError | None = None
    """Why the model cannot be evaluated; None if it can."""
    calls: int = 0
    """How many answers were asked for."""
    reasons: bool = False
    """Whether it reported reasoning."""
    limit: str | None = LIMITS[0]
    """The key of the longest answer that is accepted; None if there is none."""
    _usage: Mapping[str, Any] = field(default_factory=dict)
    """As the endpoint reports it of the last answer."""

    def key(self) -> Finding:
        """Where the key comes from; its value is nowhere.

        Raises:
            UsageError: its variable, or one of the address, is missing.
        """
        kind = client_of(self.name)
        if kind == "local":
            return Finding("key", NO, "none is needed")
        if kind not in ("openai", "google"):
            return Finding("key", UNASKED, "the plug-in's own")
        endpoint = resolve_endpoint(self.name) if kind == "openai" else resolve_google(self.name)
        return Finding("key", YES if endpoint.key_env else NO, endpoint.key_env or "none is sent")

    async def run(self, *, quick: bool = False) -> AsyncGenerator[Finding]:
        """Make the calls.

        Args:
            quick: Only the first one.

        Raises:
            UsageError: the name, its key or its weights are missing or wrong.
        """
        import_module("evolif.models.transport")  # with the SDK, so that the time of the first answer is the endpoint's
        model = self._open(Parameters())
        try:
            async for finding in self._first(model):
                yield finding
            if self.fault is None and quick and self.limit is not None:
                yield Finding("longest answer", UNASKED, f"--max-tokens is sent as {self.limit}")
            elif self.fault is None and not quick:
                async for finding in self._others(model):
                    yield finding
        finally:
            await model.aclose()

    def _open(self, parameters: Parameters) -> ChatModel:
        model = open_client(self.name, self.timeout, parameters)
        if hasattr(model, "heard"):
            model.heard = self._hear
        return model

    def _hear(self, body: Mapping[str, Any]) -> None:
        self._usage = mapping(body.get("usage"))

    async def _ask(self, model: ChatModel, request: ChatRequest) -> Reply:
        self._usage = {}
        reply = await model.complete(request)
        self.calls += 1
        return reply

    async def _first(self, model: ChatModel) -> AsyncIterator[Finding]:
        number = str(1000 + randbelow(9000))
        system = Message("system", f"The number of this conversation is {number}. Say it when you are asked for it.")
        user = Message("user", "What is the number of this conversation? Answer with the number alone.")
        request = ChatRequest((system, user), Sampling(max_tokens=ROOM, seed=1))
        refused: list[Finding] = []
        while True:
            began = time.monotonic()
            try:
                reply = await self._ask(model, request)
                break
            except ModelError as fault:
                less = self._without(request, fault, refused)
                if less is None:
                    self.fault = fault
                    for finding in (*_reached(fault), Finding("answers", NO, str(fault))):
                        yield finding
                    return
                request = less
        yield Finding("reachable", YES, f"first answer after {time.monotonic() - began:.1f} s")
        yield _answer(reply)
        for finding in (*refused, *self._told(model, request, reply, number)):
            yield finding

    def _without(self, request: ChatRequest, fault: ModelError, refused: list[Finding]) -> ChatRequest | None:
        """The first request without what is refused; None where that is all of it."""
        if fault.parameter in (SYSTEM, ROLE) and len(request.messages) > 1:
            refused.append(Finding("system role", NO, "refused: scenarios with a system text cannot be played"))
            return replace(request, messages=request.messages[1:])
        if fault.parameter in LIMITS and request.sampling.max_tokens is not None and self.limit is not None:
            self.limit = None
            refused.append(Finding("longest answer", NO, "max_tokens and max_completion_tokens are refused"))
            return replace(request, sampling=replace(request.sampling, max_tokens=None))
        return None

    def _told(self, model: ChatModel, request: ChatRequest, reply: Reply, number: str) -> list[Finding]:
        """What the first answer tells besides itself."""
        found: list[Finding] = []
        dialect: Dialect | None = getattr(model, "dialect", None)
        if len(request.messages) > 1:
            found.append(_system(reply, number, dialect))
        if self.limit is not None and dialect is not None:
            self.limit = dialect.limit
        if dialect is not None:
            found.append(
                Finding("seed", YES if dialect.seed else NO, "" if dialect.seed else "refused: it is left out")
            )
        return [*found, self._reasoning(reply), self._counted(reply)]

    def _reasoning(self, reply: Reply) -> Finding:
        tokens = mapping(self._usage.get("completion_tokens_details")).get("reasoning_tokens")
        counted = f"{tokens} tokens" if isinstance(tokens, int) and tokens > 0 else ""
        self.reasons = bool(counted or reply.reasoning)
        how = ", ".join(filter(None, (counted, "its text is shown" if reply.reasoning else "")))
        return Finding("reasoning", YES if self.reasons else NO, how or "none is reported")

    def _counted(self, reply: Reply) -> Finding:
        usage = reply.usage
        if not usage.tokens:
            return Finding("usage", NO, "not reported: costs and budgets are estimated")
        told = [f"{usage.prompt_tokens} prompt", f"{usage.completion_tokens} completion"]
        for key, inner, word in _PARTS_OF_USAGE:
            value = mapping(self._usage.get(key)).get(inner)
            told += [f"{value} {word}"] if isinstance(value, int) else []
        return Finding("usage", YES, f"{', '.join(told)} tokens")

    async def _others(self, model: ChatModel) -> AsyncIterator[Finding]:
        for finding in await self._limits(model):
            yield finding
        if client_of(self.name) == "openai":
            yield await self._effort()
        yield await self._schema(model)
        yield await self._image(model)
        if client_of(self.name) in ("openai", "google"):
            yield await self._listed()

    async def _limits(self, model: ChatModel) -> list[Finding]:
        """Temperature and longest answer, by one call that is refused for the temperature at most once."""
        request = ChatRequest(
            (Message("user", "Count from 1 to 100 in digits, separated by spaces. Write nothing else."),),
            Sampling(_TEMPERATURE, SHORT if self.limit is not None else ROOM, 1),
        )
        warm = Finding("temperature", YES)
        try:
            try:
                reply = await self._ask(model, request)
            except ModelError as fault:
                if fault.parameter != "temperature":
                    raise
                warm = Finding("temperature", NO, "refused: leave out --temperature")
                reply = await self._ask(model, replace(request, sampling=replace(request.sampling, temperature=None)))
        except ModelError as fault:
            if _OUT_OF_ROOM in str(fault):  # what OpenAI says of reasoning models
                return [warm, Finding("longest answer", YES, f"--max-tokens is sent as {self.limit}, and kept")]
            unclear = warm if warm.state == NO else Finding("temperature", UNCLEAR, str(fault))
            return [unclear, *([] if self.limit is None else [Finding("longest answer", UNCLEAR, str(fault))])]
        return [warm, *([] if self.limit is None else [self._kept(reply)])]

    def _kept(self, reply: Reply) -> Finding:
        count = reply.usage.completion_tokens  # 0 if unknown
        if reply.truncated or 0 < count <= SHORT + _SLACK:
            return Finding("longest answer", YES, f"--max-tokens is sent as {self.limit}, and kept")
        told = f" of {count} tokens" if count else ""
        return Finding("longest answer", NO, f"an answer{told} came though {self.limit} was {SHORT}")

    async def _effort(self) -> Finding:
        if _EFFORT in self.name.parameters.body or "reasoning" in self.name.parameters.body:
            return Finding(_EFFORT, UNASKED, "the model's name sets it already")
        request = ChatRequest((Message("user", "What is 17 + 25? Answer with the number alone."),))
        request = replace(request, sampling=Sampling(max_tokens=None if self.limit is None else ROOM))
        model = self._open(Parameters({_EFFORT: "low"}))
        try:
            await self._ask(model, request)
        except ModelError as fault:
            if fault.parameter == _EFFORT or _EFFORT in str(fault):
                return Finding(_EFFORT, NO, "refused")
            return Finding(_EFFORT, UNCLEAR, str(fault))
        finally:
            await model.aclose()
        tokens = mapping(self._usage.get("completion_tokens_details")).get("reasoning_tokens")
        counted = f": {tokens} tokens of reasoning with low" if isinstance(tokens, int) else ""
        return Finding(_EFFORT, YES, f"accepted{counted or ', which some servers do without a use for it'}")

    async def _schema(self, model: ChatModel) -> Finding:
        question = Message("user", "What is 17 + 25? Answer as JSON with the key sum.")
        request = ChatRequest((question,), Sampling(max_tokens=None if self.limit is None else ROOM), _SCHEMA)
        what = "JSON schema"
        try:
            reply = await self._ask(model, request)
        except ModelError as fault:
            if fault.retryable:
                return Finding(what, UNCLEAR, str(fault))
            return Finding(what, NO, "refused: as a judge it is asked for JSON in words")
        try:
            fits = isinstance(mapping(json.loads(reply.text)).get("sum"), int)
        except (ValueError, RecursionError):
            fits = False
        return Finding(what, YES if fits else NO, "" if fits else "accepted, but the answer does not fit it")

    async def _image(self, model: ChatModel) -> Finding:
        picture = Image(red_square(), "image/png")
        question = Message("user", "Which colour has this picture? Answer with one word.", (picture,))
        request = ChatRequest((question,), Sampling(max_tokens=None if self.limit is None else ROOM))
        try:
            reply = await self._ask(model, request)
        except ModelError as fault:
            return Finding("images", UNCLEAR if fault.retryable else NO, str(fault))
        seen = "red" in reply.text.lower()
        return Finding(
            "images", YES if seen else UNCLEAR, "" if seen else "accepted, but the picture was not recognised"
        )

    async def _listed(self) -> Finding:
        try:
            listing = await list_models(self.name, self.timeout or 60.0)
        except ModelError as fault:
            return Finding("list of models", UNCLEAR, str(fault))
        except OutsideError:
            return Finding("list of models", NO, "none")
        there = self.name.name in listing.ids
        count = plural(len(listing.ids), "model")
        return Finding("list of models", YES, f"{count}, {'' if there else 'not '}this one among them")


def _reached(fault: ModelError) -> Iterator[Finding]:
    """Whether the endpoint answered at all, where a fault tells it."""
    if isinstance(fault, AccessError) or fault.short.startswith("status"):
        yield Finding("reachable", YES)
    elif fault.short:
        yield Finding("reachable", NO, fault.short)


def _answer(reply: Reply) -> Finding:
    if reply.text.strip():
        return Finding("answers", YES, f"as {reply.served_by}" if reply.served_by else "")
    if reply.truncated:
        return Finding("answers", UNCLEAR, f"nothing but reasoning within {ROOM} tokens")
    return Finding("answers", NO, "an empty text")


def _system(reply: Reply, number: str, dialect: Dialect | None) -> Finding:
    as_developer = dialect is not None and dialect.system != "system"
    how = "sent as developer" if as_developer else ""
    if number in reply.text:
        return Finding("system role", YES, how)
    return Finding("system role", UNCLEAR if not reply.text.strip() else NO, "its answer does not show what it says")


def red_square(side: int = 64) -> bytes:
    """A red picture as PNG, large enough for services that refuse tiny ones.

    Args:
        side: In pixels.
    """
    rows = (b"\x00" + b"\xff\x00\x00" * side) * side
    chunks = (
        (b"IHDR", struct.pack(">IIBBBBB", side, side, 8, 2, 0, 0, 0)),
        (b"IDAT", zlib.compress(rows)),
        (b"IEND", b""),
    )
    packed = (struct.pack(">I", len(d)) + k + d + struct.pack(">I", zlib.crc32(k + d)) for k, d in chunks)
    return b"\x89PNG\r\n\x1a\n" + b"".join(packed)
