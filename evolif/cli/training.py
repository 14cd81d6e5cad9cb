"""The flags of `evolif export` for training data, and the further answers that pairs are made from."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from evolif.cli.console import say, show
from evolif.cli.dry_run import expected_lines, say_unpriced
from evolif.cli.evaluate import SUSPENDED, open_budget, open_cache
from evolif.cli.options import Only
from evolif.config import EvalConfig
from evolif.errors import UsageError
from evolif.text import plain, plural

if TYPE_CHECKING:
    from evolif.exchange import TrainingOptions
    from evolif.runner.sampling import Sampled

_PANEL = "Training data (messages and preferences)"
_SAMPLING = "More answers of each turn (preferences)"
CALLS = Only(
    (
        "base_url",
        "max_connections",
        "max_retries",
        "timeout",
        "wait",
        "budget_usd",
        "budget_tokens",
        "prices",
        "dry_run",
        "cache",
        "cache_dir",
        "explain_cache",
    )
)
"""Settings of calls that --samples makes."""


@dataclass(frozen=True, slots=True)
class TrainingFlags:
    """How training data is made from runs."""

    bench: Annotated[
        Path | None,
        typer.Option(
            metavar="BENCH",
            rich_help_panel=_PANEL,
            help="The run's benchmark, for the system texts, which runs do not store.",
        ),
    ] = None
    also: Annotated[
        list[Path] | None,
        typer.Option(
            metavar="RUN", rich_help_panel=_PANEL, help="Another run on the same benchmark; repeat the flag for more."
        ),
    ] = None
    reward: Annotated[
        str | None,
        typer.Option(
            metavar="dense|turn",
            rich_help_panel=_PANEL,
            help="What answers are chosen by: the share of requirements that hold (by default), or all of them.",
        ),
    ] = None
    min_reward: Annotated[
        float | None,
        typer.Option(
            metavar="X",
            rich_help_panel=_PANEL,
            help="End each conversation before the first answer that earned less, from 0 to 1; in pairs, the least "
            "reward of the chosen answer.",
        ),
    ] = None
    min_margin: Annotated[
        float | None,
        typer.Option(
            metavar="X", rich_help_panel=_PANEL, help="How much more the chosen answer of a pair earned at least."
        ),
    ] = None
    samples: Annotated[
        int | None,
        typer.Option(
            metavar="K",
            rich_help_panel=_SAMPLING,
            help="Have K answers of each judged turn, those of the run included: calls its models, and keeps their "
            "answers in RUN-samples. Needs --bench.",
        ),
    ] = None
    model: Annotated[
        list[str] | None,
        typer.Option(
            metavar="PROVIDER/NAME",
            rich_help_panel=_SAMPLING,
            help="Ask only this model of the run, or say how it is reached; repeat the flag for more.",
        ),
    ] = None
    judge: Annotated[
        list[str] | None,
        typer.Option(
            metavar="JUDGE", rich_help_panel=_SAMPLING, help="The run's judge, if it is a model; all of its panel."
        ),
    ] = None
    judge_rule: Annotated[
        str | None,
        typer.Option(
            metavar="mean|majority|median", rich_help_panel=_SAMPLING, help="How its panel reaches a verdict."
        ),
    ] = None


def training_options(
    ctx: typer.Context,
    run: Path,
    out: Path,
    file_format: str | None,
    flags: TrainingFlags,
    calls: EvalConfig,
    display: str,
) -> TrainingOptions | None:
    """What the flags ask for; None if nothing. With --samples, the further answers are there on return.

    Args:
        ctx: Tells which flags were typed; what a variable or a file says for other verbs is no mistake here.
        run: What is exported.
        out: Where to.
        file_format: The format, as given.
        flags: The flags.
        calls: How models are called.
        display: How progress is shown.

    Raises:
        UsageError: flags that do not go together, or a run that cannot be sampled.
        typer.Exit: an outside fault left answers missing; the same command asks for them.
    """
    from evolif.exchange.messages import MESSAGES, refuse_witnesses
    from evolif.exchange.preferences import PREFERENCES

    own = [*(field.name for field in fields(TrainingFlags)), *CALLS]
    if file_format not in (MESSAGES, PREFERENCES):
        _refuse_typed(ctx, own, f"for training data; use it with --format {MESSAGES} or {PREFERENCES}")
        return None
    # Here, so that nothing is refused once calls are paid.
    refuse_witnesses(bool(ctx.params.get("with_witness")))
    _refuse_typed(ctx, ["push", "public"], "for parquet and datasets; upload the folder with the hub's own tools")
    if file_format == MESSAGES:
        _refuse_typed(ctx, ["samples", "min_margin"], f"for pairs of answers; use it with --format {PREFERENCES}")
    elif flags.samples is not None:
        options = _options(run, flags)
        _refuse_existing(out)
        _sample(run, options, flags, calls, display)
        return options
    _refuse_typed(ctx, ["model", "judge", "judge_rule", *CALLS], "for --samples K, which calls models; leave it out")
    options = _options(run, replace(flags, samples=None))
    return replace(options, min_margin=None) if file_format == MESSAGES else options


def _refuse_typed(ctx: typer.Context, names: Sequence[str], why: str) -> None:
    for name in names:
        source = ctx.get_parameter_source(name)
        if source is not None and source.name == "COMMANDLINE":
            raise UsageError(f"--{name.replace('_', '-')} is {why}")


def _options(run: Path, flags: TrainingFlags) -> TrainingOptions:
    from evolif.exchange import TrainingOptions

    return TrainingOptions(
        flags.bench,
        tuple(flags.also or ()),
        flags.reward or "dense",
        flags.min_reward,
        flags.min_margin,
        None if flags.samples is None else _folder_of_samples(run),
    )


def _folder_of_samples(run: Path) -> Path:
    return run.with_name(f"{run.resolve().name}-samples")


def _refuse_existing(out: Path) -> None:
    """Refuse before the first paid call what the export would refuse after the last one."""
    if out.exists() and not (out.is_dir() and not any(out.iterdir())):
        raise UsageError(f"{out} already exists; choose another folder")


def _sample(run: Path, options: TrainingOptions, flags: TrainingFlags, calls: EvalConfig, display: str) -> None:
    from evolif.budget import judge_models, load_prices, quotes_of
    from evolif.budget.forecast import forecast_sampling
    from evolif.cli.progress import choose, watching
    from evolif.exchange.columns import arrow
    from evolif.exchange.training import open_training
    from evolif.runner import Event, SessionEnded, load_run
    from evolif.runner.clients import model_name
    from evolif.runner.histories import open_histories
    from evolif.runner.sampling import refuse_few, sample_answers, sampled_settings, samples_needed

    arrow()
    folder = _folder_of_samples(run)
    assert flags.samples is not None, "only then is it called"
    with closing(load_run(run, read_only=True)) as played, ExitStack() as stack:
        benchmark = open_training(played, options, stack).benchmark
        assert benchmark is not None, "the options have checked it"
        config = calls.model_copy(
            update={
                "models": tuple(flags.model or played.models),
                "judges": tuple(flags.judge or calls.judges),
                "judge_rule": flags.judge_rule or calls.judge_rule,
            }
        )
        settings = sampled_settings(played.store, config)
        quotes = quotes_of(settings, load_prices(calls.prices))
        refuse_few(flags.samples)
        if calls.dry_run:
            histories = open_histories(played.settings, benchmark)
            asked = [model_name(model) for model in config.models]
            tasks = samples_needed(played.store, histories, flags.samples, asked, folder)
            told = forecast_sampling(played, settings, quotes, tasks)
            show(["Expected of the calls before the export:", *expected_lines(told)])
            say_unpriced(told, quotes)
            raise typer.Exit
        called = [("target", name) for name in settings.models] + [("judge", name) for name in judge_models(settings)]
        budget = open_budget(calls, quotes, called, folder)
        sessions = len(settings.dialogues) * settings.epochs * max(1, flags.samples - 1)
        names = list(played.models)
    shown = choose(display)
    with watching(shown, names, sessions) as watcher:

        def observe(event: Event) -> None:
            # In lines, sessions of this store would say nothing: they are a way to write answers down.
            if shown != "plain" or not isinstance(event, SessionEnded):
                watcher(event)

        done = sample_answers(
            run,
            folder,
            flags.samples,
            benchmark,
            config,
            cache=open_cache(calls),
            gate=budget,
            observe=observe,
            notify=say,
            on_stop=watcher.stopping,
        )
    if budget is not None and budget.stop is not None and not done.answers:
        raise UsageError(f"no call was made: {budget.stop.reason}; set a larger budget")
    _say_outcome(done)


def _say_outcome(done: Sampled) -> None:
    """Say what was asked for.

    Raises:
        typer.Exit: an outside fault left answers missing.
    """
    say(f"{done.path}: {plural(done.answers, 'further answer')}; none of them is asked for again.")
    if done.suspended:
        for line in _reasons(done.reasons):
            say(line)
        say(
            f"{plural(done.suspended, 'session is', 'sessions are')} suspended, and nothing is exported; run the same "
            "command to continue."
        )
        raise typer.Exit(SUSPENDED)
    if done.missing:
        say(
            f"{plural(done.missing, 'session lacks', 'sessions lack')} answers, because of the budget or because a "
            "model gave none; the pairs are of what is there."
        )


def _reasons(reasons: Sequence[tuple[str, str, int]]) -> list[str]:
    """Why sessions are suspended, the most frequent reasons first."""
    return [f"{plain(model)}, {plural(number, 'session')}: {plain(reason)}" for model, reason, number in reasons[:5]]
