"""Shared histories: dialogues that begin alike are taken in once, up to where they part.

A hundred questions about one long history are a hundred dialogues that begin with it. Their memory takes it in once,
and each question is put to a fork.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field
from typing import Any

from evolif.errors import ModelError
from evolif.scenarios.recorded.costs import Cost
from evolif.scenarios.recorded.memories import Memory
from evolif.scenarios.recorded.units import Unit

Use = Callable[[int, Memory], Awaitable[None]]
"""Plays a dialogue with the memory of its history; the memory is closed afterwards."""
Failed = Callable[[int, ModelError], None]
"""Hears of a dialogue whose history could not be taken in; it may raise the fault to end everything."""


@dataclass(slots=True)
class Ingestion:
    """What it took to take in the histories of some dialogues."""

    histories: int = 0
    """Empty memories that took in anything: without sharing, one per dialogue that has a history."""
    units: int = 0
    """Units taken in before the first questions."""
    dialogues: int = 0
    """Dialogues that have a history."""
    unshared_units: int = 0
    """Units that these dialogues would have taken in without sharing."""
    forks: bool = True
    """Whether the memory can be copied."""
    cost: Cost = field(default_factory=Cost)
    """Of all that was taken in, also between the questions of a dialogue."""

    def figures(self, questions: int) -> dict[str, Any]:
        """The counts, and the cost with a question's share of it."""
        return {
            "histories": self.histories,
            "dialogues": self.dialogues,
            "units": self.units,
            "unshared_units": self.unshared_units,
            "forks": self.forks,
            **self.cost.figures(questions),
        }


class SharedHistories:
    """Takes in the histories of dialogues, each unit once where they are equal.

    Args:
        histories: The units before the first question, by the number of the dialogue.
        new: Gives an empty memory.
        use: Plays one dialogue.
        failed: Hears of faults.
        side_by_side: How many dialogues are played at once.
    """

    def __init__(
        self,
        histories: Mapping[int, Sequence[Unit]],
        new: Callable[[], Memory],
        use: Use,
        failed: Failed,
        side_by_side: int,
    ) -> None:
        self.ingestion = Ingestion(
            dialogues=sum(bool(history) for history in histories.values()),
            unshared_units=sum(map(len, histories.values())),
        )
        self._histories = histories
        self._new = new
        self._use = use
        self._failed = failed
        # A group keeps its place until all its dialogues are played, so few histories are in memory at once.
        self._groups = asyncio.Semaphore(side_by_side)
        self._players = asyncio.Semaphore(side_by_side)

    async def play(self) -> None:
        """Play every dialogue once.

        Raises:
            ExceptionGroup: a fault other than of a model, in `use` or in a memory; all memories are closed.
        """
        self.ingestion.forks = await self._can_fork()
        if self.ingestion.forks:
            groups = list(self._parted(self._histories, 0).values())
        else:
            groups = [[number] for number in self._histories]
        async with asyncio.TaskGroup() as tasks:
            for group in groups:
                tasks.create_task(self._begin(group))

    async def _can_fork(self) -> bool:
        memory = self._new()
        try:
            copy = await memory.fork()
        except NotImplementedError:
            return False
        finally:
            await memory.close()
        await copy.close()
        return True

    def _parted(self, numbers: Mapping[int, Any] | Sequence[int], depth: int) -> dict[str | None, list[int]]:
        """The dialogues by their next unit; None for those that have no more."""
        groups: dict[str | None, list[int]] = {}
        for number in numbers:
            history = self._histories[number]
            groups.setdefault(history[depth].text if depth < len(history) else None, []).append(number)
        return groups

    async def _begin(self, group: Sequence[int]) -> None:
        async with self._groups:
            self.ingestion.histories += bool(self._histories[group[0]])
            await self._grow(self._new(), 0, group)

    async def _branch(self, trunk: Memory, depth: int, group: Sequence[int]) -> None:
        # A dialogue waits for its place before it has a copy; what dialogues share must not wait for them.
        async with self._players if len(group) == 1 else nullcontext():
            try:
                with self.ingestion.cost.measured():
                    memory = await trunk.fork()
            except ModelError as fault:
                self._lose(group, fault)
                return
            await self._grow(memory, depth, group)

    async def _grow(self, memory: Memory, depth: int, group: Sequence[int]) -> None:
        """Take in what the group has in common, then part; the memory is closed when all are played.

        Every branch is a task of its own, so a long chain of branches needs no deep stack.
        """
        try:
            parts = self._parted(group, depth)
            while len(parts) == 1 and None not in parts:
                await self._take_in(memory, self._histories[group[0]][depth])
                depth += 1
                parts = self._parted(group, depth)
            if len(group) == 1:
                await self._use(group[0], memory)
                return
            async with asyncio.TaskGroup() as tasks:
                for text, part in parts.items():
                    for branch in [part] if text is not None else [[number] for number in part]:
                        tasks.create_task(self._branch(memory, depth, branch))
        except ModelError as fault:
            self._lose(group, fault)
        finally:
            await memory.close()

    async def _take_in(self, memory: Memory, unit: Unit) -> None:
        with self.ingestion.cost.measured():
            await memory.ingest(unit)
        self.ingestion.units += 1

    def _lose(self, group: Sequence[int], fault: ModelError) -> None:
        for number in group:
            self._failed(number, fault)
