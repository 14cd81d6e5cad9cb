"""Group commits: what sessions tell the store in the same moment becomes durable in one transaction.

A commit in WAL mode is a write without a sync, cheap enough for the loop itself (docs/performance.md); a thread of its
own would wait for the interpreter's lock just when the loop is busiest. A batch is never large: sessions whose turns
were committed together would go on together, and their requests would come in bursts.
"""

from __future__ import annotations

import asyncio
from typing import Protocol

from evolif.errors import EvolifError, InternalError, OutsideError
from evolif.runner.records import StoreEntry
from evolif.runner.store import RunStore

_LARGEST_BATCH = 8
"""Sessions that wait for one commit at most."""


class StoreWriter(Protocol):
    """Where sessions write; the journal, or on another machine what brings it there."""

    async def __call__(self, *entries: StoreEntry) -> None:
        """Return once the entries are durable.

        Raises:
            StoreError: nothing can be stored any more.
            EvolifError: these entries cannot be stored.
        """
        ...


class StoreError(OutsideError):
    """The store itself fails: no session can go on."""


_Waiting = tuple[tuple[StoreEntry, ...], asyncio.Future[None] | None]


class WriteBatcher:
    """Writes what sessions tell it, in small groups; implements `StoreWriter`."""

    def __init__(self, store: RunStore) -> None:
        self._store = store
        self._waiting: list[_Waiting] = []
        self._lost: StoreError | None = None
        """What became of a posted entry that could not be stored: told to whoever writes next."""

    async def __call__(self, *entries: StoreEntry) -> None:
        """Return once the entries are durable."""
        self._see_losses()
        loop = asyncio.get_running_loop()
        durable = loop.create_future()
        self._waiting.append((entries, durable))
        if len(self._waiting) >= _LARGEST_BATCH:
            self.flush()
        elif len(self._waiting) == 1:
            loop.call_soon(self.flush)
        await durable

    def post(self, *entries: StoreEntry) -> None:
        """Write entries with the next commit; nobody waits for them, and a loss is told later."""
        self._waiting.append((entries, None))
        if len(self._waiting) == 1:
            asyncio.get_running_loop().call_soon(self.flush)

    def flush(self) -> None:
        """Write what waits."""
        waiting, self._waiting = self._waiting, []
        if not waiting:
            return
        try:
            self._store.write(entry for entries, _ in waiting for entry in entries)
        except Exception:
            # One of them may be at fault, or on a full disk too large; the others must not pay for it. Whatever was
            # raised, everybody who waits is told: a session that hears nothing would keep the run from ever ending.
            for entries, durable in waiting:
                fault = self._try(entries)
                if durable is None and fault is not None:
                    self._lost = StoreError(str(fault))
                _settle(durable, fault)
        else:
            for _, durable in waiting:
                _settle(durable, None)

    def close(self) -> None:
        """Write what waits; the last word.

        Raises:
            StoreError: an entry that nobody waited for could not be stored.
        """
        self.flush()
        self._see_losses()

    def _see_losses(self) -> None:
        lost, self._lost = self._lost, None
        if lost is not None:
            raise lost

    def _try(self, entries: tuple[StoreEntry, ...]) -> Exception | None:
        try:
            self._store.write(entries)
        except OutsideError as fault:
            return StoreError(str(fault))
        except EvolifError as fault:
            return fault
        except Exception as fault:  # its text is not repeated: it may hold what was to be stored
            return InternalError(f"an entry could not be stored: an unforeseen {type(fault).__name__} of this program")
        return None


def _settle(durable: asyncio.Future[None] | None, fault: Exception | None) -> None:
    if durable is None or durable.done():  # its session was cancelled
        return
    if fault is None:
        durable.set_result(None)
    else:
        durable.set_exception(fault)
