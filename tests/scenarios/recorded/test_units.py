"""What a memory stores of a dialogue."""

from __future__ import annotations

from typing import Any

import pytest

from evolif.scenarios.recorded import Dialog, ensure_alternating_roles, units


def dialog(*turns: dict[str, Any] | tuple[str, str], off_policy: bool = False) -> Dialog:
    """Turns are numbered from 1 unless they say otherwise."""
    made = [{"role": turn[0], "content": turn[1]} if isinstance(turn, tuple) else turn for turn in turns]
    return Dialog.model_validate(
        {
            "dialog_id": 1,
            "dialog_eval_config": {"use_reference_history": off_policy},
            "dialog_turns": [{"turn_id": place, **turn} for place, turn in enumerate(made, 1)],
        }
    )


def asked(content: str | None = None, **more: Any) -> dict[str, Any]:
    return {"role": "assistant", "content": content, "eval_config": {"do_eval": True}, **more}


def test_a_unit_is_a_user_turn_with_its_answer() -> None:
    talk = dialog(("user", "My dog is Rex."), ("assistant", "Nice."), ("user", "And you?"), ("assistant", "Fine."))
    assert units(talk, 3) == [((1, 2), "User: My dog is Rex.\nAssistant: Nice.")]
    assert units(talk, 1) == []


def test_the_question_is_in_no_unit() -> None:
    talk = dialog(("user", "one"), ("assistant", "two"), ("user", "What is it?"), asked())
    assert units(talk, 4) == units(talk, 3) == [((1, 2), "User: one\nAssistant: two")]


def test_turns_without_their_other_half_are_units_of_their_own() -> None:
    talk = dialog(
        ("assistant", "Welcome."),
        ("user", "a"),
        ("user", "b"),
        ("assistant", "c"),
        ("assistant", "d"),
        ("user", "e"),
        asked(),
    )
    assert units(talk, 7) == [
        ((1,), "Assistant: Welcome."),
        ((2,), "User: a"),
        ((3, 4), "User: b\nAssistant: c"),
        ((5,), "Assistant: d"),
    ]


def test_system_turns_are_in_no_unit_and_part_none() -> None:
    talk = dialog(("system", "Be kind."), ("user", "a"), ("system", "Now."), ("assistant", "b"), ("user", "c"), asked())
    assert units(talk, 6) == [((2, 4), "User: a\nAssistant: b")]


def test_placeholders_are_dropped() -> None:
    talk = dialog(("assistant", "Welcome."), ("user", "a"), ("user", "b"), ("assistant", "c"), ("user", "d"), asked())
    padded = ensure_alternating_roles(talk)
    assert [turn.turn_id for turn in padded.dialog_turns] == [-1, 1, 2, -1, 3, 4, 5, 6]
    assert units(padded, 6) == units(talk, 6)
    with pytest.raises(ValueError, match="no turn -1"):
        units(padded, -1)


def test_a_timestamp_is_the_first_line() -> None:
    turns = [
        {"role": "user", "content": "a", "turn_labels": {"raw_date_time": "1 May,\n9:00"}},
        {"role": "assistant", "content": "b", "turn_labels": {"raw_date_time": "1 May, 9:01"}},
        {"role": "user", "content": "c"},
        {"role": "assistant", "content": "d", "turn_labels": {"raw_date_time": "1 May, 9:02"}},
        {"role": "user", "content": "e"},
        asked(),
    ]
    assert [unit.text for unit in units(dialog(*turns), 6)] == [
        "1 May, 9:00\nUser: a\nAssistant: b",
        "1 May, 9:02\nUser: c\nAssistant: d",
    ]


@pytest.mark.parametrize(
    ("answer", "off_policy", "expected"),
    [
        (asked("said", reference="gold"), True, "gold"),
        (asked("said", reference=["first", "second"]), True, "first"),
        (asked("said", reference=""), True, ""),
        (asked("said", reference=[]), True, "said"),
        (asked("said", reference="gold"), False, "said"),
        ({"role": "assistant", "content": "given", "reference": "gold"}, True, "given"),
        (asked(None), False, ""),
        (asked([{"type": "text", "text": "two"}, "parts"]), False, "two\nparts"),
    ],
)
def test_off_policy_the_reference_stands_for_the_content(
    answer: dict[str, Any], off_policy: bool, expected: str
) -> None:
    talk = dialog(("user", "a"), answer, ("user", "b"), asked(), off_policy=off_policy)
    assert units(talk, 4) == [((1, 2), f"User: a\nAssistant: {expected}")]


def test_an_unknown_turn_is_named() -> None:
    with pytest.raises(ValueError, match="dialogue 1 has no turn 9"):
        units(dialog(("user", "a")), 9)
