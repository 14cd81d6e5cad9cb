"""Dialogues whose topic shifts (Context-Agent): checks of final answers, figures, NTM's released files."""

from evolif.shifts.checking import Checkpoint, GoalResult, Reason, check_answer, invented
from evolif.shifts.dialogue import Act, ShiftDialogue, ShiftTurn
from evolif.shifts.figures import cohen_kappa, tcr, tcr_gain
from evolif.shifts.generate import generate
from evolif.shifts.goals import gold_decisions
from evolif.shifts.reading import read_object
from evolif.shifts.released import (
    ReleasedDialogue,
    count_goals,
    describe_released,
    read_released,
    read_score,
    to_released,
    write_released,
)
from evolif.shifts.witness import PlantedError, planted_errors

__all__ = [
    "Act",
    "Checkpoint",
    "GoalResult",
    "PlantedError",
    "Reason",
    "ReleasedDialogue",
    "ShiftDialogue",
    "ShiftTurn",
    "check_answer",
    "cohen_kappa",
    "count_goals",
    "describe_released",
    "generate",
    "gold_decisions",
    "invented",
    "planted_errors",
    "read_object",
    "read_released",
    "read_score",
    "tcr",
    "tcr_gain",
    "to_released",
    "write_released",
]
