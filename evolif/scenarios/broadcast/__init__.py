"""Live broadcasts of simulated matches: clocks, rows, keys computed from typed events, checks, scores."""

from importlib import import_module
from typing import Any

from evolif.scenarios.broadcast.clock import format_clock, parse_clock, shift_clock
from evolif.scenarios.broadcast.dialogue import dialogue
from evolif.scenarios.broadcast.events import events_at, events_between
from evolif.scenarios.broadcast.impact import impact_faceoffs, impact_points
from evolif.scenarios.broadcast.leads import lead_changes, lead_checklist
from evolif.scenarios.broadcast.match import simulate
from evolif.scenarios.broadcast.rows import row_points, score_from_rows, split_rows
from evolif.scenarios.broadcast.scores import category_score, checklist_score, game_accuracy, overall
from evolif.scenarios.broadcast.scoring import score_reply
from evolif.scenarios.broadcast.tags import (
    check_acrostic,
    check_summary,
    check_tags,
    expected_tag,
    three_sentences_same_letter,
)
from evolif.scenarios.broadcast.witness import witness

__all__ = [
    "category_score",
    "check_acrostic",
    "check_summary",
    "check_tags",
    "checklist_score",
    "dialogue",
    "events_at",
    "events_between",
    "expected_tag",
    "format_clock",
    "game_accuracy",
    "impact_faceoffs",
    "impact_points",
    "lead_changes",
    "lead_checklist",
    "overall",
    "parse_clock",
    "row_points",
    "score_from_rows",
    "score_reply",
    "shift_clock",
    "simulate",
    "split_rows",
    "three_sentences_same_letter",
    "witness",
]

_PLAYED = {"Broadcast"}
"""What plays and reports the scenario."""


def __getattr__(name: str) -> Any:
    """Load what plays and reports on first use (PEP 562); most of the package does not need it."""
    if name not in _PLAYED:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.scenario"), name)
