"""`evolif topics lint` and `evolif personas lint`: every finding of a file, in one pass over its lines."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Generic, Protocol, TypeVar

from evolif.catalogue.entries import EntryRow, LintFinding, LintReport, Pair, RuleFault, read_rows
from evolif.catalogue.personas import PersonaIndex, persona_faults, read_persona
from evolif.catalogue.samples import compare
from evolif.catalogue.topics import TopicIndex, read_topic, topic_faults
from evolif.errors import InputError


class _Entry(Protocol):
    @property
    def id(self) -> str: ...


E = TypeVar("E", bound=_Entry)
E_contra = TypeVar("E_contra", bound=_Entry, contravariant=True)


class EntryIndex(Protocol[E_contra]):
    """The entries so far, and what a further one shares with them."""

    def clashes(self, entry: E_contra, /) -> list[RuleFault]:
        """What the entry has in common with an earlier one and should not."""
        ...

    def add(self, entry: E_contra, line: int, /) -> None:
        """Take an entry in."""
        ...

    def nearest(self) -> dict[str, tuple[Pair, ...]]:
        """The nearest pairs by measure."""
        ...


def lint_topics(path: Path, against: Sequence[Path] = ()) -> LintReport:
    """Check a topic file.

    Args:
        path: A JSONL file, one topic a line.
        against: Files and folders of other people's texts that no prompt may share eight words in a row with.

    Raises:
        InputError: the file, or a sample, cannot be read, or holds nothing.
    """
    pass_ = _Pass("topic", path, read_topic, topic_faults, TopicIndex())
    return pass_.run(against, texts=lambda topic: (topic.prompt, topic.title), count=lambda topic: topic.domain)


def lint_personas(path: Path, against: Sequence[Path] = ()) -> LintReport:
    """Check a persona file.

    Args:
        path: A JSONL file, one persona a line.
        against: Files and folders of other people's texts that no sentence may share eight words in a row with.

    Raises:
        InputError: the file, or a sample, cannot be read, or holds nothing.
    """
    pass_ = _Pass("persona", path, read_persona, persona_faults, PersonaIndex())
    return pass_.run(
        against, texts=lambda persona: (persona.sentence, *persona.phrases), count=lambda persona: persona.register
    )


class _Pass(Generic[E]):
    """One reading of a file."""

    def __init__(
        self,
        kind: str,
        path: Path,
        read: Callable[[Mapping[str, Any]], tuple[E | None, list[RuleFault]]],
        alone: Callable[[E], list[RuleFault]],
        index: EntryIndex[E],
    ) -> None:
        self._kind = kind
        self._path = path
        self._read = read
        self._alone = alone
        self._index = index
        self._entries: list[tuple[E, int]] = []
        self._findings: list[LintFinding] = []

    def run(
        self, against: Sequence[Path], *, texts: Callable[[E], tuple[str, ...]], count: Callable[[E], str]
    ) -> LintReport:
        rows = 0
        for rows, row in enumerate(read_rows(self._path), 1):  # noqa: B007 - the number of the last one is wanted
            self._take(row)
        if not rows:
            raise InputError(f"holds no {self._kind}", path=self._path)
        samples = self._compare(against, texts) if against else {}
        counts = Counter(count(entry) for entry, _ in self._entries)
        return LintReport(
            kind=self._kind,
            file=str(self._path),
            entries=rows,
            findings=tuple(sorted(self._findings, key=lambda finding: finding.line)),
            nearest=self._index.nearest(),
            counts=dict(counts.most_common()),
            samples=samples,
        )

    def _take(self, row: EntryRow) -> None:
        self._note(row.line, "", row.faults)
        if row.data is None:
            return
        entry, faults = self._read(row.data)
        if entry is None:
            name = row.data.get("id")
            self._note(row.line, name if isinstance(name, str) else "", faults)
            return
        faults += self._alone(entry)
        faults += self._index.clashes(entry)
        self._index.add(entry, row.line)
        self._entries.append((entry, row.line))
        self._note(row.line, entry.id, faults)

    def _note(self, line: int, name: str, faults: Sequence[RuleFault]) -> None:
        self._findings += [
            LintFinding(str(self._path), line, name[:40], fault.rule, fault.message, fault.mend) for fault in faults
        ]

    def _compare(self, against: Sequence[Path], texts: Callable[[E], tuple[str, ...]]) -> dict[str, int]:
        owned = [(text, entry, line) for entry, line in self._entries for text in texts(entry)]
        compared = compare([text for text, _, _ in owned], against)
        for copied in compared.copied:
            _, entry, line = owned[copied.text]
            self._note(line, entry.id, [copied.fault])
        return {"files": compared.files, "words": compared.words}
