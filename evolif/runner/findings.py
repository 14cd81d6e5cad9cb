"""What was found of a finished run by reading it whole, kept beside its file so that it need not be read so again.

A file of findings names the bytes of the run's file that it was made of. As soon as these change, by whatever means, it
holds no longer; removing it costs nothing but time. It is never part of what a run hands on, and whoever does not trust
a folder reads the run itself (`evolif board check`, `evolif report --verify`).
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from evolif._version import __version__
from evolif.errors import InputError
from evolif.runner.hash_chain import Integrity
from evolif.runner.store_file import FILE_NAME, FINDINGS
from evolif.util.opened import read_file


@dataclass(frozen=True, slots=True)
class Bytes:
    """The bytes of a run's file, as they were at one moment."""

    digest: str
    stamp: tuple[int, int]
    """Size and time of the last change."""


def bytes_of(root: Path) -> Bytes | None:
    """The bytes of a run's file; None while it is being written, or cannot be read.

    Args:
        root: The run's folder.
    """
    file = root / FILE_NAME
    try:
        if _size(root / f"{FILE_NAME}-wal") or _size(root / f"{FILE_NAME}-journal"):
            return None
        before = _stamp(file)
        with file.open("rb") as opened:
            digest = hashlib.file_digest(opened, "sha256").hexdigest()
        return Bytes(digest, before) if _stamp(file) == before else None
    except OSError:
        return None


def _size(file: Path) -> int:
    try:
        return file.stat().st_size
    except FileNotFoundError:
        return 0


def _stamp(file: Path) -> tuple[int, int]:
    found = file.stat()
    return found.st_size, found.st_mtime_ns


class Findings:
    """The findings beside a run's file.

    Args:
        root: The run's folder.
        is_frozen: Whether nothing may be written there.
    """

    def __init__(self, root: Path, *, is_frozen: bool = False) -> None:
        self._root = root
        self.is_frozen = is_frozen
        self._is_disregarded = False
        self._bytes: Bytes | None = None
        self._data: dict[str, Any] | None = None

    def disregard(self) -> None:
        """Read and write nothing any more: the folder is somebody else's, and what it says was found proves nothing."""
        self.is_frozen = self._is_disregarded = True

    def now(self) -> Bytes | None:
        """The present bytes of the run's file; read again only once it has changed."""
        try:
            if self._bytes is None or self._bytes.stamp != _stamp(self._root / FILE_NAME):
                self._bytes, self._data = bytes_of(self._root), None
        except OSError:
            self._bytes = None
        return self._bytes

    def _known(self) -> dict[str, Any]:
        """What is kept of the present bytes by this version."""
        now = None if self._is_disregarded else self.now()
        if now is None:
            return {}
        if self._data is None:
            found = _read(self._root / FINDINGS)
            holds = found.get("file") == now.digest and found.get("version") == __version__
            self._data = found if holds else {"file": now.digest, "version": __version__}
        return self._data

    def noted(self, key: str) -> str:
        """The text kept under a key; empty for none."""
        text = self._known().get(key, "")
        return text if isinstance(text, str) else ""

    def note(self, texts: Mapping[str, str]) -> None:
        """Keep texts under keys, where the run is at rest and its folder can be written.

        Args:
            texts: What was found of the file as it is now.
        """
        known = {} if self.is_frozen else self._known()
        if not known or all(known.get(key) == text for key, text in texts.items()):
            return
        known.update(texts)
        part = self._root / f"{FINDINGS}.{os.getpid()}"
        try:
            part.write_text(json.dumps(known), encoding="utf-8")
            os.replace(part, self._root / FINDINGS)
        except OSError:  # a medium that can only be read
            part.unlink(missing_ok=True)

    def integrity(self) -> Integrity | None:
        """How many turns have seals, where a check of them all found no edit; None if none was made of this file."""
        try:
            sealed, not_sealed = json.loads(self.noted("seals"))
        except (ValueError, TypeError):
            return None
        return Integrity(int(sealed), int(not_sealed))

    def note_integrity(self, found: Integrity, checked: Bytes | None) -> None:
        """Keep what a check of all seals found, unless something was edited.

        Args:
            found: By the check.
            checked: The bytes before the check, which must still be there.
        """
        if not found.edited and checked is not None and self.now() == checked:
            self.note({"seals": json.dumps([found.sealed, found.not_sealed])})


def _read(file: Path) -> dict[str, Any]:
    try:
        found = {} if file.is_symlink() else json.loads(read_file(file))
    except (OSError, InputError, ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}
