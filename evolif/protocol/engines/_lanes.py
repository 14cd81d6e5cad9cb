"""Which session begins next: bounded per model and in all, the model with the fewest alive first."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from evolif.protocol._events import SessionKey

MOST_ALIVE = 512
"""Sessions alive side by side, whatever the number of models: each holds a conversation in memory."""


class Lanes:
    """One queue of sessions per model.

    Args:
        queues: Per model, its sessions in order; read as they are begun.
        limits: Per model, how many may be alive at once.
        most: How many of all models together.
    """

    def __init__(
        self, queues: Mapping[str, Iterator[SessionKey]], limits: Mapping[str, int], most: int = MOST_ALIVE
    ) -> None:
        self._queues = dict(queues)
        self._limits = limits
        self._most = most
        self._alive = dict.fromkeys(queues, 0)

    @property
    def alive(self) -> int:
        """Sessions taken and not given back."""
        return sum(self._alive.values())

    def take(self) -> SessionKey | None:
        """The next session; None where there is none, or no room."""
        while self.alive < self._most:
            open_lanes = [model for model in self._queues if self._alive[model] < self._limits[model]]
            if not open_lanes:
                return None
            model = min(open_lanes, key=lambda name: self._alive[name])
            key = next(self._queues[model], None)
            if key is None:
                del self._queues[model]
                continue
            self._alive[model] += 1
            return key
        return None

    def give_back(self, key: SessionKey) -> None:
        """A session is no longer alive."""
        self._alive[key.model] -= 1

    def close(self, model: str) -> None:
        """Begin no further session of a model."""
        self._queues.pop(model, None)
