"""The unified schema: what it accepts, what it keeps, what it counts, and how roles are made to alternate."""

from __future__ import annotations

import copy
from typing import Any

import pytest
from pydantic import ValidationError

from evolif.scenarios.recorded import Dialog, MetricConfig, Turn, describe, ensure_alternating_roles


def turn(turn_id: int, role: str, **fields: Any) -> dict[str, Any]:
    return {"turn_id": turn_id, "role": role, **fields}


def dialog(*turns: dict[str, Any], **fields: Any) -> Dialog:
    return Dialog.model_validate({"dialog_id": 4, "dialog_turns": list(turns), **fields})


def scored(*names: str) -> dict[str, Any]:
    return {"do_eval": True, "metrics": [{"class_name": name} for name in names]}


def test_absent_fields_have_defaults() -> None:
    assert dialog(turn(0, "user")).model_dump() == {
        "dialog_id": 4,
        "dialog_raw_info": {},
        "dialog_labels": {},
        "dialog_eval_config": {"use_reference_history": False},
        "dialog_turns": [
            {
                "turn_id": 0,
                "role": "user",
                "content": None,
                "reference": None,
                "reference_document": None,
                "eval_config": {"do_eval": False, "metrics": [], "dynamic_config_source": {}},
                "turn_labels": {},
            }
        ],
    }


@pytest.mark.parametrize(
    ("fields", "place"),
    [
        ({"dialog_id": True}, ("dialog_id",)),
        ({"dialog_id": "4"}, ("dialog_id",)),
        ({"dialog_id": 4.0}, ("dialog_id",)),
        ({"dialog_id": 2**63}, ("dialog_id",)),
        ({"dialog_turns": None}, ("dialog_turns",)),
        ({"dialog_labels": []}, ("dialog_labels",)),
        ({"dialog_eval_config": {"use_reference_history": 1}}, ("dialog_eval_config", "use_reference_history")),
    ],
)
def test_types_of_a_dialogue_are_never_converted(fields: dict[str, Any], place: tuple[str, ...]) -> None:
    with pytest.raises(ValidationError) as raised:
        dialog(**fields)
    assert raised.value.errors()[0]["loc"] == place


@pytest.mark.parametrize(
    "fields",
    [
        {"role": "tool"},
        {"turn_id": None},
        {"content": 5},
        {"reference": 2022},
        {"reference": ["a", None]},
        {"reference_document": [1, "2"]},
        {"reference_document": [True]},
        {"eval_config": None},
        {"eval_config": {"do_eval": "yes"}},
        {"eval_config": {"metrics": [{}]}},
        {"eval_config": {"metrics": [{"class_name": "recall", "args": []}]}},
        {"turn_labels": None},
    ],
)
def test_types_of_a_turn_are_never_converted(fields: dict[str, Any]) -> None:
    good = turn(0, "assistant", content="x")
    assert dialog(good).dialog_turns[0].text == "x"
    with pytest.raises(ValidationError):
        dialog({**good, **fields})


def test_ids_of_turns_are_unique_but_for_placeholders() -> None:
    assert len(dialog(turn(-1, "user"), turn(-1, "assistant"), turn(0, "user")).dialog_turns) == 3
    with pytest.raises(ValidationError, match="turn_id 3 is used twice"):
        dialog(turn(3, "user"), turn(3, "assistant"))
    with pytest.raises(ValidationError, match="turn_id -1 is used twice"):
        dialog(*[turn(-1, "assistant", eval_config=scored("recall"))] * 2)


@pytest.mark.parametrize("role", ["user", "system"])
def test_only_the_assistant_is_evaluated(role: str) -> None:
    with pytest.raises(ValidationError, match=f"the role is {role}"):
        dialog(turn(0, role, eval_config={"do_eval": True}))


def test_parts_of_content_are_kept_and_read_as_lines() -> None:
    parts = ["one", {"type": "text", "text": "two", "cache": True}, {"type": "text", "text": ""}]
    found = dialog(turn(0, "user", content=parts))
    assert found.dialog_turns[0].text == "one\ntwo\n"
    assert found.written()["dialog_turns"][0]["content"] == parts
    assert Turn(turn_id=0, role="user").text == ""


@pytest.mark.parametrize(
    "part",
    [{"type": "image_url", "image_url": {"url": "x"}}, {"text": "x"}, {"type": "text"}, {"type": "text", "text": 1}, 1],
)
def test_parts_that_are_no_text_are_refused(part: object) -> None:
    with pytest.raises(ValidationError, match="part 2 of the content is no text"):
        dialog(turn(0, "user", content=["x", part]))


def test_an_empty_text_is_a_reference_and_an_empty_list_is_none() -> None:
    references = [Turn(turn_id=0, role="user", reference=one).references for one in ("", [], None, ["a", "b"])]
    assert references == [[""], [], [], ["a", "b"]]


def test_absent_fields_stay_absent_until_their_value_differs() -> None:
    data = {
        "dialog_id": 4,
        "note": {"x": [1]},
        "dialog_turns": [turn(0, "user", reference=None, eval_config={"simulated": 2, "metrics": []})],
    }
    found = Dialog.model_validate(copy.deepcopy(data))
    assert found.written() == data
    found.dialog_turns[0].turn_labels["kind"] = "q"
    found.dialog_eval_config.use_reference_history = True
    found.dialog_turns[0].eval_config.metrics.append(MetricConfig(class_name="recall"))
    assert found.written() == {
        **data,
        "dialog_eval_config": {"use_reference_history": True},
        "dialog_turns": [
            turn(
                0,
                "user",
                reference=None,
                eval_config={"simulated": 2, "metrics": [{"class_name": "recall"}]},
                turn_labels={"kind": "q"},
            )
        ],
    }


def test_unknown_keys_may_have_any_name() -> None:
    data = {
        "dialog_id": 4,
        "dialog_turns": [turn(0, "user", text="other", written=1, model_dump=2, references=["z"], content="x")],
        "with_turns": 3,
    }
    found = Dialog.model_validate(data)
    assert found.written() == data
    assert found.dialog_turns[0].text == "x"


def test_describe_counts_turns_and_metric_entries() -> None:
    first = dialog(
        turn(0, "system"),
        turn(1, "user"),
        turn(2, "assistant", content="given", eval_config={"metrics": [{"class_name": "recall"}]}),
        turn(3, "user"),
        turn(4, "assistant", eval_config=scored("recall", "recall", "llm_judge")),
    )
    second = dialog(turn(0, "user"), turn(1, "assistant", eval_config=scored("recall")))
    assert describe([first, second]) == {
        "dialogues": 2,
        "turns": 7,
        "evaluated_turns": 2,
        "metrics": {"recall": 3, "llm_judge": 1},
        "given_assistant_turns": 1,
    }
    assert describe([]) == {"dialogues": 0, "turns": 0, "evaluated_turns": 0, "metrics": {}, "given_assistant_turns": 0}


@pytest.mark.parametrize(
    ("roles", "expected"),
    [
        ("saUU", "s(u)aU(a)U"),  # the example of the specification
        ("", ""),
        ("ss", "ss"),
        ("ua", "ua"),
        ("u", "u"),
        ("aa", "(u)a(u)a"),
        ("uu", "u(a)u"),
        ("usa", "usa"),
        ("usu", "us(a)u"),
        ("suasua", "suasua"),
    ],
)
def test_roles_alternate_with_placeholders(roles: str, expected: str) -> None:
    names = {"s": "system", "u": "user", "a": "assistant"}
    before = dialog(*(turn(number, names[role.lower()], content="x") for number, role in enumerate(roles)), note=1)
    data = before.written()
    after = ensure_alternating_roles(before)
    seen = [f"({one.role[0]})" if one.turn_id == -1 else one.role[0] for one in after.dialog_turns]
    assert "".join(seen) == expected.lower()
    placeholders = [one for one in after.dialog_turns if one.turn_id == -1]
    assert all(one.content == "" and not one.evaluated for one in placeholders)
    real = [one for one in after.dialog_turns if one.turn_id != -1]
    assert after.with_turns(real) == before
    assert before.written() == data


def test_alternating_twice_changes_nothing_more() -> None:
    once = ensure_alternating_roles(dialog(turn(0, "assistant"), turn(1, "assistant"), turn(2, "system")))
    assert ensure_alternating_roles(once) == once


def test_a_copy_shares_nothing_with_its_dialogue() -> None:
    before = dialog(
        turn(0, "assistant", turn_labels={"deep": {"a": 1}}), dialog_labels={"deep": {"a": 1}}, own={"a": 1}
    )
    after = ensure_alternating_roles(before)
    after.dialog_labels["deep"]["a"] = 2
    after.dialog_turns[1].turn_labels["deep"]["a"] = 2
    after.model_extra["own"]["a"] = 2
    assert before.dialog_labels == before.dialog_turns[0].turn_labels == {"deep": {"a": 1}}
    assert before.model_extra == {"own": {"a": 1}}
