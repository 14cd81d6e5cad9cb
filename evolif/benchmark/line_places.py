"""Where the lines of dialogue files begin, so that one line is read again without the others."""

from __future__ import annotations

import os
from array import array
from dataclasses import dataclass
from pathlib import Path

from evolif.benchmark.files import Stamp, dialogue_file
from evolif.util.opened import open_file


@dataclass(frozen=True, slots=True)
class _Places:
    stamp: Stamp
    """The state of the file in which they hold."""
    begins: array[int]
    """In bytes: of each line, and of what would follow the last one."""


class LinePlaces:
    """The places of lines in files that were read before; a few bytes per line instead of what it says.

    Args:
        root: The benchmark's folder.
        most: Dialogues whose places are kept; those noted first are forgotten first.
    """

    def __init__(self, root: Path, most: int) -> None:
        self._root = root
        self._most = most
        self._known: dict[int, _Places] = {}

    def note(self, dialogue: int, stamp: Stamp, lines: int) -> None:
        """Find the lines of a file.

        Args:
            dialogue: Whose file.
            stamp: Its state when it was read.
            lines: How many it had then. Where blank ones are between them, none is found.
        """
        if self._most < 1:
            return
        self._known.pop(dialogue, None)
        try:
            with open_file(dialogue_file(self._root, dialogue)) as file:
                data = file.read(stamp[1] + 1)
                same = _stamp(file.fileno()) == stamp
        except OSError:
            return
        begins = array("Q", [0])
        while (end := data.find(b"\n", begins[-1])) >= 0:
            begins.append(end + 1)
        if begins[-1] < len(data):  # an editor may have omitted the last line break
            begins.append(len(data))
        if not same or b"\r" in data or len(begins) != lines + 1:
            return
        while len(self._known) >= self._most:
            del self._known[next(iter(self._known))]
        self._known[dialogue] = _Places(stamp, begins)

    def forget(self, dialogue: int) -> None:
        """The file is about to change, or is in memory again."""
        self._known.pop(dialogue, None)

    def count(self, dialogue: int) -> int | None:
        """How many lines the file has; None if that is not known, or if it has changed."""
        known = self._known.get(dialogue)
        if known is None:
            return None
        try:
            status = dialogue_file(self._root, dialogue).stat()
        except OSError:
            return None
        same = (status.st_ino, status.st_size, status.st_mtime_ns) == known.stamp
        return len(known.begins) - 1 if same else None

    def line(self, dialogue: int, number: int) -> bytes | None:
        """A line of the file, counted from 1; None if its place is not known, or if the file has changed."""
        known = self._known.get(dialogue)
        if known is None or not 0 < number < len(known.begins):
            return None
        begin, end = known.begins[number - 1 : number + 1]
        try:
            with open_file(dialogue_file(self._root, dialogue)) as file:
                if _stamp(file.fileno()) != known.stamp:
                    return None
                file.seek(begin)
                return file.read(end - begin)
        except OSError:
            return None


def _stamp(number: int) -> Stamp:
    status = os.fstat(number)
    return status.st_ino, status.st_size, status.st_mtime_ns
