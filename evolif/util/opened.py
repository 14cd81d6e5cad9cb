"""How files of a benchmark, a run or a folder of dialogues are opened: regular, of bounded size, inside their folder.

A folder from elsewhere may hold a pipe that nobody writes to, a link to a device without end, or one to a file that is
none of its business. Only what the user names may be such a link.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterable
from pathlib import Path
from typing import BinaryIO

from evolif.errors import InputError

MOST_FILE_BYTES = 256 << 20
"""Bytes of a file that is read at once."""


def open_file(path: Path) -> BinaryIO:
    """A regular file, opened to be read; whoever reads it bounds how much.

    Raises:
        InputError: a pipe, a device or another file without an end.
        OSError: it cannot be opened.
    """
    # Without O_NONBLOCK, opening a pipe would wait for somebody to write to it.
    number = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    try:
        mode = os.fstat(number).st_mode
        if stat.S_ISDIR(mode):
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
        if not stat.S_ISREG(mode):
            raise InputError("not a plain file; remove it, or put a copy of the data there", path=path)
        return os.fdopen(number, "rb")
    except BaseException:
        os.close(number)
        raise


def read_file(path: Path, most: int = MOST_FILE_BYTES, *, mend: str = "split it") -> bytes:
    """All of a regular file.

    Args:
        path: The file.
        most: Bytes that it may have.
        mend: What to do about a larger one, as an imperative.

    Raises:
        InputError: it is larger, or not regular.
        OSError: it cannot be read.
    """
    with open_file(path) as file:
        # No more than there is: a buffer of the largest size would be made for every small file.
        data = file.read(min(most, os.fstat(file.fileno()).st_size) + 1)
    if len(data) > most:
        raise InputError(f"larger than {most >> 20} MB; {mend}", path=path)
    return data


def read_text(path: Path, most: int = MOST_FILE_BYTES, *, mend: str = "split it") -> str:
    """All of a regular file in UTF-8, with line breaks as Python has them; errors as for `read_file`, and of UTF-8."""
    return read_file(path, most, mend=mend).decode("utf-8").replace("\r\n", "\n").replace("\r", "\n")


def refuse_links(root: Path, files: Iterable[str], folders: Iterable[str] = ()) -> None:
    """Refuse links that lead out of a folder, which itself may be one.

    Args:
        root: The folder.
        files: Names of files in it; those that are not there do not matter.
        folders: Names of folders in it, whose files count too.

    Raises:
        InputError: such a link.
        OSError: a folder cannot be listed.
    """
    inside = [root / name for name in (*files, *folders)]
    for name in folders:
        if (root / name).is_dir() and not (root / name).is_symlink():
            with os.scandir(root / name) as listing:
                inside += [root / name / entry.name for entry in listing if entry.is_symlink()]
    home: Path | None = None
    for path in inside:
        if path.is_symlink():
            home = home or root.resolve()
            if not path.resolve().is_relative_to(home):
                raise InputError("a link that leads out of the folder; put a copy of the file in its place", path=path)
