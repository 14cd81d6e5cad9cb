"""Several benchmarks side by side: each model's score on each, how far they tell the models apart, how they agree.

These are Table 2 and Figure 2 of UniDial-EvalKit (arXiv 2603.23160), over folders of results.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final

from evolif.errors import InputError, UsageError
from evolif.metrics import FEWEST
from evolif.scenario import HeatCell
from evolif.scenario.presentation import HeatMap
from evolif.scenarios.recorded.aggregation import DEFAULT_AGGREGATION, aggregate, parse_aggregation
from evolif.scenarios.recorded.coverage import coverage
from evolif.scenarios.recorded.labels import value_text
from evolif.scenarios.recorded.results import Results, read_results, results_folders
from evolif.scenarios.recorded.runs import counted
from evolif.scenarios.recorded.sources import unscored
from evolif.scenarios.recorded.statistics import bootstrap_interval, discriminability, spearman_matrix

STRONG: Final = 0.4
"""Above this discriminability, the authors of UniDial-EvalKit call a benchmark strong."""
LITTLE: Final = 0.2
"""Below it, they say that it tells models apart little."""
MOST_DRAWN: Final = 60
"""Sub-dimensions or benchmarks of a figure."""


@dataclass(frozen=True, slots=True)
class BenchmarkResults:
    """What some models did on one benchmark.

    Attributes:
        name: The folder's name.
        models: By the model's name.
    """

    name: str
    models: Mapping[str, Results]


def read_benchmarks(paths: Iterable[Path]) -> list[BenchmarkResults]:
    """The results in some folders, by benchmark.

    Args:
        paths: Each holds the folders of models of one benchmark, or folders of benchmarks that do.

    Raises:
        UsageError: Two folders have the same name, or a model is twice in one.
        InputError: There are no results, or a file cannot be used.
    """
    found: dict[str, BenchmarkResults] = {}
    for path in paths:
        for root in _benchmark_folders(path):
            name = root.resolve().name
            if name in found:
                raise UsageError(f"two folders are called {name}; rename one, since it names the benchmark")
            models: dict[str, Results] = {}
            for results in read_results(root):
                if results.model in models:
                    raise UsageError(f"{root} has two folders of the model {results.model}; keep one")
                models[results.model] = results
            found[name] = BenchmarkResults(name, models)
    return list(found.values())


def _benchmark_folders(path: Path) -> list[Path]:
    """The folder itself if models are in it, else those of its folders in which models are."""
    if results_folders(path):
        return [path]
    if not path.is_dir():
        raise InputError("not a folder; name one that holds results", path=path)
    inner = [one for one in sorted(path.iterdir()) if one.is_dir() and not one.name.startswith(".")]
    with_models = [one for one in inner if results_folders(one)]
    if not with_models:
        raise InputError("no results in it, or in its folders; name BENCHMARK/MODEL/eval_details’ parents", path=path)
    return with_models


def table_across(
    found: Sequence[BenchmarkResults], name: str = DEFAULT_AGGREGATION, *, seed: int = 0, resamples: int = 1000
) -> dict[str, Any]:
    """Each model's score on each benchmark, and its mean over all of them.

    Args:
        found: The results.
        name: Of the aggregation.
        seed: Of the draws of intervals.
        resamples: How many draws.

    Returns:
        `aggregate`; `benchmarks`, each with `name`, `discriminability` (None with fewer than two models) and `models`:
        by model `mean`, `lo`, `hi` (None over fewer than six dialogues, or without NumPy), `count`, `expected` (what it
        would be over if everything were scored; None if nobody knows) and `unscored_turns`; `models`, by model `mean`,
        `lo`, `hi` over all benchmarks, None unless it has a score on each; `benchmarks_scored`, how many have a score,
        and `count` and `expected` summed over those. A benchmark of which nobody knows `expected` counts there with
        its `count`; it is None if nobody knows any.
    """
    benchmarks = [_benchmark(one, name, seed, resamples) for one in found]
    models = dict.fromkeys(model for one in benchmarks for model in one["models"])
    return {
        "aggregate": name,
        "benchmarks": benchmarks,
        "models": {model: _average([one["models"].get(model) for one in benchmarks]) for model in models},
    }


def _benchmark(one: BenchmarkResults, name: str, seed: int, resamples: int) -> dict[str, Any]:
    models = {model: _score(results, name, seed, resamples) for model, results in one.models.items()}
    means = [own["mean"] for own in models.values() if own["mean"] is not None]
    return {"name": one.name, "models": models, "discriminability": discriminability(means) if len(means) > 1 else None}


def _score(results: Results, name: str, seed: int, resamples: int) -> dict[str, Any]:
    turn_stat, dialog_stat, level = parse_aggregation(name)
    dialogs, records = counted(results.dialogs, results.records)
    figures = aggregate(records, turn_stat, dialog_stat, level)["global"]
    interval = None
    if figures.get("count", 0) and len({record["dialog_id"] for record in records}) >= FEWEST and find_spec("numpy"):
        interval = bootstrap_interval(
            records, turn_stat=turn_stat, dialog_stat=dialog_stat, dataset_level=level, seed=seed, resamples=resamples
        )
    bare, bare_dialogues = unscored(dialogs)
    what = coverage(dialogs, records)["turns" if level == "turn" else "dialogues"]["expected"]
    return {
        "mean": figures.get("mean"),
        "lo": interval["lo"] if interval else None,
        "hi": interval["hi"] if interval else None,
        "count": figures.get("count", 0),
        "expected": what + (bare if level == "turn" else bare_dialogues) if dialogs else None,
        "unscored_turns": bare,
    }


def _average(scores: Sequence[Mapping[str, Any] | None]) -> dict[str, Any]:
    """The mean over benchmarks, which count alike.

    Its interval takes the benchmarks as independent: half its width is the root of the sum of their squared halves,
    divided by their number.
    """
    known = [score for score in scores if score is not None and score["mean"] is not None]
    mean = lo = hi = None
    if len(known) == len(scores):
        mean = math.fsum(score["mean"] for score in known) / len(known)
        if all(score["lo"] is not None for score in known):
            below = math.sqrt(math.fsum((score["mean"] - score["lo"]) ** 2 for score in known)) / len(known)
            above = math.sqrt(math.fsum((score["hi"] - score["mean"]) ** 2 for score in known)) / len(known)
            lo, hi = max(0.0, mean - below), min(1.0, mean + above)
    expected = [score["count"] if score["expected"] is None else score["expected"] for score in known]
    return {
        "mean": mean,
        "lo": lo,
        "hi": hi,
        "count": sum(score["count"] for score in known),
        "expected": sum(expected) if any(score["expected"] is not None for score in known) else None,
        "benchmarks_scored": len(known),
    }


def correlations_across(found: Sequence[BenchmarkResults], name: str = DEFAULT_AGGREGATION) -> dict[str, Any]:
    """How the ranks of models agree between benchmarks and their sub-dimensions (`spearman_matrix`).

    Args:
        found: The results.
        name: Of the aggregation; its level plays no part.

    Returns:
        `sub_dimensions`: `pairs` between buckets `benchmark/column:value`, `models`, `warning`; `benchmarks`: the same
        between whole benchmarks, of the models that both have.
    """
    turn_stat, dialog_stat, _ = parse_aggregation(name)
    by_model: dict[str, dict[str, list[Any]]] = {}
    for one in found:
        for model, results in one.models.items():
            by_model.setdefault(model, {})[one.name] = list(counted(results.dialogs, results.records)[1])
    whole = {
        model: [one for own in benchmarks.items() for one in _labelled(*own)] for model, benchmarks in by_model.items()
    }
    between = spearman_matrix(whole, turn_stat=turn_stat, dialog_stat=dialog_stat)
    names = {f"{_WHOLE}:{value_text(one.name)}": one.name for one in found}
    between["pairs"] = [(*sorted((names[a], names[b])), rho) for a, b, rho in between["pairs"]]
    return {
        "aggregate": name,
        "sub_dimensions": spearman_matrix(by_model, turn_stat=turn_stat, dialog_stat=dialog_stat),
        "benchmarks": between,
    }


_WHOLE: Final = "benchmark"
"""The label that stands for all others, so that a benchmark is one bucket."""


def _labelled(benchmark: str, records: Iterable[Mapping[str, Any]]) -> Iterator[dict[str, Any]]:
    """The records of a benchmark with its name as their only label, under ids that no other benchmark has."""
    for record in records:
        yield {**record, "dialog_id": f"{benchmark}/{record['dialog_id']}", "dialog_labels": {_WHOLE: benchmark}}


def correlation_figure(found: Mapping[str, Any], part: str = "sub_dimensions") -> HeatMap:
    """The correlations as a heat map.

    Args:
        found: What `correlations_across` returns.
        part: `sub_dimensions` or `benchmarks`.

    Raises:
        UsageError: There are too many to be drawn, or none is defined.
    """
    matrix = found[part]
    known = {(a, b): rho for a, b, rho in matrix["pairs"]}
    names = sorted({name for pair in known for name in pair})
    what, pieces = ("benchmarks", "benchmarks") if part == "benchmarks" else ("sub-dimensions", "labels")
    if not any(rho is not None for rho in known.values()):
        raise UsageError(f"no correlation is defined: it takes two models with different scores, and two {pieces}")
    if len(names) > MOST_DRAWN:
        raise UsageError(f"{len(names)} {what} are too many for a figure of {MOST_DRAWN}; --json has all")

    def cell(a: str, b: str) -> HeatCell:
        return HeatCell(1.0 if a == b else known.get((a, b), known.get((b, a))))

    rows = tuple((f"{number} {one}", tuple(cell(one, other) for other in names)) for number, one in enumerate(names, 1))
    columns = tuple(str(number) for number in range(1, len(names) + 1))
    caption = f"Spearman’s correlation of the models’ scores. {matrix['warning'] or ''}".strip()
    return HeatMap("spearman", f"Rank correlation of {what}", caption, columns, rows, signed=True)
