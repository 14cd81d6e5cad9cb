"""Simulated basketball: the rows' forms, the rules of play, and how much of everything there is."""

from __future__ import annotations

import re
from collections import Counter
from functools import cache
from itertools import pairwise
from statistics import fmean
from typing import Any

import pytest
from broadcast_matches import FOOTED, MATCHES, NAME, Match, count_changes, events_of, matches, people_in, running_scores

FORMS = {
    "two_made": rf"{NAME} makes (?:{FOOTED} )?two point [a-z -]+?(?: \({NAME} assists\))?",
    "three_made": rf"{NAME} makes {FOOTED} three point [a-z -]+?(?: \({NAME} assists\))?",
    "two_missed": rf"{NAME} misses (?:{FOOTED} )?two point [a-z -]+",
    "three_missed": rf"{NAME} misses {FOOTED} three point [a-z -]+",
    "two_blocked": rf"{NAME} blocks {NAME}'s (?:{FOOTED} )?two point [a-z -]+",
    "three_blocked": rf"{NAME} blocks {NAME}'s {FOOTED} three point [a-z -]+",
    "free_made": rf"{NAME} makes free throw (?:1 of [123]|2 of [23]|3 of 3)",
    "free_missed": rf"{NAME} misses free throw (?:1 of [123]|2 of [23]|3 of 3)",
    "rebound_defensive": rf"{NAME} defensive rebound",
    "rebound_offensive": rf"{NAME} offensive rebound",
    "team_rebound": "[A-Z][a-z]+ offensive team rebound",
    "bad_pass": rf"{NAME} bad pass \({NAME} steals\)",
    "lost_ball": rf"{NAME} lost ball \({NAME} steals\)",
    "traveling": rf"{NAME} traveling",
    "shot_clock": "[A-Z][a-z]+ shot clock turnover",
    "foul_shooting": rf"{NAME} shooting foul",
    "foul_personal": rf"{NAME} personal foul",
    "foul_offensive": rf"{NAME} offensive foul",
    "substitution": rf"{NAME} enters the game for {NAME}",
    "timeout": "[A-Z][a-z]+ timeout",
    "jump_ball": rf"{NAME} vs\. {NAME} \({NAME} gains possession\)",
    "start": "Start of Q[1-4]",
    "end": "End of (?:Q[1-3]|the match)",
}
REBOUNDS = {"rebound_defensive", "rebound_offensive", "team_rebound"}
PAUSES = {"substitution", "timeout", "start", "end"}
ATTEMPTS = {f"{shot}_{end}" for shot in ("two", "three") for end in ("made", "missed", "blocked")}
TURNOVERS = {"bad_pass", "lost_ball", "traveling", "shot_clock"}


def other_team(match: Match, team: str) -> str:
    [other] = set(match["teams"]) - {team}
    return other


def attacks(match: Match, event: dict[str, Any]) -> str | None:
    """The team that has the ball before an event, as far as the event tells."""
    kind = event["kind"]
    if kind in {"two_blocked", "three_blocked", "foul_shooting", "foul_personal"}:
        return other_team(match, event["team"])
    told = kind in ATTEMPTS | TURNOVERS or kind.startswith("free_") or kind == "foul_offensive"
    return str(event["team"]) if told else None


@cache
def rows() -> list[tuple[Match, dict[str, Any], list[dict[str, Any]]]]:
    """Each event with its match and what follows in its period."""
    found = []
    for match in matches("basketball"):
        for period in (1, 2, 3, 4):
            events = events_of(match, period)
            found += [(match, event, events[at + 1 :]) for at, event in enumerate(events)]
    return found


def test_each_row_has_the_form_of_its_kind() -> None:
    assert {event["text"] for _, event, _ in rows() if not re.fullmatch(FORMS[event["kind"]], event["text"])} == set()


def test_teams_are_called_by_their_nickname_where_no_player_acts() -> None:
    for _, event, _ in rows():
        if event["kind"] in {"team_rebound", "shot_clock", "timeout"}:
            assert event["player"] is None
            assert event["text"].split()[0] == event["team"].split()[-1]


def test_points_follow_from_the_kind() -> None:
    points = {"two_made": 2, "three_made": 3, "free_made": 1}
    assert all(event["pts"] == points.get(event["kind"], 0) for _, event, _ in rows())


def test_distances_agree_with_what_a_shot_counts() -> None:
    seen = set()
    for _, event, _ in rows():
        if event["kind"] in ATTEMPTS and (found := re.search("([0-9]+)-foot", event["text"])):
            distance = int(found[1])
            assert distance >= 22 if event["kind"].startswith("three") else 1 <= distance <= 22
            seen.add(distance)
    assert min(seen) == 1 and max(seen) > 28


def test_a_basket_gives_the_other_team_the_ball() -> None:
    for match, event, following in rows():
        if event["kind"] not in {"two_made", "three_made"}:
            continue
        if "1 of 1" in "".join(one["text"] for one in following[:2]):
            continue
        later = [team for one in following if (team := attacks(match, one))]
        assert later[:1] in ([], [other_team(match, event["team"])])


def test_a_miss_and_the_last_missed_free_throw_lead_to_a_rebound() -> None:
    for match, event, following in rows():
        missed = event["kind"].endswith(("_missed", "_blocked"))
        first, *_ = following or [event]
        number = re.search("free throw ([0-9]) of ([0-9])", event["text"])
        if missed and (number is None or number[1] == number[2]):
            assert first["kind"] in REBOUNDS
            own = attacks(match, event)
            assert (first["team"] == own) == (first["kind"] != "rebound_defensive")
        else:
            assert first["kind"] not in REBOUNDS


def test_who_gets_the_rebound_attacks_next() -> None:
    for match, event, following in rows():
        if event["kind"] in REBOUNDS:
            later = [team for one in following if (team := attacks(match, one))]
            assert later[:1] in ([], [event["team"]])


def test_a_turnover_gives_the_other_team_the_ball() -> None:
    for match, event, following in rows():
        if event["kind"] in TURNOVERS or event["kind"] == "foul_offensive":
            later = [team for one in following if (team := attacks(match, one))]
            assert later[:1] in ([], [other_team(match, event["team"])])


def test_a_steal_and_a_block_are_the_other_teams() -> None:
    for match, event, _ in rows():
        if event["kind"] in {"bad_pass", "lost_ball", "two_blocked", "three_blocked", "foul_shooting", "foul_personal"}:
            assert match["player_team"][event["other"]] != event["team"]
        elif event["kind"] in {"two_made", "three_made", "substitution"} and event["other"]:
            assert match["player_team"][event["other"]] == event["team"]


def test_free_throws_follow_their_foul_with_the_same_clock() -> None:
    for match in matches("basketball"):
        for before, event in pairwise(match["events"]):
            number = re.search("free throw ([0-9]) of ([0-9])", event["text"])
            if number is None:
                assert not re.search("free throw 1 of [23]|free throw 2 of 3", before["text"])
                continue
            assert (before["period"], before["t"], before["clock"]) == (event["period"], event["t"], event["clock"])
            if number[1] == "1":
                assert before["kind"] in {"foul_shooting", "foul_personal"}
                assert before["other"] == event["player"] and before["team"] != event["team"]
            else:
                assert before["player"] == event["player"]
                assert f"free throw {int(number[1]) - 1} of {number[2]}" in before["text"]


def test_a_basket_with_a_foul_has_one_free_throw() -> None:
    single = 0
    for match in matches("basketball"):
        for first, second, third in zip(match["events"], match["events"][1:], match["events"][2:], strict=False):
            one = third["text"].endswith("1 of 1")
            single += one
            basket = first["kind"] in {"two_made", "three_made"} and second["kind"] == "foul_shooting"
            assert one == (basket and second["other"] == first["player"])
    assert single > MATCHES


def test_personal_fouls_give_free_throws_from_the_fifth_of_a_team_on() -> None:
    for match in matches("basketball"):
        for period in (1, 2, 3, 4):
            fouls: Counter[str] = Counter()
            for event, after in pairwise(events_of(match, period)):
                if event["kind"] in {"foul_shooting", "foul_personal"}:
                    fouls[event["team"]] += 1
                    thrown = " free throw 1 of " in after["text"]
                    assert thrown == (event["kind"] == "foul_shooting" or fouls[event["team"]] >= 5)


def test_five_are_on_the_court_and_only_they_act() -> None:
    for match in matches("basketball"):
        court = {team: set(match["lineups"][team]) for team in match["teams"]}
        for event in match["events"]:
            if event["kind"] == "substitution":
                own = court[event["team"]]
                assert event["other"] in own and event["player"] not in own
                assert event["player"] in match["roster"][event["team"]]
                own.remove(event["other"])
                own.add(event["player"])
                assert len(own) == 5
                continue
            acting = [*people_in(match, event), event["other"]]
            assert {player for player in acting if player} <= court[match["teams"][0]] | court[match["teams"][1]]


def test_nobody_enters_and_leaves_at_one_moment() -> None:
    for match in matches("basketball"):
        moved: Counter[tuple[int, float, str]] = Counter()
        for event in match["events"]:
            if event["kind"] == "substitution":
                moved.update((event["period"], event["t"], player) for player in (event["player"], event["other"]))
        assert set(moved.values()) <= {1}


def test_players_change_only_while_the_game_stands_still() -> None:
    stops = PAUSES | {"traveling", "shot_clock", "free_made", "foul_personal", "foul_offensive"}
    for match in matches("basketball"):
        for before, event in pairwise(match["events"]):
            if event["kind"] == "substitution":
                assert before["kind"] in stops and before["t"] == event["t"]


def test_nobody_fouls_six_times_and_no_team_takes_eight_timeouts() -> None:
    for match in matches("basketball"):
        fouls = Counter(event["player"] for event in match["events"] if event["kind"].startswith("foul_"))
        timeouts = Counter(event["team"] for event in match["events"] if event["kind"] == "timeout")
        assert max(fouls.values()) < 6 and max(timeouts.values(), default=0) < 8


def test_the_shot_clock_runs_out_after_twenty_four_seconds() -> None:
    for match in matches("basketball"):
        for before, event in pairwise(match["events"]):
            if event["kind"] == "shot_clock":
                assert event["t"] - before["t"] > 23


def test_one_jump_ball_opens_the_match() -> None:
    for match in matches("basketball"):
        jumps = [event for event in match["events"] if event["kind"] == "jump_ball"]
        assert jumps == [match["events"][1]]
        home, away, gets = people_in(match, jumps[0])
        assert [match["player_team"][player] for player in (home, away)] == match["teams"]
        assert gets not in (home, away)
        first = next(team for event in match["events"][2:] if (team := attacks(match, event)))
        assert first == match["player_team"][gets]


def test_teams_have_ten_to_thirteen_players() -> None:
    sizes = {len(players) for match in matches("basketball") for players in match["roster"].values()}
    assert sizes == {10, 11, 12, 13}


def test_no_match_ends_level() -> None:
    assert all(len(set(running_scores(match)[-1])) == 2 for match in matches("basketball"))


def test_two_thirds_of_the_matches_have_two_changes_of_the_lead() -> None:
    assert sum(count_changes(match) >= 2 for match in matches("basketball")) >= MATCHES * 2 / 3


def quarter_points(match: Match, period: int) -> list[int]:
    events = events_of(match, period)
    return [sum(event["pts"] for event in events if event["team"] == team) for team in match["teams"]]


def test_points_and_rows_stay_in_the_measured_ranges() -> None:
    for match in matches("basketball"):
        assert all(86 <= points <= 148 for points in running_scores(match)[-1])
        for period in (1, 2, 3, 4):
            assert 90 <= len(events_of(match, period)) <= 158
            assert all(12 <= points <= 46 for points in quarter_points(match, period))


def spread(values: list[int]) -> float:
    mean = fmean(values)
    return fmean([(value - mean) ** 2 for value in values]) ** 0.5


def test_points_vary_as_measured() -> None:
    totals = [points for match in matches("basketball") for points in running_scores(match)[-1]]
    played = [(match, period) for match in matches("basketball") for period in (1, 2, 3, 4)]
    quarters = [points for match, period in played for points in quarter_points(match, period)]
    assert fmean(totals) == pytest.approx(111.6, rel=0.05) and spread(totals) == pytest.approx(15, rel=0.15)
    assert fmean(quarters) == pytest.approx(27.9, rel=0.05) and spread(quarters) == pytest.approx(6.3, rel=0.1)


MEANS = {
    "rows": (474, 0.05),
    "two_made": (58, 0.05),
    "two_missed": (41, 0.05),
    "three_made": (25, 0.05),
    "three_missed": (48, 0.05),
    "free_made": (32, 0.05),
    "free_missed": (10, 0.05),
    "blocked": (8, 0.1),
    "rebound_defensive": (71, 0.05),
    "rebound_of_the_attack": (35, 0.05),
    "turnovers": (30, 0.05),
    "steals": (17, 0.05),
    "fouls": (37, 0.05),
    "substitution": (57, 0.05),
    "timeout": (12, 0.1),
}


@pytest.mark.sampled
@pytest.mark.parametrize("name", MEANS)
def test_means_are_those_of_public_matches(name: str) -> None:
    counts = Counter(event["kind"] for _, event, _ in rows())
    counts["rows"] = len(rows())
    counts["blocked"] = counts["two_blocked"] + counts["three_blocked"]
    counts["rebound_of_the_attack"] = counts["rebound_offensive"] + counts["team_rebound"]
    counts["turnovers"] = sum(counts[kind] for kind in TURNOVERS)
    counts["steals"] = counts["bad_pass"] + counts["lost_ball"]
    counts["fouls"] = sum(counts[kind] for kind in FORMS if kind.startswith("foul_"))
    wanted, tolerance = MEANS[name]
    assert counts[name] / MATCHES == pytest.approx(wanted, rel=tolerance)


def test_assists_gaps_and_shared_seconds_are_those_of_public_matches() -> None:
    baskets = [event for _, event, _ in rows() if event["kind"] in {"two_made", "three_made"}]
    assert fmean(event["other"] is not None for event in baskets) == pytest.approx(0.64, rel=0.05)
    gaps = [following[0]["t"] - event["t"] for _, event, following in rows() if following]
    assert fmean(gaps) == pytest.approx(6.1, rel=0.05)
    assert fmean(gap == 0 for gap in gaps) == pytest.approx(0.3, rel=0.05)
