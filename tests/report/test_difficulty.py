"""Difficulty by turn: what failed and how much was asked, in the table and in the figure."""

from collections.abc import Iterator
from contextlib import closing
from itertools import pairwise
from pathlib import Path

import pytest

from evolif.report import RunAnalysis
from evolif.report.comparable import ComparableRuns
from evolif.report.difficulty import difficulty, difficulty_grid, fitting_width
from evolif.report.figures import draw
from evolif.runner import evaluate
from evolif.scenarios.instructions import generate

TURNS = 30


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ComparableRuns]:
    folder: Path = tmp_path_factory.mktemp("climb")
    bench = generate(folder / "bench", dialogues=6, turns=TURNS, seed=1, profile="escalating")
    models = ["sim/steady", "sim/perfect"]
    with closing(evaluate(bench, models, folder / "run", max_turns=TURNS, patience=TURNS + 1)) as run:
        yield ComparableRuns((RunAnalysis(run, resamples=20),))


@pytest.mark.slow
def test_spans_hold_every_verdict_of_their_turns(runs: ComparableRuns) -> None:
    steady, perfect = runs.models
    turns = [turn for session in steady.sessions for turn in session.turns]
    verdicts = [[v for t in turns if first <= t.turn < first + 10 for v in t.verdicts] for first in (1, 11, 21)]
    spans = difficulty(steady)
    assert [(span.first, span.last) for span in spans] == [(1, 10), (11, 20), (21, 30)]
    assert [span.judged for span in spans] == [len(found) for found in verdicts]
    assert [span.failed for span in spans] == [sum(not v.satisfied for v in found) for found in verdicts]
    assert {span.turns for span in spans} == {60}
    assert all(a.load < b.load for a, b in pairwise(spans))
    assert {span.share for span in difficulty(perfect)} == {0.0}
    assert sum(span.judged for span in difficulty(steady, 1)) == sum(span.judged for span in spans)


def test_the_table_and_the_figure_show_all_models(runs: ComparableRuns) -> None:
    grid = difficulty_grid(runs)
    assert [name for name, _ in grid.rows] == ["1–10", "11–20", "21–30"]
    assert all(cells[1].value == "0.0" and cells[0].value != "0.0" for _, cells in grid.rows)
    assert fitting_width(runs.models) == 5
    picture = draw("difficulty", runs)
    assert picture.figure is not None
    lines = [line for axes in picture.figure.axes for line in axes.lines if len(line.get_xdata())]
    assert [list(line.get_xdata()) for line in lines] == [[3, 8, 13, 18, 23, 28]] * 4
    assert picture.svg() == draw("difficulty", runs).svg()
