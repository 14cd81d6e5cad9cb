"""How much of an answer is read, and that reading a long one holds nobody up."""

from __future__ import annotations

import asyncio
import os
import signal
import threading
import time
from collections.abc import Callable
from typing import Any

import pytest

import evolif.scenarios.instructions.constraints
from evolif.scenarios.broadcast.replies import ReadReply
from evolif.scenarios.instructions.turns import Constraint
from evolif.scenarios.instructions.verdicts import judge_turn
from evolif.scenarios.shifts.reading import read_object
from evolif.text import MAX_BODY_BYTES, Reading, read_apart, readable
from evolif.text.answers import AT_ONCE, is_too_long

NAMES = {"sport": "basketball", "teams": ["A Herons", "B Owls"], "roster": {}}


@pytest.mark.parametrize(("char", "size"), [("a", 1), ("é", 2), ("漢", 3), ("😀", 4), ("\ud800", 1)])
def test_the_cap_is_one_of_bytes(char: str, size: int) -> None:
    fits = char * (MAX_BODY_BYTES // size)
    assert not is_too_long(fits) and is_too_long(fits + "aaa" * size)
    assert readable(fits) is fits and readable(fits + "aaaa") == ""


@pytest.mark.parametrize("over", [0, 1])
def test_every_reader_keeps_to_the_cap(over: int) -> None:
    answer = '{"a": "' + "x" * (MAX_BODY_BYTES - 9 + over) + '"}'
    assert len(answer) == MAX_BODY_BYTES + over
    assert bool(Reading(answer, "json").unreadable) is bool(over)
    assert (read_object(answer) is None) is bool(over)
    assert (ReadReply({"names": NAMES}, answer).reply == "") is bool(over)


def held(read: Callable[[], Any], length: int) -> tuple[float, Any]:
    """The longest time in which the loop did nothing else, in seconds, and what was found."""

    async def main() -> tuple[float, Any]:
        longest, over = 0.0, False

        async def tick() -> None:
            nonlocal longest
            while not over:
                before = time.perf_counter()
                await asyncio.sleep(0.001)
                longest = max(longest, time.perf_counter() - before)

        ticking = asyncio.create_task(tick())
        await asyncio.sleep(0.01)
        found = await read_apart("a" * length, read)
        over = True
        await ticking
        return longest, found

    return asyncio.run(main())


def busy(seconds: float) -> str:
    end = time.perf_counter() + seconds
    while time.perf_counter() < end:
        sum(range(100))
    return threading.current_thread().name


@pytest.mark.slow
def test_a_long_answer_is_read_in_a_thread_while_the_loop_goes_on() -> None:
    longest, thread = held(lambda: busy(0.6), AT_ONCE + 1)
    assert thread != threading.main_thread().name and longest < 0.3
    longest, thread = held(lambda: busy(0.6), AT_ONCE)
    assert thread == threading.main_thread().name and longest > 0.5


def test_what_reading_raises_is_raised() -> None:
    def fail() -> None:
        raise KeyError("x")

    for length in (1, AT_ONCE + 1):
        with pytest.raises(KeyError):
            asyncio.run(read_apart("a" * length, fail))


def test_answers_are_read_one_after_the_other() -> None:
    running, most = 0, 0

    def read() -> None:
        nonlocal running, most
        running += 1
        most = max(most, running)
        time.sleep(0.005)
        running -= 1

    async def main() -> None:
        await asyncio.gather(*(read_apart("a" * (AT_ONCE + 1), read) for _ in range(8)))

    asyncio.run(main())
    assert most == 1


@pytest.mark.parametrize("length", [20, AT_ONCE + 1, MAX_BODY_BYTES + 1])
def test_verdicts_are_the_same_wherever_an_answer_is_read(length: int, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = [Constraint("length", {"unit": "words", "relation": "less_than", "count": 3})]
    threads: list[str] = []
    check = evolif.scenarios.instructions.constraints.check_reading

    def watched(*arguments: Any) -> Any:
        threads.append(threading.current_thread().name)
        return check(*arguments)

    monkeypatch.setattr("evolif.scenarios.instructions.verdicts.check_reading", watched)
    judged = asyncio.run(judge_turn(asked, "a" * length, None))
    assert [v.satisfied for v in judged.verdicts] == [length <= MAX_BODY_BYTES]
    assert (threads == [threading.main_thread().name]) is (length <= AT_ONCE)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")
def test_a_forked_process_reads_in_a_thread_of_its_own() -> None:
    assert asyncio.run(read_apart("x" * (AT_ONCE + 1), lambda: 1)) == 1  # the parent has its thread now
    child = os.fork()
    if not child:
        signal.alarm(10)  # without a thread of its own it would wait forever
        os._exit(asyncio.run(read_apart("x" * (AT_ONCE + 1), lambda: 7)))
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7
