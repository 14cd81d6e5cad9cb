"""`evolif board add` and `evolif board check`: runs handed in to a board, and why one is refused."""

from __future__ import annotations

import os
import re
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from evolif.cli.console import show, show_json
from evolif.cli.options import JsonFlag
from evolif.errors import OutsideError, UsageError
from evolif.text import plain, plural, unhidden

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from evolif.board.checks import Examined

Benchmarks = Annotated[
    list[Path] | None,
    typer.Option(
        "--benchmark",
        envvar="EVOLIF_BOARD_BENCHMARK",
        metavar="BENCH",
        help="A benchmark that the board is about: what was asked is compared with it. Repeat the flag for more; by "
        "default those of the runs on the board.",
    ),
]
Verify = Annotated[bool, typer.Option(help="Judge the stored answers again by rules.")]
_SUMMARY = "GITHUB_STEP_SUMMARY"


def add(
    run: Annotated[Path, typer.Argument(metavar="RUN", help="The run's folder; it is only read.")],
    *,
    board: Annotated[
        Path, typer.Option("--board", envvar="EVOLIF_BOARD", metavar="DIR", help="The board's folder.")
    ] = Path("board"),
    benchmark: Benchmarks = None,
    name: Annotated[
        str,
        typer.Option(
            envvar="EVOLIF_BOARD_NAME", metavar="NAME", help="What the run is called there; by default its model."
        ),
    ] = "",
    verify: Verify = True,
    new_column: Annotated[
        bool, typer.Option("--new-column", help="Take a cap, a patience or a judge that no run on the board has.")
    ] = False,
    as_json: JsonFlag = False,
) -> None:
    """Check a run and put a copy of it on a board, in DIR/runs; exit code 1 if it is refused, with the reasons.

    Checked are seals, verdicts (judged again by rules), benchmark, canary, completeness, settings and names. Page and
    data are built again. A run that was continued takes the place of the earlier one of its name.
    """
    from evolif.board.submissions import Rules, add_run

    rules = Rules(tuple(benchmark or ()), verify, new_column)
    made = add_run(run, board, name=name, rules=rules)
    if as_json:
        show_json({"taken": made.is_taken, "was_there": made.was_there, **_object(made.examined)})
    else:
        show(_lines(made.examined))
        if made.is_taken:
            show([f"{'There already' if made.was_there else 'Taken'}: {made.folder}", f"Board: {made.page}"])
    if not made.is_taken:
        raise typer.Exit(1)


def check(
    board: Annotated[Path, typer.Argument(metavar="DIR", help="The board's folder.")] = Path("board"),
    *,
    run: Annotated[
        list[str] | None,
        typer.Option(
            envvar="EVOLIF_BOARD_RUN", metavar="NAME", help="Only this run of DIR/runs, compared with the others there."
        ),
    ] = None,
    base: Annotated[
        Path | None,
        typer.Option(
            envvar="EVOLIF_BOARD_BASE",
            metavar="DIR",
            help="The board before a change: only what was added or changed since is checked, and compared with it.",
        ),
    ] = None,
    benchmark: Benchmarks = None,
    verify: Verify = True,
    github: Annotated[
        bool, typer.Option("--github", help=f"Write a summary in Markdown to the file that ${_SUMMARY} names.")
    ] = False,
    as_json: JsonFlag = False,
) -> None:
    """Check runs that lie in DIR/runs, as a pull request adds them. Exit code 1 on a finding; nothing is written.

    The checks are those of evolif board add.
    """
    from evolif.board.submissions import Rules, check_board

    summary = _summary_file() if github else None
    found = check_board(board, names=run or (), base=base, rules=Rules(tuple(benchmark or ()), verify))
    if as_json:
        show_json([_object(one) for one in found])
    else:
        show(line for one in found for line in _lines(one))
        show([_verdict(found)])
    if summary is not None:
        _append(summary, "\n".join(_markdown(found)) + "\n")
    if any(one.findings for one in found):
        raise typer.Exit(1)


def _line(text: str) -> str:
    """A text on one line, in which no log of a workflow finds a command."""
    return plain(" ".join(text.split())).replace("##[", "# #[").replace("::", ": :")


def _verdict(found: Sequence[Examined]) -> str:
    refused = sum(bool(one.findings) for one in found)
    if not found:
        return "Nothing to check: no run was added or changed."
    if not refused:
        return f"{plural(len(found), 'run')} checked, nothing found."
    return f"{plural(len(found), 'run')} checked, {refused} refused."


def _lines(found: Examined) -> Iterator[str]:
    """What was found of a run: its size, the findings, the notes."""
    yield _line(f"{found.name}: {_extent(found)}")
    yield from (f"  refused, {_line(f'{one.check}: {one.sentence}')}" for one in found.findings)
    yield from (f"  {_line(note)}" for note in found.notes)


def _extent(found: Examined) -> str:
    if not found.models:
        return "not read"
    told = (
        f"{', '.join(found.models)}; {plural(found.sessions, 'session', spec=',')}, "
        f"{plural(found.turns, 'turn', spec=',')}"
    )
    if found.checked is None:
        return told
    judge = f", {found.left_out:,} that only a judge decides taken as they are" if found.left_out else ""
    return f"{told}; {plural(found.checked, 'verdict', spec=',')} judged again{judge}"


def _object(found: Examined) -> dict[str, Any]:
    return {**asdict(found), "refused": bool(found.findings)}


def _markdown(found: Sequence[Examined]) -> Iterator[str]:
    yield f"### {_verdict(found)}"
    for one in found:
        yield ""
        yield f"**{'✗' if one.findings else '✓'} {_escaped(one.name)}**: {_escaped(_extent(one))}"
        yield ""
        yield from (f"- {finding.check}: {_escaped(finding.sentence)}" for finding in one.findings)
        yield from (f"- {_escaped(note)}" for note in one.notes)


_MARKS = re.compile(r"([\\`*_{}\[\]()#+\-.!|~$@:/])")


def _escaped(text: str) -> str:
    """A text as Markdown that shows it as it is: neither markup nor links nor mentions."""
    escaped = unhidden(" ".join(text.split())).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return _MARKS.sub(r"\\\1", escaped)


def _summary_file() -> Path:
    """Where a workflow of GitHub shows a summary.

    Raises:
        UsageError: this is no such workflow.
    """
    name = os.environ.get(_SUMMARY)
    if not name:
        raise UsageError(f"--github: {_SUMMARY} is not set, as it is outside of GitHub Actions; leave --github out")
    return Path(name)


def _append(file: Path, text: str) -> None:
    try:
        with file.open("a", encoding="utf-8") as opened:
            opened.write(text)
    except OSError as fault:
        raise OutsideError(f"{file} cannot be written ({fault.strerror})") from None
