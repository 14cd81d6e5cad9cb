"""Turns made by chat models: one at a time in a dialogue, dialogues side by side, each stored as soon as it is made."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from typing import Any

from evolif.errors import ModelError, OutsideError, UsageError
from evolif.instructions.folder import Benchmark
from evolif.instructions.turn_lines import SynthesisRecord
from evolif.synthesis import TEMPLATE, Attempt, Meter, Synthesizer
from evolif.types import Turn


@dataclass(frozen=True, slots=True)
class TurnMade:
    """A turn was made and stored."""

    dialogue: int
    turn: int
    synthesizer: str
    outcome: str
    """`accepted`, `repaired` or `flagged`."""


async def _nothing() -> None:
    pass


@dataclass(frozen=True, slots=True)
class SynthesizerPool:
    """The opened synthesizers of a benchmark."""

    synthesizers: Mapping[str, Synthesizer | None]
    """By their names in the benchmark; None has the template stand in."""
    connections: Mapping[str, int] = field(default_factory=dict)
    """Dialogues side by side, per synthesizer; 1 where nothing is said."""
    observe: Callable[[TurnMade], None] = lambda _: None
    aclose: Callable[[], Awaitable[None]] = _nothing
    """Releases what the clients hold; awaited in the loop in which they were used."""


class TurnSource:
    """Hands out the turns of a benchmark and makes those that are missing.

    Whoever asks for a missing turn first has it made; who asks meanwhile waits for the same one. A turn is stored once
    and is the same for every model.

    Args:
        benchmark: The benchmark.
        wording: Its synthesizers; None where every turn that will be asked for is there, or the template's.
        on_demand: Whether a model under test is waiting: a flagged turn then gives way to the template's words.
        notify: Told in one sentence where that happens.
        record: Given what each turn came to and cost, as the benchmark keeps it.
    """

    def __init__(
        self,
        benchmark: Benchmark,
        wording: SynthesizerPool | None = None,
        *,
        on_demand: bool = True,
        notify: Callable[[str], None] | None = None,
        record: Callable[[SynthesisRecord], None] | None = None,
    ) -> None:
        self._benchmark = benchmark
        self._record = record or (lambda _: None)
        self._wording = wording or SynthesizerPool({})
        self._on_demand = on_demand
        self._notify = notify or (lambda _: None)
        self._locks: dict[int, asyncio.Lock] = {}

    async def turn(self, dialogue: int, number: int) -> Turn | None:
        """The turn as sessions play it, made where it is missing; None where the dialogue has no script and ends.

        Raises:
            ModelError: the synthesizer failed; the same question may pass later.
            UsageError: the dialogue's synthesizer was not opened.
        """
        if number > len(self._benchmark.turns(dialogue)):
            if not self._benchmark.extendable:
                return None
            await self.reach(dialogue, number)
        return self._benchmark.turn(dialogue, number)

    async def reach(self, dialogue: int, number: int) -> None:
        """Make the turns that a chat model words, up to a number; errors as for `turn`."""
        author = self._benchmark.author(dialogue)
        if author != TEMPLATE and self._benchmark.extendable:
            async with self._locks.setdefault(dialogue, asyncio.Lock()):
                while len(self._benchmark.turns(dialogue)) < number:
                    await self._make(dialogue, author)

    async def _make(self, dialogue: int, author: str) -> None:
        """Make the next turn of a dialogue and store it."""
        if author not in self._wording.synthesizers:
            raise unopened(author)
        draft = self._benchmark.draft(dialogue)
        synthesizer = self._wording.synthesizers[author]
        if synthesizer is None:
            self._benchmark.store(draft)
            return
        meter, attempt = Meter(), None
        try:
            attempt = await synthesizer.say(draft, meter)
        except ModelError as fault:
            where = f"turn {draft.turn} of dialogue {dialogue} could not be worded"
            kept = "" if self._on_demand else " What was made is kept; the same command goes on from there."
            raise ModelError(f"{where}: {fault}{kept}", retryable=fault.retryable) from None
        finally:
            self._store(draft, attempt, meter, author)

    def _store(self, draft: Turn, attempt: Attempt | None, meter: Meter, author: str) -> None:
        """Keep what a turn cost, and the turn where there is one."""
        where = (draft.dialogue, draft.turn)
        instead = attempt is not None and attempt.status == "flagged" and self._on_demand
        if attempt is not None or meter.calls:
            record = SynthesisRecord.of(where, author, attempt, meter, template=instead)
            self._benchmark.record(record)
            self._record(record)
        if attempt is None:
            return
        if instead:
            note = f"the words of {author} were flagged ({attempt.told[0]}); these are the template's"
            self._benchmark.store(replace(draft, findings=(note,)))
            self._notify(f"dialogue {draft.dialogue}, turn {draft.turn}: {note}")
        else:
            self._benchmark.store(
                replace(
                    draft,
                    query=attempt.query,
                    source=author,
                    attempts=attempt.attempts,
                    findings=attempt.told,
                    status=attempt.status,
                )
            )
        self._wording.observe(TurnMade(*where, author, attempt.outcome))


def unopened(author: str) -> UsageError:
    """The error for a turn that only a synthesizer can make which nobody has opened."""
    return UsageError(
        f"the turns that are missing are worded by {author}: make them with `evolif extend`, or stay within those that "
        "are there (--max-turns)"
    )


def grow_alone(benchmark: Benchmark, wording: SynthesizerPool, dialogues: Sequence[int], turns: int) -> None:
    """Make dialogues that chat models word at least `turns` long, as the only process that does; errors as for `grow`.

    Raises:
        UsageError: another process is at it, and both would pay for the same turns.
    """
    from filelock import FileLock, Timeout

    lock = FileLock(benchmark.path / ".synthesis.lock", timeout=0)
    try:
        lock.acquire()
    except Timeout:
        raise UsageError(f"{benchmark.path} is being worded by another process; wait for it") from None
    except OSError as fault:
        raise OutsideError(f"{benchmark.path} cannot be written ({fault.strerror})") from None
    try:
        run_to_end(grow(benchmark, wording, dialogues, turns))
    finally:
        lock.release()


def run_to_end(main: Coroutine[Any, Any, None]) -> None:
    """Run a coroutine, in a thread of its own where a notebook's loop runs already."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        asyncio.run(main)
        return
    with ThreadPoolExecutor(1) as pool:
        pool.submit(asyncio.run, main).result()


async def grow(benchmark: Benchmark, wording: SynthesizerPool, dialogues: Iterable[int], turns: int) -> None:
    """Make dialogues that chat models word at least `turns` long, side by side; what is there is not asked for again.

    Raises:
        EvolifError: a synthesizer failed. The other turns under way were finished and stored before.
    """
    grower = TurnSource(benchmark, wording, on_demand=False)
    queues: dict[str, list[int]] = {}
    for dialogue in dialogues:
        queues.setdefault(benchmark.author(dialogue), []).append(dialogue)
    queues.pop(TEMPLATE, None)
    faults: list[Exception] = []
    try:
        async with asyncio.TaskGroup() as group:
            for author, queue in queues.items():
                waiting = iter(queue)
                for _ in range(min(len(queue), wording.connections.get(author, 1))):
                    group.create_task(_worker(benchmark, grower, waiting, turns, faults))
    finally:
        await wording.aclose()
    if faults:
        raise faults[0]


async def _worker(
    benchmark: Benchmark, grower: TurnSource, dialogues: Iterator[int], turns: int, faults: list[Exception]
) -> None:
    for dialogue in dialogues:
        if faults:
            return
        try:
            benchmark.begin(dialogue)
            for number in range(len(benchmark.turns(dialogue)) + 1, turns + 1):
                await grower.reach(dialogue, number)
                if faults:
                    return
        except Exception as fault:
            faults.append(fault)
            return
