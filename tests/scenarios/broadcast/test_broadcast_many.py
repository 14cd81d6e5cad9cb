"""Keys of questions, reckoned again from the rows of the messages alone, and what each question must satisfy."""

from __future__ import annotations

import re
from itertools import chain
from statistics import fmean
from typing import Any

import pytest
from page_referee import (
    LABEL,
    LENGTH,
    SPORTS,
    Turn,
    air_time,
    all_turns,
    changes,
    counted,
    faced,
    faceoff_impact,
    inside,
    moment,
    point_impact,
    rows,
    shooting,
    shown,
    watch,
)

each_sport = pytest.mark.parametrize("sport", SPORTS)
each_number = pytest.mark.parametrize("number", [24, pytest.param(100, marks=pytest.mark.slow)])
"""Of dialogues."""
impacts = pytest.mark.parametrize("task", ["IR", "TS"])


def told(at: list[Any], sport: str) -> str:
    return f"{LABEL[sport]}{at[0]} {at[1]}"


def shared(turn: Turn) -> dict[str, Any]:
    found: dict[str, Any] = turn["question"]
    return found


@pytest.mark.slow
@each_number
@each_sport
def test_anchored_events(sport: str, number: int) -> None:
    for found, turn in all_turns("CR", sport, "A", number):
        match = counted(watch(found["turns"][: turn["number"]]), sport)
        question = shared(turn)
        anchor = moment(question["anchor"], sport)
        there = [row for row in match if row.at == anchor and question["player"] in (row.player, row.won, row.lost)]
        assert len(there) == 1
        assert told(question["anchor"], sport) in turn["message"]
        assert question["player"] in turn["message"]
        target = air_time(anchor, sport) + question["delta"]
        at_target = [row for row in match if abs(air_time(row.at, sport) - target) < 0.05]
        assert at_target
        assert turn["key"] == [shown(row) for row in at_target]
        assert question["delta"] >= 60
        assert there[0] not in at_target
        assert turn["distance"] == turn["period"] - at_target[0].at[0]


@each_number
@each_sport
def test_a_target_is_no_break(sport: str, number: int) -> None:
    for _, turn in all_turns("CR", sport, "A", number):
        question = shared(turn)
        after = air_time(moment(question["anchor"], sport), sport) + question["delta"]
        assert after % (LENGTH[sport] + 120) <= LENGTH[sport]


@each_number
@each_sport
def test_a_delta_is_said_in_minutes_and_seconds(sport: str, number: int) -> None:
    for _, turn in all_turns("CR", sport, "A", number):
        words = turn["message"].rpartition("=== end")[2] or turn["message"]
        minutes = re.search(r"(\d+) minutes?\b", words)
        seconds = re.search(r"(\d+(?:\.\d)?) seconds?\b", words)
        assert minutes or seconds
        said = (60 * int(minutes[1]) if minutes else 0) + (float(seconds[1]) if seconds else 0)
        assert said == pytest.approx(shared(turn)["delta"], abs=1e-6)
        assert not re.search(r"\d\.\d\d", turn["message"])


@each_number
@each_sport
def test_intervals(sport: str, number: int) -> None:
    for found, turn in all_turns("CR", sport, "I", number):
        match = counted(watch(found["turns"][: turn["number"]]), sport)
        question = shared(turn)
        assert told(question["start"], sport) in turn["message"]
        assert told(question["end"], sport) in turn["message"]
        assert turn["key"] == [shown(row) for row in inside(match, question, sport)]
        assert 5 <= len(turn["key"]) <= 25
        assert turn["distance"] == turn["period"] - question["end"][0]
        assert question["start"][0] <= question["end"][0] <= turn["period"]


@pytest.mark.slow
@each_number
@impacts
@each_sport
def test_changes_of_the_lead(task: str, sport: str, number: int) -> None:
    for found, turn in all_turns(task, sport, "L", number):
        match = watch(found["turns"])
        assert turn["key"] == changes(match, turn, turn["period"])
        assert turn["key"]
        assert turn["distance"] == 0


@pytest.mark.slow
@each_number
@impacts
def test_the_impact_on_the_score(task: str, number: int) -> None:
    for found, turn in all_turns(task, "basketball", "TH", number):
        match = watch(found["turns"])
        question = shared(turn)
        player = question["player"] if turn["kind"] == "H" else None
        assert turn["key"] == point_impact(match, turn, player)
        for at in (question["start"], question["end"], question["at"]):
            assert told(at, "basketball") in turn["message"]
        span = [row for row in inside(match, question, "basketball") if row.points]
        if turn["kind"] == "T":
            assert len(span) >= 5
            assert turn["key"]["player"] not in turn["message"]
        else:
            assert any(row.player == player for row in span)
            assert player is not None
            assert player in turn["message"]
        assert turn["distance"] == turn["period"] - question["end"][0]
        assert moment(question["end"], "basketball") <= (turn["period"], LENGTH["basketball"])
        assert moment(question["at"], "basketball") <= (turn["period"], LENGTH["basketball"])


@each_number
@impacts
def test_the_impact_on_faceoffs(task: str, number: int) -> None:
    for found, turn in all_turns(task, "hockey", "TH", number):
        match = watch(found["turns"])
        question = shared(turn)
        player = question["player"] if turn["kind"] == "H" else None
        assert turn["key"] == faceoff_impact(match, turn, player)
        for at in (question["start"], question["end"]):
            assert told(at, "hockey") in turn["message"]
        span = [row for row in inside(match, question, "hockey") if row.won]
        assert len(span) >= 5
        if turn["kind"] == "H":
            assert player is not None
            assert player in turn["message"]
            assert any(player in (row.won, row.lost) for row in span)
        assert turn["distance"] == turn["period"] - question["end"][0]


@each_number
@impacts
def test_half_of_the_cases_differ(task: str, number: int) -> None:
    turns = [turn for _, turn in all_turns(task, "basketball", "TH", number)]
    assert fmean(turn["key"]["no_ft"] != turn["key"]["no_goals"] for turn in turns) >= 0.5


@pytest.mark.slow
@each_number
@impacts
def test_half_of_the_named_players_made_a_free_throw(task: str, number: int) -> None:
    made = []
    for found, turn in all_turns(task, "basketball", "H", number):
        span = inside(watch(found["turns"]), shared(turn), "basketball")
        made.append(any(row.player == turn["key"]["player"] and row.points == 1 for row in span))
    assert fmean(made) >= 0.45


@each_number
def test_of_equal_players_the_first_by_alphabet_is_asked_for(number: int) -> None:
    for found, _ in all_turns("IR", "basketball", "T", number):
        assert "of players with equal points take the first by full name in alphabetical order" in found["system"]


@each_number
@each_sport
def test_the_first_break_asks_about_the_first_period(sport: str, number: int) -> None:
    for task, kinds in (("CR", "AI"), ("IR", "LTH")):
        turns = [turn for _, turn in all_turns(task, sport, kinds, number) if turn["period"] == 1]
        assert {turn["distance"] for turn in turns} == {0}


@each_number
@each_sport
def test_turns_and_tokens_between_are_stored(sport: str, number: int) -> None:
    for found, turn in chain(all_turns("CR", sport, "AI", number), all_turns("IR", sport, "TH", number)):
        evidence = turn["evidence"]
        assert 0 <= evidence["turns"] < len(found["turns"])
        assert evidence["tokens"] >= 0
        if turn["distance"] >= 1:
            assert evidence["turns"] >= 3


@each_number
@each_sport
def test_turns_between_target_and_question(sport: str, number: int) -> None:
    for found, turn in all_turns("CR", sport, "A", number):
        *_, period, clock = turn["key"][0]
        brought = [
            earlier["number"]
            for earlier in found["turns"]
            if earlier["period"] == period and any(row[0] == clock for row in rows(earlier["message"]))
        ]
        assert turn["number"] - turn["evidence"]["turns"] - 1 in brought


@pytest.mark.slow
@each_number
@each_sport
def test_statistics(sport: str, number: int) -> None:
    for found, turn in all_turns("IF", sport, "Q", number):
        match = watch(found["turns"])
        hockey = sport == "hockey"
        lines = faced(match, turn["period"]) if hockey else shooting(match, turn, turn["period"])
        for line in turn["key"]:
            expected = lines[line["player"]]
            assert {name: line[name] for name in expected} == expected


@pytest.mark.slow
@each_number
@each_sport
def test_statistics_are_of_the_two_best(sport: str, number: int) -> None:
    for found, turn in all_turns("IF", sport, "Q", number):
        match = watch(found["turns"])
        hockey = sport == "hockey"
        lines = faced(match, turn["period"]) if hockey else shooting(match, turn, turn["period"])
        measure = "taken" if hockey else "points"
        asked = [line["player"] for line in turn["key"]]
        assert len(set(asked)) == 2
        among = set(asked)
        pools = [set(lines), *({p for p in lines if p in players} for players in turn["names"]["roster"].values())]
        tops = [sorted((lines[p][measure] for p in pool), reverse=True)[:2] for pool in pools if among <= pool]
        assert sorted((line[measure] for line in turn["key"]), reverse=True) in tops
