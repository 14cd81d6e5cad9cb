"""The files of a corpus as blocks of text: plain or compressed, one after the other, a block at a time."""

from __future__ import annotations

import codecs
import json
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, Protocol

from evolif._errors import InputError, OutsideError, UsageError
from evolif.exchange._arrow import parquet_rows
from evolif.exchange._scanner import cut_before

BLOCK_BYTES = 1 << 17
STDIN = "-"
_LONGEST_CARRY = 1 << 16
"""Bytes without white space after which text is cut anywhere."""
_PACKED = 2048
"""Bytes of zstd that are unpacked at once: they come to 64 MiB at the most."""
_CONTAINERS = {
    b"PK\x03\x04": "a zip archive or office document",
    b"%PDF": "a PDF",
    b"7z\xbc\xaf\x27\x1c": "a 7z archive",
    b"Rar!": "a RAR archive",
    b"ARROW1": "an Arrow file",
    b"\x89PNG": "an image",
    b"\xff\xd8\xff": "an image",
    b"SQLite format 3": "a database",
}
_UTF_16 = {codecs.BOM_UTF16_LE: "utf-16", codecs.BOM_UTF16_BE: "utf-16"}


class _Readable(Protocol):
    def read(self, size: int, /) -> bytes: ...


class UnreadError(Exception):
    """A file whose text cannot be looked through; says why."""


def corpus_files(paths: Iterable[Path]) -> Iterator[Path]:
    """The files that were named, and those below the folders that were; in order of their names.

    Raises:
        UsageError: a path that is not there.
    """
    for path in paths:
        if str(path) == STDIN or path.is_file():
            yield path
        elif path.is_dir():
            yield from sorted(file for file in path.rglob("*") if file.is_file())
        else:
            raise UsageError(f"{path} does not exist; name files or folders of text, or - for standard input")


def text_blocks(path: Path) -> Iterator[bytes]:
    """The text of a file, cut at white space.

    Raises:
        UnreadError: it holds no text, is cut off, or needs a library that is not here.
        OutsideError: it cannot be read at all.
    """
    try:
        with _opened(path) as raw:
            yield from _cut(_decoded(raw, path))
    except (EOFError, OSError, ValueError) as fault:
        if isinstance(fault, OSError) and fault.errno is not None:
            raise OutsideError(f"{path} cannot be read ({fault.strerror})") from None
        raise UnreadError("it is broken or cut off") from None
    except _zstd_faults() as fault:
        raise UnreadError(f"it is broken or cut off ({type(fault).__name__})") from None


def _zstd_faults() -> tuple[type[Exception], ...]:
    found = sys.modules.get("zstandard")
    return (found.ZstdError,) if found is not None else ()


@contextmanager
def _opened(path: Path) -> Iterator[_Readable]:
    """The bytes of a file, unpacked as its first bytes tell."""
    if str(path) == STDIN:
        yield sys.stdin.buffer
        return
    with path.open("rb") as file:
        head = file.read(8)
        file.seek(0)
        if head.startswith(b"\x1f\x8b"):
            import gzip

            with gzip.open(file) as unpacked:
                yield unpacked
        elif head.startswith(b"BZh"):
            import bz2

            with bz2.open(file) as unpacked_bz2:
                yield unpacked_bz2
        elif head.startswith(b"\xfd7zXZ"):
            import lzma

            with lzma.open(file) as unpacked_xz:
                yield unpacked_xz
        elif head.startswith(b"\x28\xb5\x2f\xfd"):
            yield _Zstd(file)
        else:
            yield file


class _Zstd:
    """A reader that says when a file is cut off, as the library's own does not."""

    def __init__(self, file: IO[bytes]) -> None:
        try:
            import zstandard
        except ImportError:
            raise UnreadError("it is compressed by zstd; install zstandard (evolif[datasets])") from None
        self._file = file
        self._fresh = zstandard.ZstdDecompressor().decompressobj
        self._frame: Any = None
        self._left = b""

    def read(self, _: int) -> bytes:
        """Some more bytes; none at the end."""
        while True:
            if self._frame is None or self._frame.eof:
                self._left = (self._frame.unused_data if self._frame else b"") or self._file.read(_PACKED)
                if not self._left:
                    return b""
                self._frame = self._fresh()
            else:
                self._left = self._file.read(_PACKED)
                if not self._left:
                    raise EOFError
            unpacked: bytes = self._frame.decompress(self._left)
            if unpacked:
                return unpacked


def _decoded(raw: _Readable, path: Path) -> Iterator[bytes]:
    """Blocks of UTF-8, or of whatever else is left as it is."""
    first = raw.read(BLOCK_BYTES)
    if first.startswith(b"PAR1"):
        yield from _parquet(path)
        return
    for magic, what in _CONTAINERS.items():
        if first.startswith(magic):
            raise UnreadError(f"it is {what}; unpack it to text first")
    encoding = next((name for bom, name in _UTF_16.items() if first.startswith(bom)), None)
    if encoding is None and _is_binary(first[:4096]):
        raise UnreadError("it is no text")
    decoder = codecs.getincrementaldecoder(encoding)("replace") if encoding else None
    while first:
        yield decoder.decode(first).encode("utf-8", "ignore") if decoder else first
        first = raw.read(BLOCK_BYTES)


def _is_binary(head: bytes) -> bool:
    controls = sum(head.count(bytes([code])) for code in range(32) if code not in (9, 10, 12, 13, 27))
    return 10 * controls > len(head)


def _parquet(path: Path) -> Iterator[bytes]:
    """One line of JSON per row."""
    try:
        for row in parquet_rows(path):
            yield json.dumps(row, ensure_ascii=False, default=str).encode("utf-8", "ignore") + b"\n"
    except (InputError, UsageError) as fault:
        raise UnreadError(str(fault)) from None


def _cut(parts: Iterable[bytes]) -> Iterator[bytes]:
    """The same bytes in blocks of about `BLOCK_BYTES` that end at white space, where there is some."""
    held = b""
    for part in parts:
        held += part
        while len(held) >= BLOCK_BYTES:
            end = cut_before(held, 0, BLOCK_BYTES)
            yield held[:end]
            held = held[end:]
    if held:
        yield held
