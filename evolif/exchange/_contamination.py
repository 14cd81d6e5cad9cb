"""Contamination: which of a benchmark's queries stand in a corpus, and whether its canary does."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from evolif._errors import InputError, UsageError
from evolif.benchmark import Benchmark
from evolif.exchange._canary import canary_of
from evolif.exchange._corpus import STDIN, UnreadError, corpus_files, text_blocks
from evolif.exchange._query_index import QueryIndex
from evolif.exchange._scanner import Run, Scanner

WORDS = 13
"""So many words in a row of a query are told by default, as in the n-gram tests of model reports."""
MOST_PLACES = 5
"""Places that are told per query."""


@dataclass(frozen=True, slots=True)
class Place:
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
    places: list[Place] = field(default_factory=list)
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

    def begin(self, file: str) -> Callable[[Run], None]:
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

    def _add(self, run: Run) -> None:
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
            found.places.append(Place(self._file, *run.place(), share))


def _covered(ranges: Iterable[tuple[int, int]]) -> int:
    total = reached = 0
    for start, end in sorted(ranges):
        total += max(0, end - max(start, reached))
        reached = max(reached, end)
    return total
