"""What evaluating and judging again print last: the figures, what stopped, and what to type next."""

from __future__ import annotations

import shlex
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from evolif.cli.console import say, show
from evolif.text import plain, plural
from evolif.types import DEFAULT_RESAMPLES

if TYPE_CHECKING:
    from evolif.budget import PriceTable
    from evolif.runner import Run

_REASONS = 3
"""Maximum number of listed suspension reasons."""
_LINES = {1: 4, 2: 2, 3: 1}
"""How many lines each of so many reasons may take; `Run.reasons` has all of what an endpoint said."""
_NAME, _COLUMNS = 28, 80


def end(
    run: Run,
    prices: PriceTable | None,
    *,
    seed: int = 0,
    resamples: int = DEFAULT_RESAMPLES,
    outcome: Iterable[str] = (),
    faults: Iterable[str] = (),
    more: Iterable[str] = (),
    nothing: str = "",
) -> None:
    """Print the end of a run that has figures, or say why it has none.

    Args:
        run: As it is now.
        prices: What tokens cost.
        seed: Of the draws behind intervals.
        resamples: How many draws.
        outcome: Sentences below the figures.
        faults: What stopped, for standard error.
        more: Commands to type next besides those for the report.
        nothing: What to say first of a run without figures.
    """
    from evolif.report import RunAnalysis, Terminal
    from evolif.report.ending import print_ending

    outcome, faults = list(outcome), list(faults)
    below = [*outcome, *faults, *next_lines(run.path, more)]
    if has_figures(run):
        analysis = RunAnalysis(run, seed, resamples)
        print_ending(analysis, [model.summary for model in analysis.models], Terminal(), prices, below=below)
    else:
        say_no_figures(run, nothing)
    show(outcome)
    for fault in faults:
        say(fault)
    if has_figures(run) or not faults:
        show(next_lines(run.path, more))


def next_lines(run: Path, more: Iterable[str] = ()) -> list[str]:
    """The commands that show more of a run."""
    folder, page = shlex.quote(str(run)), shlex.quote(f"{run.resolve().name}.html")
    return [
        "Next:",
        f"  evolif report {folder}    # all tables, and with --full more",
        f"  evolif report {folder} --html {page}    # the page",
        *(f"  {command}" for command in more),
    ]


def has_figures(run: Run) -> bool:
    """Whether any session can appear in a table."""
    return any(session.ending in ("finished", "censored") for session in run.sessions())


def say_no_figures(run: Run, first: str = "") -> None:
    """Say why there are no figures: what ended the sessions, or that none has ended yet."""
    from evolif.report import outcome_lines

    lines = [*filter(None, [first]), *outcome_lines(run)]
    for line in lines or ["No session has ended yet, so there are no figures."]:
        say(line)


def budget_lines(run: Run) -> Iterator[str]:
    """What the budget cut short, if anything."""
    endings = run.store.endings()
    cut = sum(number for (_, ending, cause), number in endings.items() if cause == "budget" and ending is not None)
    unbegun = run.unbegun().get("budget", 0)
    parts = [f"ended {_sessions(cut)} early"] * bool(cut) + [f"kept {_sessions(unbegun)} from starting"] * bool(unbegun)
    if parts:
        yield f"The budget {' and '.join(parts)}; run the same command with a larger budget to continue."


def suspended_lines(run: Run, mend: str) -> Iterator[str]:
    """Why sessions are suspended, if any is; `mend` ends “3 sessions are suspended; …”."""
    from evolif.report.ending import shortened, shortened_end

    suspended, reasons = run.suspended(), _reasons(run)
    shown = reasons[:_REASONS]
    for models, reason, number in shown:
        named = shortened(models[0], _NAME) + (f" and {len(models) - 1} more" if len(models) > 1 else "")
        yield shortened_end(f"{named}, {_sessions(number)}: {reason}", _LINES[len(shown)] * _COLUMNS)
    if len(reasons) > _REASONS:
        yield f"… and {plural(len(reasons) - _REASONS, 'more reason')}."
    if suspended:
        misleads = " Until then the figures may favour short sessions." if has_figures(run) else ""
        yield f"{suspended} {'session is' if suspended == 1 else 'sessions are'} suspended; {mend}.{misleads}"


def _reasons(run: Run) -> list[tuple[list[str], str, int]]:
    """Models, reason and sessions, the most frequent first; a reason does not begin with its model's name."""
    models: defaultdict[str, list[str]] = defaultdict(list)
    sessions: Counter[str] = Counter()
    for model, reason, number in run.reasons():
        told = plain(reason).removeprefix(f"{plain(model)}: ")
        models[told].append(model)
        sessions[told] += number
    return [(models[told], told, number) for told, number in sessions.most_common()]


def _sessions(number: int) -> str:
    return plural(number, "session")
