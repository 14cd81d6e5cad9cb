"""The Ray engine with a real cluster of two processes on this machine, one of them killed in the middle."""

from __future__ import annotations

import os
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import closing
from importlib.util import find_spec
from pathlib import Path
from typing import Any, cast

import pytest
from chat_server import chat_server
from fast_server import Asked, Served, fast_server

from evolif import OutsideError, UsageError
from evolif.budget import Quotes, load_prices
from evolif.budget.budget import Budget
from evolif.models import open_cache
from evolif.runner import Deny, Event, PlannedCall, Run, evaluate, load_run
from evolif.runner.events import TurnStored
from evolif.runner.metering import AllowAll
from evolif.runner.ray import WorkerPool
from evolif.runner.ray_worker import WorkerConfig
from evolif.scenarios.instructions import generate
from evolif.types import Spent, Usage

MODELS = ["sim/steady", "sim/forgetful"]
with_ray = pytest.mark.skipif(find_spec("ray") is None, reason="the extra ray is not installed")


def content(run: Run) -> list[object]:
    return [
        (s, [(r.turn, r.answer, r.judged) for r in records]) for m in run.models for s, records in run.transcripts(m)
    ]


@pytest.fixture
def two_cores(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    for name in ("RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER", "RAY_USAGE_STATS_ENABLED"):
        monkeypatch.setenv(name, "0")
    import ray

    init = ray.init
    monkeypatch.setattr(ray, "init", lambda *args, **told: init(*args, num_cpus=2, **told))
    yield
    assert not ray.is_initialized()


@pytest.mark.slow
@with_ray
def test_a_killed_process_changes_no_figure(tmp_path: Path, two_cores: None) -> None:
    bench = generate(tmp_path / "bench", dialogues=12, turns=12, seed=5, profile="objective").path
    alone = evaluate(bench, MODELS, tmp_path / "alone")
    told: list[str] = []
    seen: list[tuple[object, int]] = []
    hosts: set[str] = set()

    def watch(event: Event) -> None:
        if not isinstance(event, TurnStored):
            return
        seen.append((event.key, event.turn))
        if len(seen) == 30:
            import ray

            hosts.update(node["NodeManagerAddress"] for node in ray.nodes())
            os.kill(players()[0], signal.SIGKILL)

    spread = evaluate(bench, MODELS, tmp_path / "spread", engine="ray", observe=watch, notify=told.append)
    assert content(spread) == content(alone)
    assert spread.faults() == [] and spread.suspended() == 0
    assert spread.costs() == alone.costs()
    assert spread.integrity() == alone.integrity() and spread.integrity().edited == ()
    assert len(set(seen)) == len(seen)
    assert any("died" in sentence for sentence in told)
    assert hosts == {"127.0.0.1"}
    alone.close()
    spread.close()


def players() -> list[int]:
    """Processes of this cluster that play, by their titles; they are children of its raylet, which is ours."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            title = (process / "cmdline").read_text(encoding="utf-8")
        except OSError:
            continue
        if title.startswith(("ray::Worker", "ray::Player")) and parent(parent(process.name)) == str(os.getpid()):
            found.append(int(process.name))
    return found


def parent(process: str) -> str:
    return Path("/proc", process, "stat").read_text(encoding="utf-8").rpartition(")")[2].split()[1]


@pytest.mark.slow
@with_ray
def test_a_budget_is_kept_over_all_processes(tmp_path: Path, two_cores: None) -> None:
    bench = generate(tmp_path / "bench", dialogues=6, turns=6, seed=5, profile="objective").path

    class Eight(AllowAll):
        let_through = told = 0

        def admit(self, call: PlannedCall) -> Deny | None:
            if self.let_through == 8:
                return Deny("budget", "eight calls")
            self.let_through += 1
            return None

        def record(self, call: PlannedCall, usage: Usage | None) -> None:
            self.told += 1

    gate = Eight()
    run = evaluate(bench, "sim/perfect", tmp_path / "run", engine="ray", gate=gate, max_turns=6)
    assert sum(len(s.turns) for s in run.sessions()) == gate.told == 8
    assert {cause for _, _, cause in run.store.endings()} == {"budget"}
    run.close()


@pytest.mark.slow
@with_ray
def test_calls_of_unknown_usage_are_reserved_for_every_process(tmp_path: Path, two_cores: None) -> None:
    bench = generate(tmp_path / "bench", dialogues=6, turns=6, seed=5, profile="objective")
    settings: dict[str, Any] = {"max_turns": 6, "max_tokens": 50}

    def brain(asked: Asked) -> Served:
        first = len(server.asked) == 2
        if first:
            os.kill(players()[0], signal.SIGKILL)
        return Served(asked.turn.witness or "", delay=0.05, usage=None)

    told: list[str] = []
    with fast_server(bench, brain) as server:
        model, spent = f"openai/m?base_url={server.url}", list[Spent]()
        settings["engine"] = "ray"
        for tokens in (9_000, 9_000, 10**9):
            gate = Budget(Quotes(load_prices(), {}), tokens=tokens, spent=spent)
            run = evaluate(bench, model, tmp_path / "run", gate=gate, notify=told.append, **settings)
            settings["engine"] = "asyncio"  # what was reserved holds for whoever goes on
            spent = [*run.costs(), *run.store.under_way()]
            if tokens == 9_000:
                assert sum(one.bound for one in spent) <= tokens and gate.stop is not None
            run.close()
        calls = len(server.asked)
    assert {one.role for one in spent} == {"target"} and all(one.calls == one.unknown for one in spent)
    assert calls <= sum(one.calls for one in spent) <= calls + 12
    assert 36 <= calls <= 48 and any("died" in sentence for sentence in told)


@pytest.fixture
def head(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """A cluster of its own, started as an administrator would, on loopback and with a token."""
    monkeypatch.setenv("RAY_AUTH_MODE", "token")
    monkeypatch.setenv("RAY_AUTH_TOKEN", secrets.token_hex(32))
    log, own = tmp_path / "head.log", tempfile.mkdtemp(prefix="ray")  # sockets in it: a short path
    environment = {**os.environ, "RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0", "RAY_USAGE_STATS_ENABLED": "0"}
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    command = [
        sys.executable,
        "-m",
        "ray.scripts.scripts",
        "start",
        "--head",
        "--block",
        f"--port={port}",
        "--num-cpus=2",
    ]
    command += ["--include-dashboard=false", "--node-ip-address=127.0.0.1", f"--temp-dir={own}"]
    with log.open("wb") as out:
        process = subprocess.Popen([*command, "--disable-usage-stats"], env=environment, stdout=out, stderr=out)
        try:
            while "Ray runtime started" not in log.read_text(encoding="utf-8", errors="replace"):
                assert process.poll() is None, log.read_text(encoding="utf-8", errors="replace")
                time.sleep(0.1)
            yield f"127.0.0.1:{port}"
        finally:
            process.terminate()
            process.wait(60)
            shutil.rmtree(own, ignore_errors=True)


@pytest.mark.slow
@with_ray
def test_a_cluster_that_is_there_is_used_and_left_running(tmp_path: Path, head: str) -> None:
    bench = generate(tmp_path / "bench", dialogues=3, turns=4, seed=5, profile="objective").path
    command = [sys.executable, "-m", "evolif", "evaluate", str(bench), "-m", "sim/steady", "--max-turns", "4"]
    alone = evaluate(bench, ["sim/steady"], tmp_path / "alone", max_turns=4)
    spread = [*command, "--engine", "ray", "--ray-address", head, "--out", str(tmp_path / "spread")]
    stopped = subprocess.Popen(
        [*spread, "--max-connections", "1"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    while not list((tmp_path / "spread").glob("shards/*/run.sqlite")) and stopped.poll() is None:
        time.sleep(0.02)
    stopped.send_signal(signal.SIGINT)
    assert stopped.wait(60) in (0, 130)  # 0 if it was faster
    assert not (tmp_path / "spread" / "shards").exists()
    told = subprocess.run(spread, capture_output=True, text=True, timeout=240)
    assert told.returncode == 0, told.stderr
    run = load_run(tmp_path / "spread")
    assert content(run) == content(alone)
    run.close()
    socket.create_connection(("127.0.0.1", int(head.rpartition(":")[2])), 10).close()
    alone.close()


@with_ray
def test_where_nobody_answers_it_is_said_at_once(bench: Path, tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        nobody = f"127.0.0.1:{free.getsockname()[1]}"
    with pytest.raises(OutsideError, match=f"no Ray cluster answers at --ray-address {nobody}"):
        evaluate(bench, "sim/steady", tmp_path / "run", engine="ray", ray_address=nobody)
    with pytest.raises(UsageError, match="is not an address"):
        evaluate(bench, "sim/steady", tmp_path / "run", engine="ray", ray_address="cluster")


def test_an_address_needs_the_engine(bench: Path, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="--engine ray"):
        evaluate(bench, "sim/steady", tmp_path / "run", ray_address="127.0.0.1:1")


def test_an_unknown_engine_is_refused(bench: Path, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="asyncio or ray"):
        evaluate(bench, "sim/steady", tmp_path / "run", engine="dask")


def test_the_cache_stays_on_this_machine(bench: Path, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="--cache"):
        evaluate(bench, "sim/steady", tmp_path / "run", engine="ray", cache=open_cache(tmp_path / "cache"))


@pytest.mark.slow
@with_ray
def test_strategies_with_notes_models_of_their_own_and_judges_play_anywhere(tmp_path: Path, two_cores: None) -> None:
    bench = generate(tmp_path / "bench", dialogues=4, turns=6, seed=5, profile="paper").path
    context = "tree?decider=model&summariser=model"

    def answer(body: dict[str, Any]) -> str:  # a summary, but no decision
        return '{"rationale": "So it is.", "score": 8}' if body["model"] == "judge" else "They spoke of it."

    with chat_server(answer) as url:
        own = f"openai/own?base_url={url}"
        settings: dict[str, Any] = {"context": context, "context_model": own, "max_turns": 6, "patience": 9}
        settings["judge"] = f"openai/judge?base_url={url}"
        alone = evaluate(bench, "sim/steady", tmp_path / "alone", **settings)
        spread = evaluate(bench, "sim/steady", tmp_path / "spread", engine="ray", **settings)
    assert content(spread) == content(alone)
    assert noted(spread) == noted(alone)
    assert spread.costs() == alone.costs() and "judge" in {one.role for one in alone.costs()}
    built = [record.built for _, records in spread.transcripts("sim/steady") for record in records]
    assert any(one and one.cost.calls and one.cost.fallbacks for one in built)
    alone.close()
    spread.close()


def noted(run: Run) -> list[object]:
    return [(r.turn, r.notes, r.built, r.context_tokens) for _, rs in run.transcripts("sim/steady") for r in rs]


@pytest.mark.slow
@with_ray
@pytest.mark.parametrize("which", ["raylet", "gcs_server"])
def test_a_dead_cluster_ends_the_run_in_a_sentence_and_loses_nothing(
    tmp_path: Path, two_cores: None, which: str
) -> None:
    """Ray would end this process itself, with exit code 1 and no word."""
    bench = generate(tmp_path / "bench", dialogues=10, turns=8, seed=5, profile="objective")
    seen: list[object] = []

    def watch(event: Event) -> None:
        if isinstance(event, TurnStored):
            seen.append((event.key, event.turn))
            if len(seen) == 10:
                [dead] = (pid for pid in children(os.getpid()) if name_of(pid) == which)
                os.kill(dead, signal.SIGKILL)

    settings: dict[str, Any] = {"max_turns": 8, "patience": 20}
    with fast_server(bench, lambda asked: Served(asked.turn.witness or "", delay=0.3)) as server:
        model = f"openai/m?base_url={server.url}"
        with pytest.raises(
            OutsideError, match=r"has died; what was answered is kept: .*run the same command"
        ) as caught:
            evaluate(bench, model, tmp_path / "run", engine="ray", observe=watch, **settings)
        assert caught.value.exit_code == 3
        run = evaluate(bench, model, tmp_path / "run", **settings)
        asked = server.asked
    assert run.suspended() == 0 and sum(len(one.turns) for one in run.sessions()) == 10 * 8
    assert len(asked) <= 10 * 8 + 10 and run.integrity().edited == ()
    run.close()


@pytest.mark.slow
@with_ray
def test_a_killed_run_finds_what_its_processes_have_stored_and_asks_none_of_it_again(tmp_path: Path) -> None:
    """Nor does the next command need Ray."""
    bench = generate(tmp_path / "bench", dialogues=6, turns=8, seed=5, profile="objective")
    run = tmp_path / "run"
    with fast_server(bench, lambda asked: Served(asked.turn.witness or "", delay=0.3)) as server:
        command = [sys.executable, "-m", "evolif", "evaluate", str(bench.path), "-m", f"openai/m?base_url={server.url}"]
        command += ["--out", str(run), "--max-turns", "8", "--patience", "20", "--max-connections", "4"]
        ray = [*command, "--engine", "ray", "--workers", "2"]
        with subprocess.Popen(ray, stdout=subprocess.PIPE, stderr=subprocess.STDOUT) as spread:
            assert server.wait_for(18, 90)
            spread.kill()
            assert spread.stdout is not None
            spread.stdout.read()  # until its processes have ended, too
        before = len(server.asked)
        assert list((run / "shards").iterdir())
        told = subprocess.run(command, capture_output=True, text=True, timeout=120)
        assert told.returncode == 0, told.stderr
        asked = list(server.asked)
    assert "of a Ray cluster that was stopped are taken over" in told.stderr + told.stdout
    assert 48 <= len(asked) <= 48 + 4 and before < 48  # in flight were as many as there are connections
    with closing(load_run(run)) as played:
        assert [len(one.turns) for one in played.sessions()] == [8] * 6
        assert played.integrity().edited == () and played.integrity().not_sealed == 0
        assert sum(one.calls for one in played.costs()) == 48
    assert not (run / "shards").exists()


def children(parent_id: int) -> list[int]:
    return [int(p.name) for p in Path("/proc").glob("[0-9]*") if parent_of(p) == parent_id]


def parent_of(process: Path) -> int:
    try:
        return int((process / "stat").read_text(encoding="utf-8").rpartition(")")[2].split()[1])
    except OSError:
        return 0


def name_of(process: int) -> str:
    return Path("/proc", str(process), "comm").read_text(encoding="utf-8").strip()


class FakeRay:
    """Starts nothing; its cluster has so many cores."""

    def __init__(self, cores: int) -> None:
        self.cores = cores
        self.started = 0

    def remote(self, *_: object, **__: object) -> Any:
        if _:
            self.started += 1
            return f"process {self.started}"
        return lambda _: self

    def put(self, config: object) -> object:
        return config

    def cluster_resources(self) -> dict[str, float]:
        return {"CPU": float(self.cores)}


def test_a_dead_process_is_replaced_only_where_a_core_is_left_for_it() -> None:
    ray = FakeRay(4)
    pool = WorkerPool(ray, cast(WorkerConfig, None))
    first = pool.take()
    assert pool.replace(first) and ray.started == 5 and not pool.replace(first)
    ray.cores = 2  # a machine with two of them has died
    for _ in range(2):
        assert pool.replace(pool.take())
    assert ray.started == 5
    assert pool.replace(pool.take()) and ray.started == 6
