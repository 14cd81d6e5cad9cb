"""Where dialogues come from, told so that any process can open their benchmark; and those that are open here."""

from __future__ import annotations

import shutil
import tempfile
import weakref
from collections import OrderedDict
from pathlib import Path
from threading import RLock
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

import evolif
from evolif.gym import Gym
from evolif.scenario import DEFAULT_SCENARIO, Benchmark

MOST_OPEN = 16
"""Benchmarks that stay open; one that is needed again is opened or made again, which gives the same dialogues."""


class Source(BaseModel):
    """A benchmark: a folder, or all that it is made from."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    bench: str = ""
    """Its folder; if empty, it is made."""
    scenario: str = DEFAULT_SCENARIO
    seed: int = 0
    dialogues: int = 1
    options: dict[str, Any] = Field(default_factory=dict)
    """Of `evolif.generate`."""


class Play(BaseModel):
    """How dialogues are played; see `evolif.gym.Gym`."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    patience: int | None = None
    max_turns: int | None = None
    relevant: bool = False
    options: dict[str, Any] = Field(default_factory=dict)
    """Of `evolif evaluate --set`."""


_opened: OrderedDict[tuple[str, str], Gym] = OrderedDict()
_opening = RLock()


def gym_of(source: Source, play: Play, made: Benchmark | None = None) -> Gym:
    """The gym of a benchmark, which stays open for the next call.

    Args:
        source: The benchmark.
        play: How it is played.
        made: The same benchmark, if it was made already; it is copied, since its folder may be removed.

    Raises:
        EvolifError: the benchmark cannot be opened, made or played so.
    """
    key = source.model_dump_json(), play.model_dump_json()
    with _opening:
        if key not in _opened:
            _opened[key] = _open(source, play, made)
        _opened.move_to_end(key)
        while len(_opened) > MOST_OPEN:
            _opened.popitem(last=False)
        return _opened[key]


def _open(source: Source, play: Play, made: Benchmark | None) -> Gym:
    if source.bench:
        return _gym(evolif.load_benchmark(source.bench), play)
    folder = Path(tempfile.mkdtemp(prefix="evolif-"))
    try:
        gym = _gym(_copied(made, folder) if made is not None else _made(source, folder / "bench"), play)
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise
    weakref.finalize(gym, shutil.rmtree, folder, ignore_errors=True)  # rollouts under way hold it
    return gym


def _made(source: Source, folder: Path) -> Benchmark:
    return evolif.generate(
        folder, scenario=source.scenario, options=source.options, dialogues=source.dialogues, seed=source.seed
    )


def _copied(made: Benchmark, folder: Path) -> Benchmark:
    shutil.copytree(made.path, folder / "bench")
    return evolif.load_benchmark(folder / "bench")


def _gym(bench: Benchmark, play: Play) -> Gym:
    return Gym(bench, patience=play.patience, max_turns=play.max_turns, relevant=play.relevant, options=play.options)
