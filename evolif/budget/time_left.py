"""How long a run will still take: the turns that its sessions are expected to play, at the pace of the turns so far.

How long sessions last is estimated from those of this run, and of earlier runs of the same model beside it, with the
Kaplan-Meier estimator: a session under way says that it has lasted so long, and no more. Early in a run few sessions
have ended, so the share of sessions that end at a turn is steadied by a second estimate, which every judged turn
informs: how often turns fail, after a turn that was followed and after one that failed. The turns are then dealt out to
as many sessions as are under way side by side, so the estimate contains the end of a run, when the last long sessions
are alone.
"""

from __future__ import annotations

import heapq
import random
from bisect import bisect_left
from collections import Counter
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from math import ceil
from pathlib import Path

from evolif.budget.survival import TurnSurvival
from evolif.errors import EvolifError
from evolif.metrics.terms import outcomes_of, targets_of
from evolif.runner import Live, Run, RunSettings, load_run
from evolif.runner.live import Pace
from evolif.runner.store_file import FILE_NAME
from evolif.types import Session

_STEADY = 4.0
"""Sessions that the mean hazard counts as at every turn: one session that ends early, alone, decides nothing."""
_TOLD = 4.0
"""Ended sessions that the estimate from failed turns counts as."""
_DRAWS = 32
"""How often the sessions' lengths are drawn."""
_ALIKE = (
    "benchmark", "scenario", "options", "patience", "cut", "cap_counts", "judge", "context", "feedback",
    "system_prompt",
)  # fmt: skip
"""Settings that decide how long sessions last."""
_MOST_RUNS = 8
"""Earlier runs that are looked into."""
_CUT = ("budget", "stop rule")
"""Causes of sessions that a later command may go on with."""
_MOST_LENGTHS = 20_000
"""Lengths that are drawn in all, so that a large run does not take longer than a small one."""


@dataclass(frozen=True, slots=True)
class ModelLeft:
    """What one model has still to play."""

    turns: float
    """Of the model under test, expected."""
    seconds: float | None
    """None if nothing is known of its pace."""


def model_left(
    sessions: Sequence[Session],
    settings: RunSettings,
    live: Live | None = None,
    pace: Pace | None = None,
    earlier: Sequence[Session] = (),
) -> ModelLeft:
    """What a model has still to play.

    Args:
        sessions: Those of the model that have begun or may begin.
        settings: Of the run.
        live: What the process says that plays the run; None if none does.
        pace: Of this model, from there.
        earlier: Those of the model in earlier runs, see `earlier_sessions`.
    """
    played = [targets_of(session) for session in sessions]
    lengths = [length for length, one in zip(played, sessions, strict=True) if one.ending is None and not one.cause]
    if pace is not None:
        lengths = _to_play(
            lengths, sessions, min(pace.left, len(settings.dialogues) * settings.epochs - _over(sessions))
        )
    if not lengths:
        return ModelLeft(0.0, 0.0)
    curve = survival_so_far([*sessions, *earlier], settings)
    if live is not None and live.length is not None:
        curve = curve.within(live.length, after=max(played, default=0))
    turns = sum(number * _expected(curve, length) for length, number in Counter(lengths).items())
    if pace is None or not pace.seconds:
        return ModelLeft(turns, None)
    # The turns under way are half over, on average.
    return ModelLeft(turns, pace.seconds * max(0.5, _rounds(curve, lengths, max(1, pace.alive)) - 0.5))


def earlier_sessions(run: Run) -> dict[str, list[Session]]:
    """Per model, its sessions in the latest earlier runs of the benchmark, from folders beside the run's.

    Only runs in which sessions last as long as here: with the same patience, judge and context.
    """
    found: dict[str, list[Session]] = {}
    for folder in _runs_beside(run.path.resolve()):
        try:
            with closing(load_run(folder, read_only=True)) as other:
                if all(getattr(other.settings, name) == getattr(run.settings, name) for name in _ALIKE):
                    for model in set(run.models) & set(other.models):
                        found.setdefault(model, []).extend(other.sessions(model, lazily=True))
        except EvolifError:
            continue  # of another version, or damaged: no reason to show no status
    return found


def _runs_beside(root: Path) -> list[Path]:
    """The folders of the latest runs beside a run, the newest first."""
    try:
        files = [file for file in root.parent.glob(f"*/{FILE_NAME}") if file.parent != root]
        return [file.parent for file in sorted(files, key=lambda file: -file.stat().st_mtime)[:_MOST_RUNS]]
    except OSError:
        return []


def _over(sessions: Sequence[Session]) -> int:
    """Sessions that no command plays again; the store knows it sooner than the note of the moment."""
    return sum(one.ending not in (None, "suspended") and one.cause not in _CUT for one in sessions)


def _to_play(under_way: list[int], sessions: Sequence[Session], left: int) -> list[int]:
    """The turns of the sessions that the process still plays, the longest first: these are under way."""
    again = [targets_of(one) for one in sessions if one.ending == "suspended" or one.cause in _CUT]
    fresh = [0] * max(0, left - len(under_way) - len(again))
    return sorted([*under_way, *again, *fresh][:left], reverse=True)


def survival_so_far(sessions: Sequence[Session], settings: RunSettings) -> TurnSurvival:
    """The share of sessions that reach turn 1, 2, …, estimated from sessions of which most may be under way."""
    patience = settings.patience if settings.cut == "during" else None
    lengths = [(targets_of(one), one.ending == "finished") for one in sessions]
    first = patience or 1
    exposed = sum(max(0, length - first + 1) for length, _ in lengths)
    over = Counter(length for length, finished in lengths if finished)
    reached = Counter(length for length, _ in lengths)
    failing = 0.0 if patience is None else _failing_hazard(sessions, patience)
    # The turns count as some sessions that end when these say, beside those that were seen to end.
    hazard = (over.total() + _TOLD) / (exposed + _TOLD / failing) if failing else over.total() / max(1, exposed)
    steady = _STEADY if failing else 0.0
    at_risk, alive, share = len(lengths) - reached[0], [], 1.0
    for turn in range(1, _cap(sessions, settings) + 1):
        alive.append(share)
        mean = hazard if turn >= first else 0.0
        weight = at_risk + steady
        share *= 1 - min(1.0, (over[turn] + steady * mean) / weight if weight else mean)
        at_risk -= reached[turn]
    return TurnSurvival(tuple(alive))


def _cap(sessions: Sequence[Session], settings: RunSettings) -> int:
    """Turns of the model under test at which a session ends in any case."""
    if settings.cap_counts == "turns":
        return settings.max_turns
    own = [judged for session in sessions for judged in outcomes_of(session)]
    judged = len(own) - own.count(())
    return min(settings.most_turns, ceil(settings.max_turns * len(own) / judged)) if judged else settings.max_turns


def _failing_hazard(sessions: Sequence[Session], patience: int) -> float:
    """The chance that a session ends at a turn, from `patience` on, if each turn fails as often as turns did so far.

    A turn fails more often after a failed one: an instruction that a model does not follow stays in force.
    """
    failed, counted, turns = [0, 0], [0, 0], 0
    for session in sessions:
        after = 0
        for judged in outcomes_of(session):
            turns += 1
            if judged:
                now = int(not all(judged))
                counted[after] += 1
                failed[after] += now
                after = now
    if not sum(counted):
        return 0.0
    every = (sum(failed) + 0.5) / (sum(counted) + 1)
    once, again = ((failed[state] + 2 * every) / (counted[state] + 2) for state in (0, 1))
    # The turns until `patience` failures in a row: those from a first failure, and what a followed turn adds to them.
    since_failure = sum(again**further for further in range(patience - 1))
    length = (1 / once + since_failure) / again ** (patience - 1)
    return min(1.0, 1 / max(1.0, length - patience + 1)) * sum(counted) / turns


def _expected(curve: TurnSurvival, length: int) -> float:
    """Mean further turns of a session that has so many and goes on."""
    further = curve.alive[length:]
    if not further:
        return 0.0
    return sum(further) / further[0] if further[0] > 0 else 1.0


def _rounds(curve: TurnSurvival, lengths: Sequence[int], side_by_side: int) -> float:
    """Turns of the longest row, if the sessions are played in order, so many at once; a mean over seeded draws."""
    chance = random.Random(0)
    falling = [-share for share in curve.alive]  # rises, as bisect wants it
    draws = max(1, min(_DRAWS, _MOST_LENGTHS // len(lengths)))
    total = 0.0
    for _ in range(draws):
        rows: list[int] = []
        for length in lengths:
            start = curve.alive[length] if length < len(curve.alive) else 0.0
            ends = bisect_left(falling, -start * (1 - chance.random())) if start > 0 else length + 1
            # `ends` shares are larger than the one drawn, and the session plays as many turns; one more at least.
            turns = max(1, min(ends, len(falling)) - length) if length < len(falling) else 0
            heapq.heappush(rows, (heapq.heappop(rows) if len(rows) >= side_by_side else 0) + turns)
        total += max(rows)
    return total / draws
