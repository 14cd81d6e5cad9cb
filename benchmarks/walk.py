"""Through how many of our files one turn of a simulated model goes, from one answer to the next.

.venv/bin/python benchmarks/walk.py [constraints in force]
"""

from __future__ import annotations

import sys
import tempfile
import threading
from pathlib import Path
from types import FrameType
from typing import Any

import evolif
from evolif.runner import Event
from evolif.runner.events import TurnStored

ROOT = Path(evolif.__file__).parent
TURNS = 20
LEFT_OUT = ("constraints", "text")
"""Folders that are counted apart: how many of their files a turn needs depends on its constraints."""


def main() -> None:
    wanted = int(sys.argv[1]) if len(sys.argv) > 1 else 4
    called: set[tuple[str, str]] = set()
    walks: dict[int, set[tuple[str, str]]] = {}

    def profile(frame: FrameType, event: str, _: Any) -> None:
        path = Path(frame.f_code.co_filename)
        if event == "call" and ROOT in path.parents:
            called.add((str(path.relative_to(ROOT)), frame.f_code.co_qualname))

    def observe(event: Event) -> None:
        if isinstance(event, TurnStored):
            walks[event.turn] = set(called)
            called.clear()

    with tempfile.TemporaryDirectory() as folder:
        bench = evolif.generate(f"{folder}/bench", dialogues=1, turns=TURNS, seed=7, profile="objective")
        constraints = {turn.turn: len(turn.constraints) for turn in bench.turns(1)}
        sys.setprofile(profile)
        threading.setprofile(profile)
        evolif.evaluate(
            bench, "sim/steady", f"{folder}/run", max_turns=TURNS, patience=TURNS + 1, observe=observe
        ).close()
        sys.setprofile(None)
    for turn in (turn for turn in walks if turn > 1 and constraints[turn] == wanted):
        files = {file for file, _ in walks[turn]}
        outside = sorted(file for file in files if not file.startswith(LEFT_OUT))
        print(f"turn {turn}: {len(walks[turn])} functions in {len(files)} files, {len(outside)} of them outside of "
              f"{' and '.join(LEFT_OUT)}: {', '.join(outside)}")  # fmt: skip


main()
