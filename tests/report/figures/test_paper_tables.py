"""The paper's tables out of a run by hand: every figure here is a fraction worked out on paper."""

from __future__ import annotations

import io
from collections.abc import Callable
from fractions import Fraction

import pytest

from evolif.errors import UsageError
from evolif.report import (
    RunAnalysis,
    figure_3,
    figure_4,
    figure_6,
    figure_7,
    table_2,
    table_3,
    table_4,
    table_6,
    table_7,
    table_8,
)
from evolif.report.paper import PaperTable
from evolif.scenarios.instructions.presentation import NOT_COMPARABLE

Analysed = Callable[..., RunAnalysis]

ONE = {"m": ("5053000", "5500055")}
"""Dialogue 1: good, failed, good, then four failures of which the first has 3 of 5, cut at the third: six turns.
Dialogue 2: two good turns, three failures; what comes after does not count: five turns."""


def column(table: PaperTable, head: str, row: int = 0) -> object:
    return table.rows[row][table.headers.index(head)]


def test_table_2_is_the_eight_metrics(analysed: Analysed) -> None:
    table = table_2(analysed(ONE))
    expected = {
        "EDR_len": Fraction(6 + 5, 2),
        "EDR_acc": (Fraction(2) + Fraction(3, 5) + 2) / 2,
        "EDR_succ": Fraction(2 + 2, 2),
        "EDR_lss": Fraction(1 + 2, 2),
        "CSR": 100 * (Fraction(2) + Fraction(3, 5) + 2) / 11,
        "ISR": 100 * Fraction(4, 11),
        # Dialogue 1 has turns after a failed one at 3, 5 and 6, of which 3 is good; dialogue 2 has two, none good.
        "REC": 100 * (Fraction(1, 3) + 0) / 2,
        "ROB": 100 * (Fraction(2, 6) + Fraction(2, 5)) / 2,
    }
    assert {head: column(table, head) for head in expected} == pytest.approx(
        {head: float(value) for head, value in expected.items()}
    )
    assert table.headers[:2] == ("model", "sessions") and table.rows[0][:2] == ("m", 2)
    several = table_2(analysed({"m": ONE["m"] * 3}))
    for value, ends in zip(several.rows[0][2:], several.intervals[0][2:], strict=True):
        assert isinstance(value, float) and ends is not None
        assert ends[0] < value < ends[1]


def test_table_2_says_who_is_left_out_of_rec_and_has_no_figure_for_it(analysed: Analysed) -> None:
    table = table_2(analysed({"m": ("5555",)}))
    assert column(table, "REC") is None
    assert "left out of REC: m 1." in table.note
    assert "| – |" in table.markdown()


def test_table_3_cuts_at_each_patience(analysed: Analysed) -> None:
    table = table_3(analysed(ONE))
    assert [row[:3] for row in table.rows] == [("m", 1, 2), ("m", 2, 2), ("m", 3, 2)]
    # Patience 1: 50 and 550. Patience 2: 50530 and 5500.
    assert [column(table, "EDR_len", row) for row in range(3)] == [2.5, 4.5, 5.5]
    assert [column(table, "EDR_succ", row) for row in range(3)] == [1.5, 2, 2]


def test_table_4_wants_three_models_and_more_dialogues_than_the_smallest_sample(analysed: Analysed) -> None:
    words = [("555000", "5000", "50505000", "000", "5550000", "55555000", "5000")[n:] + ("000",) * n for n in range(3)]
    table = table_4(analysed({f"m{n}": word for n, word in enumerate(words)}))
    assert [row[0] for row in table.rows] == [5]
    pearson, spearman = column(table, "Pearson"), column(table, "Spearman")
    assert isinstance(pearson, float) and isinstance(spearman, float)
    assert -1 <= pearson <= 1 and -1 <= spearman <= 1
    assert table_4(analysed({"m": words[0], "o": words[1]})).rows == ()


def test_table_6_is_the_share_of_each_group(analysed: Analysed) -> None:
    # Of five groups, in the order case, digits, length, format, style: a figure n satisfies the first n.
    table = table_6(analysed({"m": ("5310",), "o": ("1500",)}))
    assert table.headers == ("model", "case", "digits", "format", "length", "style")
    assert table.rows == (("m", 75, 50, 25, 50, 25), ("o", 50, 25, 25, 25, 25))


def test_table_7_is_without_minus_with_whichever_comes_first(analysed: Analysed) -> None:
    with_it = analysed({"m": ("555000", "5000") * 3})
    without = analysed({"m": ("55000", "000") * 3}, system_prompt=False)
    for table in (table_7(with_it, without), table_7(without, with_it)):
        assert [row[:3] for row in table.rows] == [("m", "with", 6), ("m", "without", 6), ("m", "difference", 6)]
        assert [column(table, "EDR_len", row) for row in range(3)] == [5, 4, -1]
        assert column(table, "ROB", 2) == pytest.approx(
            100 * (Fraction(2, 5) + 0 - Fraction(3, 6) - Fraction(1, 4)) / 2
        )
        low, high = table.intervals[2][table.headers.index("EDR_len")] or (0, 0)
        assert low < -1 < high < 0, "six dialogues that all differ alike: p is 2 of 64"
        assert "No interval" not in table.note


def test_tables_say_why_two_dialogues_have_no_interval(analysed: Analysed) -> None:
    with_it = analysed({"m": ("555000", "5000")})
    ablation = table_7(with_it, analysed({"m": ("55000", "000")}, system_prompt=False))
    assert set(ablation.intervals[2]) == {None}
    assert "No interval and no p of A − B: fewer than six dialogues contribute to either side." in ablation.note
    headline = table_2(with_it)
    assert set(headline.intervals[0]) == {None} and "fewer than six dialogues" in headline.note


def test_table_7_refuses_runs_that_differ_in_more_or_in_nothing(analysed: Analysed) -> None:
    run = analysed({"m": ("000",)})
    with pytest.raises(UsageError, match="have the same settings"):
        table_7(run, analysed({"m": ("000",)}))
    with pytest.raises(UsageError, match="patience"):
        table_7(run, analysed({"m": ("000",)}, system_prompt=False, patience=2))
    with pytest.raises(UsageError, match="no model in common"):
        table_7(run, analysed({"o": ("000",)}, system_prompt=False))


def test_table_8_splits_rob_by_who_worded_the_dialogue(analysed: Analysed) -> None:
    made = {"m": ("5000", "55000"), "o": ("000", "5000"), "p": ("555000", "000")}
    table = table_8(analysed(made, sources=("even", "odd")))
    assert table.headers == ("synthesizer", "dialogues", "m", "o", "p", "Pearson", "Spearman")
    even, odd, both = table.rows
    assert even[:5] == ("even", 1, pytest.approx(40), pytest.approx(25), pytest.approx(0))
    assert odd[:5] == ("odd", 1, pytest.approx(25), pytest.approx(0), pytest.approx(50))
    assert both[:5] == ("all", 2, pytest.approx(32.5), pytest.approx(12.5), pytest.approx(25))
    # Ranks over all are m, p, o. Even: m, o, p, one swap; odd: p, m, o, another.
    assert even[6] == pytest.approx(0.5) and odd[6] == pytest.approx(0.5)


def test_a_table_says_that_it_is_not_comparable_and_is_all_text(analysed: Analysed, hostile: tuple[str, ...]) -> None:
    run = analysed(dict.fromkeys(hostile, ("55000", "5000")), sources=hostile[:2])
    for made in (table_2, table_3, table_4, table_6, table_8):
        text = made(run).markdown()
        assert NOT_COMPARABLE in text
        assert "\u202e" not in text and "\x00" not in text and "<script" not in text.replace("\\<script", "")
        rows = [line for line in text.splitlines() if line.startswith("|")]
        assert len({line.replace("\\|", "").count("|") for line in rows}) == 1


@pytest.mark.parametrize("made", [{}, {"m": ()}])
def test_a_run_without_sessions_has_tables_without_figures(
    analysed: Analysed, made: dict[str, tuple[str, ...]]
) -> None:
    run = analysed(made)
    for table in (table_2, table_3, table_4, table_6, table_8):
        assert all(value is None for row in table(run).rows for value in row if not isinstance(value, str | int))
        assert NOT_COMPARABLE in table(run).markdown()


def test_figures_are_matplotlib_s_and_show_themselves(analysed: Analysed) -> None:
    from matplotlib.figure import Figure

    run = analysed({"m": ("55000", "5000"), "o": ("000", "5000")}, sources=("x", "y"))
    for made in (figure_3, figure_4, figure_6, figure_7):
        figure = made(run)
        assert isinstance(figure, Figure)
    assert "sessions still going (%)" in figure_3(run)._repr_svg_()


@pytest.mark.sampled
@pytest.mark.parametrize("form", ["pdf", "svg"])
def test_a_name_is_no_formula_when_the_reader_saves_the_figure(analysed: Analysed, form: str) -> None:
    run = analysed({r"x/$\frac{1}{$": ("55000", "5000"), "$a_1$": ("000", "5000")}, sources=(r"$\undefined$", "y"))
    for made in (figure_3, figure_4, figure_6):
        file = io.BytesIO()
        made(run).savefig(file, format=form)  # a broken formula would be an error here
        assert file.getvalue()


def test_a_figure_that_there_is_none_of_says_why(analysed: Analysed) -> None:
    run = analysed({"m": ("55000",)})
    [text] = figure_6(run).texts
    assert text.get_text().replace("\n", " ").startswith("All dialogues are worded by template")
    assert figure_6(run)._repr_png_().startswith(b"\x89PNG")
