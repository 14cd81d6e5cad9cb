"""Floor and ceiling of a large run, worked out by a process beside it.

While hundreds of requests are in flight, the event loop of a run is never idle, and what is left when the last answer
has come takes as long as several rounds of answers. The process reads what was asked from the run's file; the run only
says when that was all, and stores what it hears. A process that dies or is late costs nothing but its work: the report
then replays floor and ceiling itself. It ends with the run, however that ends, since it reads from a pipe that ends.
"""

from __future__ import annotations

import asyncio
import json
import os
import select
import signal
import subprocess
import sys
from collections.abc import Iterable, Sequence
from contextlib import closing, suppress
from pathlib import Path

from evolif.metrics.replay import ceiling
from evolif.runner.floor_work import CEILING, LONGEST, NOTE, FloorWork, dump_ceiling
from evolif.runner.scheduler import calm_collector
from evolif.runner.settings import RunSettings
from evolif.runner.store import RunStore, StoreWriter
from evolif.scenario import get_scenario
from evolif.scenario.registry import is_own
from evolif.types import Prompt, Verdict

MIN_TURNS = 1000
"""Turns that a run may have at most, below which starting a process is not worth it: it takes half a second."""
_PAUSE = 0.1
"""Seconds until it is looked again whether more was asked."""
_AT_ONCE = 20
"""Turns that are judged between two looks at the run."""


def is_worth_it(settings: RunSettings) -> bool:
    """Whether a run is large, a core is left for it, and no code of others has to be loaded for it."""
    turns = len(settings.dialogues) * settings.most_turns
    return (
        turns >= MIN_TURNS
        and os.name == "posix"
        and _cores() > 1
        and is_own(settings.scenario)
        and not settings.own_code
    )


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class FloorBeside:
    """The process beside a run, from the side of the run; takes the place of `FloorWork`.

    Args:
        root: The run's folder; its file is there already.
    """

    def __init__(self, root: Path) -> None:
        self._process = _start(root)

    def asked(self, prompts: Iterable[Prompt]) -> None:
        """Nothing: the process reads them from the run's file."""

    def writing(self, write: StoreWriter) -> StoreWriter:
        """The writer itself."""
        return write

    async def work(self) -> None:
        """Nothing: the process works."""

    async def finish(self, store: RunStore) -> None:
        """Store what the process has found once all is written; nothing if it died or is late."""
        if self._process is None:
            return
        told = await asyncio.to_thread(_ask, self._process)
        for key in (NOTE, CEILING):
            store.note(key, told.get(key, ""))

    async def aclose(self) -> None:
        """End the process, whether or not it came to its end."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            for pipe in (self._process.stdin, self._process.stdout):
                with suppress(OSError, ValueError):  # what was to be told cannot be any more
                    if pipe is not None:
                        pipe.close()


def _start(root: Path) -> subprocess.Popen[bytes] | None:
    home = str(Path(__file__).resolve().parents[2])
    paths = os.pathsep.join(filter(None, (home, os.environ.get("PYTHONPATH", ""))))
    # -P: no module is imported from the working directory.
    command = [sys.executable, "-P", "-m", __name__, str(root.resolve())]
    pipe = subprocess.PIPE
    try:
        return subprocess.Popen(
            command, env={**os.environ, "PYTHONPATH": paths}, stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL
        )
    except OSError:
        return None  # Python is embedded in another program, or no process can be started


def _ask(process: subprocess.Popen[bytes]) -> dict[str, str]:
    """What the process has found; empty if it died or is late."""
    try:
        told, _ = process.communicate(b"all\n", timeout=LONGEST)
        found = json.loads(told)
    except (subprocess.TimeoutExpired, OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


# The other side.


class _Ended(Exception):
    """The run has ended without asking for anything."""


class _Asked:
    """What the run says: nothing, that all is written, or nothing any more."""

    def __init__(self) -> None:
        self._all = False

    def is_all(self, wait: float) -> bool:
        """Whether all is written; waits so many seconds for that.

        Raises:
            _Ended: the run is gone.
        """
        if not self._all and select.select([0], [], [], wait)[0]:
            if not os.read(0, 16):
                raise _Ended
            self._all = True
        return self._all


class _Ceiling:
    """The verdicts on answer keys, as the turns come in."""

    def __init__(self, settings: RunSettings) -> None:
        self._settings = settings
        self._scenario = get_scenario(settings.scenario)
        self._prompts: dict[tuple[int, int], Prompt] = {}
        self._verdicts: dict[tuple[int, int], Sequence[Verdict] | None] = {}

    def add(self, prompt: Prompt) -> None:
        """Judge the answer key of a turn."""
        place = (prompt.dialogue, prompt.turn)
        self._prompts[place] = prompt
        if prompt.seat == "target":
            self._verdicts[place] = self._scenario.perfect_by(prompt, self._settings.reading_rules)

    def found(self) -> str:
        """The note to store; empty if there are no answer keys."""
        found = ceiling(
            self._prompts.values(),
            self._settings.patience,
            lambda prompt: self._verdicts[prompt.dialogue, prompt.turn],
            lambda prompt: bool(self._scenario.rows.keys(prompt)),
        )
        seen = {place: prompt.digest for place, prompt in self._prompts.items()}
        return dump_ceiling(found, self._settings, seen) if found.turns else ""


async def _beside(root: Path) -> dict[str, str]:
    """Judge what a run asks until it says that this was all."""
    with closing(RunStore.open(root, read_only=True)) as store:
        floor, perfect, run = FloorWork(store.settings), _Ceiling(store.settings), _Asked()
        known, is_all = 0, False
        while not is_all:
            is_all = run.is_all(_PAUSE)  # before reading, so that nothing is written afterwards
            news = list(store.prompts(after=known))
            known += len(news)
            for start in range(0, len(news), _AT_ONCE):
                some = news[start : start + _AT_ONCE]
                floor.asked(some)
                while await floor.judge_next():
                    pass
                for prompt in some:
                    perfect.add(prompt)
                run.is_all(0)
    await floor.aclose()
    return {NOTE: floor.found(), CEILING: perfect.found()}


def main(root: Path) -> None:
    """Work beside a run, and print what was found; nothing if the run ends early."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the run decides what Ctrl-C means
    with calm_collector(), suppress(_Ended):
        print(json.dumps(asyncio.run(_beside(root))))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
