"""`evolif topics`: check topic files, and have a chat model write new ones."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from evolif.cli.options import (
    Against,
    CatalogueBaseUrl,
    CatalogueMaxConnections,
    CatalogueMaxTokens,
    CatalogueSeed,
    CatalogueTemperature,
    Config,
    Display,
    JsonFlag,
    WordingMaxRetries,
    WordingTimeout,
)
from evolif.errors import UsageError

topics_app = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    help="Check topics, or write those of another domain. Exit code of lint 1 on a finding.",
)


@topics_app.command("lint")
def lint(
    file: Annotated[Path | None, typer.Argument(metavar="FILE", help="Topics, JSONL.")] = None,
    against: Against = None,
    as_json: JsonFlag = False,
    config: Config = None,
) -> None:
    """Check a topic file: every finding with its line and mend, and the nearest pairs. Exit code 1 on a finding."""
    from evolif.catalogue import lint_topics
    from evolif.cli.options import tell_report

    if file is None:
        raise UsageError(
            "name the file to check: evolif topics lint my-topics.jsonl (a topic a line, with id, prompt and keywords; "
            "`evolif topics write` makes one)"
        )
    tell_report(lint_topics(file, against or ()), as_json=as_json)


@topics_app.command("write")
def write(
    domain: Annotated[
        str, typer.Option(envvar="EVOLIF_DOMAIN", metavar="WORDS", help="What the topics are about: “beekeeping”.")
    ],
    model: Annotated[
        str,
        typer.Option(
            "--model",
            "-m",
            envvar="EVOLIF_TOPICS_MODEL",
            metavar="PROVIDER/NAME",
            help="The chat model that is asked.",
        ),
    ],
    count: Annotated[
        int, typer.Option(min=1, envvar="EVOLIF_COUNT", help="Topics of the domain that OUT should hold in the end.")
    ] = 50,
    out: Annotated[
        Path,
        typer.Option(
            "--out", "-o", envvar="EVOLIF_TOPICS_OUT", metavar="FILE", help="Where they go, JSONL; appended to."
        ),
    ] = Path("topics.jsonl"),
    seed: CatalogueSeed = None,
    temperature: CatalogueTemperature = None,
    max_tokens: CatalogueMaxTokens = None,
    max_connections: CatalogueMaxConnections = None,
    max_retries: WordingMaxRetries = 5,
    timeout: WordingTimeout = None,
    base_url: CatalogueBaseUrl = None,
    display: Display = "auto",
    config: Config = None,
) -> None:
    """Have a chat model write topics of a domain, each linted against all others. The same command goes on."""
    from evolif.catalogue import write_topics
    from evolif.cli.options import fresh_seed, making, tell_made
    from evolif.cli.progress import choose
    from evolif.models import ModelOptions
    from evolif.report import plain

    options = ModelOptions(base_url, max_retries, timeout, temperature, max_tokens, max_connections)
    with making(choose(display), "topic", out) as observe:
        made = write_topics(out, domain, count, model, seed=fresh_seed(seed), options=options, observe=observe)
    tell_made(made, f"topics on {plain(' '.join(domain.split()))}", out)
    typer.echo(f"Next: evolif review --topics {plain(str(out))}  (two people verify each topic)")


# `evolif personas`: check persona files, and have a chat model infer new ones.

personas_app = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    help="Check personas, or infer speaking styles from messages. Exit code of lint 1 on a finding.",
)


@personas_app.command("lint")
def lint_personas(
    file: Annotated[Path | None, typer.Argument(metavar="FILE", help="Personas, JSONL.")] = None,
    against: Against = None,
    as_json: JsonFlag = False,
    config: Config = None,
) -> None:
    """Check a persona file: every finding with its line and mend, and the nearest pairs. Exit code 1 on a finding."""
    from evolif.catalogue import lint_personas
    from evolif.cli.options import tell_report

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
    seed: CatalogueSeed = None,
    temperature: CatalogueTemperature = None,
    max_tokens: CatalogueMaxTokens = None,
    max_connections: CatalogueMaxConnections = None,
    max_retries: WordingMaxRetries = 5,
    timeout: WordingTimeout = None,
    base_url: CatalogueBaseUrl = None,
    display: Display = "auto",
    config: Config = None,
) -> None:
    """Have a chat model infer a speaking style from each message, without what identifies. The same command goes on."""
    from evolif.catalogue import infer_personas
    from evolif.cli.options import fresh_seed, making, tell_made
    from evolif.cli.progress import choose
    from evolif.models import ModelOptions

    options = ModelOptions(base_url, max_retries, timeout, temperature, max_tokens, max_connections)
    with making(choose(display), "persona", out) as observe:
        made = infer_personas(source, out, model, seed=fresh_seed(seed), limit=limit, options=options, observe=observe)
    tell_made(made, "personas", out)
