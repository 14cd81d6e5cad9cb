"""What cannot happen in a match of basketball, as somebody says who knows the sport and reads the rows alone.

Nothing here comes from the simulator: a rule reads what a match exports, and tells at which events it is broken.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from functools import cached_property
from itertools import combinations, pairwise
from typing import Any

Event = Mapping[str, Any]
Rule = Callable[["Game"], Iterator[int]]

LENGTH, PERIODS = 720, 4
MADE, MISSED = ("two_made", "three_made"), ("two_missed", "three_missed", "two_blocked", "three_blocked")
TURNOVERS = ("bad_pass", "lost_ball", "traveling", "shot_clock", "foul_offensive")
REBOUNDS = ("rebound_defensive", "rebound_offensive", "team_rebound")
AGAIN = ("rebound_offensive", "team_rebound")
DEFENCE = ("two_blocked", "three_blocked", "foul_shooting", "foul_personal")
PAUSES = ("substitution", "timeout", "start", "end")
DEAD = ("free_made", "traveling", "shot_clock", "foul_personal", "foul_offensive", "timeout", "substitution")
NEAR = ("layup", "dunk", "tip-in", "finger roll")


class Game:
    """A match with what rules ask for time and again."""

    def __init__(self, match: Mapping[str, Any]) -> None:
        self.match = match
        self.events: list[Event] = match["events"]
        self.team: Mapping[str, str] = match["player_team"]

    def named(self, kinds: tuple[str, ...]) -> Iterator[tuple[int, Event]]:
        return ((at, event) for at, event in enumerate(self.events) if event["kind"] in kinds)

    @cached_property
    def live(self) -> list[int]:
        """The events in which the ball is played."""
        return [at for at, event in enumerate(self.events) if event["kind"] not in PAUSES]

    @cached_property
    def steps(self) -> list[tuple[int, int]]:
        """An event in which the ball is played, and the next one of its period."""
        events = self.events
        return [(a, b) for a, b in pairwise(self.live) if events[a]["period"] == events[b]["period"]]

    @cached_property
    def before(self) -> dict[int, int]:
        return {after: before for before, after in self.steps}

    @cached_property
    def on_floor(self) -> list[dict[str, list[str]]]:
        """Who is on the court before each event."""
        floor = {team: list(five) for team, five in self.match["lineups"].items()}
        found = []
        for event in self.events:
            found.append({team: list(five) for team, five in floor.items()})
            if event["kind"] == "substitution":
                own = floor[event["team"]]
                if event["other"] in own:
                    own.remove(event["other"])
                own.append(event["player"])
        return found

    def other(self, team: str) -> str:
        first, second = self.match["teams"]
        return str(second if team == first else first)

    def attacker(self, event: Event) -> str | None:
        """The team that has the ball when something happens."""
        kind = event["kind"]
        if kind in DEFENCE:
            return self.other(event["team"])
        return event["team"] if kind in (*MADE, *MISSED, *TURNOVERS, "free_made", "free_missed") else None

    def shots(self) -> Iterator[tuple[int, Event, str, int | None]]:
        """Attempts with who shoots and from how many feet."""
        for at, event in self.named((*MADE, *MISSED)):
            shooter = event["other"] if event["kind"].endswith("blocked") else event["player"]
            feet = re.search(r"(\d{1,3})-foot", event["text"])
            yield at, event, shooter, int(feet[1]) if feet else None

    def awarded(self, event: Event) -> tuple[int, int]:
        """Which free throw it is, and of how many."""
        first, last = re.findall(r"\d", event["text"])[-2:]
        return int(first), int(last)

    def is_and_one(self, at: int) -> bool:
        """Whether a basket is followed by a free throw of its own."""
        after = self.events[at + 1 : at + 3]
        return len(after) == 2 and after[1]["kind"].startswith("free_") and after[1]["text"].endswith("1 of 1")


def baskets_of_both_teams_at_one_time(game: Game) -> Iterator[int]:
    baskets = [(at, event) for at, event in game.named(MADE)]
    for (_, one), (at, two) in pairwise(baskets):
        if one["period"] == two["period"] and two["t"] - one["t"] < 0.1 and one["team"] != two["team"]:
            yield at


def an_answer_within_two_seconds_of_a_basket(game: Game) -> Iterator[int]:
    for a, b in game.steps:
        one, two = game.events[a], game.events[b]
        if one["kind"] in MADE and two["kind"] in (*MADE, *MISSED) and two["t"] - one["t"] < 2:
            yield b


def a_tip_in_without_an_offensive_rebound(game: Game) -> Iterator[int]:
    for at, event, _, _ in game.shots():
        last = game.events[game.before[at]] if at in game.before else None
        if "tip-in" in event["text"] and not (
            last and last["kind"] in AGAIN and last["team"] == game.attacker(event) and event["t"] - last["t"] <= 2
        ):
            yield at


def a_tip_in_by_another_than_who_rebounded(game: Game) -> Iterator[int]:
    for at, event, shooter, _ in game.shots():
        last = game.events[game.before[at]] if at in game.before else None
        if "tip-in" in event["text"] and last and last["kind"] in AGAIN and last["player"] != shooter:
            yield at


def a_hook_from_more_than_sixteen_feet(game: Game) -> Iterator[int]:
    return (at for at, event, _, feet in game.shots() if "hook" in event["text"] and feet and feet > 16)


def a_shot_at_the_ring_from_afar(game: Game) -> Iterator[int]:
    for at, event, _, feet in game.shots():
        if feet and feet > 5 and any(shot in event["text"] for shot in NEAR):
            yield at


def a_floater_or_bank_shot_from_afar(game: Game) -> Iterator[int]:
    for at, event, _, feet in game.shots():
        if feet and feet > 16 and ("floater" in event["text"] or "bank shot" in event["text"]):
            yield at


def a_distance_that_does_not_agree_with_its_points(game: Game) -> Iterator[int]:
    for at, event, _, feet in game.shots():
        three = event["kind"].startswith("three")
        if (three and (feet is None or not 22 <= feet <= 94)) or (not three and feet is not None and feet > 23):
            yield at


def an_assist_on_a_tip_in_or_a_put_back(game: Game) -> Iterator[int]:
    for at, event in game.named(MADE):
        last = game.events[game.before[at]] if at in game.before else None
        again = last and last["kind"] == "rebound_offensive" and last["player"] == event["player"]
        quick = last and event["t"] - last["t"] <= 2
        if event["other"] and ("tip-in" in event["text"] or (again and quick)):
            yield at


def an_assist_by_the_scorer_or_an_opponent(game: Game) -> Iterator[int]:
    for at, event in game.named(MADE):
        if event["other"] and (event["other"] == event["player"] or game.team[event["other"]] != event["team"]):
            yield at


def an_act_of_somebody_who_is_not_on_the_court(game: Game) -> Iterator[int]:
    for at, event in enumerate(game.events):
        if event["kind"] == "substitution":
            continue
        names = {*re.findall(r"[A-Z][a-z]+ [A-Z][a-z]+", event["text"]), event["player"], event["other"]}
        floor = game.on_floor[at]
        if any(name in game.team and name not in floor[game.team[name]] for name in names):
            yield at


def a_substitution_that_cannot_be(game: Game) -> Iterator[int]:
    for at, event in game.named(("substitution",)):
        floor = game.on_floor[at][event["team"]]
        known = game.team.get(event["player"]) == game.team.get(event["other"]) == event["team"]
        if event["other"] not in floor or event["player"] in floor or not known:
            yield at


def other_than_five_on_the_court(game: Game) -> Iterator[int]:
    for at, floor in enumerate(game.on_floor):
        if any(len(five) != 5 or len(set(five)) != 5 for five in floor.values()):
            yield at


def a_substitution_right_after_the_line_up(game: Game) -> Iterator[int]:
    return (at for at, event in game.named(("substitution",)) if event["t"] == 0)


def a_substitution_while_the_ball_is_live(game: Game) -> Iterator[int]:
    for at, event in game.named(("substitution",)):
        last = game.events[at - 1]
        if last["kind"] not in DEAD or last["t"] != event["t"]:
            yield at


def in_and_out_in_one_stoppage(game: Game) -> Iterator[int]:
    seen: Counter[tuple[int, float, str]] = Counter()
    for at, event in game.named(("substitution",)):
        for player in (event["player"], event["other"]):
            seen[event["period"], event["t"], player] += 1
            if seen[event["period"], event["t"], player] > 1:
                yield at


def free_throws_out_of_turn(game: Game) -> Iterator[int]:
    for at, event in game.named(("free_made", "free_missed")):
        number, last = game.awarded(event)
        before = game.events[at - 1]
        follows = before["kind"].startswith("free_") and game.awarded(before) == (number - 1, last)
        if not number <= last <= 3 or (number > 1 and not (follows and before["player"] == event["player"])):
            yield at
        after = game.events[at + 1]
        if number < last and not (after["kind"].startswith("free_") and after["t"] == event["t"]):
            yield at


def a_free_throw_without_a_foul(game: Game) -> Iterator[int]:
    for at, event in game.named(("free_made", "free_missed")):
        foul = game.events[at - 1]
        if game.awarded(event)[0] == 1 and not (
            foul["kind"] in ("foul_shooting", "foul_personal")
            and foul["team"] != event["team"]
            and foul["other"] == event["player"]
            and foul["t"] == event["t"]
        ):
            yield at


def other_free_throws_than_the_foul_gives(game: Game) -> Iterator[int]:
    fouls: Counter[tuple[int, str]] = Counter()
    for at, event in game.named(("foul_shooting", "foul_personal")):
        fouls[event["period"], event["team"]] += 1
        after, basket = game.events[at + 1], game.events[at - 1]
        given = game.awarded(after)[1] if after["kind"].startswith("free_") else 0
        scored = basket["kind"] in MADE and basket["t"] == event["t"] and basket["player"] == event["other"]
        if event["kind"] == "foul_shooting":
            right = given == 1 if scored else given in (2, 3)
        else:
            right = given == (2 if fouls[event["period"], event["team"]] >= 5 else 0)
        if not right:
            yield at


def a_rebound_without_a_miss(game: Game) -> Iterator[int]:
    for a, b in game.steps:
        before, after = game.events[a], game.events[b]
        last_free = before["kind"] == "free_missed" and len(set(game.awarded(before))) == 1
        if after["kind"] in REBOUNDS and not (before["kind"] in MISSED or last_free):
            yield b


def a_miss_without_a_rebound(game: Game) -> Iterator[int]:
    for a, b in game.steps:
        before, after = game.events[a], game.events[b]
        last_free = before["kind"] == "free_missed" and len(set(game.awarded(before))) == 1
        if (before["kind"] in MISSED or last_free) and after["kind"] not in REBOUNDS:
            yield b


def a_rebound_of_the_wrong_team(game: Game) -> Iterator[int]:
    for a, b in game.steps:
        before, after = game.events[a], game.events[b]
        missed = game.attacker(before)
        if missed and after["kind"] in REBOUNDS and (after["team"] == missed) != (after["kind"] in AGAIN):
            yield b


def a_rebound_long_after_the_miss(game: Game) -> Iterator[int]:
    for a, b in game.steps:
        if game.events[b]["kind"] in REBOUNDS and game.events[b]["t"] - game.events[a]["t"] > 5:
            yield b


def the_same_team_attacks_after_losing_the_ball(game: Game) -> Iterator[int]:
    for a, b in game.steps:
        one, two = game.events[a], game.events[b]
        if one["kind"] in MADE and (two["kind"] == "foul_shooting" and game.is_and_one(a)):
            continue
        lost = one["kind"] in (*MADE, *TURNOVERS) or (one["kind"] == "free_made" and len(set(game.awarded(one))) == 1)
        if lost and game.attacker(two) == game.attacker(one):
            yield b


def another_team_attacks_after_a_rebound(game: Game) -> Iterator[int]:
    for a, b in game.steps:
        one, two = game.events[a], game.events[b]
        if one["kind"] in REBOUNDS and game.attacker(two) not in (None, one["team"]):
            yield b


def possessions(game: Game) -> Iterator[tuple[int, float, float]]:
    """What a team with the ball does: where, how long it has had the ball, and how long it may."""
    since, limit = 0.0, 24.0
    for a, b in pairwise(
        at for at, event in enumerate(game.events) if event["kind"] not in ("substitution", "timeout")
    ):
        one, two = game.events[a], game.events[b]
        if one["kind"] in ("start", "jump_ball", "rebound_defensive", *MADE, *TURNOVERS, "free_made"):
            since, limit = one["t"], 24.0
        elif one["kind"] in AGAIN:
            since, limit = one["t"], 14.0
        elif one["kind"] == "foul_personal":
            since, limit = one["t"], max(limit - (one["t"] - since), 14.0)
        if two["period"] == one["period"] and (game.attacker(two) or two["kind"] == "end"):
            yield b, two["t"] - since, limit


def a_possession_longer_than_the_shot_clock(game: Game) -> Iterator[int]:
    return (at for at, took, limit in possessions(game) if took >= limit + 1)


def a_shot_clock_turnover_before_the_clock_ran_out(game: Game) -> Iterator[int]:
    for at, took, limit in possessions(game):
        if game.events[at]["kind"] == "shot_clock" and took < limit - 1:
            yield at


def an_event_outside_its_period(game: Game) -> Iterator[int]:
    ended: set[int] = set()
    for at, event in enumerate(game.events):
        if event["period"] in ended or not 0 <= event["t"] <= LENGTH:
            yield at
        if event["kind"] == "end":
            ended.add(event["period"])


def a_shot_when_time_is_up(game: Game) -> Iterator[int]:
    return (at for at, event in enumerate(game.events) if game.attacker(event) and event["t"] >= LENGTH)


def a_clock_that_runs_backwards_or_shows_another_time(game: Game) -> Iterator[int]:
    for at, (one, two) in enumerate(pairwise(game.events), 1):
        if (two["period"], two["t"]) < (one["period"], one["t"]):
            yield at
    for at, event in enumerate(game.events):
        minutes, colon, seconds = event["clock"].partition(":")
        left = 60 * int(minutes) + int(seconds) if colon else float(event["clock"])
        if abs(LENGTH - event["t"] - left) >= (1 if colon else 0.06):
            yield at


def somebody_with_six_fouls_plays_on(game: Game) -> Iterator[int]:
    fouls: Counter[str] = Counter()
    for at, event in enumerate(game.events):
        if any(fouls[name] >= 6 for name in (event["player"], event["other"]) if name):
            yield at
        fouls[event["player"]] += event["kind"].startswith("foul_")


def more_timeouts_than_a_team_has(game: Game) -> Iterator[int]:
    taken: dict[str, list[tuple[int, float]]] = {team: [] for team in game.match["teams"]}
    for at, event in game.named(("timeout",)):
        own = taken[event["team"]]
        own.append((event["period"], event["t"]))
        last = [time for period, time in own if period == PERIODS]
        if len(own) > 7 or len(last) > 4 or sum(time > LENGTH - 180 for time in last) > 2:
            yield at


def a_timeout_of_the_team_without_the_ball(game: Game) -> Iterator[int]:
    for at, event in game.named(("timeout",)):
        following = (game.attacker(later) for later in game.events[at:] if later["period"] == event["period"])
        if next((team for team in following if team), event["team"]) != event["team"]:
            yield at


def a_jump_ball_that_cannot_be(game: Game) -> Iterator[int]:
    for at, event in game.named(("jump_ball",)):
        names = re.findall(r"[A-Z][a-z]+ [A-Z][a-z]+", event["text"])
        jumpers, gets = names[:2], names[-1]
        if at != 1 or game.team[jumpers[0]] == game.team[jumpers[1]] or gets in jumpers:
            yield at


def a_deed_against_oneself_or_a_team_mate(game: Game) -> Iterator[int]:
    for at, event in game.named((*DEFENCE, "bad_pass", "lost_ball", "foul_offensive")):
        if event["other"] and game.team[event["other"]] == event["team"]:
            yield at


def points_that_do_not_agree_with_the_words(game: Game) -> Iterator[int]:
    for at, event in enumerate(game.events):
        words = event["text"]
        worth = 1 if "free throw" in words else 3 if "three point" in words else 2
        if event["pts"] != (worth if " makes " in words else 0):
            yield at


def a_match_that_ends_level(game: Game) -> Iterator[int]:
    score: Counter[str] = Counter()
    for event in game.events:
        if event["pts"]:
            score[game.team[event["player"]]] += event["pts"]
    if len({score[team] for team in game.match["teams"]}) == 1:
        yield len(game.events) - 1


def two_shots_of_a_team_at_one_time_without_a_rebound(game: Game) -> Iterator[int]:
    shots = [(at, event) for at, event, _, _ in game.shots()]
    for (one, first), (two, second) in pairwise(shots):
        same = (first["period"], first["t"]) == (second["period"], second["t"])
        between = [event["kind"] for event in game.events[one:two]]
        if same and not any(kind in AGAIN for kind in between):
            yield two


def a_shot_at_the_other_end_within_two_seconds(game: Game) -> Iterator[int]:
    for a, b in game.steps:
        one, two = game.events[a], game.events[b]
        if one["kind"] == "rebound_defensive" and two["kind"] in (*MADE, *MISSED) and two["t"] - one["t"] < 2:
            yield b


def a_three_within_two_seconds_of_an_offensive_rebound(game: Game) -> Iterator[int]:
    for a, b in game.steps:
        one, two = game.events[a], game.events[b]
        if one["kind"] == "rebound_offensive" and two["kind"].startswith("three") and two["t"] - one["t"] < 2:
            yield b


def two_fouls_of_a_player_at_one_time(game: Game) -> Iterator[int]:
    fouls = [(at, event) for at, event in enumerate(game.events) if event["kind"].startswith("foul_")]
    for (_, one), (at, two) in combinations_nearby(fouls):
        if one["player"] == two["player"] and (one["period"], one["t"]) == (two["period"], two["t"]):
            yield at


def combinations_nearby(found: list[tuple[int, Event]]) -> Iterator[tuple[tuple[int, Event], tuple[int, Event]]]:
    """Pairs of events that lie less than twelve rows apart."""
    for start in range(len(found)):
        near = [one for one in found[start : start + 12] if one[0] - found[start][0] < 12]
        yield from (pair for pair in combinations(near, 2) if pair[0] is found[start])


RULES: dict[str, Rule] = {
    rule.__name__.replace("_", " "): rule
    for rule in (
        baskets_of_both_teams_at_one_time,
        an_answer_within_two_seconds_of_a_basket,
        a_tip_in_without_an_offensive_rebound,
        a_tip_in_by_another_than_who_rebounded,
        a_hook_from_more_than_sixteen_feet,
        a_shot_at_the_ring_from_afar,
        a_floater_or_bank_shot_from_afar,
        a_distance_that_does_not_agree_with_its_points,
        an_assist_on_a_tip_in_or_a_put_back,
        an_assist_by_the_scorer_or_an_opponent,
        an_act_of_somebody_who_is_not_on_the_court,
        a_substitution_that_cannot_be,
        other_than_five_on_the_court,
        a_substitution_right_after_the_line_up,
        a_substitution_while_the_ball_is_live,
        in_and_out_in_one_stoppage,
        free_throws_out_of_turn,
        a_free_throw_without_a_foul,
        other_free_throws_than_the_foul_gives,
        a_rebound_without_a_miss,
        a_miss_without_a_rebound,
        a_rebound_of_the_wrong_team,
        a_rebound_long_after_the_miss,
        the_same_team_attacks_after_losing_the_ball,
        another_team_attacks_after_a_rebound,
        a_possession_longer_than_the_shot_clock,
        a_shot_clock_turnover_before_the_clock_ran_out,
        an_event_outside_its_period,
        a_shot_when_time_is_up,
        a_clock_that_runs_backwards_or_shows_another_time,
        somebody_with_six_fouls_plays_on,
        more_timeouts_than_a_team_has,
        a_timeout_of_the_team_without_the_ball,
        a_jump_ball_that_cannot_be,
        a_deed_against_oneself_or_a_team_mate,
        points_that_do_not_agree_with_the_words,
        a_match_that_ends_level,
        two_shots_of_a_team_at_one_time_without_a_rebound,
        a_shot_at_the_other_end_within_two_seconds,
        a_three_within_two_seconds_of_an_offensive_rebound,
        two_fouls_of_a_player_at_one_time,
    )
}
"""What cannot happen, in words, and where it does."""


def broken_rules(match: Mapping[str, Any]) -> Iterator[tuple[str, int]]:
    """The rules that a match breaks, each with the event at which it does."""
    game = Game(match)
    for name, rule in RULES.items():
        for at in rule(game):
            yield name, at
