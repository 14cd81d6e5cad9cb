"""`evolif extend`: make a benchmark's dialogues longer."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from evolif.cli._model_options import (
    WORDING,
    BaseUrl,
    Checker,
    MaxConnections,
    MaxRetries,
    MaxTokens,
    Temperature,
    Timeout,
    model_options,
)
from evolif.cli._options import Config, Display


def extend(
    bench: Annotated[Path, typer.Argument(metavar="BENCH", help="The benchmark's folder.")],
    turns: Annotated[int, typer.Option(min=1, envvar="EVOLIF_TURNS", help="Make every dialogue at least so long.")],
    synthesizer: Annotated[
        list[str] | None,
        typer.Option(
            envvar="EVOLIF_SYNTHESIZER",
            metavar="template|PROVIDER/NAME",
            rich_help_panel=WORDING,
            help="Where its chat models are reached, if their names do not tell; template stands in for all.",
        ),
    ] = None,
    checker: Checker = None,
    temperature: Temperature = None,
    max_tokens: MaxTokens = None,
    max_connections: MaxConnections = None,
    max_retries: MaxRetries = 5,
    timeout: Timeout = None,
    base_url: BaseUrl = None,
    display: Display = "auto",
    config: Config = None,
) -> None:
    """Append turns to every dialogue; what is there stays as it is."""
    from evolif.authoring import extend as lengthen
    from evolif.benchmark import Benchmark
    from evolif.cli._display import choose
    from evolif.cli._wording_display import tell_rates, wording
    from evolif.report import plain

    opened = Benchmark(bench, notify=lambda sentence: typer.echo(plain(sentence), err=True))
    options = model_options(
        base_url=base_url,
        max_retries=max_retries,
        timeout=timeout,
        temperature=temperature,
        max_tokens=max_tokens,
        max_connections=max_connections,
        seed=opened.header.spec.seed,
    )
    with wording(choose(display), turns) as observe:
        made = lengthen(
            opened, turns, synthesizers=synthesizer or [], checker=checker, options=options, observe=observe
        )
    typer.echo(f"{bench}: {made} turns added; every dialogue has at least {turns}")
    for line in tell_rates(opened):
        typer.echo(plain(line))
