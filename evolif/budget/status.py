"""The status of a running evaluation: the same figures for the live display and other shells."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from evolif.budget.foretold import foretold
from evolif.budget.prices import Quotes
from evolif.budget.stop_rule import shown_intervals
from evolif.budget.time_left import model_left
from evolif.metrics import (
    PROCESS,
    Interval,
    Metric,
    MetricTable,
    cluster_rows,
    counted_sessions,
    intervals,
    records_from_sessions,
    tables_of,
)
from evolif.metrics.table import figures
from evolif.runner import EarlyEnd, Live, Run
from evolif.scenario import get_scenario
from evolif.types import Session

_RESAMPLES = 400
"""Enough for an interval that changes every minute."""
_LEAD = PROCESS.metric(PROCESS.main)
_MARKS = (1, 2, 3, 4, 5, 10, 20, 30, 40, 50)
"""Turns at which survivors are counted."""


@dataclass(frozen=True, slots=True)
class ModelStatus:
    """One model's part of a run."""

    model: str
    sessions: int
    """All sessions, started or not."""
    begun: int
    ended: int
    suspended: int
    survivors: tuple[tuple[int, int], ...]
    """(turn, sessions that have answered it)."""
    value: float | None
    """The headline, over ended sessions; early on, these are the short ones."""
    interval: Interval | None
    turns: int
    tokens: int
    usd: float | None
    """Of the model itself, without judges; None if its price is unknown."""
    faults: int
    turns_left: float
    """Of the model under test, estimated from survival so far, see `evolif.budget.time_left`; suspended sessions count
    as over, unless this command plays them again."""
    seconds_left: float | None = None
    """None if no process plays the run, or if none of its turns has ended."""


@dataclass(frozen=True, slots=True)
class RunStatus:
    """The status of a whole run."""

    models: tuple[ModelStatus, ...]
    tokens: int
    """Of all roles, without calls of unknown usage."""
    usd: float
    priced: bool
    """Whether all prices are known."""
    early_end: EarlyEnd | None = None
    """The stop rule that ended the run; the headline then covers its dialogues alone."""
    headline: Metric = _LEAD
    """The metric that is shown: ISR@N, or the headline of a scenario's own table."""
    unknown_calls: int = 0
    """Calls of unknown usage."""
    live: Live | None = None
    """What the process says that plays the run; None if none does."""
    forecast_usd: tuple[float, float] | None = None
    """What a pilot forecast of the run, low and high; None if none did, or a price was unknown."""

    def to_object(self) -> dict[str, Any]:
        """As JSON values, the headline under its own name."""
        shown = {**asdict(self), "seconds_left": self.seconds_left}
        del shown["headline"]
        if self.forecast_usd is None:
            del shown["forecast_usd"]
        named = {"value": self.headline.name or "value"}
        shown["models"] = [{named.get(key, key): value for key, value in one.items()} for one in shown["models"]]
        return shown

    @property
    def turns(self) -> int:
        """Turns answered."""
        return sum(model.turns for model in self.models)

    @property
    def turns_left(self) -> float:
        """Estimated remaining turns."""
        return sum(model.turns_left for model in self.models)

    @property
    def seconds_left(self) -> float | None:
        """Estimated seconds to the end: models play side by side, so those of the slowest; None if unknown."""
        if self.live is None or self.live.is_silent:
            return None
        known = [model.seconds_left for model in self.models]
        slowest = [seconds for seconds in known if seconds is not None]
        return max(slowest) if len(slowest) == len(known) else None


def snapshot(run: Run, quotes: Quotes, earlier: Mapping[str, Sequence[Session]] | None = None) -> RunStatus:
    """Read the status of a run, even while another process writes it.

    Args:
        run: The run.
        quotes: Its prices.
        earlier: Per model, sessions of earlier runs, for the time left.
    """
    faults = Counter(model for model, *_ in run.faults())
    cut = Counter[str]()  # sessions that ended before their first turn, which `Run.sessions` omits
    for (model, ending, cause), number in run.store.endings().items():
        cut[model] += number if ending is None and cause else 0
    early_end = run.early_end()
    live = run.live()
    paces = {} if live is None or live.is_silent else live.paces
    spent = run.costs()
    played = {model: run.sessions(model, lazily=True) for model in run.models}
    every = (session for sessions in played.values() for session in sessions)
    settings = run.settings
    brought = get_scenario(settings.scenario).table(settings.options)
    tables = tables_of(brought, settings.patience, every, cap=settings.max_turns)
    table = tables[0] if tables else None
    models = []
    for model, sessions in played.items():
        counts = records_from_sessions(sessions)
        value, interval = _headline(table, sessions, early_end, run.settings.max_turns)
        lengths = [len(session.turns) for session in sessions]
        own = [one for one in spent if (one.role, one.model) == ("target", model)]
        usd, priced = quotes.total(own)
        left = model_left(sessions, run.settings, live, paces.get(model), (earlier or {}).get(model, ()))
        status = ModelStatus(
            model=model,
            sessions=len(sessions) + cut[model],
            begun=sum(length > 0 for length in lengths),
            ended=counts.finished + counts.censored + counts.withheld,
            suspended=counts.suspended,
            survivors=_survivors(lengths),
            value=value,
            interval=interval,
            turns=sum(lengths),
            tokens=sum(one.usage.tokens for one in own),
            usd=usd if priced else None,
            faults=faults[model],
            turns_left=left.turns,
            seconds_left=left.seconds if model in paces else None,
        )
        models.append(status)
    usd, priced = quotes.total(spent)
    headline = Metric("", "figures", "count") if table is None else table.metric(table.main)
    tokens, unknown = sum(one.usage.tokens for one in spent), sum(one.unknown for one in spent)
    told = foretold(run)
    forecast = told.usd if told is not None and told.is_priced else None
    return RunStatus(tuple(models), tokens, usd, priced, early_end, headline, unknown, live, forecast)


def _headline(
    table: MetricTable | None, sessions: Sequence[Session], early: EarlyEnd | None, cap: int
) -> tuple[float | None, Interval | None]:
    if table is None:
        return None, None
    counted = counted_sessions(s for s in sessions if early is None or s.dialogue in early.dialogues)
    drawn = intervals(table, cluster_rows(table, counted).values(), cap=cap, resamples=_RESAMPLES)
    shown = shown_intervals(drawn, early, (table,), counted, cap=cap, resamples=_RESAMPLES)
    return figures((table,), counted).value(table.main), shown[table.main]


def _survivors(lengths: Sequence[int]) -> tuple[tuple[int, int], ...]:
    longest = max(lengths, default=0)
    return tuple((mark, sum(length >= mark for length in lengths)) for mark in _MARKS if mark <= longest)
