"""How long a report takes, and how much memory: 5 simulated models on 150 dialogues of 20 turns.

    python benchmarks/report.py [--keep FOLDER] [--dialogues 150] [--turns 20]

Makes the run in a temporary folder (or in FOLDER, used again where it is there), then starts `evolif report` in a
process of its own, and prints its wall seconds, its CPU seconds (those of processes it starts, too) and its largest
resident memory. The target is 10 s and 500 MB.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from evolif.models import SimModel
from evolif.runner import evaluate
from evolif.scenarios.instructions import generate, players

STRENGTHS = {"a": 0.995, "b": 0.99, "c": 0.98, "d": 0.97, "e": 0.96}
"""Chance that a model keeps a constraint: strong enough that most sessions come to the cap."""


class Skilled(players.Skill):
    """A skill of a given strength, whatever the group and the depth."""

    def chance(self, group: str, depth: int) -> float:
        return STRENGTHS[self.name]


def make_run(folder: Path, dialogues: int, turns: int) -> Path:
    """The run, made where it is not there."""
    run = folder / "run"
    if run.exists():
        return run
    generate(folder / "bench", dialogues=dialogues, turns=turns, seed=1, profile="paper")
    models = [SimModel(letter, Skilled(letter, ord(letter)).answer) for letter in STRENGTHS]
    evaluate(folder / "bench", models, run, max_turns=turns).close()
    return run


def measure(*arguments: str) -> tuple[float, float, float]:
    """Wall seconds, CPU seconds and megabytes of `evolif ARGUMENTS` in a process of its own."""
    started = time.perf_counter()
    process = subprocess.Popen(
        [sys.executable, "-m", "evolif", *arguments], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"evolif {arguments[0]} ended with {process.returncode}")
    kilobytes = usage.ru_maxrss / (1024 if sys.platform == "darwin" else 1)
    return time.perf_counter() - started, usage.ru_utime + usage.ru_stime, kilobytes / 1024


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--keep", type=Path)
    parser.add_argument("--dialogues", type=int, default=150)
    parser.add_argument("--turns", type=int, default=20)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = given.keep or Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        run = make_run(folder, given.dialogues, given.turns)
        out = Path(temporary)
        ways = {
            "report": ("report", str(run)),
            "report --full": ("report", str(run), "--full"),
            "report --json": ("report", str(run), "--json", str(out / "r.json")),
            "report --html --json": ("report", str(run), "--html", str(out / "r.html"), "--json", str(out / "r.json")),
            "compare": ("compare", str(run), "--model", "sim/a", "--model", "sim/e"),
        }
        for name, arguments in ways.items():
            seconds, cpu, megabytes = measure(*arguments)
            print(f"{name:22} {seconds:6.1f} s {cpu:6.1f} s of CPU {megabytes:6.0f} MB", flush=True)


if __name__ == "__main__":
    main()
