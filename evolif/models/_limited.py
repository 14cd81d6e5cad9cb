"""A chat model behind a connection limit: what the runner wraps every model in."""

from __future__ import annotations

from evolif.models._base import ChatModel, ChatRequest, Reply
from evolif.models._limit import ConnectionLimit, held_place


class LimitedModel:
    """Passes a call on as soon as there is a place for it; implements `ChatModel`.

    The call keeps its place while it is answered; a `RetryingModel` further down, however many wrappers lie between,
    lends it to others while it waits and tells the limit how each attempt ended.
    """

    def __init__(self, model: ChatModel, limit: ConnectionLimit) -> None:
        self._model = model
        self._limit = limit

    def __repr__(self) -> str:
        return f"LimitedModel({self._model!r}, {self._limit.ceiling})"

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
        place = await self._limit.take()
        token = held_place.set(place)
        try:
            reply = await self._model.complete(request)
            if not (place.told or reply.cached):
                place.tell(None)
            return reply
        except Exception as fault:
            if not place.told:
                place.tell(fault)
            raise
        finally:
            held_place.reset(token)
            place.leave()

    async def aclose(self) -> None:
        """Release what the model holds."""
        await self._model.aclose()


def with_limits(model: ChatModel, max_connections: int | None) -> LimitedModel:
    """Bound the requests of a model that are under way at once.

    Args:
        model: A client of `open_model`, wrapped or not. What it says of itself as `most_connections` is what an
            adaptive limit may grow to; one that says nothing keeps to its `connections`.
        max_connections: The bound, kept for good. Where None, it follows what the endpoint stands (between 1 and 200)
            for a model behind an API, and is the model's own number for one that runs on this machine.

    Returns:
        The model; its `connections` is the most sessions worth running side by side, its `limit` says what is so now.
    """
    if max_connections is not None:
        return LimitedModel(model, ConnectionLimit(max_connections))
    ceiling = int(getattr(model, "most_connections", model.connections))
    first = model.connections if ceiling > model.connections else None
    return LimitedModel(model, ConnectionLimit(ceiling, first))
