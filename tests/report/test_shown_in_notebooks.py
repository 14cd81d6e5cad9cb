"""What objects show of themselves in notebooks: a line, and a small table that is safe, quick and never fails."""

from __future__ import annotations

import re
import shutil
import time
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from typer.testing import CliRunner

import evolif
from evolif.cli import app
from evolif.errors import UsageError
from evolif.report import RunAnalysis
from evolif.report.choice import Comparisons
from evolif.runner.progress_table import progress_of, run_table
from evolif.text.notebook import html_table, one_line, or_else
from evolif.util.resources import data_path

HOSTILE = "<img src=x onerror=alert(1)>\x1b[31m'\"&\u202e"
MODELS = ["sim/steady", "sim/forgetful"]


def make(folder: Path) -> None:
    bench = evolif.generate(folder / "bench", dialogues=6, turns=4, seed=7, profile="objective")
    evolif.evaluate(bench, MODELS, folder / "run", max_turns=4).close()


@pytest.fixture
def played(tmp_path: Path, copied: Callable[..., Path]) -> Path:
    return copied(make, tmp_path / "played")


class Tags(HTMLParser):
    """The tags and texts of a fragment; fails on what is not closed."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.seen: set[str] = set()
        self.texts: list[str] = []
        self.feed(text)
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert {name for name, _ in attrs} <= {"style"}
        self.open.append(tag)
        self.seen.add(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.texts.append(data)


def shown(thing: Any) -> Tags:
    html = thing._repr_html_()
    assert isinstance(html, str) and "://" not in html and "url(" not in html and "script" not in html
    tags = Tags(html)
    assert tags.seen <= {"div", "p", "strong", "table", "thead", "tbody", "tr", "th", "td"}
    return tags


def test_a_run_says_how_far_it_is(played: Path) -> None:
    run = evolif.load_run(played / "run")
    assert repr(run) == "<Run run: 2 models (sim/steady, sim/forgetful), 6 dialogues, 12 of 12 sessions ended>"
    texts = shown(run).texts
    assert "sim/steady" in texts and "suspended or to play" in texts and any("judge none" in text for text in texts)


def test_a_run_that_is_closed_or_gone_says_its_name_and_raises_nothing(played: Path) -> None:
    run = evolif.load_run(played / "run")
    run.close()
    assert repr(run) == "<Run run>" and run._repr_html_() is None
    bench = evolif.load_benchmark(played / "bench")
    shutil.rmtree(played / "bench")
    assert repr(bench).startswith("<InstructionBenchmark bench") and bench._repr_html_() is None


SCENARIOS: dict[str, dict[str, Any]] = {
    "instructions": {"turns": 2, "profile": "objective"},
    "games": {"options": {"game": "names", "n": 9, "turns": [2]}},
    "shifts": {},
    "broadcast": {},
}


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_benchmarks_of_every_scenario_say_what_they_are(tmp_path: Path, scenario: str) -> None:
    more = SCENARIOS[scenario]
    bench = evolif.generate(tmp_path / "b", scenario=scenario, dialogues=1, seed=1, **more)
    assert f" b: scenario {scenario}" in repr(bench) and "1 dialogue" in repr(bench) and "\n" not in repr(bench)
    assert {scenario, bench.identity} <= set(shown(bench).texts)


def test_recorded_dialogues_say_what_they_are(tmp_path: Path) -> None:
    chats = data_path("seeds", "samples", "conversations", "openai.jsonl")
    assert CliRunner().invoke(app, ["import", str(chats), str(tmp_path / "b")]).exit_code == 0
    bench = evolif.load_benchmark(tmp_path / "b")
    assert "scenario recorded" in repr(bench) and "recorded" in shown(bench).texts


def test_figures_are_shown_with_intervals(played: Path) -> None:
    analysis = RunAnalysis(evolif.load_run(played / "run"))
    assert repr(analysis).startswith("<RunAnalysis run: 2 models") and "Figures" not in shown(analysis).texts
    model = analysis.models[0]
    assert repr(model) == "<ModelAnalysis sim/steady in run>" and not model.has_summary
    texts = shown(model).texts  # few sessions: computed to be shown
    assert model.has_summary and "ISR@4 %" in texts and any(re.fullmatch(r"\d+ \[\d+–\d+\]", text) for text in texts)
    assert "Figures" in shown(analysis).texts
    assert repr(model.summary).startswith("<ModelSummary sim/steady: 6 sessions, ISR@4 % ")
    assert repr(model.summary.metrics).startswith("<Figures: 6 sessions, isr_at_n 0.")
    assert shown(model.summary).texts[0] == "sim/steady"


def test_many_sessions_are_not_computed_to_be_shown(played: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("evolif.report.analysis.MOST_COMPUTED", 5)
    model = RunAnalysis(evolif.load_run(played / "run")).models[0]
    assert any("`.summary` does that, over 6 sessions" in text for text in shown(model).texts)
    assert not model.has_summary
    assert model.summary and "ISR@4 %" in shown(model).texts


def test_comparisons_from_python_are_those_of_the_command_line(played: Path) -> None:
    pytest.importorskip("scipy", reason="tests of pairs need SciPy")
    found = evolif.compare(played / "run", models=MODELS)
    [one] = found
    assert re.fullmatch(r"<ModelComparison sim/steady − sim/forgetful: ISR@4 .* points, p [.<\d]+>", repr(one))
    assert isinstance(found, Comparisons) and repr(found).startswith("<Comparisons: sim/steady − sim/forgetful")
    assert "A − B" in shown(found).texts
    run = evolif.load_run(played / "run")
    [again] = evolif.compare(run)  # it has two models
    assert again.leading == one.leading and again.p == one.p
    shutil.copytree(played / "run", played / "copy")
    both = evolif.compare(run, played / "copy")
    assert [pair.a.name for pair in both] == MODELS and all(pair.leading.value == 0 for pair in both)


def test_a_comparison_that_cannot_be_is_refused_in_a_sentence(played: Path) -> None:
    with pytest.raises(UsageError, match=r"has no model sim/x; it has sim/steady, sim/forgetful"):
        evolif.compare(played / "run", models=["sim/x", "sim/steady"])
    with pytest.raises(UsageError, match=r'models=\["X", "Y"\]'):
        evolif.compare(played / "run", models=["sim/steady"])


def test_hostile_names_are_escaped_and_long_ones_cut() -> None:
    html = html_table(HOSTILE, [HOSTILE], [[HOSTILE * 99]] * 60, [HOSTILE])
    tags = Tags(html)
    assert tags.seen <= {"div", "p", "strong", "table", "thead", "tbody", "tr", "th", "td"}
    assert "\x1b" not in html and "\u202e" not in html and "<img" not in html
    assert max(map(len, tags.texts)) <= 201 and "… and 10 more rows." in tags.texts
    assert "\x1b" not in one_line(HOSTILE) and "\n" not in one_line("a\nb")


def test_a_display_that_fails_is_another_display() -> None:
    def fail() -> str:
        raise OSError("gone")

    assert or_else(fail, "else") == "else" and or_else(lambda: "well", "else") == "well"


def test_a_thousand_sessions_are_counted_in_no_time() -> None:
    settings: Any = SimpleNamespace(
        models=("a", HOSTILE), dialogues=tuple(range(1000)), epochs=1, scenario="s", patience=None, cap="9 turns",
        judge="none",
    )  # fmt: skip
    endings: Any = {("a", "finished", ""): 600, ("a", None, ""): 100, ("a", None, "budget"): 300, ("gone", None, ""): 1}
    started = time.perf_counter()
    line, html = progress_of(settings, endings), run_table(settings, endings, "r")
    assert time.perf_counter() - started < 1
    assert "600 of 2000 sessions ended, 1100 still to play" in line
    assert "<td" in html and "<img" not in html
