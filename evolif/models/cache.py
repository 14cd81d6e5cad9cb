"""Replies stored on disk by the content of their request, so that no run with this cache repeats one.

One SQLite file holds each message once. Keys never enter it: an endpoint is stored without user, password and query,
and a request has no header.
"""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import asdict, astuple, dataclass, field, replace
from hashlib import blake2b
from itertools import zip_longest
from pathlib import Path
from typing import Any

from evolif.models.base import ChatRequest, Reply
from evolif.text import plural
from evolif.types import Message, Usage
from evolif.util.sqlite_file import SqliteFile

CACHE_FILE = "requests.sqlite"


@dataclass(frozen=True, slots=True)
class CachedCall:
    """Everything in a request that may affect its answer."""

    model: str
    """`provider/name`."""
    endpoint: str
    """Empty for the provider's own endpoint."""
    epoch: int
    """Repetition of the dialogue."""
    repeat: int
    """How often this run has deliberately repeated the request."""
    temperature: float | None
    max_tokens: int | None
    seed: int | None
    schema: str
    """Empty if there is none."""
    messages: tuple[bytes, ...]
    """Their digests."""
    parameters: str = ""
    """What else is said with every request, as JSON; empty for nothing."""

    @classmethod
    def of(cls, model: str, endpoint: str, request: ChatRequest, parameters: str = "") -> CachedCall:
        """A request that is sent for the first time."""
        schema = "" if request.schema is None else json.dumps(request.schema, sort_keys=True)
        digests = tuple(_digest(message) for message in request.lasting)
        temperature, max_tokens, seed = astuple(request.sampling)
        return cls(model, endpoint, request.epoch, 0, temperature, max_tokens, seed, schema, digests, parameters)

    @property
    def settings(self) -> str:
        """Everything except the messages, as JSON."""
        fields = asdict(self)
        del fields["messages"]
        if not self.parameters:  # so that replies stored before there were any are found
            del fields["parameters"]
        return json.dumps(fields, sort_keys=True)

    @property
    def key(self) -> bytes:
        """Key of the stored reply."""
        return blake2b(self.settings.encode() + b"".join(self.messages), digest_size=16).digest()


def _digest(message: Message) -> bytes:
    if not message.images:
        return blake2b(f"{message.role}\n{message.content}".encode("utf-8", "replace"), digest_size=16).digest()
    images = [(image.media_type, image.digest) for image in message.images]
    # `person` keeps it apart from any message without images, whatever that one says.
    content = json.dumps([message.role, message.content, images]).encode()
    return blake2b(content, digest_size=16, person=b"images").digest()


def _words(message: Message) -> str:
    """What is stored of a message, for explanations: its text, and the names of its images."""
    return _storable(" ".join([message.content, *(f"[{i.media_type} {i.digest[:12]}]" for i in message.images)]))


class CacheStore:
    """The cache's file, used by one thread at a time and by any number of processes.

    Its calls raise `OutsideError` where the file cannot be used.

    Args:
        folder: The file's folder; created for this user only if missing.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._file = SqliteFile(
            folder / CACHE_FILE,
            _SCHEMA,
            lambda fault: (
                f"the request cache in {folder} cannot be used ({fault}); choose another "
                "folder with --cache-dir, or run without the cache"
            ),
            make_folder=True,
        )

    def get(self, call: CachedCall) -> Reply | None:
        """The stored reply."""
        with self._file.connection() as file:
            row = file.execute(
                "SELECT text, reasoning, truncated, served_by FROM request WHERE key = ?", (call.key,)
            ).fetchone()
        if row is None:
            return None
        text, reasoning, truncated, served_by = row
        return Reply(text, reasoning, bool(truncated), Usage(), served_by, cached=True)

    def put(self, call: CachedCall, messages: Sequence[Message], reply: Reply) -> None:
        """Store a reply; an earlier one stays."""
        words = [(d, m.role, _words(m)) for d, m in zip(call.messages, messages, strict=True)]
        row = (call.key, call.settings, b"".join(call.messages))
        answer = (_storable(reply.text), _storable(reply.reasoning), int(reply.truncated), reply.served_by)
        with self._file.connection() as file, file:
            file.executemany("INSERT OR IGNORE INTO message VALUES (?, ?, ?)", words)
            file.execute("INSERT OR IGNORE INTO request VALUES (?, ?, ?, ?, ?, ?, ?)", (*row, *answer))

    def near(self, prefix: bytes, limit: int) -> list[tuple[str, bytes]]:
        """(settings, joined digests of the messages) of requests whose messages begin with `prefix`."""
        with self._file.connection() as file:
            return file.execute(
                "SELECT settings, messages FROM request WHERE messages >= ? AND messages < ? LIMIT ?",
                (prefix, prefix + b"\xff" * 17, limit),
            ).fetchall()

    def words(self, digest: bytes) -> tuple[str, str]:
        """Role and text of a stored message."""
        with self._file.connection() as file:
            role, words = file.execute("SELECT role, words FROM message WHERE digest = ?", (digest,)).fetchone()
        return role, words

    def close(self) -> None:
        """Close the file; a later call opens it again."""
        self._file.close()


def _storable(text: str) -> str:
    return text.encode("utf-8", "replace").decode("utf-8")


_SCHEMA = """
CREATE TABLE IF NOT EXISTS message (
    digest BLOB PRIMARY KEY,
    role TEXT NOT NULL,
    words TEXT NOT NULL
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS request (
    key BLOB PRIMARY KEY,
    settings TEXT NOT NULL,
    messages BLOB NOT NULL,      -- digests of 16 bytes, so that a conversation's beginning is a prefix
    text TEXT NOT NULL,
    reasoning TEXT NOT NULL,
    truncated INTEGER NOT NULL,
    served_by TEXT NOT NULL
);
CREATE INDEX IF NOT EXISTS request_messages ON request (messages);
"""


_CANDIDATES = 64
_CLIP = 60
"""Characters of a text that are shown."""


def explain_miss(store: CacheStore, call: CachedCall, messages: Sequence[Message]) -> str:
    """Name the nearest stored request: it shares the longest beginning of the conversation, then the most settings."""
    for shared in range(len(call.messages), 0, -1):
        found = store.near(b"".join(call.messages[:shared]), _CANDIDATES)
        if found:
            settings, stored = min(found, key=lambda row: _distance(row, call))
            return f"nearest request: {'; '.join(_differences(store, call, messages, settings, stored))}"
    return "no stored request starts with the same message"


def _distance(row: tuple[str, bytes], call: CachedCall) -> tuple[int, int, bytes]:
    settings, stored = row
    mine, theirs = json.loads(call.settings), json.loads(settings)
    digests = _digests(stored)
    other = sum(a != b for a, b in zip_longest(call.messages, digests))
    return other, sum(mine[name] != theirs.get(name) for name in mine), stored


def _differences(
    store: CacheStore, call: CachedCall, messages: Sequence[Message], settings: str, stored: bytes
) -> list[str]:
    mine, theirs = json.loads(call.settings), json.loads(settings)
    parts = [
        f"{name} is {_value(mine[name])} here and {_value(theirs.get(name))} there"
        for name in mine
        if mine[name] != theirs.get(name)
    ]
    digests = _digests(stored)
    first = next((i for i, (a, b) in enumerate(zip(call.messages, digests, strict=False)) if a != b), None)
    if first is not None:
        _, words = store.words(digests[first])
        own = _words(messages[first])
        here, there = excerpt(own, words), excerpt(words, own)
        parts.append(f"message {first + 1} ({messages[first].role}) is “{here}” here and “{there}” there")
    elif len(digests) != len(call.messages):
        parts.append(f"this request has {plural(len(call.messages), 'message')}, the stored one {len(digests)}")
    return parts


def _digests(stored: bytes) -> list[bytes]:
    return [stored[i : i + 16] for i in range(0, len(stored), 16)]


def _value(value: object) -> str:
    return "not given" if value is None or value == "" else str(value)[:_CLIP]


def excerpt(text: str, other: str) -> str:
    """The part of a text, on one line, where it begins to differ from another."""
    same = next((i for i, (a, b) in enumerate(zip(text, other, strict=False)) if a != b), min(len(text), len(other)))
    start = max(0, same - _CLIP // 2)
    part = " ".join(text[start : start + _CLIP].split())
    return f"{'…' * (start > 0)}{part}{'…' * (start + _CLIP < len(text))}"


@dataclass(slots=True)
class RequestCache:
    """The cache of one run, with its hits and misses."""

    store: CacheStore
    explain: Callable[[str], None] | None = None
    """Called with the reason of every miss."""
    hits: int = 0
    misses: int = 0
    seen: Counter[bytes] = field(default_factory=Counter)
    """How often a judge received the same request in this run."""

    def summary(self) -> str:
        """A sentence about the hits."""
        requests = self.hits + self.misses
        return (
            f"Cache {self.store.folder}: {self.hits:,} of {requests:,} requests came from the cache and cost nothing."
        )


def open_cache(folder: Path | None = None, explain: Callable[[str], None] | None = None) -> RequestCache:
    """The cache in a folder; nothing is read or written yet.

    Args:
        folder: By default that of `EVOLIF_CACHE_DIR`, or one in the user's cache folder.
        explain: Called with the reason of every miss.
    """
    named = os.environ.get("EVOLIF_CACHE_DIR")
    if folder is None and named:
        folder = Path(named).expanduser()
    elif folder is None:
        import platformdirs

        folder = Path(platformdirs.user_cache_dir("evolif", appauthor=False)) / "requests"
    return RequestCache(CacheStore(folder), explain)


class ModelCache:
    """The cache of a run for one of its models; faults are not stored.

    Args:
        cache: The run's cache.
        model: The model's name.
        endpoint: Its address without user, key and query; empty for the provider's own endpoint.
        repeats: Whether requests are deliberately repeated, for example if a judge's score could not be read; each
            repeat then has its own reply.
        parameters: What is said with every request besides messages and sampling, unless the model's name tells it.
    """

    def __init__(
        self,
        cache: RequestCache,
        model: str,
        endpoint: str = "",
        *,
        repeats: bool = False,
        parameters: Mapping[str, Any] | None = None,
    ) -> None:
        self._cache = cache
        self._model = model
        self._endpoint = endpoint
        self._repeats = repeats
        self._parameters = json.dumps(parameters, sort_keys=True) if parameters else ""

    async def complete(self, request: ChatRequest, answer: Callable[[], Awaitable[Reply]]) -> Reply:
        """The stored reply, marked as cached; otherwise the result of `answer`, which is stored."""
        cache, call = self._cache, CachedCall.of(self._model, self._endpoint, request, self._parameters)
        if self._repeats:
            first = call.key
            call = replace(call, repeat=cache.seen[first])
            cache.seen[first] += 1
        known = cache.store.get(call)
        if known is not None:
            cache.hits += 1
            return known
        cache.misses += 1
        if cache.explain is not None:
            cache.explain(f"{self._model}, {explain_miss(cache.store, call, request.lasting)}")
        reply = await answer()
        cache.store.put(call, request.lasting, reply)
        return reply
