"""Questions about a player's part: what each must satisfy, recomputed from the events."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
from broadcast_matches import Match
from broadcast_questions import SPORTS, Asked, dialogues, facts, facts_between, of_kind, on_air, seconds

from evolif.scenarios.broadcast import impact_faceoffs, impact_points

SHARE = 0.03
"""How far a share of a thousand questions may be from what it is meant to be."""


def span_of(asked: Asked) -> list[list[Any]]:
    return facts_between(asked.match, asked.question.question["start"], asked.question.question["end"])


def most(counts: Counter[str]) -> str:
    """Who has most; of several, the first name."""
    return sorted(counts, key=lambda name: (-counts[name], name))[0]


def points_of(rows: list[list[Any]]) -> Counter[str]:
    counts: Counter[str] = Counter()
    for player, points, *_ in rows:
        counts[player] += points
    return counts


def margin(match: Match, until: list[Any], left_out: list[list[Any]]) -> int:
    """By how much the first team leads at a moment, without some of the scores."""
    counted = [fact for moment, fact in facts(match) if moment <= seconds("basketball", until)]
    for fact in left_out:
        counted.remove(fact)
    home = match["teams"][0]
    return sum(points if match["player_team"][player] == home else -points for player, points, *_ in counted)


def leader(match: Match, by: int) -> list[Any]:
    return ["Tie", 0] if not by else [match["teams"][by < 0], abs(by)]


def both(sport: str) -> list[Asked]:
    return [*of_kind(sport, "IR", "T"), *of_kind(sport, "IR", "H")]


@pytest.mark.slow
def test_basketball_keys_leave_out_the_players_points_in_the_span() -> None:
    for asked in both("basketball"):
        told, key = asked.question.question, asked.question.key
        his = [fact for fact in span_of(asked) if fact[0] == key["player"]]
        assert key["no_goals"] == leader(asked.match, margin(asked.match, told["at"], his))
        thrown = [fact for fact in his if fact[1] == 1]
        assert key["no_ft"] == leader(asked.match, margin(asked.match, told["at"], thrown))


@pytest.mark.slow
def test_hockey_keys_are_shares_of_the_faceoffs_in_the_span() -> None:
    for asked in both("hockey"):
        rows, key = span_of(asked), asked.question.key
        won = sum(row[0] == key["player"] for row in rows)
        lost = sum(row[1] == key["player"] for row in rows)
        assert key["decrease_if_all_lost"] == round(100 * won / len(rows), 2)
        assert key["increase_if_all_won"] == round(100 * lost / len(rows), 2)


@pytest.mark.sampled
@pytest.mark.parametrize("sport", SPORTS)
def test_a_top_player_is_the_best_of_5_to_25_events(sport: str) -> None:
    for asked in of_kind(sport, "IR", "T"):
        rows = span_of(asked)
        counts = Counter(name for row in rows for name in row[:2]) if sport == "hockey" else points_of(rows)
        assert asked.question.key["player"] == most(counts)
        assert 5 <= len(rows) <= 25
        assert "player" not in asked.question.question


def test_a_named_basketball_player_scores_in_the_span() -> None:
    for asked in of_kind("basketball", "IR", "H"):
        assert asked.question.question["player"] == asked.question.key["player"]
        assert points_of(span_of(asked))[asked.question.question["player"]] > 0


def test_a_named_hockey_player_has_something_to_gain() -> None:
    for asked in of_kind("hockey", "IR", "H"):
        assert asked.question.question["player"] == asked.question.key["player"]
        assert asked.question.key["increase_if_all_won"] > 0


@pytest.mark.sampled
@pytest.mark.parametrize("kind", ["T", "H"])
def test_half_of_the_players_made_a_free_throw(kind: str) -> None:
    asked = of_kind("basketball", "IR", kind)
    thrown = [any(row[:2] == [one.question.key["player"], 1] for row in span_of(one)) for one in asked]
    assert abs(sum(thrown) / len(asked) - 0.5) < SHARE


@pytest.mark.slow
def test_free_throws_are_even_within_a_dialogue() -> None:
    for dialogue in dialogues("basketball", "IR"):
        for kind in "TH":
            asked = [one for one in dialogue if one.question.kind == kind]
            thrown = sum(any(row[:2] == [one.question.key["player"], 1] for row in span_of(one)) for one in asked)
            assert abs(2 * thrown - len(asked)) <= 2


@pytest.mark.parametrize("kind", ["T", "H"])
def test_the_two_cases_differ_in_at_least_half(kind: str) -> None:
    keys = [one.question.key for one in of_kind("basketball", "IR", kind)]
    same = [key["no_ft"] == key["no_goals"] for key in keys]
    assert sum(same) / len(keys) < 0.5 - SHARE
    assert any(same) == (kind == "H")


@pytest.mark.parametrize("case", ["no_ft", "no_goals"])
def test_level_results_are_as_frequent_as_narrow_ones(case: str) -> None:
    margins: Counter[int] = Counter()
    for asked in both("basketball"):
        team, by = asked.question.key[case]
        margins[by if team == asked.match["teams"][0] else -by] += 1
    narrow = [margins[by] for by in (-3, -2, -1, 1, 2, 3)]
    assert 0.7 * sum(narrow) / 6 < margins[0] < 1.4 * sum(narrow) / 6


def test_the_score_is_asked_for_after_the_span_and_before_the_break() -> None:
    later = 0
    for match, after, asked in both("basketball"):
        end, at = asked.question["end"], asked.question["at"]
        assert on_air(match["sport"], end) < on_air(match["sport"], at)
        assert at[0] <= after
        later += at[0] > end[0]
    assert later > 100


def test_hockey_names_no_moment_of_a_score() -> None:
    for _, _, asked in both("hockey"):
        assert asked.question.keys() == {"start", "end"} | ({"player"} if asked.kind == "H" else set())


@pytest.mark.parametrize("sport", SPORTS)
def test_no_span_comes_twice_in_a_dialogue(sport: str) -> None:
    for dialogue in dialogues(sport, "IR"):
        told = [one.question.question for one in dialogue if one.question.kind in "TH"]
        spans = [str([one["start"], one["end"]]) for one in told]
        assert len(set(spans)) == len(spans)


@pytest.mark.sampled
@pytest.mark.parametrize("sport", SPORTS)
def test_keys_are_those_of_the_functions_that_others_call(sport: str) -> None:
    for match, _, asked in both(sport):
        told = asked.question
        if sport == "hockey":
            span = match["faceoffs"], match["player_team"], told["start"], told["end"]
            assert asked.key == impact_faceoffs(*span, told.get("player"))
        else:
            points = match["events"], match["teams"], told["start"], told["end"]
            assert asked.key == impact_points(*points, told.get("player"), told["at"])
