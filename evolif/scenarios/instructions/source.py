"""The turns of a benchmark, made where they are missing: one by one in a dialogue, dialogues side by side.

A turn that a chat model words is stored as soon as it is made.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from evolif.benchmark import writing
from evolif.errors import ModelError, UsageError
from evolif.scenarios.instructions.folder import InstructionBenchmark
from evolif.scenarios.instructions.synthesis import TEMPLATE, Synthesizer
from evolif.scenarios.instructions.synthesis.agent import Attempt, Meter
from evolif.scenarios.instructions.turn_lines import SynthesisRecord, TokenCost
from evolif.scenarios.instructions.turns import Turn


@dataclass(frozen=True, slots=True)
class TurnMade:
    """A turn was generated and stored."""

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
    """By their names in the benchmark; None means that the template replaces them."""
    connections: Mapping[str, int] = field(default_factory=dict)
    """Concurrent dialogues per synthesizer; 1 by default."""
    observe: Callable[[TurnMade], None] = lambda _: None
    aclose: Callable[[], Awaitable[None]] = _nothing
    """Releases the clients' connections; awaited in the event loop that used them."""


class TurnSource:
    """Hands out the turns of a benchmark and makes those that are missing.

    The first request for a missing turn generates it; later requests wait for it. A turn is stored once and is the same
    for every model.

    Args:
        benchmark: The benchmark.
        wording: Its synthesizers; None if no chat model has to write a turn.
        on_demand: Whether a model under test is waiting: the template's query then replaces a flagged one.
        notify: Called with one sentence when that happens.
        record: Called with the stored result and cost of each turn.
    """

    def __init__(
        self,
        benchmark: InstructionBenchmark,
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
        """The turn as sessions play it, generated if missing; None at the end of a dialogue that cannot be extended.

        Raises:
            ModelError: the synthesizer failed; the same request may succeed later.
            UsageError: the dialogue's synthesizer was not opened.
        """
        if number > self._benchmark.length(dialogue):
            if not self._benchmark.can_grow(dialogue):
                return None
            await self.reach(dialogue, number)
        return self._benchmark.turn(dialogue, number)

    async def reach(self, dialogue: int, number: int) -> None:
        """Generate missing chat-model turns up to a number; errors as for `turn`."""
        author = self._benchmark.author(dialogue)
        if author != TEMPLATE and self._benchmark.extendable:
            async with self._locks.setdefault(dialogue, asyncio.Lock()):
                while len(self._benchmark.turns(dialogue)) < number:
                    await self._make(dialogue, author)

    async def _make(self, dialogue: int, author: str) -> None:
        if author not in self._wording.synthesizers:
            raise UsageError(
                f"the missing turns must be written by {author}: generate them with `evolif extend`, or stay within "
                "the turns on disk (--max-turns)"
            )
        draft = self._benchmark.draft(dialogue)
        synthesizer = self._wording.synthesizers[author]
        if synthesizer is None:
            self._benchmark.refuse_other_edition()
            self._benchmark.store(draft)
            return
        meter, attempt = Meter(), None
        try:
            attempt = await synthesizer.say(draft, meter)
        except ModelError as fault:
            where = f"turn {draft.turn} of dialogue {dialogue} could not be written"
            kept = "" if self._on_demand else " Finished turns are kept; run the same command to continue."
            raise ModelError(f"{where}: {fault}{kept}", retryable=fault.retryable) from None
        finally:
            self._store(draft, attempt, meter, author)

    def _store(self, draft: Turn, attempt: Attempt | None, meter: Meter, author: str) -> None:
        """Store what a turn cost, and the turn if there is one."""
        where = (draft.dialogue, draft.turn)
        instead = attempt is not None and attempt.status == "flagged" and self._on_demand
        if attempt is not None or meter.calls:
            record = SynthesisRecord(
                dialogue=draft.dialogue,
                turn=draft.turn,
                synthesizer=author,
                outcome="broken off" if attempt is None else attempt.outcome,
                attempts=len(meter.failed) if attempt is None else attempt.attempts,
                played="template" if instead else "as worded",
                failed=tuple(meter.failed),
                cost={role: TokenCost(calls=meter.calls[role], **asdict(usage)) for role, usage in meter.usage.items()},
            )
            self._benchmark.record(record)
            self._record(record)
        if attempt is None:
            return
        if instead:
            note = f"the words of {author} were flagged ({attempt.remarks[0]}); these are the template's"
            self._benchmark.store(replace(draft, findings=(note,)))
            self._notify(f"dialogue {draft.dialogue}, turn {draft.turn}: {note}")
        else:
            self._benchmark.store(
                replace(
                    draft,
                    query=attempt.query,
                    source=author,
                    attempts=attempt.attempts,
                    findings=attempt.remarks,
                    status=attempt.status,
                )
            )
        self._wording.observe(TurnMade(*where, author, attempt.outcome))


def word_alone(benchmark: InstructionBenchmark, wording: SynthesizerPool, dialogues: Sequence[int], turns: int) -> None:
    """Extend chat-model dialogues to at least `turns` turns, in one process at a time.

    Raises:
        UsageError: another process is doing so, and both would pay for the same turns.
        EvolifError: a synthesizer failed, after the other turns in progress were finished and stored.
    """
    from filelock import FileLock, Timeout

    lock = FileLock(benchmark.path / ".synthesis.lock", timeout=0)
    with writing(benchmark.path):
        try:
            lock.acquire()
        except Timeout:
            raise UsageError(
                f"another process is generating turns of {benchmark.path}; wait for it to finish"
            ) from None
    try:
        run_to_end(_word(benchmark, wording, dialogues, turns))
    finally:
        lock.release()


def run_to_end(main: Coroutine[Any, Any, None]) -> None:
    """Run a coroutine; in a new thread if an event loop is already running, as in a notebook."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        asyncio.run(main)
        return
    with ThreadPoolExecutor(1) as pool:
        pool.submit(asyncio.run, main).result()


async def _word(
    benchmark: InstructionBenchmark, wording: SynthesizerPool, dialogues: Sequence[int], turns: int
) -> None:
    source = TurnSource(benchmark, wording, on_demand=False)
    queues: dict[str, list[int]] = {}
    for dialogue in dialogues:
        queues.setdefault(benchmark.author(dialogue), []).append(dialogue)
    queues.pop(TEMPLATE, None)
    faults: list[Exception] = []
    try:
        async with asyncio.TaskGroup() as group:
            for author, queue in queues.items():
                shared = iter(queue)
                for _ in range(min(len(queue), wording.connections.get(author, 1))):
                    group.create_task(_work(benchmark, source, shared, turns, faults))
    finally:
        await wording.aclose()
    if faults:
        raise faults[0]


async def _work(
    benchmark: InstructionBenchmark, source: TurnSource, dialogues: Iterator[int], turns: int, faults: list[Exception]
) -> None:
    """Process dialogues until none are left, or until a turn fails here or elsewhere."""
    for dialogue in dialogues:
        if faults:
            return
        try:
            benchmark.begin(dialogue)
            for number in range(len(benchmark.turns(dialogue)) + 1, turns + 1):
                await source.reach(dialogue, number)
                if faults:
                    return
        except Exception as fault:
            faults.append(fault)
            return
