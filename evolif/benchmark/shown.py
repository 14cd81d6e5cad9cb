"""How a benchmark of any scenario shows itself in a notebook."""

from __future__ import annotations

from collections.abc import Iterator

from evolif.scenario import Benchmark
from evolif.text import plural
from evolif.text.notebook import html_table, one_line, or_else


def benchmark_line(bench: Benchmark) -> str:
    """Its folder, scenario, variant and size in angle brackets; its folder alone where that has gone."""
    folder = bench.path.resolve().name
    kind = type(bench).__name__

    def line() -> str:
        variant = f" {bench.variant}" if bench.variant else ""
        return one_line(f"{kind} {folder}: scenario {bench.scenario}{variant}, {_size(bench)}")

    return or_else(line, one_line(f"{kind} {folder}"))


def benchmark_table(bench: Benchmark) -> str | None:
    """A row per fact; None where its folder has gone."""
    note = f"Play it: evolif.evaluate(bench, models, out), or evolif evaluate {bench.path.name} -m MODEL"
    return or_else(
        lambda: html_table(f"Benchmark {bench.path.resolve().name}", ("", "value"), list(_facts(bench)), [note]), None
    )


def _facts(bench: Benchmark) -> Iterator[tuple[str, str]]:
    yield "scenario", bench.scenario
    if bench.variant:
        yield "variant", bench.variant
    yield "dialogues", f"{len(bench.dialogues()):,}"
    yield "identity", bench.identity


def _size(bench: Benchmark) -> str:
    return plural(len(bench.dialogues()), "dialogue", spec=",")
