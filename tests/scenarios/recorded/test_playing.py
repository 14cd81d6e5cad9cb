"""Who answers, what the messages hold on and off policy, and what a fault leaves."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from evolif.errors import ArgumentError, WithheldError
from evolif.scenarios.recorded import Dialog, play
from evolif.scenarios.recorded.playing import Interrupted, Policy
from evolif.types import Message

EVALUATED = {"do_eval": True, "metrics": [{"class_name": "recall"}]}


def answered(turn_id: int, **fields: Any) -> dict[str, Any]:
    return {"turn_id": turn_id, "role": "assistant", "eval_config": EVALUATED, **fields}


def given(turn_id: int, role: str, content: Any) -> dict[str, Any]:
    return {"turn_id": turn_id, "role": role, "content": content}


def dialog(*turns: dict[str, Any], off: bool = False) -> Dialog:
    config = {"use_reference_history": off}
    return Dialog.model_validate({"dialog_id": 7, "dialog_turns": list(turns), "dialog_eval_config": config})


class Model:
    """Answers A1, A2, … and keeps the messages it was shown; fails at a call."""

    def __init__(self, fails_at: int = 0, fault: BaseException | None = None) -> None:
        self.shown: list[tuple[Message, ...]] = []
        self.fails_at = fails_at
        self.fault = fault or RuntimeError("connection lost")

    async def __call__(self, messages: tuple[Message, ...]) -> str:
        self.shown.append(messages)
        await asyncio.sleep(0)
        if len(self.shown) == self.fails_at:
            raise self.fault
        return f"A{len(self.shown)}"

    def history(self, call: int) -> list[str]:
        return [f"{message.role}: {message.content}" for message in self.shown[call - 1]]


def run(one: Dialog, model: Model, policy: Policy = "dialogue") -> Dialog:
    return asyncio.run(play(one, model, policy=policy))


WHOLE = (
    given(0, "system", "Be brief."),
    given(1, "user", ["two", {"type": "text", "text": "lines"}]),
    answered(2, reference=["R1", "other"], content="C1"),
    given(3, "user", None),
    given(4, "assistant", "as it is"),
    given(5, "user", "Q3"),
    answered(6, content="C2"),
    given(7, "user", "Q4"),
    answered(8),
    given(9, "user", "bye"),
)


def test_on_policy_the_model_sees_its_own_answers() -> None:
    model = Model()
    played = run(dialog(*WHOLE), model)
    assert model.history(1) == ["system: Be brief.", "user: two\nlines"]
    assert model.history(2) == [*model.history(1), "assistant: A1", "user: ", "assistant: as it is", "user: Q3"]
    assert model.history(3) == [*model.history(2), "assistant: A2", "user: Q4"]
    assert len(model.shown) == 3
    contents = [turn.content for turn in played.dialog_turns]
    assert contents == ["Be brief.", WHOLE[1]["content"], "A1", None, "as it is", "Q3", "A2", "Q4", "A3", "bye"]


def test_off_policy_the_model_sees_references_or_else_the_content() -> None:
    model = Model()
    played = run(dialog(*WHOLE, off=True), model)
    assert model.history(2)[2] == "assistant: R1"
    assert model.history(3)[6] == "assistant: C2"
    answers = [turn.content for turn in played.dialog_turns if turn.evaluated]
    assert answers == ["A1", "A2", "A3"]


def test_a_policy_may_overrule_the_dialogue() -> None:
    off, on = Model(), Model()
    run(dialog(*WHOLE, off=False), off, "off")
    run(dialog(*WHOLE, off=True), on, "on")
    assert (off.history(2)[2], on.history(2)[2]) == ("assistant: R1", "assistant: A1")


@pytest.mark.parametrize(
    ("reference", "content", "kept"), [("", "C", ""), ([], "C", "C"), ([], "", ""), (None, "", "")]
)
def test_an_empty_text_stands_in_the_history(reference: Any, content: str, kept: str) -> None:
    model = Model()
    run(dialog(answered(0, reference=reference, content=content), given(1, "user", "Q"), answered(2), off=True), model)
    assert model.shown[1] == (Message("assistant", kept), Message("user", "Q"))


@pytest.mark.parametrize("reference", [None, []])
def test_off_policy_without_anything_to_show_fails_before_the_first_call(reference: Any) -> None:
    turns = [given(0, "user", "Q"), answered(1, reference="R"), answered(2, reference=reference), answered(3)]
    model = Model()
    with pytest.raises(ArgumentError, match=r"dialogue 7, turn 2: .*add a reference"):
        run(dialog(*turns, off=True), model)
    assert model.shown == []
    assert len(run(dialog(*turns), model).dialog_turns) == 4


def test_the_last_evaluated_turn_needs_no_reference() -> None:
    model = Model()
    played = run(dialog(given(0, "user", "Q"), answered(1), given(2, "user", "bye"), off=True), model)
    assert played.dialog_turns[1].content == "A1"


def test_the_dialogue_given_is_never_changed() -> None:
    one = dialog(*WHOLE)
    before = one.model_dump()
    played = run(one, Model())
    played.dialog_turns[2].eval_config.metrics.clear()
    played.dialog_turns[2].turn_labels["new"] = 1
    with pytest.raises(Interrupted) as raised:
        run(one, Model(fails_at=2))
    raised.value.dialog.dialog_labels["new"] = 1
    assert one.model_dump() == before


def test_a_fault_keeps_the_turns_before_it() -> None:
    model = Model(fails_at=2, fault=WithheldError("the filter refused"))
    with pytest.raises(Interrupted) as raised:
        run(dialog(*WHOLE), model)
    stopped = raised.value
    assert [turn.turn_id for turn in stopped.dialog.dialog_turns] == [0, 1, 2, 3, 4, 5]
    assert stopped.dialog.dialog_turns[2].content == "A1"
    assert (stopped.dialog.dialog_id, stopped.turn) == (7, 6)
    assert stopped.__cause__ is model.fault
    assert str(stopped) == "dialogue 7, turn 6: no answer (the filter refused)"
    assert len(model.shown) == 2


def test_cancelling_is_no_fault() -> None:
    with pytest.raises(asyncio.CancelledError):
        run(dialog(*WHOLE), Model(fails_at=1, fault=asyncio.CancelledError()))


def test_an_empty_answer_is_an_answer() -> None:
    async def silent(messages: tuple[Message, ...]) -> str:
        return ""

    played = asyncio.run(play(dialog(given(0, "user", "Q"), answered(1, content="old")), silent))
    assert played.dialog_turns[1].content == ""


def test_dialogues_are_played_beside_each_other() -> None:
    models = [Model() for _ in range(20)]

    async def all_of_them() -> list[Dialog]:
        return list(await asyncio.gather(*(play(dialog(*WHOLE), model) for model in models)))

    played = asyncio.run(all_of_them())
    assert {tuple(turn.content for turn in one.dialog_turns if turn.evaluated) for one in played} == {
        ("A1", "A2", "A3")
    }
    assert all(model.shown == models[0].shown for model in models)
