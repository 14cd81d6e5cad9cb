"""Questions for an anchored event and for an interval: what each must satisfy, recomputed from the events."""

from __future__ import annotations

import json
from itertools import pairwise
from typing import Any

import pytest
from broadcast_questions import SPORTS, dialogues, facts, facts_between, of_kind, on_air, seconds

from evolif.scenarios.broadcast import events_at, events_between
from evolif.scenarios.broadcast.events import faceoffs_at, faceoffs_between

pytestmark = pytest.mark.parametrize("sport", SPORTS)


@pytest.mark.slow
def test_an_anchor_is_all_that_happens_at_its_moment(sport: str) -> None:
    for match, _, asked in of_kind(sport, "CR", "A"):
        anchor = seconds(sport, asked.question["anchor"])
        [fact] = [fact for moment, fact in facts(match) if moment == anchor]
        named = [asked.question["player"], asked.question["opponent"]] if sport == "hockey" else [fact[0], fact[1]]
        assert fact == [*named, *asked.question["anchor"]]
        assert asked.question.keys() == {"player", "anchor", "delta"} | ({"opponent"} if sport == "hockey" else set())


@pytest.mark.slow
def test_a_target_is_everything_of_a_later_moment_a_minute_away_or_more(sport: str) -> None:
    for match, _, asked in of_kind(sport, "CR", "A"):
        target = on_air(sport, asked.question["anchor"]) + round(10 * asked.question["delta"])
        assert asked.key == [fact for _, fact in facts(match) if on_air(sport, fact[2:]) == target]
        assert 60 <= asked.question["delta"] <= 900
        assert {tuple(fact[2:]) for fact in asked.key} == {tuple(asked.evidence_moment or [])}


def test_a_delta_is_told_with_one_decimal_at_most(sport: str) -> None:
    deltas = [asked.question["delta"] for _, _, asked in of_kind(sport, "CR", "A")]
    assert all(len(json.dumps(delta).partition(".")[2]) <= 1 for delta in deltas)
    assert all(isinstance(delta, int) == (delta == int(delta)) for delta in deltas)
    assert any(isinstance(delta, float) for delta in deltas) == (sport == "basketball")


def test_some_targets_lie_in_the_period_after_their_anchor(sport: str) -> None:
    periods = [(asked.question["anchor"][0], asked.evidence_period) for _, _, asked in of_kind(sport, "CR", "A")]
    assert {(target or 0) - anchor for anchor, target in periods} == {0, 1}


def test_an_interval_holds_5_to_25_events_and_all_of_them_are_the_key(sport: str) -> None:
    sizes = set()
    for match, _, asked in of_kind(sport, "CR", "I"):
        start, end = asked.question["start"], asked.question["end"]
        assert asked.key == facts_between(match, start, end)
        assert asked.evidence_moment == end
        sizes.add(len(asked.key))
    assert sizes == set(range(5, 26))


def test_ends_of_intervals_lie_on_events_and_between_them(sport: str) -> None:
    asked = [one for _, _, one in of_kind(sport, "CR", "I")]
    for end, at in (("start", 0), ("end", -1)):
        on_event = sum(one.question[end] == one.key[at][2:] for one in asked)
        assert 0.4 < on_event / len(asked) < 0.7


@pytest.mark.slow
def test_keys_are_those_of_the_functions_that_others_call(sport: str) -> None:
    for match, _, asked in [*of_kind(sport, "CR", "A"), *of_kind(sport, "CR", "I")]:
        told = asked.question
        if asked.kind == "A" and sport == "hockey":
            key = faceoffs_at(match["faceoffs"], *told["anchor"], told["delta"])
        elif asked.kind == "A":
            key = events_at(match["events"], sport, *told["anchor"], told["delta"])
        elif sport == "hockey":
            key = faceoffs_between(match["faceoffs"], told["start"], told["end"])
        else:
            key = events_between(match["events"], sport, told["start"], told["end"])
        assert asked.key == key


def test_nobody_starts_twice_from_one_event_or_was_away_when_it_happened(sport: str) -> None:
    for dialogue in dialogues(sport, "CR"):
        anchors = [one.question.question["anchor"] for one in dialogue if one.question.kind == "A"]
        known: list[Any] = []
        for one in dialogue:
            known += [one.question.question["anchor"]] if one.question.kind == "A" else []
            assert one.question.question.get("start") not in known
        assert len({str(anchor) for anchor in anchors}) == len(anchors)


def test_no_target_and_no_span_comes_twice_in_a_dialogue(sport: str) -> None:
    for dialogue in dialogues(sport, "CR"):
        targets = [str(one.question.evidence_moment) for one in dialogue if one.question.kind == "A"]
        spans = [str(one.question.question) for one in dialogue if one.question.kind == "I"]
        assert len(set(targets)) == len(targets)
        assert len(set(spans)) == len(spans)


@pytest.mark.slow
def test_a_pair_asks_for_the_same_evidence_at_the_same_distance(sport: str) -> None:
    for anchored, interval in zip(dialogues(sport, "CR", "anchored"), dialogues(sport, "CR", "interval"), strict=True):
        assert [one.question.kind for one in anchored] == ["A"] * len(anchored)
        assert [one.question.kind for one in interval] == ["I"] * len(anchored)
        for (match, _, target), (_, _, span) in zip(anchored, interval, strict=True):
            assert span.question["end"] == target.evidence_moment == span.evidence_moment
            assert span.distance == target.distance
            assert span.key[-len(target.key) :] == target.key
            assert span.key == facts_between(match, span.question["start"], span.question["end"])
            assert 5 <= len(span.key) <= 25


def test_a_break_of_a_pair_has_three_questions(sport: str) -> None:
    for dialogue in dialogues(sport, "CR", "interval"):
        assert [one.after for one in dialogue] == [at for at in range(1, len(dialogue) // 3 + 1) for _ in range(3)]
        moments = [on_air(sport, one.question.evidence_moment or []) for one in dialogue]
        assert all(before != after for before, after in pairwise(sorted(moments)))
