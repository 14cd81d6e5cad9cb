"""The Ray engine: processes of a cluster play the sessions; this process alone writes the store.

A session in another process goes on from request to request: each request is the result of one actor call, and the
reply is the argument of the next. So a turn is durable here before its session goes on, and when a process dies nothing
is lost but what was in flight: another process takes the session up from the store.

No runtime environment is used, and no argument holds a key: every process reads the variables of its own machine.
"""

from __future__ import annotations

import os
import signal
import socket
import threading
from collections import Counter
from collections.abc import Callable, Mapping
from ipaddress import ip_address
from typing import Any
from urllib.parse import urlsplit

from evolif.errors import EvolifError, InternalError, OutsideError, UsageError
from evolif.models import ChatModel
from evolif.runner.events import ModelStopped, SessionEnded, SessionKey
from evolif.runner.metering import AllowAll, CallPolicy, Deny, PlannedCall, Wait, open_account
from evolif.runner.ray_worker import (
    CallRequest,
    Finished,
    JudgeRequest,
    Player,
    StoreRequest,
    TurnRequest,
    WorkerConfig,
    WorkerReply,
    WorkerRequest,
)
from evolif.runner.records import EndEntry, FaultEntry
from evolif.runner.scheduler import Recall, SessionScheduler, play_all
from evolif.runner.session import RunContext

# Ray, started on this machine or reached elsewhere: on loopback where it can be, and without its surprises.

_REACHED_IN = 10.0
"""Seconds until somebody must have answered at an address. Ray itself tries for minutes, deaf to Ctrl-C."""


def start_ray(address: str | None) -> Any:
    """Ray, connected.

    Args:
        address: Of a cluster, `HOST:PORT`; one of this machine's own, on loopback, where None.

    Raises:
        UsageError: no address.
        OutsideError: it cannot be reached or started.
    """
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    if address is None or _see(address):
        # Ray takes 127.0.0.1 for a wish to be reached from elsewhere and listens on every interface, or looks for a
        # cluster there; with its clusters switched off, as it has them on macOS and Windows, it stays on loopback.
        # Read when ray is imported.
        os.environ["RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER"] = "0"
    import ray

    main = threading.current_thread() is threading.main_thread()
    on_term = signal.getsignal(signal.SIGTERM)
    told: dict[str, Any] = {"log_to_driver": False, "logging_level": "ERROR"}
    try:
        if address is None:
            ray.init("local", include_dashboard=False, _node_ip_address="127.0.0.1", **told)
        else:
            ray.init(address, **told)
    except (ConnectionError, RuntimeError, ValueError, OSError) as fault:
        where = f"the Ray cluster {address}" if address else "a Ray cluster of this machine"
        token = "; if it asks for a token, RAY_AUTH_MODE=token and the token must be set here too" if address else ""
        why = str(fault).splitlines()[0] if str(fault) else repr(fault)
        raise OutsideError(f"{where} cannot be used: {why}{token}") from None
    finally:
        if main and on_term is not None:
            signal.signal(signal.SIGTERM, on_term)  # Ray's own would end this process with turns in flight
    return ray


def _see(address: str) -> bool:
    """See that somebody answers at an address; says whether that is loopback.

    Raises:
        UsageError: it is none.
        OutsideError: nobody does.
    """
    try:
        parts = urlsplit(address if "://" in address else f"ray://{address}")
        host, port = parts.hostname, parts.port
    except ValueError:
        host = port = None
    if host is None or port is None:
        raise UsageError(f"--ray-address {address} is no address; it is HOST:PORT, as `ray start --head` tells it")
    try:
        socket.create_connection((host, port), _REACHED_IN).close()
    except OSError as fault:
        raise OutsideError(f"nobody answers at --ray-address {address} ({fault.strerror or fault})") from None
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


_LIVES = 3
"""Processes that may die over one session before it is suspended: it may be what kills them."""


class RayEngine:
    """Plays a run on a Ray cluster.

    Args:
        address: The cluster; one of this machine's own, on loopback, where None.
        config: What its processes have to know.
        notify: Told in sentences.
        gate: Asked before every call.
    """

    def __init__(
        self, address: str | None, config: WorkerConfig, notify: Callable[[str], None], gate: CallPolicy | None = None
    ) -> None:
        self._address = address
        self._config = config
        self._notify = notify
        self._policy = gate or AllowAll()

    async def __call__(
        self, context: RunContext, models: Mapping[str, ChatModel], scheduler: SessionScheduler, recall: Recall
    ) -> None:
        """Play every session.

        Raises:
            OutsideError: no cluster.
            EvolifError: what no session could survive.
        """
        ray = start_ray(self._address)
        try:
            crew = Crew(ray, self._config)
            distant = _Sessions(context, crew, recall, self._policy, self._notify, ray.exceptions.RayActorError)
            await play_all(context, scheduler, distant.play)
        finally:
            ray.shutdown()


class Crew:
    """As many processes as the cluster has cores; a dead one is replaced."""

    def __init__(self, ray: Any, config: WorkerConfig) -> None:
        self._actor = ray.remote(num_cpus=1, max_restarts=0, max_task_retries=0, max_concurrency=10_000)(Player)
        self._config = ray.put(config)
        number = max(1, int(ray.cluster_resources().get("CPU", 1)))
        self._players = [self._hire() for _ in range(number)]
        self._busy: Counter[Any] = Counter()

    def _hire(self) -> Any:
        return self._actor.remote(self._config)

    def take(self) -> Any:
        """The process with the fewest sessions."""
        player = min(self._players, key=lambda p: self._busy[p])
        self._busy[player] += 1
        return player

    def give_back(self, player: Any) -> None:
        """A session has left it."""
        self._busy[player] -= 1

    def replace(self, player: Any) -> bool:
        """It is dead; says whether this is news."""
        if player not in self._players:
            return False
        self._players[self._players.index(player)] = self._hire()
        return True


class _Sessions:
    def __init__(
        self,
        context: RunContext,
        crew: Crew,
        recall: Recall,
        gate: CallPolicy,
        notify: Callable[[str], None],
        death: type[Exception],
    ) -> None:
        self._context = context
        self._crew = crew
        self._recall = recall
        self._policy = gate
        self._notify = notify
        self._death = death

    async def play(self, key: SessionKey) -> None:
        """Play a session, over the death of its process."""
        for _ in range(_LIVES):
            player = self._crew.take()
            open_calls: list[PlannedCall] = []
            try:
                await self._follow(player, key, open_calls)
                return
            except self._death:
                if self._crew.replace(player):
                    self._notify("a process of the Ray cluster died; its sessions go on in another one")
            finally:
                self._crew.give_back(player)
                for call in open_calls:
                    self._policy.record(call, None)
        await self._give_up(key)

    async def _follow(self, player: Any, key: SessionKey, open_calls: list[PlannedCall]) -> None:
        account = open_account(key)
        request: WorkerRequest = await player.begin.remote(key, self._recall(key))
        while True:
            for usage in request.told:
                self._policy.record(open_calls.pop(0), usage)
            self._pass_on(request)
            if isinstance(request.wish, Finished):
                if request.wish.fault is not None:
                    raise request.wish.fault
                return
            value, fault = await self._grant(request, open_calls)
            shutdown = self._context.shutdown
            cause = fault.__cause__ if fault is not None and isinstance(fault.__cause__, EvolifError) else None
            answer = WorkerReply(value, fault, cause, account.take(), shutdown.all_stopped, shutdown.stopped_models)
            request = await player.go_on.remote(key, answer)

    def _pass_on(self, request: WorkerRequest) -> None:
        for event in request.events:
            if isinstance(event, ModelStopped):
                shutdown = self._context.shutdown
                news = shutdown.stop_all() if event.model == "the judge" else shutdown.stop_model(event.model)
                if not news:
                    continue
            self._context.observe(event)

    async def _grant(self, request: WorkerRequest, open_calls: list[PlannedCall]) -> tuple[Any, Exception | None]:
        scenario = self._context.scenario
        try:
            match request.wish:
                case StoreRequest(entries):
                    await self._context.write(*entries)
                    return None, None
                case TurnRequest(dialogue, number):
                    return await scenario.next_turn(dialogue, number), None
                case JudgeRequest(turn, answer):
                    return await scenario.score(turn, answer), None
                case CallRequest(call):
                    return await self._let_through(call, open_calls), None
        except EvolifError as fault:
            return None, fault
        except Exception as fault:
            return None, InternalError(f"an unforeseen {type(fault).__name__} of this program")
        raise InternalError("a request without a wish")

    async def _let_through(self, call: PlannedCall, open_calls: list[PlannedCall]) -> Deny | None:
        while True:
            word = self._policy.admit(call)
            if not isinstance(word, Wait):
                break
            await word.until
        if word is None:
            open_calls.append(call)
        return word

    async def _give_up(self, key: SessionKey) -> None:
        state = self._recall(key)
        turns = len(state.records)
        reason = f"{_LIVES} processes of the Ray cluster died over it"
        fault = FaultEntry(state.id, key.dialogue, turns + 1, "runner", "internal", reason)
        await self._context.write(fault, EndEntry(state.id, "suspended", "internal", reason))
        self._context.observe(SessionEnded(key, turns, 0, "suspended", "internal", reason))
