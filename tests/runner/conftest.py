from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pytest
from scripted import Scripted

from evolif.runner import Run, evaluate
from evolif.scenarios.instructions import generate


@pytest.fixture(scope="session")
def made_bench(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("made") / "bench"
    generate(root, dialogues=4, turns=4, seed=3, profile="objective")
    return root


@pytest.fixture(scope="session")
def made_paper_bench(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("paper") / "bench"
    generate(root, dialogues=4, turns=10, seed=4, profile="paper")
    return root


@pytest.fixture
def bench(made_bench: Path, tmp_path: Path) -> Path:
    """4 dialogues of 4 turns; longer on demand."""
    shutil.copytree(made_bench, tmp_path / "bench")
    return tmp_path / "bench"


@pytest.fixture
def paper_bench(made_paper_bench: Path, tmp_path: Path) -> Path:
    """4 dialogues of 10 turns with constraints that only a judge can tell."""
    shutil.copytree(made_paper_bench, tmp_path / "paper")
    return tmp_path / "paper"


@pytest.fixture
def play(bench: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., Run]]:
    """Evaluate a scripted model on the first dialogue, up to 8 turns, if not told otherwise.

    Several models, judges among them, are given by their names; those under test are then named in `models`.
    """
    runs: list[Run] = []

    def run(model: Scripted | Mapping[str, Scripted], out: str = "run", **settings: object) -> Run:
        known = {model.name: model} if isinstance(model, Scripted) else model
        told = {"limit": 1, "max_turns": 8, "models": ["fake/model"], "benchmark": bench, **settings}
        for role in {"models", "judge"} & set(told):
            named = [told[role]] if isinstance(told[role], str) else told[role]
            told[role] = [known.get(name.partition("?")[0], name) for name in named]
        runs.append(evaluate(out=tmp_path / out, **told))
        return runs[-1]

    yield run
    for made in runs:
        made.close()
