"""What a run left undone, in sentences and as an exit code: sessions that are suspended, a budget that was spent."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from evolif._errors import UsageError

if TYPE_CHECKING:
    from evolif.money import Budget
    from evolif.protocol import Run

SUSPENDED = 3
"""Exit code where sessions are left suspended; those that a budget or a stop rule cut short are not."""
_REASONS = 5
"""Reasons of suspended sessions that are told."""

Say = Callable[[str], None]


def has_figures(run: Run) -> bool:
    """Whether any session can stand in a table."""
    return any(session.ending in ("finished", "censored") for session in run.sessions())


def refuse_tiny_budget(run: Run, budget: Budget | None, *, mend: str) -> None:
    """See that a budget let anything happen at all.

    Args:
        run: As it is now.
        budget: Its gate.
        mend: What to name beside a larger budget; empty for nothing.

    Raises:
        UsageError: it is smaller than the first call, so that the run is as empty as before.
    """
    if budget is None or budget.stop is None or any(session.turns for session in run.sessions()):
        return
    raise UsageError(f"nothing was asked: {budget.stop.reason}; name a larger one{mend}")


def tell_budget(run: Run, say: Say) -> None:
    """Say what the budget cut short; nothing where none did."""
    endings = run.store.endings()
    cut = sum(number for (_, ending, cause), number in endings.items() if cause == "budget" and ending is not None)
    unbegun = run.unbegun().get("budget", 0)
    told = [f"ended {_sessions(cut)} early"] * bool(cut) + [f"kept {_sessions(unbegun)} from beginning"] * bool(unbegun)
    if told:
        say(f"The budget {' and '.join(told)}; the same command with a larger one goes on with what is left.")


def tell_suspended(run: Run, mend: str, say: Say) -> bool:
    """Say why sessions are suspended; whether any is.

    Args:
        run: As it is now.
        mend: What to do, as the end of “3 sessions are suspended; …”.
        say: Tells the user a sentence.
    """
    suspended, reasons = run.suspended(), run.reasons()
    for model, reason, number in reasons[:_REASONS]:
        say(f"{model}, {_sessions(number)}: {reason}")
    if len(reasons) > _REASONS:
        say(f"… and {len(reasons) - _REASONS} more reasons.")
    if suspended:
        say(f"{suspended} {'session is' if suspended == 1 else 'sessions are'} suspended; {mend}.")
    return bool(suspended)


def _sessions(number: int) -> str:
    return f"{number} session" if number == 1 else f"{number} sessions"
