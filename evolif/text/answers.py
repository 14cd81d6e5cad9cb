"""What every reader of answers keeps to: by which edition and how much of one is read, and that nobody waits for it."""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING, Final, TypeVar

if TYPE_CHECKING:
    from concurrent.futures import ThreadPoolExecutor

FIRST_RULES: Final = 1
"""The edition of the reading rules that runs without another one were played with."""
READING_RULES_VERSION: Final = 2
"""Of the latest rules. Every run stores the edition that its answers are read by; a change of any rule is a new one."""
EDITIONS: Final = (FIRST_RULES, READING_RULES_VERSION)
"""All that this version can read by."""
MAX_BODY_BYTES: Final = 64 * 1024
"""The longest answer that is read, in bytes of UTF-8; the rules of a longer one are not looked at."""
AT_ONCE: Final = 2048
"""Characters of an answer that is read at once. A hostile one of this length takes less than 50 ms."""
BARS: Final = 32
"""Signs `|` of an answer that is read at once: each row of a table is filled up to the width of the first."""

Found = TypeVar("Found")


def known_editions() -> str:
    """The editions in words: “1 and 2”."""
    return " and ".join(map(str, EDITIONS))


def is_too_long(answer: str, most: int = MAX_BODY_BYTES) -> bool:
    """Whether an answer is longer than what is read of one."""
    return len(answer) * 4 > most and (len(answer) > most or len(answer.encode("utf-8", "replace")) > most)


def readable(answer: str) -> str:
    """An answer as rules read it: as it is, or nothing if it is too long."""
    return "" if is_too_long(answer) else answer


async def read_apart(answer: str, read: Callable[[], Found]) -> Found:
    """What reading an answer finds. A long one is read in a thread, so that other sessions and signals do not wait.

    All are read in the same thread, one after the other: several would only take the processor from each other, and
    from the loop that answers endpoints.

    Args:
        answer: What is read; its length decides, and how wide a table in it can be.
        read: Reads it. It must not call anything that belongs to the event loop, and raises what it raises.
    """
    if len(answer) <= AT_ONCE and answer.count("|") <= BARS:
        return read()
    from asyncio import get_running_loop
    from contextvars import copy_context

    try:
        loop = get_running_loop()
    except RuntimeError:  # nothing waits
        return read()
    return await loop.run_in_executor(_reader(os.getpid()), copy_context().run, read)


@cache
def _reader(process: int) -> ThreadPoolExecutor:
    """The thread of a process: a fork has the executor of its parent, but not its thread, and would wait forever."""
    from concurrent.futures import ThreadPoolExecutor

    return ThreadPoolExecutor(1, "evolif-reader")
