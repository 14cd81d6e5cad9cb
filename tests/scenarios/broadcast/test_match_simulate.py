"""Matches of both sports: their shape, their clocks, their words, and that a seed determines every byte."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections import Counter
from hashlib import sha256
from typing import Any

import pytest
from broadcast_matches import LENGTHS, MATCHES, NAME, PERIODS, count_changes, events_of, matches, running_scores

from evolif.errors import ArgumentError, UsageError
from evolif.scenarios.broadcast import format_clock, lead_changes, parse_clock, row_points, score_from_rows, simulate
from evolif.scenarios.broadcast.events import faceoffs_between
from evolif.scenarios.broadcast.match import KINDS
from evolif.util.rng import Purpose

sports = pytest.mark.parametrize("sport", ["basketball", "hockey"])
KEYS = ["period", "t", "clock", "kind", "team", "player", "pts", "other", "text"]


def digest(match: dict[str, Any]) -> str:
    return sha256(json.dumps(match).encode()).hexdigest()


@pytest.mark.parametrize(
    ("sport", "settings", "start"),
    [
        ("basketball", {"match_edition": 1}, "8370584c85aad2f1"),
        ("hockey", {"match_edition": 1}, "1283e0685e2eb757"),
        ("hockey", {"series": "CR", "match_edition": 1}, "67db77103163e8f1"),
        ("basketball", {}, "9d958c8e74b15650"),
        ("hockey", {}, "c21cb8909d24f486"),
        ("hockey", {"series": "CR"}, "185da88bf1799a21"),
    ],
)
def test_the_bytes_of_a_match_never_change(sport: str, settings: dict[str, Any], start: str) -> None:
    assert digest(simulate(sport, 3, seed=5, **settings))[:16] == start


@pytest.mark.slow
def test_the_bytes_do_not_depend_on_the_process() -> None:
    code = (
        "import json; from evolif.scenarios.broadcast import simulate; "
        "print(json.dumps([simulate('basketball', 1, seed=2), simulate('hockey', 1, seed=2)]))"
    )
    outputs = {
        subprocess.run(
            [sys.executable, "-c", code],
            env={**os.environ, "PYTHONHASHSEED": salt},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for salt in ("1", "2")
    }
    assert outputs == {json.dumps([simulate("basketball", 1, seed=2), simulate("hockey", 1, seed=2)]) + "\n"}


@sports
def test_other_numbers_seeds_and_series_are_other_matches(sport: str) -> None:
    made = [simulate(sport, 0, seed=1), simulate(sport, 1, seed=1), simulate(sport, 0, seed=2)]
    made += [simulate(sport, 0, seed=1, series=series) for series in ("IF", "CR")]
    assert len({digest(match | {"number": 0}) for match in made}) == len(made)
    assert simulate(sport, 0, seed=1, series="") == made[0]


def test_the_stream_of_broadcasts_keeps_its_number() -> None:
    assert [purpose for purpose in Purpose if purpose == 13] == [Purpose.BROADCAST]


@pytest.mark.slow
@sports
def test_a_match_has_its_keys(sport: str) -> None:
    for number, match in enumerate(matches(sport)):
        keys = ["sport", "number", "teams", "roster", "lineups", "player_team", "events", "faceoffs"]
        assert list(match) == keys
        assert (match["sport"], match["number"]) == (sport, number)
        assert json.loads(json.dumps(match)) == match
        assert list(match["roster"]) == list(match["lineups"]) == match["teams"]
        assert match["player_team"] == {player: team for team in match["teams"] for player in match["roster"][team]}
        assert all(list(event) == KEYS for event in match["events"])


@sports
def test_each_kind_occurs_and_no_other(sport: str) -> None:
    assert {event["kind"] for match in matches(sport) for event in match["events"]} == set(KINDS[sport])


@sports
def test_events_are_in_order_within_their_periods(sport: str) -> None:
    for match in matches(sport):
        moments = [(event["period"], event["t"]) for event in match["events"]]
        assert moments == sorted(moments)
        assert {period for period, _ in moments} == set(range(1, PERIODS[sport] + 1))
        assert all(0 <= t <= LENGTHS[sport] for _, t in moments)


@sports
def test_every_period_starts_and_ends(sport: str) -> None:
    last = PERIODS[sport]
    label = "Q" if sport == "basketball" else "P"
    for match in matches(sport):
        for period in range(1, last + 1):
            events = events_of(match, period)
            first, end = events[0], events[-1]
            assert (first["t"], first["text"]) == (0, f"Start of {label}{period}")
            told = f"End of {label}{period}" if period < last else "End of the match"
            assert (end["t"], end["text"]) == (LENGTHS[sport], told)
            assert [event["kind"] for event in events].count("start") == 1
            assert [event["kind"] for event in events].count("end") == 1


@sports
def test_a_clock_says_the_time_of_its_event(sport: str) -> None:
    for match in matches(sport)[:50]:
        for event in match["events"]:
            assert event["clock"] == format_clock(event["t"], sport)
            assert parse_clock(event["clock"], sport) == event["t"]


@sports
def test_events_lie_on_seconds_and_tenths_only_in_the_last_minute_of_basketball(sport: str) -> None:
    tenths = 0
    for match in matches(sport):
        for event in match["events"]:
            t = event["t"]
            if sport == "hockey" or t <= 660:
                assert isinstance(t, int)
            else:
                assert round(t, 1) == t
                tenths += t != int(t)
    assert (tenths > 0) == (sport == "basketball")


@sports
def test_rows_are_one_line_without_tabs(sport: str) -> None:
    texts = {event["text"] for match in matches(sport) for event in match["events"]}
    assert all(text and text == text.strip() and text.isprintable() for text in texts)


@sports
def test_points_and_score_follow_from_the_words_alone(sport: str) -> None:
    for match in matches(sport):
        for event in match["events"]:
            assert row_points(event["text"], sport) == event["pts"]
            if event["pts"]:
                assert event["text"].startswith(event["player"] + " ")
        rows = [f"{event['clock']}\t{event['text']}" for event in match["events"]]
        score = score_from_rows(rows, match["teams"], match["roster"], sport)
        assert tuple(score.values()) == running_scores(match)[-1]


@sports
def test_points_of_the_players_add_up_to_those_of_their_team(sport: str) -> None:
    for match in matches(sport):
        points: Counter[str] = Counter()
        for event in match["events"]:
            points[event["player"]] += event["pts"]
        totals = [sum(points[player] for player in match["roster"][team]) for team in match["teams"]]
        assert tuple(totals) == running_scores(match)[-1]


@sports
def test_rows_name_whom_their_events_name(sport: str) -> None:
    for match in matches(sport):
        for event in match["events"]:
            named = [name for name in re.findall(NAME, event["text"]) if name in match["player_team"]]
            if event["player"] is None:
                assert named == []
                continue
            assert named[0] == event["player"] and event["text"].startswith(event["player"])
            assert match["player_team"][event["player"]] == event["team"]
            silent = event["kind"].startswith("foul_")
            assert event["other"] in match["player_team"] if silent else event["other"] in [*named[1:2], None]
            assert len(set(named)) == len(named)


@sports
def test_who_starts_is_on_the_roster(sport: str) -> None:
    for match in matches(sport):
        for team in match["teams"]:
            starters = match["lineups"][team]
            assert len(starters) == len(set(starters)) == {"basketball": 5, "hockey": 6}[sport]
            assert set(starters) <= set(match["roster"][team])


@sports
def test_level_scores_and_changes_of_the_lead_occur(sport: str) -> None:
    level = changed = 0
    for match in matches(sport):
        level += any(home == away > 0 for home, away in running_scores(match))
        changed += count_changes(match) > 0
    assert level > MATCHES / 2
    assert changed > MATCHES / (2 if sport == "basketball" else 4)


@sports
def test_changes_of_the_lead_are_those_of_the_key(sport: str) -> None:
    for match in matches(sport)[:50]:
        periods = range(1, PERIODS[sport] + 1)
        changes = sum(len(lead_changes(match["events"], match["teams"], period)) for period in periods)
        assert changes == count_changes(match)


def test_faceoffs_are_the_faceoff_events() -> None:
    for match in matches("hockey"):
        events = [event for event in match["events"] if event["kind"] == "faceoff"]
        assert match["faceoffs"] == [
            {"period": event["period"], "t": event["t"], "winner": event["player"], "loser": event["other"]}
            for event in events
        ]
        keys = faceoffs_between(match["faceoffs"], [1, "0:00"], [3, "20:00"])
        assert keys == [[event["player"], event["other"], event["period"], event["clock"]] for event in events]
    assert all(match["faceoffs"] == [] for match in matches("basketball"))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: simulate("curling", 0, seed=1), "curling"),
        (lambda: simulate("Basketball", 0, seed=1), "Basketball"),
        (lambda: simulate(3, 0, seed=1), "3"),
        (lambda: simulate("hockey", -1, seed=1), "number is -1"),
        (lambda: simulate("hockey", True, seed=1), "number is True"),
        (lambda: simulate("hockey", 0, seed=-1), "seed is -1"),
        (lambda: simulate("hockey", 0, seed=1, overtime=True), "overtime.*there is series"),
        (lambda: simulate("hockey", 0, seed=1, series=3), "series"),
        (lambda: simulate("hockey", 0, seed=1, series="x" * 101), "series"),
    ],
)
def test_bad_arguments_are_refused(call: Any, message: str) -> None:
    with pytest.raises(UsageError, match=message) as caught:
        call()
    assert isinstance(caught.value, ArgumentError)
