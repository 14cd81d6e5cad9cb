"""`evolif extend`: make a benchmark's dialogues longer."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from evolif.cli._options import Config


def extend(
    bench: Annotated[Path, typer.Argument(metavar="BENCH", help="The benchmark's folder.")],
    turns: Annotated[int, typer.Option(min=1, envvar="EVOLIF_TURNS", help="Make every dialogue at least so long.")],
    config: Config = None,
) -> None:
    """Append turns to every dialogue; what is there stays as it is."""
    from evolif.benchmark import Benchmark

    opened = Benchmark(bench, notify=lambda sentence: typer.echo(sentence, err=True))
    made = opened.extend(turns)
    typer.echo(f"{bench}: {made} turns added; every dialogue has at least {turns}")
