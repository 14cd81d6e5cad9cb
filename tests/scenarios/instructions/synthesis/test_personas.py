"""Persona files, and who speaks."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from evolif import InputError
from evolif.scenarios.instructions.synthesis import load_frames, load_personas, persona_for

GOOD = {"id": "p1", "sentence": "Somebody friendly.", "phrases": ["well"], "register": "warm"}


def write(path: Path, *lines: object) -> Path:
    text = "".join((line if isinstance(line, str) else json.dumps(line)) + "\n" for line in lines)
    path.write_text(text, encoding="utf-8")
    return path


def test_the_own_personas_are_five_hundred_and_of_known_registers() -> None:
    personas = load_personas()
    assert len(personas) >= 500
    assert {p.register for p in personas} == {"casual", "neutral", "formal", "brisk", "warm"}


def test_a_dialogue_keeps_its_persona_and_dialogues_differ() -> None:
    personas = load_personas()
    assert persona_for(personas, 7, 3) == persona_for(personas, 7, 3)
    assert len({persona_for(personas, 7, d).id for d in range(1, 60)}) > 20


@pytest.mark.parametrize(
    ("lines", "where", "what"),
    [
        (["{nonsense"], "line 1", "not a JSON object"),
        ([GOOD, {**GOOD, "id": "p2", "phrases": []}], "line 2", "phrases"),
        ([GOOD, GOOD], "line 2", "used twice"),
        ([{**GOOD, "register": "pirate"}], "line 1", "unknown register “pirate”"),
        ([{**GOOD, "id": 5}], "line 1", "id"),
        ([["a", "list"]], "line 1", "persona"),
        (["9" * 5000], "line 1", "not a JSON object"),
        (["[" * 100_000], "line 1", "not a JSON object"),
        ([], "personas.jsonl", "contains no persona"),
    ],
)
def test_a_broken_file_is_told_with_file_line_and_mend(
    tmp_path: Path, lines: list[object], where: str, what: str
) -> None:
    path = write(tmp_path / "personas.jsonl", *lines)
    with pytest.raises(InputError) as caught:
        load_personas(path)
    sentence = str(caught.value)
    assert str(path) in sentence and where in sentence and what in sentence


def test_a_missing_or_foreign_file_is_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot be read"):
        load_personas(tmp_path / "none.jsonl")
    (tmp_path / "latin.jsonl").write_bytes(b'{"id": "\xe9"}\n')
    with pytest.raises(InputError, match="not UTF-8"):
        load_personas(tmp_path / "latin.jsonl")


def test_a_line_separator_inside_a_text_does_not_break_the_line(tmp_path: Path) -> None:
    odd = {**GOOD, "sentence": "One\u2028two\x85three."}
    path = tmp_path / "personas.jsonl"
    path.write_text(json.dumps(odd, ensure_ascii=False) + "\n", encoding="utf-8")
    assert load_personas(path)[0].sentence == "One\u2028two\x85three."


@pytest.mark.parametrize("text", ["registers: 5\n", "[]\n", "", "registers: {}\n"])
def test_a_broken_frames_file_is_told_by_name(tmp_path: Path, text: str) -> None:
    path = tmp_path / "frames.yaml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match=r"frames\.yaml: needs “registers”"):
        load_frames(path)
