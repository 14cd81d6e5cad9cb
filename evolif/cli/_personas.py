"""`evolif personas`: check persona files, and have a chat model infer new ones."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from evolif._errors import UsageError
from evolif.cli._catalogue_options import (
    Against,
    BaseUrl,
    MaxConnections,
    MaxTokens,
    Seed,
    Temperature,
)
from evolif.cli._model_options import MaxRetries, Timeout
from evolif.cli._options import Config, Display, JsonFlag

personas_app = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    help="Check personas, or infer speaking styles from messages. Exit code of lint 1 on a finding.",
)


@personas_app.command("lint")
def lint(
    file: Annotated[Path | None, typer.Argument(metavar="FILE", help="Personas, JSONL.")] = None,
    against: Against = None,
    as_json: JsonFlag = False,
    config: Config = None,
) -> None:
    """Check a persona file: every finding with its line and mend, and the nearest pairs. Exit code 1 on a finding."""
    from evolif.catalogue import lint_personas
    from evolif.cli._catalogue_options import tell_report

    if file is None:
        raise UsageError(
            "name the file to check: evolif personas lint my-personas.jsonl (one persona a line, with id, sentence and "
            "phrases; `evolif personas infer` makes one)"
        )
    tell_report(lint_personas(file, against or ()), as_json=as_json)


@personas_app.command("infer")
def infer(
    source: Annotated[
        Path,
        typer.Option(
            "--from", envvar="EVOLIF_FROM", metavar="FILE", help="Messages, or lines about people: text or JSONL."
        ),
    ],
    model: Annotated[
        str,
        typer.Option(
            "--model",
            "-m",
            envvar="EVOLIF_PERSONAS_MODEL",
            metavar="PROVIDER/NAME",
            help="The chat model that is asked.",
        ),
    ],
    out: Annotated[
        Path,
        typer.Option(
            "--out", "-o", envvar="EVOLIF_PERSONAS_OUT", metavar="FILE", help="Where they go, JSONL; appended to."
        ),
    ] = Path("personas.jsonl"),
    limit: Annotated[
        int | None, typer.Option(min=1, envvar="EVOLIF_PERSONAS_LIMIT", help="Only the first so many messages.")
    ] = None,
    seed: Seed = None,
    temperature: Temperature = None,
    max_tokens: MaxTokens = None,
    max_connections: MaxConnections = None,
    max_retries: MaxRetries = 5,
    timeout: Timeout = None,
    base_url: BaseUrl = None,
    display: Display = "auto",
    config: Config = None,
) -> None:
    """Have a chat model infer a speaking style from each message, without what identifies. The same command goes on."""
    from evolif.catalogue import Reach, infer_personas
    from evolif.cli._catalogue_options import fresh_seed, making, tell_made
    from evolif.cli._display import choose

    reach = Reach(model, base_url, max_retries, timeout, temperature, max_tokens, max_connections)
    with making(choose(display), "persona", out) as observe:
        made = infer_personas(source, out, reach, seed=fresh_seed(seed), limit=limit, observe=observe)
    tell_made(made, "personas", out)
