"""The hazard by turn: only where enough sessions are at risk, and pooled after that."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from evolif.metrics.patience import exhaustion_since
from evolif.report import RunAnalysis
from evolif.report.comparable import ComparableRuns
from evolif.report.figures import draw
from evolif.report.figures.data import FEWEST_AT_RISK, hazard_curves

Analysed = Callable[..., RunAnalysis]


def test_later_turns_are_pooled_where_few_sessions_are_left(analysed: Analysed) -> None:
    # 40 sessions: 15 end at turn 3; of the 25 left, 5 at turn 4 and 4 at turn 5, where 20 are at risk.
    words = 15 * ("000",) + 5 * ("5000",) + 4 * ("55000",) + 16 * ("55555",)
    [curve] = hazard_curves(ComparableRuns((analysed({"m": words}),)))
    marks = dict(zip(curve.x, curve.marks, strict=True))
    assert list(marks) == [1, 2, 3, 4, 5]
    assert [marks[turn].value for turn in (1, 2, 3)] == [0, 0, pytest.approx(15 / 40)]
    assert marks[4] == marks[5] and marks[4].value == pytest.approx(9 / 45) and marks[4].n == 45
    span = exhaustion_since(analysed({"m": words}).models[0].sessions, 4)
    assert (marks[4].low, marks[4].high) == span.interval and (span.exhausted, span.turns) == (9, 45)
    low, high = marks[3].low or 0.0, marks[3].high or 0.0
    # An exact Poisson interval, wider by the spread of Student's quantile for 40 dialogues.
    assert (low, high) == (pytest.approx(0.2054, abs=1e-4), pytest.approx(0.6282, abs=1e-4))
    picture = draw("hazard", analysed({"m": words}))
    assert picture.figure is not None and "the rate of all later turns together" in picture.caption
    assert "with 95 % intervals over dialogues" in picture.caption


def test_nothing_is_drawn_where_few_sessions_are_at_risk_from_the_start(analysed: Analysed) -> None:
    few = analysed({"m": (FEWEST_AT_RISK - 1) * ("5000",)})
    assert hazard_curves(ComparableRuns((few,))) == ()
    picture = draw("hazard", few)
    assert picture.figure is None and "30 or more sessions" in picture.caption


def test_a_model_with_few_sessions_is_pooled_beside_one_with_many(analysed: Analysed) -> None:
    many, few = hazard_curves(ComparableRuns((analysed({"m": 40 * ("5000",), "n": 3 * ("000",)}),)))
    assert few.marks[0] == few.marks[-1] and few.marks[0].value == pytest.approx(3 / 9)
    assert many.marks[-1].value == 1 and len(many.x) == 4
