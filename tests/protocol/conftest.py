from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from scripted import Scripted

from evolif.benchmark import generate
from evolif.protocol import Run, evaluate


@pytest.fixture(scope="session")
def made_bench(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("made") / "bench"
    generate(root, dialogues=4, turns=4, seed=3, profile="objective")
    return root


@pytest.fixture
def bench(made_bench: Path, tmp_path: Path) -> Path:
    """4 dialogues of 4 turns; longer on demand."""
    shutil.copytree(made_bench, tmp_path / "bench")
    return tmp_path / "bench"


@pytest.fixture
def play(bench: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., Run]]:
    """Evaluate a scripted model on the first dialogue, up to 8 turns, if not told otherwise."""
    runs: list[Run] = []

    def run(model: Scripted, out: str = "run", **settings: object) -> Run:
        monkeypatch.setattr("evolif.protocol._evaluate.open_model", lambda *_, **__: model)
        runs.append(evaluate(bench, ["fake/model"], tmp_path / out, **{"limit": 1, "max_turns": 8, **settings}))
        return runs[-1]

    yield run
    for made in runs:
        made.close()
