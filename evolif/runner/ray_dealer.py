"""Deals out the sessions of a run to the processes of a Ray cluster, and takes over what they have written."""

from __future__ import annotations

import asyncio
import math
import time
from collections import Counter, deque
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from itertools import count
from pathlib import Path
from typing import Any

from evolif.errors import InternalError, OutsideError
from evolif.runner.events import Event, ModelStopped, SessionEnded, SessionKey
from evolif.runner.ray_player import Deal, Place, Player, Report
from evolif.runner.ray_worker import WorkerConfig
from evolif.runner.records import EndEntry, FaultEntry
from evolif.runner.session import RunContext
from evolif.runner.shard_folder import SHARDS, collect_shards, remove_shard
from evolif.runner.shards import absorb
from evolif.runner.store import RunStore

MOST_DEATHS = 3
"""Number of processes that may die on one session before it is suspended, since it may be the cause."""
_AHEAD = 2.0
"""Seconds of work that a process has waiting, so that it never waits for more."""
_LEAST_AHEAD = 2


@dataclass(slots=True)
class _Hand:
    """A process, and the sessions that it was dealt."""

    actor: Any
    number: int
    limits: Mapping[str, int]
    connections: int | None
    """Its share of `--max-connections`."""
    sessions: dict[SessionKey, None] = field(default_factory=dict)
    rate: float = 0.0
    """Sessions that ended, a second."""
    heard: float = field(default_factory=time.monotonic)

    def held(self, model: str) -> int:
        """Sessions of a model that it has and that are not over."""
        return sum(key.model == model for key in self.sessions)

    def note(self, ended: int) -> None:
        """Learn how fast it is."""
        now = time.monotonic()
        rate = ended / max(now - self.heard, 1e-3)
        self.rate, self.heard = (self.rate + rate) / 2, now


def shares(whole: int, parts: int) -> list[int]:
    """A number in so many nearly equal parts, the larger ones first."""
    return [whole // parts + (part < whole % parts) for part in range(parts)]


class Dealer:
    """Has the sessions of a run played by processes that write shards.

    Args:
        ray: The module, connected with a cluster.
        context: Of the run.
        store: The run's file, which takes the shards over.
        config: What every process needs.
        bench: The benchmark's folder.
        notify: Called with sentences for the user.
    """

    def __init__(
        self,
        ray: Any,
        context: RunContext,
        store: RunStore,
        config: WorkerConfig,
        bench: Path,
        notify: Callable[[str], None],
    ) -> None:
        self._ray = ray
        self._actor = ray.remote(num_cpus=1, max_restarts=0, max_task_retries=0, max_concurrency=4)(Player)
        self._context = context
        self._store = store
        self._config = config
        self._bench = bench.resolve()
        self._notify = notify
        self._left: dict[str, deque[SessionKey]] = {}
        self._hands: list[_Hand] = []
        self._numbers = count(1)
        self._deaths: Counter[SessionKey] = Counter()
        self._told: set[str] = set()
        """What the user was told already: every process finds it."""

    async def play(self, sessions: Mapping[str, deque[SessionKey]], limits: Mapping[str, int], processes: int) -> None:
        """Have every session played.

        Args:
            sessions: Those of each model, in order.
            limits: How many of each may be under way at once, over all processes.
            processes: How many there are to be; fewer where there are not so many sessions at once.

        Raises:
            EvolifError: what no session can survive.
        """
        self._left = dict(sessions)
        most = self._config.config.max_connections
        processes = max(1, min(processes, most or processes, sum(map(len, self._left.values()))))
        parts = {model: shares(limit, processes) for model, limit in limits.items()}
        connections = shares(most, processes) if most is not None else [None] * processes
        for place in range(processes):
            own = {model: part[place] for model, part in parts.items()}
            self._hands.append(self._start(own, connections[place]))
        async with asyncio.TaskGroup() as group:
            for hand in list(self._hands):
                group.create_task(self._drive(hand))
        fault = self._context.shutdown.fault
        if fault is not None:
            raise fault

    def _start(self, limits: Mapping[str, int], connections: int | None) -> _Hand:
        number = next(self._numbers)
        config = self._config.config.model_copy(update={"max_connections": connections})
        worker = replace(self._config, config=config)
        place = Place(worker, self._bench, self._store.root.resolve(), f"{number}-", limits)
        return _Hand(self._actor.remote(place), number, limits, connections)

    async def _drive(self, hand: _Hand) -> None:
        """Keep a process busy until nothing is left; one that dies is replaced."""
        try:
            while await self._dies(hand):
                if not self._has_room():
                    self._hand_over(hand)
                    return
                new = self._start(hand.limits, hand.connections)
                hand.actor, hand.number, hand.rate = new.actor, new.number, 0.0
        except Exception as fault:  # the others finish their turns, which are paid
            self._context.shutdown.fault = self._context.shutdown.fault or fault
            hand.sessions.clear()

    async def _dies(self, hand: _Hand) -> bool:
        """Serve a process until nothing is left for it; True if it has died."""
        try:
            await self._serve(hand)
        except self._ray.exceptions.RayActorError as fault:
            self._bury(hand, fault)
            return True
        return False

    async def _serve(self, hand: _Hand) -> None:
        shutdown = self._context.shutdown
        while not self._is_over(hand):
            sessions = () if shutdown.all_stopped else tuple(self._deal(hand))
            hand.sessions |= dict.fromkeys(sessions)
            deal = Deal(sessions, shutdown.requested, shutdown.all_stopped, shutdown.stopped_models)
            report: Report = await hand.actor.work.remote(deal)
            hand.note(len(report.over))
            self._take(hand, report)
        self._take(hand, await hand.actor.close.remote())

    def _is_over(self, hand: _Hand) -> bool:
        if hand.sessions:
            return False
        return self._context.shutdown.all_stopped or not any(
            (*self._left.values(), *(other.sessions for other in self._hands))
        )

    def _deal(self, hand: _Hand) -> list[SessionKey]:
        """What a process gets now: enough for the next seconds, and towards the end no more than its part."""
        dealt: list[SessionKey] = []
        for model, left in self._left.items():
            if self._context.shutdown.stopped(model):
                left.clear()
            limit = hand.limits[model]
            part = math.ceil(len(left) / (2 * len(self._hands)))
            ahead = min(max(_LEAST_AHEAD, math.ceil(_AHEAD * hand.rate)), part)
            wanted = limit + ahead - hand.held(model) if limit else 0
            dealt += [left.popleft() for _ in range(min(wanted, len(left)))]
        return dealt

    def _take(self, hand: _Hand, report: Report) -> None:
        """Note what a process has reported, and take its closed shards over."""
        shutdown = self._context.shutdown
        for key in report.over:
            hand.sessions.pop(key, None)
        for event in report.events:
            self._forward(event)
        for note in report.notes:
            if note not in self._told:
                self._told.add(note)
                self._notify(note)
        for shard in report.closed:
            absorb(self._store, shard)
            remove_shard(shard)
        if report.fault is not None:
            shutdown.fault = shutdown.fault or report.fault

    def _forward(self, event: Event) -> None:
        shutdown = self._context.shutdown
        if isinstance(event, ModelStopped):
            is_model = event.model in self._context.settings.models
            first = shutdown.stop_model(event.model) if is_model else shutdown.stop_all()
            if not first:
                return
        self._context.observe(event)

    def _bury(self, hand: _Hand, fault: Exception) -> None:
        """Take over what a dead process has written, and put back what it has not ended."""
        if "Player.__init__" in str(fault):
            raise OutsideError(_short(fault)) from None
        collect_shards(self._store, f"{hand.number}-")
        self._notify("a process of the Ray cluster died; its sessions continue in another one")
        ended = {model: self._store.ended(model) for model in self._left}
        for key in reversed(hand.sessions):
            if (key.dialogue, key.epoch) in ended[key.model]:
                state = self._store.state(key)
                turns = sum(record.prompt.seat == "target" for record in state.records)
                self._context.observe(SessionEnded(key, turns, None, state.ending, state.cause, ""))
                continue
            self._deaths[key] += 1
            if self._deaths[key] < MOST_DEATHS:
                self._left[key.model].appendleft(key)
            else:
                self._suspend(key)
        hand.sessions.clear()

    def _suspend(self, key: SessionKey) -> None:
        state = self._store.state(key)
        turn = len(state.records) + 1
        reason = f"{MOST_DEATHS} processes of the Ray cluster died while playing this session"
        fault = FaultEntry(state.id, key.dialogue, turn, "runner", "internal", reason)
        self._store.write((fault, EndEntry(state.id, "suspended", "internal", reason)))
        self._context.observe(SessionEnded(key, turn - 1, None, "suspended", "internal", reason))

    def _has_room(self) -> bool:
        """Whether there is a core for a new process: the node of a dead one may have died with it."""
        cores = int(self._ray.cluster_resources().get("CPU", 1))
        return len(self._hands) <= max(1, cores)

    def _hand_over(self, hand: _Hand) -> None:
        """Leave the sessions of a process without a successor to the others."""
        self._hands.remove(hand)
        if not self._hands:
            raise InternalError("no process of the Ray cluster is left")
        heir = self._hands[0]
        for model, more in hand.limits.items():
            heir.limits = {**heir.limits, model: heir.limits[model] + more}


def _short(fault: Exception) -> str:
    lines = [line for line in str(fault).splitlines() if line.strip()]
    return f"a process of the Ray cluster cannot play: {lines[-1] if lines else type(fault).__name__}"


def collect_at_last(store: RunStore) -> None:
    """Take over what is left of shards; what cannot be read stays for the next command, which says why."""
    if (store.root / SHARDS).is_dir():
        with suppress(Exception):
            collect_shards(store)
