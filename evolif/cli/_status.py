"""`evolif status`: a look at an evaluation from another shell."""

from __future__ import annotations

import time
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from evolif.cli._options import Config, JsonFlag, Prices

if TYPE_CHECKING:
    from evolif.money import PriceTable
    from evolif.watch import RunStatus


def status(
    run: Annotated[Path, typer.Argument(metavar="RUN", help="A folder that evaluate writes, or has written.")],
    seconds: Annotated[
        float,
        typer.Option(min=0, max=3600, envvar="EVOLIF_SECONDS", help="How long to look for a rate; 0 tells none."),
    ] = 2.0,
    prices: Prices = None,
    json_output: JsonFlag = False,
    config: Config = None,
) -> None:
    """Show how far an evaluation is, from another shell; the run is only read."""
    from evolif.money import load_prices

    table = load_prices(prices)
    now = _look(run, table)
    rate = None
    if seconds and now.turns_left:
        before, started = now.turns, time.monotonic()
        time.sleep(seconds)
        now = _look(run, table)
        rate = (now.turns - before) / (time.monotonic() - started)
    if json_output:
        import json
        from dataclasses import asdict

        typer.echo(json.dumps({**asdict(now), "turns_per_second": rate}, allow_nan=False))
        return
    from evolif.report import Terminal, status_lines, status_table

    console = Terminal()
    if console.is_terminal:
        console.print(status_table(now, rate))
        return
    for line in status_lines(now, rate):
        typer.echo(line)


def _look(folder: Path, table: PriceTable) -> RunStatus:
    from evolif.money import quotes_of
    from evolif.protocol import load_run
    from evolif.watch import snapshot

    with closing(load_run(folder, read_only=True)) as run:
        return snapshot(run, quotes_of(run.settings, table))
