"""Changes of the lead, as the page counts them."""

from __future__ import annotations

from itertools import accumulate, pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evolif.scenarios.broadcast import format_clock, lead_changes, lead_checklist

A, B = "Quarry Herons", "Old Mill Foxes"
TEAMS = [A, B]
PLAYER = {A: "Ann Lee", B: "Bo Carr"}
Step = tuple[int, float, str, int]


def events(*steps: Step) -> list[dict[str, object]]:
    """Scoring events from (period, t, team, points), without the fields that may be absent."""
    return [
        {
            "period": period,
            "t": t,
            "clock": format_clock(t, "basketball"),
            "team": team,
            "player": PLAYER[team],
            "pts": points,
            "text": f"{PLAYER[team]} makes something",
        }
        for period, t, team, points in steps
    ]


@pytest.mark.parametrize(
    ("steps", "changes"),
    [
        pytest.param([], [], id="nothing"),
        pytest.param([(1, 60, A, 2)], [], id="the first lead is none"),
        pytest.param([(1, 60, A, 2), (1, 90, B, 2), (1, 120, A, 2)], [], id="level and the same again"),
        pytest.param(
            [(1, 60, A, 2), (1, 90, B, 2), (1, 120, A, 2), (1, 150, B, 2), (1, 165, B, 1)],
            [["9:15", B]],
            id="the page's example",
        ),
        pytest.param([(1, 60, A, 2), (1, 90, B, 3)], [["10:30", B]], id="straight past"),
        pytest.param([(1, 60, A, 2), (1, 90, B, 3), (1, 100, A, 2)], [["10:30", B], ["10:20", A]], id="there and back"),
        pytest.param([(1, 60, A, 2), (1, 90, B, 2)], [], id="level only"),
        pytest.param([(1, 60, A, 2), (1, 90, B, 2), (1, 91, B, 2)], [["10:29", B]], id="level on the way"),
        pytest.param([(1, 60, A, 2), (1, 90, B, 3), (1, 95, B, 3)], [["10:30", B]], id="extending a lead is none"),
        pytest.param([(1, 60, A, 1), (1, 676.5, B, 2)], [["43.5", B]], id="in the last minute"),
        pytest.param(
            [(1, 60, A, 1), (1, 60, B, 2), (1, 60, A, 2)], [["11:00", B], ["11:00", A]], id="order at one moment"
        ),
    ],
)
def test_changes_of_one_period(steps: list[Step], changes: list[list[str]]) -> None:
    assert lead_changes(events(*steps), TEAMS, 1) == changes


def test_breaks_do_not_reset_who_led() -> None:
    match = events((1, 60, A, 2), (1, 700, B, 2), (2, 5, B, 2), (3, 8, A, 2), (3, 9, A, 1))
    assert lead_changes(match, TEAMS, 1) == []
    assert lead_changes(match, TEAMS, 2) == [["11:55", B]]
    assert lead_changes(match, TEAMS, 3) == [["11:51", A]]
    assert lead_changes(match, TEAMS, 4) == []


def test_the_first_lead_in_a_later_period_is_none() -> None:
    assert lead_changes(events((2, 60, B, 2), (2, 61, A, 1)), TEAMS, 2) == []


def test_events_without_points_change_nothing() -> None:
    match = events((1, 60, A, 2), (1, 70, B, 0), (1, 90, B, 3))
    match.insert(0, {"period": 1, "t": 0, "clock": "12:00", "team": None, "player": None, "pts": 0, "text": "Start"})
    assert lead_changes(match, TEAMS, 1) == [["10:30", B]]


def test_the_order_of_teams_does_not_matter() -> None:
    match = events((1, 60, A, 2), (1, 90, B, 3), (1, 120, A, 3))
    assert lead_changes(match, [B, A], 1) == lead_changes(match, TEAMS, 1) == [["10:30", B], ["10:00", A]]


def test_hockey_goals_change_the_lead_too() -> None:
    match = [
        {"period": 2, "t": t, "clock": format_clock(t, "hockey"), "team": team, "player": PLAYER[team], "pts": 1}
        for t, team in [(40, A), (100, B), (160, B), (200, A), (1199, A)]
    ]
    assert lead_changes(match, TEAMS, 2) == [["2:40", B], ["19:59", A]]


@given(st.lists(st.tuples(st.integers(1, 4), st.sampled_from(TEAMS), st.integers(0, 3)), max_size=40))
def test_changes_alternate_and_are_those_of_the_signs_of_the_difference(steps: list[tuple[int, str, int]]) -> None:
    steps.sort(key=lambda step: step[0])
    match = events(*((period, 5 + number, team, points) for number, (period, team, points) in enumerate(steps)))
    differences = list(accumulate(points if team == A else -points for _, team, points in steps))
    leading = [
        (A if d > 0 else B, period, number)
        for number, ((period, *_), d) in enumerate(zip(steps, differences, strict=True))
        if d
    ]
    expected: dict[int, list[list[str]]] = {1: [], 2: [], 3: [], 4: []}
    for (before, *_), (after, period, number) in pairwise(leading):
        if before != after:
            expected[period].append([format_clock(5 + number, "basketball"), after])
    for period in range(1, 5):
        assert lead_changes(match, TEAMS, period) == expected[period]


def test_the_checklist_of_two_changes() -> None:
    found = lead_checklist([["10:30", B], ["9:15", A]], TEAMS)
    assert found == [
        {"kind": "changes", "count": 2, "weight": 0.2},
        {"kind": "change", "clock": "10:30", "leader": B, "overtaken": A, "weight": pytest.approx(0.4)},
        {"kind": "change", "clock": "9:15", "leader": A, "overtaken": B, "weight": pytest.approx(0.4)},
    ]


def test_no_change_leaves_the_weight_of_the_count() -> None:
    assert lead_checklist([], TEAMS) == [{"kind": "changes", "count": 0, "weight": 0.2}]


@given(st.integers(1, 30))
def test_weights_of_any_number_of_changes_add_up_to_one(number: int) -> None:
    found = lead_checklist([[format_clock(i, "basketball"), TEAMS[i % 2]] for i in range(number)], TEAMS)
    assert len(found) == number + 1
    assert found[0]["count"] == number
    assert sum(item["weight"] for item in found) == pytest.approx(1)
    assert {round(item["weight"], 9) for item in found[1:]} == {round(0.8 / number, 9)}
