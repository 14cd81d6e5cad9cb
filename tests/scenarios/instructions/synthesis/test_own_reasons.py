"""Reasons of one persona or one task: found by words, not by ids, and fit for the change they stand beside."""

from __future__ import annotations

from dataclasses import replace
from itertools import islice

import pytest

from evolif.scenarios.instructions.constraints import get_group
from evolif.scenarios.instructions.synthesis import load_personas, persona_for
from evolif.scenarios.instructions.synthesis.draw import DrawMemory
from evolif.scenarios.instructions.synthesis.own_reasons import (
    OCCASIONS,
    every_own_line,
    occasion_of,
    persona_reasons,
    task_reasons,
)
from evolif.scenarios.instructions.synthesis.planner import PlannedTurn, Planner
from evolif.scenarios.instructions.tracker import ScriptSpec, load_profile, load_topics, script
from evolif.scenarios.instructions.turns import Persona, ScriptTurn

SEED = 77
SPEC = ScriptSpec(load_profile("extended"), load_topics(), SEED)
PERSONAS = load_personas()


def decisions(dialogue: int, persona: Persona, *, foreign: bool = False) -> list[tuple[ScriptTurn, PlannedTurn]]:
    planner, memory, made = Planner(SEED), DrawMemory(), []
    for turn in islice(script(SPEC, dialogue), 16):
        if foreign:
            turn = replace(turn, topic=replace(turn.topic, title=f"{turn.topic.title} of ours"))
        decision = planner.decide(turn, persona, memory)
        if decision is not None:
            made.append((turn, decision))
    return made


def reasons_of(dialogues: range, *, foreign: bool = False) -> list[str]:
    """The texts of the reasons in some dialogues; with `foreign`, of personas and topics that are not packaged."""
    said = []
    for dialogue in dialogues:
        persona = persona_for(PERSONAS, SEED, dialogue)
        if foreign:
            persona = replace(persona, sentence="Somebody new.")
        said += [one.reason.text for _, one in decisions(dialogue, persona, foreign=foreign) if one.reason is not None]
    return said


@pytest.mark.slow
def test_most_reasons_belong_to_the_persona_or_to_the_task() -> None:
    own = {text for *_, text in every_own_line()}
    said = reasons_of(range(1, 60))
    assert sum(text in own for text in said) > len(said) / 2


@pytest.mark.slow
def test_ids_of_other_catalogues_find_nothing() -> None:
    own = {text for *_, text in every_own_line()}
    said = reasons_of(range(1, 40), foreign=True)
    assert said and not own & set(said)


def test_entries_are_found_by_their_words() -> None:
    persona = next(persona for persona in PERSONAS if persona_reasons(persona))
    topic = next(topic for topic in load_topics() if task_reasons(topic))
    mine, task = persona_reasons(persona), task_reasons(topic)
    assert mine is not None and mine == persona_reasons(replace(persona, id="mine-1"))
    assert task is not None and task == task_reasons(replace(topic, id="mine-1"))
    assert persona_reasons(replace(persona, sentence="Somebody new.")) is None
    assert task_reasons(replace(topic, title="")) is None


@pytest.mark.slow
def test_no_line_is_said_twice_in_a_dialogue_and_drops_follow_the_lift() -> None:
    own = {text: occasion for _, _, occasion, text in every_own_line()}
    lifted = 0
    for dialogue in range(1, 60):
        said = []
        for _, decision in decisions(dialogue, persona_for(PERSONAS, SEED, dialogue)):
            if decision.reason is None or decision.reason.text not in own:
                continue
            said.append(decision.reason.text)
            gives_up = decision.change.act == "lift" or decision.change.shape == "release"
            assert (own[decision.reason.text] == "drop") == gives_up, decision
            lifted += gives_up
            assert not (gives_up and decision.reason_first)
        assert len(said) == len(set(said))
    assert lifted


WORDS = {"unit": "words", "relation": "less_than", "count": 300}


@pytest.mark.parametrize(
    ("group", "before", "after", "occasion"),
    [
        ("length", None, WORDS, "shorter"),
        ("length", {**WORDS, "count": 500}, WORDS, "shorter"),
        ("length", {**WORDS, "count": 200}, WORDS, "longer"),
        ("length", None, {**WORDS, "relation": "more_than"}, "longer"),
        ("length", {**WORDS, "relation": "more_than", "count": 900}, {**WORDS, "relation": "more_than"}, "any"),
        ("length", {**WORDS, "unit": "characters"}, WORDS, "any"),
        ("length", WORDS, None, "drop"),
        ("bullets", None, {"count": 5}, "layout"),
        ("bullets", {"count": 9}, {"count": 5}, "shorter"),
        ("bullets", {"count": 5}, {"count": 9}, "longer"),
        ("emphasis", {"count": 5}, {"count": 9}, "layout"),
        ("format", None, {"mode": "html"}, "any"),
        ("format", None, {"mode": "json"}, "any"),
        ("forbidden", None, {"keywords": ["kyoto"]}, "detail"),
        ("emotion", None, {"emotion": "happy"}, "any"),
    ],
)
def test_the_occasion_of_a_change(
    group: str, before: dict[str, object] | None, after: dict[str, object] | None, occasion: str
) -> None:
    change = get_group(group).change(before, after)
    assert occasion in OCCASIONS
    assert occasion_of(group, change.act, change) == occasion
