"""`evolif audit`: check that every turn can be satisfied and that its description is correct."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from evolif.cli.console import show_json
from evolif.cli.options import Display, JsonFlag
from evolif.text import plural

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

    from evolif.scenarios.instructions.audit.audit import Audit, AuditedTurn


def audit(
    path: Annotated[
        Path,
        typer.Argument(
            metavar="PATH", help="A benchmark, one of the EvolIF authors' .jsonl files, or a folder of them."
        ),
    ],
    as_json: JsonFlag = False,
    display: Display = "auto",
) -> None:
    """Audit every turn of a benchmark: satisfiable, awkward, impossible or undecided. Exit code 1 on a finding."""
    from evolif.cli.progress import choose, counting
    from evolif.scenarios.instructions.audit import audit as run_audit

    with counting(choose(display), "auditing") as progress:
        audited = run_audit(path, progress)
    if as_json:
        show_json({"turns": [turn.to_object() for turn in audited.turns], "summary": audited.summary})
    else:
        from rich.console import Console

        _print(audited, Console())
    if audited.findings:
        raise typer.Exit(1)


def _print(audited: Audit, console: Console) -> None:
    for table in (_turns_table(audited), _descriptions_table(audited), _queries_table(audited), _files_table(audited)):
        if table.row_count:
            console.print(table)
            console.print()
    for line in _summary_lines(audited.summary):
        console.print(line, markup=False, highlight=False)


def _table(title: str, *columns: str) -> Table:
    from rich.table import Table

    table = Table(title=title, title_justify="left", title_style="bold")
    for name in columns:
        table.add_column(name, overflow="fold")
    return table


def _add(table: Table, *cells: str) -> None:
    """Add a row of plain cells, which are neither markup nor control characters."""
    from rich.text import Text

    from evolif.text import plain

    table.add_row(*(Text(plain(cell)) for cell in cells))


def _turns_table(audited: Audit) -> Table:
    """Turns that are not satisfiable; neighbours with the same reason share a row."""
    from evolif.text import clip

    numbers: dict[tuple[str, str, str], list[int]] = {}
    for turn in audited.turns:
        if turn.reason:
            between = f"{', '.join(turn.conflict)}: " if turn.conflict else ""
            numbers.setdefault((turn.file, turn.status, between + turn.reason), []).append(turn.turn)
    table = _table("Turns with a problem", "file", "turns", "status", "reason")
    for (file, status, why), turns in numbers.items():
        _add(table, file, _ranges(turns), status, clip(why, 400))
    return table


def _descriptions_table(audited: Audit) -> Table:
    numbers: dict[tuple[str, str], list[int]] = {}
    for turn in audited.turns:
        for group in turn.mismatches:
            numbers.setdefault((turn.file, group), []).append(turn.turn)
    table = _table("Descriptions that do not state the parameters", "file", "group", "turns")
    for (file, group), turns in numbers.items():
        _add(table, file, group, _ranges(turns))
    return table


def _queries_table(audited: Audit) -> Table:
    from evolif.text import clip

    table = _table("Queries that do not express their turn's intention", "file", "turn", "finding", "query")
    for turn in audited.turns:
        if turn.query is not None and turn.query.is_finding:
            what = "; ".join(f"{f.checker}: {f.message}" for f in turn.query.findings)
            _add(table, turn.file, str(turn.turn), clip(what, 200), clip(turn.query.text, 200))
    return table


def _ranges(numbers: Sequence[int]) -> str:
    """`3–5, 9`."""
    runs: list[list[int]] = []
    for number in numbers:
        if runs and number == runs[-1][-1] + 1:
            runs[-1][1:] = [number]
        else:
            runs.append([number])
    return ", ".join("–".join(map(str, run)) for run in runs)


def _files_table(audited: Audit) -> Table:
    names = list(audited.summary["status"])
    table = _table("Turns by status, and wrong descriptions (files with findings)", "file", *names, "wrong")
    files: dict[str, list[AuditedTurn]] = {}
    for turn in audited.turns:
        files.setdefault(turn.file, []).append(turn)
    rows = [row for row in files.items() if any(turn.is_finding or turn.status == "undecided" for turn in row[1])]
    for file, turns in [*rows, (f"all {plural(len(files), 'file')}", list(audited.turns))]:
        counts = [str(sum(turn.status == name for turn in turns)) for name in names]
        missed, compared = sum(len(turn.mismatches) for turn in turns), sum(turn.compared for turn in turns)
        _add(table, file, *counts, f"{missed}/{compared}")
    return table


def _summary_lines(summary: Mapping[str, Any]) -> list[str]:
    """The statistics, one line per fact."""
    per_turn, topics = summary["constraints_per_turn"], summary["topics_per_dialogue"]
    lines = [
        f"{plural(summary['turns'], 'turn')} in {plural(summary['dialogues'], 'dialogue')}; "
        f"{plural(summary['findings'], 'turn')} with a finding.",
        f"Moves: {_listed(summary['moves'])}. Operations: {_listed(summary['operations'])}.",
    ]
    if summary["turns"]:
        lines.append(f"Constraints per turn: {per_turn['mean']:.2f}; at turn {_means(per_turn['by_turn'])}; ")
        lines[-1] += f"at the topic's turn {_means(per_turn['by_depth'])}."
        lines.append(f"Topics per dialogue: {topics['mean']:.1f} ({topics['least']} to {topics['most']}).")
    if summary["queries"]["checked"]:
        lines += _query_lines(summary["queries"])
    witnesses = summary["witnesses"]
    if witnesses["stored"]:
        lines.append(f"Stored witnesses: {witnesses['stored']}, of which {witnesses['failing']} fail.")
    return lines


def _query_lines(queries: Mapping[str, Any]) -> list[str]:
    words = queries["wording"]
    return [
        f"Queries: {queries['checked']}, of which {queries['failing_constraint']} "
        f"({100 * queries['share_failing_constraint']:.2f} %) fail a constraint checker and {queries['failing_topic']} "
        f"({100 * queries['share_failing_topic']:.2f} %) the topic checker; {queries['repaired']} were repaired by the "
        f"synthesizer, {queries['adjusted']} adjusted by people; {_listed(queries['status'])}.",
        f"Wording: {words['distinct']} distinct queries, {words['words']:.0f} words on average; share of distinct "
        f"2-grams {words['distinct_2'] or 0:.2f}, distinct 4-grams {words['distinct_4'] or 0:.2f}, distinct openings "
        f"{words['openings'] or 0:.2f}.",
    ]


def _listed(counts: dict[str, int]) -> str:
    total = sum(counts.values()) or 1
    return ", ".join(f"{name} {count} ({100 * count / total:.0f} %)" for name, count in counts.items() if count)


def _means(means: dict[str, float | None]) -> str:
    return ", ".join(f"{at}: {mean:.2f}" for at, mean in means.items() if mean is not None)
