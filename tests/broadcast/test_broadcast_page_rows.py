"""Rows of the page: cut into parts, and the points that their words say."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evolif.errors import UsageError
from evolif.scenarios.broadcast import row_points, score_from_rows, split_rows

TEAMS = ["Quarry Herons", "Old Mill Foxes"]
ROSTER = {"Quarry Herons": ["Ann Lee", "Mia Moss"], "Old Mill Foxes": ["Ann Leeson", "Bo Carr"]}


@pytest.mark.parametrize(
    ("rows", "parts", "sizes"),
    [
        (12, 5, [3, 3, 2, 2, 2]),
        (4, 5, [1, 1, 1, 1, 0]),
        (0, 5, [0, 0, 0, 0, 0]),
        (10, 5, [2, 2, 2, 2, 2]),
        (11, 5, [3, 2, 2, 2, 2]),
        (14, 5, [3, 3, 3, 3, 2]),
        (118, 5, [24, 24, 24, 23, 23]),
        (7, 1, [7]),
        (7, 2, [4, 3]),
        (3, 10, [1, 1, 1, 0, 0, 0, 0, 0, 0, 0]),
    ],
)
def test_the_first_parts_are_one_longer(rows: int, parts: int, sizes: list[int]) -> None:
    assert split_rows(rows, parts) == sizes


def test_five_parts_unless_said() -> None:
    assert split_rows(12) == [3, 3, 2, 2, 2]


@given(st.integers(0, 2000), st.integers(1, 40))
def test_all_rows_are_in_some_part_and_longer_ones_come_first(rows: int, parts: int) -> None:
    sizes = split_rows(rows, parts)
    assert len(sizes) == parts
    assert sum(sizes) == rows
    assert sizes == sorted(sizes, reverse=True)
    assert sizes[0] - sizes[-1] <= 1


@pytest.mark.parametrize(("rows", "parts"), [(-1, 5), (5, 0), (5, -2)])
def test_no_parts_or_less_than_no_rows_is_a_usage_error(rows: int, parts: int) -> None:
    with pytest.raises(UsageError):
        split_rows(rows, parts)


@pytest.mark.parametrize(
    ("text", "points"),
    [
        ("Ann Lee makes 24-foot three point jump shot (Mia Moss assists)", 3),
        ("Ann Lee makes 24-foot three pointer", 3),
        ("Ann Lee makes three point shot", 3),
        ("Ann Lee makes 12-foot two point hook shot", 2),
        ("Ann Lee makes two point layup", 2),
        ("Ann Lee makes dunk", 2),
        ("Ann Lee makes free throw 1 of 2", 1),
        ("Ann Lee makes free throw 3 of 3", 1),
        ("Ann Lee makes technical free throw after a three point try", 1),
        ("Ann Lee misses 24-foot three point jump shot", 0),
        ("Ann Lee misses free throw 2 of 2", 0),
        ("Bo Carr blocks Ann Lee's 24-foot three point jump shot", 0),
        ("Ann Lee remakes two point layup", 0),
        ("Ann Lee Makes two point layup", 0),
        ("makes two point layup", 0),
        ("Ann Lee makes", 0),
        ("Ann Lee defensive rebound", 0),
        ("Ann Lee goal (3) wrist shot, assists: none", 0),
        ("Herons timeout", 0),
        ("Start of Q1", 0),
        ("", 0),
    ],
)
def test_points_of_a_basketball_row(text: str, points: int) -> None:
    assert row_points(text) == points
    assert row_points(text, "basketball") == points


@pytest.mark.parametrize(
    ("text", "points"),
    [
        ("Ann Lee goal (12) wrist shot, assists: Mia Moss (4), Cy Vane (9)", 1),
        ("Ann Lee goal (1) slap shot, assists: none", 1),
        ("Ann Lee wrist shot saved by Bo Carr", 0),
        ("Ann Lee makes two point layup", 0),
        ("Ann Lee makes free throw 1 of 2", 0),
        ("Goalkeeper holds the puck", 0),
        ("Ann Lee own-goal (1)", 0),
        ("Ann Lee goal", 0),
        ("Ann Lee wins faceoff against Bo Carr", 0),
    ],
)
def test_points_of_a_hockey_row(text: str, points: int) -> None:
    assert row_points(text, "hockey") == points


def test_rows_of_no_sport() -> None:
    with pytest.raises(UsageError):
        row_points("Ann Lee makes dunk", "cricket")


def test_the_score_is_the_sum_over_scorers() -> None:
    rows = [
        "12:00\tAnn Lee vs. Bo Carr (Mia Moss gains possession)",
        "11:40\tMia Moss makes 24-foot three point jump shot (Ann Lee assists)",
        "11:20\tBo Carr makes two point layup",
        "11:20\tAnn Lee shooting foul",
        "11:20\tBo Carr makes free throw 1 of 1",
        "43.5\tAnn Lee misses free throw 1 of 2",
        "43.5\tAnn Lee makes free throw 2 of 2",
    ]
    assert score_from_rows(rows, TEAMS, ROSTER) == {"Quarry Herons": 4, "Old Mill Foxes": 3}


def test_rows_need_no_clock() -> None:
    rows = ["Mia Moss makes dunk", "Bo Carr makes 25-foot three pointer", "11:20\tMia Moss makes dunk"]
    assert score_from_rows(rows, TEAMS, ROSTER) == {"Quarry Herons": 4, "Old Mill Foxes": 3}


def test_both_teams_are_in_the_score_when_none_scored() -> None:
    assert score_from_rows([], TEAMS, ROSTER) == {"Quarry Herons": 0, "Old Mill Foxes": 0}
    assert score_from_rows(["End of Q1"], TEAMS, ROSTER) == {"Quarry Herons": 0, "Old Mill Foxes": 0}


def test_the_scorer_is_a_full_name_followed_by_a_space() -> None:
    assert score_from_rows(["Ann Leeson makes dunk"], TEAMS, ROSTER) == {"Quarry Herons": 0, "Old Mill Foxes": 2}
    assert score_from_rows(["Ann Lee makes dunk"], TEAMS, ROSTER) == {"Quarry Herons": 2, "Old Mill Foxes": 0}


def test_who_assists_does_not_score() -> None:
    assert score_from_rows(["Bo Carr makes dunk (Ann Leeson assists)"], TEAMS, ROSTER)["Old Mill Foxes"] == 2


def test_goals_count_one() -> None:
    rows = [
        "0:40\tAnn Lee goal (2) wrist shot, assists: none",
        "3:20\tBo Carr wrist shot saved by Mia Moss",
        "9:09\tBo Carr goal (5) slap shot, assists: Ann Leeson (1)",
        "Bo Carr goal (6) tip-in, assists: none",
    ]
    assert score_from_rows(rows, TEAMS, ROSTER, "hockey") == {"Quarry Herons": 1, "Old Mill Foxes": 2}


@pytest.mark.parametrize(
    "row", ["Cy Vane makes dunk", "7:00\tCy Vane makes dunk", "Lee makes dunk", "Ann Leemakes makes dunk"]
)
def test_an_unknown_scorer_is_a_usage_error(row: str) -> None:
    with pytest.raises(UsageError):
        score_from_rows([row], TEAMS, ROSTER)


def test_who_does_not_score_may_be_unknown() -> None:
    assert score_from_rows(["Cy Vane misses dunk"], TEAMS, ROSTER) == {"Quarry Herons": 0, "Old Mill Foxes": 0}
