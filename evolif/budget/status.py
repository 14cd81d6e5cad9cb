"""A run as it stands: the same figures for the live display and for a look from another shell."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from evolif.budget.forecast import survival_of_sessions
from evolif.budget.prices import Quotes
from evolif.metrics import Interval, bootstrap_intervals, process_metrics, records_from_sessions
from evolif.runner import EarlyEnd, Run
from evolif.types import Session

_RESAMPLES = 400
"""Enough for an interval that the next minute changes."""
_MARKS = (1, 2, 3, 4, 5, 10, 20, 30, 40, 50)
"""Turns at which survivors are counted."""


@dataclass(frozen=True, slots=True)
class ModelStatus:
    """One model's part of a run."""

    model: str
    sessions: int
    """All of the run, begun or not."""
    begun: int
    ended: int
    suspended: int
    survivors: tuple[tuple[int, int], ...]
    """(turn, sessions that have answered it)."""
    rob: float | None
    """Of the sessions that have ended, which are the short ones at first."""
    interval: Interval | None
    turns: int
    tokens: int
    usd: float | None
    """Of the model itself; None where its price is unknown."""
    faults: int
    turns_left: float
    """As far as survival so far tells; of suspended sessions nothing is awaited."""


@dataclass(frozen=True, slots=True)
class RunStatus:
    """A run as it stands."""

    models: tuple[ModelStatus, ...]
    tokens: int
    """Of all roles."""
    usd: float
    priced: bool
    """Whether that is everything."""
    early_end: EarlyEnd | None = None
    """The stop rule that ended the run; ROB is then that of its dialogues alone."""

    @property
    def turns(self) -> int:
        """Turns answered."""
        return sum(model.turns for model in self.models)

    @property
    def turns_left(self) -> float:
        """Turns to come, as far as can be told."""
        return sum(model.turns_left for model in self.models)


def snapshot(run: Run, quotes: Quotes) -> RunStatus:
    """Read a run, which another process may be writing."""
    faults = Counter(model for model, *_ in run.faults())
    kept = Counter[str]()
    for (model, ending, cause), number in run.store.endings().items():
        kept[model] += number if ending is None and cause else 0
    early = run.early_end()
    spent = run.costs()
    usd, priced = quotes.total(spent)
    models = []
    for model in run.models:
        own = [one.usage for one in spent if (one.role, one.model) == ("target", model)]
        costs = [quotes.cost("target", model, usage) for usage in own]
        tokens = sum(u.prompt_tokens + u.completion_tokens for u in own)
        money = None if None in costs else sum(cost for cost in costs if cost is not None)
        models.append(_status(run, model, _Sums(tokens, money, faults[model], kept[model]), early))
    tokens = sum(one.usage.prompt_tokens + one.usage.completion_tokens for one in spent)
    return RunStatus(tuple(models), tokens, usd, priced, early)


@dataclass(frozen=True, slots=True)
class _Sums:
    tokens: int
    usd: float | None
    faults: int
    kept: int
    """Sessions that were kept from beginning: `Run.sessions` leaves them out."""


def _status(run: Run, model: str, sums: _Sums, early: EarlyEnd | None) -> ModelStatus:
    sessions = run.sessions(model)
    counts = records_from_sessions(sessions)
    table = counts.records
    if early is not None:
        table = records_from_sessions(s for s in sessions if s.dialogue in early.dialogues).records
    lengths = [len(session.turns) for session in sessions]
    return ModelStatus(
        model=model,
        sessions=len(sessions) + sums.kept,
        begun=sum(length > 0 for length in lengths),
        ended=counts.finished + counts.censored + counts.withheld,
        suspended=counts.suspended,
        survivors=tuple(_survivors(lengths)),
        rob=process_metrics(table).rob,
        interval=bootstrap_intervals(table, resamples=_RESAMPLES)["rob"],
        turns=sum(lengths),
        tokens=sums.tokens,
        usd=sums.usd,
        faults=sums.faults,
        turns_left=_turns_left(sessions, run.settings.max_turns),
    )


def _survivors(lengths: Sequence[int]) -> Iterator[tuple[int, int]]:
    longest = max(lengths, default=0)
    for mark in _MARKS:
        if mark <= longest:
            yield mark, sum(length >= mark for length in lengths)


def _turns_left(sessions: Sequence[Session], cap: int) -> float:
    curve = survival_of_sessions(sessions, cap)
    going_on = Counter(len(session.turns) for session in sessions if session.ending is None)
    if curve is None:
        return float(cap * going_on.total())
    left = 0.0
    for length, number in going_on.items():
        further = curve.alive[length:]  # the share that is asked each further turn
        if further and further[0] > 0:
            left += number * sum(further) / further[0]
        elif further:
            left += number  # nobody came so far yet
    return left
