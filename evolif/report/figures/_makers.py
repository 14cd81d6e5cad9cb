"""Each figure of a board of models: drawn with its caption, or the reason why there is none."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from evolif.report._board import Board
from evolif.report._comparison import Comparison
from evolif.report.figures import _gather as gather
from evolif.report.figures._curves import MOST_BANDS, Plot, draw_curves
from evolif.report.figures._dots import draw_bars, draw_dots
from evolif.report.figures._forest import draw_forest
from evolif.report.figures._heat import draw_heat
from evolif.report.figures._inputs import Curve
from evolif.report.figures._names import label
from evolif.report.figures._radar import FEWEST_GROUPS, MOST_TOGETHER, draw_radar
from evolif.report.figures._style import FEW, TWO_COLUMNS
from evolif.report.figures._survival import draw_survival

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@dataclass(frozen=True, slots=True)
class Made:
    """A figure and what stands below it."""

    figure: Figure
    caption: str


Maker: TypeAlias = "Made | str"
"""What a maker returns: the figure, or the sentence that says why there is none."""

NO_TURN = "No session with a judged turn has ended yet."
INTERVALS = "95 % bootstrap intervals over dialogues"
HOLLOW = f"Hollow points stand on fewer than {FEW} turns; below {gather.FEWEST} none is drawn."


def headline(board: Board) -> Maker:
    """The eight metrics."""
    if not any(model.summary.metrics.dialogues for model in board.models):
        return NO_TURN
    return Made(
        draw_bars(gather.headline_panels(board), board.heads),
        f"The eight process metrics with {INTERVALS}; a dash where a metric is undefined. {sessions(board)}",
    )


def survival(board: Board) -> Maker:
    """Fig. 3."""
    curves = gather.survival_curves(board)
    if not curves:
        return NO_TURN
    bands = "95 % bands (log-log, Greenwood)" if len(curves) <= MOST_BANDS else "bands left away, for legibility"
    return Made(
        draw_survival(curves),
        "Kaplan–Meier estimate of the sessions still going after each judged turn; ticks mark sessions cut short "
        f"(cap, context, budget); {bands}. Below: sessions that have at least so many turns. {_medians(board)} "
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
    told = [
        f"{name} {counts.suspended + counts.withheld}" for name, counts in counted if counts.suspended + counts.withheld
    ]
    if not told:
        return ""
    thin = " (thin lines: the curve if all of them had failed, and had gone on)" if len(counted) <= MOST_BANDS else ""
    return f" Suspended or withheld and left out{thin}: {', '.join(told)}."


def hazard(board: Board) -> Maker:
    """Where sessions end."""
    curves = gather.hazard_curves(board)
    if not _anything(curves):
        return f"No turn was had by {gather.FEWEST} sessions or more."
    plot = Plot("judged turn", "patience exhausted here (%)", curves, zoom=True)
    return Made(
        draw_curves([plot], width=TWO_COLUMNS),
        "Hazard: share of the sessions that have a turn whose patience is exhausted at it, with Wilson's 95 % score "
        f"intervals; turns had by fewer than {gather.FEWEST} sessions left away. Hollow points stand on fewer "
        f"than {FEW} sessions. {sessions(board)}",
    )


def groups(board: Board) -> Maker:
    """Table 6 as colours."""
    matrix = gather.group_matrix(board)
    if not matrix.columns:
        return NO_TURN
    return Made(
        draw_heat(matrix),
        f"Constraints satisfied per group, in % of those judged; italics: fewer than {FEW} judged. {sessions(board)}",
    )


def radar(board: Board) -> Maker:
    """Fig. 4."""
    matrix = gather.group_matrix(board)
    if len(matrix.columns) < FEWEST_GROUPS:
        return f"Fewer than {FEWEST_GROUPS} constraint groups were judged; the table of groups shows them."
    mean = "" if len(matrix.rows) <= MOST_TOGETHER else "; grey: the mean of all models"
    return Made(
        draw_radar(matrix),
        f"Constraints satisfied per group; the rim is 100 %, the rings are 25, 50 and 75 %{mean}. {sessions(board)}",
    )


def modes(board: Board) -> Maker:
    """Group × mode."""
    matrix = gather.mode_matrix(board)
    if not matrix.rows:
        return NO_TURN
    return Made(
        draw_heat(matrix),
        f"Constraints satisfied per group and mode, in % of those judged; italics: fewer than {FEW} judged. "
        f"{sessions(board)}",
    )


def depth(board: Board) -> Maker:
    """Satisfaction over the turns a topic has had."""
    return _slices(board, "depth", "turns on the topic", "the number of turns that the topic has had")


def load(board: Board) -> Maker:
    """Satisfaction over the number of constraints at once."""
    return _slices(board, "load", "active constraints", "the number of constraints that are active at once")


def _slices(board: Board, by: str, axis: str, words: str) -> Maker:
    csr, isr = gather.slice_curves(board, by)
    if not _anything(csr):
        return (
            NO_TURN if not any(model.by(by) for model in board.models) else f"No point stands on {gather.FEWEST} turns."
        )
    plots = [Plot(axis, "CSR (%)", csr), Plot(axis, "ISR (%)", isr)]
    return Made(
        draw_curves(plots, width=TWO_COLUMNS),
        f"Constraints satisfied per turn (CSR, left) and turns with all satisfied (ISR, right) over {words}"
        f"{_bands(csr)}. {HOLLOW} {sessions(board)}",
    )


def moves(board: Board) -> Maker:
    """CSR and ISR per move."""
    return _dots(board, "move", "where the dialogue opens a topic, continues one or goes back to one")


def formality(board: Board) -> Maker:
    """Fig. 7."""
    return _dots(board, "formality", "after formal and after informal queries (told by rules)")


def _dots(board: Board, by: str, words: str) -> Maker:
    panels, keys = gather.slice_panels(board, by)
    keys = tuple(key for key in keys if key != "unknown")
    if not keys:
        return (
            "The run does not know this of its turns: it was made before it was kept." if panels[0].marks else NO_TURN
        )
    return Made(
        draw_dots(panels, board.heads, keys),
        f"CSR (left) and ISR (right) {words}, with {INTERVALS}. {sessions(board)}",
    )


def synthesizers(board: Board) -> Maker:
    """Fig. 6."""
    return _kinds(board, "synthesizer", "who worded the queries", "worded by")


def registers(board: Board) -> Maker:
    """App. G's kin: the personas' registers."""
    return _kinds(board, "register", "the register of the dialogue's persona", "of the register")


def _kinds(board: Board, kind: str, words: str, alike: str) -> Maker:
    panel, keys = gather.kind_panel(board, kind)
    known = tuple(key for key in keys if key != "unknown")
    if not known:
        return "The run does not know this of its turns: it was made before it was kept." if keys else NO_TURN
    if len(known) == 1:
        return f"All dialogues are {alike} {label(known[0])}: there is nothing to set side by side."
    return Made(
        draw_dots([panel], board.heads, known),
        f"ROB by {words} (of most of a dialogue's turns), with {INTERVALS}. {sessions(board)}",
    )


def patience(board: Board) -> Maker:
    """Table 3 as curves."""
    length, accuracy = (gather.patience_curves(board, metric) for metric in ("edr_len", "edr_acc"))
    if not _anything(length):
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
        f"so many failures{_bands(length)}. {sessions(board)}",
    )


def stability(board: Board) -> Maker:
    """Table 4 as curves."""
    curves = gather.stability_curves(board)
    if not board.rank_stability:
        return "Rank stability wants three models or more, and more than five dialogues."
    if not _anything(curves):
        return "No correlation is defined: the models do not differ in ROB."
    draws = max(point.draws for point in board.rank_stability)
    return Made(
        draw_curves([Plot("dialogues in the subsample", "correlation of ROB", curves, percent=False, below_zero=True)]),
        f"Correlation over {len(board.models)} models between ROB on random subsamples of dialogues and on all of "
        f"them; mean over {draws} subsamples, ± one standard deviation.",
    )


def comparison(pair: Comparison) -> Maker:
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


def _bands(curves: Sequence[Curve]) -> str:
    return f", with {INTERVALS}" if len(curves) <= MOST_BANDS else ""


def _anything(curves: Iterable[Curve]) -> bool:
    return any(mark.value is not None for curve in curves for mark in curve.marks)


def sessions(board: Board) -> str:
    """How many counted sessions each model has."""
    counted = [model.summary.metrics.dialogues for model in board.models]
    if len(set(counted)) == 1:
        return f"n = {counted[0]} sessions{' of each model' if len(counted) > 1 else ''}."
    told = (f"{label(name)} {number}" for name, number in zip(board.heads, counted, strict=True))
    return f"n = sessions: {', '.join(told)}."
