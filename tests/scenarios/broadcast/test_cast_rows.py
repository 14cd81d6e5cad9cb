"""Rows of the ticker: cut into parts, and scored by their words alone."""

from __future__ import annotations

import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evolif.errors import UsageError
from evolif.scenarios.broadcast import row_points, score_from_rows, split_rows

TEAMS = ["Quarry Herons", "Port Larks"]
ROSTER = {"Quarry Herons": ["Ada Venn", "Ada Venn Moor"], "Port Larks": ["Ben Tull"]}


@pytest.mark.parametrize(
    ("rows", "parts", "sizes"),
    [
        (12, 5, [3, 3, 2, 2, 2]),
        (4, 5, [1, 1, 1, 1, 0]),
        (0, 5, [0, 0, 0, 0, 0]),
        (118, 5, [24, 24, 24, 23, 23]),
        (7, 1, [7]),
        (7, 20, [1] * 7 + [0] * 13),
        (10, 5, [2, 2, 2, 2, 2]),
        (11, 5, [3, 2, 2, 2, 2]),
    ],
)
def test_rows_are_cut_into_parts(rows: int, parts: int, sizes: list[int]) -> None:
    assert split_rows(rows, parts) == sizes


def test_five_parts_unless_told_otherwise() -> None:
    assert split_rows(6) == [2, 1, 1, 1, 1]


@given(st.integers(0, 500), st.integers(1, 40))
def test_parts_hold_all_rows_and_differ_by_one_at_most(rows: int, parts: int) -> None:
    sizes = split_rows(rows, parts)
    assert len(sizes) == parts
    assert sum(sizes) == rows
    assert sizes == sorted(sizes, reverse=True)
    assert sizes[0] - sizes[-1] <= 1


@pytest.mark.parametrize("arguments", [(-1,), (True,), (2.0,), (["a"],), (5, 0), (5, -1), (5, None)])
def test_rows_and_parts_are_counts(arguments: tuple[Any, ...]) -> None:
    with pytest.raises(UsageError):
        split_rows(*arguments)


@pytest.mark.parametrize(
    ("row", "points"),
    [
        ("Ben Tull makes 25-foot three point jumper (Ada Venn assists)", 3),
        ("Ben Tull makes 25-foot three pointer", 3),
        ("Ben Tull makes two point layup", 2),
        ("Ben Tull makes 9-foot two point hook shot", 2),
        ("Ben Tull makes free throw 1 of 2", 1),
        ("Ben Tull makes dunk", 2),
        ("Ben Tull makes three point shot", 3),
        ("Ben Tull makes technical free throw after a three point try", 1),
        ("Ada Venn blocks Ben Tull's 25-foot three point jumper", 0),
        ("Ben Tull makes three point free throw 1 of 1", 1),
        ("Ben Tull misses 25-foot three point jumper", 0),
        ("Ben Tull misses free throw 2 of 2", 0),
        ("makes two point layup", 0),  # not between spaces
        ("Ben Tull makes", 0),
        ("Ben Tull Makes two point layup", 0),
        ("Ben Tull remakes two point layup", 0),
        ("", 0),
        ("9:31\tBen Tull makes two point layup", 2),
    ],
)
def test_points_of_a_basketball_row(row: str, points: int) -> None:
    assert row_points(row) == points
    assert row_points(row, "hockey") == 0


@pytest.mark.parametrize(
    ("row", "points"),
    [
        ("Ben Tull goal (3) wrist shot, assists: none", 1),
        ("Ben Tull wrist shot saved by Ada Venn", 0),
        ("Ben Tull goal", 0),
        ("Ben Tull own-goal (1)", 0),
        ("Ben Tull makes two point layup", 0),
        ("3:20\tBen Tull goal (3) wrist shot, assists: Cy Orr (4)", 1),
    ],
)
def test_points_of_a_hockey_row(row: str, points: int) -> None:
    assert row_points(row, "hockey") == points


@pytest.mark.parametrize("arguments", [(None,), (3,), (["Ben Tull makes a"],), ("Ben Tull makes a", "golf")])
def test_a_row_is_a_text_of_a_sport(arguments: tuple[Any, ...]) -> None:
    with pytest.raises(UsageError):
        row_points(*arguments)


def test_the_score_of_rows_with_and_without_clocks() -> None:
    rows = [
        "12:00\tStart of Q1",
        "11:40\tBen Tull makes 25-foot three point jumper (Cy Orr assists)",
        "Ada Venn makes two point layup",
        "10:02\tAda Venn Moor makes free throw 1 of 2",
        "10:02\tAda Venn Moor misses free throw 2 of 2",
        "Ben Tull defensive rebound",
        "Cy Orr misses two point layup",  # who does not score may be unknown
    ]
    assert score_from_rows(rows, TEAMS, ROSTER) == {"Quarry Herons": 3, "Port Larks": 3}
    assert score_from_rows(rows, TEAMS[::-1], ROSTER) == {"Port Larks": 3, "Quarry Herons": 3}


def test_the_longest_name_scores() -> None:
    roster = {"Quarry Herons": ["Ada Venn"], "Port Larks": ["Ada Venn Moor"]}
    score = score_from_rows(["Ada Venn Moor makes two point layup"], TEAMS, roster)
    assert score == {"Quarry Herons": 0, "Port Larks": 2}


def test_no_rows_no_points() -> None:
    assert score_from_rows([], TEAMS, ROSTER) == {"Quarry Herons": 0, "Port Larks": 0}


def test_the_score_of_a_hockey_match() -> None:
    rows = ["3:20\tBen Tull goal (1) snap shot, assists: none", "4:00\tBen Tull hits Ada Venn"]
    assert score_from_rows(rows, TEAMS, ROSTER, "hockey") == {"Quarry Herons": 0, "Port Larks": 1}


@given(st.lists(st.tuples(st.sampled_from(["Ada Venn", "Ada Venn Moor", "Ben Tull"]), st.integers(0, 3))))
def test_the_score_is_the_sum_of_the_points_of_rows(shots: list[tuple[str, int]]) -> None:
    words = [
        "misses two point layup",
        "makes free throw 1 of 1",
        "makes two point dunk",
        "makes 24-foot three point jumper",
    ]
    rows = [f"{who} {words[points]}" for who, points in shots]
    assert [row_points(row) for row in rows] == [points for _, points in shots]
    assert score_from_rows(rows, TEAMS, ROSTER) == {
        "Quarry Herons": sum(points for who, points in shots if who != "Ben Tull"),
        "Port Larks": sum(points for who, points in shots if who == "Ben Tull"),
    }


@pytest.mark.parametrize(
    "row",
    [
        "Cy Orr makes two point layup",
        "7:00\tCy Orr makes two point layup",
        "Ben makes two point layup",
        "Ben Tulls makes free throw 1 of 1",
        "x makes ",
    ],
)
def test_an_unknown_scorer_is_refused(row: str) -> None:
    with pytest.raises(UsageError, match="begins with no player"):
        score_from_rows([row], TEAMS, ROSTER)


@pytest.mark.parametrize(
    ("rows", "teams", "roster"),
    [
        ("a row", TEAMS, ROSTER),
        ([1], TEAMS, ROSTER),
        ([], TEAMS[:1], ROSTER),
        ([], [*TEAMS, "Third Kites"], ROSTER),
        ([], [TEAMS[0], TEAMS[0]], ROSTER),
        ([], "ab", ROSTER),
        ([], TEAMS, {"Quarry Herons": []}),
        ([], TEAMS, {"Quarry Herons": ["Ada Venn"], "Port Larks": ["Ada Venn"]}),
        ([], TEAMS, {"Quarry Herons": "Ada Venn", "Port Larks": []}),
        ([], TEAMS, []),
    ],
)
def test_rows_teams_and_roster_must_fit(rows: Any, teams: Any, roster: Any) -> None:
    with pytest.raises(UsageError):
        score_from_rows(rows, teams, roster)


def test_a_hostile_row_takes_linear_time() -> None:
    start = time.process_time()
    with pytest.raises(UsageError) as refused:
        score_from_rows(["a " * 500_000 + "makes free throw"], TEAMS, ROSTER)
    assert time.process_time() - start < 1
    assert len(str(refused.value)) < 250
