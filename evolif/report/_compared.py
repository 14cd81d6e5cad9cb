"""A comparison on a terminal and for machines."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rich.console import Console

from evolif.metrics import Difference
from evolif.report import _verdict as words
from evolif.report._analysis import ModelAnalysis
from evolif.report._comparison import Comparison
from evolif.report._draw import draw_grid, say
from evolif.report._grid import LABELS, Cell, Grid, figure
from evolif.report._json_parts import agreement_object, finite, interval
from evolif.report._published import NOT_COMPARABLE
from evolif.report._sentences import settings_line, unfinished_line


def comparison_grid(comparison: Comparison) -> Grid:
    """The eight metrics of both, and what is between them."""
    rows = tuple((label, _cells(name, comparison.paired.differences[name])) for name, label in LABELS.items())
    first, second = comparison.labels
    note = (
        "A − B in turns and in points of per cent, with 95 % intervals; p of a paired permutation test, in brackets "
        "after Holm's correction over the metrics; d: the mean difference in standard deviations (d_z); needed: paired "
        "dialogues that would tell a difference like this (80 % power)."
    )
    return Grid(
        "comparison", f"A: {first} · B: {second}", "metric", ("A", "B", "A − B", "p (Holm)", "d", "needed"), rows, note
    )


def print_comparisons(comparisons: Sequence[Comparison], console: Console) -> None:
    """Print comparisons with all that a reader must know of them."""
    for place, one in enumerate(comparisons):
        if place:
            console.print()
        _print(one, console)
    if len(comparisons) > 1:
        console.print()
        say(
            f"{len(comparisons)} comparisons: Holm's correction is over the metrics of each, and not over all of them.",
            console,
        )
    say(NOT_COMPARABLE, console, "dim")


def comparisons_object(comparisons: Sequence[Comparison]) -> dict[str, Any]:
    """One object for all comparisons; rates are fractions, absent figures are null."""
    return {
        "comparisons": [_object(one) for one in comparisons],
        "seed": comparisons[0].a.of.seed if comparisons else None,
        "resamples": comparisons[0].a.of.resamples if comparisons else None,
        "note": NOT_COMPARABLE,
    }


def _print(one: Comparison, console: Console) -> None:
    paired = one.paired
    say(settings_line(one.a.of.run), console)
    also = f"The two differ besides: {'; '.join(one.also)}." if one.also else ""
    for line in (words.kind_line(one), also, *dict.fromkeys(map(unfinished_line, (one.a.of.run, one.b.of.run)))):
        if line:
            say(line, console)
    draw_grid(comparison_grid(one), console)
    how = f"all {paired.permutations}" if paired.exact else f"{paired.permutations} seeded"
    say(f"Paired over {paired.dialogues} dialogues; {how} swaps.", console)
    lines = (
        words.left_out_line(one),
        words.few_dialogues_line(one),
        words.log_rank_line(one),
        *words.judges_lines(one),
    )
    for line in lines:
        if line:
            say(line, console)
    say(words.conclusion(one), console, "bold")


def _cells(name: str, one: Difference) -> tuple[Cell, ...]:
    between = Cell()
    if one.value is not None:
        ends = one.interval and f"[{', '.join(words.amount(name, end, signed=False) for end in one.interval)}]"
        between = Cell(words.amount(name, one.value), ends or "")
    return (
        figure(name, one.a, None),
        figure(name, one.b, None),
        between,
        Cell(words.p_value(one.p), "" if one.p_holm is None else f"({words.p_value(one.p_holm)})"),
        Cell("-" if one.effect is None else f"{one.effect:+.2f}"),
        Cell("-" if one.dialogues_needed is None else str(one.dialogues_needed)),
    )


def _object(one: Comparison) -> dict[str, Any]:
    paired, sensitivity = one.paired, one.sensitivity
    return {
        "kind": one.kind,
        "a": _side(one.a, one.labels[0]),
        "b": _side(one.b, one.labels[1]),
        "also_differ": list(one.also),
        "dialogues": paired.dialogues,
        "left_out": dict(paired.left_out),
        "exact": paired.exact,
        "permutations": paired.permutations,
        "metrics": {name: _difference(found) for name, found in paired.differences.items()},
        "log_rank": {"statistic": finite(one.log_rank.statistic), "p": finite(one.log_rank.p)},
        "told_apart": sorted(one.told_apart, key=list(LABELS).index),
        "judges": None
        if sensitivity is None
        else {
            "overall": agreement_object(sensitivity.overall),
            "groups": {group: agreement_object(found) for group, found in sensitivity.groups.items()},
            "one_sided": dict(sensitivity.one_sided),
            "same_answers": one.same_answers[0],
            "shared_turns": one.same_answers[1],
        },
        "conclusion": words.conclusion(one),
    }


def _side(model: ModelAnalysis, label: str) -> dict[str, Any]:
    run = model.of.run
    return {"label": label, "model": model.name, "run": str(run.path), "settings": run.settings.model_dump(mode="json")}


def _difference(found: Difference) -> dict[str, Any]:
    return {
        "a": finite(found.a),
        "b": finite(found.b),
        "difference": interval(found.value, found.interval),
        "p": finite(found.p),
        "p_holm": finite(found.p_holm),
        "effect": finite(found.effect),
        "dialogues_needed": found.dialogues_needed,
    }
