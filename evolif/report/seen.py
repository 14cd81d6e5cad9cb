"""Figures on the kinds of requirements that a model was trained on, and on those that were held out."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from evolif.errors import UsageError
from evolif.metrics import Key, Slice, breakdown
from evolif.metrics.breakdown import slice_difference
from evolif.metrics.pairs import PairTest
from evolif.report.analysis import ModelAnalysis, RunAnalysis
from evolif.report.comparable import ComparableRuns
from evolif.scenario import Grid, TableCell, TableRow

SEEN, UNSEEN, BOTH = "seen", "unseen", "both"
_NAMES = {SEEN: "seen", UNSEEN: "unseen", BOTH: "on both sides"}
_DIFFERENCE = "seen − unseen"
_NOTE = (
    "The difference is in percentage points, with a 95 % interval over dialogues. Some kinds are harder than others, "
    "so an untrained model has such a difference, too: compare with its own."
)

_ONE_SIDE = "What was asked is of one side only, so there is no difference: evaluate on a benchmark without a split."


@dataclass(frozen=True, slots=True)
class SeenKinds:
    """One model on the requirements of either side.

    Attributes:
        slices: By `seen`, `unseen` and `both`, as far as there are any.
        difference: CSR on seen kinds less that on unseen ones, a fraction; None without one of the two.
        test: Of the difference.
    """

    slices: Mapping[Key, Slice]
    difference: float | None
    test: PairTest


def require_split(analysis: RunAnalysis) -> None:
    """Refuse to tell what was seen where a run cannot say it.

    Raises:
        UsageError: its scenario is not split, or has no such side.
    """
    if analysis.seen and analysis.scenario.presentation.seen_kinds(analysis.seen) is None:
        raise UsageError(
            f"--seen: benchmarks of the scenario {analysis.settings.scenario} are not split into kinds for training "
            "and for tests; leave it out"
        )


def seen_kinds(model: ModelAnalysis) -> SeenKinds | None:
    """The figures of a model on seen kinds and on unseen ones; None where nobody asks."""
    of = model.of
    by = of.scenario.presentation.seen_kinds(of.seen) if of.seen else None
    if by is None:
        return None
    slices = breakdown(model.sessions, of.asked, by, cluster=of.cluster)
    difference, test = slice_difference(model.sessions, of.asked, by, (SEEN, UNSEEN), cluster=of.cluster)
    return SeenKinds(slices, difference, test)


def seen_grids(runs: ComparableRuns) -> Iterator[Grid]:
    """A table of both, models side by side; none where nobody asks.

    Args:
        runs: Models of runs that were asked about alike.
    """
    found = [seen_kinds(model) for model in runs.models]
    asked = (one.of for one in runs.models if one.of.seen)
    by = next((of.scenario.presentation.seen_kinds(of.seen) for of in asked), None)
    if by is None:
        return
    rows: list[TableRow] = [
        (name, tuple(_share(one.slices.get(key)) if one is not None else TableCell() for one in found))
        for key, name in _NAMES.items()
        if any(one is not None and key in one.slices for one in found)
    ]
    told = any(one is not None and one.difference is not None for one in found)
    if told:
        rows.append((_DIFFERENCE, tuple(map(_difference, found))))
    yield Grid(by.name, by.title, by.first, tuple(runs.heads), tuple(rows), _NOTE if told else _ONE_SIDE)


def _share(one: Slice | None) -> TableCell:
    if one is None or one.csr is None:
        return TableCell()
    ends = "" if one.csr_interval is None else "[{:.1f}–{:.1f}] ".format(*(100 * end for end in one.csr_interval))
    return TableCell(f"{100 * one.csr:.1f}", f"{ends}of {one.turns}")


def _difference(one: SeenKinds | None) -> TableCell:
    if one is None or one.difference is None:
        return TableCell()
    if one.test.interval is None:
        return TableCell(f"{100 * one.difference:+.1f}", "too few dialogues")
    low, high = (f"{100 * end:+.1f}" for end in one.test.interval)
    return TableCell(f"{100 * one.difference:+.1f}", f"[{low} to {high}]")
