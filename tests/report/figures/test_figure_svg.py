"""SVG for papers and pages: well-formed, the same bytes every time, and nothing in it that acts on its reader."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Callable
from typing import Any
from xml.etree import ElementTree as Tree

import matplotlib as mpl
import pytest

from evolif.errors import UsageError
from evolif.report import ModelAnalysis, RunAnalysis
from evolif.report.figures import FIGURE_NAMES, draw, draw_all
from evolif.report.figures.style import BLACK, WHITE, for_page, ink_on, label

OTHERS = ("tokens", "tree", "comparison")
"""Figures of context strategies, and of two models."""

Analysed = Callable[..., RunAnalysis]

WORDS = ("5545550", "555000", "5453000", "15555", "000", "5051500000", "555555", "4444", "53000", "5505000")
SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture(scope="module")
def three(analysed: Analysed) -> RunAnalysis:
    made = {"sim/a": 3 * WORDS, "sim/b": 3 * WORDS[::-1], "sim/c": 3 * tuple(word[::-1] for word in WORDS)}
    return analysed(made, sources=("template", "openai/gpt-4.1"))


@pytest.fixture(scope="module")
def pictures(three: RunAnalysis) -> dict[str, str]:
    """Every figure as it stands in a page, by name."""
    made = draw_all(three)
    assert [picture.name for picture in made] == [name for name in FIGURE_NAMES if name not in OTHERS]
    assert [picture.caption for picture in made if picture.figure is None] == []
    return {picture.name: picture.svg(inline=True) for picture in made}


def slow(*values: Any) -> list[Any]:
    """Parameters for the slow tests alone."""
    return [pytest.param(value, marks=pytest.mark.slow) for value in values]


def parsed(svg: str) -> Tree.Element:
    return Tree.fromstring(svg)


def texts(svg: str) -> list[str]:
    return [element.text or "" for element in parsed(svg).iter(f"{SVG}text")]


@pytest.mark.slow
def test_every_figure_can_be_drawn_and_stands_in_a_page(pictures: dict[str, str]) -> None:
    for svg in pictures.values():
        root = parsed(svg)
        assert root.tag == f"{SVG}svg" and root.get("viewBox") and root.get("width") == "100%"
        assert not svg.startswith("<?xml") and "<!DOCTYPE" not in svg
        kinds = {element.tag.removeprefix(SVG) for element in root.iter()}
        assert kinds <= {"svg", "g", "defs", "path", "use", "text", "tspan", "clipPath", "rect"}, kinds
        assert len(svg) < 60_000


def test_no_attribute_acts_or_reaches_outside(pictures: dict[str, str]) -> None:
    for svg in pictures.values():
        for element in parsed(svg).iter():
            for key, value in element.attrib.items():
                bare = key.rpartition("}")[2]
                assert not bare.startswith("on") and bare not in ("style", "src")
                assert bare != "href" or value.startswith("#")
                assert "url(" not in value or re.fullmatch(r"url\(#[\w-]+\)", value)


def test_ids_are_of_the_figure_alone_and_every_reference_finds_its_own(pictures: dict[str, str]) -> None:
    seen: set[str] = set()
    for name, svg in pictures.items():
        root = parsed(svg)
        own = [element.attrib["id"] for element in root.iter() if "id" in element.attrib]
        assert len(own) == len(set(own)) and not seen & set(own)
        assert all(one.startswith(f"{name}-") for one in own)
        seen |= set(own)
        named = {value[1:] for e in root.iter() for key, value in e.attrib.items() if key.endswith("href")}
        named |= {m[1] for e in root.iter() for value in e.attrib.values() if (m := re.match(r"url\(#(.+)\)", value))}
        assert named == set(own)


def colours(svg: str) -> set[str]:
    painted = (element.get(key, "none") for element in parsed(svg).iter() for key in ("fill", "stroke"))
    return set(painted) - {"none"}


@pytest.mark.slow
def test_a_page_paints_its_figures_and_a_file_has_colours_of_its_own(three: RunAnalysis) -> None:
    for name in ("headline", "survival", "groups", "radar", "moves"):
        picture = draw(name, three)
        inside, outside = colours(picture.svg(inline=True)), colours(picture.svg())
        assert {"var(--ink)", "var(--paper)"} <= inside
        assert not inside & {"#000000", "#ffffff", "#555555", "#dddddd", "#999999", "#f4f4f4"}
        assert "#ffffff" in outside and not any(colour.startswith("var(") for colour in outside)
        assert parsed(picture.svg(inline=True)).get("fill") == "var(--ink)"


def test_numbers_on_colours_keep_their_ink(three: RunAnalysis) -> None:
    numbers = [e for e in parsed(draw("groups", three).svg(inline=True)).iter(f"{SVG}text") if (e.text or "").isdigit()]
    assert numbers and {number.get("fill") for number in numbers} <= {BLACK, WHITE}
    assert ink_on("#e69f00") == BLACK and ink_on("#0072b2") == WHITE and ink_on("#000000") == "#ffffff"


@pytest.mark.slow
def test_figures_of_a_page_fit_a_phone(three: RunAnalysis) -> None:
    with for_page():
        narrow = {
            one.name: float(str(parsed(one.svg(inline=True)).get("viewBox")).split()[2]) for one in draw_all(three)
        }
    tables = {"groups", "modes"}
    assert set(narrow) > tables and all(width <= 3.9 * 72 + 1 for name, width in narrow.items() if name not in tables)
    assert float(str(parsed(draw("survival", three).svg()).get("viewBox")).split()[2]) > 490


@pytest.mark.slow
def test_the_same_figure_of_other_figures_has_other_ids(analysed: Analysed) -> None:
    first, second = (draw("headline", analysed({"m": words})).svg(inline=True) for words in (WORDS, WORDS[:4]))
    ids = [set(re.findall(r'id="([^"]+)"', svg)) for svg in (first, second)]
    assert ids[0] and not ids[0] & ids[1]


@pytest.mark.slow
@pytest.mark.parametrize("name", ["headline", *slow("survival", "radar", "depth", "synthesizers")])
def test_the_same_analysis_gives_the_same_bytes(analysed: Analysed, name: str) -> None:
    made = {"sim/a": WORDS, "sim/b": WORDS[::-1], "sim/c": WORDS[3:]}
    first, second = (draw(name, analysed(made, sources=("a", "b"))) for _ in range(2))
    assert first.svg() == second.svg() != ""
    assert first.svg() == first.svg()
    assert first.png() == second.png()
    assert not re.search(rb"20\d\d-\d\d-\d\d|[Mm]atplotlib", first.svg().encode() + first.png())


def test_a_reader_s_own_settings_change_nothing_and_are_left_as_they_were(three: RunAnalysis) -> None:
    plain = draw("depth", three).svg(inline=True)
    with mpl.rc_context({"font.size": 30, "svg.fonttype": "path", "axes.grid": False}):
        before = dict(mpl.rcParams)
        assert draw("depth", three).svg(inline=True) == plain
        assert dict(mpl.rcParams) == before


@pytest.mark.slow
def test_pyplot_is_never_loaded() -> None:
    code = (
        "import sys\n"
        "from evolif.report.figures.data import Matrix, PlotMark\n"
        "from evolif.report.figures.plots import draw_heat\n"
        "from evolif.report.figures.style import style\n"
        "from evolif.report.figures.svg import png_bytes, svg_text\n"
        "assert 'matplotlib' not in sys.modules, 'loaded too early'\n"
        "with style(): figure = draw_heat(Matrix(('a',), ('g',), {('a', 'g'): PlotMark(0.5)}))\n"
        "assert svg_text(figure, 'groups') and png_bytes(figure)\n"
        "assert 'matplotlib.pyplot' not in sys.modules\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("name", ["survival", *slow("groups", "radar", "modes", "load", "synthesizers")])
def test_hostile_names_act_nowhere(analysed: Analysed, hostile: tuple[str, ...], name: str) -> None:
    picture = draw(name, analysed(dict.fromkeys(hostile, WORDS), sources=hostile[:2]))
    svg = picture.svg(inline=True)
    assert "<script" not in svg and "\u202e" not in svg and "\x00" not in svg
    assert picture.png().startswith(b"\x89PNG")
    assert "\u202e" not in picture.caption and len(picture.caption) < 1500


@pytest.mark.slow
def test_hostile_names_are_text(analysed: Analysed, hostile: tuple[str, ...]) -> None:
    made = dict.fromkeys(hostile, WORDS)
    shown = texts(draw("headline", analysed(made)).svg(inline=True))
    for name in hostile:
        assert label(name) in shown
    assert r"x/$\frac{1}{0}$" in shown and "<script>alert(1)</script>" in shown


@pytest.mark.slow
def test_names_in_scripts_that_the_font_lacks_are_no_warning(analysed: Analysed) -> None:
    picture = draw("headline", analysed({"模型/七": WORDS, "مدل": WORDS}))
    assert "模型/七" in texts(picture.svg())
    assert picture.png()


def test_one_model(analysed: Analysed) -> None:
    for picture in draw_all(analysed({"m": WORDS}, sources=("a", "b"))):
        assert (picture.figure is None) == (picture.name in ("stability", "hazard"))


@pytest.mark.slow
@pytest.mark.parametrize("name", ["headline", *slow("survival", "radar", "depth", "registers")])
def test_twelve_models_stay_small(analysed: Analysed, name: str) -> None:
    svg = draw(name, analysed({f"provider/model-{n}": WORDS[n % 3 :] for n in range(12)})).svg(inline=True)
    assert svg and len(svg) < 60_000


@pytest.mark.slow
def test_one_dialogue(analysed: Analysed) -> None:
    for picture in draw_all(analysed({"m": ("5505000",)})):
        assert picture.caption.endswith(".")
        assert picture.figure is None or picture.svg()


@pytest.mark.parametrize("made", [{}, *slow({"m": ()}, {"m": ("",)}, {"m": ("", ""), "o": ("", "")})])
def test_nothing_played_is_no_figure_and_a_reason(analysed: Analysed, made: dict[str, tuple[str, ...]]) -> None:
    for picture in draw_all(analysed(made)):
        # A session without a judged turn lasted 0 turns, which can be drawn and compared; nothing was judged in it.
        if picture.name not in ("headline", "survival", "patience", "comparison") or not made.get("m"):
            assert picture.figure is None, picture.name
        assert picture.caption.endswith(".")
        assert isinstance(picture.svg(inline=True), str) and isinstance(picture.png(), bytes)


def test_sessions_left_out_are_told_and_bound_the_curve(analysed: Analysed) -> None:
    picture = draw("survival", analysed({"m": ("555000", "55000", "55!", "000")}))
    assert "Suspended or withheld and left out (thin lines" in picture.caption and ": m 1." in picture.caption
    assert "n = 3 sessions." in picture.caption
    # Two of three ended by turn 5. With the fourth it would have failed at turn 5, or gone on to the cap.
    assert "half of the sessions have ended: m 5." in picture.caption
    assert picture.figure is not None
    thin = [line for line in picture.figure.axes[0].lines if line.get_linewidth() == 0.5 and len(line.get_xdata()) > 2]
    ends = [[float(value) for value in (line.get_xdata()[-1], line.get_ydata()[-1])] for line in thin]
    assert ends == [[6, 0], [20, 25]]


@pytest.mark.slow
def test_two_models_are_compared(analysed: Analysed) -> None:
    two = analysed({"a": ("555555",) * 5 + ("5000",), "b": ("000",) * 5 + ("555555",)})
    picture = draw_all(two)[-1]
    assert picture.name == "comparison" and picture.figure is not None
    shown = texts(picture.svg())
    assert "a − b" in shown and "EDR len" in shown and "ISR shared" in shown
    # Differences of 1 in five dialogues and of -5/6 in the sixth: t = 2.27 with 3.75 degrees of freedom. Of the 64
    # flips of signs, four are as extreme, which is less than that.
    assert [text for text in shown if text.startswith("p ")] == ["p = 0.090"], "the main metric alone has one"
    assert "paired over 6 dialogues" in picture.caption and "p is that of ISR@20" in picture.caption
    assert "others are without correction" in picture.caption


@pytest.mark.slow
def test_a_metric_of_cut_sessions_has_no_p_where_nobody_was_played_to_the_end(analysed: Analysed) -> None:
    # All that is left of b after turn 3 is cut after turn 4, and a plays six turns.
    two = analysed({"a": ("555555",) * 5 + ("5000",), "b": ("000",) * 5 + ("5555",)})
    shown = texts(draw_all(two)[-1].svg())
    assert not [text for text in shown if text.startswith("p ")] and "EDR len" in shown


def test_three_models_are_not_compared_unasked(three: RunAnalysis) -> None:
    picture = draw("comparison", three)
    assert picture.figure is None and "evolif compare" in picture.caption


def test_an_unknown_figure_is_named_with_those_there_are(three: RunAnalysis) -> None:
    with pytest.raises(UsageError, match="unknown figure “pie”; use headline"):
        draw("pie", three)


def test_without_matplotlib_one_reads_what_to_install(three: RunAnalysis, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(UsageError, match=r"install evolif\[report\]"):
        draw("headline", three)


def test_what_an_analysis_cannot_tell_takes_its_own_figure_away_alone(
    analysed: Analysed, monkeypatch: pytest.MonkeyPatch
) -> None:
    def missing(model: ModelAnalysis) -> None:
        raise UsageError("survival needs SciPy; install evolif[report]")

    monkeypatch.setattr(ModelAnalysis, "survival", property(missing))
    run = analysed({"m": WORDS})
    assert draw("survival", run).figure is None and "SciPy" in draw("survival", run).caption
    assert draw("headline", run).figure is not None
