"""`evolif import`: exports, and files of the EvolIF authors, back into a benchmark."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from evolif.cli._options import Config, Display, JsonFlag

if TYPE_CHECKING:
    from evolif.exchange import Imported


def import_(
    source: Annotated[
        Path,
        typer.Argument(metavar="SOURCE", help="A .jsonl, .parquet or .arrow file, or a folder of them."),
    ],
    out: Annotated[Path, typer.Argument(metavar="OUT", help="The benchmark's folder; new or empty.")],
    as_json: JsonFlag = False,
    display: Display = "auto",
    config: Config = None,
) -> None:
    """Import what export wrote, or the EvolIF authors' files, as a benchmark; says what of it can be satisfied."""
    from evolif.cli._display import choose, counting
    from evolif.exchange import import_benchmark
    from evolif.report import plain

    with counting(choose(display), "importing") as progress:
        done = import_benchmark(source, out, progress)
    if as_json:
        import json
        from dataclasses import asdict

        typer.echo(json.dumps({**asdict(done), "path": str(done.path), "ceiling": done.ceiling}))
        return
    for line in _told(done):
        typer.echo(plain(line))


def _told(done: Imported) -> list[str]:
    counts = ", ".join(f"{status} {number}" for status, number in done.status.items())
    lines = [
        f"{done.path}: {done.turns} turns in {done.dialogues} dialogues, from {done.format}",
        f"Can their rule-checked part be satisfied? {counts}; {100 * done.ceiling:.1f} % have a witness.",
    ]
    if done.changes["several"] or done.changes["none"]:
        lines.append(
            f"In {done.changes['several']} turns several constraints change, in {done.changes['none']} none does; such "
            "a turn's operation tells no more than the first change."
        )
    if not done.extendable:
        lines.append("It has no script: sessions end where its dialogues end.")
    return lines
