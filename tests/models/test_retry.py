from __future__ import annotations

import asyncio
import inspect
import random
from datetime import UTC, datetime

import pytest

from evolif.config import EvalConfig
from evolif.errors import AccessError, ContextOverflowError, ModelError, WithheldError
from evolif.models import DEFAULT_RETRIES, ChatRequest, ManagedModel, ModelOptions, Reply, managed, open_model
from evolif.models.faults import duration, retry_after
from evolif.models.waits import RetryPolicy
from evolif.runner.metering import AllowAll, MeteredModel
from evolif.runner.rejudge import rejudge

from .scripted import HELLO, Scripted

BUSY = ModelError("429", retryable=True, pushed_back=True)
BROKEN = ModelError("500", retryable=True)
NEVER = [ModelError("400"), AccessError("401"), ContextOverflowError("long"), WithheldError("filtered")]


def policy(most: int = 2) -> RetryPolicy:
    return RetryPolicy(most, first=0.0)


def retrying(model: Scripted, retries: RetryPolicy, connections: int | None = None) -> ManagedModel:
    return ManagedModel(model, managed(model, connections).limit, retries)


@pytest.mark.parametrize("failures", range(4))
def test_a_call_is_made_at_most_so_often(failures: int) -> None:
    inner = Scripted(*[BROKEN] * failures, Reply("at last"))
    model = retrying(inner, policy(3))
    assert asyncio.run(model.complete(HELLO)) == Reply("at last") and inner.calls == failures + 1


def test_the_last_fault_is_the_calls() -> None:
    last = ModelError("the last", retryable=True)
    inner = Scripted(BROKEN, BROKEN, last)
    with pytest.raises(ModelError, match="the last") as caught:
        asyncio.run(retrying(inner, policy()).complete(HELLO))
    assert caught.value is last and caught.value.__context__ is None and inner.calls == 3


@pytest.mark.parametrize("fault", NEVER)
def test_what_cannot_pass_is_asked_once(fault: ModelError) -> None:
    inner = Scripted(fault)
    with pytest.raises(type(fault)):
        asyncio.run(retrying(inner, policy()).complete(HELLO))
    assert inner.calls == 1


def test_bugs_are_not_repeated() -> None:
    inner = Scripted(RuntimeError("a bug"))
    model = retrying(inner, policy())
    with pytest.raises(RuntimeError):
        asyncio.run(model.complete(HELLO))
    assert inner.calls == 1 and model.limit.cuts == 0 and model.limit.in_flight == 0


def test_waits_double_are_spread_over_all_of_the_backoff_and_end_at_the_longest() -> None:
    waits = RetryPolicy(100, first=1.0, longest=60.0, jitter=random.Random(7))
    for repeats, backoff in enumerate([1, 2, 4, 8, 16, 32, 60, 60]):
        drawn = [waits.wait(BROKEN, repeats) for _ in range(500)]
        assert all(w is not None and 0 <= w <= backoff for w in drawn)
        low, high = min(w for w in drawn if w is not None), max(w for w in drawn if w is not None)
        assert low < 0.05 * backoff and high > 0.95 * backoff


def test_no_two_processes_wait_alike_and_the_global_generator_is_left_alone() -> None:
    state = random.getstate()
    first, second = ([RetryPolicy(9).wait(BROKEN, 5) for _ in range(4)] for _ in range(2))
    assert first != second and random.getstate() == state


def test_retry_after_is_waited_in_full_and_then_spread() -> None:
    slow = ModelError("429", retryable=True, retry_after=20.0)
    drawn = [RetryPolicy(jitter=random.Random(n)).wait(slow, 0) for n in range(50)]
    assert all(w is not None and 20 <= w <= 21 for w in drawn) and len(set(drawn)) == 50


def test_who_asks_to_come_back_in_an_hour_is_given_up_for_now() -> None:
    assert RetryPolicy().wait(ModelError("429", retryable=True, retry_after=3600.0), 0) is None


def test_a_call_that_stalls_is_given_up_after_ten_minutes_of_attempts_and_waits() -> None:
    waits = RetryPolicy(5)
    assert waits.wait(BUSY, 4, taken=599.0) is not None
    assert waits.wait(BUSY, 1, taken=600.0) is None
    assert RetryPolicy(5, within=1200.0).wait(BUSY, 0, taken=601.0) is not None


def test_attempts_and_waits_count_towards_the_end_of_repeats() -> None:
    class Slow(Scripted):
        async def complete(self, request: ChatRequest) -> Reply:
            await asyncio.sleep(0.02)
            return await super().complete(request)

    inner = Slow(*[BROKEN] * 9)
    with pytest.raises(ModelError):
        asyncio.run(retrying(inner, RetryPolicy(9, first=0.0, within=0.05)).complete(HELLO))
    assert 1 < inner.calls <= 3


def test_five_repeats_are_the_default_everywhere() -> None:
    assert DEFAULT_RETRIES == RetryPolicy().most == ModelOptions().max_retries == EvalConfig().max_retries == 5
    for call in (open_model, rejudge):
        assert inspect.signature(call).parameters["max_retries"].default == DEFAULT_RETRIES


@pytest.mark.parametrize("metered", [False, True])
def test_a_call_that_waits_lends_its_slot(metered: bool) -> None:
    """One slot, two calls: the second is made while the first waits, and each attempt moves the limit."""

    async def main() -> None:
        inner = Scripted(BUSY, Reply("second"), Reply("first"))
        model = retrying(inner, policy(1), 1)
        called = MeteredModel(model, "target", AllowAll(), lambda: False) if metered else model
        first, second = await asyncio.gather(called.complete(HELLO), called.complete(HELLO))
        assert (first.text, second.text) == ("first", "second")
        assert inner.peak == 1 and model.limit.in_flight == 0

    asyncio.run(main())


def test_every_attempt_moves_the_limit_of_a_metered_model() -> None:
    async def main() -> None:
        inner = Scripted(*[BUSY] * 3, most_connections=50)
        model = retrying(inner, policy(3))
        metered = MeteredModel(model, "target", AllowAll(), lambda: False)
        assert (model.connections, model.limit.slots, model.name) == (50, 4, "test/scripted")
        await metered.complete(HELLO)
        assert model.limit.cuts == 3 and model.limit.in_flight == 0

    asyncio.run(main())


def test_a_cancelled_wait_leaves_no_place_taken() -> None:
    async def main() -> None:
        inner = Scripted(*[ModelError("429", retryable=True, pushed_back=True, retry_after=60.0)] * 2)
        model = retrying(inner, policy(), 2)
        call = asyncio.create_task(model.complete(HELLO))
        while inner.calls == 0 or model.limit.in_flight:
            await asyncio.sleep(0)
        call.cancel()
        with pytest.raises(asyncio.CancelledError):
            await call
        assert model.limit.in_flight == 0

    asyncio.run(main())


def test_a_hit_of_a_cache_is_no_news() -> None:
    async def main() -> tuple[int, int]:
        hit, miss = (managed(Scripted(*[Reply("x", cached=c)] * 40, most_connections=50)) for c in (True, False))
        for model in (hit, miss):
            await asyncio.gather(*(model.complete(HELLO) for _ in range(40)))
        return hit.limit.slots, miss.limit.slots

    hit, miss = asyncio.run(main())
    assert hit == 4 < miss


def test_a_model_on_this_machine_keeps_its_number_and_a_given_one_is_kept() -> None:
    local, remote = Scripted(), Scripted(most_connections=200)
    assert (managed(local).limit.slots, managed(local).connections) == (4, 4)
    assert (managed(remote).limit.slots, managed(remote).connections) == (4, 200)
    assert managed(remote, 50).limit.slots == managed(remote, 50).connections == 50


NOW = datetime(2026, 1, 1, 12, 0, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({}, None),
        ({"retry-after": "7"}, 7.0),
        ({"retry-after": " 1.5 "}, 1.5),
        ({"retry-after": "-3"}, 0.0),
        ({"retry-after-ms": "250", "retry-after": "7"}, 0.25),
        ({"retry-after-ms": "soon", "retry-after": "7"}, 7.0),
        ({"retry-after": "Thu, 01 Jan 2026 12:00:30 GMT"}, 30.0),
        ({"retry-after": "Thu, 01 Jan 2026 11:00:00 GMT"}, 0.0),
        ({"retry-after": "Thu, 01 Jan 2026 13:00:30 +0100"}, 30.0),
        ({"retry-after": "Thu, 01 Jan 2026 12:00:30"}, 30.0),
        ({"retry-after": "tomorrow"}, None),
        ({"retry-after": "nan"}, None),
        ({"retry-after": "inf"}, None),
        ({"retry-after": "9" * 400}, None),
        ({"retry-after": "Thu, 99 Jan 99999999999999 12:00:30 GMT"}, None),
        ({"retry-after": ""}, None),
    ],
)
def test_retry_after_is_read(headers: dict[str, str], seconds: float | None) -> None:
    assert retry_after(headers, NOW) == seconds


@pytest.mark.parametrize(
    ("text", "seconds"),
    [("12.5s", 12.5), ("0s", 0.0), ("12", None), ("-1s", None), ("1e9s", None), (12, None), (None, None)],
)
def test_durations_are_read(text: object, seconds: float | None) -> None:
    assert duration(text) == seconds
