"""What a player's points or faceoffs in a span changed."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evolif.errors import UsageError
from evolif.scenarios.broadcast import format_clock, impact_faceoffs, impact_points

TEAMS = ["Herons", "Larks"]
PLAYER_TEAM = {"Ada Venn": "Herons", "Dee Fane": "Herons", "Ben Tull": "Larks", "Cy Orr": "Larks"}


def shot(player: str, pts: int, period: int, t: float) -> dict[str, Any]:
    clock = format_clock(t, "basketball")
    return {"period": period, "t": t, "clock": clock, "team": PLAYER_TEAM[player], "player": player, "pts": pts}


MATCH = [
    shot("Ada Venn", 1, 1, 60),  # Q1 11:00, before the span: 1-0
    shot("Ada Venn", 2, 1, 120),  # Q1 10:00: 3-0
    shot("Ada Venn", 1, 1, 180),  # Q1 9:00: 4-0
    shot("Ben Tull", 3, 1, 240),  # Q1 8:00: 4-3
    shot("Dee Fane", 0, 1, 300),
    shot("Cy Orr", 2, 2, 60),  # Q2 11:00: 4-5
    shot("Ada Venn", 3, 2, 120),  # Q2 10:00: 7-5
    shot("Ben Tull", 1, 3, 60),  # Q3 11:00, after the span: 7-6
]
SPAN = ([1, "10:00"], [2, "10:00"])


def test_the_top_scorer_of_the_span_without_free_throws_and_without_points() -> None:
    assert impact_points(MATCH, TEAMS, *SPAN, at=[2, "10:00"]) == {
        "player": "Ada Venn",
        "no_ft": ["Herons", 1],  # 6-5
        "no_goals": ["Larks", 4],  # 1-5: the free throw before the span stays
    }


def test_the_last_event_given_ends_the_score_unless_a_moment_is_asked_for() -> None:
    assert impact_points(MATCH, TEAMS, *SPAN) == {
        "player": "Ada Venn",
        "no_ft": ["Tie", 0],  # 6-6
        "no_goals": ["Larks", 5],
    }


def test_the_moment_asked_about_is_included_and_later_ones_are_not() -> None:
    assert impact_points(MATCH, TEAMS, *SPAN, at=[1, "8:00"])["no_ft"] == ["Tie", 0]  # 3-3
    assert impact_points(MATCH, TEAMS, *SPAN, at=[1, "8:01"])["no_ft"] == ["Herons", 3]
    assert impact_points(MATCH, TEAMS, *SPAN, at=[1, "12:00"])["no_ft"] == ["Tie", 0]


def test_a_player_may_be_named() -> None:
    ben = impact_points(MATCH, TEAMS, *SPAN, player="Ben Tull", at=[2, "10:00"])
    assert ben == {"player": "Ben Tull", "no_ft": ["Herons", 2], "no_goals": ["Herons", 5]}
    dee = impact_points(MATCH, TEAMS, *SPAN, player="Dee Fane", at=[2, "10:00"])
    assert dee == {"player": "Dee Fane", "no_ft": ["Herons", 2], "no_goals": ["Herons", 2]}


@pytest.mark.parametrize(
    ("shots", "top"),
    [
        ([("Dee Fane", 2), ("Cy Orr", 2), ("Ben Tull", 1)], "Cy Orr"),
        ([("Ada Venn", 1), ("Ada Venn", 1), ("Ben Tull", 3)], "Ben Tull"),  # most points, not most baskets
        ([("ada venn", 2), ("Zoe Abt", 2)], "Zoe Abt"),  # capitals come first
    ],
)
def test_of_several_top_scorers_the_first_in_code_point_order_counts(shots: list[tuple[str, int]], top: str) -> None:
    events = [{**shot("Ada Venn", points, 1, 10 * row), "player": who} for row, (who, points) in enumerate(shots, 1)]
    assert impact_points(events, TEAMS, [1, "12:00"], [1, "0.0"])["player"] == top


TIMES = st.integers(0, 660)
SHOTS = st.lists(
    st.tuples(st.integers(1, 4), TIMES, st.sampled_from(sorted(PLAYER_TEAM)), st.integers(1, 3)), min_size=1
)


@given(SHOTS, TIMES, TIMES, st.booleans())
def test_impact_follows_the_rule(shots: list[tuple[int, int, str, int]], first: int, last: int, named: bool) -> None:
    start, end = (shots[0][0], min(first, shots[0][1])), (shots[0][0], max(last, shots[0][1]))
    rows = sorted(shots)
    inside = [row for row in rows if start <= row[:2] <= end]
    points = {name: sum(row[3] for row in inside if row[2] == name) for name in PLAYER_TEAM}
    name = shots[0][2] if named else next(who for who in sorted(points) if points[who] == max(points.values()))
    expected: dict[str, Any] = {"player": name}
    for case, left_out in (("no_ft", {1}), ("no_goals", {1, 2, 3})):
        score = dict.fromkeys(TEAMS, 0)
        for row in rows:
            if row not in inside or row[2] != name or row[3] not in left_out:
                score[PLAYER_TEAM[row[2]]] += row[3]
        margin = score["Herons"] - score["Larks"]
        expected[case] = ["Tie", 0] if not margin else ["Herons" if margin > 0 else "Larks", abs(margin)]
    events = [shot(who, pts, period, t) for period, t, who, pts in rows]
    ends = [[period, format_clock(t, "basketball")] for period, t in (start, end)]
    assert impact_points(events, TEAMS, *ends, player=name if named else None) == expected


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"start": [3, "10:00"], "end": [3, "9:00"]}, "nobody scores"),
        ({"start": [3, "10:00"], "end": [3, "9:00"], "player": "Ada Venn"}, "nobody scores"),
        ({"start": [2, "9:00"]}, "comes after"),
        ({"start": [1, "12:01"]}, "outside"),
        ({"at": [1, "12:01"]}, "outside"),
        ({"at": "now"}, "period and a clock"),
        ({"player": "Nobody Here"}, "no event is of"),
        ({"player": 7}, "give a string"),
        ({"teams": ["Herons", "Kites"]}, "team of an event"),
        ({"teams": ["Herons"]}, "two different names"),
        ({"events": []}, "nobody scores"),
        ({"events": None}, "give a list"),
        ({"events": [{"period": 1, "t": 130, "player": "Ada Venn", "pts": 2}]}, "team of an event"),
    ],
)
def test_impact_of_nothing_is_refused(changed: dict[str, Any], message: str) -> None:
    arguments = {"events": MATCH, "teams": TEAMS, "start": SPAN[0], "end": SPAN[1], **changed}
    with pytest.raises(UsageError, match=message):
        impact_points(**arguments)


def faceoff(winner: str, loser: str, period: int, t: float) -> dict[str, Any]:
    return {"period": period, "t": t, "winner": winner, "loser": loser}


FACEOFFS = [
    faceoff("Ben Tull", "Ada Venn", 1, 0),  # before the span
    faceoff("Ada Venn", "Ben Tull", 1, 100),
    faceoff("Ben Tull", "Ada Venn", 1, 200),
    faceoff("Dee Fane", "Cy Orr", 2, 0),
    faceoff("Cy Orr", "Ada Venn", 2, 300),
    faceoff("Ada Venn", "Cy Orr", 3, 0),
    faceoff("Ada Venn", "Cy Orr", 3, 10),
    faceoff("Ben Tull", "Dee Fane", 3, 20),
    faceoff("Ben Tull", "Dee Fane", 3, 21),  # after the span
]
FACEOFF_SPAN = ([1, "1:40"], [3, "0:20"])


def test_the_player_with_most_faceoffs() -> None:
    assert impact_faceoffs(FACEOFFS, PLAYER_TEAM, *FACEOFF_SPAN) == {
        "player": "Ada Venn",  # five of seven, three won
        "team": "Herons",
        "rate": 57.14,  # four of seven
        "decrease_if_all_lost": 42.86,
        "increase_if_all_won": 28.57,
    }


@pytest.mark.parametrize(
    ("start", "end", "player", "expected"),
    [
        (*FACEOFF_SPAN, "Cy Orr", ("Larks", 42.86, 14.29, 42.86)),
        ([3, "0:00"], [3, "0:10"], "Dee Fane", ("Herons", 100, 0, 0)),  # who took none of them
        ([1, "0:00"], [1, "3:20"], "Ada Venn", ("Herons", 33.33, 33.33, 66.67)),
        ([1, "0:00"], [1, "3:20"], "Ben Tull", ("Larks", 66.67, 66.67, 33.33)),
        ([1, "0:00"], [1, "0:00"], "Ada Venn", ("Herons", 0, 0, 100)),
        ([3, "0:20"], [3, "0:21"], "Ben Tull", ("Larks", 100, 100, 0)),
    ],
)
def test_a_player_may_be_named_for_faceoffs(
    start: list[Any], end: list[Any], player: str, expected: tuple[str, float, float, float]
) -> None:
    names = ("team", "rate", "decrease_if_all_lost", "increase_if_all_won")
    found = impact_faceoffs(FACEOFFS, PLAYER_TEAM, start, end, player=player)
    assert found == {"player": player, **dict(zip(names, expected, strict=True))}


def test_of_several_with_most_faceoffs_the_first_in_alphabetical_order_counts() -> None:
    faceoffs = [faceoff("Dee Fane", "Cy Orr", 1, 0), faceoff("Dee Fane", "Cy Orr", 1, 50)]
    assert impact_faceoffs(faceoffs, PLAYER_TEAM, [1, "0:00"], [1, "1:00"])["player"] == "Cy Orr"


@given(
    st.lists(
        st.tuples(st.booleans(), st.sampled_from(["Ada Venn", "Dee Fane"]), st.sampled_from(["Ben Tull", "Cy Orr"]))
    )
)
def test_all_won_and_all_lost_differ_by_his_share(draws: list[tuple[bool, str, str]]) -> None:
    draws.append((True, "Ada Venn", "Ben Tull"))
    faceoffs = [faceoff(*((one, two) if won else (two, one)), 1, t) for t, (won, one, two) in enumerate(draws)]
    for name in ("Ada Venn", "Ben Tull"):
        found = impact_faceoffs(faceoffs, PLAYER_TEAM, [1, "0:00"], [1, "20:00"], player=name)
        his = sum(name in draw for draw in draws)
        together = found["decrease_if_all_lost"] + found["increase_if_all_won"]
        assert together == pytest.approx(100 * his / len(draws), abs=0.011)
        assert found["decrease_if_all_lost"] <= found["rate"] <= 100


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"start": [2, "1:00"], "end": [2, "2:00"]}, "no faceoff"),
        ({"faceoffs": []}, "no faceoff"),
        ({"start": [3, "0:21"]}, "comes after"),
        ({"end": [3, "20:01"]}, "outside"),
        ({"player": "Nobody Here"}, "has no team"),
        ({"player_team": {"Ada Venn": "Herons"}}, "has no team"),
        ({"player_team": []}, "give a mapping"),
        ({"faceoffs": [{"period": 1, "t": 100, "winner": "Ada Venn"}]}, "no 'loser'"),
    ],
)
def test_faceoffs_of_nobody_are_refused(changed: dict[str, Any], message: str) -> None:
    start, end = FACEOFF_SPAN
    arguments = {"faceoffs": FACEOFFS, "player_team": PLAYER_TEAM, "start": start, "end": end, **changed}
    with pytest.raises(UsageError, match=message):
        impact_faceoffs(**arguments)
