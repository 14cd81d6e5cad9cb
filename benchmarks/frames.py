"""What data frames and exports of a run cost: CPU seconds and memory, each in a process of its own.

    python benchmarks/frames.py RUN
    python benchmarks/frames.py [--dialogues 150] [--turns 20]

Copies a run, or makes one of two simulated models, in a temporary folder. CPU seconds are user and system time of the
process, imports and all; memory is its largest resident size. `imports` only imports pandas, pyarrow and evolif.
"""

from __future__ import annotations

import argparse
import resource
import shutil
import subprocess
import sys
import tempfile
from contextlib import closing
from pathlib import Path

import evolif
from evolif.exchange import export

FRAMES = ("turns_frame", "sessions_frame", "metrics_frame")
EXPORTS = ("parquet", "csv", "jsonl")


def do(task: str, run: Path, out: Path) -> None:
    """One measurement, in this process."""
    if task in EXPORTS:
        export(run, out / f"out.{task}")
        return
    import pandas  # noqa: F401
    import pyarrow  # noqa: F401

    import evolif.frames

    if task in FRAMES:
        with closing(evolif.load_run(run, read_only=True)) as opened:
            getattr(evolif, task)(opened)


def measure(task: str, run: Path) -> str:
    """A row of the table."""
    with tempfile.TemporaryDirectory() as out:
        command = [sys.executable, __file__, "--task", task, "--out", out, str(run)]
        return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout.strip()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("run", nargs="?", type=Path)
    parser.add_argument("--dialogues", type=int, default=150)
    parser.add_argument("--turns", type=int, default=20)
    parser.add_argument("--task", help=argparse.SUPPRESS)
    parser.add_argument("--out", type=Path, help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.task:
        do(args.task, args.run, args.out)
        used = resource.getrusage(resource.RUSAGE_SELF)
        print(f"| {args.task} | {used.ru_utime + used.ru_stime:.1f} s | {used.ru_maxrss // 1024} MB |")
        return
    with tempfile.TemporaryDirectory() as folder:
        run = Path(folder) / "run"
        if args.run:
            shutil.copytree(args.run, run)
        else:
            bench = evolif.generate(Path(folder) / "bench", dialogues=args.dialogues, turns=args.turns, seed=1)
            evolif.evaluate(bench, ["sim/steady", "sim/perfect"], run, max_turns=args.turns).close()
        print("| task | CPU | largest memory |\n|---|---|---|")
        for task in ("imports", *FRAMES, *EXPORTS):
            print(measure(task, run), flush=True)


if __name__ == "__main__":
    main()
