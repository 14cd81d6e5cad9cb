"""A process of a Ray cluster that plays sessions by itself and writes them to shards of its own.

The run deals out sessions by their names and hears of what has happened a few times a second. Prompts come from the
benchmark's folder, judges are called from here, and every turn is durable in a shard before the next one is asked for,
so that the run finds it there however this process ends. No key is in any message.
"""

from __future__ import annotations

import asyncio
import time
from collections import Counter, deque
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from evolif.benchmark import open_benchmark
from evolif.contexts import open_strategy
from evolif.errors import EvolifError, InternalError, UsageError
from evolif.judging import CACHE_FILE, SqliteJudgeCache, open_judge
from evolif.models import spec_of
from evolif.runner.batcher import WriteBatcher
from evolif.runner.clients import ClientFactory, Clients, is_panel
from evolif.runner.events import Event, SessionKey
from evolif.runner.ledger import Ledger
from evolif.runner.metering import AllowAll
from evolif.runner.past import PromptPacker
from evolif.runner.ray_worker import WorkerConfig
from evolif.runner.scheduler import calm_collector
from evolif.runner.session import RunContext, SessionRunner
from evolif.runner.session_copy import begin_in_shard
from evolif.runner.shard_folder import new_shard
from evolif.runner.shutdown import Shutdown
from evolif.runner.store import RunStore
from evolif.scenario import Services, get_scenario, options_of
from evolif.util.resource_limits import connections_that_fit

if TYPE_CHECKING:
    from filelock import FileLock

_LEAST, _MOST = 0.1, 0.5
"""Seconds between two reports."""
_SESSIONS = 512
"""Sessions of one shard; then it is closed, once they have ended, and the run takes it over."""
_AGE = 30.0
"""Seconds in which sessions are begun in one shard."""
_SILENCE = 60.0
"""Seconds without a word of the run after which nothing more is asked: it is dead."""


@dataclass(frozen=True, slots=True)
class Place:
    """What a process plays, and where it writes."""

    worker: WorkerConfig
    """Its `max_connections` is this process's share."""
    bench: Path
    root: Path
    """The run's folder."""
    name: str
    """Begins the names of its shards."""
    limits: Mapping[str, int]
    """Sessions under way at once, per model."""


@dataclass(frozen=True, slots=True)
class Deal:
    """More sessions to play, and what is stopped."""

    sessions: tuple[SessionKey, ...] = ()
    requested: bool = False
    """Whether the user has stopped the run."""
    all_stopped: bool = False
    stopped_models: frozenset[str] = frozenset()


@dataclass(slots=True)
class Report:
    """What has happened since the last report."""

    over: list[SessionKey] = field(default_factory=list)
    """Sessions that ended, were suspended, or are not played because of a stop."""
    events: list[Event] = field(default_factory=list)
    closed: list[Path] = field(default_factory=list)
    """Shards that are written to the end."""
    notes: list[str] = field(default_factory=list)
    """Sentences for the user."""
    fault: Exception | None = None
    """What no session can survive."""


@dataclass(slots=True)
class _Shard:
    path: Path
    lock: FileLock
    store: RunStore
    batcher: WriteBatcher
    context: RunContext
    opened: float
    begun: int = 0
    alive: int = 0

    @property
    def is_full(self) -> bool:
        return self.begun >= _SESSIONS or time.monotonic() - self.opened > _AGE

    def close(self) -> None:
        self.batcher.close()
        self.store.close()
        self.lock.release()


class Player:
    """Plays what it is dealt, with keys from its own environment.

    Args:
        place: What and where.

    Raises:
        UsageError: the benchmark is not there, or is another one.
    """

    def __init__(self, place: Place) -> None:
        self._place = place
        self._report = Report()
        settings, config = place.worker.settings, place.worker.config
        scenario = get_scenario(settings.scenario)
        benchmark = open_benchmark(place.bench, self._note)
        if benchmark.identity != settings.benchmark:
            raise UsageError(f"{place.bench} is not the benchmark of the run here; give every process the same folder")
        benchmark.hold(2 * sum(place.limits.values()))
        connections_that_fit(2 * sum(place.limits.values()))
        self._shutdown = Shutdown()
        make = ClientFactory(config, AllowAll(), self._shutdown, None, scenario.name, settings.parameters)
        seats = make.seats(config.models, config.partner)
        names = [spec_of(judge) for judge in config.judges]
        self._clients = Clients(
            dict(zip(settings.models, seats, strict=True)),
            {name: make.judge(name) for name in names} if is_panel(names) else {},
            {} if config.context_model is None else {"context": make.context_model(config.context_model)},
        )
        cache = SqliteJudgeCache(place.root / CACHE_FILE) if self._clients.judges else None
        self._judge = open_judge(names, rule=config.judge_rule, opener=self._clients.judges.__getitem__, cache=cache)
        services = Services(
            judge=self._judge,
            config=config,
            max_turns=settings.most_turns,
            dialogues=(),  # the run has looked through them
            meter=make.author,
            relevance=settings.gate,
            reading_rules=settings.reading_rules,
            patience=settings.patience,
            feedback=settings.feedback,
        )
        options = options_of(scenario.play, settings.options, scenario.name)
        self._environment = scenario.environment(benchmark, options, services)
        self._strategy = open_strategy(settings.context, models=self._clients.context)
        self._packed = PromptPacker()
        self._run = RunStore.open(place.root, read_only=True)
        self._queue: deque[SessionKey] = deque()
        self._alive: Counter[str] = Counter()
        self._tasks: set[asyncio.Task[None]] = set()
        self._shards: list[_Shard] = []
        self._hungry = asyncio.Event()
        self._watch: asyncio.Task[None] | None = None
        self._heard = time.monotonic()
        self._calm = calm_collector()
        self._calm.__enter__()

    async def work(self, deal: Deal) -> Report:
        """Take more sessions, and report within half a second."""
        self._heard = float("inf")
        if self._watch is None:
            self._watch = asyncio.create_task(self._watch_run())
        self._heed(deal)
        self._queue.extend(deal.sessions)
        self._fill()
        await asyncio.sleep(_LEAST)
        try:
            async with asyncio.timeout(_MOST - _LEAST):
                await self._hungry.wait()
        except TimeoutError:
            pass
        self._close_shards()
        report, self._report = self._report, Report()
        self._heard = time.monotonic()
        return report

    async def close(self) -> Report:
        """Close all shards and connections; nothing may be under way."""
        await asyncio.gather(*self._tasks, return_exceptions=True)
        self._close_shards(last=True)
        self._run.close()

        async def nothing() -> None:
            pass

        await self._clients.closing(nothing(), self._judge, self._environment)
        return self._report

    async def _watch_run(self) -> None:
        while True:
            await asyncio.sleep(_SILENCE / 6)
            if time.monotonic() - self._heard > _SILENCE:
                self._shutdown.stop_all()

    def _heed(self, deal: Deal) -> None:
        if deal.requested and not self._shutdown.requested:
            self._shutdown.request()
        if deal.all_stopped:
            self._shutdown.stop_all()
        for model in deal.stopped_models:
            self._shutdown.stop_model(model)

    def _fill(self) -> None:
        """Begin as many sessions as may be under way."""
        limits = self._place.limits
        for _ in range(len(self._queue)):
            key = self._queue.popleft()
            if self._shutdown.stopped(key.model):
                self._report.over.append(key)
            elif self._alive[key.model] >= limits[key.model]:
                self._queue.append(key)  # of another model, maybe, there is room
            else:
                self._alive[key.model] += 1
                task = asyncio.create_task(self._play(key))
                self._tasks.add(task)
                task.add_done_callback(self._tasks.discard)
        if self._queue or all(self._alive[model] >= most for model, most in limits.items()):
            self._hungry.clear()
        else:
            self._hungry.set()

    async def _play(self, key: SessionKey) -> None:
        shard: _Shard | None = None
        try:
            shard = self._shard()
            shard.begun += 1
            shard.alive += 1
            state = begin_in_shard(shard.store, self._run, key)
            await SessionRunner(shard.context, key, self._clients.seats[key.model], state).play()
        except EvolifError as fault:
            self._fail(fault)
        except Exception as fault:
            self._fail(InternalError(f"an unexpected {type(fault).__name__} in evolif"))
        finally:
            if shard is not None:
                shard.alive -= 1
            self._alive[key.model] -= 1
            self._report.over.append(key)
            self._fill()

    def _fail(self, fault: Exception) -> None:
        self._report.fault = self._report.fault or fault
        self._shutdown.stop_all()

    def _shard(self) -> _Shard:
        """Where the next session is written."""
        if self._shards and not self._shards[-1].is_full:
            return self._shards[-1]
        place = self._place
        path, lock = new_shard(place.root, place.name)
        store = RunStore.create(path, place.worker.settings)
        batcher = WriteBatcher(store)
        context = RunContext(
            place.worker.settings,
            self._environment,
            self._strategy,
            batcher,
            self._observe,
            self._shutdown,
            Ledger(batcher),
            packed=self._packed,
        )
        self._shards.append(_Shard(path, lock, store, batcher, context, time.monotonic()))
        return self._shards[-1]

    def _close_shards(self, *, last: bool = False) -> None:
        """Close those in which no session is under way and none will begin."""
        for shard in [one for one in self._shards if not one.alive and (last or one.is_full)]:
            self._shards.remove(shard)
            try:
                shard.close()
            except EvolifError as fault:
                self._fail(fault)
            self._report.closed.append(shard.path)

    def _note(self, sentence: str) -> None:
        self._report.notes.append(sentence)

    def _observe(self, event: Event) -> None:
        self._report.events.append(event)
