"""Registers of the user's own: frames in a YAML file, kept with the benchmark."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import yaml

from evolif import InputError, UsageError, generate, load_benchmark
from evolif.scenarios.instructions.synthesis import load_frames, load_personas

PIRATE = {
    "first": ["Ahoy! {task} An' {clause}, savvy?"],
    "new": ["New waters, matey. {task} {Clause}, arr."],
    "continue": {
        "add": ["Arr, an' {clause}."],
        "modify": ["Belay {old}, matey. Instead, {clause}."],
        "remove": ["{Drop} can walk the plank."],
    },
    "backtrack": {
        "add": ["Back to {topic}, matey: {clause}."],
        "modify": ["Back to {topic}: belay {old} an' {clause}."],
        "remove": ["Back to {topic}, where {drop} can walk the plank."],
    },
}
PERSONA = {"id": "p1", "sentence": "A sea dog.", "phrases": ["arr"], "register": "pirate"}


def written(folder: Path, frames: object = PIRATE) -> tuple[Path, Path]:
    registers, personas = folder / "mine.yaml", folder / "personas.jsonl"
    registers.write_text(yaml.safe_dump({"registers": {"pirate": frames}}), encoding="utf-8")
    personas.write_text(json.dumps(PERSONA) + "\n", encoding="utf-8")
    return registers, personas


@pytest.mark.slow
def test_a_benchmark_speaks_and_grows_in_a_register_of_ones_own(tmp_path: Path) -> None:
    registers, personas = written(tmp_path)
    options = {"dialogues": 2, "turns": 8, "seed": 4, "profile": "objective", "personas": personas}
    made = generate(tmp_path / "b", registers=registers, **options)
    registers.unlink()
    again = load_benchmark(tmp_path / "b")
    assert again.identity == made.identity
    assert again.turn(1, 1).query.startswith("Ahoy! ")
    said = [again.turn(1, number).query for number in range(1, 30)]
    assert sum("walk the plank" in query or "matey" in query or "rr" in query for query in said) > 20
    assert all(not load_benchmark(tmp_path / "b").turn(1, n).findings for n in range(1, 30))


def test_other_registers_are_another_benchmark(tmp_path: Path) -> None:
    registers, personas = written(tmp_path)
    options = {"dialogues": 1, "turns": 2, "seed": 4, "profile": "objective"}
    generate(tmp_path / "b", registers=registers, personas=personas, **options)
    with pytest.raises(UsageError, match="registers: another file"):
        generate(
            tmp_path / "b", **options, personas=tmp_path / "b" / "personas.jsonl", registers=written_other(tmp_path)
        )


def written_other(folder: Path) -> Path:
    return written(folder, {**PIRATE, "first": ["Avast! {task} {Clause}."]})[0]


def test_a_persona_of_an_unknown_register_is_refused(tmp_path: Path) -> None:
    registers, personas = written(tmp_path)
    with pytest.raises(InputError, match="unknown register “pirate”"):
        load_personas(personas)
    assert load_personas(personas, load_frames(registers))[0].register == "pirate"


@pytest.mark.parametrize(
    ("frames", "told"),
    [
        ("arr", "frames under pirate.first"),
        ({**PIRATE, "first": []}, "frames under pirate.first"),
        ({**PIRATE, "continue": {"add": ["{clause}"], "modify": ["{old} {clause}"]}}, "under pirate.continue.remove"),
        ({**PIRATE, "first": ["{task}"]}, "needs {Clause} or {clause} once"),
        ({**PIRATE, "first": ["{task} {clause} {clause}"]}, "needs {Clause} or {clause} once"),
        ({**PIRATE, "first": ["{task} {clause} {old}"]}, "has the slot {old}"),
        ({**PIRATE, "first": ["{task.__class__} {clause}"]}, "has the slot {task.__class__}"),
        ({**PIRATE, "first": ["{task!r} {clause}"]}, "has the slot {task}"),
        ({**PIRATE, "first": ["{task:>99999999} {clause}"]}, "has the slot {task}"),
        ({**PIRATE, "first": ["{task} {clause"]}, "is not a text with slots"),
        ({**PIRATE, "first": [7]}, "is not a text with slots"),
    ],
)
def test_frames_that_will_not_do(tmp_path: Path, frames: object, told: str) -> None:
    registers, _ = written(tmp_path, frames)
    with pytest.raises(InputError, match=told.replace("{", r"\{").replace(".", r"\.")):
        load_frames(registers)


def test_a_users_frames_for_one_of_our_registers_are_used(tmp_path: Path) -> None:
    registers, personas = tmp_path / "mine.yaml", tmp_path / "personas.jsonl"
    registers.write_text(yaml.safe_dump({"registers": {"casual": PIRATE}}), encoding="utf-8")
    personas.write_text(json.dumps({**PERSONA, "register": "casual"}) + "\n", encoding="utf-8")
    bench = generate(
        tmp_path / "b", dialogues=1, turns=4, seed=4, personas=personas, registers=registers, profile="objective"
    )
    assert bench.turn(1, 1).query.startswith("Ahoy! ")
