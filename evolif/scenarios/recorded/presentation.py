"""How reports and exports show recorded dialogues."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from evolif.benchmark import BenchmarkFolder
from evolif.scenario import (
    Benchmark,
    Chapter,
    Grid,
    HeatMap,
    ModelsView,
    ModelView,
    Opening,
    Presentation,
    Rows,
    RunView,
)
from evolif.scenarios.recorded.model_results import ModelResults, results_object, results_of
from evolif.scenarios.recorded.report import (
    aggregation_tree,
    coverage_grid,
    differences_grid,
    length_grid,
    metrics_grid,
    other_aggregations,
)
from evolif.scenarios.recorded.sub_dimensions import (
    LabelView,
    correlation_grids,
    correlation_map,
    discriminability_grid,
    evidence_grid,
    label_grid,
    label_map,
)
from evolif.types import Prompt


class RecordedPresentation(Presentation):
    """How reports and pages show recorded dialogues."""

    requirement = "check"
    chapters = (
        Chapter(
            "aggregation",
            "From records to the score",
            "A record is one score of one answer. The score’s name says by which statistics records become turns, and "
            "turns dialogues.",
            (),
            ("aggregation", "coverage", "aggregations", "metrics"),
        ),
        Chapter("labels", "Scores by label", "", ("labels", "turn-labels"), ("labels", "turn-labels", "evidence")),
        Chapter("lengths", "Dialogues of different lengths", "", (), ("lengths",)),
        Chapter(
            "sub-dimensions",
            "Sub-dimensions",
            "A sub-dimension is a label of dialogues with one of its values, such as task_type:maths.",
            ("spearman",),
            ("spearman", "spearman-pairs", "discriminability"),
        ),
        Chapter("checks", "Checks", "", ("groups", "difficulty", "load"), ("group", "difficulty", "load")),
        Chapter("ranks", "Ranks and differences", "", ("stability",), ("ranks", "pairs", "differences", "stability")),
        Chapter("variance", "More dialogues or more epochs", "", (), ("variance",)),
    )
    references = ("reference",)
    how_to_read = (
        "The user's turns are recorded: they are asked as they stand. Each answer is scored by the metrics of its "
        "turn. A score that could not be had is left out of every mean, and counted as failed in the coverage.",
    )

    def describe_edit(self, before: Prompt, now: Prompt) -> str:
        """Names the version of the metrics, if that is all that differs."""
        keys = [key for key, value in now.payload.items() if before.payload.get(key) != value]
        if keys == ["scoring"]:
            return "this version of evolif scores it by newer metrics"
        return super().describe_edit(before, now)

    def command(
        self, bench: Benchmark | None, variant: str, dialogues: Sequence[int]
    ) -> tuple[Sequence[str], Sequence[str]]:
        """With what was made of the dialogues; where they are only their owner knows."""
        spec = bench.spec.model_dump() if isinstance(bench, BenchmarkFolder) else {}
        given = {"benchmark": spec.get("benchmark"), "sample": spec.get("sample"), "by": spec.get("by")}
        told = [f"{key}={value}" for key, value in given.items() if value]
        told += [f"metric={one}" for one in spec.get("metric", ())]
        told += ["recursive=true"] if spec.get("recursive") else []
        seed = ["--seed", str(bench.seed)] if isinstance(bench, BenchmarkFolder) and spec.get("sample") else []
        sets = [word for text in ("source=PATH", *told) for word in ("--set", text)]
        return ["--scenario", self.scenario.name, *sets, *seed], [
            f"where PATH has the dialogues{f' of {variant}' if variant else ''}"
        ]

    def facts(self, prompt: Prompt) -> tuple[tuple[str, str], ...]:
        """The ids in the source, then the labels."""
        ids = f"{prompt.payload['dialog_id']}, turn {prompt.payload['turn_id']}"
        return ("dialog", ids), *super().facts(prompt)

    def extra(self, model: ModelView) -> Mapping[str, Any]:
        """The coverage, and the figures under several aggregations, by metric and by label."""
        return results_object(results_of(model))

    def remarks(self, run: RunView) -> Iterable[str]:
        """How much of what should be scored is in the score."""
        for model in run.models:
            yield _coverage_line(model)
            yield from _bare_lines(model)

    def warnings(self, run: RunView) -> Iterable[str]:
        """What should be scored and is not."""
        for model in run.models:
            counts = results_of(model).coverage["records"]
            if counts["scored"] < counts["expected"]:
                yield _coverage_line(model)
            yield from _bare_lines(model)

    def opening(self, board: ModelsView) -> Opening:
        """The score, by label where the dialogues have some."""
        return Opening((), ("labels", "turn-labels", "headline"))

    def parts(self, board: ModelsView) -> Iterable[Grid]:
        """From records to the score, what is missing, labels, lengths, and how the models compare."""
        results = _results(board)
        dialogs, turns = LabelView(results, "dialog"), LabelView(results, "turn")
        grids = (
            aggregation_tree(results),
            other_aggregations(results),
            coverage_grid(results),
            metrics_grid(results),
            *(label_grid(view) for view in (dialogs, turns) if view.buckets or view.note),
            evidence_grid(dialogs),
            length_grid(results),
            differences_grid(results),
            discriminability_grid(dialogs),
            *correlation_grids(dialogs),
        )
        return [grid for grid in grids if grid is not None]

    def figures(self, board: ModelsView) -> Iterable[HeatMap]:
        """Scores by label, and the rank correlation of sub-dimensions."""
        results = _results(board)
        dialogs, turns = LabelView(results, "dialog"), LabelView(results, "turn")
        return filter(None, (label_map(dialogs), label_map(turns), correlation_map(dialogs)))


class RecordedRows(Rows):
    """The columns of prompts in exports, and their answer keys."""

    def row(self, prompt: Prompt) -> dict[str, Any]:
        """With the ids in the source."""
        return {**super().row(prompt), "dialog_id": prompt.payload["dialog_id"], "turn_id": prompt.payload["turn_id"]}


def _results(board: ModelsView) -> tuple[ModelResults, ...]:
    return tuple(results_of(model, head) for model, head in zip(board.models, board.heads, strict=True))


def _coverage_line(model: ModelView) -> str:
    found = results_of(model).coverage
    counts = found["records"]
    failed = ", ".join(f"{kind} {number}" for kind, number in found["failures"].items())
    return (
        f"Coverage of {model.name}: {counts['scored']} of {counts['expected']} records are scored, "
        f"{counts['failed']} failed{f' ({failed})' if failed else ''}, {counts['missing']} are missing."
    )


def _bare_lines(model: ModelView) -> Iterator[str]:
    bare = results_of(model).unscored
    if bare["turns"]:
        yield (
            f"{bare['turns']} of {bare['evaluated_turns']} evaluated turns of {model.name} have no metric, and "
            "are in no mean."
        )
