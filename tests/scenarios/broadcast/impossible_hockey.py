"""What cannot happen in a match of hockey, as somebody says who knows the sport and reads the rows alone.

Nothing here comes from the simulator: a rule reads what a match exports, and tells at which events it is broken.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from functools import cached_property
from itertools import pairwise
from typing import Any

Event = Mapping[str, Any]
Rule = Callable[["Game"], Iterator[int]]

LENGTH, MINOR = 1200, 120
SHOTS = ("shot_saved", "shot_wide", "shot_blocked", "goal")
STOPS = ("goal", "penalty", "icing", "offside", "puck_held", "puck_out", "start")
AGAINST = ("faceoff", "shot_saved", "shot_blocked", "hit", "penalty")
NAME = r"[A-Z][a-z]+ [A-Z][a-z]+"


class Game:
    """A match with what rules ask for time and again."""

    def __init__(self, match: Mapping[str, Any]) -> None:
        self.match = match
        self.events: list[Event] = match["events"]
        self.team: Mapping[str, str] = match["player_team"]
        self.keepers = {five[0] for five in match["lineups"].values()}

    def named(self, *kinds: str) -> Iterator[tuple[int, Event]]:
        return ((at, event) for at, event in enumerate(self.events) if event["kind"] in kinds)

    @staticmethod
    def now(event: Event) -> float:
        """Seconds played since the match began."""
        return float((event["period"] - 1) * LENGTH + event["t"])

    def people(self, event: Event) -> list[str]:
        return [name for name in re.findall(NAME, event["text"]) if name in self.team]

    def helpers(self, event: Event) -> list[str]:
        return [name for name in re.findall(NAME, event["text"].partition("assists:")[2]) if name in self.team]

    @cached_property
    def box(self) -> list[dict[str, float]]:
        """Who sits in the box at each event, and until when, by whole minors."""
        until: dict[str, float] = {}
        found = []
        for event in self.events:
            found.append({player: end for player, end in until.items() if self.now(event) < end})
            if event["kind"] == "penalty":
                until[event["player"]] = self.now(event) + MINOR
        return found

    def served(self, at: int, team: str) -> int:
        """How many of a team are in the box."""
        return sum(self.team[player] == team for player in self.box[at])

    def pairs(self) -> Iterator[tuple[int, Event, Event]]:
        """Each event, by its place, with the one before it, within a period."""
        for at, (one, two) in enumerate(pairwise(self.events), 1):
            if one["period"] == two["period"]:
                yield at, one, two


def goals_of_both_teams_at_one_time(game: Game) -> Iterator[int]:
    for (_, one), (at, two) in pairwise(game.named("goal")):
        if game.now(one) == game.now(two) and one["team"] != two["team"]:
            yield at


def two_goals_within_four_seconds(game: Game) -> Iterator[int]:
    for (_, one), (at, two) in pairwise(game.named("goal")):
        if one["period"] == two["period"] and game.now(two) - game.now(one) < 4:
            yield at


def a_goal_within_four_seconds_of_the_start(game: Game) -> Iterator[int]:
    return (at for at, event in game.named("goal") if event["t"] < 4)


def an_assist_by_the_scorer_or_an_opponent(game: Game) -> Iterator[int]:
    for at, event in game.named("goal"):
        if any(name == event["player"] or game.team[name] != event["team"] for name in game.helpers(event)):
            yield at


def more_than_two_assists_or_one_twice(game: Game) -> Iterator[int]:
    for at, event in game.named("goal"):
        helpers = game.helpers(event)
        if len(helpers) > 2 or len(set(helpers)) < len(helpers):
            yield at


def a_deflected_goal_that_nobody_has_shot(game: Game) -> Iterator[int]:
    for at, event in game.named("goal"):
        if not game.helpers(event) and ("deflection" in event["text"] or "tip-in" in event["text"]):
            yield at


def a_block_of_what_was_deflected_at_the_net(game: Game) -> Iterator[int]:
    for at, event in game.named("shot_blocked"):
        if "deflection" in event["text"] or "tip-in" in event["text"]:
            yield at


def an_act_of_somebody_in_the_box(game: Game) -> Iterator[int]:
    for at, event in enumerate(game.events):
        if any(name in game.box[at] for name in game.people(event)):
            yield at


def a_penalty_of_somebody_in_the_box(game: Game) -> Iterator[int]:
    return (at for at, event in game.named("penalty") if event["player"] in game.box[at])


def more_than_two_of_a_team_in_the_box(game: Game) -> Iterator[int]:
    for at, event in game.named("penalty"):
        if game.served(at, event["team"]) >= 2:
            yield at


def two_penalties_at_one_time(game: Game) -> Iterator[int]:
    for (_, one), (at, two) in pairwise(game.named("penalty")):
        if game.now(one) == game.now(two) and one["player"] == two["player"]:
            yield at


def a_penalty_against_a_team_mate(game: Game) -> Iterator[int]:
    return (at for at, event in game.named("penalty") if game.team[event["other"]] == event["team"])


def icing_of_a_short_handed_team(game: Game) -> Iterator[int]:
    for at, event in game.named("icing"):
        other = next(team for team in game.match["teams"] if team != event["team"])
        if event["team"] and game.served(at, event["team"]) > game.served(at, other):
            yield at


def a_stoppage_without_a_faceoff(game: Game) -> Iterator[int]:
    for at, one, two in game.pairs():
        if one["kind"] in STOPS and two["kind"] != "faceoff":
            yield at


def a_faceoff_without_a_stoppage(game: Game) -> Iterator[int]:
    for at, one, two in game.pairs():
        if two["kind"] == "faceoff" and (one["kind"] not in STOPS or one["t"] != two["t"]):
            yield at


def a_faceoff_within_a_team(game: Game) -> Iterator[int]:
    return (at for at, event in game.named("faceoff") if game.team[event["player"]] == game.team[event["other"]])


def two_faceoffs_at_one_time(game: Game) -> Iterator[int]:
    for (_, one), (at, two) in pairwise(game.named("faceoff")):
        if game.now(one) == game.now(two) and one["period"] == two["period"]:
            yield at


def an_act_at_the_time_of_the_faceoff(game: Game) -> Iterator[int]:
    return (at for at, one, two in game.pairs() if one["kind"] == "faceoff" and two["t"] - one["t"] < 1)


def a_goalkeeper_who_does_more_than_save(game: Game) -> Iterator[int]:
    for at, event in enumerate(game.events):
        saves = {event["other"]} if event["kind"] == "shot_saved" else set()
        if {*game.people(event)} & game.keepers - saves:
            yield at


def a_save_by_no_goalkeeper_or_the_own_one(game: Game) -> Iterator[int]:
    for at, event in game.named("shot_saved"):
        if event["other"] not in game.keepers or game.team[event["other"]] == event["team"]:
            yield at


def a_reserve_goalkeeper_who_plays(game: Game) -> Iterator[int]:
    reserves = {players[-1] for players in game.match["roster"].values()} - game.keepers
    return (at for at, event in enumerate(game.events) if reserves & {*game.people(event)})


def a_held_puck_without_a_save(game: Game) -> Iterator[int]:
    for at, one, two in game.pairs():
        if two["kind"] == "puck_held" and (one["kind"] != "shot_saved" or two["t"] - one["t"] > 4):
            yield at


def shots_at_both_nets_within_three_seconds(game: Game) -> Iterator[int]:
    for (_, one), (at, two) in pairwise(game.named(*SHOTS)):
        if one["team"] != two["team"] and one["period"] == two["period"] and two["t"] - one["t"] < 3:
            yield at


def two_shots_at_one_time(game: Game) -> Iterator[int]:
    for (_, one), (at, two) in pairwise(game.named(*SHOTS)):
        if game.now(one) == game.now(two) and one["period"] == two["period"]:
            yield at


def a_player_in_two_acts_at_one_time(game: Game) -> Iterator[int]:
    for at, one, two in game.pairs():
        if one["t"] == two["t"] and two["kind"] != "faceoff" and {*game.people(one)} & {*game.people(two)}:
            yield at


def a_hit_by_the_team_with_the_puck(game: Game) -> Iterator[int]:
    for at, one, two in game.pairs():
        has = one["team"] if one["kind"] in ("faceoff", "takeaway") else None
        if two["kind"] == "hit" and has == two["team"] and two["t"] - one["t"] <= 2:
            yield at


def a_shot_of_the_team_that_just_gave_the_puck_away(game: Game) -> Iterator[int]:
    for at, one, two in game.pairs():
        lost = one["kind"] == "giveaway" and two["kind"] in SHOTS and one["team"] == two["team"]
        if lost and two["t"] - one["t"] <= 2:
            yield at


def a_shot_of_the_team_that_just_lost_the_faceoff(game: Game) -> Iterator[int]:
    for at, one, two in game.pairs():
        lost = one["kind"] == "faceoff" and two["kind"] in SHOTS and one["team"] != two["team"]
        if lost and two["t"] - one["t"] < 2:
            yield at


def icing_or_offside_right_after_a_shot(game: Game) -> Iterator[int]:
    for at, one, two in game.pairs():
        if two["kind"] in ("icing", "offside") and one["kind"] in SHOTS and two["t"] - one["t"] < 3:
            yield at


def a_deed_against_a_team_mate(game: Game) -> Iterator[int]:
    for at, event in game.named(*AGAINST):
        if game.team[event["player"]] == game.team[event["other"]]:
            yield at


def numbers_of_the_season_that_do_not_count_on(game: Game) -> Iterator[int]:
    last: dict[tuple[str, bool], int] = {}
    for at, event in game.named("goal"):
        scorer, _, helpers = event["text"].partition("assists:")
        told = [(event["player"], True, int(re.findall(r"\((\d{1,4})\)", scorer)[0]))]
        told += [(name, False, int(number)) for name, number in re.findall(rf"({NAME}) \((\d{{1,4}})\)", helpers)]
        for name, goal, number in told:
            if last.get((name, goal), number - 1) != number - 1:
                yield at
            last[name, goal] = number


def points_without_a_goal_or_a_goal_without(game: Game) -> Iterator[int]:
    for at, event in enumerate(game.events):
        goal = event["kind"] == "goal" and " goal (" in event["text"]
        if event["pts"] != int(goal) or (goal and game.team[event["player"]] != event["team"]):
            yield at


def an_event_outside_its_period(game: Game) -> Iterator[int]:
    ended: set[int] = set()
    for at, event in enumerate(game.events):
        if event["period"] in ended or not 0 <= event["t"] <= LENGTH or event["period"] > 3:
            yield at
        if event["kind"] == "end":
            ended.add(event["period"])


def an_act_when_time_is_up(game: Game) -> Iterator[int]:
    return (at for at, event in enumerate(game.events) if event["kind"] != "end" and event["t"] >= LENGTH)


def a_clock_that_runs_backwards_or_shows_another_time(game: Game) -> Iterator[int]:
    for at, (one, two) in enumerate(pairwise(game.events), 1):
        minutes, _, seconds = two["clock"].partition(":")
        if (two["period"], two["t"]) < (one["period"], one["t"]) or 60 * int(minutes) + int(seconds) != two["t"]:
            yield at


def more_than_six_of_a_team_within_a_second(game: Game) -> Iterator[int]:
    acting: dict[tuple[int, float, str], set[str]] = {}
    for at, event in enumerate(game.events):
        for name in game.people(event):
            own = acting.setdefault((event["period"], event["t"], game.team[name]), set())
            own.add(name)
            if len(own) > 6:
                yield at


def a_period_that_does_not_open_with_a_faceoff(game: Game) -> Iterator[int]:
    return (at for at, one, two in game.pairs() if one["kind"] == "start" and (two["kind"], two["t"]) != ("faceoff", 0))


def a_team_of_other_than_twenty(game: Game) -> Iterator[int]:
    players = Counter(game.team.values())
    if set(players.values()) != {20} or len(players) != 2:
        yield 0


RULES: dict[str, Rule] = {
    rule.__name__.replace("_", " "): rule
    for rule in (
        goals_of_both_teams_at_one_time,
        two_goals_within_four_seconds,
        a_goal_within_four_seconds_of_the_start,
        an_assist_by_the_scorer_or_an_opponent,
        more_than_two_assists_or_one_twice,
        a_deflected_goal_that_nobody_has_shot,
        a_block_of_what_was_deflected_at_the_net,
        an_act_of_somebody_in_the_box,
        a_penalty_of_somebody_in_the_box,
        more_than_two_of_a_team_in_the_box,
        two_penalties_at_one_time,
        a_penalty_against_a_team_mate,
        icing_of_a_short_handed_team,
        a_stoppage_without_a_faceoff,
        a_faceoff_without_a_stoppage,
        a_faceoff_within_a_team,
        two_faceoffs_at_one_time,
        an_act_at_the_time_of_the_faceoff,
        a_goalkeeper_who_does_more_than_save,
        a_save_by_no_goalkeeper_or_the_own_one,
        a_reserve_goalkeeper_who_plays,
        a_held_puck_without_a_save,
        shots_at_both_nets_within_three_seconds,
        two_shots_at_one_time,
        a_player_in_two_acts_at_one_time,
        a_hit_by_the_team_with_the_puck,
        a_shot_of_the_team_that_just_gave_the_puck_away,
        a_shot_of_the_team_that_just_lost_the_faceoff,
        icing_or_offside_right_after_a_shot,
        a_deed_against_a_team_mate,
        numbers_of_the_season_that_do_not_count_on,
        points_without_a_goal_or_a_goal_without,
        an_event_outside_its_period,
        an_act_when_time_is_up,
        a_clock_that_runs_backwards_or_shows_another_time,
        more_than_six_of_a_team_within_a_second,
        a_period_that_does_not_open_with_a_faceoff,
        a_team_of_other_than_twenty,
    )
}
"""What cannot happen, in words, and where it does."""


def broken_rules(match: Mapping[str, Any]) -> Iterator[tuple[str, int]]:
    """The rules that a match breaks, each with the event at which it does."""
    game = Game(match)
    for name, rule in RULES.items():
        for at in rule(game):
            yield name, at
