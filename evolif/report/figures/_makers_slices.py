"""The figures of parts of the turns or dialogues: per group, mode, depth, load, move, wording and register."""

from __future__ import annotations

from evolif.report._board import Board
from evolif.report.figures import _gather as gather
from evolif.report.figures._curves import Plot, draw_curves
from evolif.report.figures._dots import draw_dots
from evolif.report.figures._heat import draw_heat
from evolif.report.figures._made import HOLLOW, INTERVALS, NO_TURN, Made, Outcome, anything, bands, sessions
from evolif.report.figures._names import label
from evolif.report.figures._radar import FEWEST_GROUPS, MOST_TOGETHER, draw_radar
from evolif.report.figures._style import FEW, TWO_COLUMNS


def groups(board: Board) -> Outcome:
    """Table 6 as colours."""
    matrix = gather.group_matrix(board)
    if not matrix.columns:
        return NO_TURN
    return Made(
        draw_heat(matrix),
        f"Constraints satisfied per group, in % of those judged; italics: fewer than {FEW} judged. {sessions(board)}",
    )


def radar(board: Board) -> Outcome:
    """Fig. 4."""
    matrix = gather.group_matrix(board)
    if len(matrix.columns) < FEWEST_GROUPS:
        return f"Fewer than {FEWEST_GROUPS} constraint groups were judged; the table of groups shows them."
    mean = "" if len(matrix.rows) <= MOST_TOGETHER else "; grey: the mean of all models"
    return Made(
        draw_radar(matrix),
        f"Constraints satisfied per group; the rim is 100 %, the rings are 25, 50 and 75 %{mean}. {sessions(board)}",
    )


def modes(board: Board) -> Outcome:
    """Group × mode."""
    matrix = gather.mode_matrix(board)
    if not matrix.rows:
        return NO_TURN
    return Made(
        draw_heat(matrix),
        f"Constraints satisfied per group and mode, in % of those judged; italics: fewer than {FEW} judged. "
        f"{sessions(board)}",
    )


def depth(board: Board) -> Outcome:
    """Satisfaction over the turns a topic has had."""
    return _slices(board, "depth", "turns on the topic", "the number of turns that the topic has had")


def load(board: Board) -> Outcome:
    """Satisfaction over the number of constraints at once."""
    return _slices(board, "load", "active constraints", "the number of constraints that are active at once")


def _slices(board: Board, by: str, axis: str, words: str) -> Outcome:
    csr, isr = gather.slice_curves(board, by)
    if not anything(csr):
        return (
            NO_TURN if not any(model.by(by) for model in board.models) else f"No point stands on {gather.FEWEST} turns."
        )
    plots = [Plot(axis, "CSR (%)", csr), Plot(axis, "ISR (%)", isr)]
    return Made(
        draw_curves(plots, width=TWO_COLUMNS),
        f"Constraints satisfied per turn (CSR, left) and turns with all satisfied (ISR, right) over {words}"
        f"{bands(csr)}. {HOLLOW} {sessions(board)}",
    )


def moves(board: Board) -> Outcome:
    """CSR and ISR per move."""
    return _dots(board, "move", "where the dialogue opens a topic, continues one or goes back to one")


def formality(board: Board) -> Outcome:
    """Fig. 7."""
    return _dots(board, "formality", "after formal and after informal queries (told by rules)")


def _dots(board: Board, by: str, words: str) -> Outcome:
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


def synthesizers(board: Board) -> Outcome:
    """Fig. 6."""
    return _kinds(board, "synthesizer", "who worded the queries", "worded by")


def registers(board: Board) -> Outcome:
    """App. G's kin: the personas' registers."""
    return _kinds(board, "register", "the register of the dialogue's persona", "of the register")


def _kinds(board: Board, kind: str, words: str, alike: str) -> Outcome:
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
