"""Progress: a bar on a terminal, plain lines off it, nothing when told so."""

from __future__ import annotations

import sys
import threading
import time
from collections import Counter, deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from evolif.errors import UsageError

if TYPE_CHECKING:
    from rich.live import Live
    from rich.progress import Progress as RichProgress

    from evolif.budget import PriceTable
    from evolif.instructions import Benchmark, Rates, TurnMade
    from evolif.runner import Event, SessionEnded, StillWaiting


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
    from evolif.runner import ModelStopped, SessionEnded

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
        from evolif.runner import SessionEnded, SessionStarted, StillWaiting, TurnStored

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
        from evolif.runner import ModelStopped, RunStarted, SessionEnded, TurnStored

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


# The live display of an evaluation: what `evolif status` shows, read again and again from the run's own file.
#
# A thread of its own reads the file, so that the loop which plays the sessions never waits for a table; it rests for
# twenty times as long as reading took.

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
        from evolif.runner import ModelStopped, TurnStored

        if isinstance(event, TurnStored):
            self._times.append(time.monotonic())
        elif isinstance(event, ModelStopped):
            from evolif.report import plain

            self._live.console.print(plain(f"{event.model} is asked no further: {event.reason}"), markup=False)

    def stopping(self) -> None:
        """A clean stop was asked for."""
        self._live.console.print(STOPPING)

    def _watch(self) -> None:
        rest = _REST / 2
        while not self._over.wait(rest):
            started = time.monotonic()
            self._show()
            rest = max(_REST, _SHARE * (time.monotonic() - started))

    def _show(self) -> None:
        from contextlib import closing

        from evolif.budget import quotes_of, snapshot
        from evolif.errors import EvolifError
        from evolif.report import status_table
        from evolif.runner import load_run

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


# What is told while chat models word turns, and what it came to at the end.

_EVERY = 10
"""Off a terminal, a line after so many turns of a dialogue."""
_LOOK = 5.0
"""Seconds between two looks at that."""


@contextmanager
def wording(display: str, turns: int) -> Iterator[Callable[[TurnMade], None]]:
    """Show turns as they are made.

    Args:
        display: What `choose` gave.
        turns: How long the dialogues become.
    """
    if display == "rich":
        with _bar() as told:
            yield told
    elif display == "plain":
        with _Lines(turns) as lines:
            yield lines
    else:
        yield lambda made: None


class _Lines:
    """One line per dialogue that is whole, and one now and then before, on standard error."""

    def __init__(self, turns: int) -> None:
        self._turns = turns
        self._outcomes: dict[int, Counter[str]] = {}
        self._last = time.monotonic()
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._watch, name="evolif-wording", daemon=True)

    def __enter__(self) -> _Lines:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join()

    def _watch(self) -> None:
        """A line where none was written for long: a chat model may take minutes for a turn."""
        while not self._over.wait(_LOOK):
            if time.monotonic() - self._last >= _QUIET:
                made = sum(outcomes.total() for outcomes in list(self._outcomes.values()))
                self._say(f"{made} turn{'s' * (made != 1)} worded so far; the next is awaited")

    def _say(self, line: str) -> None:
        print(line, file=sys.stderr, flush=True)
        self._last = time.monotonic()

    def __call__(self, made: TurnMade) -> None:
        outcomes = self._outcomes.setdefault(made.dialogue, Counter())
        outcomes[made.outcome] += 1
        if made.turn >= self._turns or made.turn % _EVERY == 0:
            from evolif.report import plain

            told = ", ".join(
                f"{outcomes[name]} {name}" for name in ("accepted", "repaired", "flagged") if outcomes[name]
            )
            line = f"{made.synthesizer}  dialogue {made.dialogue}: turn {made.turn} of {self._turns} ({told})"
            self._say(plain(line))


@contextmanager
def _bar() -> Iterator[Callable[[TurnMade], None]]:
    from rich.console import Console
    from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    from evolif.report import plain

    columns = (SpinnerColumn(), TextColumn("{task.description}", markup=False), TimeElapsedColumn())
    counts: dict[str, Counter[str]] = {}
    with Progress(*columns, console=Console(stderr=True), transient=True) as bars:
        tasks = {}

        def told(made: TurnMade) -> None:
            count = counts.setdefault(made.synthesizer, Counter())
            count[made.outcome] += 1
            if made.synthesizer not in tasks:
                tasks[made.synthesizer] = bars.add_task("", total=None)
            text = (
                f"{made.synthesizer}: {count.total()} turns, {count['repaired']} repaired, {count['flagged']} flagged"
            )
            bars.update(tasks[made.synthesizer], description=plain(text))

        yield told


def tell_rates(bench: Benchmark) -> Iterator[str]:
    """What wording the benchmark's turns came to, per chat model: rates, calls and tokens."""
    from evolif.instructions import rates

    flagged = 0
    for name, sums in rates(bench.records()).items():
        flagged += sums.flagged
        yield f"{name}: {_shares(sums)}"
        yield f"  {sums.calls} calls, {sums.usage.prompt_tokens} + {sums.usage.completion_tokens} tokens" + (
            f"; checker {sums.checker_calls} calls, {sums.checker_usage.prompt_tokens} + "
            f"{sums.checker_usage.completion_tokens} tokens"
            if sums.checker_calls
            else ""
        )
    if flagged:
        yield f"Flagged turns are played in the template's words until a person clears them: evolif review {bench.path}"


def _shares(sums: Rates) -> str:
    if not sums.turns:
        return "no turn was worded"
    told = ", ".join(
        f"{100 * count / sums.turns:.1f} % {what}"
        for count, what in (
            (sums.accepted, "accepted at first try"),
            (sums.repaired, "repaired"),
            (sums.flagged, "flagged"),
        )
    )
    return f"{sums.turns} turns worded: {told}"
