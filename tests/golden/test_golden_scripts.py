"""Profiles without rules of choice keep the scripts that they always had: sets of earlier editions go on by them."""

from __future__ import annotations

import json
from dataclasses import asdict
from itertools import islice
from typing import Any

import pytest
from golden_tools import digest

from evolif.scenarios.instructions.tracker import ScriptSpec, load_profile, script
from evolif.scenarios.instructions.tracker.profile import parse_profile
from evolif.scenarios.instructions.turns import Topic

DIALOGUES, TURNS = (1, 2, 3), 70
_WORDS = "kiln glaze oven spoon ferry ladder ticket meadow lantern pepper castle button violin harbour saddle compass"
_PAIRS = "night train, sewing box, oak table, wire fence"
TOPICS = tuple(
    Topic(
        f"S{number:02}",
        f"Explain the {_WORDS.split()[number % 16]} and the {_WORDS.split()[number // 4]} to me.",
        (*(f"{word}{'s' * (number % 2)}" for word in _WORDS.split()), *_PAIRS.split(", ")),
        ("cooking", "law", "", "their own domain")[number % 4],
        f"the {_WORDS.split()[number % 16]}",
    )
    for number in range(30)
)


@pytest.mark.parametrize("name", ["paper", "objective", "extended", "escalating"])
def test_scripts_without_rules_of_choice(name: str, golden: Any) -> None:
    data = load_profile(name).model_dump(mode="json")
    data.pop("choice", None)
    spec = ScriptSpec(parse_profile(data), TOPICS, 5)
    turns = [turn for dialogue in DIALOGUES for turn in islice(script(spec, dialogue), TURNS)]
    drawn = [[turn.topic.id, turn.move, asdict(turn.operation)] for turn in turns]
    golden.text(f"script-{name}.txt", digest(json.dumps(drawn, ensure_ascii=False)) + "\n")
