"""Every group against many wordings of requiring, ruling out and lifting: what is said is heard, the opposite found."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

import evolif
from evolif.scenarios.instructions.constraints import EXTENDED_GROUPS, GROUPS

WORDINGS: dict[str, list[str]] = yaml.safe_load((Path(__file__).parent / "wordings.yaml").read_text(encoding="utf-8"))
Case = tuple[dict[str, Any], str, str]
CASES: dict[str, Case] = {
    "start_with": ({"mode": "keyword", "value": "oven"}, "start with the word “oven”", "the word “oven” at the start"),
    "end_with": ({"mode": "keyword", "value": "oven"}, "end with the word “oven”", "the word “oven” at the end"),
    "format": ({"mode": "json"}, "write it as JSON", "the JSON format"),
    "bullets": ({"count": 7}, "use exactly 7 bullet points", "the rule of 7 bullet points"),
    "length": (
        {"unit": "words", "relation": "less_than", "count": 300},
        "write fewer than 300 words",
        "the limit of 300 words",
    ),
    "existence": ({"counts": {"oven": 3}}, "use the word “oven” exactly 3 times", "the count for “oven”"),
    "forbidden": ({"keywords": ["oven"]}, "avoid the word “oven”", "the ban on “oven”"),
    "case": ({"mode": "all_upper"}, "write everything in capital letters", "the rule of capital letters"),
    "punctuation": ({"mode": "exclude", "mark": ","}, "avoid all commas", "the ban on commas"),
    "emotion": ({"emotion": "happy"}, "sound happy", "the happy tone"),
    "audience": ({"audience": "child"}, "write it for children", "the child audience"),
    "style": ({"style": "formal"}, "use a formal style", "the formal style"),
    "language": ({"code": "fr"}, "write it in French", "the French language"),
    "placement": (
        {"mode": "every_paragraph", "value": "oven"},
        "use the word “oven” in every paragraph",
        "the rule of “oven” in every paragraph",
    ),
    "sentences": ({"mode": "questions", "count": 4}, "ask exactly 4 questions", "the rule of 4 questions"),
    "headings": ({"count": 4}, "use exactly 4 headings", "the rule of 4 headings"),
    "emphasis": ({"count": 4}, "put exactly 4 passages in bold", "the rule of 4 bold passages"),
    "digits": ({"mode": "none"}, "avoid all digits", "the ban on digits"),
}
LEAST = 0.95
"""Share of the wordings of a group that have to be heard."""


def found(group: str, kind: str, query: str) -> bool:
    params = CASES[group][0]
    before, after = (params, None) if kind == "remove" else (None, params)
    topic = {"id": "x", "prompt": "Explain how to bake bread.", "keywords": ["oven", "crust"], "title": "the bread"}
    turn = {
        "topic": topic,
        "move": "continue",
        "operation": {"kind": kind, "group": group, "before": before, "after": after},
        "constraints": [] if after is None else [{"group": group, "params": after}],
    }
    return bool(evolif.check_query(turn, query))


def queries(kind: str, group: str) -> list[str]:
    _, do, name = CASES[group]
    slots = {"do": do, "Do": do[0].upper() + do[1:], "x": name, "X": name[0].upper() + name[1:]}
    return [wording.format(**slots) for wording in WORDINGS[kind]]


def test_every_group_is_tried() -> None:
    assert CASES.keys() == {*GROUPS, *EXTENDED_GROUPS}
    assert len(WORDINGS["require"]) == len(WORDINGS["lift"]) == 40


@pytest.mark.sampled
@pytest.mark.parametrize("group", CASES)
def test_what_is_required_is_heard(group: str) -> None:
    wrong = [query for query in queries("require", group) if found(group, "add", query)]
    assert len(wrong) <= (1 - LEAST) * len(WORDINGS["require"]), wrong


@pytest.mark.sampled
@pytest.mark.parametrize("group", CASES)
def test_what_is_lifted_is_heard(group: str) -> None:
    wrong = [query for query in queries("lift", group) if found(group, "remove", query)]
    assert len(wrong) <= (1 - LEAST) * len(WORDINGS["lift"]), wrong


@pytest.mark.sampled
@pytest.mark.parametrize("group", CASES)
@pytest.mark.parametrize(
    ("kind", "operation"), [("lift", "add"), ("forbid", "add"), ("keep", "remove"), ("require", "remove")]
)
def test_the_opposite_is_found(group: str, kind: str, operation: str) -> None:
    missed = [query for query in queries(kind, group) if not found(group, operation, query)]
    assert len(missed) <= (1 - LEAST) * len(WORDINGS[kind]), missed
