"""Parquet and Arrow files as lines of JSON, unpacked by a child process within limits."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Literal

from evolif.errors import InputError, UsageError
from evolif.exchange import unpack

LONGEST_LINE = 32 << 20
"""Maximum length of a line or row that is read as one, in bytes."""
MOST_BYTES = 8 << 30
"""Maximum unpacked size of a file, as JSON."""
ALWAYS_BYTES = 64 << 20
"""An unpacked size that every file may have, however small it is."""
_RATIO = 200
"""How many times larger than the file it may be beyond that; text is rarely packed to less than a twentieth."""
MEMORY = 4 << 30
"""Address space of the child process, in bytes."""
SECONDS, SECONDS_PER_MB = 20, 20
"""Processor time of the child process: for any file, and for each MB of it."""
_BLOCK = 1 << 17
_PROGRAM = Path(unpack.__file__)


def unpacked_rows(path: Path, kind: Literal["parquet", "arrow"]) -> Iterator[dict[str, Any]]:
    """The rows of a file; errors as for `unpacked`."""
    parts: list[bytes] = []
    length = 0
    for block in unpacked(path, kind):
        first, *rest = block.split(b"\n")
        parts.append(first)
        length += len(first)
        if length > LONGEST_LINE:
            raise InputError(f"a row is longer than {LONGEST_LINE >> 20} MiB; put each turn on a row", path=path)
        if rest:
            yield json.loads(b"".join(parts))
            yield from map(json.loads, rest[:-1])
            parts, length = [rest[-1]], len(rest[-1])


def unpacked(path: Path, kind: Literal["parquet", "arrow"]) -> Iterator[bytes]:
    """The rows of a file as lines of JSON, in blocks of any size.

    Raises:
        UsageError: the library is not installed.
        InputError: the file cannot be read, or holds much more than its size allows to expect.
    """
    size = path.stat().st_size
    most = min(MOST_BYTES, max(ALWAYS_BYTES, _RATIO * size))
    seconds = SECONDS + SECONDS_PER_MB * (size >> 20)
    command = [sys.executable, "-P", str(_PROGRAM), kind, str(path.resolve()), *map(str, (most, MEMORY, seconds))]
    with _child(command) as child:
        assert child.stdout is not None and child.stderr is not None
        left = most
        while block := child.stdout.read(_BLOCK):
            left -= len(block)
            if left < 0:
                raise _too_large(path, most)
            yield block
        reason = child.stderr.read(1000).decode("utf-8", "replace")
        code = child.wait()
    if code == unpack.MISSING:
        raise UsageError("Parquet and datasets need pyarrow; install evolif[datasets]")
    if code in (unpack.TOO_LARGE, -signal.SIGKILL, -signal.SIGABRT, -signal.SIGSEGV):
        raise _too_large(path, most)
    if code == -getattr(signal, "SIGXCPU", 0):
        raise InputError(f"it takes more than {seconds} s to unpack; split it", path=path)
    if code:
        raise InputError(f"cannot be read ({reason or 'no reason'}); download or export it again", path=path)


def _too_large(path: Path, most: int) -> InputError:
    return InputError(f"it unpacks to more than {most >> 20} MB, or needs more memory than that; split it", path=path)


@contextmanager
def _child(command: list[str]) -> Iterator[subprocess.Popen[bytes]]:
    """A process that ends with the block."""
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=pipe, stderr=pipe) as child:
        try:
            yield child
        finally:
            child.kill()
