"""The rules of docs/design/adaptive-limit.md."""

from __future__ import annotations

import asyncio

import pytest

from evolif.errors import AccessError, ContextOverflowError, ModelError, WithheldError
from evolif.models import ManagedModel, Reply, managed
from evolif.models.managed import CallSlot, ConnectionLimit

from .scripted import HELLO, Scripted

BUSY = ModelError("429", retryable=True, pushed_back=True)
BROKEN = ModelError("500", retryable=True)


async def full(limit: ConnectionLimit) -> list[CallSlot]:
    """Take every place there is."""
    return [await limit.take() for _ in range(limit.slots - limit.in_flight)]


async def round_of(limit: ConnectionLimit, *faults: Exception | None) -> None:
    """All that are under way are told of; whoever waits takes what is new. Those without a fault are answered."""
    places = await full(limit)
    later: list[CallSlot] = []
    for number, place in enumerate(places):
        place.report(faults[number] if number < len(faults) else None)
        later += await full(limit)
    for place in [*places, *later]:
        place.leave()


def run(limit: ConnectionLimit, *rounds: list[Exception | None]) -> list[int]:
    """Places after each round."""

    async def main() -> list[int]:
        seen = []
        for faults in rounds:
            await round_of(limit, *faults)
            seen.append(limit.slots)
        return seen

    return asyncio.run(main())


def test_slow_start_doubles_once_per_round_up_to_the_ceiling() -> None:
    assert run(ConnectionLimit(200, 16), *[[]] * 5) == [32, 64, 128, 200, 200]


def test_growth_needs_use() -> None:
    async def main() -> int:
        limit = ConnectionLimit(200, 16)
        for _ in range(50):
            place = await limit.take()
            place.report(None)
            place.leave()
        return limit.slots

    assert asyncio.run(main()) == 16


def test_a_burst_of_refusals_is_one_piece_of_news() -> None:
    limit = ConnectionLimit(200, 16)
    assert run(limit, [BUSY] * 16) == [8]
    assert limit.cuts == 1


def test_cuts_are_gentle_once_slow_start_is_over_and_growth_is_steady() -> None:
    limit = ConnectionLimit(200, 100)
    # Half of 199, where slow start had come to; then a twentieth of that per round.
    assert run(limit, [*[None] * 99, BUSY], *[[]] * 4) == [99, 104, 109, 114, 118]
    assert run(limit, [BUSY])[0] == 94  # four fifths


def test_it_never_falls_below_one() -> None:
    assert run(ConnectionLimit(200, 16), *[[BUSY]] * 12)[-1] == 1


def test_after_a_storm_it_goes_back_to_what_was_good_quickly() -> None:
    limit = ConnectionLimit(200, 64)
    storm = [BUSY] * 200
    *_, low = run(limit, [*[None] * 63, BUSY], *[storm] * 8)
    assert low == 1
    # Doubled up to where slow start had proven good, half of 127, and not counted up one by one.
    assert run(limit, *[[]] * 8) == [2, 4, 8, 16, 32, 64, 67, 70]


def test_a_level_that_never_was_good_is_tried_again() -> None:
    assert run(ConnectionLimit(200, 16), [BUSY], *[[]] * 4) == [8, 16, 32, 64, 128]


@pytest.mark.parametrize("fault", [BROKEN, AccessError("401"), ModelError("400")])
def test_what_is_no_congestion_changes_nothing(fault: Exception) -> None:
    limit = ConnectionLimit(200, 16)
    assert run(limit, [fault] * 16) == [16] and limit.cuts == 0


@pytest.mark.parametrize("fault", [WithheldError("no"), ContextOverflowError("long")])
def test_a_refusal_to_say_something_is_an_answer(fault: Exception) -> None:
    assert run(ConnectionLimit(200, 16), [fault] * 16)[0] > 16


def test_a_fixed_limit_stays() -> None:
    assert run(ConnectionLimit(7), [BUSY] * 7, [], []) == [7, 7, 7]


def test_news_of_before_the_cut_is_no_news() -> None:
    async def main() -> tuple[int, int]:
        limit = ConnectionLimit(200, 16)
        places = await full(limit)
        places[0].report(BUSY)
        cut = limit.slots
        for place in places[1:8]:
            place.report(None)
        for place in places[8:]:
            place.report(BUSY)
        return cut, limit.slots

    assert asyncio.run(main()) == (8, 8)


@pytest.mark.parametrize("first", [None, 2])
def test_nobody_begins_before_retry_after_is_over(first: int | None) -> None:
    async def main() -> None:
        limit, order = ConnectionLimit(2, first), list[str]()
        asked, waiting = await limit.take(), asyncio.create_task(limit.take())
        await waiting
        late = [asyncio.create_task(_note(limit, order)) for _ in range(3)]
        await asyncio.sleep(0)
        asked.report(ModelError("429", retryable=True, pushed_back=True, retry_after=0.05))
        asked.leave()
        waiting.result().leave()
        late.append(asyncio.create_task(_note(limit, order)))
        for _ in range(20):
            await asyncio.sleep(0)
        assert order == [] and limit.in_flight == 0
        await asyncio.gather(*late)
        assert order == ["taken"] * 4 and limit.in_flight == 0

    asyncio.run(main())


async def _note(limit: ConnectionLimit, order: list[str]) -> None:
    place = await limit.take()
    order.append("taken")
    place.leave()


def test_places_are_given_in_the_order_of_asking_and_cancelled_waits_are_skipped() -> None:
    async def main() -> None:
        limit, order = ConnectionLimit(1), list[int]()

        async def work(number: int) -> None:
            place = await limit.take()
            order.append(number)
            await asyncio.sleep(0)
            place.leave()

        tasks = [asyncio.create_task(work(n)) for n in range(6)]
        await asyncio.sleep(0)
        tasks[2].cancel()
        tasks[4].cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        assert order == [0, 1, 3, 5] and limit.in_flight == 0

    asyncio.run(main())


def test_a_place_that_comes_with_the_cancellation_goes_to_the_next() -> None:
    async def main() -> None:
        limit = ConnectionLimit(1)
        first = await limit.take()
        second, third = (asyncio.create_task(limit.take()) for _ in range(2))
        await asyncio.sleep(0)
        first.leave()  # the place is the second's now
        second.cancel()
        (await third).leave()
        assert second.cancelled() and limit.in_flight == 0

    asyncio.run(main())


class Endpoint(Scripted):
    """Stands so many requests at once and refuses what is more."""

    def __init__(self, capacity: int) -> None:
        super().__init__(most_connections=200)
        self.connections = 16
        self.capacity = capacity
        self.refused = 0

    def end(self) -> Reply | Exception:
        if self.under_way <= self.capacity:
            return Reply("ok")
        self.refused += 1
        return BUSY


@pytest.mark.sampled
@pytest.mark.parametrize("capacity", [5, 40, 150, 1000])
def test_it_finds_what_an_endpoint_stands(capacity: int) -> None:
    async def main() -> None:
        endpoint = Endpoint(capacity)
        model = managed(endpoint)
        await drive(model, 2500)
        endpoint.calls = endpoint.refused = 0
        seen = await drive(model, 2500)
        average = sum(seen) / len(seen)
        assert min(200, capacity) * 0.7 <= average <= min(200, capacity) * 1.3
        assert endpoint.refused <= 0.1 * endpoint.calls
        endpoint.capacity = 1000
        await drive(model, 6000)
        assert model.limit.slots > 1.2 * capacity or model.limit.slots == 200

    asyncio.run(main())


async def drive(model: ManagedModel, calls: int) -> list[int]:
    """So many calls by as many workers as are worth it; the places after each."""
    left, seen = iter(range(calls)), list[int]()

    async def work() -> None:
        for _ in left:
            try:
                await model.complete(HELLO)
            except ModelError as fault:
                assert fault is BUSY
            seen.append(model.limit.slots)

    await asyncio.gather(*(work() for _ in range(model.connections)))
    return seen
