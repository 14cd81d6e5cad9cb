"""A turn's operations: one is written as ever, several as a list; readers take both."""

import json
from dataclasses import replace

import pytest

from evolif.errors import InputError, UsageError
from evolif.exchange.tables import NESTED
from evolif.review.turn_view import intention_of
from evolif.scenarios.instructions.queries import check_query, read_claims
from evolif.scenarios.instructions.synthesis import TemplateSynthesizer
from evolif.scenarios.instructions.synthesis.prompts import change_of
from evolif.scenarios.instructions.turn_lines import parse_turn, to_object
from evolif.scenarios.instructions.turns import Constraint, Operation, Persona, Topic, Turn

TOPIC = Topic("t", "Write about the old harbour and its ferry.", ("harbour", "ferry"), title="the harbour text")
PERSONA = Persona("p", "Somebody.", ("short",))
WORDS = {"unit": "words", "relation": "less_than", "count": 100}
BULLETS = Operation("add", "bullets", None, {"count": 4})
LENGTH = Operation("add", "length", None, WORDS)


def turn_of(*operations, act="change", move="continue", query="Go."):
    constraints = tuple(Constraint(one.group, one.after) for one in operations if one.after is not None)
    return Turn(1, 3, TOPIC, move, operations, constraints, PERSONA, query, "template", act=act)


def test_one_operation_is_written_as_ever():
    told = to_object(turn_of(BULLETS))
    assert told["operation"] == {"kind": "add", "group": "bullets", "before": None, "after": {"count": 4}}
    assert not {"operations", "act"} & told.keys()
    assert parse_turn(told) == turn_of(BULLETS)


def test_several_are_written_as_a_list_alone():
    turn = turn_of(LENGTH, BULLETS, act="state", move="new")
    told = json.loads(json.dumps(to_object(turn)))
    assert "operation" not in told
    assert [one["group"] for one in told["operations"]] == ["length", "bullets"]
    assert told["act"] == "state"
    assert parse_turn(told) == turn


def test_a_list_of_one_and_both_entries_are_read():
    told = to_object(turn_of(BULLETS))
    operation = told.pop("operation")
    assert parse_turn({**told, "operations": [operation]}).operation == BULLETS
    assert parse_turn({**told, "operation": {**operation, "group": "x"}, "operations": [operation]}).changed == {
        "bullets"
    }


@pytest.mark.parametrize("operations", [None, [], "x", [{"kind": "add"}], "twice"])
def test_lines_without_readable_operations_are_refused(operations):
    told = to_object(turn_of(BULLETS))
    operation = told.pop("operation")
    told["operations"] = [operation, operation] if operations == "twice" else operations
    with pytest.raises(InputError, match="operation"):
        parse_turn(told)


def test_operation_is_the_only_one():
    assert turn_of(BULLETS).operation == BULLETS
    with pytest.raises(ValueError, match="2 operations"):
        _ = turn_of(LENGTH, BULLETS).operation


def test_a_turn_has_a_kind():
    gone = Operation("remove", "case", {"mode": "all_lower"}, None)
    assert turn_of(BULLETS).kind == turn_of(LENGTH, BULLETS).kind == "add"
    assert turn_of(gone, BULLETS).kind == "several"
    assert turn_of(gone, BULLETS, act="replace_all").kind == "replace_all"


def test_an_intention_tells_every_change():
    assert set(intention_of(turn_of(BULLETS)).to_object()) == {"move", "topic", "before", "after", "stays"}
    told = intention_of(turn_of(LENGTH, BULLETS)).to_object()
    assert len(told["changes"]) == 2
    assert told["stays"] == []


def test_the_template_states_every_change():
    query = TemplateSynthesizer(1).say(turn_of(LENGTH, BULLETS), PERSONA)
    assert "100" in query
    assert "4" in query
    assert check_query(turn_of(LENGTH, BULLETS), query) == []


def test_a_writer_is_told_of_every_change():
    told = change_of(turn_of(LENGTH, BULLETS))
    assert "100" in told.text
    assert "4" in told.text
    gone = Operation("remove", "case", {"mode": "all_lower"}, None)
    assert "lower" not in change_of(turn_of(gone, BULLETS, act="replace_all")).text


def test_each_change_is_looked_for_in_a_query():
    turn = turn_of(LENGTH, BULLETS)
    assert check_query(turn, "Use exactly 4 bullet points and stay below 100 words.") == []
    (found,) = check_query(turn, "Use exactly 4 bullet points.")
    assert (found.checker, found.kind) == ("length", "missing")
    assert [f.kind for f in check_query(turn, "Under 100 words, 4 bullet points, all in lower case.")] == ["extra"]


REPLACED = turn_of(
    Operation("remove", "case", {"mode": "all_lower"}, None),
    Operation("remove", "digits", {"mode": "none"}, None),
    Operation("modify", "length", {**WORDS, "count": 200}, WORDS),
    act="replace_all",
)


@pytest.mark.parametrize(
    ("query", "kinds"),
    [
        ("Forget all that. From now on only this: fewer than 100 words.", []),
        ("Scrap the rules, just keep it under 100 words.", []),
        ("Keep it under 100 words.", ["missing"]),
        ("Forget all that.", ["missing"]),
        ("Forget the lower case rule and the ban on digits, scrap everything: under 100 words.", ["restates"]),
        ("Forget all that. Under 100 words, in lower case.", ["extra"]),
    ],
)  # fmt: skip
def test_everything_is_lifted_at_once(query, kinds):
    assert [found.kind for found in check_query(REPLACED, query)] == kinds


def test_a_lift_of_everything_is_one_claim():
    claims = read_claims("Forget all that, and stay under 100 words.", REPLACED)
    assert [(claim.group, claim.polarity) for claim in claims] == [("everything", "lift"), ("length", "require")]


def test_a_turn_as_an_object_may_have_several():
    turn = {"move": "continue", "operations": [{"kind": "add", "group": "bullets", "after": {"count": 4}}]}
    assert check_query(turn, "Use exactly 4 bullet points.") == []
    with pytest.raises(UsageError, match="operation"):
        check_query({"move": "continue"}, "Go.")


def test_columns_hold_operations():
    assert "operations" in NESTED


def test_rejected_words_are_replaced_by_all_changes():
    turn = replace(turn_of(LENGTH, BULLETS, query="no"), status="rejected")
    assert "100" in TemplateSynthesizer(2).say(turn, PERSONA)
