"""The figures of whole models: headline, survival, hazard, patience, rank stability, and two models side by side."""

from __future__ import annotations

from evolif.report._board import Board
from evolif.report._comparison import Comparison
from evolif.report.figures import _gather as gather
from evolif.report.figures._curves import MOST_BANDS, Plot, draw_curves
from evolif.report.figures._dots import draw_bars
from evolif.report.figures._forest import draw_forest
from evolif.report.figures._made import INTERVALS, NO_TURN, Made, Outcome, anything, bands, sessions
from evolif.report.figures._names import label
from evolif.report.figures._style import FEW, TWO_COLUMNS
from evolif.report.figures._survival import draw_survival


def headline(board: Board) -> Outcome:
    """The eight metrics."""
    if not any(model.summary.metrics.dialogues for model in board.models):
        return NO_TURN
    return Made(
        draw_bars(gather.headline_panels(board), board.heads),
        f"The eight process metrics with {INTERVALS}; a dash where a metric is undefined. {sessions(board)}",
    )


def survival(board: Board) -> Outcome:
    """Fig. 3."""
    curves = gather.survival_curves(board)
    if not curves:
        return NO_TURN
    width = "95 % bands (log-log, Greenwood)" if len(curves) <= MOST_BANDS else "bands left away, for legibility"
    return Made(
        draw_survival(curves),
        "Kaplan–Meier estimate of the sessions still going after each judged turn; ticks mark sessions cut short "
        f"(cap, context, budget); {width}. Below: sessions that have at least so many turns. {_medians(board)} "
        f"{sessions(board)}{_left_out(board)}",
    )


def _medians(board: Board) -> str:
    told = [
        f"{label(name)} {'beyond the curve' if model.survival.median is None else model.survival.median}"
        for name, model in gather.pairs(board)
        if model.survival.sessions
    ]
    return f"Turn by which half of the sessions have ended: {', '.join(told)}."


def _left_out(board: Board) -> str:
    """That sessions are not in the curves, and what could have become of them."""
    counted = [(label(name), model.summary.counts) for name, model in gather.pairs(board)]
    numbers = [(name, counts.suspended + counts.running + counts.withheld) for name, counts in counted]
    told = [f"{name} {number}" for name, number in numbers if number]
    if not told:
        return ""
    thin = " (thin lines: the curve if all of them had failed, and had gone on)" if len(counted) <= MOST_BANDS else ""
    return f" Suspended or withheld and left out{thin}: {', '.join(told)}."


def hazard(board: Board) -> Outcome:
    """Where sessions end."""
    curves = gather.hazard_curves(board)
    if not anything(curves):
        return f"No turn was had by {gather.FEWEST} sessions or more."
    plot = Plot("judged turn", "patience exhausted here (%)", curves, zoom=True)
    return Made(
        draw_curves([plot], width=TWO_COLUMNS),
        "Hazard: share of the sessions that have a turn whose patience is exhausted at it, with Wilson's 95 % score "
        f"intervals; turns had by fewer than {gather.FEWEST} sessions left away. Hollow points stand on fewer "
        f"than {FEW} sessions. {sessions(board)}",
    )


def patience(board: Board) -> Outcome:
    """Table 3 as curves."""
    length, accuracy = (gather.patience_curves(board, metric) for metric in ("edr_len", "edr_acc"))
    if not anything(length):
        return NO_TURN
    if max(len(curve.x) for curve in length) < 2:
        return "The run's patience is 1: there is no smaller one to replay it with."
    axis = "patience (failed turns in a row)"
    return Made(
        draw_curves(
            [
                Plot(axis, gather.label_of("edr_len", board), length, percent=False, hollow=False),
                Plot(axis, gather.label_of("edr_acc", board), accuracy, percent=False, hollow=False),
            ],
            width=TWO_COLUMNS,
        ),
        "What the same answers give at every smaller patience, exactly, by cutting each session at its first streak of "
        f"so many failures{bands(length)}. {sessions(board)}",
    )


def stability(board: Board) -> Outcome:
    """Table 4 as curves."""
    curves = gather.stability_curves(board)
    if not board.rank_stability:
        return "Rank stability wants three models or more, and more than five dialogues."
    if not anything(curves):
        return "No correlation is defined: the models do not differ in ROB."
    draws = max(point.draws for point in board.rank_stability)
    return Made(
        draw_curves([Plot("dialogues in the subsample", "correlation of ROB", curves, percent=False, below_zero=True)]),
        f"Correlation over {len(board.models)} models between ROB on random subsamples of dialogues and on all of "
        f"them; mean over {draws} subsamples, ± one standard deviation.",
    )


def comparison(pair: Comparison) -> Outcome:
    """The difference of two models."""
    found = gather.differences(pair)
    paired = pair.paired
    if not any(difference.mark.value is not None for difference in found):
        return "The two have no dialogue in common in which both have a counted session."
    first, second = pair.labels
    return Made(
        draw_forest(found, first, second),
        f"{label(first)} minus {label(second)}, paired over {paired.dialogues} dialogues, with 95 % paired bootstrap "
        "intervals; p of a permutation test after Holm's correction over the metrics, filled points below 0.05.",
    )
