"""`evolif merge`: join parts of a run that several machines have played."""

from __future__ import annotations

import json
import shlex
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from evolif.cli.console import show
from evolif.cli.report import write_text
from evolif.text import plural

if TYPE_CHECKING:
    from collections.abc import Iterator

    from evolif.runner import Run
    from evolif.runner.merging import Merged


def merge(
    shards: Annotated[
        list[Path], typer.Argument(metavar="SHARD...", help="Folders of runs, in any order; they are only read.")
    ],
    *,
    out: Annotated[
        Path,
        # EVOLIF_OUT is where evaluate plays.
        typer.Option("--out", "-o", envvar="EVOLIF_MERGE_OUT", metavar="RUN", help="The new run's folder."),
    ],
    json_file: Annotated[
        str | None,
        typer.Option("--json", envvar="EVOLIF_MERGE_JSON", metavar="FILE|-", help="Write JSON; - is standard output."),
    ] = None,
) -> None:
    """Join runs of one benchmark and settings, such as parts of a run that several machines have played.

    They may differ in models, dialogues (evolif evaluate --dialogues A-B) and epochs. Answers keep their seals, which
    are checked; a session that is in several runs counts once, as far as it was played; all costs are kept. The same
    runs in any order give the same bytes. A run that is being evaluated is refused, and so are different answers of one
    session.
    """
    from evolif.runner import load_run
    from evolif.runner.merging import merge_runs

    merged = merge_runs(shards, out)
    with closing(load_run(out)) as run:
        told, lines = _object(merged, run), list(_lines(merged, run))
    if json_file is not None:
        write_text(json_file, json.dumps(told, ensure_ascii=False, indent=1) + "\n")
    if json_file != "-":
        show(lines)


def _object(merged: Merged, run: Run) -> dict[str, Any]:
    """What was merged, for machines."""
    return {
        "run": str(merged.path),
        "is_new": merged.is_new,
        "models": list(run.models),
        "dialogues": len(run.settings.dialogues),
        "epochs": run.settings.epochs,
        "sessions": merged.sessions,
        "turns": merged.turns,
        "sessions_in_several": merged.in_several,
        "sessions_not_ended": run.suspended(),
        "sessions_not_begun": run.unbegun(),
        "shards": [{"run": str(part.root), "sessions": part.sessions, "turns": part.turns} for part in merged.parts],
    }


def _lines(merged: Merged, run: Run) -> Iterator[str]:
    if not merged.is_new:
        yield f"{merged.path} was merged from exactly these runs before; nothing to do."
    yield f"{merged.path}: {plural(merged.sessions, 'session')}, {plural(merged.turns, 'turn')}."
    for part in merged.parts:
        yield f"  {part.root}: {plural(part.sessions, 'session')}, {plural(part.turns, 'turn')}"
    if merged.in_several:
        yield f"Sessions that are in several of these, and count once: {merged.in_several}."
    left = run.suspended() + sum(run.unbegun().values())
    folder = shlex.quote(str(merged.path))
    if left:
        yield (
            f"{plural(left, 'session')} of {len(run.models) * len(run.settings.dialogues) * run.settings.epochs} "
            f"{'has' if left == 1 else 'have'} not ended; evolif evaluate with the settings of the runs and "
            f"--out {folder} plays them."
        )
    yield "Next:"
    yield f"  evolif report {folder}"
