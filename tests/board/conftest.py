"""Runs written down by hand, which make boards in no time; and the browser."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from board_runs import Made
from browsers import driver, screen, visit
from runs_by_hand import Sessions, make_run

from evolif.runner.provenance import Origin

__all__ = ["driver", "screen", "visit"]


@pytest.fixture
def run(tmp_path: Path) -> Made:
    """Writes a run: `run("name", {"sim/x": {1: "finished:1 0"}}, day=3, spec={"seed": 1}, patience=2)`."""

    def write(
        name: str, sessions: Sessions, *, day: int | None = 1, spec: dict[str, Any] | None = None, **settings: Any
    ) -> Path:
        made = make_run(tmp_path / name, sessions, **settings)
        if day is not None:
            made.store.note_played(datetime(2026, 5, day, 12, tzinfo=UTC))
        if spec is not None:
            made.store.note_origin(Origin((), (), spec).dump())
        made.close()
        return tmp_path / name

    return write
