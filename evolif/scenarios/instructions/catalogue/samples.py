"""Find consecutive words that a catalogue shares with foreign texts in plain text, JSON or JSONL files."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from evolif.errors import InputError
from evolif.scenarios.instructions.catalogue.entries import RuleFault
from evolif.scenarios.instructions.catalogue.index import runs, words

FOREIGN_RUN = 8
"""Consecutive words that no text may share with a sample."""
_LONGEST_LINE = 1 << 24
"""Characters of a sample line read at a time."""
_LONGEST_PASSAGE = 10_000
"""Words of a paragraph kept in memory."""


@dataclass(frozen=True, slots=True)
class SampleComparison:
    """The result of comparing texts with samples."""

    copied: tuple[tuple[int, RuleFault], ...]
    """Index of each text, in the given order, and its shared words."""
    files: int
    words: int
    """Words of the samples that were read."""


def compare(texts: Sequence[str], samples: Sequence[Path]) -> SampleComparison:
    """Find runs of eight words that a text shares with a sample; the texts are indexed, the samples are streamed.

    Args:
        texts: Our texts.
        samples: Files, and folders with all their files. A JSON line is parsed; any other line is read as text.

    Raises:
        InputError: a sample is missing or not text, or a folder has none.
    """
    owners = _index(texts)
    files = [file for sample in samples for file in _files(sample)]
    found: dict[tuple[int, Path], RuleFault] = {}
    read = 0
    for path in files:
        for passage, lines in _passages(path):
            read += len(passage)
            for i, run in enumerate(runs(passage, FOREIGN_RUN)):
                for text in owners.get(run, ()):
                    found.setdefault((text, path), _fault(run, path, lines[i]))
    copied = [(text, fault) for (text, _), fault in found.items()]
    return SampleComparison(tuple(sorted(copied, key=lambda pair: pair[0])), len(files), read)


def _index(texts: Sequence[str]) -> dict[tuple[str, ...], list[int]]:
    owners: dict[tuple[str, ...], list[int]] = {}
    for number, text in enumerate(texts):
        for run in set(runs(words(text), FOREIGN_RUN)):
            owners.setdefault(run, []).append(number)
    return owners


def _fault(run: Sequence[str], path: Path, line: int) -> RuleFault:
    what = f"shares “{' '.join(run)}” with {path}, line {line}"
    return RuleFault("copied", what, f"rewrite it: no {FOREIGN_RUN} words in a row may come from a sample")


def _files(sample: Path) -> list[Path]:
    if sample.is_file():
        return [sample]
    if not sample.is_dir():
        raise InputError("does not exist; name a file or a folder of texts to compare with", path=sample)
    # Links are not followed: they could form a cycle or leave the named folders.
    found = [Path(root, name) for root, _, names in os.walk(sample) for name in names]
    texts = sorted(path for path in found if path.is_file() and not path.is_symlink() and _is_text(path))
    if not texts:
        raise InputError("contains no text to compare with", path=sample)
    return texts


def _is_text(path: Path) -> bool:
    """Whether the beginning of a file looks like text; other files in a folder are skipped."""
    try:
        with path.open("rb") as file:
            head = file.read(4096)
    except OSError:
        return False
    # The last character may be incomplete.
    return b"\0" not in head and "\ufffd" not in head.decode("utf-8", "replace")[:-1].rstrip("\ufffd")


def _passages(path: Path) -> Iterator[tuple[list[str], list[int]]]:
    """Consecutive words, each with its line: of a string of JSON, or of the lines of a paragraph."""
    paragraph: list[str] = []
    lines: list[int] = []
    try:
        with path.open(encoding="utf-8") as file:
            for number, line in enumerate(iter(lambda: file.readline(_LONGEST_LINE), ""), 1):
                strings = _strings(line)
                if strings is None and line.strip():
                    paragraph += words(line)
                    lines += [number] * (len(paragraph) - len(lines))
                    if len(paragraph) > _LONGEST_PASSAGE:
                        yield paragraph, lines
                        # A run may start in the last words.
                        paragraph, lines = paragraph[1 - FOREIGN_RUN :], lines[1 - FOREIGN_RUN :]
                    continue
                yield paragraph, lines
                paragraph, lines = [], []
                for found in map(words, strings or ()):
                    yield found, [number] * len(found)
            yield paragraph, lines
    except OSError as fault:
        raise InputError(f"cannot be read ({fault.strerror})", path=path) from None
    except UnicodeDecodeError:
        raise InputError("is not UTF-8 text; leave it out or convert it", path=path) from None


def _strings(line: str) -> list[str] | None:
    """The strings of a line that is a JSON object, list or string; None for any other line."""
    if line.lstrip()[:1] not in ("{", "[", '"'):
        return None
    try:
        todo = [json.loads(line)]
    except (ValueError, RecursionError):
        return None
    found: list[str] = []
    while todo:
        value = todo.pop()
        if isinstance(value, str):
            found.append(value)
        elif isinstance(value, dict):
            todo += value.values()
        elif isinstance(value, list):
            todo += value
    return found
