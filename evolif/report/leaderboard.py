"""The leaderboard that the paper published (arXiv 2511.03508, table 2), to be shown beside one's own figures."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from evolif.util.resources import data_path, load_data

WARNING = (
    "NOT COMPARABLE with the results above: topics, personas, checkers, prompts and judges differ. For reference only."
)
"""The warning over the published figures, wherever they are shown."""


@dataclass(frozen=True, slots=True)
class Leaderboard:
    """A published leaderboard."""

    source: str
    models: Mapping[str, Mapping[str, float]]
    """Model to metric to figure; the four `edr_*` in turns, the others fractions from 0 to 1."""
    warning: str = WARNING


def published_leaderboard() -> Leaderboard:
    """Table 2 of the paper, as packaged."""
    data: Any = load_data(data_path("seeds", "published-leaderboard.yaml"))
    models = {
        name: {
            metric: figure if metric.startswith("edr") else round(figure / 100, 6)
            for metric, figure in zip(data["columns"], figures, strict=True)
        }
        for name, figures in data["models"].items()
    }
    return Leaderboard(data["source"], models)
