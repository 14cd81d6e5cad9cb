"""What reading a large run costs: wall and CPU seconds and memory of each command, before a change and after it.

    python benchmarks/scale.py [--keep FOLDER] [--dialogues 1000] [--turns 20] [--before REV] [--only WORD…]

Makes a run of five simulated models in a temporary folder (or in FOLDER, used again where it is there): `evolif
generate`, then one `evolif evaluate --dialogues A-B` per core, which `evolif merge` joins. Every command of the table
is started once, in a process of its own, on a copy of the run; with `--before`, the program of that git revision reads
a second copy right before, with the same interpreter and packages. Memory is the largest resident of the process and
those that it starts. A command that a revision lacks is a dash, and one that fails is named.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

ROOT = Path(__file__).parent.parent
MODELS = [f"sim/steady?skill={skill}" for skill in (".995", ".99", ".98", ".97", ".96")]
"""Strong enough that most sessions come to the cap."""
FRAME = "import evolif, sys; evolif.{}(evolif.load_run(sys.argv[1]))"
GOALS: dict[int, dict[str, tuple[float, int | None]]] = {
    100_000: {
        "report": (2, 150),
        "report --json": (6, None),
        "report --html": (15, 250),
        "status": (0.5, None),
        "rerun": (2, None),
        "turns_frame": (3, 250),
    },
    1_000_000: {"report": (8, 400)},
}
"""Turns of a run, to the seconds and megabytes that a command should stay below."""
NEAR = 0.1
"""A run has the goals of a size from which it is no further away, as a share."""
FOUND = (0, 1, 4)
"""Exit codes of commands that did what they were asked for; 1 and 4 are findings."""
WRONG_USAGE = 2


@dataclass(frozen=True)
class Measured:
    """What one process took; all but `code` of one that failed means nothing."""

    code: int
    wall: float
    cpu: float
    megabytes: float

    @property
    def text(self) -> str:
        if self.code == WRONG_USAGE:
            return f"{'–':>26}"
        if self.code not in FOUND:
            return f"{f'ended with {self.code}':>26}"
        return f"{self.wall:8.2f} s {self.cpu:7.2f} s {self.megabytes:5.0f} MB"


@dataclass(frozen=True)
class Program:
    """A checkout, and the copy of the run that it reads."""

    root: Path
    run: Path

    def command(self, *arguments: str) -> list[str]:
        return [sys.executable, *(arguments if arguments[0] == "-c" else ("-m", "evolif", *arguments))]

    @property
    def environment(self) -> dict[str, str]:
        """Ours, but for what would have modules compiled at each start, or set flags."""
        left_out = ("PYTHONDONTWRITEBYTECODE", "PYTHONPYCACHEPREFIX")
        kept = {k: v for k, v in os.environ.items() if k not in left_out and not k.startswith("EVOLIF_")}
        return {**kept, "PYTHONPATH": str(self.root)}

    def compile(self) -> None:
        command = [sys.executable, "-m", "compileall", "-q", str(self.root / "evolif")]
        subprocess.run(command, env=self.environment, check=False)

    def measure(self, arguments: list[str]) -> Measured:
        """What `evolif ARGUMENTS` takes."""
        started = time.perf_counter()
        process = subprocess.Popen(
            self.command(*arguments), cwd=self.run.parent, env=self.environment,
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        _, status, usage = os.wait4(process.pid, 0)
        wall = time.perf_counter() - started
        process.returncode = os.waitstatus_to_exitcode(status)
        megabytes = usage.ru_maxrss / (1024 * (1024 if sys.platform == "darwin" else 1))
        return Measured(process.returncode, wall, usage.ru_utime + usage.ru_stime, megabytes)


def commands(bench: Path, run: Path, models: list[str], cap: int) -> dict[str, list[str]]:
    """What is measured, by name; all of it writes beside the run."""
    beside, named = run.parent, [word for model in models for word in ("--model", model)]
    board, exported = beside / "board", beside / "turns.parquet"
    again = ["evaluate", str(bench), *named, "--max-turns", str(cap), "--out", str(run), "--display", "none"]
    return {
        "report, first": ["report", str(run)],  # of simulated models: floor and ceiling are worked out
        "report": ["report", str(run)],
        "report --full": ["report", str(run), "--full"],  # with ranks
        "report --json, first": ["report", str(run), "--json", str(beside / "report.json")],  # counts context tokens
        "report --json": ["report", str(run), "--json", str(beside / "report.json")],
        "report --html": ["report", str(run), "--html", str(beside / "page.html")],
        "status": ["status", str(run)],
        "compare": ["compare", str(run), "--model", models[0], "--model", models[-1]],
        "rerun, first": again,  # looks whether every prompt is still the same
        "rerun": again,
        "turns_frame": ["-c", FRAME.format("turns_frame"), str(run)],
        "sessions_frame": ["-c", FRAME.format("sessions_frame"), str(run)],
        "export, Parquet": ["export", str(run), str(exported)],
        "board": ["board", str(run), "--out", str(board)],
        "gate": ["gate", str(run), "--min", "isr=.5"],
    }


def make_run(folder: Path, dialogues: int, turns: int, processes: int) -> str:
    """Make the run where it is not there; how, in a sentence."""
    run = folder / "run"
    if run.exists():
        return "made earlier"
    program, bench = Program(ROOT, run), folder / "bench"

    def start(*arguments: str) -> subprocess.Popen[bytes]:
        out = subprocess.DEVNULL
        return subprocess.Popen(program.command(*arguments), env=program.environment, stdout=out, stderr=out)

    def end(*started: subprocess.Popen[bytes]) -> None:
        codes = [process.wait() for process in started]
        if any(codes):
            raise SystemExit(f"the run in {folder} could not be made")

    began = time.perf_counter()
    if not bench.exists():
        words = ("--dialogues", str(dialogues), "--turns", str(turns), "--seed", "1", "--profile", "paper")
        end(start("generate", str(bench), *words))
    generated = time.perf_counter()
    processes = min(processes, dialogues)
    named = [word for model in MODELS for word in ("--model", model)]
    edges = [dialogues * at // processes for at in range(processes + 1)]
    parts = [folder / f"part-{at}" for at in range(1, processes + 1)] if processes > 1 else [run]
    whole = ("evaluate", str(bench), *named, "--max-turns", str(turns), "--display", "none")
    ranges = (f"{first + 1}-{last}" for first, last in pairwise(edges))
    end(*(start(*whole, "--dialogues", some, "--out", str(part)) for some, part in zip(ranges, parts, strict=True)))
    played = time.perf_counter()
    if processes > 1:
        end(start("merge", *map(str, parts), "--out", str(run)))
        for part in parts:
            shutil.rmtree(part)
    merged = time.perf_counter()
    return (
        f"generated in {generated - began:.0f} s, played by {processes} processes in {played - generated:.0f} s, "
        f"merged in {merged - played:.0f} s"
    )


def size_of(run: Path) -> tuple[int, int, list[str]]:
    """Turns of a run, the cap of its sessions, and its models."""
    with closing(sqlite3.connect(run / "run.sqlite")) as store:
        ((turns,),) = store.execute("SELECT count(*) FROM turn")
        ((stored,),) = store.execute("SELECT value FROM run WHERE key = 'settings'")
    settings = json.loads(stored)
    return turns, settings["max_turns"], settings["models"]


@contextmanager
def checkout(revision: str, folder: Path) -> Iterator[Path]:
    """A git worktree of a revision, removed at the end."""
    root = folder / "checkout"
    subprocess.run(["git", "-C", str(ROOT), "worktree", "add", "--quiet", "--detach", str(root), revision], check=True)
    try:
        yield root
    finally:
        subprocess.run(["git", "-C", str(ROOT), "worktree", "remove", "--force", str(root)], check=True)


def goal_of(name: str, turns: int) -> str:
    """What the command should stay below in a run of this size, if that was said."""
    for size, goals in GOALS.items():
        if name in goals and abs(turns / size - 1) <= NEAR:
            seconds, megabytes = goals[name]
            return f"≤ {seconds} s" + (f", {megabytes} MB" if megabytes else "")
    return ""


def table(programs: dict[str, Program], bench: Path, only: list[str]) -> None:
    """Print what each command takes in each program."""
    first = next(iter(programs.values()))
    turns, cap, models = size_of(first.run)
    megabytes = (first.run / "run.sqlite").stat().st_size / 1e6
    print(f"{len(models)} models, {turns:,} turns, {megabytes:,.0f} MB on disk; wall, CPU, largest resident memory")
    for program in programs.values():
        program.compile()
    print(f"{'':16}" + "".join(f"{name:>28}" for name in programs) + "  goal", flush=True)
    for name in commands(bench, first.run, models, cap):
        if only and not any(word in name for word in only):
            continue
        found = [p.measure(commands(bench, p.run, models, cap)[name]) for p in programs.values()]
        print(f"{name:16}" + "".join(f"  {one.text}" for one in found) + f"  {goal_of(name, turns)}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "--keep", type=Path, metavar="FOLDER", help="holds bench/ and run/; made where they are not there"
    )
    parser.add_argument("--dialogues", type=int, default=1000)
    parser.add_argument("--turns", type=int, default=20)
    parser.add_argument("--before", metavar="REV", help="a git revision to compare with")
    parser.add_argument("--only", nargs="*", default=[], metavar="WORD", help="commands whose names have one of these")
    parser.add_argument("--processes", type=int, default=os.cpu_count() or 1, help="that play a new run")
    given = parser.parse_args()
    if given.keep:
        given.keep.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=given.keep) as temporary:
        place = Path(temporary).resolve()
        folder = given.keep.resolve() if given.keep else place
        print(f"run: {make_run(folder, given.dialogues, given.turns, given.processes)}", flush=True)

        def copy(name: str) -> Path:
            return Path(shutil.copytree(folder / "run", place / name / "run"))

        after = Program(ROOT, copy("after"))
        if given.before is None:
            table({"now": after}, folder / "bench", given.only)
            return
        with checkout(given.before, place) as root:
            before = Program(root, copy("before"))
            table({f"before ({given.before})": before, "after": after}, folder / "bench", given.only)


if __name__ == "__main__":
    main()
