"""A running evaluation on a terminal or in plain lines."""

from __future__ import annotations

from collections.abc import Iterator

from rich.table import Table
from rich.text import Text

from evolif.report._escape import plain
from evolif.report._spent import dollars
from evolif.watch import ModelStatus, RunStatus


def status_table(status: RunStatus, rate: float | None = None) -> Table:
    """A row per model, and what is so of all below."""
    table = Table(caption=Text(status_sentence(status, rate)), caption_justify="left")
    for head in ("model", "ended", "alive at turn", "ROB %", "turns", "tokens", "money", "faults"):
        table.add_column(head, justify="left" if head in ("model", "alive at turn") else "right", overflow="fold")
    for one in status.models:
        table.add_row(Text(plain(one.model)), *(Text(cell) for cell in _cells(one)))
    return table


def status_lines(status: RunStatus, rate: float | None = None) -> Iterator[str]:
    """The same in lines."""
    for one in status.models:
        ended, alive, rob, turns, tokens, money, faults = _cells(one)
        yield (
            f"{plain(one.model)}: {ended} sessions ended; alive at turn {alive or '-'}; ROB so far {rob}; "
            f"{turns} turns, {tokens} tokens, {money}; {faults} faults"
        )
    yield status_sentence(status, rate)


def status_sentence(status: RunStatus, rate: float | None) -> str:
    """Sums, rate and time left; `rate` in turns a second, None where it is not known."""
    unpriced = "" if status.priced else " and what has no known price"
    told = f"{status.turns:,} turns, {status.tokens:,} tokens, {dollars(status.usd)}{unpriced}"
    if status.early_end is not None:
        first = len(status.early_end.dialogues)
        told += f"; ended early by the rule {plain(status.early_end.rule)}, ROB is of the first {first} dialogues"
    if rate is None:
        return told
    if not rate:
        return f"{told}; no turn came in while we looked"
    return f"{told}; {rate:.1f} turns/s, about {_time(status.turns_left / rate)} left"


def _cells(one: ModelStatus) -> tuple[str, ...]:
    suspended = f" ({one.suspended} suspended)" if one.suspended else ""
    rob = "-" if one.rob is None else f"{100 * one.rob:.0f}"
    if one.interval is not None:
        rob += f" [{100 * one.interval[0]:.0f}–{100 * one.interval[1]:.0f}]"
    return (
        f"{one.ended} of {one.sessions}{suspended}",
        " ".join(f"{turn}:{number}" for turn, number in one.survivors),
        rob,
        f"{one.turns:,}",
        f"{one.tokens:,}",
        dollars(one.usd),
        str(one.faults),
    )


def _time(seconds: float) -> str:
    if seconds < 90:
        return f"{seconds:.0f} s"
    minutes = seconds / 60
    return f"{minutes:.0f} min" if minutes < 90 else f"{minutes / 60:.1f} h"
