"""Benchmarks without end: each has another seed, and is made in the background before it is needed."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tempfile
from collections import deque
from collections.abc import Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from hashlib import blake2b
from itertools import count
from pathlib import Path
from threading import Lock, local
from types import TracebackType
from typing import Any, Self
from weakref import finalize

from evolif.benchmark import open_benchmark
from evolif.errors import OutsideError, UsageError
from evolif.scenario import DEFAULT_SCENARIO, Benchmark, get_scenario

_LOWEST = 2**32
"""Seeds that people type are smaller, so that no benchmark of a stream is one that somebody evaluates on."""
_HIGHEST = 2**53
"""JSON readers of every language take whole numbers up to here."""


def seed_of(epoch: int, worker: int = 0, seed: int = 0) -> int:
    """The seed of a benchmark of a stream.

    Args:
        epoch: From 0.
        worker: Which of several trainers or processes it is for.
        seed: Of the whole training.

    Returns:
        A number from 2³² to 2⁵³, the same on every machine; different for all that anyone will train on.

    Example:
        >>> seed_of(0), seed_of(1), seed_of(0, worker=1), seed_of(0, seed=7)
        (5862459439185668, 3300523367927922, 6261541520238514, 2775047374598837)
    """
    digest = blake2b(f"evolif gym {seed} {epoch} {worker}".encode(), digest_size=8).digest()
    return _LOWEST + int.from_bytes(digest, "big") % (_HIGHEST - _LOWEST)


class Stream:
    """Fresh benchmarks one after another, each made in the background while the one before is played.

    The order does not depend on how fast they are made: the same seed and options give the same stream. Iterating may
    stop and go on; `close`, or the end of a `with` block, ends the processes and removes the folders.

    Args:
        scenario: What kind of conversation.
        dialogues: In each benchmark.
        options: Of `evolif.generate` for the scenario, such as `turns`, `profile` and `split`.
        seed: Of the whole training.
        worker: Which of several trainers this is; each has a stream of its own.
        start: The epoch to begin with, from 0, to go on with an earlier training.
        processes: How many make benchmarks at the same time.
        ahead: How many are made or ready beyond the one that was asked for last.
        folder: Where they are made; a temporary folder if None. Those that are two behind are removed.

    Raises:
        UsageError: an unknown scenario, or a number below 1; what is wrong with an option is found when the first
            benchmark is asked for.

    Example:
        ```python
        with Stream(dialogues=64, options={"turns": 4, "profile": "objective"}, seed=7) as stream:
            for bench in itertools.islice(stream, epochs):
                train(policy, Gym(bench, max_turns=4))
        ```
    """

    def __init__(
        self,
        *,
        scenario: str = DEFAULT_SCENARIO,
        dialogues: int = 100,
        options: Mapping[str, Any] | None = None,
        seed: int = 0,
        worker: int = 0,
        start: int = 0,
        processes: int = 1,
        ahead: int = 2,
        folder: Path | str | None = None,
    ) -> None:
        get_scenario(scenario)
        for name, number, least in (
            ("dialogues", dialogues, 1),
            ("processes", processes, 1),
            ("ahead", ahead, 1),
            ("worker", worker, 0),
            ("start", start, 0),
        ):
            if number < least:
                raise UsageError(f"{name} must be at least {least}, not {number}")
        self._request = {"scenario": scenario, "dialogues": dialogues, **_told(scenario, options or {})}
        self._seed, self._worker = seed, worker
        self._epochs = count(start)
        self._ahead = max(ahead, processes)
        self._root = Path(tempfile.mkdtemp(prefix="evolif-stream-", dir=folder))
        self._makers = _Makers(processes)
        self._coming: deque[Future[Path]] = deque()
        self._given: deque[Path] = deque()
        self._end = finalize(self, _end, self._makers, self._root)

    def __iter__(self) -> Iterator[Benchmark]:
        return self

    def __next__(self) -> Benchmark:
        """The next benchmark, as soon as it is made.

        Raises:
            UsageError: an option is wrong, or the stream is closed.
            OutsideError: the process that makes benchmarks was ended from outside.
        """
        while len(self._coming) <= self._ahead:
            self._ask()
        path = self._coming.popleft().result()
        self._given.append(path)
        if len(self._given) > _KEPT:
            shutil.rmtree(self._given.popleft(), ignore_errors=True)
        return open_benchmark(path)

    def _ask(self) -> None:
        epoch = next(self._epochs)
        request = {
            **self._request,
            "out": str(self._root / f"epoch-{epoch}"),
            "seed": seed_of(epoch, self._worker, self._seed),
        }
        self._coming.append(self._makers.make(request))

    def close(self) -> None:
        """End the processes, and remove the benchmarks."""
        self._end()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, fault: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


_KEPT = 2
"""Benchmarks that stay on disk: the one that was given last, and the one before, whose rollouts may not have ended."""


def _told(scenario: str, options: Mapping[str, Any]) -> dict[str, Any]:
    """Options as `evolif.generate` takes them: those of instruction following as keywords."""
    return dict(options) if scenario == DEFAULT_SCENARIO else {"options": dict(options)}


def _end(makers: _Makers, root: Path) -> None:
    makers.close()
    shutil.rmtree(root, ignore_errors=True)


class _Makers:
    """Threads that each wait for a process of their own."""

    def __init__(self, processes: int) -> None:
        self._own = local()
        self._threads = ThreadPoolExecutor(processes, thread_name_prefix="evolif-stream")
        self._started: list[subprocess.Popen[str]] = []
        self._starting = Lock()
        self._closed = False

    def make(self, request: Mapping[str, Any]) -> Future[Path]:
        """Where the benchmark will be."""
        if self._closed:
            raise UsageError("the stream is closed")
        return self._threads.submit(self._made, json.dumps(request))

    def _made(self, request: str) -> Path:
        # What a process that was ended from outside had begun, the next one completes.
        line = self._reply(request) or self._reply(request)
        if not line:
            raise OutsideError(
                "the processes that make benchmarks for the stream are ended from outside, twice in a row"
            )
        reply = json.loads(line)
        if "fault" in reply:
            raise UsageError(reply["fault"])
        return Path(reply["path"])

    def _reply(self, request: str) -> str:
        """A line of the process; empty if it was ended from outside, and then the next request starts another."""
        process = self._process()
        assert process.stdin is not None and process.stdout is not None
        line = ""
        with suppress(OSError, ValueError):
            process.stdin.write(request + "\n")
            process.stdin.flush()
            line = process.stdout.readline()
        if not line:
            process.kill()
            self._own.process = None
        return line

    def _process(self) -> subprocess.Popen[str]:
        known: subprocess.Popen[str] | None = getattr(self._own, "process", None)
        if known is not None:
            return known
        with self._starting:
            if self._closed:
                raise UsageError("the stream is closed")
            started = subprocess.Popen(
                [sys.executable, "-m", "evolif.gym.maker"],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                encoding="utf-8",
            )
            self._started.append(started)
        self._own.process = started
        return started

    def close(self) -> None:
        with self._starting:
            self._closed = True
            for process in self._started:
                process.kill()
        self._threads.shutdown(cancel_futures=True)
        for process in self._started:
            _bury(process)


def _bury(process: subprocess.Popen[str]) -> None:
    """Leave nothing open of a process that has ended, or was killed."""
    process.wait()
    for pipe in (process.stdin, process.stdout):
        if pipe is not None:
            with suppress(OSError):  # a request that it did not read any more
                pipe.close()
