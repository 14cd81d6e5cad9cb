"""What one player meant for the score or the faceoffs of a span."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evolif.errors import UsageError
from evolif.scenarios.broadcast import format_clock, impact_faceoffs, impact_points

A, B = "Quarry Herons", "Old Mill Foxes"
TEAMS = [A, B]
TEAM_OF = {"Ann Lee": A, "Mia Moss": A, "Bo Carr": B, "Cy Vane": B}


def scored(period: int, t: float, player: str, pts: int) -> dict[str, Any]:
    return {
        "period": period,
        "t": t,
        "clock": format_clock(t, "basketball"),
        "team": TEAM_OF[player],
        "player": player,
        "pts": pts,
        "text": "",
    }


# Points before the span, in it and after it; the score runs 2-0, 2-3, 4-3, 5-3, 6-3, 6-5, 9-5, 9-6, 9-8.
MATCH = [
    scored(1, 100, "Ann Lee", 2),
    scored(1, 200, "Bo Carr", 3),
    scored(2, 10, "Ann Lee", 2),
    scored(2, 20, "Ann Lee", 1),
    scored(2, 20, "Ann Lee", 1),
    scored(2, 90, "Cy Vane", 2),
    scored(2, 300, "Mia Moss", 3),
    scored(3, 50, "Cy Vane", 1),
    scored(4, 60, "Bo Carr", 2),
]
SPAN: tuple[list[Any], list[Any]] = ([2, "12:00"], [2, "7:00"])


@pytest.mark.parametrize(
    ("span", "player", "at", "expected"),
    [
        pytest.param(SPAN, None, [2, "7:00"], ("Ann Lee", [A, 2], ["Tie", 0]), id="best of the span, score at its end"),
        pytest.param(SPAN, None, None, ("Ann Lee", [B, 1], [B, 3]), id="after the last event: 7-8 and 5-8"),
        pytest.param(SPAN, None, [3, "11:10"], ("Ann Lee", [A, 1], [B, 1]), id="the moment asked about counts"),
        pytest.param(SPAN, None, [3, "11:11"], ("Ann Lee", [A, 2], ["Tie", 0]), id="a second before it"),
        pytest.param(SPAN, "Cy Vane", [2, "7:00"], ("Cy Vane", [A, 4], [A, 6]), id="a named player"),
        pytest.param(SPAN, "Mia Moss", [2, "7:00"], ("Mia Moss", [A, 4], [A, 1]), id="no free throw to lose"),
        pytest.param(
            ([1, "12:00"], [1, "0.0"]), None, [2, "11:50"], ("Bo Carr", [A, 1], [A, 4]), id="points outside stay"
        ),
        pytest.param(([1, "12:00"], [4, "0.0"]), None, None, ("Ann Lee", [B, 1], [B, 5]), id="the whole match"),
        pytest.param(([2, "11:50"], [2, "11:50"]), None, [2, "11:50"], ("Ann Lee", [A, 1], [B, 1]), id="one moment"),
        pytest.param(([2, "11:40"], [2, "11:40"]), None, [2, "11:40"], ("Ann Lee", [A, 1], [A, 1]), id="free throws"),
        pytest.param(([2, "11:39"], [4, "0.0"]), None, None, ("Cy Vane", [A, 2], [A, 4]), id="three points each"),
        pytest.param(([3, "12:00"], [3, "0.0"]), None, [3, "0.0"], ("Cy Vane", [A, 4], [A, 4]), id="only a free throw"),
    ],
)
def test_the_score_without_his_points(
    span: tuple[list[Any], list[Any]], player: str | None, at: list[Any] | None, expected: tuple[Any, ...]
) -> None:
    found = impact_points(MATCH, TEAMS, *span, player=player, at=at)
    assert found == {"player": expected[0], "no_ft": expected[1], "no_goals": expected[2]}


def test_an_unknown_scorer_is_a_usage_error() -> None:
    with pytest.raises(UsageError):
        impact_points(MATCH, TEAMS, *SPAN, player="Dee Nobody")


def test_of_equal_players_the_first_in_code_point_order() -> None:
    match = [scored(1, 10, "Cy Vane", 2), scored(1, 20, "Bo Carr", 2), scored(1, 30, "Mia Moss", 2)]
    assert impact_points(match, TEAMS, [1, "12:00"], [1, "0.0"])["player"] == "Bo Carr"
    match.append(scored(1, 40, "Cy Vane", 1))
    assert impact_points(match, TEAMS, [1, "12:00"], [1, "0.0"])["player"] == "Cy Vane"


def test_code_points_put_capitals_first() -> None:
    match = [{**scored(1, 10, "Ann Lee", 2), "player": name} for name in ("ann lee", "Zoe Abt")]
    assert impact_points(match, TEAMS, [1, "12:00"], [1, "0.0"])["player"] == "Zoe Abt"


def test_most_points_and_not_most_baskets() -> None:
    match = [scored(1, 10, "Ann Lee", 1), scored(1, 11, "Ann Lee", 1), scored(1, 20, "Bo Carr", 3)]
    assert impact_points(match, TEAMS, [1, "12:00"], [1, "0.0"]) == {
        "player": "Bo Carr",
        "no_ft": [B, 1],
        "no_goals": [A, 2],
    }


def test_a_level_result_is_a_tie_of_nothing() -> None:
    match = [scored(1, 10, "Ann Lee", 2), scored(1, 20, "Bo Carr", 2), scored(1, 30, "Ann Lee", 1)]
    found = impact_points(match, TEAMS, [1, "12:00"], [1, "0.0"])
    assert found == {"player": "Ann Lee", "no_ft": ["Tie", 0], "no_goals": [B, 2]}


@pytest.mark.parametrize(
    ("start", "end"),
    [
        ([2, "5:00"], [2, "4:00"]),
        ([4, "10:00"], [4, "0.0"]),
        ([2, "7:00"], [2, "12:00"]),
        ([3, "12:00"], [2, "0.0"]),
        ([2, "12:30"], [2, "7:00"]),
        ([0, "12:00"], [2, "7:00"]),
        ([1, "12:00"], [5, "7:00"]),
    ],
)
def test_nobody_is_best_where_nothing_is(start: list[Any], end: list[Any]) -> None:
    with pytest.raises(UsageError):
        impact_points(MATCH, TEAMS, start, end)


@given(
    st.lists(
        st.tuples(st.integers(1, 4), st.integers(0, 720), st.sampled_from(sorted(TEAM_OF)), st.integers(1, 3)),
        min_size=1,
        max_size=25,
    ),
    st.data(),
)
def test_impact_by_counting_again(rows: list[tuple[int, int, str, int]], data: st.DataObject) -> None:
    match = [scored(*row) for row in sorted(rows, key=lambda row: row[:2])]
    start, end = sorted(data.draw(st.tuples(*[st.tuples(st.integers(1, 4), st.integers(0, 720))] * 2)))
    at = data.draw(st.tuples(st.integers(1, 4), st.integers(0, 720)))
    inside = [e for e in match if start <= (e["period"], e["t"]) <= end]
    if not inside:
        return
    totals: dict[str, int] = {}
    for event in inside:
        totals[event["player"]] = totals.get(event["player"], 0) + event["pts"]
    player = min(totals, key=lambda name: (-totals[name], name))

    def leader(dropped: list[dict[str, Any]]) -> list[Any]:
        score = {A: 0, B: 0}
        for event in match:
            if (event["period"], event["t"]) <= at and not any(event is other for other in dropped):
                score[event["team"]] += event["pts"]
        difference = score[A] - score[B]
        return [A if difference > 0 else B if difference else "Tie", abs(difference)]

    his = [e for e in inside if e["player"] == player]
    shown = [[period, format_clock(t, "basketball")] for period, t in (start, end, at)]
    assert impact_points(match, TEAMS, shown[0], shown[1], at=shown[2]) == {
        "player": player,
        "no_ft": leader([e for e in his if e["pts"] == 1]),
        "no_goals": leader(his),
    }


PLAYER_TEAM = {"Ann Lee": A, "Mia Moss": A, "Bo Carr": B, "Cy Vane": B}
# Ann takes four of the first period (two won), Bo three (two won), Cy two (one won), Mia one.
FACEOFFS = [
    {"period": 1, "t": 0, "winner": "Ann Lee", "loser": "Bo Carr"},
    {"period": 1, "t": 90, "winner": "Bo Carr", "loser": "Ann Lee"},
    {"period": 1, "t": 200, "winner": "Cy Vane", "loser": "Ann Lee"},
    {"period": 1, "t": 700, "winner": "Ann Lee", "loser": "Cy Vane"},
    {"period": 1, "t": 1200, "winner": "Bo Carr", "loser": "Mia Moss"},
    {"period": 2, "t": 60, "winner": "Mia Moss", "loser": "Bo Carr"},
    {"period": 2, "t": 61, "winner": "Mia Moss", "loser": "Bo Carr"},
]


@pytest.mark.parametrize(
    ("start", "end", "player", "expected"),
    [
        ([1, "0:00"], [1, "20:00"], None, ("Ann Lee", A, 40.0, 40.0, 40.0)),
        ([1, "0:00"], [3, "20:00"], None, ("Bo Carr", B, 42.86, 28.57, 42.86)),
        ([1, "0:00"], [1, "11:40"], None, ("Ann Lee", A, 50.0, 50.0, 50.0)),
        ([1, "0:00"], [1, "3:20"], "Cy Vane", ("Cy Vane", B, 66.67, 33.33, 0.0)),
        ([1, "0:00"], [1, "3:20"], "Ann Lee", ("Ann Lee", A, 33.33, 33.33, 66.67)),
        ([1, "0:00"], [1, "3:20"], "Bo Carr", ("Bo Carr", B, 66.67, 33.33, 33.33)),
        ([1, "0:00"], [2, "1:00"], "Mia Moss", ("Mia Moss", A, 50.0, 16.67, 16.67)),
        ([2, "1:00"], [2, "1:01"], None, ("Bo Carr", B, 0.0, 0.0, 100.0)),
        ([2, "1:00"], [2, "1:00"], "Mia Moss", ("Mia Moss", A, 100.0, 100.0, 0.0)),
        ([1, "0:01"], [1, "1:30"], None, ("Ann Lee", A, 0.0, 0.0, 100.0)),
    ],
)
def test_the_share_of_faceoffs(start: list[Any], end: list[Any], player: str | None, expected: tuple[Any, ...]) -> None:
    names = ("player", "team", "rate", "decrease_if_all_lost", "increase_if_all_won")
    found = impact_faceoffs(FACEOFFS, PLAYER_TEAM, start, end, player)
    assert found == dict(zip(names, expected, strict=True))


@pytest.mark.parametrize(
    ("start", "end", "player"),
    [
        ([3, "0:00"], [3, "20:00"], None),
        ([1, "0:01"], [1, "1:29"], None),
        ([3, "0:00"], [3, "20:00"], "Ann Lee"),
        ([1, "20:00"], [1, "0:00"], None),
        ([1, "0:00"], [4, "0:00"], None),
        ([1, "0:00"], [1, "20:30"], None),
        ([1, "0:00"], [1, "20:00"], "Dee Nobody"),
    ],
)
def test_no_faceoff_no_share(start: list[Any], end: list[Any], player: str | None) -> None:
    with pytest.raises(UsageError):
        impact_faceoffs(FACEOFFS, PLAYER_TEAM, start, end, player)


@given(
    st.lists(
        st.tuples(st.sampled_from(["Ann Lee", "Mia Moss"]), st.sampled_from(["Bo Carr", "Cy Vane"]), st.booleans()),
        min_size=1,
        max_size=40,
    )
)
def test_shares_stay_within_a_hundred(rows: list[tuple[str, str, bool]]) -> None:
    faceoffs = [
        {"period": 1, "t": 10 * i, "winner": a if home else b, "loser": b if home else a}
        for i, (a, b, home) in enumerate(rows)
    ]
    found = impact_faceoffs(faceoffs, PLAYER_TEAM, [1, "0:00"], [1, "20:00"])
    n = len(rows)
    player, team = found["player"], found["team"]
    counts = {name: sum(name in row[:2] for row in rows) for name in PLAYER_TEAM}
    assert player == min(counts, key=lambda name: (-counts[name], name))
    won = sum(f["winner"] == player for f in faceoffs)
    lost = sum(f["loser"] == player for f in faceoffs)
    assert PLAYER_TEAM[player] == team
    assert found["rate"] == round(100 * sum(PLAYER_TEAM[str(f["winner"])] == team for f in faceoffs) / n, 2)
    assert found["decrease_if_all_lost"] == round(100 * won / n, 2)
    assert found["increase_if_all_won"] == round(100 * lost / n, 2)
