"""Evaluations in processes of their own that can be killed: forked from one that has imported and read all before.

Starting Python and importing an SDK takes longer than such a life lasts; a fork takes milliseconds, and what is killed
is as dead as any process. As a program: reads one evaluation a line, forks it, tells its number and how it ended.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any


class Nursery:
    """Starts evaluations, one at a time."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process
        self._alive = 0

    def begin(self, *arguments: str, **settings: object) -> None:
        """Start `evaluate(*arguments, **settings)`; `budget_tokens` becomes its gate."""
        self._alive = int(self._asked([arguments, settings]))

    def kill(self) -> None:
        """SIGKILL; does nothing where it has ended by itself."""
        os.kill(self._alive, signal.SIGKILL)

    def pause(self) -> None:
        """SIGSTOP: it lives on, but does nothing until `go_on`."""
        os.kill(self._alive, signal.SIGSTOP)

    def go_on(self) -> None:
        """SIGCONT."""
        os.kill(self._alive, signal.SIGCONT)

    def end(self) -> int:
        """Wait for its end. The exit code: 0 complete, 3 sessions are left, 1 an error, negative for a signal."""
        return int(self._asked("end"))

    def _asked(self, what: object) -> str:
        assert self._process.stdin is not None and self._process.stdout is not None
        self._process.stdin.write(json.dumps(what) + "\n")
        self._process.stdin.flush()
        return self._process.stdout.readline()


@contextmanager
def nursery() -> Iterator[Nursery]:
    """A process that forks evaluations."""
    env = {k: v for k, v in os.environ.items() if not k.startswith(("EVOLIF_", "OPENAI_"))}
    process = subprocess.Popen(
        [sys.executable, __file__], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=env
    )
    try:
        yield Nursery(process)
    finally:
        process.communicate(timeout=30)


def _serve() -> None:
    _warm_up()
    alive = 0
    for line in sys.stdin:
        told: Any = json.loads(line)
        if told == "end":
            # The dead stays a zombie until here, so that its number is nobody else's when it is killed.
            print(os.waitstatus_to_exitcode(os.waitpid(alive, 0)[1]), flush=True)
            continue
        alive = os.fork()
        if not alive:
            _live(*told)
        print(alive, flush=True)


def _live(arguments: list[str], settings: dict[str, Any]) -> None:
    from evolif.runner import evaluate

    code = 1
    try:
        most = settings.pop("budget_tokens", None)
        if most is not None:
            settings["gate"] = _budget(most, Path(arguments[2]))
        run = evaluate(*arguments, **settings)
        code = 3 if run.suspended() else 0
        run.close()
    finally:
        os._exit(code)


def _budget(tokens: int, out: Path) -> Any:
    """As the command line opens it."""
    from evolif.budget import Quotes, load_prices
    from evolif.cli.evaluate import open_budget
    from evolif.config import EvalConfig

    return open_budget(EvalConfig(budget_tokens=tokens), Quotes(load_prices(), {}), (), out)


def _warm_up() -> None:
    """Import, and read data, as an evaluation does."""
    import asyncio
    import tempfile

    import openai.resources.chat  # noqa: F401

    from evolif.models import ChatRequest, open_model
    from evolif.runner import evaluate
    from evolif.scenarios.instructions import generate

    _budget(1, Path("nowhere"))

    async def refused() -> None:
        model = open_model("openai/m?base_url=http://127.0.0.1:9/v1", max_retries=0)
        try:
            await model.complete(ChatRequest(()))
        except Exception:  # nobody listens there, but all is imported now
            await model.aclose()

    with tempfile.TemporaryDirectory() as folder:
        bench = generate(Path(folder) / "bench", dialogues=1, turns=2, seed=1, profile="objective")
        evaluate(bench, "sim/perfect", Path(folder) / "run", max_turns=2).close()
    asyncio.run(refused())


if __name__ == "__main__":
    _serve()
