"""The intention that a chat model is told: a reason that fits, a way to refer back, and no definitions."""

from __future__ import annotations

from dataclasses import replace

import pytest

from evolif.scenarios.instructions.constraints import describe
from evolif.scenarios.instructions.synthesis import load_personas
from evolif.scenarios.instructions.synthesis.intent import intent_of
from evolif.scenarios.instructions.synthesis.own_reasons import every_own_line
from evolif.scenarios.instructions.synthesis.phrases import load_reasons
from evolif.scenarios.instructions.synthesis.prompts import change_of, draft_prompt
from evolif.scenarios.instructions.tracker import load_topics
from evolif.scenarios.instructions.turns import Constraint, Operation, Persona, Topic, Turn

TOPIC = Topic("t", "Plan a weekend by the lake.", (), title="the lake trip")
BEFORE, AFTER = {"count": 9}, {"count": 5}


def turn(number: int, operation: Operation, register: str = "neutral", move: str = "continue") -> Turn:
    constraints = () if operation.after is None else (Constraint(operation.group, operation.after),)
    return Turn(1, number, TOPIC, move, (operation,), constraints, Persona("p", "A.", ("b",), register), "", "m")


def intents(operation: Operation, register: str = "neutral") -> list[tuple[str, str]]:
    found = [intent_of(turn(number, operation, register)) for number in range(2, 202)]
    return [(intent.reason, intent.reference) for intent in found]


@pytest.mark.parametrize("register", ["casual", "formal", "pirate"])
def test_reasons_fit_the_change_and_the_register(register: str) -> None:
    said = {reason for reason, _ in intents(Operation("modify", "bullets", BEFORE, AFTER), register) if reason}
    known = {
        line.text
        for kind in load_reasons()
        if kind.general or kind.targets & {"bullets", "bullets.count"}
        for line in kind.lines
        if (register if register != "pirate" else "neutral") in line.registers
    }
    assert len(said) > 5 and said <= known
    lifted = {reason for reason, _ in intents(Operation("remove", "bullets", BEFORE, None), register) if reason}
    assert len(lifted) > 2 and not lifted & {
        line.text for k in load_reasons() if k.kind == "a slide" for line in k.lines
    }


def test_some_changes_have_no_reason_and_the_rest_keeps_it() -> None:
    operation = Operation("modify", "bullets", BEFORE, AFTER)
    silent = sum(not reason for reason, _ in intents(operation))
    assert 80 < silent < 180
    assert intent_of(turn(7, operation)) == intent_of(replace(turn(7, operation), query="other words"))


def test_what_is_lifted_is_always_named() -> None:
    ways = {reference for _, reference in intents(Operation("remove", "bullets", BEFORE, None))}
    assert len(ways) == 2 and not any("Leave out" in way or "Point at" in way for way in ways)
    assert len({reference for _, reference in intents(Operation("modify", "bullets", BEFORE, AFTER))}) == 4


@pytest.mark.parametrize("move", ["new", "continue", "backtrack"])
def test_the_prompt_has_the_intention_and_teaches_no_definition(move: str) -> None:
    before = None if move == "new" else BEFORE
    operation = Operation("add" if before is None else "modify", "bullets", before, AFTER)
    reasons = 0
    for number in range(2, 30):
        asked = turn(number, operation, move=move)
        text = "\n".join(message.content for message in draft_prompt(asked, change_of(asked), ""))
        intent = intent_of(asked)
        assert describe(Constraint("bullets", AFTER)) not in text and "{" not in text
        assert intent.reason in text and (move == "new" or intent.reference in text)
        reasons += bool(intent.reason)
    assert reasons > 3


def test_a_packaged_persona_and_task_give_their_own_reasons() -> None:
    persona, topic = load_personas()[-1], load_topics()[-1]
    operation = Operation("modify", "bullets", BEFORE, AFTER)
    own = {text for *_, text in every_own_line()}
    said = [
        intent_of(replace(turn(number, operation), persona=persona, topic=topic)).reason for number in range(2, 102)
    ]
    given = [reason for reason in said if reason]
    assert sum(reason in own for reason in given) > len(given) / 2
