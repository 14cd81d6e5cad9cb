"""Contamination: which of a benchmark's queries a corpus contains, and whether it contains the canary."""

from __future__ import annotations

import codecs
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from importlib import import_module
from pathlib import Path
from typing import IO, Any, Literal, Protocol

from evolif.errors import InputError, OutsideError, UsageError
from evolif.exchange.rows import canary_of
from evolif.exchange.scanner import MatchedRun, QueryIndex, Scanner, cut_before
from evolif.exchange.shared_parts import SharedParts, shared_parts, split_benchmark
from evolif.exchange.unpacking import unpacked
from evolif.scenarios.instructions import InstructionBenchmark

BLOCK_BYTES = 1 << 17
STDIN = "-"
WORDS = 13
"""Default number of consecutive words that count as a finding, as in the n-gram tests of model reports."""
MOST_PLACES = 5
"""Maximum number of places listed per query."""
_ORDER = ("canary", "query", "part")


@dataclass(frozen=True, slots=True)
class CorpusPlace:
    """Where a text, or a part of it, was found."""

    file: str
    line: int
    offset: int
    """Bytes from the start of the text, unpacked."""
    share: float
    """The share of the query found here in one piece, from 0 to 1."""


@dataclass(slots=True)
class Found:
    """A query of the benchmark, or its canary, that the corpus contains."""

    kind: Literal["canary", "query", "part"]
    turns: tuple[tuple[int, int], ...]
    """(dialogue, turn) of all turns with this query; empty for the canary."""
    share: float = 0.0
    """The largest share of it in one file, from 0 to 1; the parts need not be adjacent."""
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
            "places": [asdict(place) for place in self.places],
        }


@dataclass(frozen=True, slots=True)
class Contamination:
    """The result of searching a corpus."""

    benchmark: str
    """The benchmark's identity."""
    canary: str
    turns: int
    """Turns of the benchmark."""
    too_short: int
    """Turns whose query has fewer letters than `SHORTEST`; they are not searched for."""
    files: int
    bytes: int
    """Of unpacked text."""
    findings: tuple[Found, ...]
    """The canary, then whole queries, then parts; by dialogue and turn."""
    unread: tuple[tuple[str, str], ...]
    """(file, reason) of files that could not be searched."""
    shared: tuple[SharedParts, ...] = ()
    """What it has in common with benchmarks among the corpus, where one of the two is split."""

    @property
    def turns_found(self) -> int:
        """Turns whose whole query the corpus contains."""
        return sum(len(found.turns) for found in self.findings if found.kind == "query")

    def to_object(self) -> dict[str, Any]:
        """As `contamination --json` prints it."""
        kinds = [found.kind for found in self.findings]
        return {
            "benchmark": self.benchmark,
            "canary": self.canary,
            "findings": [found.to_object() for found in self.findings],
            "unread": [{"file": file, "reason": reason} for file, reason in self.unread],
            **({"shared": [one.to_object() for one in self.shared]} if self.shared else {}),
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
    benchmark: InstructionBenchmark | Path | str,
    *,
    words: int = WORDS,
    progress: Callable[[str, int], None] | None = None,
) -> Contamination:
    """Search a corpus for a benchmark's queries.

    Only letters and digits are compared; white space, punctuation and case do not count. A folder that is a benchmark
    is also compared part by part where one of the two is made with a split.

    Args:
        paths: Files (text, JSONL, Parquet; plain or compressed by gzip, bzip2, xz or zstd), folders, or `-` for
            standard input.
        benchmark: The benchmark, or its directory.
        words: How many consecutive words of a query count as a finding.
        progress: Called with (file, bytes of text so far).

    Raises:
        UsageError: a path does not exist, or a number is out of range.
        InputError: a named file cannot be searched, and the others contain nothing.
    """
    if words < 1:
        raise UsageError("--words must be at least 1")
    bench = benchmark if isinstance(benchmark, InstructionBenchmark) else InstructionBenchmark(benchmark)
    canary = canary_of(bench.identity)
    queries = ((dialogue, turn.turn, turn.query) for dialogue in bench.dialogues() for turn in bench.turns(dialogue))
    index = QueryIndex(queries, canary)
    named = [Path(path) for path in paths]
    collector = _Collector(index)
    unread: list[tuple[str, str]] = []
    files = read = 0
    for file in _corpus_files(named):
        files += 1
        scanner = Scanner(index, words, collector.start(str(file)))
        try:
            for block in _text_blocks(file):
                scanner.feed(block)
                read += len(block)
                if progress is not None:
                    progress(str(file), read)
        except UnreadError as fault:
            unread.append((str(file), str(fault)))
        scanner.end()
        collector.finish_file()
    reasons = dict(unread)
    for path in named:
        if not collector.found and str(path) in reasons and str(path) != STDIN:
            raise InputError(f"it cannot be searched: {reasons[str(path)]}", path=path)
    findings = sorted(collector.found.values(), key=lambda found: (_ORDER.index(found.kind), found.turns))
    others = filter(None, (split_benchmark(bench, path) for path in named if str(path) != STDIN))
    return Contamination(
        bench.identity,
        canary,
        index.turns,
        index.too_short,
        files,
        read,
        tuple(findings),
        tuple(unread),
        tuple(shared_parts(bench, other) for other in others),
    )


class _Collector:
    """Collects the matches of each query over all files."""

    def __init__(self, index: QueryIndex) -> None:
        self.found: dict[int, Found] = {}
        self._index = index
        self._ranges: dict[int, list[tuple[int, int]]] = {}
        """For each query, the ranges of it that the current file contains."""
        self._file = ""

    def start(self, file: str) -> Callable[[MatchedRun], None]:
        """Begin a file; returns the function that takes its matches."""
        self._file, self._ranges = file, {}
        return self._add

    def finish_file(self) -> None:
        """Update the share of each query with the current file."""
        for number, ranges in self._ranges.items():
            found = self.found[number]
            found.share = max(found.share, _covered(ranges) / len(self._index.wanted[number].text))

    def _add(self, run: MatchedRun) -> None:
        wanted = self._index.wanted[run.wanted]
        share = (run.end - run.start) / len(wanted.text)
        found = self.found.setdefault(run.wanted, Found("part", wanted.turns))
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


_UNPACK_BYTES = 2048
"""Compressed bytes that zstd unpacks at a time: at most 64 MiB of text."""
_COMPRESSED = {b"\x1f\x8b": "gzip", b"BZh": "bz2", b"\xfd7zXZ": "lzma"}
"""First bytes, and the module of the standard library that unpacks them."""
_ZSTD = b"\x28\xb5\x2f\xfd"
_NO_TEXT = {
    b"PK\x03\x04": "a zip archive or office document",
    b"%PDF": "a PDF",
    b"7z\xbc\xaf\x27\x1c": "a 7z archive",
    b"Rar!": "a RAR archive",
    b"ARROW1": "an Arrow file",
    b"\x89PNG": "an image",
    b"\xff\xd8\xff": "an image",
    b"SQLite format 3": "a database",
}


class _Readable(Protocol):
    def read(self, size: int, /) -> bytes: ...


class UnreadError(Exception):
    """A file that cannot be searched, with the reason."""


def _corpus_files(paths: Iterable[Path]) -> Iterator[Path]:
    """The named files, and all files below the named folders, by name."""
    for path in paths:
        if str(path) == STDIN or path.is_file():
            yield path
        elif path.is_dir():
            yield from sorted(file for file in path.rglob("*") if file.is_file())
        else:
            raise UsageError(f"{path} does not exist; name files or folders of text, or - for standard input")


def _text_blocks(path: Path) -> Iterator[bytes]:
    """The text of a file in blocks of about `BLOCK_BYTES`, cut at white space where there is some.

    Raises:
        UnreadError: it holds no text, is cut off, or needs a library that is not installed.
        OutsideError: it cannot be opened or read.
    """
    try:
        with _open(path) as raw:
            text = b""
            for part in _decode(raw, path):
                text += part
                while len(text) >= BLOCK_BYTES:
                    end = cut_before(text, 0, BLOCK_BYTES)
                    yield text[:end]
                    text = text[end:]
            if text:
                yield text
    except (EOFError, OSError, ValueError) as fault:
        if isinstance(fault, OSError) and fault.errno is not None:
            raise OutsideError(f"{path} cannot be read ({fault.strerror})") from None
        raise UnreadError("it is corrupt or truncated") from None
    except _zstd_errors() as fault:
        raise UnreadError(f"it is corrupt or truncated ({type(fault).__name__})") from None


def _zstd_errors() -> tuple[type[Exception], ...]:
    zstandard = sys.modules.get("zstandard")
    return (zstandard.ZstdError,) if zstandard is not None else ()


@contextmanager
def _open(path: Path) -> Iterator[_Readable]:
    """The bytes of a file, unpacked according to its first bytes."""
    if str(path) == STDIN:
        yield sys.stdin.buffer
        return
    with path.open("rb") as file:
        head = file.read(8)
        file.seek(0)
        module = next((name for magic, name in _COMPRESSED.items() if head.startswith(magic)), None)
        if module is not None:
            with import_module(module).open(file) as unpacked:
                yield unpacked
        elif head.startswith(_ZSTD):
            yield _Zstd(file)
        else:
            yield file


class _Zstd:
    """A reader that, unlike the library's own, notices when a file is cut off."""

    def __init__(self, file: IO[bytes]) -> None:
        try:
            import zstandard
        except ImportError:
            raise UnreadError("it is compressed with zstd; install zstandard (evolif[datasets])") from None
        self._file = file
        self._new_frame = zstandard.ZstdDecompressor().decompressobj
        self._frame: Any = None

    def read(self, _: int) -> bytes:
        """Some more bytes; empty at the end."""
        while True:
            if self._frame is None or self._frame.eof:
                packed = (self._frame.unused_data if self._frame else b"") or self._file.read(_UNPACK_BYTES)
                if not packed:
                    return b""
                self._frame = self._new_frame()
            else:
                packed = self._file.read(_UNPACK_BYTES)
                if not packed:
                    raise EOFError
            unpacked: bytes = self._frame.decompress(packed)
            if unpacked:
                return unpacked


def _decode(raw: _Readable, path: Path) -> Iterator[bytes]:
    """Parts of the text in UTF-8; other encodings than UTF-16 stay as they are."""
    first = raw.read(BLOCK_BYTES)
    if first.startswith(b"PAR1"):
        yield from _parquet_lines(path)
        return
    for magic, description in _NO_TEXT.items():
        if first.startswith(magic):
            raise UnreadError(f"it is {description}; unpack it to text first")
    is_utf_16 = first.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    if not is_utf_16 and _is_binary(first[:4096]):
        raise UnreadError("it is not text")
    decoder = codecs.getincrementaldecoder("utf-16")("replace") if is_utf_16 else None
    while first:
        yield decoder.decode(first).encode("utf-8", "ignore") if decoder else first
        first = raw.read(BLOCK_BYTES)


def _is_binary(head: bytes) -> bool:
    controls = sum(head.count(bytes([code])) for code in range(32) if code not in (9, 10, 12, 13, 27))
    return 10 * controls > len(head)


def _parquet_lines(path: Path) -> Iterator[bytes]:
    """A line of JSON per row, in blocks of any size."""
    try:
        yield from unpacked(path, "parquet")
    except (InputError, UsageError) as fault:
        raise UnreadError(str(fault)) from None
