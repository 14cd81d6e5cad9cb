"""Progress on standard error: a bar on a terminal, plain lines otherwise, nothing with `--display none`."""

from __future__ import annotations

import sys
import threading
import time
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, Self

from evolif.errors import EvolifError, UsageError
from evolif.text import plural

if TYPE_CHECKING:
    from rich.live import Live
    from rich.progress import Progress as RichProgress

    from evolif.budget import PriceTable, RunStatus
    from evolif.runner import Event, SessionEnded
    from evolif.runner.events import ModelStopped, StillWaiting
    from evolif.scenarios.instructions import InstructionBenchmark
    from evolif.scenarios.instructions.source import TurnMade
    from evolif.scenarios.instructions.turn_lines import Rates
    from evolif.types import Session

STOPPING = "Stopping after the turns in flight, within 20 s; press Ctrl-C again to stop at once."

_QUIET = 30.0
"""Seconds of silence after which a line says what is pending."""
_LOOK = 5.0
"""Seconds between checks for silence."""
_EVERY = 10
"""Without a terminal, turns of a dialogue per line."""
_REST = 1.0
"""Minimum seconds between updates of the live table."""
_SHARE = 20
"""The pause after a live table update, as a multiple of the update's duration."""
_NEWS = 60.0
"""Without a terminal, seconds between two lines that say how much time is left."""


def choose(display: str) -> str:
    """`rich`, `plain` or `none`, from the flag and the terminal.

    Raises:
        UsageError: any other value.
    """
    if display == "auto":
        return "rich" if sys.stderr.isatty() else "plain"
    if display not in ("rich", "plain", "none"):
        raise UsageError(f"--display {display} is unknown; use auto, rich, plain or none")
    return display


class Watcher(Protocol):
    """Receives the events of an evaluation."""

    def __call__(self, event: Event) -> None:
        """Handle an event."""
        ...

    def stopping(self) -> None:
        """A clean stop was requested."""
        ...


class CountedProgress(Protocol):
    """Shows progress."""

    def __call__(self, done: int, total: int, /) -> None:
        """`done` of `total`."""
        ...


@contextmanager
def watching(display: str, models: list[str], sessions: int) -> Iterator[Watcher]:
    """Show a run as bars while it is played.

    Args:
        display: What `choose` returned.
        models: The models' names.
        sessions: Sessions per model.
    """
    if display != "rich":
        if display != "plain":
            yield _Silent()
            return
        lines = _Plain()
        try:
            yield lines
        finally:
            lines.tell_more()
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (
        TextColumn("{task.description}", markup=False),
        BarColumn(bar_width=24),
        MofNCompleteColumn(),
        TextColumn("{task.fields[counts]}", markup=False),
        TimeElapsedColumn(),
    )
    with Progress(*columns, console=Console(stderr=True)) as bars:
        yield _Bars(bars, models, sessions)


@contextmanager
def watching_run(display: str, root: Path, prices: PriceTable) -> Iterator[Watcher]:
    """Show a run as the table of `evolif status` while it is played.

    Args:
        display: What `choose` returned.
        root: The run's folder.
        prices: What tokens cost.
    """
    if display == "plain":
        with _PlainRun(root, prices) as lines:
            try:
                yield lines
            finally:
                lines.tell_more()
        return
    if display != "rich":
        yield _Silent()
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
    """Show progress towards a known total."""
    if display != "rich":
        yield lambda done, total: None
        return
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True) as bars:
        task = bars.add_task(what, total=None)
        yield lambda done, total: bars.update(task, completed=done, total=total)


@contextmanager
def spinning(display: str) -> Iterator[Callable[[str, str], None]]:
    """Show changing lines: yields a function of a line's key and text. Does nothing without a terminal."""
    if display != "rich":
        yield lambda key, text: None
        return
    from rich.console import Console
    from rich.progress import Progress, SpinnerColumn, TaskID, TextColumn, TimeElapsedColumn

    columns = (SpinnerColumn(), TextColumn("{task.description}", markup=False), TimeElapsedColumn())
    tasks: dict[str, TaskID] = {}
    with Progress(*columns, console=Console(stderr=True), transient=True) as bars:

        def update(key: str, text: str) -> None:
            if key not in tasks:
                tasks[key] = bars.add_task("", total=None)
            bars.update(tasks[key], description=text)

        yield update


# Runs.


class _Holds:
    """What to say about calls that are held back: each wait once, and again when it takes longer than was said."""

    def __init__(self) -> None:
        self._said: dict[tuple[str, str], float] = {}

    def lines(self, event: StillWaiting) -> list[str]:
        """The waits of an event: who, why, until when."""
        from evolif.report.waits import hold_line

        return [hold_line(model, one, time.time()) for model, one in event.held]

    def news(self, event: StillWaiting) -> list[str]:
        """Those of which nothing was said yet."""
        from evolif.report.waits import hold_line

        now = time.time()
        new = [(model, one) for model, one in event.held if self._said.get((model, one.reason), 0.0) < now]
        self._said.update({(model, one.reason): now + one.seconds for model, one in new})
        return [hold_line(model, one, now) for model, one in new]


class _Alike:
    """Ends of sessions that say the same: the first is told, the others are counted and told in one line."""

    _FAULTS = frozenset({"suspended", "withheld", None})

    def __init__(self) -> None:
        self._told: set[tuple[str, str | None, str]] = set()
        self._more: Counter[tuple[str, str | None, str]] = Counter()

    def line(self, event: SessionEnded) -> str:
        """The line of an end; empty if it only counts."""
        if event.ending not in self._FAULTS and event.cause != "context":
            return _end_line(event)
        kind = (event.key.model, event.ending, event.reason)
        if kind not in self._told:
            self._told.add(kind)
            return _end_line(event)
        self._more[kind] += 1
        return ""

    def lines(self) -> list[str]:
        """Those that were counted since the last time: “x: 49 more sessions suspended (unknown host name)”."""
        more, self._more = self._more, Counter()
        return [
            f"{model}: {plural(number, 'more session')} {ending or 'not started'} ({reason})"
            for (model, ending, reason), number in more.items()
        ]


class _Silent:
    def __call__(self, event: Event) -> None:
        pass

    def stopping(self) -> None:
        pass


class _Plain:
    """One line per ended session, and an occasional line if none ends."""

    def __init__(self) -> None:
        self._turns = 0
        self._alive = 0
        self._last = time.monotonic()
        self._holds = _Holds()
        self._alike = _Alike()

    def __call__(self, event: Event) -> None:
        from evolif.runner import SessionEnded
        from evolif.runner.events import ModelStopped, SessionStarted, StillWaiting, TurnStored

        line = ""
        if isinstance(event, TurnStored):
            self._turns += 1
        elif isinstance(event, SessionStarted):
            self._alive += 1
        elif isinstance(event, SessionEnded):
            self._alive -= 1
            line = self._alike.line(event)
        elif isinstance(event, ModelStopped):
            line = _stop_line(event)
        elif isinstance(event, StillWaiting):
            self.tell_more()
            quiet = time.monotonic() - self._last >= _QUIET
            said = [self._waiting_line(event), *self._holds.lines(event)] if quiet else self._holds.news(event)
            line = "; ".join(said)
        if line:
            self._print(line)

    def tell_more(self) -> None:
        """Tell what was only counted since the last time."""
        for line in self._alike.lines():
            self._print(line)

    def _print(self, line: str) -> None:
        from evolif.text import plain

        print(plain(line), file=sys.stderr, flush=True)
        self._last = time.monotonic()

    def _waiting_line(self, event: StillWaiting) -> str:
        """“12 turns so far; waiting for 1 answer from local/x (31 s), 2 verdicts from openai/y (5 s)”."""
        from evolif.report.waits import calls_text

        turns = f"{plural(self._turns, 'turn')} so far"
        if event.calls:
            return f"{turns}; waiting for {calls_text(event.calls)}"
        return f"{turns}; {plural(max(0, self._alive), 'session')} running"

    def stopping(self) -> None:
        print(STOPPING, file=sys.stderr, flush=True)


def _end_line(event: SessionEnded) -> str:
    where = f"{event.key.model}  dialogue {event.key.dialogue}"
    if event.key.epoch > 1:
        where += f" (epoch {event.key.epoch})"
    ended = "still going" if event.ending == "censored" else event.ending or "not started"
    return f"{where}: {ended} at turn {event.turn} ({event.reason})"


def _stop_line(event: ModelStopped) -> str:
    return f"{event.model} gets no more requests: {event.reason}"


class _Bars:
    """A bar per model: sessions ended, turns answered, turns followed."""

    def __init__(self, bars: RichProgress, models: list[str], sessions: int) -> None:
        self._bars = bars
        self._holds = _Holds()
        self._tasks = {m: bars.add_task(m, total=sessions, turns=0, judged=0, good=0, counts="") for m in models}

    def __call__(self, event: Event) -> None:
        from evolif.runner import SessionEnded
        from evolif.runner.events import ModelStopped, RunStarted, StillWaiting, TurnStored

        if isinstance(event, TurnStored):
            task = self._bars.tasks[self._tasks[event.key.model]]
            fields = task.fields
            turns, good = fields["turns"] + 1, fields["good"] + bool(event.satisfied)
            judged = fields["judged"] + (event.satisfied is not None)
            counts = f"{plural(turns, 'turn')}, {good} followed" if judged else plural(turns, "turn")
            self._bars.update(task.id, turns=turns, judged=judged, good=good, counts=counts)
        elif isinstance(event, SessionEnded):
            self._bars.advance(self._tasks[event.key.model])
        elif isinstance(event, RunStarted):
            for model, ended in event.ended.items():
                self._bars.update(self._tasks[model], completed=ended)
        elif isinstance(event, ModelStopped | StillWaiting):
            from evolif.text import plain

            lines = [_stop_line(event)] if isinstance(event, ModelStopped) else self._holds.news(event)
            for line in lines:
                self._bars.console.print(plain(line), markup=False)

    def stopping(self) -> None:
        self._bars.console.print(STOPPING)


class _RunReader(ABC):
    """Reads a run's own file again and again while it is played.

    A separate thread reads it, so that the loop that plays the sessions never waits for the display.

    Args:
        root: The run's folder.
        prices: What tokens cost.
        every: Seconds between two looks, at least.
    """

    def __init__(self, root: Path, prices: PriceTable, every: float) -> None:
        self._root = root
        self._prices = prices
        self._every = every
        self._earlier: Mapping[str, Sequence[Session]] | None = None
        self._closed = threading.Event()
        self._thread = threading.Thread(target=self._watch, name="evolif-display", daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._closed.set()
        self._thread.join(timeout=5)

    def _watch(self) -> None:
        rest = self._every / 2
        while not self._closed.wait(rest):
            started = time.monotonic()
            self._look()
            rest = max(self._every, _SHARE * (time.monotonic() - started))

    def _look(self) -> None:
        from evolif.budget import earlier_sessions, quotes_of, snapshot
        from evolif.runner import load_run

        try:
            with closing(load_run(self._root, read_only=True)) as run:
                if self._earlier is None:
                    self._earlier = earlier_sessions(run)
                status = snapshot(run, quotes_of(run.settings, self._prices), self._earlier)
        except EvolifError:
            return  # not started yet or being written: the next look will show it
        self._show(status)

    @abstractmethod
    def _show(self, status: RunStatus) -> None:
        """Show what was read."""


class _PlainRun(_RunReader, _Plain):
    """Adds a line a minute that says how much time is left."""

    def __init__(self, root: Path, prices: PriceTable) -> None:
        _RunReader.__init__(self, root, prices, _NEWS)
        _Plain.__init__(self)

    def _show(self, status: RunStatus) -> None:
        from evolif.report.waits import duration

        if status.seconds_left is not None and status.turns_left:
            turns = f"{plural(status.turns, 'turn')} so far, about {plural(round(status.turns_left), 'more turn')}"
            print(f"about {duration(status.seconds_left)} left: {turns}", file=sys.stderr, flush=True)


class LiveWatcher(_RunReader):
    """The table of `evolif status`, with what the run waits for.

    Args:
        live: The display.
        root: The run's folder.
        prices: What tokens cost.
    """

    def __init__(self, live: Live, root: Path, prices: PriceTable) -> None:
        super().__init__(root, prices, _REST)
        self._live = live

    def __call__(self, event: Event) -> None:
        """Report what stops a model."""
        from evolif.runner.events import ModelStopped

        if isinstance(event, ModelStopped):
            from evolif.text import plain

            self._live.console.print(plain(_stop_line(event)), markup=False)

    def stopping(self) -> None:
        """A clean stop was requested."""
        self._live.console.print(STOPPING)

    def _show(self, status: RunStatus) -> None:
        from rich.console import Group
        from rich.text import Text

        from evolif.report import live_lines, status_table

        lines = () if status.live is None else live_lines(status.live)
        self._live.update(Group(status_table(status), *map(Text, lines)), refresh=True)


# Turns that chat models word.


@contextmanager
def wording(display: str, turns: int) -> Iterator[Callable[[TurnMade], None]]:
    """Show turns as they are worded.

    Args:
        display: What `choose` returned.
        turns: Target length of the dialogues.
    """
    if display == "plain":
        with _WordingLines(turns) as lines:
            yield lines
        return
    from evolif.text import plain

    counts: dict[str, Counter[str]] = {}
    with spinning(display) as update:

        def observe(made: TurnMade) -> None:
            count = counts.setdefault(made.synthesizer, Counter())
            count[made.outcome] += 1
            outcomes = f"{count['repaired']} repaired, {count['flagged']} flagged"
            update(made.synthesizer, plain(f"{made.synthesizer}: {plural(count.total(), 'turn')}, {outcomes}"))

        yield observe


class _WordingLines:
    """One line per complete dialogue, and an occasional line before that."""

    def __init__(self, turns: int) -> None:
        self._turns = turns
        self._outcomes: dict[int, Counter[str]] = {}
        self._last = time.monotonic()
        self._closed = threading.Event()
        self._thread = threading.Thread(target=self._watch, name="evolif-wording", daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._closed.set()
        self._thread.join()

    def __call__(self, made: TurnMade) -> None:
        outcomes = self._outcomes.setdefault(made.dialogue, Counter())
        outcomes[made.outcome] += 1
        if made.turn >= self._turns or made.turn % _EVERY == 0:
            from evolif.text import plain

            counts = ", ".join(
                f"{outcomes[name]} {name}" for name in ("accepted", "repaired", "flagged") if outcomes[name]
            )
            line = f"{made.synthesizer}  dialogue {made.dialogue}: turn {made.turn} of {self._turns} ({counts})"
            self._print(plain(line))

    def _watch(self) -> None:
        """Print a line after a long silence: a chat model may take minutes for a turn."""
        while not self._closed.wait(_LOOK):
            if time.monotonic() - self._last >= _QUIET:
                made = sum(outcomes.total() for outcomes in list(self._outcomes.values()))
                self._print(f"{plural(made, 'turn')} worded so far; waiting for the next")

    def _print(self, line: str) -> None:
        print(line, file=sys.stderr, flush=True)
        self._last = time.monotonic()


def rates_lines(bench: InstructionBenchmark) -> Iterator[str]:
    """Results of writing the benchmark's queries, per chat model: rates, calls and tokens."""
    from evolif.scenarios.instructions import rates

    flagged = 0
    for name, sums in rates(bench.records()).items():
        flagged += sums.flagged
        tokens = f"{sums.usage.prompt_tokens} + {plural(sums.usage.completion_tokens, 'token')}"
        line = f"  {plural(sums.calls, 'call')}, {tokens}"
        if sums.checker_calls:
            tokens = f"{sums.checker_usage.prompt_tokens} + {plural(sums.checker_usage.completion_tokens, 'token')}"
            line += f"; checker {plural(sums.checker_calls, 'call')}, {tokens}"
        yield f"{name}: {_shares(sums)}"
        yield line
    if flagged:
        yield f"Flagged turns use the template's wording until a person clears them: evolif review {bench.path}"


def _shares(sums: Rates) -> str:
    if not sums.turns:
        return "no turns were worded"
    outcomes = {"accepted on the first try": sums.accepted, "repaired": sums.repaired, "flagged": sums.flagged}
    shares = ", ".join(f"{100 * count / sums.turns:.1f} % {what}" for what, count in outcomes.items())
    return f"{plural(sums.turns, 'turn')} worded: {shares}"
