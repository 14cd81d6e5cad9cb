"""`evolif topics`: check topic files, and have a chat model write new ones."""

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
    from evolif.cli._catalogue_options import tell_report

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
    """Have a chat model write topics of a domain, each linted against all others. The same command goes on."""
    from evolif.catalogue import Reach, write_topics
    from evolif.cli._catalogue_options import fresh_seed, making, tell_made
    from evolif.cli._display import choose
    from evolif.report import plain

    reach = Reach(model, base_url, max_retries, timeout, temperature, max_tokens, max_connections)
    with making(choose(display), "topic", out) as observe:
        made = write_topics(out, domain, count, reach, seed=fresh_seed(seed), observe=observe)
    tell_made(made, f"topics on {plain(' '.join(domain.split()))}", out)
    typer.echo(f"Next: evolif review --topics {plain(str(out))}  (two people verify each topic)")
