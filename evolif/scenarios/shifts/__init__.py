"""Dialogues whose topic shifts (Context-Agent): checks of final answers, figures, NTM's released files."""

from importlib import import_module
from typing import Any

from evolif.scenarios.shifts.checking import Reason, check_answer, invented
from evolif.scenarios.shifts.completion import goal_counts, left_out
from evolif.scenarios.shifts.decisions import decision_scores, score_moves
from evolif.scenarios.shifts.dialogue import Act, ShiftDialogue, ShiftTurn
from evolif.scenarios.shifts.figures import cohen_kappa, tcr, tcr_gain
from evolif.scenarios.shifts.generate import generate
from evolif.scenarios.shifts.goals import gold_decisions
from evolif.scenarios.shifts.importing import goals_in, is_released, is_stated, read_playable, released_lines
from evolif.scenarios.shifts.lines import KEY_FIELDS, dialogue_of, dialogue_of_prompts, lines_of
from evolif.scenarios.shifts.players import player
from evolif.scenarios.shifts.read_back import said
from evolif.scenarios.shifts.reading import read_object
from evolif.scenarios.shifts.recall import node_recall
from evolif.scenarios.shifts.released import (
    ReleasedDialogue,
    count_goals,
    describe_released,
    read_released,
    read_score,
    to_released,
    write_released,
)
from evolif.scenarios.shifts.results import TCR_TABLE, count_met, goal_scores, invented_score, outcomes_of, reasons_of
from evolif.scenarios.shifts.witness import planted_errors

__all__ = [
    "KEY_FIELDS",
    "TCR_TABLE",
    "Act",
    "Reason",
    "ReleasedDialogue",
    "ShiftDialogue",
    "ShiftTurn",
    "check_answer",
    "cohen_kappa",
    "count_goals",
    "count_met",
    "decision_scores",
    "describe_released",
    "dialogue_of",
    "dialogue_of_prompts",
    "generate",
    "goal_counts",
    "goal_scores",
    "goals_in",
    "gold_decisions",
    "invented",
    "invented_score",
    "is_released",
    "is_stated",
    "left_out",
    "lines_of",
    "node_recall",
    "outcomes_of",
    "planted_errors",
    "player",
    "read_object",
    "read_playable",
    "read_released",
    "read_score",
    "reasons_of",
    "released_lines",
    "said",
    "score_moves",
    "tcr",
    "tcr_gain",
    "to_released",
    "write_released",
]

_PLAYED = {"Shifts"}
"""What plays and reports the scenario."""


def __getattr__(name: str) -> Any:
    """Load what plays and reports on first use (PEP 562); most of the package does not need it."""
    if name not in _PLAYED:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.scenario"), name)
