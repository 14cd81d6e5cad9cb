"""The shards of a run: files that other processes write while they play, until the run takes them over.

Each lies in a folder of its own within the run's, locked by the process that writes it. What a killed process leaves is
taken over by the command that comes next: every turn that was answered stands in some shard.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from evolif.errors import UsageError
from evolif.runner.shards import absorb
from evolif.runner.store import RunStore
from evolif.runner.store_file import OWN_FILES
from evolif.util.opened import refuse_links

if TYPE_CHECKING:
    from filelock import FileLock

SHARDS = "shards"
"""The folder within that of the run."""
_LEAVES_IN = 20.0
"""Seconds in which a process ends whose run has died."""


def new_shard(root: Path, prefix: str) -> tuple[Path, FileLock]:
    """Make an empty folder for a shard, with its lock held.

    Args:
        root: The run's folder.
        prefix: Begins its name.
    """
    from filelock import FileLock

    (root / SHARDS).mkdir(exist_ok=True)
    folder = Path(tempfile.mkdtemp(prefix=prefix, dir=root / SHARDS))
    lock = FileLock(folder / ".lock", timeout=0)
    lock.acquire()
    return folder, lock


def collect_shards(store: RunStore, prefix: str = "", *, wait: float = _LEAVES_IN) -> int:
    """Take over the shards of a run and remove them; returns how many turns the run has gained.

    Args:
        store: The run, opened for writing.
        prefix: Only those whose names begin so.
        wait: Seconds in which whoever writes them must have ended.

    Raises:
        UsageError: a process still plays, or a shard is not of this run.
        OutsideError: the disk.
    """
    folder, gained = store.root / SHARDS, 0
    refuse_links(store.root, (), (SHARDS,))
    if not folder.is_dir():
        return 0
    for shard in sorted(folder.iterdir()):
        if shard.is_dir() and shard.name.startswith(prefix):
            with _unlocked(shard, wait):
                if RunStore.begun(shard):
                    gained += absorb(store, shard).turns
                remove_shard(shard)
    with suppress(OSError):  # others are still there
        folder.rmdir()
    return gained


def remove_shard(shard: Path) -> None:
    """Remove the files of a shard and its folder, unless something else lies in it."""
    for name in OWN_FILES:
        (shard / name).unlink(missing_ok=True)
    with suppress(OSError):
        shard.rmdir()


@contextmanager
def _unlocked(shard: Path, wait: float) -> Iterator[None]:
    """Hold the lock of a shard that nobody writes any more."""
    from filelock import FileLock, Timeout

    lock = FileLock(shard / ".lock", timeout=wait)
    try:
        lock.acquire()
    except Timeout:
        raise UsageError(
            f"{shard} is still being written by a process of an earlier command; wait until it has ended (ps aux | "
            "grep ray::), and run the same command again"
        ) from None
    try:
        yield
    finally:
        lock.release()
        with suppress(OSError):
            os.rmdir(shard)
