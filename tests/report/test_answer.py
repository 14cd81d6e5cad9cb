"""The sentence that a report begins with: its figures, who is in it, and who stands apart."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from html import unescape
from io import StringIO
from pathlib import Path
from random import Random
from typing import Any

import pytest
from rich.console import Console
from runs_by_hand import make_run

from evolif.metrics import PROCESS
from evolif.report import analyse, write_page
from evolif.report.answer import answer_of, selected_comparisons, standing_sentences
from evolif.report.comparable import ComparableRuns, group_comparable
from evolif.report.comparison import compare_models, comparison_grid
from evolif.report.conclusions import verdict_sentence
from evolif.report.terminal import print_runs
from evolif.runner import Run, evaluate, load_run
from evolif.scenario import Opening, get_scenario
from evolif.scenarios.instructions import generate

DEPENDING = {"isr_at_n", "isr", "edr_len"}
"""Metrics that the cap or early ends have a part in."""
SENTENCE = re.compile(
    r"(?P<first>\S+) satisfies more of 30 requests in a row than (?P<second>\S+): ISR@30 by (?P<size>[\d.]+) "
    r"\[(?P<low>\S+), (?P<high>\S+)\] points, p (?P<p>[=<] \.\d+)\."
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("answer")
    generate(root / "bench", dialogues=12, turns=10, seed=6, profile="objective")
    evaluate(root / "bench", ["sim/forgetful", "sim/perfect", "sim/steady"], root / "run", max_turns=30).close()
    return root / "run"


@pytest.fixture
def run(folder: Path) -> Iterator[Run]:
    with closing(load_run(folder, read_only=True)) as opened:
        yield opened


def board_of(run: Run) -> ComparableRuns:
    [board] = group_comparable(analyse([run], resamples=200))
    return board


@pytest.mark.slow
def test_the_sentence_has_the_figures_of_compare(run: Run) -> None:
    forgetful, _, steady = board_of(run).models
    for one, other in ((steady, forgetful), (forgetful, steady)):
        [pair] = compare_models([(one, other)])
        found = SENTENCE.fullmatch(verdict_sentence(pair))
        assert found is not None and (found["first"], found["second"]) == ("sim/steady", "sim/forgetful")
        cells = next(cells for name, cells in comparison_grid(pair).rows if name == "ISR@30 %")
        between, p = cells[2], cells[3]
        signed = between.value if pair.a is steady else f"+{between.value.removeprefix('-')}"
        ends = between.aside.strip("[]").split(", ")
        if pair.a is forgetful:
            ends = [end.removeprefix("-") if end.startswith("-") else f"-{end}" for end in reversed(ends)]
        assert (f"+{found['size']}", found["low"], found["high"]) == (signed, *ends)
        assert found["p"].replace(" ", "").removeprefix("=") == p.value and p.aside == ""


def test_references_are_compared_with_nobody(run: Run) -> None:
    board = board_of(run)
    assert [model.name for model in board.references] == ["sim/perfect"]
    assert board.contestants.heads == ("sim/forgetful", "sim/steady") and board.contestants.references == ()
    [pair] = selected_comparisons(board, ())
    assert {pair.a.name, pair.b.name} == {"sim/forgetful", "sim/steady"}
    answer = answer_of(board)
    assert len(answer.sentences) == 1 and answer.grid.heads == ("sim/forgetful", "sim/steady")
    rows = {name: [cell.value for cell in cells] for name, cells in answer.references.rows}
    assert rows["sim/perfect"] == ["100", "30.0", "100"] and set(rows) == {"sim/perfect", "floor"}


def test_references_alone_are_models_like_others(run: Run) -> None:
    board = board_of(run)
    alone = board.only([board.models[1]])
    assert alone.references == () and alone.contestants is alone
    [told] = standing_sentences(alone)
    # No dialogue of twelve has failed; half of an unseen worst one would have (2.5 %, at most one of the sessions).
    low = (alone.summaries[0].intervals["isr_at_n"] or (0.0, 0.0))[0]
    assert told == f"sim/perfect satisfied 30 of 30 requests in a row [{30 * low:.0f}, 30]; 100 % reached 30."
    assert 0.7 < low < 1


def test_one_model_has_a_sentence_of_its_own(run: Run) -> None:
    board = board_of(run)
    [told] = standing_sentences(board.only([board.models[0]]))
    summary = board.models[0].summary
    low, high = summary.intervals["isr_at_n"] or (0.0, 0.0)
    value = summary.metrics.value("isr_at_n") or 0.0
    lengths = sorted(len(record.turns) for record in summary.counts.records)
    assert all(record.turns for record in summary.counts.records) and summary.counts.finished == 12
    # All twelve ended by themselves, so half of them had by the sixth length.
    assert told == (
        f"sim/forgetful satisfied {30 * value:.0f} of 30 requests in a row [{30 * low:.0f}, {30 * high:.0f}]; half of "
        f"the sessions ended by turn {lengths[5]}."
    )


def test_one_model_by_hand(tmp_path: Path) -> None:
    """Of 10 requests 9, 9, 3, 2, 2, 5, 6 and 4 were satisfied; two sessions reached turn 10, one of them to die."""
    sessions = {
        1: "censored:1 1 1 1 1 1 1 1 1 0", 2: "censored:1 1 1 1 1 1 1 0 1 1", 3: "finished:1 1 1 0 0 0",
        4: "finished:1 1 0 0 0", 5: "finished:1 1 0 0 0", 6: "finished:1 1 1 1 1 0 0 0",
        7: "finished:1 1 1 1 1 1 0 0 0", 8: "finished:1 1 1 0 0 1 0 0 0",
    }  # fmt: skip
    with closing(make_run(tmp_path / "r", {"sim/a": sessions}, query="Again.")) as run:
        board = board_of(run)
        low, high = board.summaries[0].intervals["isr_at_n"] or (0.0, 0.0)
        assert low < 40 / 80 < high and board.summaries[0].metrics.value("isr_at_n") == 40 / 80
        assert standing_sentences(board) == (
            f"sim/a satisfied 5 of 10 requests in a row [{10 * low:.0f}, {10 * high:.0f}]; half of the sessions ended "
            "by turn 8, 25 % reached 10.",
        )
        assert answer_of(board).sentences == standing_sentences(board)


def test_each_pair_of_three_models_is_corrected_by_holm(tmp_path: Path) -> None:
    shares = {"sim/a": 0.9, "sim/b": 0.8, "sim/c": 0.6}
    chance = Random(7)
    models = {
        name: {n: f"censored:{' '.join('1' if chance.random() < share else '0' for _ in range(10))}" for n in range(20)}
        for name, share in shares.items()
    }
    with closing(make_run(tmp_path / "r", models, patience=None)) as endless:
        assert board_of(endless).tables[0].main == "isr"
    with closing(make_run(tmp_path / "s", models, patience=9, query="Again.")) as run:
        board = board_of(run)
        pairs = selected_comparisons(board, ())
        assert [(one.a.name[-1], one.b.name[-1]) for one in pairs] == [("a", "b"), ("a", "c"), ("b", "c")]
        [alone, *_] = [compare_models([(one.a, one.b)]) for one in pairs]
        assert alone[0].p == pairs[0].leading.p, "a pair of two models is not corrected"
        raw = {one: one.leading.p or 0.0 for one in pairs}
        ordered, highest = sorted(pairs, key=lambda one: raw[one]), 0.0
        for left, one in zip((3, 2, 1), ordered, strict=True):
            highest = max(highest, left * raw[one])
            assert one.p == pytest.approx(min(1.0, highest))
        answer, ranking = answer_of(board), board.ranking
        assert "after Holm’s correction over all 3 pairs" in answer.how and ranking is not None
        order, table = answer.standings
        assert [name for name, _ in order.rows] == ["sim/a", "sim/b", "sim/c"]
        assert [cells[0].value for _, cells in order.rows] == ["1", "2", "3"]
        best = "sim/a satisfies more of 10 requests in a row than"
        assert answer.sentences == (f"{best} sim/b and sim/c.",), "five sentences of one shape are a table"
        for one, (name, cells) in zip(pairs, table.rows, strict=True):
            corrected = f"{one.p:.3f}".removeprefix("0") if one.p and one.p >= 0.001 else "<.001"
            assert name == f"{one.a.name} − {one.b.name}" and cells[1].value == corrected
            assert float(cells[0].value) == pytest.approx(100 * (one.leading.value or 0), abs=0.06)
        # Ranks use the same test and the same correction.
        ranked = {(pair.a, pair.b): pair for pair in ranking.pairs if pair.metric == "isr_at_n"}
        for one in pairs:
            pair = ranked[one.a.name, one.b.name]
            assert (pair.p, pair.p_holm) == pytest.approx((raw[one], one.p)) and pair.told_apart is one.told_apart
        assert all(pair.p_holm is None for pair in ranking.pairs if pair.metric != "isr_at_n")


def test_a_difference_that_may_be_none_is_called_so(run: Run) -> None:
    forgetful, _, steady = board_of(run).models
    [pair] = compare_models([(steady, forgetful)])
    paired = pair.paired
    vague = {**paired.differences, "isr_at_n": replace(paired.differences["isr_at_n"], p=0.051, interval=(-0.01, 0.8))}
    pair.__dict__["paired"] = replace(paired, differences=vague)
    told = verdict_sentence(pair)
    size = f"{100 * paired.differences['isr_at_n'].value:+.1f}"
    assert told.startswith(
        f"sim/steady and sim/forgetful are not told apart: ISR@30 {size} [-1.0, +80.0] points, p = .051"
    )
    assert re.search(r"; \d+ dialogues would show (10|5|3)\.$", told) and "equal" not in told


def test_every_metric_says_what_it_is() -> None:
    tables = [get_scenario(name).table({}) for name in ("recorded", "shifts", "games", "broadcast")]
    for table in [PROCESS, *tables]:
        assert table is not None
        for name in table.ratios:
            meaning = table.metric(name).meaning
            # Those that depend on more than the answers say on what, in a clause.
            assert meaning and len(meaning) < (90 if name in DEPENDING else 60) and meaning[-1] != ".", name
    assert "early ends" in PROCESS.metric("isr").meaning and "the cap bounds it" in PROCESS.metric("edr_len").meaning
    assert "never reached are not satisfied" in PROCESS.metric("isr_at_n").meaning


@pytest.mark.slow
def test_the_page_opens_with_the_answer(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("evolif.report.page.sections.draw_all", lambda *_, **__: [])
    write_page(analyse([run], resamples=200), tmp_path / "p.html")
    text = (tmp_path / "p.html").read_text(encoding="utf-8")
    main = text[text.index("<main>") :]
    first = main[: main.index("</section>")]
    [sentence] = re.findall(r'<p class="answer">(.*?)</p>', first)
    assert SENTENCE.fullmatch(unescape(sentence)) and "<details" not in first
    assert "turns never reached are not satisfied" in first and "knows the answers" in first
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
    assert told.startswith(answer_of(board).sentences[0]) and "p: the paired test of the same interval" in told
    assert "correction" not in told, "there is one pair alone"
    assert "EDR len: turns that a session lasts; the cap bounds it; EXH: sessions out of patience" in told
    table = text[text.index("metric") : text.index("ISR@30: ")]
    assert "perfect" not in table and "sim/perfect: knows the answers; floor: “" in told


def test_a_scenario_brings_its_own_opening(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def own(self: Any, board: Any) -> Opening:
        return Opening(("It was a draw.",), ("no-such", "survival"), (), ("isr",))

    board = board_of(run)
    monkeypatch.setattr(type(board.scenario.presentation), "opening", own)
    answer = answer_of(board)
    assert answer.sentences[0] == "It was a draw." and answer.figures == ("no-such", "survival")
    assert [name for name, _ in answer.grid.rows] == ["sessions", "ISR %"]


def test_an_opening_that_breaks_is_told(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(self: Any, board: Any) -> Opening:
        raise ZeroDivisionError("nothing")

    board = board_of(run)
    monkeypatch.setattr(type(board.scenario.presentation), "opening", broken)
    assert "cannot make its opening: ZeroDivisionError" in answer_of(board).sentences[0]
