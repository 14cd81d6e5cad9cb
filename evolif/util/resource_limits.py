"""What a process or its machine has run out of, in a sentence that says what helps."""

from __future__ import annotations

import errno
import os
import sqlite3
from collections.abc import Iterator
from contextlib import suppress

from evolif.errors import ExhaustedError

_MOST_LINKS = 50
_SPARE = 12
"""Files that an event loop, a store and its locks need together."""
_BESIDE = 100
"""Files that a run has open beside its connections, at most: the store, caches, a benchmark, those of libraries."""
_MEMORY = "no memory is left; close other programs, or raise the memory limit"
_DESCRIPTORS = "too many files and connections are open; raise the limit (ulimit -n 4096), or lower --max-connections"
_THREADS = "no further thread or process can be started; raise the limit (ulimit -u), or close other programs"
_BY_NUMBER = {errno.EMFILE: _DESCRIPTORS, errno.ENFILE: _DESCRIPTORS, errno.ENOMEM: _MEMORY}


def exhausted(fault: BaseException) -> ExhaustedError | None:
    """The error that says so, if something has run out behind a fault; None if it has another reason."""
    sentence = next(filter(None, map(_sentence, _links(fault))), "")
    return ExhaustedError(sentence) if sentence else None


def _sentence(fault: BaseException) -> str:
    if isinstance(fault, ExhaustedError):
        return str(fault)
    if isinstance(fault, MemoryError):
        return _MEMORY
    if isinstance(fault, OSError):
        return _BY_NUMBER.get(fault.errno or 0, "")
    if isinstance(fault, RuntimeError):
        return _THREADS if "can't start new thread" in str(fault) else ""
    # SQLite does not say why it cannot open a file.
    if isinstance(fault, sqlite3.OperationalError) and "unable to open" in str(fault) and not _can_open(_SPARE):
        return _DESCRIPTORS
    return ""


def require_descriptors() -> None:
    """Check that a few more files can be opened, before something starts that half started cannot say so.

    Raises:
        ExhaustedError: there are not.
    """
    if not _can_open(_SPARE):
        raise ExhaustedError(_DESCRIPTORS)


def connections_that_fit(wanted: int) -> int:
    """Make room for so many connections; returns how many of them there can be, at least one."""
    return max(1, min(wanted, open_files(wanted + _BESIDE) - _BESIDE))


def open_files(wanted: int) -> int:
    """Let this process open so many files, sockets included, as far as the system allows; returns how many it may."""
    try:
        import resource
    except ImportError:  # Windows, where sockets are no files
        return wanted
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    infinite = resource.RLIM_INFINITY
    if soft == infinite or soft >= wanted:
        return wanted
    more = wanted if hard == infinite else min(wanted, hard)
    with suppress(OSError, ValueError):  # macOS has a second limit, below that of the process
        resource.setrlimit(resource.RLIMIT_NOFILE, (more, hard))
        return more
    return soft


def _can_open(files: int) -> bool:
    opened: list[int] = []
    try:
        opened += (os.open(os.devnull, os.O_RDONLY) for _ in range(files))
    except OSError as fault:
        return fault.errno not in (errno.EMFILE, errno.ENFILE)
    finally:
        for one in opened:
            os.close(one)
    return True


def _links(fault: BaseException) -> Iterator[BaseException]:
    """The fault, those behind it, and those in groups."""
    left = [fault]
    for _ in range(_MOST_LINKS):
        if not left:
            return
        one = left.pop()
        yield one
        left += [link for link in (one.__context__, one.__cause__) if link is not None]
        left += one.exceptions if isinstance(one, BaseExceptionGroup) else ()
