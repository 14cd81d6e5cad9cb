"""`evolif evaluate`: run models until patience is exhausted."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from evolif.cli import _run_options as opt
from evolif.cli._aftermath import SUSPENDED, has_figures, refuse_tiny_budget, tell_budget, tell_suspended
from evolif.cli._options import Config, Display

if TYPE_CHECKING:
    from evolif.money import PriceTable
    from evolif.protocol import Run
    from evolif.watch import StopRule


def evaluate(
    bench: Annotated[Path, typer.Argument(metavar="BENCH", help="The benchmark's folder.")],
    model: opt.Models,
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", envvar="EVOLIF_OUT", metavar="RUN", help="The run's folder; BENCH-run by default."),
    ] = None,
    judge: Annotated[
        list[str] | None,
        typer.Option(
            envvar="EVOLIF_JUDGE",
            metavar="JUDGE",
            rich_help_panel=opt.JUDGES,
            help="For emotion, audience and style: none (by default), lexical, or PROVIDER/NAME; several models are a "
            "panel.",
        ),
    ] = None,
    judge_rule: opt.JudgeRule = "mean",
    patience: opt.Patience = None,
    max_turns: opt.MaxTurns = None,
    limit: opt.Limit = None,
    epochs: opt.Epochs = 1,
    fork: opt.Fork = None,
    system_prompt: opt.SystemPrompt = True,
    temperature: opt.Temperature = None,
    max_tokens: opt.MaxTokens = None,
    seed: opt.Seed = 0,
    base_url: opt.BaseUrl = None,
    max_connections: opt.MaxConnections = None,
    max_retries: opt.MaxRetries = 5,
    timeout: opt.Timeout = None,
    engine: opt.Engine = "asyncio",
    ray_address: opt.RayAddress = None,
    budget_usd: opt.BudgetUsd = None,
    budget_tokens: opt.BudgetTokens = None,
    prices: opt.Prices = None,
    stop_when: opt.StopWhen = None,
    dry_run: opt.DryRun = False,
    like: opt.Like = None,
    cache: opt.Cache = False,
    cache_dir: opt.CacheDir = None,
    explain_cache: opt.ExplainCache = False,
    synthesizer: opt.Synthesizers = None,
    checker: opt.Checker = None,
    display: Display = "auto",
    config: Config = None,
) -> None:
    """Run models on a benchmark. The same command resumes a run that was broken off.

    Exit code 3: sessions are left suspended, by a fault outside. With more models, dialogues or epochs a run grows.
    """
    from evolif.benchmark import Benchmark
    from evolif.cli._budgeting import cache_of
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
    budget = steering.budget(budget_usd, budget_tokens)
    rule = steering.stop_rule(stop_when)
    kept = cache_of(cache, cache_dir, explain=explain_cache, say=_say)
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
            gate=steering.together(rule, budget),
            observe=steering.both(watcher, rule),
            notify=_say,
            on_stop=watcher.stopping,
        )
    try:
        refuse_tiny_budget(run, budget, mend=" or a --max-tokens" * (max_tokens is None))
        _tell(run, seed, table, rule)
    finally:
        run.close()


def _say(sentence: str) -> None:
    from evolif.report import plain

    typer.echo(plain(sentence), err=True)


def _tell(run: Run, seed: int, table: PriceTable, rule: StopRule | None) -> None:
    from evolif.report import Terminal, plain, print_report, summarise

    if has_figures(run):
        print_report(run, summarise(run, seed=seed), Terminal(), table)
    else:
        _say("No session has come to an end, so there are no figures yet.")
    if rule is not None:
        typer.echo(plain(rule.said()))
    tell_budget(run, _say)
    if tell_suspended(run, "the same command resumes them", _say):
        raise typer.Exit(SUSPENDED)
    typer.echo(plain(f"Again: evolif report {run.path}"))
