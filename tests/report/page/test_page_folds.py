"""Parts of a query that the page folds, such as long tables."""

from __future__ import annotations

import re
from contextlib import closing
from pathlib import Path

import pytest
from talk_scenario import TalkPages, install, make_talk

from evolif.report import analyse, write_page
from evolif.report.page.sections import Section
from evolif.report.page.transcripts import pieces_of
from evolif.scenario import Grid, TableCell


@pytest.mark.parametrize(
    ("folds", "pieces"),
    [
        ((), ()),
        (((5, 16),), (("head", 0), ("row 1\nrow 2", 2), ("what?", 0))),
        (((0, 4), (5, 10)), (("head", 1), ("row 1", 1), ("row 2\nwhat?", 0))),
        (((0, 22),), (("head\nrow 1\nrow 2\nwhat?", 4),)),
        (((4, 5),), (("head", 0), ("row 1\nrow 2\nwhat?", 0))),
        (((5, 60),), ()),
        (((7, 5),), ()),
        (((5, 10), (8, 12)), ()),
        (((-3, 5),), ()),
    ],
)
def test_a_query_is_cut_at_what_is_folded(
    folds: tuple[tuple[int, int], ...], pieces: tuple[tuple[str, int], ...]
) -> None:
    query = "head\nrow 1\nrow 2\nwhat?"
    assert pieces_of(query, folds) == pieces


def page(folder: Path) -> str:
    with closing(make_talk(folder / "run")) as run:
        write_page(analyse([run], resamples=20), folder / "p.html")
    return (folder / "p.html").read_text(encoding="utf-8")


@pytest.mark.slow
def test_the_page_folds_what_a_scenario_wants_folded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    install(monkeypatch)
    assert '<details class="folded">' not in page(tmp_path / "as-usual")
    monkeypatch.setattr(TalkPages, "folds", lambda self, prompt: ((0, 4),))
    text = page(tmp_path / "folded")
    first = text[text.index('<li class="turn') :]
    folded = re.search(
        r'<details class="folded"><summary>1 line</summary><div class="text" dir="auto">(.*?)</div>', first
    )
    assert folded is not None and len(re.sub(r"&[^;]*;", "&", folded[1])) == 4
    assert "An earlier word." in first  # other messages of the prompt stand as they are


def test_long_tables_are_folded_but_the_headline_is_not() -> None:
    rows = tuple((str(number), (TableCell(),)) for number in range(30))
    short, long = Grid("a", "", "", ("m",), rows[:3]), Grid("b", "", "", ("m",), rows)
    usual, first = Section("s", "S", grids=(short, long)), Section("s", "S", grids=(short, long), is_open=True)
    assert (usual.short_grids, usual.long_grids) == ((short,), (long,))
    assert (first.short_grids, first.long_grids) == ((short, long), ())
