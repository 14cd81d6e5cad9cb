"""`evolif topics lint` and `evolif personas lint`: every finding of a file, in one pass over its lines."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from evolif.errors import InputError
from evolif.scenarios.instructions.catalogue.entries import LintFinding, LintReport, RuleFault, read_rows
from evolif.scenarios.instructions.catalogue.index import E, EntryKind
from evolif.scenarios.instructions.catalogue.personas import PERSONAS
from evolif.scenarios.instructions.catalogue.samples import compare
from evolif.scenarios.instructions.catalogue.topics import TOPICS


def lint_topics(path: Path, against: Sequence[Path] = ()) -> LintReport:
    """Check a topic file.

    Args:
        path: A JSONL file, one topic a line.
        against: Files and folders of foreign texts; no prompt may share eight consecutive words with them.

    Raises:
        InputError: the file, or a sample, cannot be read, or is empty.
    """
    return _lint(path, TOPICS, against)


def lint_personas(path: Path, against: Sequence[Path] = ()) -> LintReport:
    """Check a persona file.

    Args:
        path: A JSONL file, one persona a line.
        against: Files and folders of foreign texts; no sentence may share eight consecutive words with them.

    Raises:
        InputError: the file, or a sample, cannot be read, or is empty.
    """
    return _lint(path, PERSONAS, against)


def _lint(path: Path, kind: EntryKind[E], against: Sequence[Path]) -> LintReport:
    index = kind.index()
    entries: list[tuple[E, int]] = []
    findings: list[LintFinding] = []

    def report(line: int, name: object, faults: Sequence[RuleFault]) -> None:
        entry = name[:40] if isinstance(name, str) else ""
        findings.extend(LintFinding(str(path), line, entry, f.rule, f.message, f.mend) for f in faults)

    rows = silent = 0
    for row in read_rows(path):
        rows += 1
        report(row.line, "", row.faults)
        if row.data is None:
            continue
        entry, faults = kind.read(row.data)
        if entry is not None:
            faults += [*kind.faults(entry), *index.clashes(entry)]
            index.add(entry, row.line)
            silent += kind is TOPICS and "asker" not in row.data
            entries.append((entry, row.line))
        report(row.line, row.data.get("id"), faults)
    for number, fault in index.late_clashes():
        entry, line = entries[number]
        report(line, entry.id, [fault])
    if not rows:
        raise InputError(f"contains no {kind.name}", path=path)
    samples = {}
    if against:
        texts = [(text, entry, line) for entry, line in entries for text in kind.texts(entry)]
        compared = compare([text for text, _, _ in texts], against)
        for number, fault in compared.copied:
            _, entry, line = texts[number]
            report(line, entry.id, [fault])
        samples = {"files": compared.files, "words": compared.words}
    counts = Counter(kind.group(entry) for entry, _ in entries)
    return LintReport(
        kind=kind.name,
        file=str(path),
        entries=rows,
        findings=tuple(sorted(findings, key=lambda finding: finding.line)),
        nearest=index.nearest(),
        counts=dict(counts.most_common()),
        samples=samples,
        notes=_notes(silent),
    )


def _notes(silent: int) -> tuple[str, ...]:
    if not silent:
        return ()
    who = "topic does not say what it presupposes" if silent == 1 else "topics do not say what they presuppose"
    return (
        f"{silent} {who} of whoever asks (“asker”, a list of facts, empty for nothing), so one person may be given "
        "lives that contradict each other.",
    )
