"""The realiser: what a style does to words, and what it never touches."""

from __future__ import annotations

from dataclasses import replace
from itertools import islice
from typing import Any

import pytest

from evolif.scenarios.instructions.constraints import Change
from evolif.scenarios.instructions.synthesis import load_personas, persona_for
from evolif.scenarios.instructions.synthesis.phrases import Reason
from evolif.scenarios.instructions.synthesis.planner import DrawMemory, PlannedTurn, Planner
from evolif.scenarios.instructions.synthesis.plans import parse_plan
from evolif.scenarios.instructions.synthesis.render import realise
from evolif.scenarios.instructions.synthesis.style import OWN_REGISTERS, TypingStyle, style_of
from evolif.scenarios.instructions.tracker import ScriptSpec, load_profile, load_topics, script
from evolif.scenarios.instructions.turns import Operation, Persona, ScriptTurn, Topic

TOPIC = Topic("t", "Plan It. Don't hurry.", (), title="the Trip I plan")
WANTED = Operation("add", "existence", None, {"counts": {"I don't": 2}})
TURN = ScriptTurn(1, 4, TOPIC, "continue", (WANTED,), (), (), "")


def said(line: str, style: TypingStyle = TypingStyle(), turn: ScriptTurn = TURN, **more: Any) -> str:  # noqa: B008
    slots = {"words": "“I Don't”", "n": "200", "u": "words"}
    return realise(PlannedTurn("add", Change("add", "add", slots), parse_plan("k", line), **more), turn, style)


@pytest.mark.parametrize(
    ("style", "line", "text"),
    [
        (TypingStyle(capitals="lower"), "I'd like {words}. OK?", "i'd like “I Don't”. ok?"),
        (TypingStyle(stops="drop"), "Use {words} now.", "Use “I Don't” now"),
        (TypingStyle(stops="bang"), "Use {words} now.", "Use “I Don't” now!"),
        (TypingStyle(stops="dots"), "Now then. Use {words}.", "Now then... Use “I Don't”."),
        (TypingStyle(contractions="full"), "I'd like it, don't you think? It's got to have {words}, and it's late.",
         "I would like it, don't you think? It has got to have “I Don't”, and it is late."),
        (TypingStyle(contractions="bare"), "I'm sure you can't miss {words}, we're late.",
         "Im sure you cant miss “I Don't”, we're late."),
        (TypingStyle(quotes="straight"), "Use {words}.", 'Use "I Don\'t".'),
        (TypingStyle(spelling="american"), "My favourite colour is {words}.", "My favorite color is “I Don't”."),
        (TypingStyle(spelling="british"), "My favorite color is {words}.", "My favourite colour is “I Don't”."),
        (TypingStyle(), "ok so i want {words}, and i'm serious. now", "Ok so I want “I Don't”, and I'm serious. Now."),
    ],
)  # fmt: skip
def test_a_style_changes_words_and_never_a_literal(style: TypingStyle, line: str, text: str) -> None:
    assert said(line, style) == text


def test_what_is_glued_to_a_demand() -> None:
    assert said("Use {words}.", please=True) == "Use “I Don't”, please."
    assert said("Use {words}, please.", please=True) == "Use “I Don't”, please."
    assert said("Could you use {words}?", hedge="if you can") == "Could you use “I Don't”, if you can?"
    assert said("Use {words}.", hedge="if you can") == "Use “I Don't”."
    assert said("Could you use {words}?", filler="Honestly") == "Honestly, could you use “I Don't”?"
    assert said("I want {words}.", filler="Honestly") == "I want “I Don't”."


def test_what_stands_around_a_demand() -> None:
    reason = Reason("r", "It's for a class.", frozenset(), follows=False)
    parts = {"opening": "Right.", "reason": reason, "closer": "That's all.", "thanks": "Thanks!", "emoji": "🥖"}
    assert said("and {words}", **parts) == "Right. And “I Don't”. It's for a class. That's all. Thanks! 🥖"
    assert said("Use {words}.", reason=reason, reason_first=True) == "It's for a class. Use “I Don't”."
    assert said("Use {words}.", opening="Back to {topic}.") == "Back to the Trip I plan. Use “I Don't”."
    slipped = said("Use {words}.", reason=reason, slip=5)
    assert slipped != said("Use {words}.", reason=reason) and "Use “I Don't”." in slipped


@pytest.mark.parametrize("front", [False, True])
def test_the_task_stands_as_it_is_beside_the_demand(front: bool) -> None:
    style = TypingStyle(capitals="lower", contractions="full", lines="apart")
    turn = replace(TURN, move="new")
    decision = PlannedTurn(
        "state", Change("add", "add", {"words": "“A”"}), parse_plan("k", "Use {words}."), front=front
    )
    parts = ["use “A”.", "Plan It. Don't hurry."]
    assert realise(decision, turn, style) == "\n\n".join(parts if front else parts[::-1])


@pytest.mark.sampled
@pytest.mark.parametrize("register", OWN_REGISTERS)
def test_personas_of_a_register_differ(register: str) -> None:
    """The same turns, worded for two personas with unlike habits."""
    spec = ScriptSpec(load_profile("objective"), load_topics(), 3)
    one, other = (
        Persona(name, "Somebody.", (phrase,), register)
        for name, phrase in (("p", "writes with frozen thumbs"), ("q", "writes like thinking out loud"))
    )
    turns = list(islice(script(spec, 1), 12))
    words = []
    for persona in (one, other):
        planner, memory, style = Planner(3), DrawMemory(), style_of(persona)
        made = [(turn, planner.decide(turn, persona, memory)) for turn in turns]
        words.append([realise(decision, turn, style) for turn, decision in made if decision is not None])
    assert sum(a == b for a, b in zip(*words, strict=True)) < len(words[0]) / 2


@pytest.mark.parametrize("dialogues", [15, pytest.param(40, marks=pytest.mark.slow)])
def test_every_value_of_a_change_is_in_its_query(dialogues: int) -> None:
    spec = ScriptSpec(load_profile("extended"), load_topics(), 9)
    personas = load_personas()
    seen = 0
    for dialogue in range(1, dialogues + 1):
        persona, planner, memory = persona_for(personas, 9, dialogue), Planner(9), DrawMemory()
        style = style_of(persona)
        for turn in islice(script(spec, dialogue), 12):
            decision = planner.decide(turn, persona, memory)
            if decision is None:
                continue
            seen += 1
            query = realise(decision, turn, style).replace('"', "”").replace("“", "”")
            for slot in decision.plan.slots & decision.change.slots.keys():
                value = decision.change.slots[slot].replace('"', "”").replace("“", "”")
                if slot not in ("name", "a_name", "names", "oname", "count") or value.isdigit():
                    assert value in query, (slot, value, query)
            assert "\ue000" not in query
            assert "{" not in query.replace(turn.topic.prompt, "") or "{" in str(turn.operation), query
    assert seen == 12 * dialogues
