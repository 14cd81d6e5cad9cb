"""A stop rule ends a run with as few dialogues as a metric needs, without favouring any result.

Whoever looks at an interval again and again, and stops once it is narrow, stops where chance made it narrow: such
intervals are too narrow, and near a limit such as 100 % the figures are too high. There are two ways that hold:

    pilot     the first 30 dialogues say how many are needed; that number is then kept, whatever the later ones show
    sequence  the run ends as soon as a confidence sequence, which allows for all the looks, is narrow enough

Both count dialogues in the run's order, and a dialogue only when every session of every model in it has ended. So what
is decided depends on the answers alone, not on the order in which they arrive.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypeAlias, cast, get_args

from evolif.budget.pilot import PILOT, dialogues_for
from evolif.errors import UsageError
from evolif.metrics import (
    PROCESS,
    Interval,
    MetricTable,
    Row,
    cluster_rows,
    counted_sessions,
    described,
    is_saturated,
    sessions_at_cap,
)
from evolif.metrics.sequence import sequence_interval
from evolif.runner import (
    STOP_RULE,
    Deny,
    EarlyEnd,
    Event,
    PlannedCall,
    Run,
    RunSettings,
    RunStore,
    SessionEnded,
    load_run,
)
from evolif.text import plural
from evolif.types import DEFAULT_RESAMPLES, Session, Usage
from evolif.util.suggestions import did_you_mean

BATCH = 10
"""Dialogues between two looks of a confidence sequence."""

BOUNDED = "edr_len"
"""The metric that a cap bounds: where most sessions reach it, its interval is narrow whatever the model can do."""

Method: TypeAlias = Literal["pilot", "sequence"]

_ENDED = frozenset({"finished", "censored", "withheld"})
_CUT = frozenset({STOP_RULE, "budget"})


@dataclass(frozen=True, slots=True)
class Rule:
    """Stop when every model's 95 % interval of a metric is narrower than ± a half-width, in the metric's unit."""

    metric: str
    half_width: float
    method: Method = "pilot"

    def __str__(self) -> str:
        return f"{self.metric}={self.half_width:g}"


def parse_rule(text: str, tables: Sequence[MetricTable] = (PROCESS,), method: str = "pilot") -> Rule:
    """Read `isr_at_n=0.03`.

    Args:
        text: A metric and a half-width.
        tables: Those that the run will have (`tables_of`).
        method: `pilot` or `sequence`.

    Raises:
        UsageError: an unknown metric or method, or a half-width that is not above zero.
    """
    metric, _, width = text.partition("=")
    metrics = described(tables)
    try:
        half_width = float(width)
    except ValueError:
        half_width = 0.0
    if metric.strip() not in metrics or not 0 < half_width < float("inf"):
        example = next(iter(metrics), PROCESS.main)
        points = " for ± 3 points" if metrics[example].unit == "rate" else ""
        lengths = "turns for edr_…, fractions for the others" if "edr_len" in metrics else "rates are fractions"
        near = did_you_mean(metric.strip(), metrics)
        raise UsageError(
            f"--stop-when {text[:60]}{near}: it takes a metric and the half-width of its interval, e.g. "
            f"{example}=0.03{points} (metrics: {', '.join(metrics)}; {lengths})"
        )
    if method not in get_args(Method):
        raise UsageError(f"--stop-method is {' or '.join(get_args(Method))}, not “{method}”")
    return Rule(metric.strip(), half_width, cast(Method, method))


def shown_intervals(
    found: Mapping[str, Interval | None],
    early: EarlyEnd | None,
    tables: Sequence[MetricTable],
    sessions: Sequence[Session],
    *,
    cap: int | None = None,
    seed: int = 0,
    resamples: int = DEFAULT_RESAMPLES,
) -> Mapping[str, Interval | None]:
    """The intervals to show: after a stop by a confidence sequence, its metric has the sequence's own.

    Args:
        found: The ordinary intervals, by metric.
        early: The end of the run.
        tables: Of the run.
        sessions: Of one model, those that count.
        cap: Of the run, in turns; None if unknown.
        seed: As for `intervals`.
        resamples: As for `intervals`.
    """
    if early is None or early.method != "sequence" or early.metric not in found:
        return found
    table = next(table for table in tables if early.metric in table.ratios)
    rows = list(cluster_rows(table, sessions).values())
    return {
        **found,
        early.metric: sequence_interval(table, rows, early.metric, cap=cap, seed=seed, resamples=resamples),
    }


class StopRule:
    """Implements `CallPolicy` and observes the run.

    Args:
        rule: When to stop.
        settings: The run's settings.
        root: The run's folder; sessions that ended there earlier count, and so does what was decided there.
        seed: Seed of the bootstrap.
        tables: Those that the run will have.

    Raises:
        UsageError: the rule is on EDR len, and the sessions stored so far show that the cap bounds it.
    """

    def __init__(
        self, rule: Rule, settings: RunSettings, root: Path, seed: int = 0, tables: Sequence[MetricTable] = (PROCESS,)
    ) -> None:
        self._rule = rule
        self._table = next(table for table in tables if rule.metric in table.ratios)
        self._settings = settings
        self._root = root
        self._seed = seed
        self._each = len(settings.models) * settings.epochs
        """Sessions of one dialogue."""
        self._left = dict.fromkeys(settings.dialogues, self._each)
        """Sessions of each dialogue that have not ended."""
        self._complete = 0
        """Dialogues from the first on, of which every session has ended."""
        self._next_look: int | None = PILOT
        """Dialogues of the next look; None once all is decided."""
        self._kept: frozenset[int] | None = None
        """The dialogues that the run ends with, once the rule has chosen them."""
        self._why_whole = ""
        """Why all dialogues are played, as a clause, if that is decided."""
        self._stop = Deny(STOP_RULE, f"the stop rule {rule} ends the run before this dialogue")
        if RunStore.begun(root):
            self._resume()

    def summary(self) -> str:
        """The outcome as a sentence; for after the run."""
        whole = len(self._settings.dialogues)
        with closing(load_run(self._root)) as run:
            early = run.early_end()
        if early is None or self._kept is None:
            why = self._why_whole or f"the first {PILOT} are not complete"
            if whole <= PILOT:
                why = f"a run that ends early has at least {PILOT}"
            elif self._kept is not None:
                why = f"{len(self._kept)} are enough, but the others had been played by then"
            return f"Stop rule {self._rule} did not end the run early ({plural(whole, 'dialogue')}): {why}."
        first = len(self._kept)
        by = f"the first {PILOT} dialogues showed that {first} of {whole} are enough"
        if self._rule.method == "sequence":
            by = f"its confidence sequence was narrow enough after {first} of {plural(whole, 'dialogue')}"
        return f"Stop rule {self._rule} ended the run early: {by}. The metrics cover only the first {first}."

    def __call__(self, event: Event) -> None:
        """Count the sessions that end; look when enough dialogues are complete."""
        if isinstance(event, SessionEnded) and event.ending in _ENDED and event.cause not in _CUT:
            self._left[event.key.dialogue] -= 1
            self._look()

    def admit(self, call: PlannedCall) -> Deny | None:
        """Deny every call beyond the kept dialogues, except to judge an answer that is already paid for."""
        if self._kept is None or call.role == "judge" or call.key is None or call.key.dialogue in self._kept:
            return None
        return self._stop

    def record(self, call: PlannedCall, usage: Usage | None) -> None:
        """Do nothing: the rule ignores usage."""

    def _resume(self) -> None:
        with closing(load_run(self._root)) as run:
            noted = run.store.noted_end()
            if noted is not None and self._is_own(noted):
                # What was decided stays, even if a later version computes it in another way.
                self._keep(len(noted.dialogues))
                return
            for model in self._settings.models:
                share = self._share_at_cap(tuple(run.sessions(model)))
                if share is not None:
                    raise UsageError(
                        f"--stop-when {self._rule}: EDR len is bounded by the cap of {self._settings.max_turns} for "
                        f"{100 * share:.0f} % of the sessions of {model} so far, so its interval is narrow whatever "
                        "the model can do; leave the rule out, or use exhaustion_rate=0.005"
                    )
                for dialogue, epoch in run.store.ended(model):
                    if dialogue in self._left and epoch <= self._settings.epochs:
                        self._left[dialogue] -= 1
        self._look()

    def _is_own(self, noted: EarlyEnd) -> bool:
        """Whether this rule decided it, from as many models and epochs, over dialogues that the run has."""
        same = (noted.rule, noted.method, noted.sessions) == (str(self._rule), self._rule.method, self._each)
        return same and noted.dialogues == self._first(len(noted.dialogues))

    def _share_at_cap(self, sessions: Sequence[Session]) -> float | None:
        """The share of counted sessions at the cap if the rule is on EDR len and the cap bounds it; else None."""
        counted = sum(session.ending in ("finished", "censored") for session in sessions)
        at_cap = sessions_at_cap(sessions, self._settings.max_turns)
        if self._rule.metric != BOUNDED or not is_saturated(at_cap, counted):
            return None
        return at_cap / counted

    def _first(self, number: int) -> tuple[int, ...]:
        return tuple(sorted(self._settings.dialogues[:number]))

    def _look(self) -> None:
        """Take every look that is due."""
        dialogues = self._settings.dialogues
        while self._complete < len(dialogues) and self._left[dialogues[self._complete]] <= 0:
            self._complete += 1
        while self._next_look is not None and self._next_look <= self._complete:
            looked, self._next_look = self._next_look, None
            with closing(load_run(self._root)) as run:
                number = self._number(run, looked)
                if number is not None and number < len(dialogues):
                    self._keep(number)
                    batch = PILOT if self._rule.method == "pilot" else BATCH
                    note = EarlyEnd(str(self._rule), self._first(number), batch, self._rule.method, self._each)
                    run.store.note_early_end(note)

    def _keep(self, number: int) -> None:
        self._next_look = None
        if number < len(self._settings.dialogues):
            self._kept = frozenset(self._settings.dialogues[:number])
        else:
            self._why_whole = f"{number} are needed"

    def _number(self, run: Run, looked: int) -> int | None:
        """How many dialogues the run ends with; None if that is not decided now."""
        prefix = frozenset(self._settings.dialogues[:looked])
        of_models = [self._counted(run, model, prefix) for model in self._settings.models]
        at_cap = any(self._share_at_cap(sessions) is not None for sessions in of_models)
        rows = [list(cluster_rows(self._table, counted_sessions(sessions)).values()) for sessions in of_models]
        clusters = max(1, min(map(len, rows), default=0))
        if clusters < PILOT and self._table.cluster:
            self._next_look = looked + math.ceil((PILOT - clusters) * looked / clusters)
            self._why_whole = f"that takes {PILOT} of what the scenario takes as one, its {self._table.cluster}"
            return None
        if self._rule.method == "pilot":
            return self._planned(rows, looked / clusters, at_cap=at_cap)
        self._why_whole = "at no earlier look was the confidence sequence of every model narrow enough"
        if not at_cap and all(map(self._is_narrow, rows)):
            return looked
        self._next_look = looked + BATCH
        return None

    def _counted(self, run: Run, model: str, prefix: frozenset[int]) -> list[Session]:
        return [s for s in run.sessions(model) if s.dialogue in prefix and s.epoch <= self._settings.epochs]

    def _planned(self, rows: Sequence[Sequence[Row]], each: float, *, at_cap: bool) -> int | None:
        """How many dialogues are needed, where a cluster has so many."""
        if at_cap:
            self._why_whole = f"EDR len is bounded by the cap in more than a quarter of the first {PILOT} dialogues"
            return None
        name, goal, settings = self._rule.metric, self._rule.half_width, self._settings
        most, cap = math.ceil(len(settings.dialogues) / each), settings.max_turns
        needs = [dialogues_for(self._table, own, name, goal, most=most, cap=cap, seed=self._seed) for own in rows]
        if None in needs:
            self._why_whole = f"the first {PILOT} dialogues do not show how much {self._rule.metric} varies"
            return None
        needed = math.ceil(each * max(need for need in needs if need is not None))
        self._why_whole = f"by the first {PILOT}, about {needed} are needed"
        return needed

    def _is_narrow(self, rows: Sequence[Row]) -> bool:
        interval = sequence_interval(
            self._table, rows, self._rule.metric, cap=self._settings.max_turns, seed=self._seed
        )
        return interval is not None and (interval[1] - interval[0]) / 2 < self._rule.half_width
