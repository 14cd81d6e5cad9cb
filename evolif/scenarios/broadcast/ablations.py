"""What a setting changes: variants of the same matches, compared in pairs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import fmean
from typing import Any, TypeAlias

from evolif.metrics import Cluster, Interval, MetricTable, Row, pair_test
from evolif.metrics.shares import Share, share_of
from evolif.scenario.presentation import Grid, TableCell, TableRow
from evolif.scenarios.broadcast.cells import percent_cell, points_cell, share_object
from evolif.scenarios.broadcast.error_streaks import only_scores, pile_up
from evolif.scenarios.broadcast.pair_retrieval import fact_scores
from evolif.scenarios.broadcast.sessions import PAIR, SCORE, BroadcastColumn, PlayedMatch, heads_of

ABLATION, ERRORS = "ablation", "ablation-errors"
"""Names of the tables."""
QUESTIONS, SCORES, FACTS = "questions", "scores", "target"
"""What is compared."""
_WHOLE, _CHUNKS = "whole", "chunks="
"""Of the names of variants."""
_DECIDED = 0.001

Measure: TypeAlias = Callable[[PlayedMatch, PlayedMatch], "tuple[float, float] | None"]
"""From two variants of a match to the figures of both; None where one of them has none."""
_Variants: TypeAlias = Mapping[str, Mapping[tuple[Cluster, int], PlayedMatch]]
"""Variant to its matches by name and epoch."""


@dataclass(frozen=True, slots=True)
class VariantComparison:
    """A variant minus the first one, over the matches that both have.

    Attributes:
        measure: What is compared.
        variant: The name of the one.
        reference: The name of the other.
        value: The mean over matches of the one, with its interval; its `of` is the number of matches.
        base: The same of the other.
        difference: The one minus the other.
        interval: 95 %, of the test behind `p`; None with fewer than six matches.
        p: Two-sided, paired over matches (`pair_test`); None with fewer than six.
    """

    measure: str
    variant: str
    reference: str
    value: Share
    base: Share
    difference: float
    interval: Interval | None
    p: float | None


def variants_of(matches: Iterable[PlayedMatch]) -> dict[str, dict[tuple[Cluster, int], PlayedMatch]]:
    """The matches by variant, in the order of the benchmark; empty unless there are several."""
    found: dict[str, dict[tuple[Cluster, int], PlayedMatch]] = {}
    for match in sorted(matches, key=lambda match: match.dialogue):
        found.setdefault(match.variant, {})[match.match, match.epoch] = match
    return found if len(found) > 1 else {}


def comparisons(column: BroadcastColumn) -> list[VariantComparison]:
    """Each variant against the first; empty where nothing is compared."""
    variants = variants_of(column.matches)
    found = (_compared(measure, variants, variant) for measure in _measures(variants) for variant in list(variants)[1:])
    return [one for one in found if one is not None]


def _measures(variants: _Variants) -> tuple[str, ...]:
    if any(PAIR in name for name in variants):
        return (FACTS,)
    return (QUESTIONS, SCORES) if any(_CHUNKS in name for name in variants) else (QUESTIONS,)


def _questions(one: PlayedMatch, other: PlayedMatch) -> tuple[float, float] | None:
    return _means(one, other, scores=False)


def _score_turns(one: PlayedMatch, other: PlayedMatch) -> tuple[float, float] | None:
    return _means(one, other, scores=True)


def _means(one: PlayedMatch, other: PlayedMatch, *, scores: bool) -> tuple[float, float] | None:
    mine, others = ([turn.score for turn in match.asked if (turn.kind == SCORE) is scores] for match in (one, other))
    return (fmean(mine), fmean(others)) if mine and others else None


_MEASURES: Mapping[str, Measure] = {QUESTIONS: _questions, SCORES: _score_turns, FACTS: fact_scores}
_TABLE = MetricTable(("score", "matches"), lambda session: (0.0, 0.0), {"score": ("score", "matches")})
"""Rows are made of matches here; nothing asks it for sessions."""


def _compared(measure: str, variants: _Variants, variant: str) -> VariantComparison | None:
    reference = next(iter(variants))
    rows: dict[Cluster, tuple[Row, Row]] = {}
    for (match, epoch), one in variants[variant].items():
        other = variants[reference].get((match, epoch))
        found = None if other is None else _MEASURES[measure](one, other)
        if found is not None:
            a, b = rows.get(match, ((0.0, 0.0), (0.0, 0.0)))
            rows[match] = (a[0] + found[0], a[1] + 1), (b[0] + found[1], b[1] + 1)
    if not rows:
        return None
    own, others = zip(*sorted(rows.values()), strict=True)  # so that the order of the matches does not matter
    mine, base = _over_matches(own), _over_matches(others)
    test = pair_test(_TABLE, own, others, "score")
    difference = (mine.value or 0.0) - (base.value or 0.0)
    return VariantComparison(
        measure, _shown(variant, variants), _shown(reference, variants), mine, base, difference, test.interval, test.p
    )


def _over_matches(rows: Sequence[Row]) -> Share:
    """A mean over matches, whose epochs are added up."""
    found = share_of((match, score, epochs) for match, (score, epochs) in enumerate(rows))
    return replace(found, of=float(len(rows)))


def _shown(variant: str, variants: _Variants) -> str:
    """The name of a variant in tables."""
    if variant:
        return variant.removeprefix(PAIR)
    return "turn by turn" if any(_WHOLE in name for name in variants) else "as usual"


def ablation_grids(columns: Sequence[BroadcastColumn]) -> Iterator[Grid]:
    """What the setting changes, and for parts of a period how errors pile up; nothing where nothing is compared."""
    if not any(variants_of(one.matches) for one in columns):
        return
    title = "The same matches with another setting, in %"
    found = [comparisons(one) for one in columns]
    yield Grid(ABLATION, title, "setting", heads_of(columns), tuple(_rows(found)), _note(found))
    yield from _errors_grid(columns)


def _rows(found: Sequence[Sequence[VariantComparison]]) -> Iterator[TableRow]:
    tables: list[dict[str, TableCell]] = []
    names: dict[str, None] = {}
    for own in found:
        cells: dict[str, TableCell] = {}
        for one in own:
            cells.setdefault(f"{one.measure}, {one.reference}", percent_cell(one.base, True))
            cells[f"{one.measure}, {one.variant}"] = percent_cell(one.value, True)
            cells[f"{one.measure}, {one.variant} − {one.reference}"] = points_cell(
                one.difference, one.interval, "" if one.p is None else f"p {shown_p(one.p)}"
            )
        tables.append(cells)
        names |= dict.fromkeys(cells)
    for name in names:
        yield name, tuple(cells.get(name, TableCell()) for cells in tables)


def shown_p(p: float) -> str:
    """A p value as tables print it."""
    return "<.001" if p < _DECIDED else f"{p:.3f}".removeprefix("0")


def _note(found: Sequence[Sequence[VariantComparison]]) -> str:
    measures = {one.measure for own in found for one in own}
    told = {
        QUESTIONS: "Questions: all judged turns but scores and problems, the same in all variants.",
        SCORES: "Scores: the mean of a match over its turns about the score, of which there are as many as parts.",
        FACTS: "Target: the event that the anchored question asks for, told as a whole or not, asked for alone "
        "(anchored) or as the last one of an interval.",
    }
    listed = [told[measure] for measure in told if measure in measures]
    return " ".join([*listed, "Differences in points, tested in pairs over matches; p is not corrected."])


def _errors_grid(columns: Sequence[BroadcastColumn]) -> Iterator[Grid]:
    """How wrong scores follow wrong ones in each variant; nothing where scores are not compared."""
    found = [{name: list(own.values()) for name, own in variants_of(one.matches).items()} for one in columns]
    names = dict.fromkeys(name for own in found for name in own)
    if not any(_CHUNKS in name for name in names):
        return
    rows: list[TableRow] = []
    for name in names:
        each = [pile_up(own.get(name, ()), only_scores) for own in found]
        label = name or "as usual"
        rows.append((f"{label}, after a wrong one", tuple(percent_cell(one.after_wrong, True) for one in each)))
        rows.append((f"{label}, after a right one", tuple(percent_cell(one.after_right, True) for one in each)))
    yield Grid(ERRORS, "Wrong scores by setting (%), and how many", "scores", heads_of(columns), tuple(rows))


def ablation_remarks(name: str, column: BroadcastColumn) -> Iterator[str]:
    """What the setting changes, in a sentence for each comparison."""
    for one in comparisons(column):
        cell = points_cell(one.difference, one.interval)
        points = f"{cell.value} {cell.aside}".strip()
        p = "" if one.p is None else f", p {shown_p(one.p)}"
        matches = f"{one.value.of:.0f} match{'es' * (one.value.of != 1)}"
        yield f"{name}, {one.variant} against {one.reference}: {one.measure} {points} points over {matches}{p}."


def ablation_object(column: BroadcastColumn) -> list[dict[str, Any]]:
    """The same for machines; empty where nothing is compared."""
    return [
        {
            "measure": one.measure, "variant": one.variant, "reference": one.reference, "matches": round(one.value.of),
            "value": share_object(one.value), "base": share_object(one.base),
            "difference": {"value": one.difference, **_ends(one.interval)}, "p": one.p,
        }
        for one in comparisons(column)
    ]  # fmt: skip


def _ends(interval: Interval | None) -> dict[str, float | None]:
    low, high = interval or (None, None)
    return {"low": low, "high": high}
