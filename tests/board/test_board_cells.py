"""What a cell says: figure, rank, letters, cost, marks; and the evaluations before."""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing
from datetime import UTC, datetime
from itertools import combinations
from pathlib import Path

import pytest
from board_runs import GOOD, MIDDLING, POOR, Made, built, cell, over

from evolif.budget import load_prices
from evolif.report import analyse
from evolif.report.comparable import ComparableRuns
from evolif.report.comparison import compare_models
from evolif.runner import EarlyEnd, load_run

THREE = {"sim/a": over(GOOD), "sim/b": over(MIDDLING), "sim/c": over(POOR)}


def test_figures_ranks_and_pairs_are_those_of_the_report(run: Made) -> None:
    folder = run("one", THREE)
    board = built(folder)
    with closing(load_run(folder, read_only=True)) as opened:
        [analysis] = analyse([opened], resamples=50)
        runs = ComparableRuns((analysis,))
        ranking = runs.contestants.ranking
        assert ranking is not None
        for model in analysis.models:
            own = cell(board, model.name)
            assert own.newest.figure.value == model.summary.metrics.value(analysis.headline.name)
            assert (own.newest.figure.low, own.newest.figure.high) == model.summary.intervals[analysis.headline.name]
            assert own.metrics.keys() == model.summary.metrics.by_name().keys()
            if model.name not in runs.contestants.at_floor:
                place = ranking.places[ranking.main][model.name]
                assert own.rank is not None and (own.rank.rank, own.rank.low, own.rank.high) == (
                    place.rank,
                    place.low,
                    place.high,
                )
        apart = {frozenset({p.a, p.b}) for p in ranking.pairs if p.metric == ranking.main and p.told_apart}
        above = [model for model in analysis.models if model.name not in runs.contestants.at_floor]
        for one in compare_models(list(combinations(above, 2))):
            [pair] = [pair for pair in board.pairs if (pair.a, pair.b) == (one.a.name, one.b.name)]
            whole = one.leading
            assert (pair.difference.value, pair.p, pair.p_holm) == (whole.value, whole.p, one.p)
            assert (pair.difference.low, pair.difference.high) == whole.interval
            assert (pair.needed, pair.dialogues) == (whole.dialogues_needed, one.paired.dialogues)
    assert apart
    assert {frozenset({pair.a, pair.b}) for pair in board.pairs if pair.told_apart} == apart
    a, b = cell(board, "sim/a"), cell(board, "sim/b")
    assert not {*a.letters} & {*b.letters} and a.letters == "a"
    [pair] = [pair for pair in board.pairs if {pair.a, pair.b} == {"sim/a", "sim/b"}]
    assert a.newest.figure.value is not None and b.newest.figure.value is not None
    assert pair.difference.value == pytest.approx(a.newest.figure.value - b.newest.figure.value)
    assert pair.p is not None and pair.p_holm is not None and pair.p <= pair.p_holm and pair.needed


def test_few_dialogues_have_no_interval_and_tell_nothing_apart(run: Made) -> None:
    board = built(run("one", {"sim/a": over(GOOD, 3), "sim/b": over(POOR, 3)}))
    a, b = cell(board, "sim/a"), cell(board, "sim/b")
    assert a.newest.figure.low is None and [mark.kind for mark in a.marks] == ["few"]
    assert a.letters == b.letters == "a" and a.rank is not None and (a.rank.low, a.rank.high) == (1, 2)
    [pair] = board.pairs
    assert pair.p is None and not pair.told_apart


def test_who_knows_the_answers_stands_apart(run: Made) -> None:
    board = built(run("one", {**THREE, "sim/perfect": over("finished:" + "111 " * 10)}))
    own = cell(board, "sim/perfect")
    assert own.rank is None and own.letters == "" and [mark.kind for mark in own.marks] == ["reference"]
    assert all("sim/perfect" not in (pair.a, pair.b) for pair in board.pairs)
    assert cell(board, "sim/a").rank == cell(built(run("two", THREE)), "sim/a").rank


def test_who_is_at_the_floor_has_no_rank_and_says_so(run: Made) -> None:
    board = built(run("one", {"sim/a": over(GOOD), "sim/b": over(MIDDLING), "sim/c": over("finished:000 000 000")}))
    own = cell(board, "sim/c")
    assert own.rank is None and own.letters == ""
    assert [mark.kind for mark in own.marks] == ["floor"] and "no better than" in own.marks[0].text
    against = [pair for pair in board.pairs if "sim/c" in (pair.a, pair.b)]
    assert len(against) == 2 and all(pair.p_holm is None and not pair.told_apart for pair in against)


def test_an_edited_run_is_marked(run: Made) -> None:
    folder = run("one", THREE)
    with closing(sqlite3.connect(folder / "run.sqlite")) as store, store:
        store.execute("UPDATE turn SET answer = 'another' WHERE session = 1 AND turn = 1")
    [mark] = cell(built(folder), "sim/a").marks
    assert mark.kind == "edited" and mark.text.startswith("Edited: one was edited")


def test_sessions_that_are_in_no_figure_are_marked(run: Made) -> None:
    broken = {**over(GOOD, 10), 3: "suspended:111", 4: ":111", 5: "withheld:"}
    board = built(run("one", {"sim/a": broken, "sim/b": over(MIDDLING, 10)}))
    marks = {mark.kind: mark.text for mark in cell(board, "sim/a").marks}
    assert marks.keys() == {"suspended", "withheld"}
    assert marks["suspended"].startswith("2 of 10 sessions are in no figure: suspended")
    assert marks["withheld"].startswith("1 of 10 sessions is in no figure: withheld")
    assert cell(board, "sim/b").marks == () and cell(board, "sim/a").newest.dialogues == 7


def test_an_early_end_is_marked(run: Made) -> None:
    folder = run("one", {"sim/a": {**over(GOOD), 9: ":"}, "sim/b": {**over(MIDDLING), 9: ":"}})
    with closing(load_run(folder)) as opened:
        opened.store.note_early_end(EarlyEnd("isr=0.1", "isr", tuple(range(1, 9)), "sequence"))
    with closing(sqlite3.connect(folder / "run.sqlite")) as store, store:
        store.execute("UPDATE session SET cause = 'stop rule' WHERE dialogue = 9")
    marks = {mark.kind: mark.text for mark in cell(built(folder), "sim/a").marks}
    assert marks.keys() == {"early", "not-started"}
    assert marks["early"].startswith("Ended early by the stop rule isr=0.1")


def test_turns_and_cost_are_those_of_the_model(run: Made, tmp_path: Path) -> None:
    folder = run("one", {"openai/known": over(GOOD), "openai/unknown": over(GOOD), "sim/a": over(GOOD)})
    prices = tmp_path / "prices.yaml"
    prices.write_text("models:\n  openai/known: {prompt: 1000000, completion: 0, date: 2026-05-01}\n", encoding="utf-8")
    board = built(folder, prices=load_prices(prices))
    turns = sum(len(session.partition(":")[2].split()) for session in over(GOOD).values())
    known, unknown, free = (cell(board, name) for name in ("openai/known", "openai/unknown", "sim/a"))
    assert known.turns == turns and known.cost.calls == turns and known.cost.completion_tokens == 5 * turns
    assert known.cost.usd == pytest.approx(10 * turns)
    assert unknown.cost.usd is None and unknown.cost.prompt_tokens == 10 * turns
    assert free.cost.usd == 0


def test_the_newest_is_the_cell_and_the_others_its_history(run: Made) -> None:
    may_9 = run("may-9", {"sim/a": over(MIDDLING)}, day=9)
    may_2 = run("may-2", {"sim/a": over(POOR), "sim/b": over(GOOD)}, day=2)
    may_5 = run("may-5", {"sim/a": over(GOOD)}, day=5)
    board = built(may_9, may_2, may_5)
    a, b = cell(board, "sim/a"), cell(board, "sim/b")
    assert (a.newest.run, a.newest.date, a.newest.date_of) == ("may-9", "2026-05-09T12:00:00Z", "run")
    assert [play.run for play in a.earlier] == ["may-2", "may-5"]
    assert a.earlier[1].figure == cell(built(may_5), "sim/a").newest.figure
    assert b.newest.run == "may-2" and b.earlier == ()
    assert a.rank is not None and a.rank.high <= 2


def test_a_run_that_has_only_begun_hides_no_figures(run: Made) -> None:
    done = run("done", {"sim/a": over(GOOD)}, day=2)
    begun = run("begun", {"sim/a": dict.fromkeys(range(1, 9), ":111")}, day=3)
    own = cell(built(done, begun), "sim/a")
    assert own.newest.run == "done" and own.earlier == ()
    alone = cell(built(begun), "sim/a")
    assert alone.newest.figure.value is None and alone.rank is None
    assert [mark.kind for mark in alone.marks] == ["suspended"]


def test_a_run_without_a_date_has_that_of_its_file(run: Made) -> None:
    old = run("old", {"sim/a": over(GOOD)}, day=None)
    moment = datetime(2025, 1, 2, 3, 4, 5, tzinfo=UTC).timestamp()
    os.utime(old / "run.sqlite", (moment, moment))
    own = cell(built(old, run("new", {"sim/a": over(GOOD)})), "sim/a")
    assert own.newest.run == "new"
    assert [(play.date, play.date_of) for play in own.earlier] == [("2025-01-02T03:04:05Z", "file")]


@pytest.mark.parametrize("text", ["yesterday", "2026-05-01", "0001-01-01T00:00:00+14:00", "\x00", "9" * 5000])
def test_an_edited_date_is_no_date(run: Made, text: str) -> None:
    folder = run("one", {"sim/a": over(GOOD)})
    with closing(load_run(folder)) as opened:
        opened.store.note("played", text)
        assert opened.played() is None
    assert built(folder).cells[0].newest.date_of == "file"


def test_runs_of_one_name_are_told_apart(run: Made, tmp_path: Path) -> None:
    one = run("x/run", {"sim/a": over(GOOD)}, day=2)
    two = run("y/run", {"sim/a": over(POOR)}, day=3)
    own = cell(built(one, two), "sim/a")
    assert (own.earlier[0].run, own.newest.run) == ("run", "run (2)")
    assert own.command == "evolif report run --full"
