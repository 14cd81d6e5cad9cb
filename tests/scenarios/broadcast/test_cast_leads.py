"""Changes of the lead, and the checklist of a question about them."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evolif.errors import UsageError
from evolif.scenarios.broadcast import lead_changes, lead_checklist

TEAMS = ["A", "B"]


def basket(team: str, pts: int, period: int = 1, clock: str = "6:00") -> dict[str, Any]:
    return {"period": period, "t": 360, "clock": clock, "team": team, "player": f"{team} One", "pts": pts}


def test_a_level_score_does_not_reset_who_was_ahead() -> None:
    events = [basket("A", 2), basket("B", 2), basket("A", 2)]  # 2-0, 2-2, 4-2
    assert lead_changes(events, TEAMS, 1) == []


def test_a_change_after_a_level_score_counts_once() -> None:
    events = [
        basket("A", 2),
        basket("B", 2),
        basket("A", 2),
        basket("B", 2, clock="3:10"),
        basket("B", 1, clock="2:50"),
    ]
    assert lead_changes(events, TEAMS, 1) == lead_changes(events, TEAMS[::-1], 1) == [["2:50", "B"]]


def test_the_first_lead_is_none_and_rows_without_points_do_nothing() -> None:
    assert lead_changes([basket("B", 3), basket("A", 0), basket("A", 2)], TEAMS, 1) == []


def test_breaks_do_not_reset_who_was_ahead() -> None:
    events = [basket("A", 2), basket("B", 3, 2, "11:40"), basket("A", 3, 2, "11:20"), basket("B", 3, 3, "9.5")]
    assert lead_changes(events, TEAMS, 1) == []
    assert lead_changes(events, TEAMS, 2) == [["11:40", "B"], ["11:20", "A"]]
    assert lead_changes(events, TEAMS, 3) == [["9.5", "B"]]
    assert lead_changes(events, TEAMS, 4) == []


@given(st.lists(st.tuples(st.sampled_from(TEAMS), st.integers(0, 3))))
def test_changes_are_the_alternations_of_strict_leads(shots: list[tuple[str, int]]) -> None:
    events = [basket(team, pts, clock=f"{row}") for row, (team, pts) in enumerate(shots)]
    margin, leads = 0, []
    for row, (team, pts) in enumerate(shots):
        margin += pts if team == "A" else -pts
        if margin:
            leads.append([str(row), "A" if margin > 0 else "B"])
    expected = [new for old, new in pairwise(leads) if old[1] != new[1]]
    assert lead_changes(events, TEAMS, 1) == expected


@pytest.mark.parametrize(
    ("events", "teams", "period"),
    [
        ([basket("C", 2)], TEAMS, 1),
        ([{"pts": 2}], TEAMS, 1),
        ([{"team": "A"}], TEAMS, 1),
        ([basket("A", -1)], TEAMS, 1),
        (["A 2"], TEAMS, 1),
        ("events", TEAMS, 1),
        ([], ["A"], 1),
        ([], ["A", "A"], 1),
        ([], TEAMS, 0),
        ([], TEAMS, 5),
        ([], TEAMS, "1"),
    ],
)
def test_what_does_not_fit_is_refused(events: Any, teams: Any, period: Any) -> None:
    with pytest.raises(UsageError):
        lead_changes(events, teams, period)


def test_the_checklist_of_two_changes() -> None:
    assert lead_checklist([["9:00", "A"], ["1:15", "B"]], TEAMS) == [
        {"kind": "changes", "count": 2, "weight": 0.2},
        {"kind": "change", "clock": "9:00", "leader": "A", "overtaken": "B", "weight": 0.4},
        {"kind": "change", "clock": "1:15", "leader": "B", "overtaken": "A", "weight": 0.4},
    ]


def test_no_change_leaves_the_count_alone() -> None:
    assert lead_checklist([], TEAMS) == [{"kind": "changes", "count": 0, "weight": 0.2}]


@given(st.lists(st.tuples(st.just("1:00"), st.sampled_from(TEAMS)), min_size=1))
def test_weights_add_up_to_one(changes: list[tuple[str, str]]) -> None:
    assert math.isclose(sum(item["weight"] for item in lead_checklist(changes, TEAMS)), 1)


@pytest.mark.parametrize("changes", [[["9:00", "C"]], [["9:00"]], [[9, "A"]], ["9A"], {"9:00": "A"}, None])
def test_a_change_is_a_clock_and_a_team(changes: Any) -> None:
    with pytest.raises(UsageError):
        lead_checklist(changes, TEAMS)
