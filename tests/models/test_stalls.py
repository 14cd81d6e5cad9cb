"""Limits count only the time in which this process could have read an answer."""

from __future__ import annotations

import asyncio
import time

import pytest

from evolif.models.stalls import TimeLimit, awake_time


async def stall(seconds: float) -> None:
    """Stop the loop, as a closed lid does: timers and what has arrived are seen afterwards."""
    await asyncio.sleep(0.05)
    time.sleep(seconds)


def test_a_limit_without_a_stall_is_kept() -> None:
    async def main() -> float:
        began = time.monotonic()
        with pytest.raises(TimeoutError):
            async with TimeLimit(0.2):
                await asyncio.sleep(60)
        return time.monotonic() - began

    assert 0.2 <= asyncio.run(main()) < 2


@pytest.mark.slow
def test_what_arrived_during_a_stall_is_read_although_the_limit_is_over() -> None:
    async def main() -> None:
        loop, steps = asyncio.get_running_loop(), asyncio.Queue[int]()
        stalled = asyncio.create_task(stall(1.0))
        for step in range(5):
            loop.call_later(0.2 + 0.01 * step, steps.put_nowait, step)
        async with TimeLimit(0.3):
            assert [await steps.get() for _ in range(5)] == [0, 1, 2, 3, 4]
        await stalled

    asyncio.run(main())


@pytest.mark.slow
def test_after_a_stall_the_rest_of_the_limit_is_left_and_at_least_time_to_read() -> None:
    async def main() -> float:
        stalled = asyncio.create_task(stall(0.6))
        began = time.monotonic()
        with pytest.raises(TimeoutError):
            async with TimeLimit(0.3):
                await asyncio.sleep(60)
        await stalled
        return time.monotonic() - began

    assert 2.4 < asyncio.run(main()) < 5


def test_a_fault_in_the_block_stays_what_it_is_and_a_second_limit_begins_anew() -> None:
    async def main() -> None:
        for _ in range(3):
            with pytest.raises(ValueError, match="mine"):
                async with TimeLimit(5):
                    raise ValueError("mine")
        call = asyncio.create_task(_endless())
        await asyncio.sleep(0.01)
        call.cancel()
        with pytest.raises(asyncio.CancelledError):
            await call

    asyncio.run(main())


@pytest.mark.slow
def test_a_loop_that_is_busy_without_end_extends_no_limit_without_end() -> None:
    async def busy() -> None:
        while True:
            await stall(0.1)

    async def main() -> float:
        began, work = time.monotonic(), asyncio.create_task(busy())
        with pytest.raises(TimeoutError):
            async with TimeLimit(0.3):
                await asyncio.sleep(60)
        work.cancel()
        return time.monotonic() - began

    assert asyncio.run(main()) < 4


async def _endless() -> None:
    async with TimeLimit(60):
        await asyncio.sleep(60)


@pytest.mark.slow
def test_the_clock_stands_still_during_a_stall() -> None:
    async def main() -> tuple[float, float]:
        async with TimeLimit(60):
            before, real = awake_time(), time.monotonic()
            await stall(1.8)
            await asyncio.sleep(0)
            return awake_time() - before, time.monotonic() - real

    awake, real = asyncio.run(main())
    assert real > 1.8 and awake < 0.6
