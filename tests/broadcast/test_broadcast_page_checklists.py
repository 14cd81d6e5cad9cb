"""Checklists of generated turns: their items, weights and gates, written again from the tables."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
from page_referee import PAIRS, SPORTS, Turn, all_turns, sport_of

NUMBER = 16
each_pair = pytest.mark.parametrize(("task", "sport"), PAIRS)
each_sport = pytest.mark.parametrize("sport", SPORTS)
impacts = pytest.mark.parametrize("task", ["IR", "TS"])


def weights(turn: Turn) -> list[tuple[str, float]]:
    """What items weigh, in an order that does not depend on that of the checklist."""
    return sorted((item["kind"], round(item["weight"], 9)) for item in turn["checklist"])


def values(turn: Turn, kind: str, *names: str) -> list[tuple[Any, ...]]:
    return [tuple(item[name] for name in names) for item in turn["checklist"] if item["kind"] == kind]


def same(turn: Turn, expected: list[tuple[str, float]]) -> None:
    assert weights(turn) == sorted((kind, round(weight, 9)) for kind, weight in expected)


@each_pair
def test_weights_of_every_judged_turn_add_up_to_one(task: str, sport: str) -> None:
    for _, turn in all_turns(task, sport, number=NUMBER):
        if turn["judged"]:
            assert turn["checklist"]
            assert sum(item["weight"] for item in turn["checklist"]) == pytest.approx(1, abs=1e-9)
            assert all(item["weight"] > 0 for item in turn["checklist"])


@each_pair
def test_item_kinds_are_those_of_the_page(task: str, sport: str) -> None:
    kinds = {
        "IF": {"tag", "words", "sentences", "score", "acrostic", "support", "statistics", "summary"},
        "CR": {"faceoff" if sport == "hockey" else "fact"},
        "IR": {"score", "count", "change", *(("player", "percent") if sport == "hockey" else ("leader", "margin"))},
    }
    kinds["TS"] = kinds["IR"] | {"letter"}
    found = {item["kind"] for _, turn in all_turns(task, sport, number=NUMBER) for item in turn["checklist"]}
    assert found == kinds[task]


@each_sport
def test_told_scores(sport: str) -> None:
    for _, turn in all_turns("IF", sport, "S", NUMBER):
        same(turn, [("tag", 0.1), ("tag", 0.4), ("words", 0.2), ("sentences", 0.2), ("score", 0.05), ("score", 0.05)])
        assert dict(values(turn, "score", "team", "points")) == turn["key"]
        assert turn["gates"] == []


@each_sport
def test_acrostics(sport: str) -> None:
    for _, turn in all_turns("IF", sport, "K", NUMBER):
        same(
            turn,
            [("tag", 0.05), ("tag", 0.25), ("acrostic", 0.1), ("support", 0.1), ("acrostic", 0.25), ("acrostic", 0.25)],
        )
        assert turn["gates"] == []


@each_sport
def test_statistics_with_summary(sport: str) -> None:
    for _, turn in all_turns("IF", sport, "Q", NUMBER):
        lines = [("statistics", (0.1 if turn["gates"] else 0.3) / len(turn["key"])) for _ in turn["key"]]
        if turn["gates"]:
            blocks = [("tag", 0.05), ("tag", 0.25), ("words", 0.05), ("sentences", 0.05)]
            same(turn, [*blocks, *lines, ("summary", 0.25), ("summary", 0.25)])
        else:
            same(turn, [("tag", 0.1), ("tag", 0.4), ("words", 0.1), ("sentences", 0.1), *lines])
        assert [line for (line,) in values(turn, "statistics", "line")] == turn["key"]
        assert len(turn["key"]) == 2


@each_sport
def test_judged_items_are_two_percent(sport: str) -> None:
    """Of all points, problems apart."""
    points = {True: 0.0, False: 0.0}
    for task in ("IF", "CR", "IR", "TS"):
        turns = [turn for _, turn in all_turns(task, sport, number=NUMBER) if turn["judged"] and turn["kind"] != "M"]
        for turn in turns:
            for item in turn["checklist"]:
                judged = item["kind"] == "support" or (item["kind"], item.get("part")) == ("summary", "true")
                points[judged] += item["weight"]
    assert points[True] / sum(points.values()) == pytest.approx(0.02, abs=0.002)


def test_points_of_a_moment() -> None:
    for _, turn in all_turns("CR", "basketball", "A", NUMBER):
        n = len(turn["key"])
        same(turn, [("fact", 0.5 / n)] * (2 * n))
        told = Counter(values(turn, "fact", "player", "points", "period", "clock"))
        assert told == Counter({key: 2 * times for key, times in Counter(map(tuple, turn["key"])).items()})
        assert len(turn["gates"]) == 1


def test_faceoffs_of_a_moment() -> None:
    for _, turn in all_turns("CR", "hockey", "A", NUMBER):
        n = len(turn["key"])
        same(turn, [("faceoff", 1 / (3 * n))] * (3 * n))
        told = Counter(values(turn, "faceoff", "winner", "loser", "period", "clock"))
        assert told == Counter({key: 3 * times for key, times in Counter(map(tuple, turn["key"])).items()})
        assert len(turn["gates"]) == 1


@each_sport
def test_intervals(sport: str) -> None:
    hockey = sport == "hockey"
    kind, names = ("faceoff", ("winner", "loser")) if hockey else ("fact", ("player", "points"))
    for _, turn in all_turns("CR", sport, "I", NUMBER):
        same(turn, [(kind, 1 / len(turn["key"]))] * len(turn["key"]))
        assert [list(told) for told in values(turn, kind, *names, "period", "clock")] == turn["key"]
        assert len(turn["gates"]) == 1


@impacts
@each_sport
def test_changes(task: str, sport: str) -> None:
    for _, turn in all_turns(task, sport, "L", NUMBER):
        n = len(turn["key"])
        same(turn, [("count", 0.2), *[("change", 0.8 / n)] * n])
        assert values(turn, "count", "n") == [(n,)]
        expected = [(turn["period"], clock, team) for clock, team in turn["key"]]
        assert values(turn, "change", "period", "clock", "leader") == expected
        assert len(turn["gates"]) == 1


@impacts
def test_impacts_on_the_score(task: str) -> None:
    for _, turn in all_turns(task, "basketball", "TH", NUMBER):
        same(turn, [("leader", 0.25), ("leader", 0.25), ("margin", 0.25), ("margin", 0.25)])
        expected = [turn["key"]["no_ft"], turn["key"]["no_goals"]]
        assert values(turn, "leader", "team") == [("tie" if team == "Tie" else team,) for team, _ in expected]
        assert values(turn, "margin", "n") == [(margin,) for _, margin in expected]
        assert len(turn["gates"]) == (turn["kind"] == "T")


@impacts
def test_impacts_on_faceoffs(task: str) -> None:
    for _, turn in all_turns(task, "hockey", "TH", NUMBER):
        key = turn["key"]
        if turn["kind"] == "T":
            same(turn, [("player", 0.5), ("percent", 0.5)])
            assert values(turn, "player", "player") == [(key["player"],)]
            assert values(turn, "percent", "value") == [(key["decrease_if_all_lost"],)]
        else:
            same(turn, [("percent", 1.0)])
            assert values(turn, "percent", "value") == [(key["increase_if_all_won"],)]
        assert turn["gates"] == []


@impacts
@each_sport
def test_the_last_score(task: str, sport: str) -> None:
    for found, turn in all_turns(task, sport, "S", NUMBER):
        if turn["judged"]:
            assert turn["number"] > len(found["turns"]) - 4
            same(turn, [("score", 0.5), ("score", 0.5)])
            assert dict(values(turn, "score", "team", "points")) == turn["key"]
            assert turn["gates"] == []


@each_sport
def test_problems(sport: str) -> None:
    for _, turn in all_turns("TS", sport, "M", NUMBER):
        same(turn, [("letter", 1.0)])
        assert values(turn, "letter", "letter") == [(turn["key"],)]
        assert turn["key"] in "ABCDE"
        assert sport_of(turn) == sport


def test_ties_have_items() -> None:
    ties = [
        turn
        for task in ("IR", "TS")
        for _, turn in all_turns(task, "basketball", "TH", 40)
        if "Tie" in (turn["key"]["no_ft"][0], turn["key"]["no_goals"][0])
    ]
    assert ties
    for turn in ties:
        leaders = [team for (team,) in values(turn, "leader", "team")]
        margins = [n for (n,) in values(turn, "margin", "n")]
        assert [team == "tie" for team in leaders] == [n == 0 for n in margins]
