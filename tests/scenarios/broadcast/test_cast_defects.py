"""Planted defects cost exactly their items, over all kinds of turns; witnesses cost nothing."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest
from broadcast_matches import PERIODS
from broadcast_turns import Turn, check_cost, turns_of

from evolif.errors import ArgumentError
from evolif.scenarios.broadcast.dialogue import dialogue
from evolif.scenarios.broadcast.planted_errors import planted
from evolif.scenarios.broadcast.scoring import score_reply
from evolif.scenarios.broadcast.witness import witness

MATCHES = 15
TASKS = ("IF", "CR", "IR", "TS")
ON_EVENTS = {"an event left out", "a neighbor's name", "a wrong clock", "another period", "every clock wrong"}
ON_TAGS = {"the other first tag", "a first tag in lower case", "text beside the tags", "a wrong letter", "both letters"}
ON_TAGS |= {"a letter left out"}
ON_BODIES = ON_TAGS | {"one word more", "a sentence more", "a sentence left out", "another last letter"}
NAMES = {
    "S": {"a wrong number", "a team left out", "the other team"},
    "A": ON_EVENTS | {"one invented"},
    "I": ON_EVENTS | {"more invented than true"},
    "L": {"a wrong number", "a change left out", "a change left out and not counted", "a wrong clock", "the other team"}
    | {"more invented than true"},
    "M": {"another letter"},
    "K": ON_TAGS
    | {"a word before the spelling", "a word inside the spelling", "the last word left out"}
    | {"one word more", "the other team"},
    "Q": ON_BODIES
    | {"a wrong number", "a neighbor's name", "a line left out", "exchanged names", "no block"}
    | {"no summary", "a summary of one word more"},
}
"""The faults of every kind, besides saying nothing."""
CASES = {"a case left out", "the other team", "a wrong number", "a level score", "the other case"}
SHARES = {"a wrong number", "the other share", "a share left out"}
PLAYERS = {"a neighbor's name", "a player left out"}


def all_turns(sport: str, matches: int = MATCHES) -> list[Turn]:
    return [turn for number in range(matches) for turn in turns_of(sport, number)]


@pytest.mark.sampled
@pytest.mark.parametrize("sport", PERIODS)
def test_witnesses_satisfy_every_item_that_rules_check(sport: str) -> None:
    for turn in all_turns(sport, 40):
        result = score_reply(turn, witness(turn))
        assert (result["score"], result["gates"]) == (1.0, []), (witness(turn), result)
        assert all(item["satisfied"] for item in result["items"])


@pytest.mark.sampled
@pytest.mark.parametrize(
    ("sport", "task", "dialogues"),
    [("basketball", "IF", 4), *((sport, task, 25) for sport in PERIODS for task in TASKS)],
)
def test_each_defect_costs_exactly_its_items_and_triggers_exactly_its_gates(
    sport: str, task: str, dialogues: int
) -> None:
    for number in range(dialogues):
        for turn in dialogue(task, sport, number, seed=19)["turns"]:
            for defect in planted(turn, harmless=True) if turn["judged"] else ():
                check_cost(turn, defect)


@pytest.mark.sampled
@pytest.mark.parametrize(
    ("task", "settings"),
    [
        ("IF", {"chunks": 10}),
        ("CR", {"ask_after": 3}),
        ("CR", {"pair": "anchored"}),
        ("CR", {"pair": "interval"}),
        ("IR", {"whole": True}),
        ("TS", {"switch": "chat"}),
    ],
)
def test_defects_of_variants_cost_exactly_their_items(task: str, settings: dict[str, Any]) -> None:
    for sport in PERIODS:
        for turn in dialogue(task, sport, 1, seed=23, **settings)["turns"]:
            for defect in planted(turn, harmless=True) if turn["judged"] else ():
                check_cost(turn, defect)


def teams_of(turn: Turn) -> list[str]:
    return list(turn["names"]["teams"])


@pytest.mark.parametrize("sport", PERIODS)
def test_the_witness_of_another_match_is_never_right(sport: str) -> None:
    """Checkers that accept anything would be found out here."""
    for kind in "SKQAILTHM":
        turns = [turn for turn in all_turns(sport, MATCHES * (1 + (kind == "L"))) if turn["kind"] == kind]
        pairs = [(one, other) for one, other in pairwise(turns) if not {*teams_of(one)} & {*teams_of(other)}]
        pairs = [(one, other) for one, other in pairs if witness(one) != witness(other)]  # `Gain: 50.0` may come twice
        assert len(pairs) >= 5
        assert not any(score_reply(one, witness(other))["score"] == 1 for one, other in pairs), kind


def wanted_names(sport: str, kind: str, formatted: bool) -> set[str]:
    if kind in "TH":
        return (CASES if sport == "basketball" else SHARES) | (PLAYERS if kind == "T" else set())
    events = {"a wrong number"} if sport == "basketball" else {"a neighbor's name for the loser", "the other winner"}
    return NAMES[kind] | (events if kind in "AI" else set()) | (ON_BODIES if formatted and kind == "S" else set())


@pytest.mark.sampled
@pytest.mark.parametrize("sport", PERIODS)
def test_every_fault_that_the_rules_know_is_planted_in_every_kind_of_turn(sport: str) -> None:
    found: dict[tuple[str, bool], set[str]] = {}
    for turn in all_turns(sport):
        names = {defect.name for defect in planted(turn)}
        found.setdefault((turn["kind"], "intent" in turn), set()).update(names)
    assert len(found) == 10
    for (kind, formatted), names in found.items():
        assert wanted_names(sport, kind, formatted) | {"nothing said"} <= names, kind


@pytest.mark.sampled
@pytest.mark.parametrize("sport", PERIODS)
def test_faults_differ_from_the_witness_and_cost_something(sport: str) -> None:
    for turn in all_turns(sport, 5):
        for defect in planted(turn):
            assert defect.reply != witness(turn)
            assert defect.costs or defect.gates or defect.false
        assert {defect.name for defect in planted(turn, harmless=True)} >= {defect.name for defect in planted(turn)}


def test_one_invented_event_beside_five_right_ones_costs_as_much_as_a_missing_one() -> None:
    turn = next(turn for turn in all_turns("basketball") if turn["kind"] == "I" and len(turn["key"]) >= 5)
    asked = len(turn["key"])
    (invented,) = (defect for defect in planted(turn) if defect.name == "one invented")
    assert (invented.costs, invented.gates, invented.false) == ((), (), 1)
    assert score_reply(turn, invented.reply)["score"] == pytest.approx(2 * asked / (2 * asked + 1))
    missing = next(defect for defect in planted(turn) if defect.name == "an event left out")
    assert score_reply(turn, missing.reply)["score"] == pytest.approx(2 * (asked - 1) / (2 * asked - 1))


def test_one_invented_event_is_harmless_in_sets_made_before_it_cost_anything() -> None:
    turn = next(turn for turn in all_turns("basketball") if turn["kind"] == "I" and len(turn["key"]) >= 5)
    stored = [{name: value for name, value in item.items() if name != "precise"} for item in turn["checklist"]]
    old = {**turn, "checklist": stored}
    assert "one invented" not in {defect.name for defect in planted(old)}
    (harmless,) = (defect for defect in planted(old, harmless=True) if defect.name == "one invented")
    assert score_reply(old, harmless.reply)["score"] == 1
    for defect in planted(old, harmless=True):
        check_cost(old, defect)


def test_reciting_and_inventing_do_not_pay() -> None:
    """As many invented facts as right ones are worth two thirds; nobody who tells anything false is satisfied."""
    for sport in PERIODS:
        for turn in [turn for turn in all_turns(sport) if turn["kind"] == "I"]:
            asked = len(turn["key"])
            for defect in planted(turn):
                if defect.name == "more invented than true":
                    right = witness(turn).splitlines()
                    invented = [line for line in defect.reply.splitlines() if line not in right][:asked]
                    found = score_reply(turn, "\n".join([*right, *invented]))
                    assert found["false"] == len(invented) == asked
                    assert found["score"] == pytest.approx(2 / 3)


def test_costs_of_single_faults() -> None:
    def of(kind: str, name: str, sport: str = "basketball") -> tuple[list[float], tuple[str, ...]]:
        turn = next(turn for turn in all_turns(sport) if turn["kind"] == kind and "intent" not in turn)
        defect = next(defect for defect in planted(turn) if defect.name == name)
        return [turn["checklist"][place]["weight"] for place in defect.costs], defect.gates

    assert of("S", "a wrong number") == ([0.5], ())
    assert of("S", "the other team") == ([0.5, 0.5], ())
    assert of("T", "a neighbor's name") == ([], ("no_right_player",))
    assert of("T", "a neighbor's name", "hockey") == ([0.5], ())
    assert of("T", "a wrong number", "hockey") == ([0.5], ())
    assert of("H", "a wrong number", "hockey") == ([1.0], ())
    assert of("A", "one invented") == ([], ("wrong_player",))
    assert of("A", "one invented", "hockey") == ([], ("wrong_player",))
    assert of("I", "more invented than true") == ([], ("false_facts",))
    assert of("M", "another letter") == ([1.0], ())


def test_turns_that_are_not_judged_have_neither_witness_nor_defects() -> None:
    turn = {**turns_of("hockey", 0)[0], "kind": "C"}
    with pytest.raises(ArgumentError, match="kind"):
        witness(turn)
    with pytest.raises(ArgumentError, match="kind"):
        planted(turn)
