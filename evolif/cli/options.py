"""Options that several verbs share: each is a flag, an `EVOLIF_…` variable and a key of `--config`."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from collections.abc import Callable

    from evolif.catalogue import GenerationResult, LintReport, Pair, Tally
    from evolif.models import ModelOptions


def load_config(ctx: typer.Context, path: Path | None) -> Path | None:
    """Take defaults from a YAML or TOML file; flags and variables win over it."""
    if path is None:
        return None
    from evolif.errors import InputError
    from evolif.resources import load_yaml

    data = _load_toml(path) if path.suffix == ".toml" else load_yaml(path)
    if not isinstance(data, dict) or not all(isinstance(key, str) for key in data):
        raise InputError("a configuration is a mapping of flag names to values", path=path)
    known = {name for command in _commands(ctx) for name in command}
    defaults = {key.replace("-", "_"): value for key, value in data.items() if value is not None}
    unknown = sorted(defaults.keys() - known)
    if unknown:
        flag = unknown[0].replace("_", "-")
        raise InputError(f"unknown key “{flag}”; keys are named like flags, without dashes in front", path=path)
    names, repeatable = _flag_names(ctx.command), _repeatable(ctx.command)
    ctx.default_map = {
        (name := names.get(key, key)): _as_text(value, repeatable=name in repeatable) for key, value in defaults.items()
    }
    return path


def _load_toml(path: Path) -> Any:
    import tomllib

    from evolif.errors import InputError

    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as fault:
        raise InputError(f"cannot be read ({fault.strerror})", path=path) from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as fault:
        raise InputError(f"not TOML: {fault}", path=path) from None


def _flag_names(command: Any) -> dict[str, str]:
    """Flag names of a command (long ones, with underscores) and the parameters they set."""
    names: dict[str, str] = {}
    for parameter in command.params:
        for option in parameter.opts:
            if option.startswith("--"):
                names[option.removeprefix("--").replace("-", "_")] = parameter.name
        names.setdefault(parameter.name, parameter.name)
    return names


def _commands(ctx: typer.Context) -> list[dict[str, str]]:
    root: Any = ctx.find_root().command
    commands = list(getattr(root, "commands", {"": root}).values())
    nested = [verb for command in commands for verb in getattr(command, "commands", {}).values()]
    return [_flag_names(command) for command in (*commands, *nested)]


def _repeatable(command: Any) -> set[str]:
    return {parameter.name for parameter in command.params if getattr(parameter, "multiple", False)}


def _as_text(value: Any, *, repeatable: bool) -> Any:
    """Values as the command line would give them; one value of a repeatable flag needs no list around it."""
    if isinstance(value, list):
        return [str(item) for item in value]
    if repeatable:
        return [str(value)]
    return value if isinstance(value, bool) else str(value)


Config = Annotated[
    Path | None,
    typer.Option(
        "--config", callback=load_config, is_eager=True, envvar="EVOLIF_CONFIG", metavar="FILE",
        help="Take flags from a YAML or TOML file.",
    ),
]  # fmt: skip
Display = Annotated[
    str,
    typer.Option("--display", envvar="EVOLIF_DISPLAY", metavar="auto|rich|plain|none", help="How progress is shown."),
]
JsonFlag = Annotated[bool, typer.Option("--json", envvar="EVOLIF_JSON", help="Print JSON to standard output.")]
Resamples = Annotated[
    int, typer.Option(min=1, max=1_000_000, envvar="EVOLIF_RESAMPLES", help="Resamples of the bootstrap.")
]
ReadPrices = Annotated[
    Path | None,
    typer.Option(
        "--prices", envvar="EVOLIF_PRICES", metavar="FILE", help="Prices per million tokens, over the packaged ones."
    ),
]


# Options of verbs that have chat models word turns.

WORDING = "Chat models that word turns"

WordingChecker = Annotated[
    str | None,
    typer.Option(
        envvar="EVOLIF_CHECKER",
        metavar="PROVIDER/NAME",
        rich_help_panel=WORDING,
        help="A chat model that checks what rules cannot know.",
    ),
]
WordingTemperature = Annotated[
    float | None,
    typer.Option(
        min=0,
        envvar="EVOLIF_TEMPERATURE",
        rich_help_panel=WORDING,
        help="The provider's default where not given.",
    ),
]
WordingMaxTokens = Annotated[
    int | None,
    typer.Option(
        min=1,
        envvar="EVOLIF_MAX_TOKENS",
        rich_help_panel=WORDING,
        help="Longest answer in tokens; the provider's default (local: 200).",
    ),
]
WordingMaxConnections = Annotated[
    int | None,
    typer.Option(
        min=1,
        envvar="EVOLIF_MAX_CONNECTIONS",
        rich_help_panel=WORDING,
        help="Requests side by side per model, a dialogue each. By default it follows what the endpoint stands, up to "
        "200; local models 1.",
    ),
]
WordingMaxRetries = Annotated[
    int,
    typer.Option(
        min=0,
        envvar="EVOLIF_MAX_RETRIES",
        rich_help_panel=WORDING,
        help="Repeats of a request that may pass later.",
    ),
]
WordingTimeout = Annotated[
    float | None,
    typer.Option(
        min=0.001,
        envvar="EVOLIF_TIMEOUT",
        metavar="SECONDS",
        rich_help_panel=WORDING,
        help="For one attempt (120; local models 600).",
    ),
]
WordingBaseUrl = Annotated[
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
) -> ModelOptions:
    """The options of a call, together."""
    from evolif.models import ModelOptions

    return ModelOptions(
        base_url=base_url,
        max_retries=max_retries,
        timeout=timeout,
        temperature=temperature,
        max_tokens=max_tokens,
        max_connections=max_connections,
        seed=seed,
    )


# Options of the verbs that ask models in a run: what is played, who judges, how models are asked, what it may cost.

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


# What `evolif topics` and `evolif personas` share: flags, how a lint is told, how making entries is shown.

Against = Annotated[
    list[Path] | None,
    typer.Option(
        envvar="EVOLIF_AGAINST", metavar="FILE|DIR", help="Texts to share no eight words in a row with; repeatable."
    ),
]
CatalogueSeed = Annotated[
    int | None, typer.Option(min=0, envvar="EVOLIF_SEED", help="Seeds what is asked for. A fresh one by default.")
]
CatalogueTemperature = Annotated[
    float | None, typer.Option(min=0, envvar="EVOLIF_TEMPERATURE", help="The provider's default where not given.")
]
CatalogueMaxTokens = Annotated[
    int | None,
    typer.Option(
        min=1, envvar="EVOLIF_MAX_TOKENS", help="Longest answer in tokens; the provider's default (local: 500)."
    ),
]
CatalogueMaxConnections = Annotated[
    int | None,
    typer.Option(min=1, envvar="EVOLIF_MAX_CONNECTIONS", help="Entries asked for at a time (16; local models 1)."),
]
CatalogueBaseUrl = Annotated[
    str | None,
    typer.Option(envvar="EVOLIF_BASE_URL", metavar="URL", help="Endpoint of a model that names none itself."),
]

_EACH = 20
"""Off a terminal, so many entries get a line each; of more, every tenth does."""


def tell_report(report: LintReport, *, as_json: bool) -> None:
    """Print a lint; exit code 1 on a finding."""
    if as_json:
        import json

        # ASCII only: a foreign text may hold half a surrogate pair, which no terminal's encoding can write.
        typer.echo(json.dumps(report.to_object()))
    else:
        from evolif.report import plain

        for line in _told(report):
            typer.echo(plain(line))
    if report.findings:
        raise typer.Exit(1)


def _told(report: LintReport) -> Iterator[str]:
    yield from map(str, report.findings)
    if report.findings:
        yield ""
    for measure, pairs in report.nearest.items():
        told = "; ".join(_pair(pair, is_count=measure in ("keywords", "phrases")) for pair in pairs)
        yield f"Nearest by {measure}: {told or 'none share any'}"
    if report.samples:
        yield f"Compared with {report.samples['words']} words in {report.samples['files']} files."
    what = "domain" if report.kind == "topic" else "register"
    count = len(report.findings)
    yield (
        f"{report.file}: {_number(report.entries, report.kind)}, {_number(len(report.counts), what)}, "
        f"{_number(count, 'finding') if count else 'no finding'}."
    )


def _pair(pair: Pair, *, is_count: bool) -> str:
    near = f"{pair.value:.0f}" if is_count else f"{100 * pair.value:.0f} %"
    return f"{pair.first} and {pair.second} {near} ({', '.join(pair.shared[:6])})"


def _number(count: int, what: str) -> str:
    return f"{count} {what}" if count == 1 else f"{count} {what}s"


@contextmanager
def making(display: str, kind: str, out: Path) -> Iterator[Callable[[Tally], None]]:
    """Show entries as they are made; what was kept when the user stops is told.

    Args:
        display: What `choose` gave.
        kind: `topic` or `persona`.
        out: The file they go to.
    """
    last: list[Tally] = []

    def noted(tally: Tally) -> None:
        last[:] = [tally]
        done = tally.kept + tally.given_up
        if display == "plain" and (done <= _EACH or done % 10 == 0):
            print(_state(tally), file=sys.stderr, flush=True)

    try:
        if display == "rich":
            with _bar(noted) as told:
                yield told
        else:
            yield noted
    except KeyboardInterrupt:
        kept = last[0].kept if last else 0
        typer.echo(f"Interrupted. {_number(kept, kind)} went to {out}; the same command goes on.", err=True)
        raise typer.Exit(130) from None


@contextmanager
def _bar(noted: Callable[[Tally], None]) -> Iterator[Callable[[Tally], None]]:
    from rich.console import Console
    from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    columns = (SpinnerColumn(), TextColumn("{task.description}", markup=False), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bars:
        task = bars.add_task("asking", total=None)

        def told(tally: Tally) -> None:
            noted(tally)
            bars.update(task, description=_state(tally))

        yield told


def tell_made(made: GenerationResult, what: str, out: Path) -> None:
    """Say what a run came to."""
    from evolif.report import clip, plain

    tally = made.tally
    typer.echo(f"{plain(str(out))}: {made.have} of {made.wanted} {what}; {_state(tally)}")
    if tally.given_up:
        finding = clip(tally.last_findings[0], 300) if tally.last_findings else "nothing"
        typer.echo(f"The last answer that was not kept: {finding}", err=True)
    if made.have < made.wanted:
        typer.echo("The same command goes on to the rest.", err=True)


def _state(tally: Tally) -> str:
    tokens = f"{tally.prompt_tokens} + {tally.completion_tokens} tokens"
    return f"{tally.kept} kept, {tally.given_up} given up, {_number(tally.answers, 'answer')}, {tokens}"


def fresh_seed(seed: int | None) -> int:
    """The seed asked for, or a fresh one."""
    from secrets import randbelow

    return randbelow(2**31) if seed is None else seed
