"""A benchmark for all tests, the run of it that their figures must equal, and a way to have Inspect evaluate."""

from __future__ import annotations

import gc
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from inspect_answers import OurModel, scripted

import evolif
from evolif.report import summarise

TURNS = 5


@pytest.fixture(scope="session")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Any:
    return evolif.generate(
        tmp_path_factory.mktemp("bench") / "b", dialogues=7, turns=TURNS, seed=7, profile="objective"
    )


@pytest.fixture(scope="session")
def figures(bench: Any, tmp_path_factory: pytest.TempPathFactory) -> dict[str, float]:
    """What `evolif evaluate` finds in the scripted model, with patience 2."""
    run = evolif.evaluate(bench, OurModel(), tmp_path_factory.mktemp("run") / "r", max_turns=TURNS, patience=2)
    [summary] = summarise(run, resamples=20)
    run.close()
    return {name: value for name, value in summary.metrics.by_name().items() if value is not None}


@pytest.fixture
def inspected(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., Any]]:
    """Evaluates a task with the scripted model, and gives its log."""
    from inspect_ai import eval as evaluate

    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))

    def inspect(task: Any, *, model: Any = None, **more: Any) -> Any:
        [log] = evaluate(task, model=model or scripted(), log_dir=str(tmp_path / "logs"), display="none", **more)
        return log

    yield inspect
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # Inspect's streams warn as they go
        gc.collect()


def pooled(log: Any) -> dict[str, float]:
    """The figures of a run in its log."""
    return {name: one.value for name, one in log.results.scores[0].metrics.items() if one.group == "pooled"}


@pytest.fixture
def figures_of() -> Callable[[Any], dict[str, float]]:
    return pooled
