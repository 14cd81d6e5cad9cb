"""Progress: a bar on a terminal, plain lines off it, nothing when told so."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from evolif._errors import UsageError

if TYPE_CHECKING:
    from rich.progress import Progress as RichProgress

    from evolif.money import PriceTable
    from evolif.protocol import Event, SessionEnded, StillWaiting


STOPPING = "Stopping after the turns in flight, in 20 s at the latest; press Ctrl-C again to stop at once."


def choose(display: str) -> str:
    """`rich`, `plain` or `none`, from the flag and the terminal.

    Raises:
        UsageError: another word.
    """
    if display == "auto":
        return "rich" if sys.stderr.isatty() else "plain"
    if display not in ("rich", "plain", "none"):
        raise UsageError(f"--display {display} is unknown; use auto, rich, plain or none")
    return display


class Watcher(Protocol):
    """Sees an evaluation go by."""

    def __call__(self, event: Event) -> None:
        """Something happened."""
        ...

    def stopping(self) -> None:
        """A clean stop was asked for."""
        ...


class _Silent:
    def __call__(self, event: Event) -> None:
        pass

    def stopping(self) -> None:
        pass


def _told(event: Event) -> str:
    """What is worth a line off a terminal; empty for the rest."""
    from evolif.protocol import ModelStopped, SessionEnded

    if isinstance(event, ModelStopped):
        return f"{event.model} is asked no further: {event.reason}"
    return _line(event) if isinstance(event, SessionEnded) else ""


def _line(event: SessionEnded) -> str:
    where = f"{event.key.model}  dialogue {event.key.dialogue}"
    if event.key.epoch > 1:
        where += f" (epoch {event.key.epoch})"
    return f"{where}: {event.ending or 'not begun'} at turn {event.turn} ({event.reason})"


_QUIET = 30.0
"""Seconds without a line after which one says what is awaited."""


class _Plain:
    """One line per session that ends, and one now and then where none does, on standard error."""

    def __init__(self) -> None:
        self._turns = 0
        self._alive = 0
        self._last = time.monotonic()

    def __call__(self, event: Event) -> None:
        from evolif.protocol import SessionEnded, SessionStarted, StillWaiting, TurnStored

        told = ""
        if isinstance(event, TurnStored):
            self._turns += 1
        elif isinstance(event, SessionStarted):
            self._alive += 1
        elif isinstance(event, StillWaiting):
            told = self._awaited(event) if time.monotonic() - self._last >= _QUIET else ""
        else:
            self._alive -= isinstance(event, SessionEnded)
            told = _told(event)
        if told:
            from evolif.report import plain

            print(plain(told), file=sys.stderr, flush=True)
            self._last = time.monotonic()

    def _awaited(self, event: StillWaiting) -> str:
        """“12 turns so far; awaited: 1 answer of local/x (31 s), 2 verdicts of openai/y (5 s)”."""
        calls = ", ".join(
            f"{one.calls} {_BRINGS[one.role]}{'s' * (one.calls > 1)} of {one.model} ({one.longest:.0f} s)"
            for one in event.calls
        )
        turns = f"{self._turns} turn{'s' * (self._turns != 1)} so far"
        return f"{turns}; awaited: {calls}" if calls else f"{turns}; {max(0, self._alive)} sessions under way"

    def stopping(self) -> None:
        print(STOPPING, file=sys.stderr, flush=True)


_BRINGS = {"target": "answer", "judge": "verdict", "synthesizer": "wording", "checker": "check of a wording"}


class _Rich:
    """A bar per model: sessions ended, turns answered, turns followed."""

    def __init__(self, bars: RichProgress, models: list[str], sessions: int) -> None:
        self._bars = bars
        self._tasks = {m: bars.add_task(m, total=sessions, turns=0, good=0, told="") for m in models}

    def __call__(self, event: Event) -> None:
        from evolif.protocol import ModelStopped, RunStarted, SessionEnded, TurnStored

        if isinstance(event, TurnStored):
            task = self._bars.tasks[self._tasks[event.key.model]]
            turns, good = task.fields["turns"] + 1, task.fields["good"] + bool(event.satisfied)
            self._bars.update(task.id, turns=turns, good=good, told=f"{turns} turns, {good} followed")
        elif isinstance(event, SessionEnded):
            self._bars.advance(self._tasks[event.key.model])
        elif isinstance(event, RunStarted):
            for model, ended in event.ended.items():
                self._bars.update(self._tasks[model], completed=ended)
        elif isinstance(event, ModelStopped):
            from evolif.report import plain

            self._bars.console.print(plain(_told(event)), markup=False)

    def stopping(self) -> None:
        self._bars.console.print(STOPPING)


@contextmanager
def watching(display: str, models: list[str], sessions: int) -> Iterator[Watcher]:
    """Show an evaluation while it runs.

    Args:
        display: What `choose` gave.
        models: The models' names.
        sessions: Sessions per model.
    """
    if display != "rich":
        yield _Plain() if display == "plain" else _Silent()
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (
        TextColumn("{task.description}", markup=False),
        BarColumn(bar_width=24),
        MofNCompleteColumn(),
        TextColumn("{task.fields[told]}", markup=False),
        TimeElapsedColumn(),
    )
    with Progress(*columns, console=Console(stderr=True)) as bars:
        yield _Rich(bars, models, sessions)


@contextmanager
def watching_run(display: str, root: Path, prices: PriceTable) -> Iterator[Watcher]:
    """Show an evaluation while it runs, with the figures of `evolif status`.

    Args:
        display: What `choose` gave.
        root: The run's folder.
        prices: What tokens cost.
    """
    if display != "rich":
        yield _Plain() if display == "plain" else _Silent()
        return
    from rich.console import Console
    from rich.live import Live

    from evolif.cli._live import LiveWatcher

    with (
        Live(console=Console(stderr=True), auto_refresh=False, transient=True) as live,
        LiveWatcher(live, root, prices) as watcher,
    ):
        yield watcher


@contextmanager
def counting(display: str, what: str) -> Iterator[CountedProgress]:
    """Show how much of a known number is done."""
    if display != "rich":
        yield lambda done, total: None
        return
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True) as bars:
        task = bars.add_task(what, total=None)
        yield lambda done, total: bars.update(task, completed=done, total=total)


class CountedProgress(Protocol):
    """Told how much is done."""

    def __call__(self, done: int, total: int, /) -> None:
        """`done` of `total`."""
        ...
