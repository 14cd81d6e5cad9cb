"""Replies kept on disk by the content of their request: one SQLite file, each message in it once.

Keys never enter it: an endpoint is kept without user, password and query, and a request holds no header.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from hashlib import blake2b
from pathlib import Path

from evolif._errors import OutsideError
from evolif.domain import Message, Usage
from evolif.models._base import ChatRequest, Reply

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
        self._opened: sqlite3.Connection | None = None

    def get(self, call: CachedCall) -> Reply | None:
        """The reply that was had."""
        with self._file() as file:
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
        with self._file() as file, file:
            file.executemany("INSERT OR IGNORE INTO message VALUES (?, ?, ?)", words)
            file.execute("INSERT OR IGNORE INTO request VALUES (?, ?, ?, ?, ?, ?, ?)", (*row, *answer))

    def near(self, prefix: bytes, limit: int) -> list[tuple[str, bytes]]:
        """(settings, digests of the messages) of requests whose messages begin so."""
        with self._file() as file:
            return file.execute(
                "SELECT settings, messages FROM request WHERE messages >= ? AND messages < ? LIMIT ?",
                (prefix, prefix + b"\xff" * 17, limit),
            ).fetchall()

    def words(self, digest: bytes) -> tuple[str, str]:
        """Role and words of a stored message."""
        with self._file() as file:
            role, words = file.execute("SELECT role, words FROM message WHERE digest = ?", (digest,)).fetchone()
        return role, words

    def close(self) -> None:
        """Close the file; a later call opens it again."""
        opened, self._opened = self._opened, None
        if opened is not None:
            opened.close()

    @contextmanager
    def _file(self) -> Iterator[sqlite3.Connection]:
        try:
            yield self._connection()
        except (sqlite3.Error, OSError) as fault:
            raise OutsideError(
                f"the request cache in {self.folder} cannot be used ({fault}); name another folder by --cache-dir, or "
                "leave it off"
            ) from None

    def _connection(self) -> sqlite3.Connection:
        if self._opened is None:
            self.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            file = sqlite3.connect(self.folder / CACHE_FILE, timeout=30, check_same_thread=False)
            try:
                file.execute("PRAGMA journal_mode=WAL")
                file.execute("PRAGMA synchronous=NORMAL")
                file.executescript(_SCHEMA)
            except BaseException:
                file.close()
                raise
            self._opened = file
        return self._opened


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
