"""`evolif gate`: does a run meet what is required of it? For continuous integration."""

from __future__ import annotations

import os
from contextlib import ExitStack, closing
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from evolif.cli.console import say, show, show_json
from evolif.cli.options import JsonFlag, Resamples, Seed
from evolif.cli.report import write_text
from evolif.errors import OutsideError, UsageError
from evolif.types import DEFAULT_RESAMPLES

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evolif.gate import Baseline, Required
    from evolif.gate.decision import Verdict
    from evolif.report import RunAnalysis

_SUMMARY = "GITHUB_STEP_SUMMARY"


def gate(
    run: Annotated[Path, typer.Argument(metavar="RUN", help="The folder of a run.")],
    *,
    at_least: Annotated[
        list[str] | None,
        typer.Option("--min", metavar="METRIC=VALUE", help="The least that is accepted, e.g. isr_at_n=.8; repeatable."),
    ] = None,
    at_most: Annotated[
        list[str] | None,
        typer.Option("--max", metavar="METRIC=VALUE", help="The most, e.g. exhaustion_rate=.05; repeatable."),
    ] = None,
    baseline: Annotated[
        Path | None,
        typer.Option(
            "--no-worse-than", metavar="BASELINE", help="Another run: passes if a drop beyond --margin is excluded."
        ),
    ] = None,
    margin: Annotated[
        float | None,
        typer.Option(min=0, metavar="X", help="The drop allowed: percentage points, or turns for lengths (default 2)."),
    ] = None,
    metric: Annotated[
        str | None,
        # EVOLIF_METRIC scores imported dialogues.
        typer.Option(envvar="EVOLIF_GATE_METRIC", metavar="METRIC", help="What is compared (default: the headline)."),
    ] = None,
    model: Annotated[
        list[str] | None,
        typer.Option(
            "--model", "-m", metavar="PROVIDER/NAME", help="A model of the run; repeatable (default: all of them)."
        ),
    ] = None,
    baseline_model: Annotated[
        str | None,
        typer.Option(metavar="PROVIDER/NAME", help="The baseline's model, if it has another name than the run's."),
    ] = None,
    junit: Annotated[Path | None, typer.Option(metavar="FILE", help="Write JUnit XML.")] = None,
    github: Annotated[
        bool, typer.Option("--github", help=f"Add Markdown to the file that {_SUMMARY} names, or print it.")
    ] = False,
    json_output: JsonFlag = False,
    seed: Seed = 0,
    resamples: Resamples = DEFAULT_RESAMPLES,
) -> None:
    """Decide whether a run meets requirements, by its 95 % intervals. Exit code 1 if one fails, 4 if undecided.

    A requirement passes if the whole interval is on the required side, and fails if none of it is. Otherwise it is
    undecided, and the number of dialogues that would most likely decide it is shown. Rates are fractions from 0 to 1.
    """
    from evolif.gate import decide, decide_against
    from evolif.gate.decision import Verdict
    from evolif.report import analyse
    from evolif.runner import load_run

    if not at_least and not at_most and baseline is None:
        raise UsageError(
            "name a requirement: --min METRIC=VALUE, --max METRIC=VALUE or --no-worse-than BASELINE, e.g. "
            "--min isr_at_n=.8"
        )
    _refuse_without_baseline(baseline, {"--margin": margin, "--metric": metric, "--baseline-model": baseline_model})
    with ExitStack() as opened:
        paths = [run] if baseline is None else [run, baseline]
        loaded = [opened.enter_context(closing(load_run(path))) for path in paths]
        analyses = analyse(loaded, seed=seed, resamples=resamples)
        names = _named(model)
        required = _required(analyses[0], at_least or [], at_most or [])
        decisions = decide(analyses[0], required, models=names).decisions if required else ()
        if baseline is not None:
            against = _baseline(analyses[1], margin, metric, baseline_model)
            decisions += decide_against(analyses[0], against, models=names).decisions
        verdict = Verdict(analyses[0].name, decisions)
    _write(verdict, junit, github=github)
    if json_output:
        show_json(verdict.to_object())
    else:
        show_verdict(verdict)
    if verdict.exit_code:
        raise typer.Exit(verdict.exit_code)


def show_verdict(verdict: Verdict) -> None:
    """Print each decision with its reason, and what follows from all of them."""
    for one in verdict.decisions:
        show([f"{one.outcome}: {one.model}, {one.requirement}", f"  {one.reason}"])
    show([verdict.summary])


def _refuse_without_baseline(baseline: Path | None, given: dict[str, object]) -> None:
    for flag, value in given.items():
        if baseline is None and value is not None:
            raise UsageError(f"{flag} is about a baseline; name one with --no-worse-than RUN")


def _named(models: Sequence[str] | None) -> list[str]:
    from evolif.models import stored_name

    return [stored_name(name) if name.startswith("local/") else name for name in models or ()]


def _required(run: RunAnalysis, at_least: Sequence[str], at_most: Sequence[str]) -> list[Required]:
    from evolif.gate.required import parse_required

    return [
        *(parse_required(text, run.tables) for text in at_least),
        *(parse_required(text, run.tables, at_most=True) for text in at_most),
    ]


def _baseline(run: RunAnalysis, margin: float | None, metric: str | None, model: str | None) -> Baseline:
    from evolif.gate import Baseline
    from evolif.gate.baseline import MARGIN

    (name,) = _named([model]) if model else [""]
    return Baseline(run, MARGIN if margin is None else margin, metric or "", name)


def _write(verdict: Verdict, junit: Path | None, *, github: bool) -> None:
    from evolif.gate.outputs import junit as junit_xml
    from evolif.gate.outputs import markdown

    if junit is not None:
        write_text(str(junit), junit_xml(verdict))
        say(f"JUnit: {junit}")
    if github:
        add_summary(markdown(verdict))


def add_summary(text: str) -> None:
    """Add Markdown to the summary of a GitHub job, or print it where there is none.

    Raises:
        OutsideError: the file cannot be written.
    """
    name = os.environ.get(_SUMMARY)
    if not name:
        show(text.splitlines())
        return
    try:
        with Path(name).open("a", encoding="utf-8") as file:
            file.write(text + "\n")
    except OSError as fault:
        raise OutsideError(f"the summary that {_SUMMARY} names cannot be written ({fault.strerror})") from None
