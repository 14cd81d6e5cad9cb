"""The sentence that a report begins with: its figures, who is in it, and who stands apart."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from evolif.instructions import generate
from evolif.metrics import PROCESS
from evolif.report import analyse, group_comparable, print_runs, write_page
from evolif.report.answer import answer_of, comparison_sentence, selected_comparisons, standing_sentences
from evolif.report.comparable import ComparableRuns
from evolif.report.comparison import compare_models, comparison_grid
from evolif.runner import Run, evaluate, load_run
from evolif.scenario import Opening, get_scenario

SENTENCE = re.compile(
    r"(?P<first>\S+) lasts (?P<size>[\d.]+) turns longer than (?P<second>\S+) \[(?P<low>\S+), (?P<high>\S+)\], "
    r"p (?P<p>[=<] \.\d+)\."
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("answer")
    generate(root / "bench", dialogues=12, turns=10, seed=5)
    evaluate(root / "bench", ["sim/forgetful", "sim/perfect", "sim/steady"], root / "run", max_turns=30).close()
    return root / "run"


@pytest.fixture
def run(folder: Path) -> Iterator[Run]:
    with closing(load_run(folder, read_only=True)) as opened:
        yield opened


def board_of(run: Run) -> ComparableRuns:
    [board] = group_comparable(analyse([run], resamples=200))
    return board


def test_the_sentence_has_the_figures_of_compare(run: Run) -> None:
    forgetful, _, steady = board_of(run).models
    for pair in compare_models([(steady, forgetful), (forgetful, steady)]):
        found = SENTENCE.fullmatch(comparison_sentence(pair))
        assert found is not None and (found["first"], found["second"]) == ("sim/steady", "sim/forgetful")
        cells = next(cells for name, cells in comparison_grid(pair).rows if name == "EDR len")
        between, p = cells[2], cells[3]
        signed = between.value if pair.a is steady else f"+{between.value.removeprefix('-')}"
        ends = between.aside.strip("[]").split(", ")
        if pair.a is forgetful:
            ends = [end.removeprefix("-") if end.startswith("-") else f"-{end}" for end in reversed(ends)]
        assert (f"+{found['size']}", found["low"], found["high"]) == (signed, *ends)
        assert found["p"].replace(" ", "").removeprefix("=") == p.aside.strip("()")


def test_references_are_compared_with_nobody(run: Run) -> None:
    board = board_of(run)
    assert [model.name for model in board.references] == ["sim/perfect"]
    assert board.contestants.heads == ("sim/forgetful", "sim/steady") and board.contestants.references == ()
    [pair] = selected_comparisons(board, ())
    assert {pair.a.name, pair.b.name} == {"sim/forgetful", "sim/steady"}
    answer = answer_of(board)
    assert len(answer.sentences) == 1 and answer.grid.heads == ("sim/forgetful", "sim/steady")
    rows = {name: [cell.value for cell in cells] for name, cells in answer.references.rows}
    assert rows["sim/perfect"] == ["30.0", "100", "100"] and set(rows) == {"sim/perfect", "floor"}


def test_references_alone_are_models_like_others(run: Run) -> None:
    board = board_of(run)
    alone = board.only([board.models[1]])
    assert alone.references == () and alone.contestants is alone
    [told] = standing_sentences(alone)
    assert told.startswith("sim/perfect reaches ISR 100 % [") and told.endswith("], over 12 sessions.")


def test_one_model_has_a_sentence_of_its_own(run: Run) -> None:
    board = board_of(run)
    [told] = standing_sentences(board.only([board.models[0]]))
    summary = board.models[0].summary
    low, high = summary.intervals["edr_len"] or (0.0, 0.0)
    length = f"{summary.metrics.value('edr_len'):.1f} turns [{low:.1f}, {high:.1f}]"
    assert told == f"sim/forgetful lasts {length}, over 12 sessions."


def test_a_difference_that_may_be_none_is_called_so(run: Run) -> None:
    forgetful, _, steady = board_of(run).models
    [pair] = compare_models([(steady, forgetful)])
    paired = pair.paired
    vague = {**paired.differences, "edr_len": replace(paired.differences["edr_len"], p_holm=0.05)}
    pair.__dict__["paired"] = replace(paired, differences=vague)
    assert comparison_sentence(pair).startswith("No significant difference: sim/steady lasts ")


def test_every_metric_says_what_it_is() -> None:
    tables = [get_scenario(name).metrics for name in ("recorded", "shifts", "games", "broadcast")]
    for table in [PROCESS, *tables]:
        assert table is not None
        for name in table.ratios:
            meaning = table.metric(name).meaning
            assert meaning and len(meaning) < 60 and meaning[-1] != ".", name


def test_the_page_opens_with_the_answer(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("evolif.report.page.sections.draw_all", lambda *_: [])
    write_page(analyse([run], resamples=200), tmp_path / "p.html")
    text = (tmp_path / "p.html").read_text(encoding="utf-8")
    main = text[text.index("<main>") :]
    first = main[: main.index("</section>")]
    [sentence] = re.findall(r'<p class="answer">(.*?)</p>', first)
    assert SENTENCE.fullmatch(sentence) and "<details" not in first
    assert "turns that a session lasts" in first and "knows the answers" in first
    rest = main[main.index("</section>") :]
    assert rest.count("<section id=") == rest.count('<details class="chapter">')
    for table in re.findall(r'<table class="(?:comparison|ranks|pairs|headline)">.*?</table>', main, re.DOTALL):
        assert "sim/perfect" not in table


def test_the_terminal_begins_with_the_same_sentence_and_has_a_legend(run: Run) -> None:
    board = board_of(run)
    with StringIO() as written:
        print_runs(board, Console(file=written, width=80))
        text = written.getvalue()
    told = " ".join(text.split())
    assert told.startswith(answer_of(board).sentences[0]) and "Holm’s correction" in told
    assert "EDR len: turns that a session lasts; EXH: sessions out of patience" in told
    table = text[text.index("metric") : text.index("EDR len: ")]
    assert "perfect" not in table and "sim/perfect: knows the answers; floor: “" in told


def test_a_scenario_brings_its_own_opening(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def own(self: Any, board: Any) -> Opening:
        return Opening(("It was a draw.",), ("no-such", "survival"), (), ("isr",))

    board = board_of(run)
    monkeypatch.setattr(type(board.scenario), "opening", own)
    answer = answer_of(board)
    assert answer.sentences[0] == "It was a draw." and answer.figures == ("no-such", "survival")
    assert [name for name, _ in answer.grid.rows] == ["sessions", "ISR %"]


def test_an_opening_that_breaks_is_told(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(self: Any, board: Any) -> Opening:
        raise ZeroDivisionError("nothing")

    board = board_of(run)
    monkeypatch.setattr(type(board.scenario), "opening", broken)
    assert "cannot make its opening: ZeroDivisionError" in answer_of(board).sentences[0]
