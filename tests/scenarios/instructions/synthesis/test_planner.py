"""The planner: even, repeatable, and without repetition in a dialogue."""

from __future__ import annotations

from collections import Counter
from itertools import islice

import pytest

from evolif.scenarios.instructions.synthesis import TemplateSynthesizer, load_personas, persona_for
from evolif.scenarios.instructions.synthesis.draw import MEMORY, DrawMemory
from evolif.scenarios.instructions.synthesis.planner import PlannedTurn, Planner
from evolif.scenarios.instructions.synthesis.plans import beginning_of
from evolif.scenarios.instructions.tracker import ScriptSpec, load_profile, load_topics, script
from evolif.scenarios.instructions.turns import ScriptTurn

SEED = 41
SPEC = ScriptSpec(load_profile("extended"), load_topics(), SEED)
PERSONAS = load_personas()


def turns_of(dialogue: int, count: int = 24) -> list[ScriptTurn]:
    return list(islice(script(SPEC, dialogue), count))


def decisions(dialogue: int, count: int = 24) -> list[PlannedTurn]:
    persona = persona_for(PERSONAS, SEED, dialogue)
    planner, memory = Planner(SEED), DrawMemory()
    made = [planner.decide(turn, persona, memory) for turn in turns_of(dialogue, count)]
    return [decision for decision in made if decision is not None]


@pytest.mark.parametrize("dialogue", range(1, 9))
def test_a_dialogue_never_uses_a_plan_or_a_reason_twice(dialogue: int) -> None:
    made = decisions(dialogue)
    assert len(made) == 24
    assert max(Counter(decision.plan.key for decision in made).values()) == 1
    reasons = Counter(decision.reason.kind for decision in made if decision.reason is not None)
    assert not reasons or max(reasons.values()) == 1


@pytest.mark.slow
def test_a_plan_that_brings_its_reason_gets_no_other() -> None:
    made = [decision for dialogue in range(1, 30) for decision in decisions(dialogue, 12)]
    assert any(decision.reason for decision in made) and any("R" in decision.plan.tags for decision in made)
    assert not any(decision.reason for decision in made if "R" in decision.plan.tags)


def test_openings_are_not_repeated_within_eight_turns() -> None:
    for dialogue in range(1, 20):
        begun = [beginning_of(one.opening) if one.opening else one.plan.beginning for one in decisions(dialogue)]
        for at, beginning in enumerate(begun):
            assert beginning not in begun[max(0, at - MEMORY + 1) : at], (dialogue, at)


@pytest.mark.slow
def test_plans_are_used_evenly_over_a_set() -> None:
    used: dict[str, Counter[str]] = {}
    dialogues = 240
    for dialogue in range(1, dialogues + 1):
        for decision in decisions(dialogue, 12):
            pair, _, number = decision.plan.key.rpartition("/")
            used.setdefault(pair, Counter())[number] += 1
    pair, counts = max(used.items(), key=lambda item: item[1].total())
    assert counts.total() > dialogues // 4 and max(counts.values()) <= 4 * counts.total() / len(counts), (pair, counts)


@pytest.mark.parametrize("dialogue", [1, 2, 3])
def test_the_words_are_the_same_at_once_and_resumed_anywhere(dialogue: int) -> None:
    turns, persona = turns_of(dialogue), persona_for(PERSONAS, SEED, dialogue)
    at_once = TemplateSynthesizer(SEED)
    words = [at_once.say(turn, persona) for turn in turns]
    for number in (0, 1, 7, 23):
        assert TemplateSynthesizer(SEED).say(turns[number], persona, turns[:number]) == words[number]
    assert at_once.say(turns[7], persona, turns[:7]) == words[7], "asked again out of order"
    other = TemplateSynthesizer(SEED + 1)
    assert sum(other.say(turn, persona) == said for turn, said in zip(turns, words, strict=True)) < 4
