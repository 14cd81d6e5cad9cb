"""Events at a moment and in a span."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evolif.errors import UsageError
from evolif.scenarios.broadcast import events_at, events_between, format_clock, shift_clock
from evolif.scenarios.broadcast.events import faceoffs_at, faceoffs_between


def shot(player: str, pts: int, period: int, t: float, sport: str = "basketball") -> dict[str, Any]:
    clock = format_clock(t, sport)
    return {"period": period, "t": t, "clock": clock, "team": "A", "player": player, "pts": pts, "text": "…"}


MATCH = [
    shot("Ada Venn", 2, 1, 297),  # Q1 7:03
    shot("Ben Tull", 0, 1, 300),
    shot("Ben Tull", 1, 1, 400),
    shot("Ben Tull", 1, 1, 400),
    shot("Cy Orr", 3, 1, 676.6),  # Q1 43.4
    shot("Dee Fane", 2, 1, 720),
    shot("Ada Venn", 2, 2, 0),
    shot("Ada Venn", 3, 4, 35),  # Q4 11:25
]


def test_events_of_the_moment_itself_and_of_a_later_one() -> None:
    assert events_at(MATCH, "basketball", 1, "7:03") == [["Ada Venn", 2, 1, "7:03"]]
    assert events_at(MATCH, "basketball", 1, "7:03", 103) == [["Ben Tull", 1, 1, "5:20"]] * 2
    assert events_at(MATCH, "basketball", 3, "1:40", 255) == [["Ada Venn", 3, 4, "11:25"]]
    assert events_at(MATCH, "basketball", 1, "5:20", -103) == [["Ada Venn", 2, 1, "7:03"]]


def test_rows_without_points_are_no_events() -> None:
    assert events_at(MATCH, "basketball", 1, "7:00") == []


def test_there_is_nothing_where_there_is_no_moment() -> None:
    assert events_at(MATCH, "basketball", 1, "0.0", 60) == []
    assert events_at(MATCH, "basketball", 1, "12:00", -1) == []
    assert events_at(MATCH, "basketball", 4, "11:25", 686) == []


def test_the_ends_of_a_break_are_two_moments() -> None:
    assert events_at(MATCH, "basketball", 1, "0.0") == [["Dee Fane", 2, 1, "0.0"]]
    assert events_at(MATCH, "basketball", 1, "0.0", 120) == [["Ada Venn", 2, 2, "12:00"]]


@pytest.mark.parametrize(
    ("delta", "there"), [(-0.06, False), (-0.05, False), (-0.04, True), (0.04, True), (0.05, False), (0.06, False)]
)
def test_the_exact_moment_counts_and_not_its_display(delta: float, there: bool) -> None:
    assert bool(events_at(MATCH, "basketball", 1, "43.4", delta)) is there
    # Whole seconds, which the clock shows up to a second late.
    assert bool(events_at(MATCH, "basketball", 1, "7:03", delta)) is there


def test_a_span_has_both_ends() -> None:
    everything = events_between(MATCH, "basketball", [1, "7:03"], [4, "11:25"])
    assert [row[0] for row in everything] == [event["player"] for event in MATCH if event["pts"]]
    assert events_between(MATCH, "basketball", [1, "7:02"], [1, "0.0"]) == [
        ["Ben Tull", 1, 1, "5:20"],
        ["Ben Tull", 1, 1, "5:20"],
        ["Cy Orr", 3, 1, "43.4"],
        ["Dee Fane", 2, 1, "0.0"],
    ]
    assert events_between(MATCH, "basketball", (1, "43.4"), (1, "43.4")) == [["Cy Orr", 3, 1, "43.4"]]
    assert events_between(MATCH, "basketball", [3, "12:00"], [3, "0.0"]) == []


def test_an_end_is_missed_by_more_than_a_microsecond_only() -> None:
    near, far = shot("Ada Venn", 2, 1, 100.0000009), shot("Ben Tull", 2, 1, 100.0000011)
    assert [row[0] for row in events_between([near, far], "basketball", [1, "12:00"], [1, "10:20"])] == ["Ada Venn"]
    near, far = shot("Ada Venn", 2, 1, 99.9999991), shot("Ben Tull", 2, 1, 99.9999989)
    assert [row[0] for row in events_between([near, far], "basketball", [1, "10:20"], [1, "0.0"])] == ["Ada Venn"]


def test_goals_of_hockey() -> None:
    goals = [shot("Ada Venn", 1, 1, 200, "hockey"), shot("Ben Tull", 1, 2, 80, "hockey")]
    assert events_at(goals, "hockey", 1, "3:20") == [["Ada Venn", 1, 1, "3:20"]]
    assert events_at(goals, "hockey", 1, "3:20", 1200) == [["Ben Tull", 1, 2, "1:20"]]
    assert len(events_between(goals, "hockey", [1, "0:00"], [3, "20:00"])) == 2


def test_either_the_time_or_the_clock_may_be_missing() -> None:
    timed = {"period": 1, "t": 676.6, "team": "A", "player": "Cy Orr", "pts": 3}
    shown = {"period": 1, "clock": "43.4", "team": "A", "player": "Cy Orr", "pts": 3}
    for event in (timed, shown):
        assert events_at([event], "basketball", 1, "43.4") == [["Cy Orr", 3, 1, "43.4"]]


def faceoff(winner: str, loser: str, period: int, t: float) -> dict[str, Any]:
    return {"period": period, "t": t, "winner": winner, "loser": loser}


FACEOFFS = [
    faceoff("Ada Venn", "Ben Tull", 1, 0),
    faceoff("Cy Orr", "Ada Venn", 1, 200),
    faceoff("Ada Venn", "Cy Orr", 1, 200),
    faceoff("Ben Tull", "Dee Fane", 1, 1200),
    faceoff("Dee Fane", "Ben Tull", 2, 0),
    faceoff("Ada Venn", "Ben Tull", 3, 61),
]


@pytest.mark.parametrize(
    ("period", "clock", "delta", "found"),
    [
        (1, "0:00", 0, [["Ada Venn", "Ben Tull", 1, "0:00"]]),
        (1, "3:20", 0, [["Cy Orr", "Ada Venn", 1, "3:20"], ["Ada Venn", "Cy Orr", 1, "3:20"]]),
        (1, "0:00", 200, [["Cy Orr", "Ada Venn", 1, "3:20"], ["Ada Venn", "Cy Orr", 1, "3:20"]]),
        (1, "20:00", 0, [["Ben Tull", "Dee Fane", 1, "20:00"]]),
        (1, "20:00", 60, []),
        (1, "20:00", 120, [["Dee Fane", "Ben Tull", 2, "0:00"]]),
        (2, "0:00", 1381, [["Ada Venn", "Ben Tull", 3, "1:01"]]),
        (1, "0:01", 0, []),
        (1, "0:00", -1, []),
    ],
)
def test_faceoffs_at_a_moment(period: int, clock: str, delta: float, found: list[list[Any]]) -> None:
    assert faceoffs_at(FACEOFFS, period, clock, delta) == found


@pytest.mark.parametrize(
    ("start", "end", "places"),
    [
        ([1, "0:00"], [3, "20:00"], range(6)),
        ([1, "0:01"], [1, "3:20"], [1, 2]),
        ([1, "20:00"], [2, "0:00"], [3, 4]),
        ([2, "0:01"], [3, "1:01"], [5]),
        ([2, "0:01"], [3, "1:00"], []),
    ],
)
def test_faceoffs_of_a_span(start: list[Any], end: list[Any], places: Any) -> None:
    expected = [(FACEOFFS[place]["winner"], FACEOFFS[place]["loser"]) for place in places]
    assert [(row[0], row[1]) for row in faceoffs_between(FACEOFFS, start, end)] == expected
    with pytest.raises(UsageError):
        faceoffs_between(FACEOFFS, end, start)


TIMES = st.integers(0, 660) | st.integers(6600, 7200).map(lambda tenths: tenths / 10)
MOMENTS = st.tuples(st.integers(1, 4), TIMES)


@given(st.lists(MOMENTS), MOMENTS, MOMENTS)
def test_a_span_holds_what_is_ordered_between_its_ends(
    times: list[tuple[int, float]], one: tuple[int, float], other: tuple[int, float]
) -> None:
    start, end = sorted((one, other))
    events = [shot("Ada Venn", 2, *moment) for moment in sorted(times)]
    ends = [[period, format_clock(t, "basketball")] for period, t in (start, end)]
    expected = [[p, format_clock(t, "basketball")] for p, t in sorted(times) if start <= (p, t) <= end]
    assert [row[2:] for row in events_between(events, "basketball", *ends)] == expected


@given(MOMENTS, MOMENTS)
def test_an_event_is_found_at_its_distance_from_any_anchor(
    anchor: tuple[int, float], target: tuple[int, float]
) -> None:
    tenths = [round(10 * ((period - 1) * 840 + t)) for period, t in (anchor, target)]
    clock = format_clock(anchor[1], "basketball")
    event = shot("Ada Venn", 2, *target)
    delta = (tenths[1] - tenths[0]) / 10
    assert events_at([event], "basketball", anchor[0], clock, delta) == [["Ada Venn", 2, target[0], event["clock"]]]
    assert shift_clock(anchor[0], clock, delta, "basketball") == {"period": target[0], "clock": event["clock"]}


@pytest.mark.parametrize(
    ("start", "end"),
    [
        ([1, "7:02"], [1, "7:03"]),
        ([2, "12:00"], [1, "0.0"]),
        ([1, "12:01"], [1, "0.0"]),
        ([0, "12:00"], [1, "0.0"]),
        ([1, "12:00"], [5, "0.0"]),
        ([1], [1, "0.0"]),
        ("1 12:00", [1, "0.0"]),
        (None, [1, "0.0"]),
        ([[1], "12:00"], [1, "0.0"]),
    ],
)
def test_a_span_runs_forward_between_moments(start: Any, end: Any) -> None:
    with pytest.raises(UsageError):
        events_between(MATCH, "basketball", start, end)


@pytest.mark.parametrize(
    "event",
    [
        {"period": 1, "t": 100, "player": "Ada Venn"},
        {"period": 1, "t": 721, "player": "Ada Venn", "pts": 2},
        {"period": 5, "t": 100, "player": "Ada Venn", "pts": 2},
        {"period": 1, "player": "Ada Venn", "pts": 2},
        {"period": 1, "t": 100, "pts": 2},
        {"period": 1, "t": 100, "player": None, "pts": 2},
        {"period": 1, "t": "100", "player": "Ada Venn", "pts": 2},
        {"period": 1, "t": 100, "player": "Ada Venn", "pts": 1.5},
        ["Ada Venn", 2, 1, "7:03"],
    ],
)
def test_an_event_that_lacks_something_is_refused(event: Any) -> None:
    with pytest.raises(UsageError):
        events_at([event], "basketball", 1, "7:03")


@pytest.mark.parametrize("arguments", [(1, "12:01"), (9, "7:03"), (1, "7:03", None), (1, "7:03", float("inf"))])
def test_an_anchor_is_a_moment(arguments: tuple[Any, ...]) -> None:
    with pytest.raises(UsageError):
        events_at(MATCH, "basketball", *arguments)
    with pytest.raises(UsageError):
        events_at(MATCH, "golf", 1, "7:03")
