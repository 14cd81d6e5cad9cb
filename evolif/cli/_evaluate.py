"""`evolif evaluate`: run models until patience is exhausted."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from evolif.cli._model_options import Checker
from evolif.cli._options import Config, Display, Prices

if TYPE_CHECKING:
    from evolif.money import PriceTable
    from evolif.protocol import Run

SUSPENDED = 3
_REASONS = 5
"""Reasons of suspended sessions that are told."""


def evaluate(
    bench: Annotated[Path, typer.Argument(metavar="BENCH", help="The benchmark's folder.")],
    model: Annotated[
        list[str],
        typer.Option("--model", "-m", envvar="EVOLIF_MODEL", metavar="PROVIDER/NAME", help="May be given repeatedly."),
    ],
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", envvar="EVOLIF_OUT", metavar="RUN", help="The run's folder; BENCH-run by default."),
    ] = None,
    judge: Annotated[
        list[str] | None,
        typer.Option(
            envvar="EVOLIF_JUDGE",
            metavar="none|lexical|PROVIDER/NAME",
            help="For emotion, audience and style; none by default. Several models are a panel.",
        ),
    ] = None,
    judge_rule: Annotated[
        str,
        typer.Option(
            envvar="EVOLIF_JUDGE_RULE", metavar="mean|majority|median", help="How a panel comes to a verdict."
        ),
    ] = "mean",
    patience: Annotated[
        int | None,
        typer.Option(
            min=1, envvar="EVOLIF_PATIENCE", help="Failed turns in a row that end a session (the profile's 3)."
        ),
    ] = None,
    max_turns: Annotated[
        int | None, typer.Option(min=1, envvar="EVOLIF_MAX_TURNS", help="The cap (the profile's 50).")
    ] = None,
    limit: Annotated[
        int | None, typer.Option(min=1, envvar="EVOLIF_LIMIT", help="Only the first so many dialogues.")
    ] = None,
    epochs: Annotated[int, typer.Option(min=1, envvar="EVOLIF_EPOCHS", help="How often every dialogue is played.")] = 1,
    fork: Annotated[
        Path | None,
        typer.Option(
            envvar="EVOLIF_FORK",
            metavar="NEW",
            help="Start a run from what --out shares with these settings; nothing shared is asked again.",
        ),
    ] = None,
    system_prompt: Annotated[
        bool, typer.Option(envvar="EVOLIF_SYSTEM_PROMPT", help="Explain scoped constraints to the model.")
    ] = True,
    temperature: Annotated[
        float | None, typer.Option(min=0, envvar="EVOLIF_TEMPERATURE", help="The provider's default where not given.")
    ] = None,
    max_tokens: Annotated[
        int | None,
        typer.Option(min=1, envvar="EVOLIF_MAX_TOKENS", help="Longest answer in tokens; the provider's default."),
    ] = None,
    seed: Annotated[int, typer.Option(min=0, envvar="EVOLIF_SEED", help="Seeds sampling and intervals.")] = 0,
    max_connections: Annotated[
        int | None,
        typer.Option(
            min=1,
            envvar="EVOLIF_MAX_CONNECTIONS",
            help="Requests side by side per model; follows what the endpoint stands (local models 1).",
        ),
    ] = None,
    max_retries: Annotated[
        int, typer.Option(min=0, envvar="EVOLIF_MAX_RETRIES", help="Repeats of a request that may pass later.")
    ] = 2,
    timeout: Annotated[
        float | None,
        typer.Option(min=0.001, envvar="EVOLIF_TIMEOUT", help="Seconds for one request (120; local models 600)."),
    ] = None,
    base_url: Annotated[
        str | None, typer.Option(envvar="EVOLIF_BASE_URL", help="Endpoint of the models that name none.")
    ] = None,
    synthesizer: Annotated[
        list[str] | None,
        typer.Option(
            envvar="EVOLIF_SYNTHESIZER",
            metavar="template|PROVIDER/NAME",
            help="Who words missing turns, where the benchmark's names do not tell how to reach them.",
        ),
    ] = None,
    checker: Checker = None,
    engine: Annotated[
        str,
        typer.Option(envvar="EVOLIF_ENGINE", metavar="asyncio|ray", help="ray plays on a cluster (extra ray)."),
    ] = "asyncio",
    ray_address: Annotated[
        str | None,
        typer.Option(
            envvar="EVOLIF_RAY_ADDRESS", metavar="HOST:PORT", help="The Ray cluster; one of this machine by default."
        ),
    ] = None,
    prices: Prices = None,
    budget_usd: Annotated[
        float | None,
        typer.Option(min=0, envvar="EVOLIF_BUDGET_USD", help="US dollars for the whole run, what it spent before too."),
    ] = None,
    budget_tokens: Annotated[
        int | None,
        typer.Option(min=0, envvar="EVOLIF_BUDGET_TOKENS", help="Tokens for the whole run, of all its models."),
    ] = None,
    stop_when: Annotated[
        str | None,
        typer.Option(
            envvar="EVOLIF_STOP_WHEN",
            metavar="METRIC=HALF-WIDTH",
            help="End early once every model's interval is narrower, e.g. rob=0.03.",
        ),
    ] = None,
    cache: Annotated[
        bool, typer.Option(envvar="EVOLIF_CACHE", help="Do not ask again what any run with this cache has asked.")
    ] = False,
    cache_dir: Annotated[
        Path | None,
        typer.Option(envvar="EVOLIF_CACHE_DIR", metavar="DIR", help="The cache's folder (the user's own); implies it."),
    ] = None,
    explain_cache: Annotated[
        bool, typer.Option(envvar="EVOLIF_EXPLAIN_CACHE", help="Say of what the cache does not know what is nearest.")
    ] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", envvar="EVOLIF_DRY_RUN", help="Say what would be asked, and ask nothing.")
    ] = False,
    like: Annotated[
        Path | None,
        typer.Option(envvar="EVOLIF_LIKE", metavar="RUN", help="With --dry-run: expect what this earlier run came to."),
    ] = None,
    display: Display = "auto",
    config: Config = None,
) -> None:
    """Run models on a benchmark. The same command resumes a run that was broken off.

    Exit code 3: sessions are left suspended, by a fault outside. With more models, dialogues or epochs a run grows.
    """
    from evolif.benchmark import Benchmark
    from evolif.cli._display import choose, watching_run
    from evolif.cli._steering import Steering
    from evolif.money import load_prices
    from evolif.protocol import Wish
    from evolif.protocol import evaluate as run_models

    shown = choose(display)
    opened = Benchmark(bench, notify=_say)
    folder = out if out is not None else Path(f"{bench.name or 'benchmark'}-run")
    wish = Wish(
        models=model,
        base_url=base_url,
        judges=judge or ["none"],
        judge_rule=judge_rule,
        patience=patience,
        max_turns=max_turns,
        limit=limit,
        epochs=epochs,
        system_prompt=system_prompt,
        temperature=temperature,
        max_tokens=max_tokens,
        seed=seed,
    )
    table = load_prices(prices)
    steering = Steering(
        opened, wish, fork or folder, table, _say, [*(synthesizer or []), *([checker] if checker else [])]
    )
    if dry_run:
        steering.tell_plan(like)
        return
    gate = steering.budget(budget_usd, budget_tokens)
    rule = steering.stop_rule(stop_when)
    kept = steering.cache(cache_dir, explain=explain_cache) if cache or cache_dir or explain_cache else None
    with watching_run(shown, fork or folder, table) as watcher:
        run = run_models(
            opened,
            model,
            folder,
            judge=judge or "none",
            judge_rule=judge_rule,
            patience=patience,
            max_turns=max_turns,
            limit=limit,
            epochs=epochs,
            system_prompt=system_prompt,
            temperature=temperature,
            max_tokens=max_tokens,
            seed=seed,
            max_connections=max_connections,
            max_retries=max_retries,
            timeout=timeout,
            base_url=base_url,
            synthesizers=synthesizer or [],
            checker=checker,
            fork_into=fork,
            engine=engine,
            ray_address=ray_address,
            cache=kept,
            gate=steering.together(rule, gate),
            observe=steering.both(watcher, rule),
            notify=_say,
            on_stop=watcher.stopping,
        )
    _tell(run, seed, table)


def _say(sentence: str) -> None:
    from evolif.report import plain

    typer.echo(plain(sentence), err=True)


def _tell(run: Run, seed: int, table: PriceTable) -> None:
    from evolif.report import Terminal, print_report, summarise

    print_report(run, summarise(run, seed=seed), Terminal(), table)
    suspended, reasons = run.suspended(), run.reasons()
    again = f"Again: evolif report {run.path}"
    run.close()
    if not suspended:
        typer.echo(again)
        return
    for model, reason, number in reasons[:_REASONS]:
        _say(f"{model}, {number} session{'s' * (number > 1)}: {reason}")
    if len(reasons) > _REASONS:
        _say(f"… and {len(reasons) - _REASONS} more reasons.")
    is_are = "session is" if suspended == 1 else "sessions are"
    _say(f"{suspended} {is_are} suspended; the same command resumes them.")
    raise typer.Exit(SUSPENDED)
