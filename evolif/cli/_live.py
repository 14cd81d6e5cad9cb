"""The live display of an evaluation: what `evolif status` shows, read again and again from the run's own file.

A thread of its own reads the file, so that the loop which plays the sessions never waits for a table; it rests for
twenty times as long as reading took.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.live import Live

    from evolif.money import PriceTable
    from evolif.protocol import Event

_REST = 1.0
"""Seconds between two looks, at least."""
_SHARE = 20
"""Times as long as a look took that nobody looks."""
_WINDOW = 30.0
"""Seconds over which the rate is taken."""


class LiveWatcher:
    """A table on standard error; an observer of the run.

    Args:
        live: The display.
        root: The run's folder.
        prices: What tokens cost.
    """

    def __init__(self, live: Live, root: Path, prices: PriceTable) -> None:
        self._live = live
        self._root = root
        self._prices = prices
        self._times: deque[float] = deque(maxlen=100_000)
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._watch, name="evolif-display", daemon=True)

    def __enter__(self) -> LiveWatcher:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join(timeout=5)

    def __call__(self, event: Event) -> None:
        """Count turns for the rate; say what stops a model."""
        from evolif.protocol import ModelStopped, TurnStored

        if isinstance(event, TurnStored):
            self._times.append(time.monotonic())
        elif isinstance(event, ModelStopped):
            from evolif.report import plain

            self._live.console.print(plain(f"{event.model} is asked no further: {event.reason}"), markup=False)

    def stopping(self) -> None:
        """A clean stop was asked for."""
        from evolif.cli._display import STOPPING

        self._live.console.print(STOPPING)

    def _watch(self) -> None:
        rest = _REST / 2
        while not self._over.wait(rest):
            started = time.monotonic()
            self._show()
            rest = max(_REST, _SHARE * (time.monotonic() - started))

    def _show(self) -> None:
        from contextlib import closing

        from evolif._errors import EvolifError
        from evolif.money import quotes_of
        from evolif.protocol import load_run
        from evolif.report import status_table
        from evolif.watch import snapshot

        try:
            with closing(load_run(self._root, read_only=True)) as run:
                status = snapshot(run, quotes_of(run.settings, self._prices))
        except EvolifError:
            return  # not begun yet, or just being written: the next look will do
        self._live.update(status_table(status, self._rate()), refresh=True)

    def _rate(self) -> float | None:
        now, times = time.monotonic(), list(self._times)
        recent = [moment for moment in times if moment > now - _WINDOW]
        if not recent:
            return None
        return len(recent) / max(1.0, min(_WINDOW, now - times[0]))
