"""`evolif compare`: two models, or one model in two runs."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from evolif.cli._options import Config, Resamples
from evolif.cli._report import Figures, Html, JsonFile, Latex, Seed, draw, write_json, write_text

if TYPE_CHECKING:
    from evolif.report import ModelAnalysis, RunAnalysis


def compare(
    runs: Annotated[list[Path], typer.Argument(metavar="A [B]", help="One or two folders made by evaluate.")],
    model: Annotated[
        list[str] | None,
        typer.Option(
            "--model",
            "-m",
            envvar="EVOLIF_MODEL",
            metavar="PROVIDER/NAME",
            help="Which of a run's models; given twice, the first of A and the second of B.",
        ),
    ] = None,
    ablation: Annotated[
        str | None,
        typer.Option(
            envvar="EVOLIF_ABLATION",
            metavar="system-prompt|judge",
            help="What two runs of one model differ in, and nothing else: system-prompt is found without asking.",
        ),
    ] = None,
    json_file: JsonFile = None,
    html: Html = None,
    figures: Figures = None,
    latex: Latex = None,
    seed: Seed = 0,
    resamples: Resamples = 2_000,
    config: Config = None,
) -> None:
    """Compare two models, paired by dialogue: differences with intervals, permutation p, effect size.

    Two models of one run (evolif compare RUN -m X -m Y), or of two runs; refused where cap, patience, judge or
    benchmark differ. One model in two runs that differ in the system prompt alone is an ablation; so it is in the judge
    alone, where --ablation judge asks for it.
    """
    from contextlib import ExitStack, closing

    from evolif._errors import UsageError
    from evolif.protocol import load_run
    from evolif.report import Terminal, analyse, compare_models, comparisons_object, print_comparisons

    if len(runs) > 2:
        raise UsageError(f"compare takes one or two runs, not {len(runs)}; for a table of many: evolif report RUN...")
    paths = runs[:1] if len(runs) == 2 and runs[0].resolve() == runs[1].resolve() else runs
    with ExitStack() as opened:
        loaded = [opened.enter_context(closing(load_run(path))) for path in paths]
        analyses = analyse(loaded, seed=seed, resamples=resamples)
        told = compare_models(chosen(analyses[0], analyses[-1], model or []), ablation=ablation)
        draw(analyses, html, figures, comparisons=told)
        if json_file is not None:
            write_json(json_file, comparisons_object(told))
        if latex is not None:
            from evolif.report import latex_comparisons

            write_text(str(latex), latex_comparisons(told))
        if json_file != "-":
            print_comparisons(told, Terminal())


def chosen(a: RunAnalysis, b: RunAnalysis, named: list[str]) -> list[tuple[ModelAnalysis, ModelAnalysis]]:
    """Which models are compared.

    Raises:
        UsageError: a run has no such model, or it does not say which of several.
    """
    from evolif._errors import UsageError

    if len(named) > 2:
        raise UsageError(f"compare takes at most two models, not {len(named)}")
    if a is b:
        return [_within(a, named)]
    if named:
        return [(_model(a, named[0]), _model(b, named[-1]))]
    if len(a.models) == len(b.models) == 1:
        return [(a.models[0], b.models[0])]
    both = [one.name for one in a.models if one.name in b.run.models]
    if not both:
        raise UsageError(
            "the runs have no model in common and several of their own; name one of each: --model X --model Y "
            f"(A has {', '.join(a.run.models)}; B has {', '.join(b.run.models)})"
        )
    return [(a.model(name), b.model(name)) for name in both]


def _within(run: RunAnalysis, named: list[str]) -> tuple[ModelAnalysis, ModelAnalysis]:
    from evolif._errors import UsageError

    names = named or list(run.run.models)
    if len(names) != 2 or names[0] == names[1]:
        raise UsageError(
            f"{run.run.path} is one run: name two of its models by --model X --model Y, or a second run "
            f"(it has {', '.join(run.run.models)})"
        )
    return _model(run, names[0]), _model(run, names[1])


def _model(run: RunAnalysis, name: str) -> ModelAnalysis:
    from evolif._errors import UsageError

    if name not in run.run.models:
        raise UsageError(f"{run.run.path} has no model {name}; it has {', '.join(run.run.models)}")
    return run.model(name)
