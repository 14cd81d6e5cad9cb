"""Which models of one or two runs are compared, and comparing them from Python."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from evolif.errors import UsageError
from evolif.models import stored_name
from evolif.report.analysis import ModelAnalysis, RunAnalysis, analyse
from evolif.report.comparison import ModelComparison, compare_models, comparison_line
from evolif.runner import Run, load_run
from evolif.text.notebook import html_table, one_line, or_else
from evolif.types import DEFAULT_RESAMPLES

_FLAGS = "--model X --model Y"
_KEYWORD = 'models=["X", "Y"]'
_TABLES = 3
"""The most comparisons that are shown with a table each."""


class Comparisons(tuple[ModelComparison, ...]):
    """Comparisons that belong together: p is corrected over all of them."""

    __slots__ = ()

    def __repr__(self) -> str:
        """What is compared, on one line."""
        return or_else(lambda: one_line(f"Comparisons: {'; '.join(map(comparison_line, self))}"), "<Comparisons>")

    def _repr_html_(self) -> str | None:
        """For notebooks, the tables of all; a line each where there are more than a few."""
        if len(self) <= _TABLES:
            return or_else(lambda: "".join(one._repr_html_() or "" for one in self), None)
        return or_else(lambda: html_table("Comparisons", ("A − B",), [[comparison_line(one)] for one in self]), None)


def compare(
    run_a: Run | Path | str,
    run_b: Run | Path | str | None = None,
    models: Sequence[str] | None = None,
    *,
    ablation: str | None = None,
    across: str | None = None,
    seed: int = 0,
    resamples: int = DEFAULT_RESAMPLES,
) -> Comparisons:
    """Compare two models, paired by dialogue, as `evolif compare` does; the differences are computed.

    Runs of different patience or cap are cut to the smaller of both.

    Args:
        run_a: A run or its folder, which has the first model.
        run_b: The run of the second model; `run_a` if None.
        models: The names of the two. Needed within a run of more than two models; of two runs, all models that both
            have are compared if None.
        ablation: `system-prompt` or `judge`, if that is the intended difference of two runs.
        across: The intended difference, one of these or `context`, `feedback`, `partner` or `options`.
        seed: Of the draws behind intervals that need some.
        resamples: How many draws.

    Returns:
        One comparison per pair, each A minus B. `one.leading` is the difference in the main metric with its interval,
        `one.p` its p, `one.paired.differences` has all metrics.

    Raises:
        UsageError: a run has no such model, the choice is ambiguous, judge or benchmark differ, or SciPy (extra
            `report`) is not installed.

    Example:
        >>> [one] = evolif.compare("run", models=["sim/steady", "sim/forgetful"])  # doctest: +SKIP
        >>> one.leading.value, one.p  # doctest: +SKIP
    """
    opened = [_opened(run) for run in (run_a, run_b) if run is not None]
    if len(opened) == 2 and opened[0].path.resolve() == opened[1].path.resolve():
        opened = opened[:1]
    analyses = analyse(opened, seed=seed, resamples=resamples)
    pairs = choose_pairs(analyses[0], analyses[-1], models or (), how=_KEYWORD)
    found = compare_models(pairs, ablation=ablation, across=across)
    for one in found:
        one.paired  # noqa: B018  # computed here, where it may raise, and not when it is shown
    return Comparisons(found)


def _opened(run: Run | Path | str) -> Run:
    return load_run(run) if isinstance(run, Path | str) else run


def choose_pairs(
    a: RunAnalysis, b: RunAnalysis, named: Sequence[str], *, how: str = _FLAGS
) -> list[tuple[ModelAnalysis, ModelAnalysis]]:
    """Which models are compared.

    Args:
        a: The run of the first.
        b: The run of the second; the same object for two models of one run.
        named: At most two names.
        how: How the caller names two models, for messages.

    Raises:
        UsageError: a run has no such model, or the choice is ambiguous.
    """
    if len(named) > 2:
        raise UsageError(f"compare takes at most two models, not {len(named)}")
    named = [stored_name(name) if name.startswith("local/") else name for name in named]  # a file may have its path
    if a is b:
        return [_within(a, named, how)]
    if named:
        return [(_model(a, named[0]), _model(b, named[-1]))]
    if len(a.models) == len(b.models) == 1:
        return [(a.models[0], b.models[0])]
    both = [one.name for one in a.models if one.name in b.run.models]
    if not both:
        raise UsageError(
            f"the runs have several models but none in common; name one of each: {how} "
            f"(A has {', '.join(a.run.models)}; B has {', '.join(b.run.models)})"
        )
    return [(a.model(name), b.model(name)) for name in both]


def _within(run: RunAnalysis, named: Sequence[str], how: str) -> tuple[ModelAnalysis, ModelAnalysis]:
    names = named or list(run.run.models)
    if len(names) != 2 or names[0] == names[1]:
        raise UsageError(
            f"{run.run.path} is one run: name two of its models with {how}, or add a second run "
            f"(it has {', '.join(run.run.models)})"
        )
    return _model(run, names[0]), _model(run, names[1])


def _model(run: RunAnalysis, name: str) -> ModelAnalysis:
    if name not in run.run.models:
        raise UsageError(f"{run.run.path} has no model {name}; it has {', '.join(run.run.models)}")
    return run.model(name)
