"""The runner's own work per turn: simulated models against a loop that builds and judges the same answers bare.

.venv/bin/python benchmarks/runner.py [dialogues] [rounds]
"""

from __future__ import annotations

import asyncio
import statistics
import sys
import tempfile
import time
from pathlib import Path

from evolif.models import ChatRequest, open_model
from evolif.runner import evaluate
from evolif.scenarios.instructions import InstructionBenchmark, generate
from evolif.scenarios.instructions.prompt import prompt_of
from evolif.scenarios.instructions.turns import Turn
from evolif.scenarios.instructions.verdicts import judge_turn

TURNS = 20


def bare(turns: list[Turn]) -> float:
    """Seconds of CPU for the answers and their verdicts alone."""

    async def main() -> None:
        model = open_model("sim/perfect")
        for turn in turns:
            reply = await model.complete(ChatRequest((), prompt=prompt_of(turn, 1)))
            await judge_turn(turn.constraints, reply.text, None)

    started = time.process_time()
    asyncio.run(main())
    return time.process_time() - started


def whole(bench: InstructionBenchmark, folder: Path) -> float:
    """Seconds of CPU for a run, from the call to its end."""
    started = time.process_time()
    evaluate(bench, ["sim/perfect"], folder, max_turns=TURNS).close()
    return time.process_time() - started


def main() -> None:
    dialogues, rounds = (*map(int, sys.argv[1:]), *(100, 5)[len(sys.argv) - 1 :])
    with tempfile.TemporaryDirectory() as folder:
        bench = generate(Path(folder) / "bench", dialogues=dialogues, turns=TURNS, seed=1, profile="objective")
        turns = [turn for d in bench.dialogues() for turn in bench.turns(d)]
        taken = [(bare(turns), whole(bench, Path(folder) / f"run{number}")) for number in range(rounds + 1)][1:]
    per_turn = 1000 / len(turns)
    alone, run = (statistics.median(column) * per_turn for column in zip(*taken, strict=True))
    own = sorted((b - a) * per_turn for a, b in taken)
    print(f"{len(turns)} turns: model and checkers {alone:.2f} ms of CPU a turn, whole run {run:.2f} ms")
    print(
        f"the runner and its durable store: {statistics.median(own):.2f} ms a turn ({own[0]:.2f} to {own[-1]:.2f}; "
        f"{rounds} rounds, one after the other)"
    )


if __name__ == "__main__":
    main()
