"""`evolif rejudge`: the answers of a run under another judge."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from evolif.cli import options as opt
from evolif.cli.evaluate import SUSPENDED, has_figures, refuse_tiny_budget, tell_budget, tell_suspended
from evolif.cli.options import Config, Display, Resamples

if TYPE_CHECKING:
    from evolif.budget import PriceTable
    from evolif.judging import JudgeComparison
    from evolif.runner import Run, RunSettings


def rejudge(
    run: Annotated[Path, typer.Argument(metavar="RUN", help="A folder made by evaluate; it is only read.")],
    judge: Annotated[
        list[str],
        typer.Option(
            envvar="EVOLIF_JUDGE",
            metavar="JUDGE",
            help="The new judge: PROVIDER/NAME, lexical or none; several models are a panel.",
        ),
    ],
    judge_rule: Annotated[
        str,
        typer.Option(
            envvar="EVOLIF_JUDGE_RULE", metavar="mean|majority|median", help="How a panel comes to a verdict."
        ),
    ] = "mean",
    out: Annotated[
        Path | None,
        typer.Option(
            "--out",
            "-o",
            envvar="EVOLIF_REJUDGE_OUT",
            metavar="RUN2",
            help="The new run's folder; RUN-rejudged by default.",
        ),
    ] = None,
    max_retries: opt.MaxRetries = 5,
    timeout: opt.Timeout = None,
    budget_usd: opt.BudgetUsd = None,
    budget_tokens: opt.BudgetTokens = None,
    prices: opt.Prices = None,
    dry_run: opt.DryRun = False,
    cache: opt.Cache = False,
    cache_dir: opt.CacheDir = None,
    explain_cache: opt.ExplainCache = False,
    seed: Annotated[int, typer.Option(min=0, envvar="EVOLIF_SEED", help="Seed of the bootstrap.")] = 0,
    resamples: Resamples = 2_000,
    display: Display = "auto",
    config: Config = None,
) -> None:
    """Judge a run's answers again with another judge, into a new run; no model under test is asked.

    A session ends earlier where the new judge is stricter, and is censored at its last answer where it would have
    gone on. The same command goes on with a rejudging that was broken off. Exit code 3: verdicts are missing, by a
    fault outside, or since the old run was broken off itself.
    """
    from evolif.budget import judge_models, load_prices, quotes_of
    from evolif.cli.evaluate import budget_of, cache_of
    from evolif.cli.progress import choose, watching
    from evolif.runner import load_run, rejudged
    from evolif.runner import rejudge as judge_again

    shown, table = choose(display), load_prices(prices)
    with closing(load_run(run)) as old:
        settings = rejudged(old.store, judge, judge_rule)
        quotes = quotes_of(settings, table)
        if dry_run:
            _foretell(old, settings, table)
            return
        folder = out if out is not None else run.with_name(f"{run.resolve().name}-rejudged")
        asked = [("judge", name) for name in judge_models(settings)]
        budget = budget_of(quotes, asked, folder, usd=budget_usd, tokens=budget_tokens)
        sessions = len(old.settings.dialogues) * old.settings.epochs
        with watching(shown, list(old.models), sessions) as watcher:
            new = judge_again(
                run,
                judge,
                folder,
                judge_rule=judge_rule,
                max_retries=max_retries,
                timeout=timeout,
                cache=cache_of(cache, cache_dir, explain=explain_cache, say=_say),
                gate=budget,
                observe=watcher,
                notify=_say,
                on_stop=watcher.stopping,
            )
        with closing(new):
            refuse_tiny_budget(new, budget, mend="")
            _tell(old, new, seed, resamples, table)


def _say(sentence: str) -> None:
    from evolif.report import plain

    typer.echo(plain(sentence), err=True)


def _foretell(old: Run, settings: RunSettings, table: PriceTable) -> None:
    from evolif.budget import forecast_rejudging, quotes_of
    from evolif.cli.evaluate import expected_lines
    from evolif.report import plain

    typer.echo("At most, from the first answer on:")
    for line in expected_lines(forecast_rejudging(old, settings, quotes_of(settings, table))):
        typer.echo(plain(line))


def _tell(old: Run, new: Run, seed: int, resamples: int, table: PriceTable) -> None:
    from evolif.report import Terminal, plain, print_report, summarise
    from evolif.runner import agreement

    if has_figures(new):
        print_report(new, summarise(new, seed=seed, resamples=resamples), Terminal(), table)
    else:
        _say("No session can be judged to its end, so there are no figures yet.")
    for sentence in compared(agreement(old, new), old.settings.judge):
        typer.echo(plain(sentence))
    tell_budget(new, _say)
    if tell_suspended(new, "the same command goes on with what can be judged", _say):
        raise typer.Exit(SUSPENDED)
    typer.echo(plain(f"Again: evolif report {new.path}"))


def compared(counts: JudgeComparison, judge: str) -> list[str]:
    """What a reader must know of the new judge beside the old one, one sentence a fact."""
    told = []
    shared, differ = counts.shared.total(), counts.differ.total()
    if shared:
        groups = (f"{group} {counts.differ[group]} of {counts.shared[group]}" for group in sorted(counts.shared))
        told.append(
            f"Against the old judge ({judge}): {differ} of {shared} verdicts on the same answers differ "
            f"({100 * differ / shared:.0f} %; {', '.join(groups)})."
        )
    if counts.one_sided:
        told.append(f"{counts.one_sided} constraints have a verdict of one of the two judges only.")
    if counts.scores:
        told.append(f"{counts.near} of {counts.scores} scores lie from 6 to 7, where one point decides.")
    if counts.kept:
        told.append(f"{counts.kept} of {counts.scores} scores were had before for the same text, and cost nothing.")
    return told
