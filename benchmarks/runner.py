"""The runner's own work per turn: simulated models against a loop that builds and judges the same answers bare.

.venv/bin/python benchmarks/runner.py [dialogues]
"""

from __future__ import annotations

import asyncio
import sys
import tempfile
import time
from pathlib import Path

from evolif.benchmark import generate
from evolif.judging import judge_turn
from evolif.models import ChatRequest, open_model
from evolif.protocol import evaluate

TURNS = 20


def main() -> None:
    dialogues = int(sys.argv[1]) if len(sys.argv) > 1 else 100
    with tempfile.TemporaryDirectory() as folder:
        bench = generate(Path(folder) / "bench", dialogues=dialogues, turns=TURNS, seed=1, profile="objective")
        turns = [turn for d in bench.dialogues() for turn in bench.turns(d)]

        async def bare() -> None:
            model = open_model("sim/perfect")
            for turn in turns:
                reply = await model.complete(ChatRequest((), turn=turn))
                await judge_turn(turn.constraints, reply.text, None)

        started = time.process_time()
        asyncio.run(bare())
        alone = time.process_time() - started
        started = time.process_time()
        evaluate(bench, ["sim/perfect"], Path(folder) / "run", max_turns=TURNS).close()
        whole = time.process_time() - started
    per_turn = 1000 / len(turns)
    print(
        f"{len(turns)} turns: model and checkers {alone * per_turn:.2f} ms a turn, whole run {whole * per_turn:.2f} ms"
    )
    print(f"the runner and its durable store: {(whole - alone) * per_turn:.2f} ms of CPU a turn")


if __name__ == "__main__":
    main()
