"""What a run writes at one moment, committed together."""

from __future__ import annotations

import asyncio

from evolif.errors import EvolifError, InternalError, OutsideError
from evolif.runner.records import StoreEntry
from evolif.runner.store import RunStore, StoreError

_LARGEST_BATCH = 8
"""Maximum number of writes in one commit."""


class WriteBatcher:
    """Commits entries that arrive together in one batch; implements `StoreWriter`.

    A commit in WAL mode is a write without a sync, cheap enough for the loop itself (docs/performance.md); a thread
    would wait for the interpreter's lock just when the loop is busiest. Batches stay small: sessions whose turns were
    committed together continue together, and their requests would come in bursts.
    """

    def __init__(self, store: RunStore) -> None:
        self._store = store
        self._waiting: list[tuple[tuple[StoreEntry, ...], asyncio.Future[None] | None]] = []
        self._lost: StoreError | None = None
        """The fault of a posted entry; raised at the next write."""

    async def __call__(self, *entries: StoreEntry) -> None:
        """Return once the entries are durable."""
        self._raise_lost()
        loop = asyncio.get_running_loop()
        durable = loop.create_future()
        self._waiting.append((entries, durable))
        if len(self._waiting) >= _LARGEST_BATCH:
            self.flush()
        elif len(self._waiting) == 1:
            loop.call_soon(self.flush)
        await durable

    def post(self, *entries: StoreEntry) -> None:
        """Write entries with the next commit without waiting; a fault is raised at a later write."""
        self._waiting.append((entries, None))
        if len(self._waiting) == 1:
            asyncio.get_running_loop().call_soon(self.flush)

    def flush(self) -> None:
        """Write everything that waits."""
        waiting, self._waiting = self._waiting, []
        if not waiting:
            return
        try:
            self._store.write(entry for entries, _ in waiting for entry in entries)
        except Exception:
            # One entry may be at fault, or too large for a full disk; the others are written one by one. Every waiting
            # session gets a result in any case, or the run would never end.
            for entries, durable in waiting:
                fault = self._write(entries)
                if durable is None and fault is not None:
                    self._lost = StoreError(str(fault))
                _settle(durable, fault)
        else:
            for _, durable in waiting:
                _settle(durable, None)

    def close(self) -> None:
        """Write all pending entries, for the last time.

        Raises:
            StoreError: an entry posted without waiting could not be stored.
        """
        self.flush()
        self._raise_lost()

    def _raise_lost(self) -> None:
        lost, self._lost = self._lost, None
        if lost is not None:
            raise lost

    def _write(self, entries: tuple[StoreEntry, ...]) -> Exception | None:
        try:
            self._store.write(entries)
        except OutsideError as fault:
            return StoreError(str(fault))
        except EvolifError as fault:
            return fault
        except Exception as fault:  # its text is left out: it may contain the entry
            return InternalError(f"an entry could not be stored: an unexpected {type(fault).__name__} in evolif")
        return None


def _settle(durable: asyncio.Future[None] | None, fault: Exception | None) -> None:
    if durable is None or durable.done():  # its session was cancelled
        return
    if fault is None:
        durable.set_result(None)
    else:
        durable.set_exception(fault)
