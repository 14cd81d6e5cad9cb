"""Matches that the page describes: shape, roster, rows, invariants, told from the words of rows alone."""

from __future__ import annotations

import json
import re
from collections import Counter
from functools import cache
from itertools import pairwise
from statistics import fmean, pstdev
from typing import Any

import pytest

from evolif.errors import UsageError
from evolif.scenarios.broadcast import format_clock, lead_changes, row_points, score_from_rows, simulate

SPORTS = ("basketball", "hockey")
LENGTH = {"basketball": 720, "hockey": 1200}
PERIODS = {"basketball": 4, "hockey": 3}
Match = dict[str, Any]
Event = dict[str, Any]
P = r"[A-Z][a-z]+ [A-Z][a-z]+"
BASKETBALL_ROWS = (
    rf"{P} makes [0-9]+-foot three point [a-z -]+( \({P} assists\))?",
    rf"{P} makes ([0-9]+-foot )?two point [a-z -]+( \({P} assists\))?",
    rf"{P} (makes|misses) free throw [1-3] of [1-3]",
    rf"{P} misses [0-9]+-foot three point [a-z -]+",
    rf"{P} misses ([0-9]+-foot )?two point [a-z -]+",
    rf"{P} blocks {P}'s [0-9]+-foot three point [a-z -]+",
    rf"{P} blocks {P}'s ([0-9]+-foot )?two point [a-z -]+",
    rf"{P} (defensive|offensive) rebound",
    rf"{P} (bad pass|lost ball)( \({P} steals\))?",
    rf"{P} (traveling|shooting foul|personal foul|offensive foul)",
    rf"{P} enters the game for {P}",
    rf"{P} vs\. {P} \({P} gains possession\)",
    r"[A-Za-z ]+ (offensive team rebound|shot clock turnover|timeout)",
    r"(Start|End) of Q[1-4]",
    r"End of the match",
)
HOCKEY_ROWS = (
    rf"{P} wins faceoff against {P}",
    rf"{P} goal \([0-9]+\) [a-z -]+, assists: (none|{P} \([0-9]+\)(, {P} \([0-9]+\))*)",
    rf"{P} [a-z -]+ saved by {P}",
    rf"{P} [a-z -]+ wide (left|right)",
    rf"{P} [a-z -]+ blocked by {P}",
    rf"{P} hits {P}",
    rf"{P} (giveaway|takeaway)",
    rf"{P} [a-z -]+ against {P}",
    r"Icing|Offside|Goalkeeper holds the puck|Puck out of play",
    r"(Start|End) of P[1-3]",
    r"End of the match",
)
ROWS = {"basketball": re.compile("|".join(BASKETBALL_ROWS)), "hockey": re.compile("|".join(HOCKEY_ROWS))}
each_sport = pytest.mark.parametrize("sport", SPORTS)


@cache
def matches(sport: str) -> tuple[Match, ...]:
    return tuple(simulate(sport, number, seed=4711) for number in range(200))


def everyone(match: Match) -> list[str]:
    return [player for team in match["teams"] for player in match["roster"][team]]


@each_sport
def test_the_shape_of_a_match(sport: str) -> None:
    match = simulate(sport, 3, seed=5)
    assert set(match) >= {"sport", "number", "teams", "roster", "lineups", "player_team", "events", "faceoffs"}
    assert (match["sport"], match["number"], len(match["teams"])) == (sport, 3, 2)
    assert set(match["roster"]) == set(match["lineups"]) == set(match["teams"])
    fields = {"period", "t", "clock", "kind", "team", "player", "pts", "other", "text"}
    assert all(set(event) >= fields for event in match["events"])
    assert json.loads(json.dumps(match)) == match


@each_sport
def test_a_match_is_a_pure_function(sport: str) -> None:
    assert simulate(sport, 3, seed=5) == simulate(sport, 3, seed=5)
    assert simulate(sport, 3, seed=5)["events"] != simulate(sport, 4, seed=5)["events"]
    assert simulate(sport, 3, seed=5)["events"] != simulate(sport, 3, seed=6)["events"]


@pytest.mark.parametrize("sport", ["", "Basketball", "football", 3])
def test_only_two_sports(sport: Any) -> None:
    with pytest.raises(UsageError):
        simulate(sport, 1, seed=5)


@each_sport
def test_people_and_teams(sport: str) -> None:
    names = re.compile(P)
    for match in matches(sport):
        people = everyone(match)
        assert all(names.fullmatch(player) for player in people)
        assert len({player.split()[1] for player in people}) == len(people)
        assert match["player_team"] == {p: team for team in match["teams"] for p in match["roster"][team]}
        words = [team.split() for team in match["teams"]]
        assert all(len(parts) >= 2 for parts in words)
        assert words[0][-1] != words[1][-1]
        assert words[0][:-1] != words[1][:-1]
        for team in match["teams"]:
            size = len(match["roster"][team])
            assert 10 <= size <= 13 if sport == "basketball" else size == 20


@each_sport
def test_a_league_has_many_teams_and_names(sport: str) -> None:
    teams = {team for match in matches(sport) for team in match["teams"]}
    firsts = {player.split()[0] for match in matches(sport) for player in everyone(match)}
    lasts = {player.split()[1] for match in matches(sport) for player in everyone(match)}
    assert len(teams) >= 24
    assert len(firsts) >= 390  # of at least 400, as far as 200 matches show them
    assert len(lasts) >= 590


@each_sport
def test_every_row_has_one_of_the_forms(sport: str) -> None:
    texts = {event["text"] for match in matches(sport)[:60] for event in match["events"]}
    assert [text for text in texts if not ROWS[sport].fullmatch(text)] == []


@each_sport
def test_events_are_in_order_on_whole_seconds_or_tenths(sport: str) -> None:
    for match in matches(sport)[:60]:
        moments = [(event["period"], event["t"]) for event in match["events"]]
        assert moments == sorted(moments)
        assert {period for period, _ in moments} == set(range(1, PERIODS[sport] + 1))
        for period, t in moments:
            assert 0 <= t <= LENGTH[sport]
            late = sport == "basketball" and t > 660
            assert abs(t * 10 - round(t * 10)) < 1e-9 if late else t == int(t), (period, t)
        assert all(event["clock"] == format_clock(event["t"], sport) for event in match["events"])


@each_sport
def test_rows_open_and_close_each_period(sport: str) -> None:
    label = "QP"[sport == "hockey"]
    for match in matches(sport)[:60]:
        for period in range(1, PERIODS[sport] + 1):
            texts = [event["text"] for event in match["events"] if event["period"] == period]
            assert texts[0] == f"Start of {label}{period}"
            assert texts[-1] == ("End of the match" if period == PERIODS[sport] else f"End of {label}{period}")


@each_sport
def test_points_are_told_by_the_words(sport: str) -> None:
    for match in matches(sport)[:60]:
        told: Counter[str] = Counter()
        for event in match["events"]:
            assert row_points(event["text"], sport) == event["pts"]
            if event["pts"]:
                scorer = next(p for p in everyone(match) if event["text"].startswith(p + " "))
                assert scorer == event["player"]
                assert event["team"] == match["player_team"][scorer]
                told[event["team"]] += event["pts"]
        rows = [f"{event['clock']}\t{event['text']}" for event in match["events"]]
        found = score_from_rows(rows, match["teams"], match["roster"], sport)
        assert found == {team: told[team] for team in match["teams"]}


@each_sport
def test_all_named_people_are_in_the_roster(sport: str) -> None:
    for match in matches(sport)[:30]:
        words = {word for team in match["teams"] for word in team.split()}
        known = set(everyone(match))
        for event in match["events"]:
            named = [name for name in re.findall(P, event["text"]) if not set(name.split()) & words]
            assert set(named) <= known, event["text"]


def test_a_basketball_match_does_not_end_level() -> None:
    for match in matches("basketball"):
        score: Counter[str] = Counter()
        for event in match["events"]:
            if event["pts"]:
                score[event["team"]] += event["pts"]
        assert len({score[team] for team in match["teams"]}) == 2


def test_some_hockey_matches_end_level() -> None:
    level = 0
    for match in matches("hockey"):
        goals = Counter(event["team"] for event in match["events"] if event["pts"])
        level += len({goals[team] for team in match["teams"]}) == 1
    assert level > 0


@each_sport
def test_the_lead_changes_in_most_basketball_matches(sport: str) -> None:
    counts = []
    for match in matches(sport)[:60]:
        periods = range(1, PERIODS[sport] + 1)
        counts.append(sum(len(lead_changes(match["events"], match["teams"], period)) for period in periods))
    assert any(counts)
    if sport == "basketball":
        assert sum(count >= 2 for count in counts) >= 40


def test_a_level_score_occurs() -> None:
    for match in matches("basketball")[:60]:
        first, second = match["teams"]
        score = {first: 0, second: 0}
        levels = 0
        for event in match["events"]:
            if event["pts"]:
                score[event["team"]] += event["pts"]
                levels += score[first] == score[second]
        if levels:
            return
    pytest.fail("no score of sixty matches was ever level")


def test_distances_agree() -> None:
    for match in matches("basketball")[:60]:
        for event in match["events"]:
            distance = re.search(r"([0-9]+)-foot (three|two)", event["text"])
            if distance:
                feet = int(distance[1])
                assert feet >= 22 if distance[2] == "three" else feet <= 22
            else:
                assert " three point " not in event["text"]


def test_a_miss_leads_to_a_rebound_or_ends_the_period() -> None:
    """Fouls, timeouts and substitutions may stand between a miss and its rebound only if nobody plays on."""
    for match in matches("basketball")[:60]:
        rows = [e for e in match["events"] if not re.search(r" (timeout|enters the game for) ?", e["text"])]
        for event, after in pairwise(rows):
            text = event["text"]
            last_free = re.search(r"misses free throw ([1-3]) of ([1-3])", text)
            missed = (" misses " in text and not last_free) or " blocks " in text
            if missed or (last_free and last_free[1] == last_free[2]):
                assert "rebound" in after["text"] or after["text"].startswith("End of"), (text, after["text"])


def test_fouls_stand_before_their_free_throws_with_the_same_clock() -> None:
    for match in matches("basketball")[:60]:
        foul: Event | None = None
        for event in match["events"]:
            if " foul" in event["text"]:
                foul = event
            if re.search(r"free throw 1 of", event["text"]):
                assert foul is not None
                assert (foul["period"], foul["clock"]) == (event["period"], event["clock"])
                assert foul["team"] != event["team"]


def test_a_basket_with_a_foul_has_one_free_throw() -> None:
    for match in matches("basketball")[:60]:
        for event in match["events"]:
            found = re.search(r"free throw 1 of 1", event["text"])
            if found:
                same = [e for e in match["events"] if (e["period"], e["t"]) == (event["period"], event["t"])]
                assert any(e["pts"] >= 2 and e["player"] == event["player"] for e in same)


def test_five_on_the_court_and_only_they_act() -> None:
    """A team's starting five are carried over between periods."""
    acts = re.compile(rf"^({P}) (makes|misses|blocks|defensive|offensive|bad|lost|traveling|shooting|personal)")
    other = re.compile(rf"(?:\(({P}) (?:assists|steals|gains possession)\)|blocks ({P})'s)")
    for match in matches("basketball")[:60]:
        court = {team: set(match["lineups"][team]) for team in match["teams"]}
        assert all(len(five) == 5 and five <= set(match["roster"][team]) for team, five in court.items())
        for event in match["events"]:
            change = re.fullmatch(rf"({P}) enters the game for ({P})", event["text"])
            if change:
                team = match["player_team"][change[1]]
                assert change[1] not in court[team]
                assert change[2] in court[team]
                court[team] = (court[team] - {change[2]}) | {change[1]}
                continue
            here = set().union(*court.values())
            first = acts.search(event["text"])
            named = {first[1]} if first else set()
            named |= {name for found in other.finditer(event["text"]) for name in found.groups() if name}
            assert named <= here, event["text"]


def test_assists_steals_and_blocks_are_of_the_right_team() -> None:
    for match in matches("basketball")[:60]:
        team_of = match["player_team"]
        for event in match["events"]:
            start = re.match(P, event["text"])
            helped = re.search(rf"\(({P}) assists\)", event["text"])
            stolen = re.search(rf"\(({P}) steals\)", event["text"])
            blocked = re.search(rf"blocks ({P})'s", event["text"])
            if helped:
                assert team_of[start[0]] == team_of[helped[1]] and start[0] != helped[1]
            if stolen:
                assert team_of[start[0]] != team_of[stolen[1]]
            if blocked:
                assert team_of[start[0]] != team_of[blocked[1]]


def test_a_faceoff_follows_every_stoppage_and_goal() -> None:
    stops = re.compile(rf"Icing|Offside|Goalkeeper holds the puck|Puck out of play|{P} goal \(.*|Start of P[1-3]")
    for match in matches("hockey")[:60]:
        for event, after in pairwise(match["events"]):
            if stops.fullmatch(event["text"]):
                nearly_over = after["text"].startswith("End of")
                assert " wins faceoff against " in after["text"] or nearly_over, (event["text"], after["text"])


def test_a_faceoff_follows_every_penalty() -> None:
    for match in matches("hockey")[:60]:
        for event, after in pairwise(match["events"]):
            if re.fullmatch(rf"{P} [a-z -]+ against {P}", event["text"]) and " wins faceoff " not in event["text"]:
                assert " wins faceoff " in after["text"] or after["text"].startswith("End of"), after["text"]


def test_season_goals_count_on() -> None:
    for match in matches("hockey")[:60]:
        last: dict[str, int] = {}
        for event in match["events"]:
            goal = re.match(rf"({P}) goal \(([0-9]+)\)", event["text"])
            if goal:
                assert int(goal[2]) == last.get(goal[1], int(goal[2]) - 1) + 1
                last[goal[1]] = int(goal[2])


def test_a_basket_gives_the_other_team_the_ball() -> None:
    """Who shoots, loses the ball or fouls in attack next, free throws of the same moment apart."""
    attacks = re.compile(rf"^({P}) (?:makes|misses|bad pass|lost ball|traveling|offensive foul)|blocks ({P})'s ")
    for match in matches("basketball")[:60]:
        team_of = match["player_team"]
        shot: Event | None = None
        for event in match["events"]:
            if event["text"].startswith(("End of", "Start of")):
                shot = None
            lost = re.fullmatch(r"(.+) shot clock turnover", event["text"])
            acting = attacks.search(event["text"])
            if shot is not None and (acting or lost) and "free throw" not in event["text"]:
                team = event["team"] if acting is None else team_of[acting[1] or acting[2]]
                assert team != shot["team"], (shot["text"], event["text"])
            if " free throw " in event["text"] or "rebound" in event["text"]:
                shot = None
            elif acting or lost:
                shot = event if event["pts"] >= 2 else None


def test_faceoffs_are_those_of_the_rows() -> None:
    for match in matches("hockey")[:60]:
        told = []
        for event in match["events"]:
            found = re.fullmatch(rf"({P}) wins faceoff against ({P})", event["text"])
            if found:
                told.append({"period": event["period"], "t": event["t"], "winner": found[1], "loser": found[2]})
                assert match["player_team"][found[1]] != match["player_team"][found[2]]
        assert match["faceoffs"] == told
    assert all(match["faceoffs"] == [] for match in matches("basketball")[:10])


def test_a_penalised_player_does_not_act_for_two_minutes() -> None:
    for match in matches("hockey")[:120]:
        away: dict[str, float] = {}
        for event in match["events"]:
            at = (event["period"] - 1) * 1200 + event["t"]
            named = re.findall(P, event["text"])
            for name in named:
                assert away.get(name, -1) <= at, event["text"]
            against = re.fullmatch(rf"({P}) [a-z -]+ against ({P})", event["text"])
            if against and " wins faceoff " not in event["text"]:
                away[against[1]] = at + 120


def count(match: Match, pattern: str) -> int:
    return sum(bool(re.search(pattern, event["text"])) for event in match["events"])


MEANS = [
    ("basketball", "rows", r"", 474, 0.05),
    ("basketball", "two-pointers made", r" makes .*two point ", 58, 0.05),
    ("basketball", "two-pointers missed", r" misses .*two point ", 41, 0.05),
    ("basketball", "three-pointers made", r" makes .*three point ", 25, 0.05),
    ("basketball", "three-pointers missed", r" misses .*three point ", 48, 0.05),
    ("basketball", "blocks", r" blocks ", 8, 0.10),
    ("basketball", "free throws made", r" makes free throw", 32, 0.05),
    ("basketball", "free throws missed", r" misses free throw", 10, 0.05),
    ("basketball", "defensive rebounds", r" defensive rebound", 71, 0.05),
    ("basketball", "offensive rebounds", r" offensive (team )?rebound", 35, 0.05),
    ("basketball", "turnovers", r" (bad pass|lost ball|traveling|shot clock turnover)", 30, 0.05),
    ("basketball", "steals", r" steals\)", 17, 0.05),
    ("basketball", "fouls", r" foul$", 37, 0.05),
    ("basketball", "substitutions", r" enters the game for ", 57, 0.05),
    ("basketball", "timeouts", r" timeout$", 12, 0.10),
    ("hockey", "rows", r"", 311, 0.05),
    ("hockey", "goals of both teams", r" goal \(", 5.8, 0.05),
    ("hockey", "faceoffs", r" wins faceoff against ", 57, 0.05),
    ("hockey", "hits", r" hits ", 45, 0.05),
    ("hockey", "saved shots", r" saved by ", 47, 0.05),
    ("hockey", "blocked shots", r" blocked by ", 30, 0.05),
    ("hockey", "wide shots", r" wide (left|right)$", 31, 0.05),
    ("hockey", "giveaways", r" giveaway$", 27, 0.05),
    ("hockey", "takeaways", r" takeaway$", 9, 0.10),
    ("hockey", "penalties", r"^(?!.*faceoff).* against ", 6, 0.10),
]


@pytest.mark.parametrize(
    ("sport", "name", "pattern", "mean", "tolerance"), MEANS, ids=[f"{m[0]} {m[1]}" for m in MEANS]
)
def test_means_per_match(sport: str, name: str, pattern: str, mean: float, tolerance: float) -> None:
    assert fmean(count(match, pattern) for match in matches(sport)) == pytest.approx(mean, rel=tolerance), name


def test_points_of_a_team_and_a_quarter() -> None:
    totals, quarters, rows = [], [], []
    for match in matches("basketball"):
        for team in match["teams"]:
            by_quarter = Counter(dict.fromkeys(range(1, 5), 0))
            for event in match["events"]:
                if event["team"] == team:
                    by_quarter[event["period"]] += event["pts"]
            quarters += by_quarter.values()
            totals.append(sum(by_quarter.values()))
        rows += Counter(event["period"] for event in match["events"]).values()
    assert fmean(totals) == pytest.approx(111.6, rel=0.05)
    assert fmean(quarters) == pytest.approx(27.9, rel=0.05)
    assert pstdev(totals) == pytest.approx(15, rel=0.35)
    assert pstdev(quarters) == pytest.approx(6.3, rel=0.25)
    assert fmean(86 <= total <= 148 for total in totals) >= 0.9
    assert fmean(12 <= points <= 46 for points in quarters) >= 0.95
    assert fmean(90 <= number <= 158 for number in rows) >= 0.95
    assert fmean(rows) == pytest.approx(118, rel=0.05)


def test_gaps_shared_seconds_and_assists() -> None:
    gaps, baskets, assisted = [], 0, 0
    for match in matches("basketball"):
        for event, after in pairwise(match["events"]):
            if event["period"] == after["period"]:
                gaps.append(after["t"] - event["t"])
        baskets += count(match, r" makes .*(two|three) point ")
        assisted += count(match, r" assists\)$")
    assert fmean(gaps) == pytest.approx(6.1, rel=0.05)
    assert fmean(gap == 0 for gap in gaps) == pytest.approx(0.30, rel=0.05)
    assert assisted / baskets == pytest.approx(0.64, rel=0.05)


def test_rows_of_a_hockey_period() -> None:
    rows = [number for match in matches("hockey") for number in Counter(e["period"] for e in match["events"]).values()]
    assert fmean(rows) == pytest.approx(104, rel=0.05)
    assert fmean(84 <= number <= 122 for number in rows) >= 0.95
