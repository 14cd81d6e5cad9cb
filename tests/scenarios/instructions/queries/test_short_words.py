"""Turns in short demands: what the plans hold, how long they are, and that every turn is read as it was meant."""

from __future__ import annotations

from functools import cache
from statistics import median
from typing import Any

import pytest
from everyday_values import VALUES, Params

import evolif
from evolif.scenarios.instructions.queries import check_query
from evolif.scenarios.instructions.synthesis import TemplateSynthesizer, load_personas
from evolif.scenarios.instructions.synthesis.short_plans import load_drop_plans, load_short_plans
from evolif.scenarios.instructions.synthesis.short_values import short_form
from evolif.scenarios.instructions.synthesis.style import OWN_REGISTERS
from evolif.scenarios.instructions.tracker import load_topics
from evolif.scenarios.instructions.turns import Constraint, Move, Operation, ScriptTurn, Topic, TurnAct
from evolif.util.rng import Stream

FEWEST = 6
"""Plans of a kind of constraint in one register, with the ways to drop any constraint for a lift."""
DEMANDS = ("do", "bit", "hung", "say", "gripe")
MOST_REJECTED = 0.01


def line_of(turn: ScriptTurn) -> dict[str, Any]:
    operations = [
        {"kind": op.kind, "group": op.group, "before": op.before, "after": op.after} for op in turn.operations
    ]
    topic = turn.topic
    return {
        "topic": {"id": topic.id, "prompt": topic.prompt, "title": topic.title, "keywords": topic.keywords},
        "move": turn.move,
        "act": turn.act,
        "operations": operations,
        "constraints": [{"group": c.group, "params": c.params} for c in turn.constraints],
    }


def drawn_turn(stream: Stream, dialogue: int, number: int, topic: Topic) -> ScriptTurn:
    """A turn with one to three operations on different groups."""
    first = number == 1
    move: Move = "new" if first else stream.weighted([("continue", 80), ("backtrack", 20)])
    operations: list[Operation] = []
    for group in stream.sample(list(VALUES), stream.weighted([(1, 70), (2, 25), (3, 5)])):
        after, before = dict(stream.choice(VALUES[group])), dict(stream.choice(VALUES[group]))
        operations.append(_drawn_operation(stream, group, before, after, first=first))
    held = tuple(Constraint(op.group, op.after) for op in operations if op.after is not None)
    act: TurnAct = "replace_all" if number > 2 and held and stream.below(6) == 0 else "change"
    return ScriptTurn(dialogue, number, topic, move, tuple(operations), held, (), "", act)


def _drawn_operation(stream: Stream, group: str, before: Params, after: Params, *, first: bool) -> Operation:
    kind = "add" if first else stream.weighted([("add", 50), ("modify", 30), ("remove", 20)])
    if kind == "remove":
        return Operation("remove", group, before, None)
    if kind == "add" or before == after or group in ("existence", "forbidden"):
        return Operation("add", group, None, after)
    return Operation("modify", group, before, after)


@cache
def worded(dialogues: int) -> list[tuple[ScriptTurn, str]]:
    stream, synthesizer = Stream(5, 3), TemplateSynthesizer(9, short=True)
    personas, topics = load_personas(), load_topics()
    found = []
    for dialogue in range(1, dialogues + 1):
        persona, topic = stream.choice(personas), stream.choice(topics)
        for number in range(1, 6):
            turn = drawn_turn(stream, dialogue, number, topic)
            found.append((turn, synthesizer.say(turn, persona)))
    return found


@pytest.mark.parametrize("group", VALUES)
def test_every_kind_has_plans_in_every_register(group: str) -> None:
    plans = load_short_plans(group)
    assert plans is not None
    seen: set[str] = set()
    for params in VALUES[group]:
        form = short_form(group, params)
        assert form is not None, params
        for register in OWN_REGISTERS:
            assert sum(len(plans.of(form.shape, kind, register)) for kind in DEMANDS) >= FEWEST, (form.shape, register)
            lifts = sum(register in plan.registers for listed in load_drop_plans().lift.values() for plan in listed)
            assert lifts * len(plans.of(form.shape, "names", register)) >= FEWEST, (form.shape, register)
        seen.add(form.shape)
    for shape in seen:
        texts = [plan.text for kind in DEMANDS if kind != "hung" for plan in plans.of(shape, kind)]
        assert len(texts) == len({text.casefold().rstrip(".?") for text in texts}), shape


def test_short_demands_are_short() -> None:
    lengths = [
        plan.length
        for group in VALUES
        for kinds in getattr(load_short_plans(group), "shapes", {}).values()
        for kind in DEMANDS
        for plan in kinds.get(kind, ())
    ]
    assert 4 <= median(lengths) <= 6
    assert sum(length > 11 for length in lengths) <= 0.05 * len(lengths)


@pytest.mark.slow
@pytest.mark.slow
@pytest.mark.parametrize("dialogues", [60, pytest.param(400, marks=pytest.mark.slow)])
def test_every_turn_is_read_as_it_was_meant(dialogues: int) -> None:
    turns = worded(dialogues)
    rejected = [
        (query, [finding.message for finding in findings])
        for turn, query in turns
        if (findings := evolif.check_query(line_of(turn), query))
    ]
    assert len(rejected) <= MOST_REJECTED * len(turns), rejected


def test_the_same_turns_have_the_same_words() -> None:
    turns = [(turn, query) for turn, query in worded(60) if turn.dialogue == 7]
    again = TemplateSynthesizer(9, short=True)
    stream = Stream(5, 3)
    personas, topics = load_personas(), load_topics()
    persona = personas[0]
    for dialogue in range(1, 8):
        persona, topic = stream.choice(personas), stream.choice(topics)
        for number in range(1, 6):
            drawn_turn(stream, dialogue, number, topic)
    past = [turn for turn, _ in turns]
    assert again.say(past[-1], persona, past[:-1]) == turns[-1][1]


CARRIED = [
    Operation("add", "emoji", None, {"relation": "none"}),
    Operation("add", "bullets", None, {"relation": "exactly", "count": 5, "kind": "bullet"}),
]
TASK = Topic("T9", "Explain how a lock lifts a boat.", ("lock", "boat"), title="the lock")


def carrying(act="carry", move="new"):
    constraints = tuple(Constraint(one.group, one.after) for one in CARRIED)
    return ScriptTurn(1, 7, TASK, move, tuple(CARRIED), constraints, (), "", act)


@pytest.mark.parametrize(
    "said",
    [
        "Same rules as before.",
        "Same rules as for the last one.",
        "Everything I asked for before goes for this one, too.",
        "The requirements that I set out for the previous task apply to this one as well.",
        "Rules unchanged.",
        "Still 5 bullets, same rules as before.",
    ],
)
def test_carried_demands_are_said_at_once(said):
    assert check_query(carrying(), f"{TASK.prompt} {said}") == []


@pytest.mark.parametrize(
    ("said", "kind"),
    [
        ("No emojis, five bullets.", "missing"),
        ("", "missing"),
        ("Same rules as before, and at most 100 words.", "extra"),
        ("Same rules as before, in French.", "extra"),
        ("Same rules as before: no emojis, 5 bullets.", "restates"),
        ("Same rules as before, with 6 bullets.", "extra"),
    ],
)
def test_what_a_turn_that_carries_demands_may_not_say(said, kind):
    assert [one.kind for one in check_query(carrying(), f"{TASK.prompt} {said}")] == [kind]


def test_a_new_task_with_demands_of_its_own_does_not_take_over_others():
    (found,) = check_query(carrying("state"), f"{TASK.prompt} No emojis. 5 bullets. Same rules as before.")
    assert found.kind == "extra" and "task before" in found.message


@pytest.mark.parametrize("line", [plan.text for plan in load_drop_plans().carry])
def test_every_own_wording_of_carried_demands_is_understood(line):
    assert check_query(carrying(), f"{TASK.prompt} {line}") == []
