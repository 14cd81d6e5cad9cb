"""Metrics are named in the reader's words first, with the abbreviation behind them; LaTeX and JSON keep it alone."""

from __future__ import annotations

import io
from itertools import chain

import pytest
from rich.console import Console

from evolif.metrics import PROCESS, Metric, MetricTable
from evolif.metrics.compare import SHARED_TURNS
from evolif.metrics.feedback import FEEDBACK_TABLE
from evolif.metrics.process import RATES
from evolif.metrics.relevance import RELEVANCE_TABLE
from evolif.report.tables import plain_names
from evolif.report.terminal import draw_grid
from evolif.scenario import Grid, TableCell
from evolif.scenarios.broadcast.accuracy import ACCURACY_TABLE
from evolif.scenarios.games.results import TABLE as GAMES
from evolif.scenarios.shifts.results import TCR_TABLE

TABLES = PROCESS, RATES, SHARED_TURNS, FEEDBACK_TABLE, RELEVANCE_TABLE, ACCURACY_TABLE, GAMES, TCR_TABLE


def metrics_of(tables: tuple[MetricTable, ...]) -> list[Metric]:
    return list(chain.from_iterable(map(table.metric, table.ratios) for table in tables))


def grid(*names: str, columns: int = 2) -> Grid:
    metrics = [PROCESS.metric(name) for name in names]
    cells = tuple(TableCell("47.2", "[41.0–50.0]") for _ in range(columns))
    rows = tuple((metric.head, cells) for metric in metrics)
    return Grid("t", "", "metric", tuple(f"m{n}" for n in range(columns)), rows, plain=plain_names(metrics))


def drawn(table: Grid) -> str:
    text = io.StringIO()
    draw_grid(table, Console(file=text, width=80))
    return text.getvalue()


def test_every_abbreviation_has_a_plain_name_that_fits_a_terminal() -> None:
    for metric in metrics_of(TABLES):
        is_abbreviation = any(word.isupper() and len(word) > 1 for word in metric.label.replace("@", " ").split())
        assert not is_abbreviation or metric.plain is not None, metric
        if metric.plain is not None:
            assert 0 < len(metric.plain.short) <= 16, metric
            assert metric.plain.full == metric.plain.full.strip() and metric.label not in metric.plain.full
            assert metric.title == f"{metric.plain.full} ({metric.label})"


@pytest.mark.parametrize("table", TABLES)
def test_no_two_metrics_of_a_table_have_the_same_plain_name(table: MetricTable) -> None:
    names = [metric.plain for metric in metrics_of((table,)) if metric.plain is not None]
    assert len({name.full for name in names}) == len({name.short for name in names}) == len(names)


def test_names_that_do_not_fit_stand_in_two_lines_and_no_table_is_split_for_them() -> None:
    wide, narrow = drawn(grid("edr_len", "csr")), drawn(grid("edr_len", "csr", columns=3))
    assert "turns lasted (EDR len)" in wide and "requirements met (CSR %)" in wide
    assert narrow.count("m0") == 1 and "m2" in narrow
    lines = [line.split("│")[1].strip() for line in narrow.splitlines() if line.startswith("│")]
    assert lines == ["turns lasted", "(EDR len)", "requirements met", "(CSR %)"]
    assert max(map(len, narrow.splitlines())) <= 80


def test_the_words_come_first_with_the_abbreviation_behind_them() -> None:
    table = grid("csr")
    assert table.said("CSR %") == "requirements satisfied (CSR %)" and table.said("other") == "other"
    assert table.part(0, 1).said("CSR %", short=True) == "requirements met (CSR %)"
