"""A dialogue as lines of a benchmark, and back."""

from __future__ import annotations

import json

import pytest
from shift_dialogues import dialogue

from evolif.scenarios.shifts.lines import KEY_FIELDS, dialogue_of, dialogue_of_prompts, lines_of
from evolif.types import Message, Prompt


def test_lines_hold_the_whole_dialogue() -> None:
    made = dialogue()
    lines = json.loads(json.dumps(list(lines_of(made))))
    assert len(lines) == 8
    assert dialogue_of(lines) == made


def test_every_line_says_how_many_rounds_there_are() -> None:
    assert [line["labels"]["rounds"] for line in lines_of(dialogue())] == [8] * 8


def test_without_key_fields_only_replies_and_keys_are_left() -> None:
    *others, last = ({key for key in line if key not in KEY_FIELDS} for line in lines_of(dialogue()))
    assert all(left == {"query", "labels", "reply"} for left in others)
    assert last == {"query", "labels", "reply", "slots"}


def test_a_dialogue_is_read_from_stored_prompts() -> None:
    made = dialogue()
    prompts = [
        Prompt(1, number, (Message("user", line.pop("query")),), labels=line.pop("labels"), payload=line)
        for number, line in enumerate(lines_of(made), 1)
    ]
    assert dialogue_of_prompts(prompts) == made
    assert dialogue_of_prompts(prompts[:-1]) is None
    assert dialogue_of_prompts(()) is None


def test_an_imported_dialogue_has_no_gold() -> None:
    with pytest.raises(KeyError):
        dialogue_of([{"query": "Hello", "labels": {"rounds": 1}, "goals": []}])
