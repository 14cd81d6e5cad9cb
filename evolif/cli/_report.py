"""`evolif report`: the figures of finished or running evaluations."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from evolif.cli._options import Config, Prices, Resamples


def report(
    runs: Annotated[list[Path], typer.Argument(metavar="RUN...", help="Folders made by evaluate.")],
    json_file: Annotated[
        str | None,
        typer.Option("--json", envvar="EVOLIF_JSON", metavar="FILE|-", help="Write JSON; - is standard output."),
    ] = None,
    seed: Annotated[int, typer.Option(min=0, envvar="EVOLIF_SEED", help="Seed of the bootstrap.")] = 0,
    resamples: Resamples = 2_000,
    prices: Prices = None,
    config: Config = None,
) -> None:
    """Show the eight metrics with 95 % intervals, satisfaction per group, and what is left out."""
    from evolif.money import load_prices
    from evolif.protocol import load_run
    from evolif.report import print_report, summarise

    table = load_prices(prices)
    opened = [load_run(path) for path in runs]
    told = [(run, summarise(run, seed=seed, resamples=resamples)) for run in opened]
    if json_file is not None:
        import json

        from evolif.report import report_object

        _write(json_file, json.dumps(report_object(told), ensure_ascii=False, allow_nan=False, indent=1) + "\n")
    if json_file != "-":
        from evolif.report import Terminal

        for run, summaries in told:
            if len(opened) > 1:
                typer.echo(str(run.path))
            print_report(run, summaries, Terminal(), table)
    for run in opened:
        run.close()


def _write(name: str, text: str) -> None:
    from evolif._errors import OutsideError

    if name == "-":
        typer.echo(text, nl=False)
        return
    try:
        Path(name).write_text(text, encoding="utf-8")
    except OSError as fault:
        raise OutsideError(f"{name} cannot be written ({fault.strerror})") from None
