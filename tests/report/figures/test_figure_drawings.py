"""What is drawn are the numbers that were given: read off the artists, before anything is rendered."""

from __future__ import annotations

import math
from typing import Any

import pytest

from evolif.report.figures.data import Curve, DifferenceMark, Matrix, PlotMark, PlotPanel, SurvivalCurve
from evolif.report.figures.plots import (
    MOST_TOGETHER,
    Plot,
    corners,
    draw_bars,
    draw_curves,
    draw_dots,
    draw_forest,
    draw_heat,
    draw_radar,
    ink,
    percent_span,
    shade,
)
from evolif.report.figures.style import BLACK, look, style
from evolif.report.figures.survival import draw_survival, vertices

CURVE = SurvivalCurve(
    "m",
    turns=(0, 1, 2, 3, 4),
    steps=(
        PlotMark(1, 1, 1, 4),
        PlotMark(1, 1, 1, 4),
        PlotMark(0.75, 0.4, 0.9, 4),
        PlotMark(0.75, 0.4, 0.9, 2),
        PlotMark(0, None, None, 2),
    ),
    cut=(0, 0, 1, 0, 0),
)


def drawn(make: Any, *arguments: Any) -> Any:
    with style():
        return make(*arguments)


def points(line: Any) -> list[tuple[float, float]]:
    return [(float(x), float(y)) for x, y in zip(line.get_xdata(), line.get_ydata(), strict=True)]


def texts(axes: Any) -> list[str]:
    return [text.get_text() for text in axes.texts]


def test_a_survival_curve_has_the_steps_it_was_given() -> None:
    assert vertices(CURVE) == ([0, 2, 4], [100, 75, 0])
    above, _ = drawn(draw_survival, [CURVE]).axes
    line = above.lines[0]
    assert line.get_drawstyle() == "steps-post"
    assert points(line) == [(0, 100), (2, 75), (4, 0)]


def test_sessions_cut_short_are_ticked_on_the_curve() -> None:
    above, _ = drawn(draw_survival, [CURVE]).axes
    assert [(2, 75)] in [points(line) for line in above.lines if line.get_marker() == "|"]


def test_the_numbers_at_risk_stand_below() -> None:
    _, below = drawn(draw_survival, [CURVE]).axes
    assert texts(below) == ["sessions at risk", "4", "4", "4", "2", "2"]
    assert [label.get_text() for label in below.get_yticklabels()] == ["m"]


def test_a_curve_prints_per_cent_and_leaves_gaps_out() -> None:
    curve = Curve("m", (1, 2, 3), (PlotMark(0.5, 0.4, 0.6, 100), PlotMark(None), PlotMark(0.25, 0.1, 0.4, 100)))
    axes = drawn(draw_curves, [Plot("x", "y (%)", (curve,))]).axes[0]
    assert points(axes.lines[0]) == [(1, 50), (3, 25)]
    band = axes.collections[0].get_paths()[0].vertices
    assert {(1.0, 40.0), (1.0, 60.0), (3.0, 10.0), (3.0, 40.0)} <= {tuple(place) for place in band.tolist()}


def test_a_length_stays_in_turns() -> None:
    curve = Curve("m", (1, 2), (PlotMark(4.5), PlotMark(9.0)))
    axes = drawn(draw_curves, [Plot("x", "turns", (curve,), False)]).axes[0]
    assert points(axes.lines[0]) == [(1, 4.5), (2, 9)]


def test_points_on_few_are_hollow_and_have_no_band() -> None:
    curve = Curve(
        "m", (1, 2, 3), (PlotMark(0.5, 0.4, 0.6, 100), PlotMark(0.5, 0.4, 0.6, 20), PlotMark(1.0, 0.0, 1.0, 19))
    )
    axes = drawn(draw_curves, [Plot("x", "y (%)", (curve,))]).axes[0]
    full, hollow = axes.lines[:2]
    assert full.get_markevery() == [True, True, False]
    assert points(hollow) == [(3, 100)] and hollow.get_markerfacecolor() == "white"
    assert axes.collections[0].get_paths()[0].vertices[:, 0].max() == 2


def test_many_lines_have_no_bands_and_are_told_apart_without_colour() -> None:
    curves = tuple(Curve(str(n), (1, 2), (PlotMark(0.5, 0.4, 0.6), PlotMark(0.6, 0.5, 0.7))) for n in range(12))
    axes = drawn(draw_curves, [Plot("x", "y (%)", curves)]).axes[0]
    assert not axes.collections
    assert len({(str(look(n).dash), look(n).marker) for n in range(12)}) == 12
    assert len({(look(n).colour, str(look(n).dash)) for n in range(12)}) == 12


def test_a_heat_map_prints_each_rate_and_a_dash_for_none() -> None:
    matrix = Matrix(("a", "b"), ("g", "h"), {("a", "g"): PlotMark(0.934, n=50), ("b", "h"): PlotMark(0.5, n=3)})
    axes = drawn(draw_heat, matrix).axes[0]
    assert texts(axes) == ["93", "–", "–", "50"]
    assert [text.get_fontstyle() for text in axes.texts] == ["normal", "normal", "normal", "italic"]
    assert [patch.get_facecolor()[:3] for patch in axes.patches] == [shade(0.934), shade(0.5)]


@pytest.mark.parametrize("percent", range(0, 101, 5))
def test_numbers_can_be_read_on_their_colour(percent: int) -> None:
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in shade(percent / 100)]
    light = 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
    contrast = (light + 0.05) / 0.05 if ink(percent / 100) == BLACK else 1.05 / (light + 0.05)
    assert contrast >= 4.5


def test_a_radar_goes_clockwise_from_above() -> None:
    places = corners([1, 0.5, 1, 0.5])
    expected = [(0, 1), (0.5, 0), (0, -1), (-0.5, 0), (0, 1)]
    assert places == [(pytest.approx(x), pytest.approx(y)) for x, y in expected]


def test_a_radar_has_a_gap_where_nothing_was_judged() -> None:
    matrix = Matrix(("m",), ("g", "h", "i"), {("m", "g"): PlotMark(1.0), ("m", "i"): PlotMark(0.5)})
    line = drawn(draw_radar, matrix).axes[0].lines[1]
    assert [math.isnan(x) for x, _ in points(line)] == [False, True, False, False]


def test_many_models_have_a_radar_each() -> None:
    rows = tuple(f"m{n}" for n in range(MOST_TOGETHER + 1))
    cells = {(row, group): PlotMark(0.5) for row in rows for group in "ghi"}
    figure = drawn(draw_radar, Matrix(rows, tuple("ghi"), cells))
    named = [text.get_text() for axes in figure.axes for text in axes.texts if text.get_text().startswith("m")]
    assert named == list(rows)


def test_bars_and_intervals_have_the_given_lengths() -> None:
    panel = PlotPanel("ROB (%)", True, {("a", ""): PlotMark(0.6, 0.5, 0.7), ("b", ""): PlotMark(None)})
    axes = drawn(draw_bars, [panel], ["a", "b"]).axes[0]
    assert [bar.get_width() for bar in axes.patches] == [60]
    x = [value for value in axes.lines[0].get_xdata() if not math.isnan(value)]
    assert (min(x), max(x)) == (50, 70)
    assert texts(axes) == [" –"]


def test_dots_stand_on_their_values() -> None:
    panel = PlotPanel(
        "ROB (%)", True, {("a", "s"): PlotMark(0.6, 0.5, 0.7), ("a", "t"): PlotMark(0.65), ("b", "t"): PlotMark(0.55)}
    )
    axes = drawn(draw_dots, [panel], ["a", "b"], ["s", "t"]).axes[0]
    dots = {line.get_marker(): [x for x, _ in points(line)] for line in axes.lines if len(line.get_xdata())
            and line.get_marker() not in ("None", "")}  # fmt: skip
    assert dots == {look(0).marker: pytest.approx([60]), look(1).marker: pytest.approx([65, 55])}


@pytest.mark.parametrize(
    ("ends", "span"),
    [((0.62, 0.78), (60, 80)), ((0.1, 0.9), (0, 100)), ((0.5, 0.5), (40, 60)), ((1.0, 1.0), (90, 100)), ((), (0, 100))],
)
def test_an_axis_of_per_cents_ends_in_tens(ends: tuple[float, ...], span: tuple[int, int]) -> None:
    assert percent_span([PlotMark(end) for end in ends]) == span


def test_a_difference_is_filled_where_it_is_told_from_none() -> None:
    told = DifferenceMark("ROB", "rate", PlotMark(0.1, 0.05, 0.15), 0.01)
    not_told = DifferenceMark("CSR", "rate", PlotMark(-0.02, -0.05, 0.01), 0.3)
    undefined = DifferenceMark("REC", "rate", PlotMark(None), None)
    (axes,) = drawn(draw_forest, [told, not_told, undefined], "a", "b").axes
    dots = [line for line in axes.lines if line.get_marker() == "o"]
    assert [points(dot) for dot in dots] == [[(10, 0)], [(-2, 1)]]
    assert [dot.get_markerfacecolor() for dot in dots] == ["black", "white"]
    assert texts(axes) == ["p = 0.010", "p = 0.300", " –"]
    low, high = axes.get_xlim()
    assert low == -high
