"""The whole analysis for machines: the keys of the short report, and every part under keys of its own."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from evolif.metrics import BREAKDOWNS
from evolif.report._analysis import KINDS, ModelAnalysis, RunAnalysis
from evolif.report._board import Board
from evolif.report._json import describe_model, describe_run
from evolif.report._json_parts import (
    ceiling_object,
    hazards,
    metrics_object,
    or_why,
    rank_agreement_object,
    slices,
    stability_object,
    survival_object,
    sweep_object,
)
from evolif.report._published import NOT_COMPARABLE, Published


def analysis_object(boards: Sequence[Board], published: Published | None = None) -> dict[str, Any]:
    """One object for all runs; `models` and `runs` as in `report_object`, with more keys.

    Args:
        boards: The runs as they stand beside each other.
        published: The published leaderboard, where it was asked for; it comes with its warning.
    """
    runs = [run for board in boards for run in board.runs]
    models = [{"run": n, **_model(model)} for n, run in enumerate(runs) for model in run.models]
    told: dict[str, Any] = {
        "models": models,
        "runs": [_run(run) for run in runs],
        "boards": [_board(board) for board in boards],
        "seed": runs[0].seed if runs else None,
        "resamples": runs[0].resamples if runs else None,
        "note": NOT_COMPARABLE,
    }
    if published is not None:
        told["published"] = {
            "warning": published.warning,
            "source": published.source,
            "models": {name: dict(figures) for name, figures in published.models.items()},
        }
    return told


def _model(model: ModelAnalysis) -> dict[str, Any]:
    bounds = or_why(lambda: model.survival_bounds)
    return {
        **describe_model(model.summary),
        "by": {by: slices(model.by(by)) for by in BREAKDOWNS},
        "kinds": {
            kind: {
                name: {"sessions": found.metrics.dialogues, **metrics_object(found.metrics, found.intervals)}
                for name, found in model.figures_by(kind).items()
            }
            for kind in KINDS
        },
        "hazard": hazards(model.hazard),
        "survival": or_why(lambda: survival_object(model.survival)),
        "survival_bounds": bounds
        if bounds is None or isinstance(bounds, dict)
        else {"failed": survival_object(bounds.failed), "succeeded": survival_object(bounds.succeeded)},
        "patience_sweep": sweep_object(model.patience_sweep),
    }


def _run(run: RunAnalysis) -> dict[str, Any]:
    return {
        **describe_run(run.run),
        "suspended": run.suspended,
        "unbegun": dict(run.unbegun),
        "ceiling": or_why(lambda: ceiling_object(run.ceiling)),
        "judge_audit": or_why(lambda: [row.to_object() for row in run.judge_audit]),
        "rank_agreement": {kind: rank_agreement_object(run.rank_agreement(kind)) for kind in KINDS},
        "costs": [
            {
                "role": spent.role,
                "model": spent.model,
                "calls": spent.calls,
                "prompt_tokens": spent.usage.prompt_tokens,
                "completion_tokens": spent.usage.completion_tokens,
            }
            for spent in run.costs
        ],
        "commands": [{"command": step.command, "note": step.note} for step in run.commands],
    }


def _board(board: Board) -> dict[str, Any]:
    return {
        "runs": [run.name for run in board.runs],
        "models": list(board.heads),
        "rank_stability": stability_object(board.rank_stability),
    }
