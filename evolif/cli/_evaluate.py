"""`evolif evaluate`: run models until patience is exhausted."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from evolif.cli._model_options import Checker
from evolif.cli._options import Config, Display

if TYPE_CHECKING:
    from evolif.benchmark import Benchmark
    from evolif.protocol import Run

SUSPENDED = 3


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
    judge: Annotated[str, typer.Option(envvar="EVOLIF_JUDGE", metavar="none|lexical")] = "none",
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
    epochs: Annotated[int, typer.Option(min=1, envvar="EVOLIF_EPOCHS", help="Repeat every dialogue.")] = 1,
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
            min=1, envvar="EVOLIF_MAX_CONNECTIONS", help="Sessions side by side per model (16; local models 1)."
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
    dry_run: Annotated[
        bool, typer.Option("--dry-run", envvar="EVOLIF_DRY_RUN", help="Say what would be asked, and ask nothing.")
    ] = False,
    display: Display = "auto",
    config: Config = None,
) -> None:
    """Run models on a benchmark. The same command resumes a run that was broken off."""
    from evolif.benchmark import Benchmark
    from evolif.cli._display import choose, watching
    from evolif.protocol import evaluate as run_models
    from evolif.report import plain

    shown = choose(display)
    opened = Benchmark(bench, notify=lambda sentence: typer.echo(plain(sentence), err=True))
    folder = out if out is not None else Path(f"{bench.name or 'benchmark'}-run")
    sessions = len(opened.dialogues()[:limit]) * epochs
    if dry_run:
        _tell_plan(opened, model, sessions, max_turns)
        return
    with watching(shown, _names(model), sessions) as watcher:
        run = run_models(
            opened,
            model,
            folder,
            judge=judge,
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
            observe=watcher,
            on_stop=watcher.stopping,
        )
    _tell(run, seed)


def _names(models: list[str]) -> list[str]:
    from evolif.models import parse_model_name

    return [str(parse_model_name(name)) for name in models]


def _tell_plan(bench: Benchmark, models: list[str], sessions: int, max_turns: int | None) -> None:
    cap = max_turns or bench.header.spec.profile.protocol.max_turns
    for name in _names(models):
        typer.echo(f"{name}: {sessions} sessions, at most {sessions * cap} calls (cap {cap} turns)")


def _tell(run: Run, seed: int) -> None:
    from evolif.report import Terminal, plain, print_report, summarise

    print_report(run, summarise(run, seed=seed), Terminal())
    suspended = run.suspended()
    if suspended:
        last = run.faults()[-1] if run.faults() else None
        if last is not None:
            typer.echo(
                f"The last fault: {plain(last[0])}, dialogue {last[1]}, turn {last[2]}: {plain(last[4])}", err=True
            )
        typer.echo(f"{suspended} sessions are suspended; the same command resumes them.", err=True)
        run.close()
        raise typer.Exit(SUSPENDED)
    typer.echo(f"Again: evolif report {run.path}")
    run.close()
