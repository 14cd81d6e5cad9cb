"""Dialogues whose topic shifts (Context-Agent): checks of final answers, figures, NTM's released files."""

from importlib import import_module
from typing import Any

from evolif.scenarios.shifts.checking import check_answer, invented
from evolif.scenarios.shifts.decisions import decision_scores
from evolif.scenarios.shifts.figures import cohen_kappa, tcr, tcr_gain
from evolif.scenarios.shifts.generate import generate
from evolif.scenarios.shifts.goals import gold_decisions
from evolif.scenarios.shifts.recall import node_recall
from evolif.scenarios.shifts.released import count_goals, describe_released, read_released, read_score, write_released

__all__ = [
    "check_answer",
    "cohen_kappa",
    "count_goals",
    "decision_scores",
    "describe_released",
    "generate",
    "gold_decisions",
    "invented",
    "node_recall",
    "read_released",
    "read_score",
    "tcr",
    "tcr_gain",
    "write_released",
]

_PLAYED = {"Shifts"}
"""What plays and reports the scenario."""


def __getattr__(name: str) -> Any:
    """Load what plays and reports on first use (PEP 562); most of the package does not need it."""
    if name not in _PLAYED:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.scenario"), name)
