"""After a stop what is in flight gets its grace and no more, and while nothing ends there are signs of life."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Callable
from pathlib import Path

import pytest
from scripted import Scripted, number, witness

from evolif.cli import progress as _display
from evolif.cli import progress as _wording_display
from evolif.models import ChatRequest, Reply, managed
from evolif.runner import Event, PlannedCall, Run, SessionEnded, load_run
from evolif.runner import clients as _opened
from evolif.runner import shutdown as shutdown_module
from evolif.runner.events import CallsInFlight, SessionStarted, StillWaiting
from evolif.runner.metering import AllowAll, CallDeniedError, MeteredModel, Wait
from evolif.runner.shutdown import Shutdown
from evolif.types import Usage

Play = Callable[..., Run]
FOREVER = 3600.0


class Slow(Scripted):
    """Follows, but from one turn on takes for ever; a stop is asked for meanwhile."""

    async def complete(self, request: ChatRequest) -> Reply:
        if number(request) == 3:
            asyncio.get_running_loop().call_soon(os.kill, os.getpid(), signal.SIGTERM)
            await asyncio.sleep(FOREVER)
        return await super().complete(request)


@pytest.mark.sampled
@pytest.mark.parametrize(("name", "grace"), [("local/x", "LOCAL_GRACE"), ("fake/model", "GRACE")])
def test_a_call_that_takes_for_ever_is_given_up_after_its_grace(
    play: Play, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, grace: str
) -> None:
    other = {"LOCAL_GRACE": "GRACE", "GRACE": "LOCAL_GRACE"}[grace]
    monkeypatch.setattr(_opened, grace, 0.05)
    monkeypatch.setattr(_opened, other, FOREVER)
    model = Slow(witness, name=name)
    with pytest.raises(KeyboardInterrupt):
        play(model, models=[name])
    assert model.closed == 1
    run = load_run(tmp_path / "run")
    [session] = run.sessions()
    assert (len(session.turns), session.ending) == (2, None) and run.faults() == []
    run.close()
    again = Scripted(witness, name=name)
    run = play(again, models=[name])
    assert again.turns[0] == (1, 3)


def test_a_judge_on_this_machine_is_given_up_and_the_answer_kept(
    play: Play, paper_bench: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Judge(Scripted):
        async def complete(self, request: ChatRequest) -> Reply:
            self.asked.append(request)
            asyncio.get_running_loop().call_soon(os.kill, os.getpid(), signal.SIGINT)
            await asyncio.sleep(FOREVER)
            raise AssertionError

    monkeypatch.setattr(_opened, "LOCAL_GRACE", 0.05)
    models = {"fake/model": Scripted(witness), "local/j": Judge(witness, name="local/j")}
    with pytest.raises(KeyboardInterrupt):
        play(models, benchmark=paper_bench, judge="local/j")
    run = load_run(tmp_path / "run")
    [(_, records)] = run.transcripts("fake/model")
    assert records and not records[-1].is_judged and records[-1].answer
    run.close()


def test_a_call_that_begins_after_the_stop_gets_what_is_left_of_the_grace() -> None:
    async def main() -> None:
        shutdown = Shutdown()
        async with shutdown.within(0.05, "target", "m"):
            pass
        shutdown.request()
        await asyncio.sleep(0.1)
        with pytest.raises(CallDeniedError):
            async with shutdown.within(0.05, "judge", "j"):
                await asyncio.sleep(FOREVER)

    asyncio.run(asyncio.wait_for(main(), 20))


def test_a_timeout_of_the_client_is_not_taken_for_a_stop() -> None:
    async def main() -> None:
        shutdown = Shutdown()
        model = Scripted(lambda _: TimeoutError("the client's"))
        behind = MeteredModel(
            managed(model), "target", AllowAll(), lambda: False, lambda role: shutdown.within(9.0, role, "m")
        )
        with pytest.raises(TimeoutError, match="the client's"):
            await behind.complete(ChatRequest(()))

    asyncio.run(main())


def test_while_nothing_ends_an_observer_hears_what_is_in_flight(play: Play, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutdown_module, "HEARTBEAT", 0.02)
    seen: list[Event] = []

    class Waits(Scripted):
        async def complete(self, request: ChatRequest) -> Reply:
            while not any(isinstance(event, StillWaiting) and event.calls for event in seen):
                await asyncio.sleep(0.01)
            return await super().complete(request)

    play(Waits(witness), observe=seen.append, max_turns=1)
    [one] = next(event.calls for event in seen if isinstance(event, StillWaiting) and event.calls)
    assert (one.role, one.model, one.calls) == ("target", "fake/model", 1) and one.longest >= 0


def test_a_line_says_what_is_awaited_where_none_was_written_for_half_a_minute(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    now = 100.0
    monkeypatch.setattr(_display.time, "monotonic", lambda: now)
    watcher = _display._Plain()
    waiting = StillWaiting((CallsInFlight("target", "local/x", 1, 31.4), CallsInFlight("judge", "openai/y", 2, 5.0)))
    now = 129.0
    watcher(waiting)
    assert capsys.readouterr().err == ""
    now = 130.0
    watcher(waiting)
    assert capsys.readouterr().err == (
        "0 turns so far; waiting for 1 answer from local/x (31 s), 2 verdicts from openai/y (5 s)\n"
    )
    watcher(waiting)
    assert capsys.readouterr().err == ""
    now = 170.0
    watcher(StillWaiting(()))
    assert capsys.readouterr().err == "0 turns so far; 0 sessions running\n"


def test_words_that_take_long_are_awaited_aloud(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_wording_display, "_QUIET", 0.0)
    monkeypatch.setattr(_wording_display, "_LOOK", 0.001)
    with _wording_display.wording("plain", 20):
        told = ""
        while "0 turns worded so far; waiting for the next" not in told:
            told += capsys.readouterr().err


@pytest.mark.sampled
@pytest.mark.parametrize("kind", [SessionStarted, SessionEnded])
def test_an_observer_that_breaks_ends_the_run_and_never_hangs_it(play: Play, tmp_path: Path, kind: type) -> None:
    def broken(event: Event) -> None:
        if isinstance(event, kind):
            raise ValueError("the observer's")

    model = Scripted(witness, connections=3)
    with pytest.raises(ValueError, match="the observer's"):
        play(model, limit=None, observe=broken)
    assert model.closed == 1
    run = play(Scripted(witness), limit=None)
    assert run.suspended() == 0 and all(len(session.turns) == 8 for session in run.sessions())


def test_a_stop_wakes_those_that_wait_for_the_budget(play: Play, monkeypatch: pytest.MonkeyPatch) -> None:
    """Calls that wait until others turn out cheap are no reason to wait for ever."""
    monkeypatch.setattr(_opened, "GRACE", 0.05)

    class Last:
        """Lets one call through; the others wait for its end."""

        def __init__(self) -> None:
            self.over: asyncio.Future[None] | None = None

        def admit(self, call: PlannedCall) -> Wait | None:
            if self.over is None:
                self.over = asyncio.get_running_loop().create_future()
                return None
            return Wait(asyncio.shield(self.over))

        def record(self, call: PlannedCall, usage: Usage | None) -> None:
            assert self.over is not None
            self.over.set_result(None)

    class Stalls(Scripted):
        async def complete(self, request: ChatRequest) -> Reply:
            asyncio.get_running_loop().call_soon(os.kill, os.getpid(), signal.SIGINT)
            await asyncio.sleep(FOREVER)
            raise AssertionError

    with pytest.raises(KeyboardInterrupt):
        play(Stalls(witness, connections=4), limit=None, gate=Last())
