"""The published leaderboard: figures of others, which stand beside one's own only under their warning."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from evolif._catalogues import data_path, load_yaml

NOT_COMPARABLE = (
    "An independent implementation: the figures are not comparable with the leaderboard of the EvolIF paper "
    "(arXiv 2511.03508)."
)

WARNING = (
    "NOT COMPARABLE with any figure above: other topics, personas, checkers, prompts and judges. It ranks nothing here."
)
"""What stands over the published figures wherever they are shown."""


@dataclass(frozen=True, slots=True)
class Published:
    """A published leaderboard."""

    source: str
    models: Mapping[str, Mapping[str, float]]
    """Model to metric to figure; the four `edr_*` in turns, the others fractions from 0 to 1."""
    warning: str = WARNING


def published_leaderboard() -> Published:
    """Table 2 of the paper, as packaged."""
    data: Any = load_yaml(data_path("seeds", "published-leaderboard.yaml"))
    models = {
        name: {
            metric: figure if metric.startswith("edr") else round(figure / 100, 6)
            for metric, figure in zip(data["columns"], figures, strict=True)
        }
        for name, figures in data["models"].items()
    }
    return Published(data["source"], models)
