"""Witnesses of generated dialogues, written in other ways: what they say counts, whatever their form."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from datetime import date
from functools import cache
from typing import Any

import pytest
import yaml

from evolif.scenarios.shifts import check_answer, generate
from evolif.scenarios.shifts.form import form_fault

DIALOGUES = 40


@cache
def dialogues() -> tuple[Any, ...]:
    return tuple(generate(DIALOGUES, seed=23))


def result_of(dialogue: Any) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(dialogue.witness.rpartition("```json\n")[2].removesuffix("```"))
    return found


def human(key: str) -> str:
    words = key.split("_")
    units = {"eur": "(EUR)", "hhmm": "(HH:MM)", "px": "(px)", "mb": "(MB)", "m": "(m)", "percent": "(%)"}
    return " ".join([words[0].title(), *(units.get(word, word) for word in words[1:])])


def shown(value: Any, nothing: str = "n/a") -> str:
    if isinstance(value, list):
        return ", ".join(map(str, value))
    return nothing if value is None else str(value) if not isinstance(value, bool) else "yes" if value else "no"


def rows(whole: Mapping[str, Any], *heads: str, **more: str) -> str:
    cells = [{"Key": key, "Value": shown(value), "#": str(at), **more} for at, (key, value) in enumerate(whole.items())]
    lines = [heads, ["---"] * len(heads), *([one[head] for head in heads] for one in cells)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def smart(whole: Mapping[str, Any]) -> str:
    parts = json.dumps(whole, ensure_ascii=False, indent=1).split('"')
    return "".join(
        part + ("" if at == len(parts) - 1 else "“" if at % 2 == 0 else "”") for at, part in enumerate(parts)
    )


WAYS: Mapping[str, Callable[[dict[str, Any]], str]] = {
    "as it is": lambda whole: json.dumps(whole),
    "nested": lambda whole: json.dumps({"result": whole}),
    "nested twice": lambda whole: json.dumps({"plan": {"details": whole}}, indent=2),
    "humanised keys": lambda whole: json.dumps({human(key): value for key, value in whole.items()}),
    "nested, with humanised keys": lambda whole: json.dumps({"Plan": {human(key): v for key, v in whole.items()}}),
    "trailing comma": lambda whole: f"```json\n{json.dumps(whole, indent=2)[:-2]},\n}}\n```",
    "comments": lambda whole: json.dumps(whole, indent=2).replace(",\n", ", // as agreed, not otherwise\n"),
    "comments above": lambda whole: json.dumps(whole, indent=2).replace('\n  "', '\n  # it\'s "agreed"\n  "'),
    "smart quotes": smart,
    "Python dict": lambda whole: f"```python\nplan = {whole!r}\n```",
    "Python dict without a fence": lambda whole: f"Here it is: {whole!r}",
    "YAML": lambda whole: f"```yaml\n{yaml.safe_dump(whole, sort_keys=False, allow_unicode=True)}```",
    "YAML without a fence": lambda whole: yaml.safe_dump(whole, sort_keys=False, allow_unicode=True),
    "YAML, nested": lambda whole: f"```yaml\n{yaml.safe_dump({'plan': whole}, sort_keys=False)}```",
    "YAML, as a list": lambda whole: f"```yaml\n{yaml.safe_dump([{key: value} for key, value in whole.items()])}```",
    "pairs": lambda whole: json.dumps([{"key": key, "value": value} for key, value in whole.items()]),
    "two tables": lambda whole: "\n\n".join(rows({key: whole[key]}, "Key", "Value") for key in whole),
    "dashes": lambda whole: "\n".join(f"- **{human(key)}** – {shown(value)}" for key, value in whole.items()),
    "two columns": lambda whole: rows(whole, "Key", "Value"),
    "three columns, notes": lambda whole: rows(whole, "Key", "Value", "Note", Note="not before we agreed"),
    "three columns, numbered": lambda whole: rows(whole, "#", "Key", "Value"),
    "three columns, old values": lambda whole: rows(whole, "Key", "Old", "Value", Old="something else"),
    "list": lambda whole: "\n".join(f"- **{human(key)}:** {shown(value)}" for key, value in whole.items()),
    "lines": lambda whole: "\n".join(f"{key}: {shown(value, 'not agreed')}" for key, value in whole.items()),
    "n/a": lambda whole: json.dumps({key: "n/a" if value is None else value for key, value in whole.items()}),
    "None": lambda whole: json.dumps({key: "None" if value is None else value for key, value in whole.items()}),
}


@pytest.mark.parametrize("way", WAYS)
def test_the_way_does_not_matter_and_the_form_is_told(way: str) -> None:
    unmet, kept = [], 0
    for dialogue in dialogues():
        answer = WAYS[way](result_of(dialogue))
        unmet += [(dialogue.task, one) for one in check_answer(dialogue, answer) if not one["satisfied"]]
        kept += not form_fault(dialogue.checkpoints, dialogue.keys, answer)
    assert unmet == []
    assert kept == (DIALOGUES if way == "as it is" else kept if way in ("n/a", "None") else 0)


def in_words(goal: Mapping[str, Any], template: str) -> Any:
    """The value of a goal in a sentence."""
    value = goal["value"]
    said = shown(value)
    if goal["type"] == "date":
        said = date.fromisoformat(value).strftime("%A, %-d %B %Y")
    old = [*goal["superseded"], *goal["other_branch"], {"value": "that"}][0]["value"]
    text = template.format(x=said, old=shown(old))
    return [text] if goal["type"] == "item" else text


def reasons(template: str) -> list[tuple[str, str, Any]]:
    """Of each present goal whose value is put into a sentence, its type, the sentence, and why it is unmet."""
    found = []
    for dialogue in dialogues():
        for goal in dialogue.checkpoints:
            if goal["polarity"] == "present":
                value = in_words(goal, template)
                answer = json.dumps({**result_of(dialogue), goal["key"]: value}, ensure_ascii=False)
                [own] = [one for one in check_answer(dialogue, answer) if one["id"] == goal["id"]]
                found.append((goal["type"], str(value), own["reason"]))
    return found


@pytest.mark.parametrize("template", ["{x}", "**{x}**", "{x} (instead of {old})", "{x}, not {old}", "{x} (was {old})"])
def test_a_value_counts_with_what_it_replaced(template: str) -> None:
    assert [one for one in reasons(template) if one[2] is not None] == []


@pytest.mark.parametrize(
    "template",
    [
        "not {x}",
        "no {x}",
        "never {x}",
        "anything but {x}",
        "{x} or something else",
        "{x} or {old}",
        "either {x} or {old}",
        "maybe {x}",
        "probably {x}",
        "{x}?",
        "{x} (to be confirmed)",
        "{x}, if possible",
        "{x}, I think",
        "{old} instead of {x}",
        "{x} (not decided)",
    ],
)
def test_a_value_that_is_denied_or_left_open_does_not_count(template: str) -> None:
    assert [one for one in reasons(template) if one[2] is None and (one[0], template) != ("yes_no", "no {x}")] == []
