"""Recorded dialogues against instruction following: turns a second of both runners, side by side in one run.

.venv/bin/python benchmarks/recorded.py [in flight] [dialogues] [turns] [rounds]

A server of our own in another process answers every request after 0.2 s. The recorded dialogues are those of the other
benchmark: the same system text and queries, scored either by the same constraints (one entry each) or by the overlap
with a reference. Start-up counts for neither, as in `side_by_side.py`.
"""

from __future__ import annotations

import multiprocessing
import statistics
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from transport import LATENCY, serve

from evolif.benchmark import open_benchmark
from evolif.exchange.dialogs import import_dialogs
from evolif.runner import Event, SessionEnded, evaluate
from evolif.runner.events import RunStarted, TurnStored
from evolif.scenarios.instructions import SYSTEM_PROMPT, InstructionBenchmark, generate
from evolif.scenarios.instructions.turns import Turn
from evolif.scenarios.recorded import Dialog, write_dialogs

OVERLAP = [{"class_name": name, "args": {}} for name in ("recall", "f1_score")]


def recorded(bench: InstructionBenchmark, out: Path, turns: int, *, checks: bool) -> Path:
    """The dialogues of a benchmark as recorded ones."""
    dialogs = []
    for number in bench.dialogues():
        told: list[dict[str, Any]] = [{"turn_id": 0, "role": "system", "content": SYSTEM_PROMPT}]
        for turn in bench.turns(number)[:turns]:
            told.append({"turn_id": len(told), "role": "user", "content": turn.query})
            told.append(answered(len(told), turn, checks=checks))
        dialogs.append(Dialog.model_validate({"dialog_id": number, "dialog_turns": told}))
    write_dialogs(out / "data", dialogs, benchmark_id="recorded")
    import_dialogs(out / "data", out / "bench")
    return out / "bench"


def answered(number: int, turn: Turn, *, checks: bool) -> dict[str, Any]:
    own = [
        {"class_name": "evolif_check", "args": {"group_name": one.group, "params": dict(one.params)}}
        for one in turn.constraints
    ]
    config = {"do_eval": True, "metrics": own if checks else OVERLAP}
    return {"turn_id": number, "role": "assistant", "reference": turn.witness, "eval_config": config}


def speed(bench: Path, url: str, in_flight: int, turns: int, folder: Path) -> tuple[float, float]:
    """Turns a second, and milliseconds of CPU a turn."""
    seen: dict[type, tuple[float, float]] = {}

    def watch(event: Event) -> None:
        if isinstance(event, SessionEnded) or type(event) not in seen:
            seen[type(event)] = time.perf_counter(), time.process_time()

    opened = open_benchmark(bench)
    patience = {"patience": turns + 1, "max_turns": turns} if opened.scenario == "instructions" else {}
    run = evaluate(opened, f"openai/m?base_url={url}", folder, max_connections=in_flight, observe=watch, **patience)
    played = sum(len(session.turns) for session in run.sessions())
    assert played == turns * len(opened.dialogues()) and not run.faults()
    run.close()
    (_, began), (first, _), (last, ended) = seen[RunStarted], seen[TurnStored], seen[SessionEnded]
    return played / (last - first + LATENCY), 1000 * (ended - began) / played


def compare(url: str, folder: Path, in_flight: int, dialogues: int, turns: int, rounds: int) -> None:
    bench = generate(folder / "bench", dialogues=dialogues, turns=turns, seed=1, profile="objective")
    benches = {
        "instruction following": bench.path,
        "recorded, the same checks": recorded(bench, folder / "checks", turns, checks=True),
        "recorded, overlap": recorded(bench, folder / "overlap", turns, checks=False),
    }
    taken: dict[str, list[tuple[float, float]]] = {name: [] for name in benches}
    for number in range(rounds + 1):  # the first imports
        for name, path in benches.items():
            taken[name].append(speed(path, url, in_flight, turns, folder / f"{name} {number}"))
    print(f"{in_flight} in flight, {dialogues} dialogues of {turns} turns, latency {LATENCY} s")
    base = [found for found, _ in taken["instruction following"][1:]]
    for name, found in taken.items():
        speeds, cpu = zip(*found[1:], strict=True)
        shares = [100 * one / other for one, other in zip(speeds, base, strict=True)]
        told = f"{name:26} {statistics.median(speeds):4.0f} turns/s ({min(speeds):.0f} to {max(speeds):.0f})"
        print(f"{told}, {statistics.median(cpu):.2f} ms CPU a turn, {statistics.median(shares):3.0f} % of the first")


def main() -> None:
    numbers = [int(word) for word in sys.argv[1:]]
    here, there = multiprocessing.Pipe()
    server = multiprocessing.Process(target=serve, args=(there,), daemon=True)
    server.start()
    url = f"http://127.0.0.1:{here.recv()}/v1"
    with tempfile.TemporaryDirectory() as folder:
        compare(url, Path(folder), *(*numbers, *(200, 200, 10, 3)[len(numbers) :]))
    server.terminate()


if __name__ == "__main__":
    main()
