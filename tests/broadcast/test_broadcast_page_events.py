"""Events at a moment and between two, goals and faceoffs of hockey."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evolif.errors import UsageError
from evolif.scenarios.broadcast import (
    events_at,
    events_between,
    faceoffs_at,
    faceoffs_between,
    format_clock,
    parse_clock,
)


def scored(period: int, t: float, player: str, pts: int, sport: str = "basketball") -> dict[str, Any]:
    return {
        "period": period,
        "t": t,
        "clock": format_clock(t, sport),
        "team": "Quarry Herons",
        "player": player,
        "pts": pts,
        "text": "",
    }


MATCH = [
    scored(1, 0, "Ann Lee", 0),
    scored(1, 297, "Ann Lee", 2),
    scored(1, 297, "Bo Carr", 0),
    scored(1, 297, "Ann Lee", 1),
    scored(1, 676.5, "Bo Carr", 3),
    scored(1, 720, "Mia Moss", 2),
    scored(2, 0, "Cy Vane", 1),
    scored(2, 35, "Bo Carr", 2),
    scored(3, 620, "Ann Lee", 2),
    scored(4, 35, "Mia Moss", 1),
    scored(4, 35, "Mia Moss", 1),
]


@pytest.mark.parametrize(
    ("period", "clock", "delta", "found"),
    [
        (1, "7:03", 0, [["Ann Lee", 2, 1, "7:03"], ["Ann Lee", 1, 1, "7:03"]]),
        (1, "43.5", 0, [["Bo Carr", 3, 1, "43.5"]]),
        (1, "7:03", 379.5, [["Bo Carr", 3, 1, "43.5"]]),
        (1, "43.5", -379.5, [["Ann Lee", 2, 1, "7:03"], ["Ann Lee", 1, 1, "7:03"]]),
        (3, "1:40", 255, [["Mia Moss", 1, 4, "11:25"], ["Mia Moss", 1, 4, "11:25"]]),
        (1, "0.0", 0, [["Mia Moss", 2, 1, "0.0"]]),
        (1, "0.0", 120, [["Cy Vane", 1, 2, "12:00"]]),
        (2, "12:00", 0, [["Cy Vane", 1, 2, "12:00"]]),
        (2, "12:00", -120, [["Mia Moss", 2, 1, "0.0"]]),
        (2, "11:25", 0, [["Bo Carr", 2, 2, "11:25"]]),
        (1, "12:00", 0, []),
        (1, "7:02", 0, []),
        (1, "0.0", 60, []),
        (1, "7:03", -300, []),
        (4, "0.0", 5, []),
    ],
)
def test_scoring_events_at_a_moment(period: int, clock: str, delta: float, found: list[list[Any]]) -> None:
    assert events_at(MATCH, "basketball", period, clock, delta) == found


def test_the_moment_is_met_within_less_than_a_twentieth_of_a_second() -> None:
    match = [scored(1, 676.46, "Ann Lee", 2), scored(1, 676.54, "Bo Carr", 2), scored(1, 676.6, "Cy Vane", 2)]
    assert [row[0] for row in events_at(match, "basketball", 1, "43.5")] == ["Ann Lee", "Bo Carr"]


def test_the_moved_moment_is_exact_and_not_its_display() -> None:
    match = [scored(1, 659.5, "Ann Lee", 2), scored(1, 660, "Bo Carr", 2)]
    assert [row[0] for row in events_at(match, "basketball", 1, "1:10", 9.5)] == ["Ann Lee"]
    assert [row[0] for row in events_at(match, "basketball", 1, "1:10", 10)] == ["Bo Carr"]


def test_goals_at_a_moment() -> None:
    match = [scored(1, 1150, "Ann Lee", 1, "hockey"), scored(2, 60, "Bo Carr", 1, "hockey")]
    assert events_at(match, "hockey", 1, "19:10") == [["Ann Lee", 1, 1, "19:10"]]
    assert events_at(match, "hockey", 1, "19:10", 230) == [["Bo Carr", 1, 2, "1:00"]]
    assert events_at(match, "hockey", 1, "19:10", 231) == []


@pytest.mark.parametrize(
    ("start", "end", "players"),
    [
        ([1, "12:00"], [4, "0.0"], "Ann Ann Bo Mia Cy Bo Ann Mia Mia"),
        ([1, "7:03"], [1, "43.5"], "Ann Ann Bo"),
        ([1, "7:03"], [1, "43.6"], "Ann Ann"),
        ([1, "7:02"], [1, "43.5"], "Bo"),
        ([1, "0.0"], [2, "12:00"], "Mia Cy"),
        ([1, "0.1"], [2, "11:25"], "Mia Cy Bo"),
        ([2, "11:26"], [3, "1:40"], "Bo Ann"),
        ([3, "1:40"], [3, "1:40"], "Ann"),
        ([1, "30.0"], [4, "11:25"], "Mia Cy Bo Ann Mia Mia"),
    ],
)
def test_events_between_two_moments_both_included(start: list[Any], end: list[Any], players: str) -> None:
    assert [row[0].split()[0] for row in events_between(MATCH, "basketball", start, end)] == players.split()


def test_both_ends_have_a_millionth_of_a_second_to_spare() -> None:
    match = [scored(1, t, "Ann Lee", 2) for t in (297 - 5e-7, 300, 310 + 5e-7)]
    assert len(events_between(match, "basketball", [1, "7:03"], [1, "6:50"])) == 3
    match = [scored(1, t, "Ann Lee", 2) for t in (297 - 5e-4, 300, 310 + 5e-4)]
    assert len(events_between(match, "basketball", [1, "7:03"], [1, "6:50"])) == 1


@pytest.mark.parametrize("tenths", range(0, 600, 7))
def test_tenths_meet_the_end_and_the_next_start_whatever_floats_do(tenths: int) -> None:
    elapsed = 660 + tenths / 10
    clock = format_clock(elapsed, "basketball")
    match = [scored(1, 720, "Ann Lee", 2), scored(2, 0, "Bo Carr", 3)]
    assert events_at(match, "basketball", 1, clock, 720 - elapsed) == [["Ann Lee", 2, 1, "0.0"]]
    assert events_at(match, "basketball", 1, clock, 840 - elapsed) == [["Bo Carr", 3, 2, "12:00"]]


def test_what_events_between_yield() -> None:
    assert events_between(MATCH, "basketball", [1, "0.0"], [2, "11:25"]) == [
        ["Mia Moss", 2, 1, "0.0"],
        ["Cy Vane", 1, 2, "12:00"],
        ["Bo Carr", 2, 2, "11:25"],
    ]


@pytest.mark.parametrize(
    ("start", "end"),
    [
        ([1, "7:03"], [1, "7:04"]),
        ([2, "12:00"], [1, "0.0"]),
        ([4, "0.0"], [1, "12:00"]),
        ([1, "12:01"], [2, "5:00"]),
        ([1, "5:00"], [5, "5:00"]),
        ([0, "5:00"], [1, "5:00"]),
    ],
)
def test_a_span_that_is_none_is_a_usage_error(start: list[Any], end: list[Any]) -> None:
    with pytest.raises(UsageError):
        events_between(MATCH, "basketball", start, end)


@pytest.mark.parametrize("clock", ["12:30", "late", "-3:00"])
def test_a_clock_outside_its_period_is_a_usage_error(clock: str) -> None:
    with pytest.raises(UsageError):
        events_at(MATCH, "basketball", 1, clock)


FACEOFFS = [
    {"period": 1, "t": 0, "winner": "Ann Lee", "loser": "Bo Carr"},
    {"period": 1, "t": 200, "winner": "Cy Vane", "loser": "Ann Lee"},
    {"period": 1, "t": 200, "winner": "Ann Lee", "loser": "Cy Vane"},
    {"period": 1, "t": 1200, "winner": "Bo Carr", "loser": "Mia Moss"},
    {"period": 2, "t": 0, "winner": "Mia Moss", "loser": "Bo Carr"},
    {"period": 3, "t": 61, "winner": "Ann Lee", "loser": "Bo Carr"},
]


@pytest.mark.parametrize(
    ("period", "clock", "delta", "found"),
    [
        (1, "0:00", 0, [["Ann Lee", "Bo Carr", 1, "0:00"]]),
        (1, "3:20", 0, [["Cy Vane", "Ann Lee", 1, "3:20"], ["Ann Lee", "Cy Vane", 1, "3:20"]]),
        (1, "0:00", 200, [["Cy Vane", "Ann Lee", 1, "3:20"], ["Ann Lee", "Cy Vane", 1, "3:20"]]),
        (1, "20:00", 0, [["Bo Carr", "Mia Moss", 1, "20:00"]]),
        (1, "20:00", 120, [["Mia Moss", "Bo Carr", 2, "0:00"]]),
        (1, "20:00", 119, []),
        (2, "0:00", 1381, [["Ann Lee", "Bo Carr", 3, "1:01"]]),
        (1, "0:01", 0, []),
        (1, "0:00", -1, []),
    ],
)
def test_faceoffs_at_a_moment(period: int, clock: str, delta: float, found: list[list[Any]]) -> None:
    assert faceoffs_at(FACEOFFS, period, clock, delta) == found


@pytest.mark.parametrize(
    ("start", "end", "winners"),
    [
        ([1, "0:00"], [3, "20:00"], "Ann Cy Ann Bo Mia Ann"),
        ([1, "0:01"], [1, "3:20"], "Cy Ann"),
        ([1, "20:00"], [2, "0:00"], "Bo Mia"),
        ([2, "0:01"], [3, "1:01"], "Ann"),
    ],
)
def test_faceoffs_between(start: list[Any], end: list[Any], winners: str) -> None:
    assert [row[0].split()[0] for row in faceoffs_between(FACEOFFS, start, end)] == winners.split()
    with pytest.raises(UsageError):
        faceoffs_between(FACEOFFS, end, start)


@given(st.lists(st.tuples(st.integers(1, 4), st.integers(0, 720), st.integers(0, 3)), max_size=30), st.data())
def test_a_span_is_its_moments_one_after_another(rows: list[tuple[int, int, int]], data: st.DataObject) -> None:
    match = [scored(period, t, "Ann Lee", points) for period, t, points in sorted(rows)]
    moments = st.tuples(st.integers(1, 4), st.integers(0, 720))
    start, end = sorted([data.draw(moments), data.draw(moments)])
    expected = [
        ["Ann Lee", e["pts"], e["period"], e["clock"]]
        for e in match
        if e["pts"] and start <= (e["period"], e["t"]) <= end
    ]
    span = [[period, format_clock(t, "basketball")] for period, t in (start, end)]
    if expected:
        assert events_between(match, "basketball", *span) == expected
    for row in expected:
        assert row in events_at(match, "basketball", row[2], row[3])
        assert start <= (row[2], parse_clock(row[3], "basketball")) <= end
