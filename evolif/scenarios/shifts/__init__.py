"""Dialogues whose topic shifts (Context-Agent): checks of final answers, figures, NTM's released files."""

from typing import TYPE_CHECKING, Any

from evolif.scenarios.shifts.checking import Checkpoint, GoalResult, Reason, check_answer, invented, occurs_in
from evolif.scenarios.shifts.completion import completion_object, goal_counts, left_out, size_object
from evolif.scenarios.shifts.decisions import MoveScore, decision_scores, misplaced, score_moves
from evolif.scenarios.shifts.dialogue import Act, ShiftDialogue, ShiftTurn
from evolif.scenarios.shifts.figures import cohen_kappa, tcr, tcr_gain
from evolif.scenarios.shifts.generate import draw_dialogue, generate
from evolif.scenarios.shifts.goals import gold_decisions
from evolif.scenarios.shifts.importing import (
    Unstated,
    digest_of_released,
    goals_in,
    is_released,
    is_stated,
    read_playable,
    released_lines,
)
from evolif.scenarios.shifts.judged import goal_criteria, goal_rubric, judge_goals
from evolif.scenarios.shifts.lines import (
    KEY_FIELDS,
    dialogue_of,
    dialogue_of_prompts,
    line_fault,
    lines_of,
    turns_of_prompts,
)
from evolif.scenarios.shifts.outline import COUNTS
from evolif.scenarios.shifts.players import player
from evolif.scenarios.shifts.plays import PlayedDialogue, plays_of, plays_of_model
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
from evolif.scenarios.shifts.report import failures_map, has_gold, shift_grids, shift_object
from evolif.scenarios.shifts.results import (
    TCR_TABLE,
    TYPED_REASONS,
    GoalOutcome,
    count_met,
    final_turn,
    goal_scores,
    invented_score,
    outcomes_of,
    reasons_of,
)
from evolif.scenarios.shifts.said import named_branch, said
from evolif.scenarios.shifts.tasks import Hold
from evolif.scenarios.shifts.witness import PlantedError, planted_errors

if TYPE_CHECKING:
    from evolif.scenarios.shifts.scenario import Shifts

__all__ = [
    "COUNTS",
    "KEY_FIELDS",
    "TCR_TABLE",
    "TYPED_REASONS",
    "Act",
    "Checkpoint",
    "GoalOutcome",
    "GoalResult",
    "Hold",
    "MoveScore",
    "PlantedError",
    "PlayedDialogue",
    "Reason",
    "ReleasedDialogue",
    "ShiftDialogue",
    "ShiftTurn",
    "Shifts",
    "Unstated",
    "check_answer",
    "cohen_kappa",
    "completion_object",
    "count_goals",
    "count_met",
    "decision_scores",
    "describe_released",
    "dialogue_of",
    "dialogue_of_prompts",
    "digest_of_released",
    "draw_dialogue",
    "failures_map",
    "final_turn",
    "generate",
    "goal_counts",
    "goal_criteria",
    "goal_rubric",
    "goal_scores",
    "goals_in",
    "gold_decisions",
    "has_gold",
    "invented",
    "invented_score",
    "is_released",
    "is_stated",
    "judge_goals",
    "left_out",
    "line_fault",
    "lines_of",
    "misplaced",
    "named_branch",
    "node_recall",
    "occurs_in",
    "outcomes_of",
    "planted_errors",
    "player",
    "plays_of",
    "plays_of_model",
    "read_object",
    "read_playable",
    "read_released",
    "read_score",
    "reasons_of",
    "released_lines",
    "said",
    "score_moves",
    "shift_grids",
    "shift_object",
    "size_object",
    "tcr",
    "tcr_gain",
    "to_released",
    "turns_of_prompts",
    "write_released",
]

_PLAYED = {"Shifts"}
"""What plays and reports the scenario."""


def __getattr__(name: str) -> Any:
    """Load what plays and reports on first use (PEP 562); most of the package does not need it."""
    if name not in _PLAYED:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from evolif.scenarios.shifts import scenario

    return getattr(scenario, name)
