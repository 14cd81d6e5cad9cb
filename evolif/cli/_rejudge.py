"""`evolif rejudge`: the answers of a run under another judge."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from evolif.cli._options import Config, Display, Resamples

if TYPE_CHECKING:
    from evolif.judging import Agreement
    from evolif.protocol import Run

SUSPENDED = 3
_REASONS = 5
"""Reasons of suspended sessions that are told."""


def rejudge(
    run: Annotated[Path, typer.Argument(metavar="RUN", help="A folder made by evaluate; it is only read.")],
    judge: Annotated[
        list[str],
        typer.Option(
            envvar="EVOLIF_JUDGE",
            metavar="PROVIDER/NAME|lexical|none",
            help="The new judge; several models are a panel.",
        ),
    ],
    judge_rule: Annotated[
        str, typer.Option(envvar="EVOLIF_JUDGE_RULE", metavar="mean|majority|median", help="How a panel decides.")
    ] = "mean",
    out: Annotated[
        Path | None,
        typer.Option(
            "--out", "-o", envvar="EVOLIF_OUT", metavar="RUN2", help="The new run's folder; RUN-rejudged by default."
        ),
    ] = None,
    max_retries: Annotated[
        int, typer.Option(min=0, envvar="EVOLIF_MAX_RETRIES", help="Repeats of a request that may pass later.")
    ] = 2,
    timeout: Annotated[
        float | None,
        typer.Option(min=0.001, envvar="EVOLIF_TIMEOUT", help="Seconds for one request (120; local models 600)."),
    ] = None,
    seed: Annotated[int, typer.Option(min=0, envvar="EVOLIF_SEED", help="Seed of the bootstrap.")] = 0,
    resamples: Resamples = 2_000,
    display: Display = "auto",
    config: Config = None,
) -> None:
    """Judge a run's answers again with another judge, into a new run; no model under test is asked.

    A session ends earlier where the new judge is stricter, and is censored at its last answer where it would have
    gone on. The same command goes on with a rejudging that was broken off. Exit code 3: verdicts are missing, by a
    fault outside.
    """
    from evolif.cli._display import choose, watching
    from evolif.protocol import load_run
    from evolif.protocol import rejudge as judge_again

    shown = choose(display)
    old = load_run(run)
    try:
        folder = out if out is not None else run.with_name(f"{run.resolve().name}-rejudged")
        sessions = len(old.settings.dialogues) * old.settings.epochs
        with watching(shown, list(old.models), sessions) as watcher:
            new = judge_again(
                run,
                judge,
                folder,
                judge_rule=judge_rule,
                max_retries=max_retries,
                timeout=timeout,
                observe=watcher,
                on_stop=watcher.stopping,
            )
        try:
            _tell(old, new, seed, resamples)
        finally:
            new.close()
    finally:
        old.close()


def _tell(old: Run, new: Run, seed: int, resamples: int) -> None:
    from evolif.protocol import agreement
    from evolif.report import Terminal, plain, print_report, summarise

    print_report(new, summarise(new, seed=seed, resamples=resamples), Terminal())
    for sentence in compared(agreement(old, new), old.settings.judge):
        typer.echo(plain(sentence))
    suspended, reasons = new.suspended(), new.reasons()
    if not suspended:
        typer.echo(f"Again: evolif report {new.path}")
        return
    for model, reason, number in reasons[:_REASONS]:
        typer.echo(plain(f"{model}, {number} session{'s' * (number > 1)}: {reason}"), err=True)
    is_are = "session is" if suspended == 1 else "sessions are"
    typer.echo(f"{suspended} {is_are} suspended; the same command goes on with what can be judged.", err=True)
    raise typer.Exit(SUSPENDED)


def compared(counts: Agreement, judge: str) -> list[str]:
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
