"""The Ray engine on this machine: processes that play by themselves, and the file that takes over what they write.

.venv/bin/python benchmarks/ray_engine.py speed [connections] [sessions] [latency]   # of one process; 1 and 4 of them
.venv/bin/python benchmarks/ray_engine.py size [sessions] [processes]                # simulated models, 5 turns each

Speed: a server of our own answers every request after half a second; each process has as many connections, so that four
are four times as fast where nothing else is in the way. Both are timed from the first stored turn to the last, as the
run hears of them. CPU is that of all processes together: where the cores are few, they are in the way. Size: turns a
second, memory and bytes of a large run, with the part of the process that takes the shards over.
"""

from __future__ import annotations

import json
import multiprocessing
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from sessions_at_once import TURNS, serve

from evolif.runner import Event, evaluate
from evolif.runner.events import TurnStored
from evolif.scenarios.instructions import generate


def play(bench: str, model: str, out: str, processes: str, connections: str, epochs: str) -> None:
    """Play a run and print its figures."""
    turns, first, last = 0, 0.0, 0.0
    largest: dict[str, int] = {}

    def watch(event: Event) -> None:
        nonlocal turns, first, last
        if isinstance(event, TurnStored):
            turns, last = turns + 1, time.perf_counter()
            first = first or last
            if turns % 1000 == 1:
                for process, size in players():
                    largest[process] = max(largest.get(process, 0), size)

    began = time.perf_counter()
    run = evaluate(
        bench, model, out, max_turns=TURNS, patience=TURNS + 1, engine="ray", workers=int(processes), timeout=600,
        max_connections=int(connections) * int(processes), observe=watch, epochs=int(epochs),
    )  # fmt: skip
    whole = time.perf_counter() - began
    assert run.suspended() == 0 and not run.faults() and run.integrity().edited == ()
    run.close()
    own, others = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    print(
        json.dumps({
            "turns": turns, "rate": turns / max(last - first, 1e-9), "whole": whole,
            "cpu": own.ru_utime + own.ru_stime, "others": others.ru_utime + others.ru_stime,
            "memory": own.ru_maxrss / 1024, "player": max(largest.values(), default=0) / 1024,
            "bytes": sum(file.stat().st_size for file in Path(out).iterdir() if file.is_file()),
        })
    )  # fmt: skip


def players() -> list[tuple[str, int]]:
    """The processes that play on this machine, with their memory in KiB."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            if (process / "cmdline").read_bytes().startswith(b"ray::Player"):
                pages = int((process / "statm").read_text(encoding="ascii").split()[1])
                found.append((process.name, pages * os.sysconf("SC_PAGE_SIZE") // 1024))
        except OSError:
            continue
    return found


def in_a_process(*words: object) -> dict[str, float]:
    told = subprocess.run([sys.executable, __file__, "play", *map(str, words)], capture_output=True, text=True)
    assert told.returncode == 0, told.stderr[-3000:]
    found: dict[str, float] = json.loads(told.stdout.splitlines()[-1])
    return found


def speed(folder: Path, connections: int, sessions: int, latency: float) -> None:
    here, there = multiprocessing.Pipe()
    server = multiprocessing.Process(target=serve, args=(there, latency), daemon=True)
    server.start()
    model = f"openai/m?base_url=http://127.0.0.1:{here.recv()}/v1"
    rates = {}
    for processes in (1, 4):
        bench = folder / f"bench{processes}"
        generate(bench, dialogues=sessions * processes, turns=TURNS, seed=1, profile="objective")
        told = in_a_process(bench, model, folder / f"run{processes}", processes, connections, 1)
        rates[processes] = told["rate"]
        print(
            f"{processes} processes of {connections} connections, {latency} s a reply: {told['rate']:.1f} turns/s of "
            f"{processes * connections / latency:.0f} ({told['turns']:.0f} turns, {told['whole']:.0f} s with start and "
            "end)", flush=True,
        )  # fmt: skip
    print(f"four processes are {rates[4] / rates[1]:.2f} times as fast as one")
    server.terminate()


def size(folder: Path, sessions: int, processes: int) -> None:
    dialogues = min(sessions, 1000)
    bench = folder / "bench"
    generate(bench, dialogues=dialogues, turns=TURNS, seed=1, profile="objective")
    told = in_a_process(bench, "sim/perfect", folder / "run", processes, 16, sessions // dialogues)
    turns = told["turns"]
    own = f"{1000 * told['cpu'] / turns:.2f} ms of CPU a turn and {told['memory']:.0f} MiB at most"
    print(
        f"{sessions:,} sessions, {processes} processes: {turns:.0f} turns, {told['rate']:.0f} a second, "
        f"{told['whole']:.0f} s in all; the run's process {own}, a playing one {told['player']:.0f} MiB; "
        f"{told['bytes'] / turns:.0f} bytes a turn in the run's folder"
    )


def main() -> None:
    what, *words = sys.argv[1:] or ["speed"]
    if what == "play":
        play(*words)
        return
    with tempfile.TemporaryDirectory() as folder:
        if what == "speed":
            connections, sessions = (int(word) for word in (*words[:2], *("8", "120")[len(words[:2]) :]))
            speed(Path(folder), connections, sessions, float((*words, "8", "120", "0.5")[2] if len(words) > 2 else 0.5))
        else:
            size(Path(folder), *(int(word) for word in (*words[:2], *("10000", "4")[len(words[:2]) :])))


if __name__ == "__main__":
    main()
