"""Options of verbs that have chat models word turns."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from evolif.authoring import Options

WORDING = "Chat models that word turns"

Checker = Annotated[
    str | None,
    typer.Option(
        envvar="EVOLIF_CHECKER",
        metavar="PROVIDER/NAME",
        rich_help_panel=WORDING,
        help="A chat model that checks what rules cannot know.",
    ),
]
Temperature = Annotated[
    float | None,
    typer.Option(
        min=0,
        envvar="EVOLIF_TEMPERATURE",
        rich_help_panel=WORDING,
        help="The provider's default where not given.",
    ),
]
MaxTokens = Annotated[
    int | None,
    typer.Option(
        min=1,
        envvar="EVOLIF_MAX_TOKENS",
        rich_help_panel=WORDING,
        help="Longest answer in tokens; the provider's default (local: 200).",
    ),
]
MaxConnections = Annotated[
    int | None,
    typer.Option(
        min=1,
        envvar="EVOLIF_MAX_CONNECTIONS",
        rich_help_panel=WORDING,
        help="Requests side by side per model, a dialogue each. By default it follows what the endpoint stands, up to "
        "200; local models 1.",
    ),
]
MaxRetries = Annotated[
    int,
    typer.Option(
        min=0,
        envvar="EVOLIF_MAX_RETRIES",
        rich_help_panel=WORDING,
        help="Repeats of a request that may pass later.",
    ),
]
Timeout = Annotated[
    float | None,
    typer.Option(
        min=0.001,
        envvar="EVOLIF_TIMEOUT",
        metavar="SECONDS",
        rich_help_panel=WORDING,
        help="For one attempt (120; local models 600).",
    ),
]
BaseUrl = Annotated[
    str | None,
    typer.Option(
        envvar="EVOLIF_BASE_URL", metavar="URL", rich_help_panel=WORDING, help="Endpoint of the models that name none."
    ),
]


def model_options(
    *,
    base_url: str | None,
    max_retries: int,
    timeout: float | None,
    temperature: float | None,
    max_tokens: int | None,
    max_connections: int | None,
    seed: int = 0,
) -> Options:
    """The options of a call, together."""
    from evolif.authoring import Options

    return Options(
        base_url=base_url,
        max_retries=max_retries,
        timeout=timeout,
        temperature=temperature,
        max_tokens=max_tokens,
        max_connections=max_connections,
        seed=seed,
    )
