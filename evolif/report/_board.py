"""Which models stand beside each other in one table: those of runs that may be compared."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations

from evolif._errors import UsageError
from evolif.metrics import RankStability, rank_stability
from evolif.report._analysis import FEWEST_MODELS, ModelAnalysis, RunAnalysis, subsample_sizes
from evolif.report._pairing import kind_of


@dataclass(frozen=True)
class Board:
    """Models side by side.

    Attributes:
        runs: The runs they come from, in the order given.
        why_alone: Why the runs of a report stand in tables of their own; empty where nothing was kept apart.
    """

    runs: tuple[RunAnalysis, ...]
    why_alone: str = ""

    @cached_property
    def models(self) -> tuple[ModelAnalysis, ...]:
        """In the order of runs and models."""
        return tuple(model for run in self.runs for model in run.models)

    @cached_property
    def heads(self) -> tuple[str, ...]:
        """A different name for each model: with its run where two have the same, with a number where that is, too."""
        names = [model.name for model in self.models]
        named = [m.name if names.count(m.name) == 1 else f"{m.name} ({m.of.name})" for m in self.models]
        return tuple(n if named.count(n) == 1 else f"{n} {named[:i].count(n) + 1}" for i, n in enumerate(named))

    @cached_property
    def rank_stability(self) -> tuple[RankStability, ...]:
        """Of ROB, over all models of the board; empty with fewer than three."""
        if len(self.runs) == 1:
            return self.runs[0].rank_stability()
        if len(self.models) < FEWEST_MODELS:
            return ()
        sessions = dict(zip(self.heads, (model.sessions for model in self.models), strict=True))
        sizes = subsample_sizes(self.models)
        return rank_stability(sessions, sizes, seed=self.runs[0].seed) if sizes else ()


def boards_of(runs: Sequence[RunAnalysis]) -> list[Board]:
    """One board of all runs where they may be compared, else one per run and why."""
    try:
        for one, other in combinations(runs, 2):
            kind_of(one.run, other.run, same_model=False)
    except UsageError as fault:
        return [Board((run,), why_alone=str(fault) if run is runs[0] else "") for run in runs]
    return [Board(tuple(runs))] if runs else []
