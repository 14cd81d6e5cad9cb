"""Our runner against a bare loop over the same SDK client and transport, side by side in one run.

.venv/bin/python benchmarks/side_by_side.py [in flight] [dialogues] [turns] [rounds]
.venv/bin/python benchmarks/side_by_side.py whole [in flight] [dialogues] [turns] [rounds]   # the whole command
.venv/bin/python benchmarks/side_by_side.py memory          # the runner's largest memory at 100 and at 2,000 dialogues

A server of our own in another process answers every request after 0.2 s. Both send the same growing conversations. The
loop does nothing with an answer but read it; the runner judges it, stores it durably and goes on from there. Start-up
(imports, reading the benchmark, opening the store, making the client) counts for neither: both clocks start one latency
before the first answer.
"""

from __future__ import annotations

import asyncio
import json
import multiprocessing
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from transport import ANSWER, LATENCY, serve

from evolif.models.endpoint import Endpoint, make_client
from evolif.runner import Event, SessionEnded, evaluate
from evolif.runner.events import RunStarted, TurnStored
from evolif.scenarios.instructions import SYSTEM_PROMPT, InstructionBenchmark, generate
from evolif.scenarios.instructions import environment as _environment
from evolif.scenarios.instructions.verdicts import judge_turn

TEXT: str = json.loads(ANSWER)["choices"][0]["message"]["content"]
Figures = tuple[float, float]
"""Turns a second, milliseconds of this process's CPU a turn."""


def bare(bench: InstructionBenchmark, url: str, in_flight: int, turns: int) -> Figures:
    """The same conversations, and nothing else."""
    import httpx2

    queries = {d: [turn.query for turn in bench.turns(d)[:turns]] for d in bench.dialogues()}

    async def main() -> Figures:
        client = make_client(Endpoint(url), timeout=60.0)
        left = iter(queries.values())
        first: list[float] = []

        async def work() -> None:
            for dialogue in left:
                messages = [{"role": "system", "content": SYSTEM_PROMPT}]
                for query in dialogue:
                    messages.append({"role": "user", "content": query})
                    content = json.dumps({"model": "m", "messages": messages}).encode()
                    answer = await client.post("/chat/completions", content=content, cast_to=httpx2.Response)
                    messages.append(json.loads(answer.content)["choices"][0]["message"])
                    if not first:
                        first.append(time.perf_counter())

        cpu = time.process_time()
        await asyncio.gather(*(work() for _ in range(in_flight)))
        figures = time.perf_counter() - first[0] + LATENCY, time.process_time() - cpu
        await client.close()
        return figures

    return per_turn(asyncio.run(main()), len(queries) * turns)


class Checkers:
    """Stands before the checkers and takes the CPU time that they need where they are at work."""

    def __init__(self) -> None:
        self.seconds = 0.0

    async def __call__(self, constraints: Any, answer: str, judge: Any, **options: Any) -> Any:
        began = time.process_time()
        judgement = await judge_turn(constraints, answer, judge, **options)
        self.seconds += time.process_time() - began
        return judgement


def ours(bench: Path, url: str, in_flight: int, turns: int, folder: Path) -> tuple[float, float, float]:
    """The runner; the third figure is the checkers' CPU."""
    seen: dict[type, tuple[float, float]] = {}
    checkers = _environment.judge_turn = Checkers()

    def watch(event: Event) -> None:
        if isinstance(event, SessionEnded) or type(event) not in seen:
            seen[type(event)] = time.perf_counter(), time.process_time()

    run = evaluate(
        InstructionBenchmark(bench), f"openai/m?base_url={url}", folder, max_turns=turns, patience=turns + 1,
        max_connections=in_flight, observe=watch,
    )  # fmt: skip
    played = sum(len(session.turns) for session in run.sessions())
    assert {s.ending for s in run.sessions()} == {"censored"} and not run.faults()
    run.close()
    (_, began), (first, _), (last, ended) = seen[RunStarted], seen[TurnStored], seen[SessionEnded]
    return *per_turn((last - first + LATENCY, ended - began), played), 1000 * checkers.seconds / played


def command(bench: Path, url: str, in_flight: int, turns: int, folder: Path, *more: str) -> float:
    """Seconds that `evolif evaluate` takes as a process of its own, from its start to its last word."""
    words = ["evaluate", str(bench), "-m", f"openai/m?base_url={url}", "--out", str(folder), "--display", "none"]
    words += ["--max-turns", str(turns), "--patience", str(turns + 1), "--max-connections", str(in_flight), *more]
    began = time.perf_counter()
    subprocess.run([sys.executable, "-m", "evolif", *words], check=True, capture_output=True)
    return time.perf_counter() - began


def whole(url: str, folder: Path, in_flight: int, dialogues: int, turns: int, rounds: int) -> None:
    """The whole command, less that of a single turn, beside a bare loop."""
    bench = generate(folder / "bench", dialogues=dialogues, turns=turns, seed=1, profile="objective")
    ratios = []
    for number in range(rounds + 1):
        loop, _ = bare(bench, url, in_flight, turns)
        once = command(bench.path, url, in_flight, 1, folder / f"one{number}", "--limit", "1")
        took = command(bench.path, url, in_flight, turns, folder / f"all{number}") - once + LATENCY
        seconds = dialogues * turns / loop
        told = f"bare loop {seconds:.2f} s | command {took:.2f} s more than one turn ({once:.2f} s)"
        print(f"{told} | {seconds / took:.0%}")
        ratios.append(seconds / took)
    print(f"median: {100 * statistics.median(ratios[1:]):.0f} % of the loop")


def per_turn(seconds: tuple[float, float], turns: int) -> Figures:
    return turns / seconds[0], 1000 * seconds[1] / turns


def compare(url: str, folder: Path, in_flight: int, dialogues: int, turns: int, rounds: int) -> None:
    bench = generate(folder / "bench", dialogues=dialogues, turns=turns, seed=1, profile="objective")
    taken = [
        (bare(bench, url, in_flight, turns), ours(bench.path, url, in_flight, turns, folder / f"run{number}"))
        for number in range(rounds + 1)
    ][1:]  # the first imports
    ideal = in_flight / LATENCY
    print(
        f"{in_flight} in flight, {dialogues} dialogues of {turns} turns, latency {LATENCY} s: ideal {ideal:.0f} turns/s"
    )
    for (loop, loop_cpu), (runner, cpu, checking) in taken:
        told = f"bare loop {loop:4.0f} turns/s, {loop_cpu:.2f} ms CPU | runner {runner:4.0f} turns/s, {cpu:.2f} ms | "
        told += f"{100 * runner / loop:3.0f} % of the loop, {100 * runner / ideal:3.0f} % of the ideal | "
        print(told + f"checkers {checking:.2f} ms, the rest of our own work {cpu - loop_cpu - checking:.2f} ms")
    ratio = statistics.median(runner / loop for (loop, _), (runner, *_) in taken)
    own = statistics.median(cpu - loop - checking for (_, loop), (_, cpu, checking) in taken)
    print(f"median: {100 * ratio:.0f} % of the loop, own work {own:.2f} ms of CPU a turn")


def memory(url: str, folder: Path) -> None:
    """Each size in a process of its own, after a benchmark was made in another."""
    for dialogues in (100, 2000):
        bench = folder / f"bench{dialogues}"
        generate(bench, dialogues=dialogues, turns=10, seed=1, profile="objective")
        told = subprocess.run(
            [sys.executable, __file__, "alone", str(bench), url, str(folder / f"run{dialogues}")],
            capture_output=True, text=True, check=True,
        )  # fmt: skip
        print(f"{dialogues:5} dialogues of 10 turns, 50 in flight: {told.stdout.strip()}")


def alone(bench: str, url: str, folder: str) -> None:
    speed, *_ = ours(Path(bench), url, 50, 10, Path(folder))
    print(f"{resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MiB at most ({speed:.0f} turns/s)")


def main() -> None:
    arguments: list[Any] = sys.argv[1:]
    if arguments[:1] == ["alone"]:
        alone(*arguments[1:])
        return
    here, there = multiprocessing.Pipe()
    server = multiprocessing.Process(target=serve, args=(there,), daemon=True)
    server.start()
    url = f"http://127.0.0.1:{here.recv()}/v1"
    with tempfile.TemporaryDirectory() as folder:
        if arguments[:1] == ["memory"]:
            memory(url, Path(folder))
        elif arguments[:1] == ["whole"]:
            numbers = [int(word) for word in arguments[1:]]
            whole(url, Path(folder), *(*numbers, *(200, 200, 10, 3)[len(numbers) :]))
        else:
            numbers = [int(word) for word in arguments]
            compare(url, Path(folder), *(*numbers, *(200, 200, 10, 3)[len(numbers) :]))
    server.terminate()


if __name__ == "__main__":
    main()
