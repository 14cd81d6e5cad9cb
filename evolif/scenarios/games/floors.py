"""One-sided floors that were measured before: those of the usual settings, so that generating does not start with them.

Others are measured when they are first needed, over fewer instances.
"""

from __future__ import annotations

import json
from functools import lru_cache
from typing import Any

from pydantic import BaseModel

from evolif.util.resources import data_path, load_data

CALIBRATION = 400
"""Instances behind a floor that is measured on the spot."""


def stored_floor(game: str, settings: BaseModel) -> float | None:
    """The floor of a game at these settings; None if it was not measured before."""
    return _floors().get(_name(game, settings.model_dump(mode="json")))


@lru_cache(maxsize=1)
def _floors() -> dict[str, float]:
    rows = load_data(data_path("seeds", "games", "floors.yaml"))
    return {_name(row["game"], row["settings"]): float(row["floor"]) for row in rows}


def _name(game: str, settings: Any) -> str:
    return json.dumps([game, settings], sort_keys=True)
