"""A chat model in front of which a cache stands: what was asked before is not asked again."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from evolif.models._base import ChatModel, ChatRequest, Reply
from evolif.models._cache_miss import explain_miss
from evolif.models._cache_store import CachedCall, CacheStore


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
