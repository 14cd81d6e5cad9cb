"""Who waits for whom: one long `Retry-After` stops one call, many in a row stop the model."""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass, field

import pytest

from evolif.errors import ModelError, WaitError
from evolif.models import ChatRequest, ManagedModel, Reply, Waiting
from evolif.models.managed import ConnectionLimit
from evolif.models.waits import RetryPolicy

from .scripted import HELLO

PAUSE = 0.05


def told_to_wait(seconds: float | None) -> ModelError:
    return ModelError("429", retryable=True, pushed_back=True, retry_after=seconds)


@dataclass
class Endpoint:
    """Refuses the calls of these numbers, counted from 0, after a while; answers the others."""

    refused: range = range(0)
    wait: float | None = 300.0
    latency: float = 0.001
    name: str = "test/endpoint"
    connections: int = 20
    began: list[float] = field(default_factory=list)

    async def complete(self, request: ChatRequest) -> Reply:
        number = len(self.began)
        self.began.append(time.monotonic())
        await asyncio.sleep(self.latency)
        if number in self.refused:
            raise told_to_wait(self.wait)
        return Reply("ok")

    async def aclose(self) -> None: ...


def guarded(endpoint: Endpoint, *, accepted: float = 120.0, slots: int = 20, pause: float = PAUSE) -> ManagedModel:
    policy = RetryPolicy(first=0.0, accepted=accepted, pause=pause)
    return ManagedModel(endpoint, ConnectionLimit(slots), policy)


async def ask(model: ManagedModel, calls: int) -> list[Reply | BaseException]:
    return await asyncio.gather(*(model.complete(HELLO) for _ in range(calls)), return_exceptions=True)


def run(model: ManagedModel, calls: int, seconds: float) -> list[Reply | BaseException]:
    """What becomes of calls that are made at once; they may take so many seconds."""
    began = time.monotonic()
    ends = asyncio.run(ask(model, calls))
    assert time.monotonic() - began < seconds and model.limit.in_flight == 0
    return ends


def test_one_wait_of_five_minutes_among_a_thousand_calls_costs_one_call() -> None:
    endpoint = Endpoint(range(500, 501))
    ends = run(guarded(endpoint), 1000, seconds=5)
    faults = [end for end in ends if isinstance(end, WaitError)]
    assert len(faults) == 1 and not faults[0].everyone and len(endpoint.began) == 1000
    assert sum(isinstance(end, Reply) for end in ends) == 999


@pytest.mark.slow
def test_one_accepted_wait_stops_no_other_call_for_long() -> None:
    endpoint = Endpoint(range(50, 51), wait=0.6)
    ends = run(guarded(endpoint, pause=0.1), 200, seconds=5)
    assert all(isinstance(end, Reply) for end in ends)
    gaps = [b - a for a, b in zip(endpoint.began, endpoint.began[1:], strict=False)]
    assert max(gaps[:-1]) < 0.3  # only the call itself waits for all of it
    assert endpoint.began[-1] - endpoint.began[50] >= 0.6


def test_where_all_calls_are_told_so_they_are_given_up_after_a_few() -> None:
    endpoint = Endpoint(range(10_000))
    ends = run(guarded(endpoint), 1000, seconds=5)
    assert all(isinstance(end, WaitError) for end in ends)
    assert len(endpoint.began) <= 20 + 4  # those in flight at first, and those that tried
    assert sum(end.everyone for end in ends if isinstance(end, WaitError)) >= 976
    assert "more than 120 s are not accepted" in str(ends[-1])


@pytest.mark.slow
def test_where_all_calls_are_told_so_an_accepted_wait_is_sat_out_by_all() -> None:
    endpoint = Endpoint(range(23), wait=0.6)
    ends = run(guarded(endpoint, accepted=1.0), 100, seconds=5)
    assert all(isinstance(end, Reply) for end in ends)
    assert len(endpoint.began) == 123
    assert endpoint.began[23] - endpoint.began[22] > 0.5  # the fourth in a row proves it


def test_short_waits_are_respected_by_all() -> None:
    endpoint = Endpoint(range(1), wait=0.2)
    run(guarded(endpoint, slots=1, pause=1.0), 5, seconds=3)
    assert endpoint.began[1] - endpoint.began[0] >= 0.2


@pytest.mark.slow
def test_one_busy_machine_of_twenty_slows_the_others_down_only_at_first() -> None:
    endpoint = Endpoint(range(7, 2000, 20))
    ends = run(guarded(endpoint, pause=0.2), 2000, seconds=5)
    faults = [end for end in ends if isinstance(end, WaitError)]
    assert len(faults) == 100 and not any(fault.everyone for fault in faults)


def test_a_model_whose_other_machines_fail_later_is_given_up_all_the_same() -> None:
    endpoint = Endpoint(range(7, 10_000, 20))

    async def main() -> list[Reply | BaseException]:
        model = guarded(endpoint, pause=0.2)
        await ask(model, 500)
        endpoint.refused = range(10_000)
        return await ask(model, 500)

    ends = asyncio.run(main())
    assert all(isinstance(end, WaitError) for end in ends) and len(endpoint.began) <= 500 + 5 * 20


@pytest.mark.slow
def test_after_the_wait_all_may_begin_again() -> None:
    async def main() -> list[int]:
        endpoint = Endpoint(range(23), wait=0.4)
        model = guarded(endpoint, accepted=0.1)
        first = await ask(model, 100)
        await asyncio.sleep(0.4)
        second = await ask(model, 100)
        return [sum(isinstance(end, Reply) for end in ends) for ends in (first, second)]

    assert asyncio.run(main()) == [0, 100]


@pytest.mark.slow
def test_who_waits_and_until_when_is_known() -> None:
    async def main() -> tuple[Waiting, ...]:
        model = guarded(Endpoint(range(10_000), wait=60.0))
        calls = asyncio.create_task(ask(model, 100))
        await asyncio.sleep(10 * PAUSE)
        found = model.limit.waiting()
        calls.cancel()
        await asyncio.gather(calls, return_exceptions=True)
        assert model.limit.in_flight == 0 and not model.limit.waiting()
        return found

    held, aside = asyncio.run(main())
    assert held.calls + aside.calls == 100 and "refuses all calls" in held.reason and aside.calls <= 24
    assert 55 < held.seconds <= 60 and 55 < aside.seconds <= 61


@pytest.mark.parametrize("wait", [None, 0.01, 300.0])
def test_a_refused_call_that_is_cancelled_leaves_nothing_behind(wait: float | None) -> None:
    async def main() -> None:
        model = guarded(Endpoint(range(10_000), wait=wait))
        calls = [asyncio.create_task(model.complete(HELLO)) for _ in range(50)]
        for call in calls:
            await asyncio.sleep(0)
            call.cancel()
        await asyncio.gather(*calls, return_exceptions=True)
        assert model.limit.in_flight == 0 and not model.limit.waiting()

    asyncio.run(main())
