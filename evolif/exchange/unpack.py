"""The program of a child process that unpacks a Parquet or Arrow file, so that its limits are those of a process.

A file of a few kilobytes may hold terabytes: a text that a million rows share, a page of nothing but spaces. The size
that a file gives for itself may be a lie, and the library has no limit of its own. This process has one for its memory
and one for its processor time; whoever started it counts what it writes.

It writes a line of JSON per row. It is run as a file, without the package, which would take longer to import.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

TOO_LARGE = 3
"""Exit code: it declares more than was allowed, or needs more memory."""
UNREADABLE = 4
"""Exit code: the library cannot read it; the reason is on standard error."""
MISSING = 5
"""Exit code: the library is not installed."""

_ROWS = 500
"""Unpacked at a time; fewer where they declare to be large."""
_BATCH_BYTES = 64 << 20


def main(kind: str, path: str, most_bytes: int, memory: int, seconds: int) -> int:
    """Unpack a file to standard output; returns the exit code.

    Args:
        kind: `parquet` or `arrow`.
        path: The file.
        most_bytes: The largest size that it may declare.
        memory: Bytes that this process may take.
        seconds: Processor time that it may take.
    """
    os.environ["ARROW_DEFAULT_MEMORY_POOL"] = "system"  # the others reserve much more than they use
    told = os.dup(2)
    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)  # nobody reads what libraries say
    try:
        import pyarrow
    except ImportError:
        return MISSING
    _limit(memory, seconds)
    pyarrow.set_cpu_count(1)
    pyarrow.set_io_thread_count(1)
    out = sys.stdout.buffer
    try:
        for batch in _parquet(path, most_bytes) if kind == "parquet" else _arrow(path):
            for row in batch.to_pylist():
                out.write(json.dumps(row, ensure_ascii=False, default=str).encode("utf-8", "ignore") + b"\n")
        out.flush()
    except (MemoryError, _TooLargeError):
        return TOO_LARGE
    except (pyarrow.ArrowException, OSError) as fault:
        os.write(told, " ".join(str(fault).split())[:200].encode())
        return UNREADABLE
    return 0


class _TooLargeError(Exception):
    pass


def _limit(memory: int, seconds: int) -> None:
    with suppress(ImportError, OSError, ValueError):  # not on every system
        import resource

        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
        resource.setrlimit(resource.RLIMIT_AS, (memory, memory))


def _parquet(path: str, most_bytes: int) -> Iterator[Any]:
    from pyarrow import parquet

    with parquet.ParquetFile(path, pre_buffer=False) as file:
        declared = sum(file.metadata.row_group(i).total_byte_size for i in range(file.num_row_groups))
        if declared > most_bytes:
            raise _TooLargeError
        each = declared // max(1, file.metadata.num_rows)
        yield from file.iter_batches(batch_size=max(1, min(_ROWS, _BATCH_BYTES // max(1, each))), use_threads=False)


def _arrow(path: str) -> Iterator[Any]:
    import pyarrow

    with pyarrow.memory_map(path) as source, pyarrow.ipc.open_stream(source) as reader:
        for batch in reader:
            for start in range(0, batch.num_rows, _ROWS):
                yield batch.slice(start, _ROWS)


if __name__ == "__main__":
    _, _kind, _path, *_numbers = sys.argv
    # Without the interpreter's farewell, which would report a pipe that nobody reads any more.
    os._exit(main(_kind, _path, *map(int, _numbers)))
