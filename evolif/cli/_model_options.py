"""Options of verbs that have chat models word turns."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from evolif.authoring import Options

Checker = Annotated[
    str | None,
    typer.Option(
        envvar="EVOLIF_CHECKER", metavar="PROVIDER/NAME", help="A chat model that checks what rules cannot know."
    ),
]
Temperature = Annotated[
    float | None,
    typer.Option(min=0, envvar="EVOLIF_TEMPERATURE", help="Of synthesizers; the provider's default where not given."),
]
MaxTokens = Annotated[
    int | None,
    typer.Option(
        min=1, envvar="EVOLIF_MAX_TOKENS", help="Longest answer of a synthesizer; the provider's default (local: 200)."
    ),
]
MaxConnections = Annotated[
    int | None,
    typer.Option(
        min=1, envvar="EVOLIF_MAX_CONNECTIONS", help="Dialogues side by side per synthesizer; adaptive by default."
    ),
]
MaxRetries = Annotated[
    int, typer.Option(min=0, envvar="EVOLIF_MAX_RETRIES", help="Repeats of a request that may pass later.")
]
Timeout = Annotated[
    float | None,
    typer.Option(min=0.001, envvar="EVOLIF_TIMEOUT", help="Seconds for one request (120; local models 600)."),
]
BaseUrl = Annotated[
    str | None, typer.Option(envvar="EVOLIF_BASE_URL", help="Endpoint of the synthesizers that name none.")
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
