"""A chat model in front of which a cache stands: what was asked before is not asked again."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from hashlib import blake2b
from itertools import zip_longest
from pathlib import Path
from typing import Any

from evolif.models.base import ChatModel, ChatRequest, Reply
from evolif.sqlite_file import SqliteFile
from evolif.types import Message, Usage

# Replies kept on disk by the content of their request: one SQLite file, each message in it once.
#
# Keys never enter it: an endpoint is kept without user, password and query, and a request holds no header.

CACHE_FILE = "requests.sqlite"


@dataclass(frozen=True, slots=True)
class CachedCall:
    """A request as the cache knows it: everything that may decide its answer."""

    model: str
    """`provider/name`."""
    endpoint: str
    """Where it is asked; empty for the provider's own endpoint."""
    epoch: int
    """So that repeats of a dialogue are asked anew."""
    repeat: int
    """How often the same was asked before in this run, so that a second try is one."""
    temperature: float | None
    max_tokens: int | None
    seed: int | None
    schema: str
    """Empty where there is none."""
    messages: tuple[bytes, ...]
    """A digest each."""

    @classmethod
    def of(cls, model: str, endpoint: str, epoch: int, request: ChatRequest) -> CachedCall:
        """The first asking of a request."""
        sampling = request.sampling
        schema = "" if request.schema is None else json.dumps(request.schema, sort_keys=True)
        digests = tuple(digest_of(message) for message in request.lasting)
        return cls(model, endpoint, epoch, 0, sampling.temperature, sampling.max_tokens, sampling.seed, schema, digests)

    @property
    def settings(self) -> str:
        """Everything but the messages, as text."""
        told = asdict(self)
        del told["messages"]
        return json.dumps(told, sort_keys=True)

    @property
    def key(self) -> bytes:
        """What the reply is kept under."""
        return blake2b(self.settings.encode() + b"".join(self.messages), digest_size=16).digest()


def digest_of(message: Message) -> bytes:
    """16 bytes of a role and its words."""
    return blake2b(f"{message.role}\n{message.content}".encode("utf-8", "replace"), digest_size=16).digest()


class CacheStore:
    """Reads and writes one cache; used by one thread at a time, and by any number of processes.

    Args:
        folder: Where its file is, made where it is missing, for this user alone.

    Its calls raise `OutsideError` where the file cannot be used.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._file = SqliteFile(
            folder / CACHE_FILE,
            _SCHEMA,
            lambda fault: (
                f"the request cache in {folder} cannot be used ({fault}); name another folder by --cache-dir, or "
                "leave it off"
            ),
            make_folder=True,
        )

    def get(self, call: CachedCall) -> Reply | None:
        """The reply that was had."""
        with self._file.connection() as file:
            row = file.execute(
                "SELECT text, reasoning, truncated, served_by FROM request WHERE key = ?", (call.key,)
            ).fetchone()
        if row is None:
            return None
        text, reasoning, truncated, served_by = row
        return Reply(text, reasoning, bool(truncated), Usage(), served_by, cached=True)

    def put(self, call: CachedCall, messages: Sequence[Message], reply: Reply) -> None:
        """Keep a reply; the first one stays."""
        words = [(d, m.role, _storable(m.content)) for d, m in zip(call.messages, messages, strict=True)]
        row = (call.key, call.settings, b"".join(call.messages))
        answer = (_storable(reply.text), _storable(reply.reasoning), int(reply.truncated), reply.served_by)
        with self._file.connection() as file, file:
            file.executemany("INSERT OR IGNORE INTO message VALUES (?, ?, ?)", words)
            file.execute("INSERT OR IGNORE INTO request VALUES (?, ?, ?, ?, ?, ?, ?)", (*row, *answer))

    def near(self, prefix: bytes, limit: int) -> list[tuple[str, bytes]]:
        """(settings, digests of the messages) of requests whose messages begin so."""
        with self._file.connection() as file:
            return file.execute(
                "SELECT settings, messages FROM request WHERE messages >= ? AND messages < ? LIMIT ?",
                (prefix, prefix + b"\xff" * 17, limit),
            ).fetchall()

    def words(self, digest: bytes) -> tuple[str, str]:
        """Role and words of a stored message."""
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
    messages BLOB NOT NULL,      -- 16 bytes each, so that a conversation's beginning is a prefix
    text TEXT NOT NULL,
    reasoning TEXT NOT NULL,
    truncated INTEGER NOT NULL,
    served_by TEXT NOT NULL
);
CREATE INDEX IF NOT EXISTS request_messages ON request (messages);
"""


# Why the cache did not know a request: the nearest one it knows, and what differs.

_CANDIDATES = 64
_CLIP = 60


def explain_miss(store: CacheStore, call: CachedCall, messages: Sequence[Message]) -> str:
    """One sentence. The nearest request shares the longest beginning of the conversation, then the most settings."""
    for shared in range(len(call.messages), 0, -1):
        found = store.near(b"".join(call.messages[:shared]), _CANDIDATES)
        if found:
            settings, stored = min(found, key=lambda row: _distance(row, call))
            return f"nearest request: {'; '.join(_differences(store, call, messages, settings, stored))}"
    return "no stored request begins with the same message"


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
    told = [
        f"{name} is {_value(mine[name])} and there {_value(theirs.get(name))}"
        for name in mine
        if mine[name] != theirs.get(name)
    ]
    digests = _digests(stored)
    first = next((i for i, (a, b) in enumerate(zip(call.messages, digests, strict=False)) if a != b), None)
    if first is not None:
        _, words = store.words(digests[first])
        here, there = _around(messages[first].content, words), _around(words, messages[first].content)
        told.append(f"message {first + 1} ({messages[first].role}) is “{here}” and there “{there}”")
    elif len(digests) != len(call.messages):
        told.append(f"it has {len(call.messages)} messages and that one {len(digests)}")
    return told


def _digests(stored: bytes) -> list[bytes]:
    return [stored[i : i + 16] for i in range(0, len(stored), 16)]


def _value(value: object) -> str:
    return "not given" if value is None or value == "" else str(value)[:_CLIP]


def _around(text: str, other: str) -> str:
    """The part of a text where it begins to differ from another."""
    same = next((i for i, (a, b) in enumerate(zip(text, other, strict=False)) if a != b), min(len(text), len(other)))
    start = max(0, same - _CLIP // 2)
    part = " ".join(text[start : start + _CLIP].split())
    return f"{'…' * (start > 0)}{part}{'…' * (start + _CLIP < len(text))}"


@dataclass(slots=True)
class RequestCache:
    """A cache of one run, and how it fared."""

    store: CacheStore
    explain: Callable[[str], None] | None = None
    """Told of every miss why it is one."""
    hits: int = 0
    misses: int = 0
    seen: Counter[bytes] = field(default_factory=Counter)
    """How often a judge was asked the same in this run."""

    def said(self) -> str:
        """A sentence about the hits."""
        asked = self.hits + self.misses
        return f"Cache {self.store.folder}: {self.hits:,} of {asked:,} requests were known and cost nothing."


def open_cache(folder: Path | None = None, explain: Callable[[str], None] | None = None) -> RequestCache:
    """The cache of a folder; of the user's own cache folder where None. Nothing is read or written yet."""
    return RequestCache(CacheStore(folder if folder is not None else default_cache_folder()), explain)


def default_cache_folder() -> Path:
    """Where this platform keeps caches."""
    import platformdirs

    return Path(platformdirs.user_cache_dir("evolif", appauthor=False)) / "requests"


class CachedModel:
    """Answers from the cache where it can; implements `ChatModel`.

    A hit is marked as such, so that it costs nothing and no connection limit learns from it. Faults are not kept.

    Args:
        model: The client.
        cache: The run's cache.
        endpoint: Where the client asks, without user, key and query; empty for the provider's own endpoint.
        epoch: Tells the repetition that is being played.
        repeats: Whether the same request is asked again on purpose, as a judge is whose score could not be read; each
            asking then has a reply of its own.
    """

    def __init__(
        self,
        model: ChatModel,
        cache: RequestCache,
        endpoint: str = "",
        epoch: Callable[[], int] = lambda: 1,
        *,
        repeats: bool = False,
    ) -> None:
        self._model = model
        self._cache = cache
        self._endpoint = endpoint
        self._epoch = epoch
        self._repeats = repeats

    def __getattr__(self, name: str) -> Any:
        return getattr(self._model, name)  # what a client says of itself beyond the protocol

    @property
    def name(self) -> str:
        """`provider/name`, without secrets."""
        return self._model.name

    @property
    def connections(self) -> int:
        """How many sessions it is worth running side by side by default."""
        return self._model.connections

    async def complete(self, request: ChatRequest) -> Reply:
        """Answer from the cache, or as the model does."""
        cache, call = self._cache, CachedCall.of(self.name, self._endpoint, self._epoch(), request)
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
            cache.explain(f"{self.name}, {explain_miss(cache.store, call, request.lasting)}")
        reply = await self._model.complete(request)
        cache.store.put(call, request.lasting, reply)
        return reply

    async def aclose(self) -> None:
        """Release what the client holds."""
        await self._model.aclose()


# Reading JSON of which nothing is certain: what is not of the right kind is empty.


def mapping(value: object) -> Mapping[str, Any]:
    """The object, or an empty one."""
    return value if isinstance(value, Mapping) else {}


def clean_text(value: object) -> str:
    """The text, or an empty one; half surrogates, which JSON can carry and no file can, are replaced."""
    return value.encode("utf-8", "replace").decode("utf-8") if isinstance(value, str) else ""


def count(value: object) -> int:
    """The number of something, or 0. No provider counts to 2^53, and no database can hold much more."""
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**53 else 0
