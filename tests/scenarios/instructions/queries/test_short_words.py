"""Turns in short demands: what the plans hold, how long they are, and that every turn is read as it was meant."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from statistics import median
from typing import Any

import pytest
from everyday_values import VALUES, Params

import evolif
from evolif.scenarios.instructions.queries import check_query
from evolif.scenarios.instructions.synthesis import TemplateSynthesizer, load_personas
from evolif.scenarios.instructions.synthesis.draw import DrawMemory
from evolif.scenarios.instructions.synthesis.plans import SEAL, UNSEAL
from evolif.scenarios.instructions.synthesis.short_plans import (
    fill_short,
    load_drop_plans,
    load_short_plans,
    read_reasons,
)
from evolif.scenarios.instructions.synthesis.short_values import short_form
from evolif.scenarios.instructions.synthesis.short_words import ShortVoice, short_reason
from evolif.scenarios.instructions.synthesis.style import OWN_REGISTERS
from evolif.scenarios.instructions.tracker import load_topics
from evolif.scenarios.instructions.turns import Constraint, Move, Operation, ScriptTurn, Topic, TurnAct
from evolif.util.rng import Stream

FEWEST = 6
"""Plans of a kind of constraint in one register, with the ways to drop any constraint for a lift."""
DEMANDS = ("do", "bit", "hung", "say", "gripe")
REASONS = {
    line.text
    for group in VALUES
    for lines in getattr(load_short_plans(group), "reasons", {}).values()
    for line in lines
}
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
def worded(dialogues: int, *, persons: bool = False) -> list[tuple[ScriptTurn, str]]:
    stream, synthesizer = Stream(5, 3), TemplateSynthesizer(9, short=True, persons=persons)
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


@pytest.mark.parametrize("group", VALUES)
def test_formal_persons_have_plans_of_every_kind_of_constraint(group: str) -> None:
    plans = load_short_plans(group)
    assert plans is not None
    for shape, kinds in plans.shapes.items():
        typed = {kind: [plan for plan in listed if plan.fits_person("formal")] for kind, listed in kinds.items()}
        assert len(typed["do"]) >= 2 and len(typed["do"] + typed["bit"] + typed["say"]) >= 3 and typed["hung"], shape
        assert "free" not in typed or len(typed["free"]) >= 2, "or the release would be worded as a demand"
    drops = load_drop_plans()
    for listed in (drops.reset, drops.reset_with, drops.again, drops.back, drops.lift["do"], drops.lift["say"]):
        assert sum(plan.fits_person("formal") for plan in listed) >= 2


@pytest.mark.slow
@pytest.mark.parametrize("persons", [False, True])
def test_every_turn_is_read_as_it_was_meant(persons: bool) -> None:
    turns = worded(160, persons=persons)
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


def reasons_in(query: str) -> list[str]:
    """The reasons of the bank that a query gives, however its person types."""
    told = bare(query)
    return [text for text in REASONS if told.endswith(bare(text))]


def bare(text: str) -> str:
    """The letters of a text, without contractions."""
    full = text.casefold().replace("’", "'")
    for short, long in (
        ("n't", " not"),
        ("'ll", " will"),
        ("'m", " am"),
        ("'s", " is"),
        ("'ve", " have"),
        ("'re", " are"),
    ):
        full = full.replace(short, long).replace(short.replace("'", ""), long if short == "n't" else short[1:])
    return "".join(filter(str.isalnum, full))


@pytest.mark.slow
def test_one_demand_in_ten_has_a_reason_that_the_dialogue_gives_once() -> None:
    turns = worded(400, persons=True)
    with_reasons = [turn for turn, _ in turns if _takes_reasons(turn)]
    given = [(turn.dialogue, reasons) for turn, query in turns if (reasons := reasons_in(query))]
    assert 0.06 <= len(given) / len(with_reasons) <= 0.11, (len(given), len(with_reasons))
    said = [(dialogue, text) for dialogue, texts in given for text in texts]
    assert len(said) == len(set(said))
    assert not any(reasons_in(query) for _, query in worded(400)), "and none where persons do not matter"


def _takes_reasons(turn: ScriptTurn) -> bool:
    if len(turn.operations) != 1 or turn.act == "replace_all" or turn.operation.after is None:
        return False
    plans, form = load_short_plans(turn.operation.group), short_form(turn.operation.group, turn.operation.after)
    return plans is not None and form is not None and form.shape in plans.reasons


def voice_of(persona: str, stream: Stream) -> ShortVoice:
    return ShortVoice(stream, persona, DrawMemory(), persons=True)


def said_reasons(turn: ScriptTurn, register: str) -> set[str]:
    """What is said behind a turn over many draws."""
    return {short_reason(turn, voice_of(register, Stream(1, number))) for number in range(400)} - {""}


SHORTER = {"unit": "words", "relation": "at_most", "count": 50}
QUESTION = Topic("t1", "Why do cats purr?", (), title="purring")
LETTER = Topic("t2", "Write a letter to my landlord about the mould.", (), title="the letter about the mould")


def asked(topic: Topic, before: Params | None, after: Params | None) -> ScriptTurn:
    kind: Any = "add" if before is None else "remove" if after is None else "modify"
    return ScriptTurn(1, 2, topic, "continue", (Operation(kind, "length", before, after),), (), (), "")


def test_reasons_fit_the_task_the_register_and_the_direction() -> None:
    phone, card = "I'll read it on my phone.", "It has to fit on a card."
    question, letter = (said_reasons(asked(topic, None, SHORTER), "neutral") for topic in (QUESTION, LETTER))
    assert phone in question - letter and card in letter - question
    plans = load_short_plans("length")
    assert plans is not None
    formal = said_reasons(asked(QUESTION, None, SHORTER), "formal")
    assert formal and formal <= {line.text for line in plans.reasons["most"] if line.fits_person("formal")}
    assert said_reasons(asked(QUESTION, {**SHORTER, "count": 90}, SHORTER), "neutral")
    assert not said_reasons(asked(QUESTION, SHORTER, {**SHORTER, "count": 90}), "neutral"), "a looser limit"
    assert not said_reasons(asked(QUESTION, SHORTER, None), "neutral"), "a limit that goes"


@pytest.mark.slow
@pytest.mark.parametrize("group", VALUES)
def test_no_reason_reads_like_a_demand(group: str) -> None:
    plans, stream = load_short_plans(group), Stream(7, len(group))
    assert plans is not None
    for params in stream.sample(VALUES[group], min(12, len(VALUES[group]))):
        form = short_form(group, params)
        assert form is not None
        order = plans.of(form.shape, "do")[0]
        demand = fill_short(order, form.slots).replace(SEAL, "").replace(UNSEAL, "")
        for line in plans.reasons.get(form.shape, ()):
            operation = Operation("add", group, None, params)
            turn = ScriptTurn(1, 2, QUESTION, "continue", (operation,), (Constraint(group, params),), (), "")
            alone, both = (evolif.check_query(line_of(turn), text) for text in (demand, f"{demand} {line.text}"))
            assert len(both) <= len(alone), (demand, line.text, both)


@pytest.mark.parametrize(
    ("reasons", "told"),
    [
        ([], "needs kinds of constraints"),
        ({"moist": ["Because."]}, "“moist” is no kind of constraint"),
        ({"most, most": ["Because."]}, "“most” comes twice"),
        ({"most": "Because."}, "needs a list of texts"),
        ({"most": ["Z|Because."]}, "the tag “Z” is unknown"),
    ],
)
def test_reasons_that_no_bank_has(reasons: Any, told: str) -> None:
    plans = load_short_plans("length")
    assert plans is not None
    with pytest.raises(evolif.InputError, match=told):
        read_reasons(reasons or "none", plans.shapes, Path("length.yaml"))
