"""A small benchmark with one flagged turn, fresh for each test."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from review_desks import FLAGGED

from evolif.scenarios.instructions import InstructionBenchmark, generate


@pytest.fixture(scope="session")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("review") / "bench"
    bench = generate(path, dialogues=2, turns=4, seed=5, profile="objective")
    bench.replace(1, 3, query=FLAGGED, status="flagged", source="openai/x", findings=("length: wants 30 words",))
    return path


@pytest.fixture
def bench(made: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(made, tmp_path / "bench"))


@pytest.fixture
def stored(bench: Path):
    """Reads a turn as it is on disk."""
    return lambda dialogue=1, turn=3: InstructionBenchmark(bench).turns(dialogue)[turn - 1]
