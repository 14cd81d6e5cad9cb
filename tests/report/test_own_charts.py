"""Line charts and exhibits: what a scenario may give, and what is refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from evolif.errors import ArgumentError
from evolif.scenario import Exhibit, LineChart, LinePoint, PlotLine, Scenario, get_scenario

PNG = b"\x89PNG\r\n\x1a\n"


def line(*values: float | None, name: str = "a") -> PlotLine:
    return PlotLine(name, tuple(LinePoint(value, None if value is None else value / 2, value, 30) for value in values))


def chart(*lines: PlotLine, x: tuple[float, ...] = (2, 4, 8), **other: Any) -> LineChart:
    return LineChart("shares", "Shares", "All shares.", "turns", "share (%)", x, lines, **other)


@pytest.mark.parametrize(
    "make",
    [
        lambda: chart(line(0.1, 0.2)),
        lambda: chart(line(0.1, 0.2, 0.3), references=(line(0.1),)),
        lambda: chart(x=(2, 2, 4)),
        lambda: chart(x=(-1, 2)),
        lambda: LineChart("../up", "", "", "", "", (), ()),
        lambda: Exhibit("one", pictures=(PNG,), labels=("a", "b")),
        lambda: Exhibit("one", pictures=(b"<svg/>",)),
    ],
)
def test_what_does_not_fit_is_refused(make: Any) -> None:
    with pytest.raises(ArgumentError):
        make()


def test_a_chart_has_lines_with_bands_between_named_references() -> None:
    pytest.importorskip("matplotlib", reason="matplotlib is not installed")
    from evolif.report.figures.chart import draw_chart
    from evolif.report.figures.style import style

    with style():
        figure = draw_chart(chart(line(0.2, None, 0.4), references=(line(0.99, 0.99, 0.99, name="<top>"),
                                  line(1, 1, 1, name="ceiling"), line(None, 0.1, None, name="lone"))))  # fmt: skip
        [axes] = figure.axes
        assert [tick.get_text() for tick in axes.get_xticklabels()] == ["2", "4", "8"] and axes.get_xscale() == "log"
        top, ceiling = axes.texts
        assert (top.get_text(), ceiling.get_text()) == ("<top>", "ceiling")
        assert ceiling.xy[1] - top.xy[1] >= 5  # the names do not cover each other
        assert len(axes.collections) == 1  # the band
        alone = draw_chart(chart(line(0.2), x=(4,), references=(line(0.1, name="floor"),)))
        assert alone.axes[0].get_xscale() == "linear" and alone.axes[0].get_xlim() == (3, 5)
        from_zero = draw_chart(chart(line(0.2, 0.3, 0.4), x=(0, 2, 4)))
        assert from_zero.axes[0].get_xscale() == "linear"


def test_a_chart_without_a_value_says_so() -> None:
    from evolif.report.figures import catalogue

    assert catalogue.chart(chart(line(None, None, None))) == (None, "All shares. It has no value yet.")


def test_scenarios_have_no_exhibits_and_no_side_options_unless_they_say_so() -> None:
    assert Scenario.side_options == frozenset() and get_scenario("shifts").presentation.exhibits([]) == ()
    assert get_scenario("games").presentation.exhibits([]) == ()


def test_every_template_escapes_exhibits() -> None:
    import evolif.report.page as page

    text = (Path(page.__file__).parent / "templates" / "transcript.html").read_text("utf-8")
    from evolif.report.page.transcript_cache import environment

    shown = environment().from_string(text[text.index("{% if exhibits %}") : text.index("{% if tree")])
    told = Exhibit("<t>", "<pre>\u202e", (PNG,), ('"<l>',), "<n>")
    made = shown.render(exhibits=(told,))
    assert "<t>" not in made and "<l>" not in made and "<n>" not in made and "&lt;pre&gt;" in made
    assert (
        "\u202e" not in made and 'src="data:image/png;base64,iVBORw0KGgo="' in made and 'alt="&#34;&lt;l&gt;"' in made
    )
