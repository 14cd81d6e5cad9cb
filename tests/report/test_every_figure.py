"""Every figure with an interval that a report holds has a known method and unit, and a place in the coverage table."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, closing
from fnmatch import fnmatchcase
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml
from recorded_dialogs import RECALL, Scripted, answer, bench_of, dialog, turn

import evolif
from evolif.benchmark import open_benchmark
from evolif.report import analyse
from evolif.report.comparable import group_comparable
from evolif.report.comparison import compare_models
from evolif.report.json import analysis_object, comparisons_object
from evolif.runner import Run, evaluate
from evolif.scenario import get_scenario, options_of

COVERAGE = Path(__file__).parents[2] / "docs" / "explanation" / "metrics.md"
KNOWN = yaml.safe_load((Path(__file__).parent / "figures.yaml").read_text(encoding="utf-8"))
COVERED = ("one model", "pairs", "events", "survival", "judges", "games", "broadcasts", "ranks")
"""The tables of docs/explanation/metrics.md, each with an anchor of its name."""


@cache
def pattern_of(path: str) -> str | None:
    """The first pattern that fits, part by part: a star is one part or a part of it."""
    parts = path.split("/")
    for one in KNOWN:
        own = one["path"].split("/")
        if len(own) == len(parts) and all(map(fnmatchcase, parts, own)):
            return str(one["path"])
    return None


def intervals_in(value: Any, path: tuple[str, ...] = ()) -> Iterator[str]:
    """The paths of all figures with ends, in a report as JSON; a name with a slash is one part."""
    if isinstance(value, dict):
        if {"low", "high"} <= value.keys():
            yield "/".join(path)
        for key, inner in value.items():
            yield from intervals_in(inner, (*path, str(key).replace("sim/", "sim:").replace("fake/", "fake:")))
    elif isinstance(value, list):
        for inner in value:
            yield from intervals_in(inner, (*path, "0"))


def generated(folder: Path, name: str, dialogues: int, **options: Any) -> Any:
    scenario = get_scenario(name)
    scenario.generate(folder, options_of(scenario.spec, options, name), dialogues=dialogues, seed=7)
    return open_benchmark(folder)


def instructions(folder: Path) -> list[Run]:
    evolif.generate(folder / "bench", dialogues=8, turns=8, seed=3, profile="objective")
    bench = open_benchmark(folder / "bench")
    models = ["sim/steady", "sim/forgetful"]
    return [evaluate(bench, models, folder / "run", max_turns=8, epochs=2, relevance="lexical")]


def games(folder: Path) -> list[Run]:
    bench = generated(folder / "bench", "games", 8, n=9, turns=[2, 8])
    models = ["sim/scripted", "sim/guess-and-check"]
    return [evaluate(bench, models, folder / "run", options={"tokenizer": "regex"})]


def broadcast(folder: Path) -> list[Run]:
    bench = generated(folder / "bench", "broadcast", 24)
    return [evaluate(bench, ["sim/steady", "sim/perfect"], folder / "run")]


def shifts(folder: Path) -> list[Run]:
    bench = generated(folder / "bench", "shifts", 8, rounds=[10])
    return [evaluate(bench, ["sim/reader"], folder / name, context=name) for name in ("full", "last:2")]


def recorded(folder: Path) -> list[Run]:
    talks = [
        dialog(number, turn(1, "user", "say"), answer(2, RECALL, reference="a b c"), dialog_labels={"kind": kind})
        for number, kind in enumerate("abababab", 1)
    ]
    models = [Scripted(lambda request: "a"), Scripted(lambda request: "a b c")]
    models[0].name, models[1].name = "fake/short", "fake/whole"
    return [evaluate(bench_of(folder, *talks), models, folder / "run")]


SCENARIOS = (instructions, games, broadcast, shifts, recorded)


@pytest.mark.sampled
@pytest.mark.parametrize("make", SCENARIOS)
def test_its_interval_has_a_method_a_unit_and_a_place_in_the_table(make: Any, tmp_path: Path) -> None:
    pytest.importorskip("scipy", reason="SciPy is not installed")
    with ExitStack() as opened:
        runs = [opened.enter_context(closing(run)) for run in make(tmp_path)]
        analyses = analyse(runs, resamples=50)
        models = [model for one in analyses for model in one.models]
        across = "context" if len(runs) > 1 else None
        told = {
            **analysis_object(group_comparable(analyses)),
            **comparisons_object(compare_models([(models[0], models[1])], across=across)),
        }
    paths = set(intervals_in(told))
    assert len(paths) > 10
    assert sorted({path for path in paths if pattern_of(path) is None}) == []


def test_what_is_said_of_each_is_whole() -> None:
    for one in KNOWN:
        assert set(one) == {"path", "method", "unit", "coverage"}, one
        assert one["unit"] in ("cluster", "dialogue"), one
        assert one["coverage"] in COVERED or one["coverage"].startswith("no: "), one


def test_every_table_of_coverage_is_in_the_docs() -> None:
    text = COVERAGE.read_text(encoding="utf-8")
    named = {one["coverage"] for one in KNOWN} - {
        one["coverage"] for one in KNOWN if one["coverage"].startswith("no: ")
    }
    assert named == set(COVERED)
    for name in COVERED:
        assert f"### Coverage: {name}" in text, name
