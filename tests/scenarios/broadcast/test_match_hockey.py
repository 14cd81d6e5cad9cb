"""Simulated hockey: the rows' forms, the rules of play, and how much of everything there is."""

from __future__ import annotations

import re
from collections import Counter
from itertools import pairwise

import pytest
from broadcast_matches import MATCHES, NAME, count_changes, events_of, matches, people_in, running_scores

SHOT = "(?:wrist shot|slap shot|snap shot|backhand|deflection|tip-in)"
FORMS = {
    "faceoff": rf"{NAME} wins faceoff against {NAME}",
    "goal": rf"{NAME} goal \([1-9][0-9]*\) {SHOT}, assists: "
    rf"(?:none|{NAME} \([1-9][0-9]*\)(?:, {NAME} \([1-9][0-9]*\))?)",
    "shot_saved": rf"{NAME} {SHOT} saved by {NAME}",
    "shot_wide": rf"{NAME} {SHOT} wide (?:left|right)",
    "shot_blocked": rf"{NAME} {SHOT} blocked by {NAME}",
    "hit": rf"{NAME} hits {NAME}",
    "giveaway": rf"{NAME} giveaway",
    "takeaway": rf"{NAME} takeaway",
    "penalty": rf"{NAME} [a-z-]+ against {NAME}",
    "icing": "Icing",
    "offside": "Offside",
    "puck_held": "Goalkeeper holds the puck",
    "puck_out": "Puck out of play",
    "start": "Start of P[1-3]",
    "end": "End of (?:P[12]|the match)",
}
STOPS = {"goal", "penalty", "icing", "offside", "puck_held", "puck_out", "start"}


def test_each_row_has_the_form_of_its_kind() -> None:
    texts = {(event["kind"], event["text"]) for match in matches("hockey") for event in match["events"]}
    assert [text for kind, text in texts if not re.fullmatch(FORMS[kind], text)] == []


def test_a_faceoff_follows_every_stoppage_and_nothing_else() -> None:
    for match in matches("hockey"):
        for event, after in pairwise(match["events"]):
            assert (event["kind"] in STOPS) == (after["kind"] == "faceoff")
            if after["kind"] == "faceoff":
                assert (event["period"], event["t"]) == (after["period"], after["t"])


def test_no_two_faceoffs_have_one_moment() -> None:
    for match in matches("hockey"):
        moments = [(faceoff["period"], faceoff["t"]) for faceoff in match["faceoffs"]]
        assert len(set(moments)) == len(moments)


def test_a_faceoff_is_between_the_teams_and_a_pass_within_one() -> None:
    own = {"goal"}
    against = {"faceoff", "shot_saved", "shot_blocked", "hit", "penalty"}
    for match in matches("hockey"):
        for event in match["events"]:
            if event["other"] is not None:
                assert event["kind"] in own | against
                assert (match["player_team"][event["other"]] == event["team"]) == (event["kind"] in own)
            assert event["other"] is not None or event["kind"] not in against


def test_who_is_penalised_does_not_act_for_two_minutes() -> None:
    penalties = 0
    for match in matches("hockey"):
        until: dict[str, float] = {}
        for event in match["events"]:
            now = (event["period"] - 1) * 1200 + event["t"]
            assert all(until.get(player, -1) < now for player in people_in(match, event))
            if event["kind"] == "penalty":
                until[event["player"]] = now + 120
                penalties += 1
    assert penalties > 4 * MATCHES


def test_goalkeepers_save_and_do_nothing_else() -> None:
    for match in matches("hockey"):
        keepers = {match["lineups"][team][0] for team in match["teams"]}
        reserve = {match["roster"][team][-1] for team in match["teams"]}
        assert keepers == {match["roster"][team][-2] for team in match["teams"]}
        for event in match["events"]:
            named = set(people_in(match, event))
            assert not named & reserve
            assert named & keepers == ({event["other"]} if event["kind"] == "shot_saved" else set())


def test_a_held_puck_follows_a_save_within_two_seconds() -> None:
    for match in matches("hockey"):
        for event, after in pairwise(match["events"]):
            if after["kind"] == "puck_held":
                assert event["kind"] == "shot_saved" and after["t"] - event["t"] <= 2
                assert after["team"] == match["player_team"][event["other"]]


def test_numbers_of_the_season_count_on() -> None:
    for match in matches("hockey"):
        goals: dict[str, int] = {}
        assists: dict[str, int] = {}
        for event in match["events"]:
            if event["kind"] == "goal":
                scorer, helpers = event["text"].split(", assists: ")
                number = int(re.findall(r"\(([0-9]+)\)", scorer)[0])
                assert goals.get(event["player"], number - 1) == number - 1
                goals[event["player"]] = number
                for player, told in re.findall(rf"({NAME}) \(([0-9]+)\)", helpers):
                    assert match["player_team"][player] == event["team"] and player != event["player"]
                    assert assists.get(player, int(told) - 1) == int(told) - 1
                    assists[player] = int(told)


def test_teams_have_eighteen_skaters_and_two_goalkeepers() -> None:
    assert {len(players) for match in matches("hockey") for players in match["roster"].values()} == {20}


def test_some_matches_end_level_and_most_do_not() -> None:
    level = sum(len(set(running_scores(match)[-1])) == 1 for match in matches("hockey"))
    assert 0.05 * MATCHES < level < 0.4 * MATCHES


def test_the_lead_changes_twice_in_some_matches() -> None:
    assert sum(count_changes(match) >= 2 for match in matches("hockey")) > 0.04 * MATCHES


def test_rows_of_a_period_stay_in_the_measured_range() -> None:
    sizes = [len(events_of(match, period)) for match in matches("hockey") for period in (1, 2, 3)]
    assert min(sizes) >= 84 and max(sizes) <= 122


def test_several_players_take_faceoffs_and_some_take_many() -> None:
    for match in matches("hockey"):
        taken = Counter(player for faceoff in match["faceoffs"] for player in (faceoff["winner"], faceoff["loser"]))
        assert len(taken) >= 8
        assert max(taken.values()) >= 8


MEANS = {
    "rows": (311, 0.05),
    "goal": (5.8, 0.05),
    "faceoff": (57, 0.05),
    "hit": (45, 0.05),
    "shot_saved": (47, 0.05),
    "shot_blocked": (30, 0.05),
    "shot_wide": (31, 0.05),
    "giveaway": (27, 0.05),
    "takeaway": (9, 0.1),
    "penalty": (6, 0.1),
}


@pytest.mark.parametrize("name", MEANS)
def test_means_are_those_of_public_matches(name: str) -> None:
    counts = Counter(event["kind"] for match in matches("hockey") for event in match["events"])
    counts["rows"] = sum(counts.values())
    wanted, tolerance = MEANS[name]
    assert counts[name] / MATCHES == pytest.approx(wanted, rel=tolerance)
