"""A chat model behind a connection limit: what the runner wraps every model in."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evolif.models._base import ChatModel, ChatRequest, Reply

if TYPE_CHECKING:
    from evolif.models._limit import ConnectionLimit


class LimitedModel:
    """Passes a request on as soon as there is a place for it; implements `ChatModel`."""

    def __init__(self, model: ChatModel, limit: ConnectionLimit) -> None:
        self._model = model
        self._limit = limit

    def __repr__(self) -> str:
        return f"LimitedModel({self.name!r}, {self._limit.ceiling})"

    @property
    def name(self) -> str:
        """`provider/name`, without secrets."""
        return self._model.name

    @property
    def connections(self) -> int:
        """The most sessions worth running side by side: more would only wait for a place."""
        return self._limit.ceiling

    @property
    def limit(self) -> ConnectionLimit:
        """Places there are and places taken, for a display."""
        return self._limit

    async def complete(self, request: ChatRequest) -> Reply:
        """Wait for a place, then answer as the model does."""
        async with self._limit:
            return await self._model.complete(request)

    async def aclose(self) -> None:
        """Release what the model holds."""
        await self._model.aclose()


def with_limits(model: ChatModel, max_connections: int | None) -> LimitedModel:
    """Bound the requests of a model that are under way at once.

    Args:
        model: A client of `open_model`.
        max_connections: The bound, kept for good. Where None, it follows what the endpoint stands (between 1 and 200)
            for a model behind an API, and is the model's own number for one that runs on this machine.

    Returns:
        The model; its `connections` is the most sessions worth running side by side, its `limit` says what is so now.
    """
    from evolif.models._limit import ConnectionLimit

    return LimitedModel(model, ConnectionLimit(max_connections or model.connections))
