"""The Ray engine: processes of a cluster play the sessions.

On one machine they play by themselves and write shards, which this process takes over (`evolif.runner.ray_dealer`).

Where a budget or a stop rule decides on calls, a model writes missing prompts, the judge is an object of the caller's,
or the cluster has other machines, only this process writes, and a session proceeds from request to request: each
request is the result of one actor call, and the reply is the argument of the next. So a turn is durable here before its
session continues, and when a process dies only work in flight is lost: another one resumes the session from the store.

No runtime environment is used, and no argument holds a key: every process reads the variables of its own machine.
"""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import threading
from collections import Counter
from collections.abc import Callable, Collection, Coroutine, Mapping
from ipaddress import ip_address
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from evolif.errors import EvolifError, InternalError, OutsideError, UsageError
from evolif.runner.bounds import upper_bound
from evolif.runner.events import ModelStopped, SessionEnded, SessionKey
from evolif.runner.ledger import Account, open_account
from evolif.runner.metering import AllowAll, CallPolicy, Deny, PlannedCall, Wait
from evolif.runner.ray_dealer import MOST_DEATHS, Dealer, collect_at_last
from evolif.runner.ray_worker import (
    CallRequest,
    Finished,
    JudgeRequest,
    PromptRequest,
    StoreRequest,
    Worker,
    WorkerConfig,
    WorkerReply,
    WorkerRequest,
)
from evolif.runner.records import EndEntry, FaultEntry, SessionState, TurnEntry
from evolif.runner.scheduler import SessionScheduler, play_all
from evolif.runner.session import RunContext, Seats
from evolif.runner.store import RunStore
from evolif.scenario import Environment
from evolif.text import plural
from evolif.types import Exchange, Seat

_REACHED_IN = 10.0
"""Seconds in which a cluster must answer. Ray itself tries for minutes and ignores Ctrl-C."""
_LOOK = 1.0
"""Seconds between two looks at the cluster. Ray ends this process, without a word, soon after its node has died."""


def _start_ray(address: str | None, processes: int | None) -> Any:
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    if address is None or _is_loopback(address):
        # Given 127.0.0.1, Ray listens on every interface or looks for a cluster there. With its clusters switched off,
        # as they are on macOS and Windows, it stays on loopback. The variable is read when ray is imported.
        os.environ["RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER"] = "0"
    import ray

    in_main_thread = threading.current_thread() is threading.main_thread()
    on_term = signal.getsignal(signal.SIGTERM)
    options: dict[str, Any] = {"log_to_driver": False, "logging_level": "ERROR"}
    if address is None:
        options |= {"include_dashboard": False, "_node_ip_address": "127.0.0.1"}
        options |= {} if processes is None else {"num_cpus": processes}
    try:
        ray.init(address or "local", **options)
    except (ConnectionError, RuntimeError, ValueError, OSError) as fault:
        where = f"the Ray cluster {address}" if address else "a Ray cluster on this machine"
        token = "; if it requires a token, set RAY_AUTH_MODE=token and the token here too" if address else ""
        why = str(fault).splitlines()[0] if str(fault) else repr(fault)
        raise OutsideError(f"{where} cannot be used: {why}{token}") from None
    finally:
        if in_main_thread and on_term is not None:
            signal.signal(signal.SIGTERM, on_term)  # Ray's handler would kill this process with turns in flight
    return ray


def _is_loopback(address: str) -> bool:
    """Whether the address of a cluster is on loopback; checks first that it answers."""
    try:
        parts = urlsplit(address if "://" in address else f"ray://{address}")
        host, port = parts.hostname, parts.port
    except ValueError:
        host = port = None
    if host is None or port is None:
        raise UsageError(f"--ray-address {address} is not an address; use HOST:PORT, as printed by `ray start --head`")
    try:
        socket.create_connection((host, port), _REACHED_IN).close()
    except OSError as fault:
        raise OutsideError(f"no Ray cluster answers at --ray-address {address} ({fault.strerror or fault})") from None
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


class RayEngine:
    """Plays a run on a Ray cluster.

    Args:
        address: `HOST:PORT` of the cluster; if None, one is started on this machine, on loopback.
        config: Sent to the cluster's processes.
        notify: Called with sentences for the user.
        gate: Decides on every call.
        bench: The benchmark's folder, if processes of this machine can play by themselves.
        processes: How many there are to be; one per core if None.
    """

    def __init__(
        self,
        address: str | None,
        config: WorkerConfig,
        notify: Callable[[str], None],
        gate: CallPolicy | None = None,
        bench: Path | None = None,
        processes: int | None = None,
    ) -> None:
        self._address = address
        self._bench = bench
        self._processes = processes
        self._config = config
        self._notify = notify
        self._policy = gate or AllowAll()

    async def __call__(
        self, context: RunContext, seats: Mapping[str, Seats], scheduler: SessionScheduler, store: RunStore
    ) -> None:
        """Play every session.

        Raises:
            UsageError: the address is invalid.
            OutsideError: the cluster cannot be reached or started.
            EvolifError: what no session can survive.
        """
        ray = _start_ray(self._address, self._processes)
        try:
            cores = max(1, int(ray.cluster_resources().get("CPU", 1)))
            processes = cores if self._processes is None else self._processes
            if processes > cores:
                self._notify(f"The Ray cluster has {plural(cores, 'core')}, so no more processes than that play.")
                processes = cores
            if self._bench is not None and _is_one_machine(ray):
                dealer = Dealer(ray, context, store, self._config, self._bench, self._notify)
                playing = dealer.play(scheduler.hand_over(), scheduler.limits, processes)
            else:
                pool = WorkerPool(ray, self._config, processes)
                spoken = {seat for speakers in seats.values() for seat in speakers}
                death = ray.exceptions.RayActorError
                asked = _RemoteSessions(context, pool, store.state, self._policy, self._notify, death, spoken)
                playing = play_all(context, scheduler, asked.play)
            await _while_alive(_places(ray), self._address, playing)
        finally:
            ray.shutdown()
            collect_at_last(store)


def _is_one_machine(ray: Any) -> bool:
    """Whether all processes of the cluster see the disk of this one."""
    own = ray.get_runtime_context().get_node_id()
    nodes = [node for node in ray.nodes() if node["Alive"]]
    addresses = {node["NodeManagerAddress"] for node in nodes}
    return addresses == {node["NodeManagerAddress"] for node in nodes if node["NodeID"] == own}


class ClusterDiedError(OutsideError):
    """What connects this process with its cluster has died."""


def _places(ray: Any) -> dict[str, tuple[str, int]]:
    """Where the parts of the cluster listen without which Ray ends this process."""
    context = ray.get_runtime_context()
    own = next(node for node in ray.nodes() if node["NodeID"] == context.get_node_id())
    host, _, port = context.gcs_address.rpartition(":")
    return {
        "the Ray node of this process": (own["NodeManagerAddress"], own["NodeManagerPort"]),
        "the head of the Ray cluster": (host.strip("[]"), int(port)),
    }


async def _while_alive(
    places: Mapping[str, tuple[str, int]], address: str | None, playing: Coroutine[Any, Any, None]
) -> None:
    """Await what is played as long as the cluster answers.

    Raises:
        ClusterDiedError: a part of it does not, twice in a row.
    """
    task = asyncio.ensure_future(playing)
    watch = asyncio.create_task(_died(places))
    try:
        await asyncio.wait({task, watch}, return_when=asyncio.FIRST_COMPLETED)
        if task.done():
            return task.result()
        again = f"start it again (ray start … on {address})" if address else "see how much memory is free"
        raise ClusterDiedError(
            f"{watch.result()} has died; what was answered is kept: {again}, and run the same command, or run it "
            "without --engine ray"
        )
    finally:
        for one in (task, watch):
            one.cancel()
        await asyncio.gather(task, watch, return_exceptions=True)


async def _died(places: Mapping[str, tuple[str, int]]) -> str:
    """Return what has died, as soon as something has."""
    silent = Counter[str]()
    while True:
        await asyncio.sleep(_LOOK)
        for what, place in places.items():
            silent[what] = 0 if await asyncio.to_thread(_answers, place) else silent[what] + 1
            if silent[what] == 2:
                return what


def _answers(place: tuple[str, int]) -> bool:
    try:
        socket.create_connection(place, _REACHED_IN).close()
    except ConnectionRefusedError:
        return False
    except OSError:
        return True  # not known to be dead: this machine may lack descriptors
    return True


class WorkerPool:
    """Processes on the cores of a cluster; a dead one is replaced, as long as there is a core for it.

    Args:
        ray: The module.
        config: Sent to every process.
        processes: How many; as many as the cluster has cores if None.
    """

    def __init__(self, ray: Any, config: WorkerConfig, processes: int | None = None) -> None:
        self._ray = ray
        self._actor = ray.remote(num_cpus=1, max_restarts=0, max_task_retries=0, max_concurrency=10_000)(Worker)
        self._config = ray.put(config)
        cores = max(1, int(ray.cluster_resources().get("CPU", 1)))
        self._workers = [self._actor.remote(self._config) for _ in range(processes or cores)]
        self._sessions: Counter[Any] = Counter()

    def take(self) -> Any:
        """The process with the fewest sessions."""
        worker = min(self._workers, key=lambda w: self._sessions[w])
        self._sessions[worker] += 1
        return worker

    def give_back(self, worker: Any) -> None:
        """A session has left the process."""
        self._sessions[worker] -= 1

    def replace(self, worker: Any) -> bool:
        """Start a process in place of a dead one; False if already done."""
        if worker not in self._workers:
            return False
        if len(self._workers) > max(1, int(self._ray.cluster_resources().get("CPU", 1))):
            self._workers.remove(worker)  # its node has died, too: a new process would wait for a core for ever
            return True
        self._workers[self._workers.index(worker)] = self._actor.remote(self._config)
        return True


_OpenCall = tuple[PlannedCall, int]
"""A call that another process makes, and its reservation."""


class _RemoteSessions:
    def __init__(
        self,
        context: RunContext,
        pool: WorkerPool,
        recall: Callable[[SessionKey], SessionState],
        policy: CallPolicy,
        notify: Callable[[str], None],
        death: type[Exception],
        seats: Collection[Seat],
    ) -> None:
        self._context = context
        self._pool = pool
        self._recall = recall
        self._policy = policy
        self._notify = notify
        self._death = death
        self._seats = seats

    async def play(self, key: SessionKey) -> None:
        """Play a session to its end, moving to another process if one dies."""
        for _ in range(MOST_DEATHS):
            worker = self._pool.take()
            open_calls: list[_OpenCall] = []
            try:
                await self._serve(worker, key, open_calls)
                return
            except self._death:
                if self._pool.replace(worker):
                    self._notify("a process of the Ray cluster died; its sessions continue in another one")
            finally:
                self._pool.give_back(worker)
                for call, _ in open_calls:
                    # It may have been paid; its reservation stays.
                    self._policy.record(call, upper_bound(call.model, call.request, call.size))
        await self._suspend(key)

    async def _serve(self, worker: Any, key: SessionKey, open_calls: list[_OpenCall]) -> None:
        environment, state = self._context.environment, self._recall(key)
        account = open_account(key, state.id, self._context.ledger)
        past = [r.exchange(environment.heard(r.prompt, r.answer)) for r in state.records]
        systems = {seat: environment.system(key.dialogue, seat) for seat in self._seats}
        request: WorkerRequest = await worker.begin.remote(key, state, systems)
        while True:
            account.turn = len(past) + 1
            for usage in request.finished_calls:
                call, reservation = open_calls.pop(0)
                self._policy.record(call, usage)
                account.settle(reservation)  # the process sends its cost with what it stores next
            self._forward_events(request)
            if isinstance(request.body, Finished):
                if settled := account.settled():
                    await self._context.write(*settled)
                if request.body.fault is not None:
                    raise request.body.fault
                return
            value, fault = await self._answer(account, request, past, open_calls)
            shutdown = self._context.shutdown
            cause = fault.__cause__ if fault is not None and isinstance(fault.__cause__, EvolifError) else None
            reply = WorkerReply(value, fault, cause, account.take(), shutdown.all_stopped, shutdown.stopped_models)
            request = await worker.resume.remote(key, reply)

    def _forward_events(self, request: WorkerRequest) -> None:
        shutdown = self._context.shutdown
        for event in request.events:
            if isinstance(event, ModelStopped):
                first = shutdown.stop_all() if event.model == "the judge" else shutdown.stop_model(event.model)
                if not first:
                    continue
            self._context.observe(event)

    async def _answer(
        self, account: Account, request: WorkerRequest, past: list[Exchange], open_calls: list[_OpenCall]
    ) -> tuple[Any, Exception | None]:
        """The result of a request; `past` is what was said in the session, and grows with what is stored."""
        environment, dialogue = self._context.environment, account.key.dialogue
        try:
            match request.body:
                case StoreRequest(entries):
                    await self._context.write(*entries, *account.settled())
                    past += [_exchange(environment, entry) for entry in entries if isinstance(entry, TurnEntry)]
                    return None, None
                case PromptRequest():
                    return await environment.prompt(dialogue, past), None
                case JudgeRequest(turn):
                    said, account.turn = past[turn - 1], turn
                    return await environment.score(said.prompt, said.answer, past[: turn - 1]), None
                case CallRequest(call):
                    return await self._decide(call, account, open_calls), None
        except EvolifError as fault:
            return None, fault
        except Exception as fault:
            return None, InternalError(f"an unexpected {type(fault).__name__} in evolif")
        raise InternalError("an empty request from a worker")

    async def _decide(self, call: PlannedCall, account: Account, open_calls: list[_OpenCall]) -> Deny | None:
        while isinstance(decision := self._policy.admit(call), Wait):
            await decision.until
        if decision is None:
            bound = upper_bound(call.model, call.request, call.size).tokens
            try:
                open_calls.append((call, await account.reserve(call.role, call.model, bound)))
            except BaseException:
                self._policy.record(call, None)
                raise
        return decision

    async def _suspend(self, key: SessionKey) -> None:
        state = self._recall(key)
        turns = len(state.records)
        reason = f"{MOST_DEATHS} processes of the Ray cluster died while playing this session"
        fault = FaultEntry(state.id, key.dialogue, turns + 1, "runner", "internal", reason)
        await self._context.write(fault, EndEntry(state.id, "suspended", "internal", reason))
        self._context.observe(SessionEnded(key, turns, 0, "suspended", "internal", reason))


def _exchange(environment: Environment, entry: TurnEntry) -> Exchange:
    answer = entry.answer
    return Exchange(
        entry.prompt, answer.text, environment.heard(entry.prompt, answer.text), entry.notes, answer.truncated
    )
