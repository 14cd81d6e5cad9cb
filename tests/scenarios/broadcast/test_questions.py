"""The questions of a break: their kinds, distances and order, and what variants of a dialogue share."""

from __future__ import annotations

import json
from collections import Counter
from copy import deepcopy
from dataclasses import asdict
from hashlib import sha256
from typing import Any

import pytest
from broadcast_matches import PERIODS, Match, matches, running_scores
from broadcast_questions import SPORTS, Asked, asked_of, dialogues, of_kind, stream

from evolif.errors import ArgumentError
from evolif.scenarios.broadcast import lead_changes, simulate
from evolif.scenarios.broadcast.match_statistics import best_of
from evolif.scenarios.broadcast.question import Question
from evolif.scenarios.broadcast.questions import break_questions

RETRIEVAL = [("CR", "A"), ("CR", "I"), ("IR", "T"), ("IR", "H")]


def kinds_after(dialogue: list[Asked], period: int) -> str:
    return "".join(one.question.kind for one in dialogue if one.after == period)


def changes_in(match: Match, period: int) -> list[list[str]]:
    """The changes of the lead, from the running score."""
    found, ahead = [], 0
    for event, (home, away) in zip(match["events"], running_scores(match), strict=True):
        sign = (home > away) - (home < away)
        if ahead * sign < 0 and event["period"] == period:
            found.append([event["clock"], match["teams"][sign < 0]])
        ahead = sign or ahead
    return found


@pytest.mark.sampled
@pytest.mark.parametrize("sport", SPORTS)
def test_each_break_has_the_kinds_of_its_task(sport: str) -> None:
    statistics = "QQQ" if sport == "basketball" else "QQ"
    for period in range(1, PERIODS[sport] + 1):
        assert {kinds_after(dialogue, period) for dialogue in dialogues(sport, "CR")} == {"AAI"}
        assert {kinds_after(dialogue, period) for dialogue in dialogues(sport, "IF")} == {statistics}
        for dialogue in dialogues(sport, "IR"):
            changes = changes_in(dialogue[0].match, period)
            assert kinds_after(dialogue, period) == ("LTH" if changes else "THH")


@pytest.mark.parametrize("sport", SPORTS)
def test_changes_of_the_lead_are_those_of_the_period_just_ended(sport: str) -> None:
    asked = of_kind(sport, "IR", "L")
    assert {one.after for one in asked} == set(range(1, PERIODS[sport] + 1))
    for match, after, one in asked:
        assert one.question == {"period": after}
        assert one.key == changes_in(match, after) == lead_changes(match["events"], match["teams"], after)
        assert (one.distance, one.evidence_period, one.evidence_moment) == (0, after, [after, one.key[-1][0]])


@pytest.mark.parametrize("sport", SPORTS)
def test_task_switching_asks_what_reasoning_asks(sport: str) -> None:
    for match in matches(sport)[:10]:
        for period in range(1, PERIODS[sport] + 1):
            switching = break_questions(match, period, "TS", stream(match, "IR", period))
            assert switching == break_questions(match, period, "IR", stream(match, "IR", period))


@pytest.mark.parametrize(("task", "kind"), RETRIEVAL)
@pytest.mark.parametrize("sport", SPORTS)
def test_distances_are_even_over_the_periods_played(sport: str, task: str, kind: str) -> None:
    counts = Counter((one.after, one.question.distance) for one in of_kind(sport, task, kind))
    assert set(counts) == {(after, back) for after in range(1, PERIODS[sport] + 1) for back in range(after)}
    for after in range(1, PERIODS[sport] + 1):
        drawn = [counts[after, back] for back in range(after)]
        expected = sum(drawn) / after
        # Chi square, far beyond what is seen once in a thousand times with three degrees of freedom.
        assert sum((count - expected) ** 2 for count in drawn) / expected < 20


@pytest.mark.parametrize(("task", "kind"), RETRIEVAL)
@pytest.mark.parametrize("sport", SPORTS)
def test_a_distance_is_counted_from_the_evidence(sport: str, task: str, kind: str) -> None:
    for _, after, one in of_kind(sport, task, kind):
        assert one.evidence_moment is not None
        assert one.evidence_moment[0] == one.evidence_period
        assert one.distance == after - one.evidence_moment[0]
        assert "end" not in one.question or one.question["end"] == one.evidence_moment


def moments(question: Question) -> list[list[Any]]:
    return [question.question[name] for name in ("anchor", "start", "end", "at") if name in question.question]


@pytest.mark.sampled
@pytest.mark.parametrize(("task", "kinds"), [("CR", "AAI"), ("IR", "THH"), ("TS", "THH")])
@pytest.mark.parametrize("sport", SPORTS)
def test_the_first_period_is_asked_about_alike_whenever_it_is(sport: str, task: str, kinds: str) -> None:
    for match in matches(sport)[:60]:
        first = break_questions(match, 1, task, stream(match, "CR", 1), about=1)
        assert "".join(one.kind for one in first) == kinds
        assert {moment[0] for one in first for moment in moments(one)} == {1}
        assert {one.distance for one in first} == {0}
        for after in range(2, PERIODS[sport] + 1):
            later = break_questions(match, after, task, stream(match, "CR", 1), about=1)
            assert [one.distance for one in later] == [after - 1] * 3
            assert [(one.question, one.key, one.evidence_moment) for one in later] == [
                (one.question, one.key, one.evidence_moment) for one in first
            ]


@pytest.mark.sampled
@pytest.mark.parametrize("pair", ["", "anchored", "interval"])
@pytest.mark.parametrize("sport", SPORTS)
def test_only_the_period_that_is_named_is_asked_about(sport: str, pair: str) -> None:
    for match in matches(sport)[:60]:
        for task in ("CR", "IR"):
            found = break_questions(match, 3, task, stream(match, task, 3), about=2, pair=pair)
            assert {moment[0] for one in found for moment in moments(one)} == {2}
            assert {(one.distance, one.evidence_period) for one in found} == {(1, 2)}


@pytest.mark.sampled
@pytest.mark.parametrize("sport", SPORTS)
def test_statistics_are_asked_for_both_teams_first_and_then_for_one(sport: str) -> None:
    seen = set()
    for dialogue in dialogues(sport, "IF"):
        for period in range(1, PERIODS[sport] + 1):
            asked = [one for one in dialogue if one.after == period]
            teams = [one.question.question["team"] for one in asked]
            assert teams[0] is None
            assert len(set(teams)) == len(teams)
            seen.add(tuple(asked[0].match["teams"].index(team) for team in teams[1:]))
            for match, _, one in asked:
                assert one.key == best_of(match, period, one.question["team"])
                assert one.question["players"] == [line["player"] for line in one.key]
                assert len(one.key) == 2
                assert one.distance is None
    assert seen == ({(0, 1), (1, 0)} if sport == "basketball" else {(0,), (1,)})


@pytest.mark.parametrize("sport", SPORTS)
def test_the_best_of_a_team_are_its_own(sport: str) -> None:
    count = "points" if sport == "basketball" else "taken"
    for _, _, one in of_kind(sport, "IF", "Q"):
        if team := one.question["team"]:
            assert {line["team"] for line in one.key} == {team}
        assert one.key[0][count] >= one.key[1][count] > 0


@pytest.mark.sampled
@pytest.mark.parametrize("task", ["IF", "CR", "IR"])
@pytest.mark.parametrize("sport", SPORTS)
def test_questions_are_plain_and_the_same_every_time(sport: str, task: str) -> None:
    for match, dialogue in zip(matches(sport)[:10], dialogues(sport, task), strict=False):
        copy = deepcopy(match)
        assert asked_of(copy, task) == dialogue
        assert copy == match
        plain = [asdict(one.question) for one in dialogue]
        assert json.loads(json.dumps(plain)) == plain


@pytest.mark.sampled
@pytest.mark.parametrize(("sport", "matches"), [("basketball", 40), *((sport, 300) for sport in SPORTS)])
def test_every_match_has_questions(sport: str, matches: int) -> None:
    for number in range(1_000, 1_000 + matches):
        match = simulate(sport, number, seed=5)
        assert len(asked_of(match, "CR", "anchored")) == 3 * PERIODS[sport]
        assert len(break_questions(match, 1, "IR", stream(match, "IR", 1), about=1)) == 3


@pytest.mark.parametrize(
    ("sport", "edition", "start"),
    [
        ("basketball", 1, "fd1e193cbf981a86"),
        ("hockey", 1, "44f2ed53289d106c"),
        ("basketball", 2, "8c6acd26e281a37f"),
        ("hockey", 2, "5f1cd4f4af46ec75"),
    ],
)
def test_questions_never_change(sport: str, edition: int, start: str) -> None:
    match = simulate(sport, 0, seed=19, match_edition=edition)
    told = [asdict(one.question) for task in ("IF", "CR", "IR") for one in asked_of(match, task)]
    assert sha256(json.dumps(told).encode()).hexdigest()[:16] == start


def test_other_kinds_can_be_asked_for() -> None:
    match = matches("basketball")[0]
    found = break_questions(match, 2, "CR", stream(match, "CR", 2), kinds=["I", "H"])
    assert [one.kind for one in found] == ["I", "H"]


@pytest.mark.parametrize(
    ("period", "task", "options", "problem"),
    [
        (1, "QA", {}, "task"),
        (5, "CR", {}, "period"),
        (0, "CR", {}, "period"),
        (1, "CR", {"pair": "both"}, "pair"),
        (1, "CR", {"about": 2}, "about"),
        (1, "CR", {"about": 0}, "about"),
        (1, "CR", {"kinds": ["X"]}, "kind"),
    ],
)
def test_what_does_not_exist_is_refused(period: int, task: str, options: dict[str, Any], problem: str) -> None:
    match = matches("basketball")[0]
    with pytest.raises(ArgumentError, match=problem):
        break_questions(match, period, task, stream(match, "CR", 1), **options)


@pytest.mark.parametrize("kind", ["A", "I", "L", "T", "H"])
def test_a_match_without_events_has_no_questions(kind: str) -> None:
    match = {**matches("basketball")[0], "events": []}
    with pytest.raises(ArgumentError, match=f"kind {kind}"):
        break_questions(match, 2, "CR", stream(matches("basketball")[0], "CR", 2), kinds=[kind])


def test_a_match_without_events_has_no_pairs() -> None:
    match = {**matches("basketball")[0], "events": []}
    with pytest.raises(ArgumentError, match="pair"):
        break_questions(match, 2, "CR", stream(matches("basketball")[0], "CR", 2), pair="anchored")
