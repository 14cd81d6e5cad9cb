"""Dialogues whose topic shifts (Context-Agent): checks of final answers, figures, NTM's released files."""

from importlib import import_module
from typing import Any

from evolif.scenarios.shifts.checking import check_answer
from evolif.scenarios.shifts.decisions import decision_scores
from evolif.scenarios.shifts.generate import generate
from evolif.scenarios.shifts.goals import gold_decisions

__all__ = ["check_answer", "decision_scores", "generate", "gold_decisions"]

_PLAYED = {"Shifts"}
"""What plays and reports the scenario."""


def __getattr__(name: str) -> Any:
    """Load what plays and reports on first use (PEP 562); most of the package does not need it."""
    if name not in _PLAYED:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.scenario"), name)
