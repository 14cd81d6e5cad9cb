"""Reasons and presuppositions where persons are to fit: few, about the demand, never odd, nothing unknown said."""

from __future__ import annotations

from collections import Counter
from functools import cache
from itertools import islice

import pytest

from evolif.scenarios.instructions.constraints import EXTENDED_GROUPS, GROUPS
from evolif.scenarios.instructions.synthesis import TemplateSynthesizer, load_personas, persona_for
from evolif.scenarios.instructions.synthesis.draw import DrawMemory
from evolif.scenarios.instructions.synthesis.own_reasons import every_own_line, persona_reasons, task_reasons
from evolif.scenarios.instructions.synthesis.phrases import load_reasons
from evolif.scenarios.instructions.synthesis.planner import PlannedTurn, Planner
from evolif.scenarios.instructions.synthesis.plans import OWN_TAGS, Plan, load_plans, parse_plan
from evolif.scenarios.instructions.synthesis.style import OWN_REGISTERS
from evolif.scenarios.instructions.tracker import ScriptSpec, load_profile, load_topics, script
from evolif.scenarios.instructions.turns import Persona, ScriptTurn

SEED = 4107
PERSONAS = load_personas()
MOST_REASONED = 0.15


@cache
def decisions(profile: str, dialogues: int, turns: int = 16) -> list[tuple[Persona, ScriptTurn, PlannedTurn]]:
    spec, planner, found = ScriptSpec(load_profile(profile), load_topics(), SEED), Planner(SEED, persons=True), []
    for dialogue in range(1, dialogues + 1):
        persona, memory = persona_for(PERSONAS, SEED, dialogue), DrawMemory()
        for turn in islice(script(spec, dialogue), turns):
            decision = planner.decide(turn, persona, memory)
            assert decision is not None
            found.append((persona, turn, decision))
    return found


def every_list() -> list[tuple[str, tuple[Plan, ...]]]:
    banks = [bank for group in (*GROUPS, *EXTENDED_GROUPS) if (bank := load_plans(group)) is not None]
    return [
        (f"{bank.group}.{act}.{shape}", plans)
        for bank in banks
        for act, shapes in bank.acts.items()
        for shape, plans in shapes.items()
    ]


def test_tags_that_count_only_where_persons_are_to_fit_change_nothing_else() -> None:
    told, plain = parse_plan("k", "cwRPO|My boss wants {count}."), parse_plan("k", "cwRP|My boss wants {count}.")
    assert {"M", "O", "K", "E", "Q", "G"} == OWN_TAGS
    assert (told.text, told.registers, told.tags - OWN_TAGS) == (plain.text, plain.registers, plain.tags)
    assert plain.fits_person("warm") and not told.fits_person("warm") and not plain.fits_person("formal")
    everybody = parse_plan("k", "E|Use {count}.")
    assert len(everybody.registers) == 5 and all(map(everybody.fits_person, OWN_REGISTERS))
    untagged = parse_plan("k", "P|Can you use {count}?")
    assert untagged.fits_person("neutral") and not untagged.fits_person("formal")
    assert not parse_plan("k", "fM|It is still missing.").fits_person("formal")


@pytest.mark.parametrize("register", OWN_REGISTERS)
def test_every_list_keeps_plans_that_bring_no_reason(register: str) -> None:
    fewest = {
        name: number
        for name, plans in every_list()
        if (number := sum(plan.fits_person(register) and "R" not in plan.tags for plan in plans)) < 1
    }
    assert fewest == {}


def test_what_nobody_knows_is_never_said() -> None:
    said = [decision.plan for _, _, decision in decisions("objective", 12)]
    assert said and not any(plan.tags & {"M", "O", "K"} for plan in said)
    assert any("M" in plan.tags for _, plans in every_list() for plan in plans), "the bank has such plans"
    texts = [plan.text for _, plans in every_list() for plan in plans if plan.fits_person("casual")]
    assert not any(text.lower().startswith(("where's {value}", "still too", "it's still missing")) for text in texts)


@pytest.mark.slow
def test_a_formal_person_says_only_lines_that_are_marked_for_it() -> None:
    formal = [plan for persona, _, made in decisions("extended", 80) for plan in [made.plan] if is_formal(persona)]
    assert len(formal) > 100 and all(plan.formal for plan in formal)


def is_formal(persona: Persona) -> bool:
    return persona.register == "formal"


def brings(decision: PlannedTurn) -> bool:
    return decision.reason is not None or "R" in decision.plan.tags


@pytest.mark.slow
@pytest.mark.parametrize("profile", ["objective", "extended", "escalating"])
def test_few_turns_carry_a_reason(profile: str) -> None:
    made = [decision for _, _, decision in decisions(profile, 120)]
    share = sum(map(brings, made)) / len(made)
    assert 0.07 <= share <= MOST_REASONED, share
    assert not any(decision.reason for decision in made if "R" in decision.plan.tags)


def test_no_reason_is_odd_or_general() -> None:
    said = {one.reason.text: one for _, _, one in decisions("extended", 30) if one.reason is not None}
    general = {line.text for kind in load_reasons() if kind.general for line in kind.lines}
    odd = {line.text for kind in load_reasons() for line in kind.lines if line.odd}
    lists = {text for *_, occasion, text in every_own_line() if occasion in ("any", "detail", "drop")}
    assert len(said) > 10 and odd and general
    assert not said.keys() & (odd | general | lists)


def test_lists_of_one_person_or_task_give_what_is_about_the_demand() -> None:
    every = [own for topic in load_topics() if (own := task_reasons(topic)) is not None]
    every += [own for persona in PERSONAS if (own := persona_reasons(persona)) is not None]
    odd = [line for own in every for lines in own.by_occasion.values() for line in lines if line.odd]
    assert odd and not any(line.text.startswith("odd") for line in odd)
    for own in every:
        for occasion in ("any", "detail", "drop"):
            assert own.about(occasion) == ()
        assert not any(line.odd for occasion in ("shorter", "longer", "layout") for line in own.about(occasion))
    told = Counter(occasion for own in every for occasion in ("shorter", "longer", "layout") if own.about(occasion))
    assert min(told.values()) > 250, told


@pytest.mark.parametrize("dialogue", [1, 2])
def test_the_words_are_the_same_at_once_and_resumed_anywhere(dialogue: int) -> None:
    spec, persona = ScriptSpec(load_profile("extended"), load_topics(), SEED), persona_for(PERSONAS, SEED, dialogue)
    turns = list(islice(script(spec, dialogue), 12))
    at_once = TemplateSynthesizer(SEED, persons=True)
    words = [at_once.say(turn, persona) for turn in turns]
    for number in (0, 5, 11):
        again = TemplateSynthesizer(SEED, persons=True)
        assert again.say(turns[number], persona, turns[:number]) == words[number]
    assert words != [TemplateSynthesizer(SEED).say(turn, persona, turns[:at]) for at, turn in enumerate(turns)]
