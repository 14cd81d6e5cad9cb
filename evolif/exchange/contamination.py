"""Contamination: which of a benchmark's queries stand in a corpus, and whether its canary does."""

from __future__ import annotations

import codecs
import json
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any, Literal, Protocol

from evolif.errors import InputError, OutsideError, UsageError
from evolif.exchange.rows import canary_of, parquet_rows
from evolif.exchange.scanner import MatchedRun, QueryIndex, Scanner, cut_before
from evolif.instructions import Benchmark

# The files of a corpus as blocks of text: plain or compressed, one after the other, a block at a time.

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


WORDS = 13
"""So many words in a row of a query are told by default, as in the n-gram tests of model reports."""
MOST_PLACES = 5
"""Places that are told per query."""


@dataclass(frozen=True, slots=True)
class CorpusPlace:
    """Where a text, or a part of it, was found."""

    file: str
    line: int
    offset: int
    """Bytes from the start of the text, unpacked."""
    share: float
    """How much of the query stands here in one piece, from 0 to 1."""


@dataclass(slots=True)
class Found:
    """A query of the benchmark, or its canary, that stands in the corpus."""

    kind: Literal["canary", "query", "part"]
    turns: tuple[tuple[int, int], ...]
    """(dialogue, turn) of all turns that say it; none for the canary."""
    share: float = 0.0
    """How much of it stands in one file, from 0 to 1; its parts need not be together."""
    occurrences: int = 0
    places: list[CorpusPlace] = field(default_factory=list)
    """The first `MOST_PLACES`."""

    def to_object(self) -> dict[str, Any]:
        """As `contamination --json` prints it."""
        return {
            "kind": self.kind,
            "dialogue": self.turns[0][0] if self.turns else None,
            "turn": self.turns[0][1] if self.turns else None,
            "turns": [list(turn) for turn in self.turns],
            "share": self.share,
            "occurrences": self.occurrences,
            "places": [{"file": p.file, "line": p.line, "offset": p.offset, "share": p.share} for p in self.places],
        }


@dataclass(frozen=True, slots=True)
class Contamination:
    """What was found in a corpus."""

    benchmark: str
    """Its identity."""
    canary: str
    turns: int
    """Turns of the benchmark."""
    too_short: int
    """Turns whose query has too few letters (`SHORTEST` of the index) to tell anything; they are not looked for."""
    files: int
    bytes: int
    """Of text, unpacked."""
    findings: tuple[Found, ...]
    unread: tuple[tuple[str, str], ...]
    """(file, why) of what could not be looked through."""

    @property
    def turns_found(self) -> int:
        """How many turns' queries stand in the corpus whole."""
        return sum(len(found.turns) for found in self.findings if found.kind == "query")

    def to_object(self) -> dict[str, Any]:
        """As `contamination --json` prints it."""
        kinds = [found.kind for found in self.findings]
        return {
            "benchmark": self.benchmark,
            "canary": self.canary,
            "findings": [found.to_object() for found in self.findings],
            "unread": [{"file": file, "reason": reason} for file, reason in self.unread],
            "summary": {
                "turns": self.turns,
                "too_short": self.too_short,
                "files": self.files,
                "bytes": self.bytes,
                "canary_found": "canary" in kinds,
                "turns_found": self.turns_found,
                "share_found": self.turns_found / self.turns if self.turns else None,
                "queries_in_part": kinds.count("part"),
            },
        }


def contamination(
    paths: Sequence[Path | str],
    benchmark: Benchmark | Path | str,
    *,
    words: int = WORDS,
    progress: Callable[[str, int], None] | None = None,
) -> Contamination:
    """Look for a benchmark's queries in a corpus.

    Two texts are the same where their letters and digits are; white space, punctuation and case do not count.

    Args:
        paths: Files (text, JSONL, Parquet; gzip, bzip2, xz or zstd around them), folders, or `-` for standard input.
        benchmark: The benchmark, or its directory.
        words: So many words in a row of a query are a finding, too.
        progress: Called with (file, bytes of text so far).

    Raises:
        UsageError: a path that is not there, a number out of range.
        InputError: a file that was named cannot be looked through, and nothing was found in the others.
    """
    if words < 1:
        raise UsageError("--words must be at least 1")
    bench = benchmark if isinstance(benchmark, Benchmark) else Benchmark(benchmark)
    canary = canary_of(bench.identity)
    index = QueryIndex(_queries(bench), canary)
    named = [Path(path) for path in paths]
    collector = _Collector(index)
    unread: list[tuple[str, str]] = []
    files = read = 0
    for file in corpus_files(named):
        files += 1
        scanner = Scanner(index, words, collector.begin(str(file)))
        try:
            for block in text_blocks(file):
                scanner.feed(block)
                read += len(block)
                if progress is not None:
                    progress(str(file), read)
        except UnreadError as fault:
            unread.append((str(file), str(fault)))
        scanner.end()
    collector.close()
    found = collector.findings()
    if not found:
        _refuse_unread(named, unread)
    return Contamination(bench.identity, canary, index.turns, index.too_short, files, read, tuple(found), tuple(unread))


def _refuse_unread(named: Iterable[Path], unread: Iterable[tuple[str, str]]) -> None:
    told = dict(unread)
    for path in named:
        if str(path) in told and str(path) != STDIN:
            raise InputError(f"it cannot be looked through: {told[str(path)]}", path=path)


def _queries(bench: Benchmark) -> Iterator[tuple[int, int, str]]:
    for dialogue in bench.dialogues():
        for turn in bench.turns(dialogue):
            yield dialogue, turn.turn, turn.query


class _Collector:
    """Puts runs together: per text where it stands, and how much of it in the best file."""

    def __init__(self, index: QueryIndex) -> None:
        self._index = index
        self._found: dict[int, Found] = {}
        self._ranges: dict[int, list[tuple[int, int]]] = {}
        """Of the file that is read: what of each text stands in it."""
        self._file = ""

    def begin(self, file: str) -> Callable[[MatchedRun], None]:
        """The next file."""
        self.close()
        self._file = file
        return self._add

    def close(self) -> None:
        """The file is over."""
        for number, ranges in self._ranges.items():
            found = self._found[number]
            found.share = max(found.share, _covered(ranges) / len(self._index.wanted[number].text))
        self._ranges = {}

    def findings(self) -> list[Found]:
        """The canary, then whole queries, then parts; by dialogue and turn."""
        order = {"canary": 0, "query": 1, "part": 2}
        return sorted(self._found.values(), key=lambda found: (order[found.kind], found.turns))

    def _add(self, run: MatchedRun) -> None:
        wanted = self._index.wanted[run.wanted]
        share = (run.end - run.start) / len(wanted.text)
        found = self._found.setdefault(run.wanted, Found("part", wanted.turns))
        if share == 1:
            found.kind = "query" if wanted.turns else "canary"
        found.occurrences += 1
        ranges = self._ranges.setdefault(run.wanted, [])
        if (run.start, run.end) not in ranges:
            ranges.append((run.start, run.end))
        if len(found.places) < MOST_PLACES:
            found.places.append(CorpusPlace(self._file, *run.place(), share))


def _covered(ranges: Iterable[tuple[int, int]]) -> int:
    total = reached = 0
    for start, end in sorted(ranges):
        total += max(0, end - max(start, reached))
        reached = max(reached, end)
    return total
