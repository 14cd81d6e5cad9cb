"""What is told while chat models word turns, and what it came to at the end."""

from __future__ import annotations

import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from evolif.benchmark import Benchmark, Made, Rates

_EVERY = 10
"""Off a terminal, a line after so many turns of a dialogue."""
_QUIET = 30.0
"""Seconds without a line after which one says that words are awaited."""
_LOOK = 5.0
"""Seconds between two looks at that."""


@contextmanager
def wording(display: str, turns: int) -> Iterator[Callable[[Made], None]]:
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

    def __call__(self, made: Made) -> None:
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
def _bar() -> Iterator[Callable[[Made], None]]:
    from rich.console import Console
    from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    from evolif.report import plain

    columns = (SpinnerColumn(), TextColumn("{task.description}", markup=False), TimeElapsedColumn())
    counts: dict[str, Counter[str]] = {}
    with Progress(*columns, console=Console(stderr=True), transient=True) as bars:
        tasks = {}

        def told(made: Made) -> None:
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
    from evolif.benchmark import rates

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
