"""Reports on a scenario with figures of its own and without patience."""

from __future__ import annotations

import importlib.metadata
import json
from collections.abc import Iterable, Mapping
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any, ClassVar

import pytest
from typer.testing import CliRunner

from evolif.budget import load_prices, quotes_of, snapshot
from evolif.cli import app
from evolif.errors import ArgumentError
from evolif.judging import Judgement
from evolif.metrics import Breakdown, MetricTable
from evolif.report import analyse
from evolif.report.comparable import group_comparable
from evolif.report.figures import draw_all
from evolif.report.json import analysis_object
from evolif.report.latex import latex_report
from evolif.runner import Run, RunSettings, RunStore, SessionKey, load_run
from evolif.runner.records import AnsweredTurn, EndEntry, TurnEntry
from evolif.scenario import Chapter, Grid, HeatCell, HeatMap, ModelsView, Presentation, Scenario, TableCell
from evolif.text import READING_RULES_VERSION
from evolif.types import Message, Prompt, Score, Seat, Session, Verdict

DIALOGUES = range(1, 14)


def points(session: Session) -> tuple[float, ...]:
    own = sum(score.value or 0.0 for turn in session.turns for score in turn.scores if turn.seat == "target")
    return 1.0, own, float(own > 2)


WON = MetricTable(
    terms=("games", "points", "won"),
    of=points,
    ratios={"won": ("won", "games"), "points": ("points", "games")},
    labels={"won": "Won", "points": "points"},
    units={"points": "count"},
)


class DuelPages(Presentation):
    def parts(self, board: ModelsView) -> Iterable[Grid]:
        rows = (("moves", tuple(TableCell(str(len(model.sessions))) for model in board.models)),)
        yield Grid("duels", "Moves of the duels", "what", board.heads, rows)


class BrokenPages(DuelPages):
    def parts(self, board: ModelsView) -> Iterable[Grid]:
        raise ZeroDivisionError("oh")

    def figures(self, board: ModelsView) -> Iterable[HeatMap]:
        yield HeatMap("duels", "Two of a name", "", ("a", "a"), ())


class DrawnPages(DuelPages):
    """Has two figures; a chapter names one of them."""

    chapters = (Chapter("duels", "All duels", "", ("wins",), ("duels",)),)

    def figures(self, board: ModelsView) -> Iterable[HeatMap]:
        shares = tuple(HeatCell(number / 2, 13) for number in range(len(board.models)))
        yield HeatMap("wins", "Wins", "Share of wins.", board.heads, (("<e4> & $x$", shares),), "games")
        signed = (("1 first", (HeatCell(1), HeatCell(-0.4))), ("2 second", (HeatCell(-0.4), HeatCell())))
        yield HeatMap("ties", "Ties", "Correlations.", ("1", "2"), signed, signed=True)
        yield HeatMap("none", "Nothing", "Nothing.", ("1",), (("1", (HeatCell(),)),))


class Duel(Scenario):
    name = "duel"
    title = "two players"
    seats = ("target", "partner")
    breakdowns = (Breakdown("opening", "opening", "CSR % per opening", kind=True),)
    pages: ClassVar[type[Presentation]] = DuelPages

    @property
    def presentation(self) -> Presentation:
        return self.pages(self)

    def table(self, options: Mapping[str, Any]) -> MetricTable:
        return WON


class Broken(Duel):
    name, pages = "broken", BrokenPages


class Drawn(Duel):
    name, pages = "drawn", DrawnPages


@pytest.fixture(autouse=True)
def _installed(monkeypatch: pytest.MonkeyPatch) -> None:
    real = importlib.metadata.entry_points
    places = {"duel": "Duel", "broken": "Broken", "drawn": "Drawn"}
    found = [EntryPoint(name, f"{__name__}:{place}", "evolif.scenarios") for name, place in places.items()]

    def entry_points(**which: Any) -> Any:
        return found if which == {"group": "evolif.scenarios"} else real(**which)

    monkeypatch.setattr(importlib.metadata, "entry_points", entry_points)


def make_duels(path: Path, *models: str, judged: bool = True, **settings: Any) -> Run:
    """Games of two turns of each seat; model number n scores n points more a turn than the one before."""
    told = {
        "benchmark": "0123456789abcdef",
        "scenario": "duel",
        "models": models,
        "patience": None,
        "max_turns": 8,
        "dialogues": tuple(DIALOGUES),
        "reading_rules": READING_RULES_VERSION,
        **settings,
    }
    store = RunStore.create(path, RunSettings.model_validate(told))
    keys = [SessionKey(model, dialogue, 1) for model in models for dialogue in DIALOGUES]
    store.enrol(keys)
    for key in keys:
        number = store.state(key).id
        seats: tuple[Seat, ...] = ("target", "partner", "target", "partner")
        for turn, seat in enumerate(seats, start=1):
            labels = {"opening": "e4" if key.dialogue % 2 else "d4"}
            prompt = Prompt(key.dialogue, turn, (Message("user", f"turn {turn}"),), seat, labels=labels)
            score = Score("points", models.index(key.model) + (key.dialogue + turn) % 3 / 2 if seat == "target" else 99)
            verdicts = (Verdict("legal", seat == "target" and turn == 1, "", ""),) if judged else ()
            store.write([TurnEntry(number, prompt, AnsweredTurn("e4"), Judgement(verdicts, scores=(score,)))])
        store.write([EndEntry(number, "finished", "over", "the game is over")])
    store.close()
    return load_run(path)


def test_the_figures_of_the_scenario_come_first(tmp_path: Path) -> None:
    run = make_duels(tmp_path / "r", "sim/a", "sim/b", "sim/c")
    [analysis] = analyse([run], resamples=50)
    a, b, c = (model.summary for model in analysis.models)
    assert list(a.metrics.by_name()) == ["won", "points", "csr", "isr"] and analysis.headline.head == "Won %"
    assert (a.metrics.value("won"), c.metrics.value("won")) == (0, 1)
    assert b.metrics.value("points") - a.metrics.value("points") == pytest.approx(2)  # a point more in each turn
    assert a.metrics.value("isr") == 0.5 and a.counts.not_judged_turns == 0  # a partner's turns do not count
    assert a.intervals["points"] is not None and a.bounds is None
    by = analysis.models[0].by("opening")
    assert {key: one.turns for key, one in by.items()} == {"d4": 12, "e4": 14}
    assert set(analysis.models[0].figures_by("opening")) == {"d4", "e4"}
    assert {len(one.values) for one in analysis.rank_agreement("opening").values()} == {3}
    assert analysis.models[0].patience_sweep == () and analysis.ceiling is None
    run.close()


def test_for_machines_and_for_papers(tmp_path: Path) -> None:
    run = make_duels(tmp_path / "r", "sim/a", "sim/b", "sim/c")
    groups = group_comparable(analyse([run], resamples=50))
    told = analysis_object(groups)
    json.dumps(told, allow_nan=False)
    [model, *_] = told["models"]
    assert set(model["won"]) == set(model["points"]) == {"value", "low", "high"}
    assert not {"rob", "edr_len", "rec_left_out", "hazard", "survival", "patience_sweep"} & set(model)
    assert list(model["by"]) == ["group", "load", "turn", "opening"] and list(model["kinds"]) == ["opening"]
    [part] = told["boards"][0]["parts"]
    assert part["name"] == "duels" and part["rows"][0]["cells"][0] == {"value": "13", "aside": ""}
    assert told["boards"][0]["rank_stability"][0]["size"] == 5
    assert told["runs"][0]["ceiling"] is None
    assert "--patience" not in told["runs"][0]["commands"][1]["command"]
    assert "--scenario duel" in told["runs"][0]["commands"][0]["command"]
    tex = latex_report(groups)
    assert "Won \\%" in tex and "Moves of the duels" in tex
    assert "EDR" not in tex and "ROB" not in tex and "atience" not in tex
    run.close()


def test_the_whole_report_and_the_comparison_in_a_terminal(tmp_path: Path) -> None:
    make_duels(tmp_path / "r", "sim/a", "sim/b", "sim/c").close()
    told = CliRunner().invoke(app, ["report", str(tmp_path / "r"), "--full", "--resamples", "50"])
    assert told.exit_code == 0, told.output
    for words in ("Won %", "points", "CSR % per opening", "Moves of the duels", "Won on two halves"):
        assert words in told.output
    for words in ("EDR", "ROB", "Hazard", "Kaplan", "Patience sweep", "perfect responder"):
        assert words not in told.output
    pytest.importorskip("scipy", reason="SciPy is not installed")
    pair = ["compare", str(tmp_path / "r"), "-m", "sim/c", "-m", "sim/a", "--resamples", "50"]
    told = CliRunner().invoke(app, pair)
    assert told.exit_code == 0, told.output
    words = " ".join(told.output.split())
    assert "Won by 100.0 [75.3, 100.0] points" in words and "Log-rank" not in words and "patience" not in words
    assert "A − B in the metric's own unit and percentage points" in words
    shown = json.loads(CliRunner().invoke(app, [*pair, "--json", "-"]).stdout)
    assert "log_rank" not in shown["comparisons"][0]
    assert shown["comparisons"][0]["told_apart"] == ["won"]
    assert [name for name, one in shown["comparisons"][0]["metrics"].items() if one["p_holm"] is not None] == ["won"]
    assert (shown["comparisons"][0]["n"], shown["comparisons"][0]["ended_early"]) == (None, None)
    assert "isr_on_shared_turns" not in shown["comparisons"][0]["metrics"]


def test_pictures_are_those_that_such_a_run_has(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib", reason="matplotlib is not installed")
    run = make_duels(tmp_path / "r", "sim/a", "sim/b")
    names = {picture.name: picture for picture in draw_all(group_comparable(analyse([run], resamples=20))[0])}
    assert set(names) == {"headline", "groups", "radar", "load", "difficulty", "stability", "comparison"}
    assert names["headline"].title == "The metrics" and names["headline"].figure is not None
    assert names["comparison"].figure is not None
    run.close()


def test_a_scenario_draws_heat_maps_of_its_own(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib", reason="matplotlib is not installed")
    run = make_duels(tmp_path / "r", "sim/a", "sim/b", "sim/c", scenario="drawn")
    names = {picture.name: picture for picture in draw_all(group_comparable(analyse([run], resamples=20))[0])}
    wins, ties = names["wins"].figure, names["ties"].figure
    assert wins is not None and [text.get_text() for text in wins.axes[0].texts] == ["0", "50", "100"]
    assert ties is not None and [text.get_text() for text in ties.axes[0].texts] == ["1.00", "−0.40", "−0.40", "–"]
    assert names["wins"].caption == "Share of wins. Italics: fewer than 20 games."
    assert names["ties"].caption == "Correlations." and "$x$" in names["wins"].svg()
    assert names["none"].figure is None and names["none"].caption == "Nothing. It has no value yet."
    run.close()


@pytest.mark.slow
def test_heat_maps_stand_in_the_chapter_that_names_them_or_at_the_end(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib", reason="matplotlib is not installed")
    make_duels(tmp_path / "r", "sim/a", "sim/b", "sim/c", scenario="drawn").close()
    page = tmp_path / "r.html"
    words = ["report", str(tmp_path / "r"), "--resamples", "20", "--html", str(page), "--figures", str(tmp_path / "f")]
    assert CliRunner().invoke(app, words).exit_code == 0
    text = page.read_text("utf-8")
    chapter = text.index('id="duels"')
    assert chapter < text.index("Share of wins.") < text.index('id="more"') < text.index("Correlations.")
    assert text.count("<figcaption") == text.count("<svg") and "&lt;e4&gt; &amp; $x$" in text
    assert {"wins.svg", "ties.png", "figures.md"} <= {file.name for file in (tmp_path / "f").iterdir()}
    assert not (tmp_path / "f" / "none.svg").exists()


@pytest.mark.parametrize(
    ("name", "columns", "cells"),
    [("../up", ("a",), 1), ("Two words", ("a",), 1), ("short", ("a", "b"), 1), ("twice", ("a", "a"), 2)],
)
def test_a_heat_map_of_no_shape_is_refused(name: str, columns: tuple[str, ...], cells: int) -> None:
    with pytest.raises(ArgumentError):
        HeatMap(name, "", "", columns, (("row", (HeatCell(),) * cells),))


def test_the_status_and_a_run_without_any_verdict(tmp_path: Path) -> None:
    run = make_duels(tmp_path / "r", "sim/a", "sim/b", judged=False)
    [analysis] = analyse([run], resamples=20)
    assert list(analysis.models[0].summary.metrics.by_name()) == ["won", "points"]
    status = snapshot(run, quotes_of(run.settings, load_prices()))
    assert [model.value for model in status.models] == [one.summary.metrics.value("won") for one in analysis.models]
    assert status.headline.label == "Won" and [model["won"] for model in status.to_object()["models"]] == [0.0, 1.0]
    told = CliRunner().invoke(app, ["status", str(tmp_path / "r"), "--seconds", "0"])
    assert "Won so far 0 [0–25]" in " ".join(told.output.split())
    run.close()


def test_a_scenario_that_fails_in_its_part_costs_only_that(tmp_path: Path) -> None:
    make_duels(tmp_path / "r", "sim/a", scenario="broken").close()
    page, paper = tmp_path / "r.html", tmp_path / "r.tex"
    words = ["report", str(tmp_path / "r"), "--full", "--resamples", "20", "--html", str(page), "--latex", str(paper)]
    told = CliRunner().invoke(app, words)
    assert told.exit_code == 0
    for text in (told.output, page.read_text("utf-8"), paper.read_text("utf-8")):
        said = " ".join(text.split())
        assert "broken cannot make its part of the report: " in said and "(ZeroDivisionError: oh)" in said
        assert "Won" in text
    pytest.importorskip("matplotlib", reason="matplotlib is not installed")
    shown = " ".join(page.read_text("utf-8").split())
    assert "broken cannot make its figures: the heat map duels has rows or columns of the same name" in shown


def test_two_judges_are_compared_in_the_words_of_the_scenario(tmp_path: Path) -> None:
    pytest.importorskip("scipy", reason="SciPy is not installed")
    for name, judge in (("a", "none"), ("b", "openai/j")):
        make_duels(tmp_path / name, "sim/a", judge=judge).close()
    pair = ["compare", str(tmp_path / "a"), str(tmp_path / "b"), "--ablation", "judge", "--resamples", "20"]
    told = CliRunner().invoke(app, pair)
    assert told.exit_code == 0, told.output
    assert "The two judges agree on all 26 requirements that both judged." in " ".join(told.output.split())


def test_the_commands_say_what_the_run_was_played_with(tmp_path: Path) -> None:
    run = make_duels(
        tmp_path / "r",
        "sim/a",
        partner="openai/p",
        context="last:2",
        options={"tokens": 256, "style": "terse"},
        other_endpoints={"partner": "http://host/v1"},
    )
    [analysis] = analyse([run], resamples=20)
    step = analysis.commands[1]
    played = "--partner 'openai/p?base_url=URL' --context last:2 --set tokens=256 --set style=terse"
    assert played in step.command and "for each URL give the address" in step.note
    run.close()
