"""Options of the verbs that ask models in a run: what is played, who judges, how models are asked, what it may cost."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

SESSIONS = "Sessions"
JUDGES = "Judges"
MISSING = "Turns that are missing"
ASKING = "How models are asked"
MONEY = "Money, and an early end"
CACHE = "Cache"

Models = Annotated[
    list[str],
    typer.Option("--model", "-m", envvar="EVOLIF_MODEL", metavar="PROVIDER/NAME", help="May be given repeatedly."),
]
Patience = Annotated[
    int | None,
    typer.Option(
        min=1,
        envvar="EVOLIF_PATIENCE",
        metavar="N",
        rich_help_panel=SESSIONS,
        help="Failed turns in a row that end a session (the profile's 3).",
    ),
]
MaxTurns = Annotated[
    int | None,
    typer.Option(
        min=1, envvar="EVOLIF_MAX_TURNS", metavar="N", rich_help_panel=SESSIONS, help="The cap (the profile's 50)."
    ),
]
Limit = Annotated[
    int | None,
    typer.Option(
        min=1, envvar="EVOLIF_LIMIT", metavar="N", rich_help_panel=SESSIONS, help="Only the first so many dialogues."
    ),
]
Epochs = Annotated[
    int,
    typer.Option(
        min=1, envvar="EVOLIF_EPOCHS", metavar="N", rich_help_panel=SESSIONS, help="How often every dialogue is played."
    ),
]
Fork = Annotated[
    Path | None,
    typer.Option(
        envvar="EVOLIF_FORK",
        metavar="NEW",
        rich_help_panel=SESSIONS,
        help="Start a run from what --out shares with these settings; nothing shared is asked again.",
    ),
]
SystemPrompt = Annotated[
    bool,
    typer.Option(
        envvar="EVOLIF_SYSTEM_PROMPT", rich_help_panel=SESSIONS, help="Explain scoped constraints to the model."
    ),
]
Temperature = Annotated[
    float | None,
    typer.Option(
        min=0,
        envvar="EVOLIF_TEMPERATURE",
        metavar="X",
        rich_help_panel=SESSIONS,
        help="The provider's default where not given.",
    ),
]
MaxTokens = Annotated[
    int | None,
    typer.Option(
        min=1,
        envvar="EVOLIF_MAX_TOKENS",
        metavar="N",
        rich_help_panel=SESSIONS,
        help="Longest answer in tokens; the provider's default.",
    ),
]
Seed = Annotated[
    int,
    typer.Option(
        min=0, envvar="EVOLIF_SEED", metavar="N", rich_help_panel=SESSIONS, help="Seeds sampling and intervals."
    ),
]
JudgeRule = Annotated[
    str,
    typer.Option(
        envvar="EVOLIF_JUDGE_RULE",
        metavar="mean|majority|median",
        rich_help_panel=JUDGES,
        help="How a panel comes to a verdict.",
    ),
]
Synthesizers = Annotated[
    list[str] | None,
    typer.Option(
        "--synthesizer",
        envvar="EVOLIF_SYNTHESIZER",
        metavar="template|PROVIDER/NAME",
        rich_help_panel=MISSING,
        help="Who words missing turns, where the benchmark's names do not tell how to reach them.",
    ),
]
Checker = Annotated[
    str | None,
    typer.Option(
        envvar="EVOLIF_CHECKER",
        metavar="PROVIDER/NAME",
        rich_help_panel=MISSING,
        help="A chat model that checks what rules cannot know.",
    ),
]
MaxConnections = Annotated[
    int | None,
    typer.Option(
        min=1,
        envvar="EVOLIF_MAX_CONNECTIONS",
        metavar="N",
        rich_help_panel=ASKING,
        help="Requests side by side per model, for good. By default it follows what the endpoint stands, up to 200; "
        "local models 1.",
    ),
]
MaxRetries = Annotated[
    int,
    typer.Option(
        min=0,
        envvar="EVOLIF_MAX_RETRIES",
        metavar="N",
        rich_help_panel=ASKING,
        help="Repeats of a request that may pass later.",
    ),
]
Timeout = Annotated[
    float | None,
    typer.Option(
        min=0.001,
        envvar="EVOLIF_TIMEOUT",
        metavar="SECONDS",
        rich_help_panel=ASKING,
        help="For one attempt (120; local models 600). A call is not repeated after ten minutes, or two attempts of "
        "this length.",
    ),
]
BaseUrl = Annotated[
    str | None,
    typer.Option(
        envvar="EVOLIF_BASE_URL",
        metavar="URL",
        rich_help_panel=ASKING,
        help="Endpoint of the models under test that name none.",
    ),
]
Engine = Annotated[
    str,
    typer.Option(
        envvar="EVOLIF_ENGINE",
        metavar="asyncio|ray",
        rich_help_panel=ASKING,
        help="ray plays on a cluster (extra ray).",
    ),
]
RayAddress = Annotated[
    str | None,
    typer.Option(
        envvar="EVOLIF_RAY_ADDRESS",
        metavar="HOST:PORT",
        rich_help_panel=ASKING,
        help="The Ray cluster; one of this machine by default.",
    ),
]
BudgetUsd = Annotated[
    float | None,
    typer.Option(
        min=0,
        envvar="EVOLIF_BUDGET_USD",
        metavar="USD",
        rich_help_panel=MONEY,
        help="US dollars for the whole run, what it spent before too.",
    ),
]
BudgetTokens = Annotated[
    int | None,
    typer.Option(
        min=0,
        envvar="EVOLIF_BUDGET_TOKENS",
        metavar="N",
        rich_help_panel=MONEY,
        help="Tokens for the whole run, of all its models, what it spent before too.",
    ),
]
Prices = Annotated[
    Path | None,
    typer.Option(
        "--prices",
        envvar="EVOLIF_PRICES",
        metavar="FILE",
        rich_help_panel=MONEY,
        help="Prices per million tokens, over the packaged ones.",
    ),
]
StopWhen = Annotated[
    str | None,
    typer.Option(
        envvar="EVOLIF_STOP_WHEN",
        metavar="METRIC=HALF-WIDTH",
        rich_help_panel=MONEY,
        help="End early once every model's interval is narrower, e.g. rob=0.03.",
    ),
]
DryRun = Annotated[
    bool,
    typer.Option(
        "--dry-run",
        envvar="EVOLIF_DRY_RUN",
        rich_help_panel=MONEY,
        help="Say what would be asked and what it may cost, and ask nothing.",
    ),
]
Like = Annotated[
    Path | None,
    typer.Option(
        envvar="EVOLIF_LIKE",
        metavar="RUN",
        rich_help_panel=MONEY,
        help="With --dry-run: expect what this earlier run came to.",
    ),
]
Cache = Annotated[
    bool,
    typer.Option(
        envvar="EVOLIF_CACHE", rich_help_panel=CACHE, help="Do not ask again what any run with this cache has asked."
    ),
]
CacheDir = Annotated[
    Path | None,
    typer.Option(
        envvar="EVOLIF_CACHE_DIR",
        metavar="DIR",
        rich_help_panel=CACHE,
        help="The cache's folder (the user's own); implies it.",
    ),
]
ExplainCache = Annotated[
    bool,
    typer.Option(
        envvar="EVOLIF_EXPLAIN_CACHE",
        rich_help_panel=CACHE,
        help="Say of what the cache does not know what is nearest; implies it.",
    ),
]
