"""Why the cache did not know a request: the nearest one it knows, and what differs."""

from __future__ import annotations

import json
from collections.abc import Sequence
from itertools import zip_longest

from evolif.domain import Message
from evolif.models._cache_store import CachedCall, CacheStore

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
