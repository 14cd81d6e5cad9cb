"""What is in force at the end of a generated dialogue, worked out again from its acts on the chosen branch's path."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from itertools import combinations
from typing import Any

import pytest
from plain_forest import gold_forest

from evolif.scenarios.shifts import generate


@cache
def made() -> tuple[Any, ...]:
    return tuple(generate(60, seed=321))


def acts(dialogue: Any, turns: list[int], *names: str) -> Iterator[tuple[Any, int]]:
    """The acts of some turns, each with its turn."""
    return ((act, n) for n in turns for act in dialogue.turns[n - 1].details if act.name in names)


def fork_slots(dialogue: Any) -> set[str]:
    """The slots of the main topic that an alternative tried another value of."""
    found = set()
    for t in dialogue.turns:
        if t.move == "alternative" and t.topic == 0:
            before = {act.slot for act in dialogue.turns[t.fork - 1].details}
            found |= {act.slot for act in t.details if act.name == "set" and act.slot in before}
    return found


def slot_goals(dialogue: Any, path: list[int]) -> dict[str, dict[str, Any]]:
    """What a goal of each plain slot must say, by its acts on the path."""
    told: dict[str, list[tuple[str, Any, int]]] = {}
    for act, n in acts(dialogue, path, "set", "refine", "withdraw"):
        told.setdefault(act.slot, []).append((act.name, act.value, n))
    goals = {}
    for slot, said in told.items():
        values = [(value, n) for name, value, n in said if name != "withdraw"]
        value, when = values[-1]
        rest = [{"value": v, "turn": n} for v, n in values[:-1] if v != value]
        fork = slot in fork_slots(dialogue)
        goals[slot] = {
            "value": value,
            "polarity": "absent" if said[-1][0] == "withdraw" else "present",
            "provenance": [when] if fork else sorted({n for _, _, n in said}),
            "superseded": [] if fork else rest,
        }
    return goals


def item_goals(dialogue: Any, path: list[int]) -> dict[tuple[str, Any], dict[str, Any]]:
    """What a goal of each item must say."""
    told: dict[tuple[str, Any], list[tuple[str, int]]] = {}
    for act, n in acts(dialogue, path, "add", "cancel"):
        told.setdefault((act.slot, act.value), []).append((act.name, n))
    return {
        (slot, value): {
            "value": value,
            "polarity": "absent" if said[-1][0] == "cancel" else "present",
            "provenance": [n for _, n in said],
            "superseded": [],
        }
        for (slot, value), said in told.items()
    }


@pytest.mark.parametrize("number", range(60))
def test_goals_are_what_is_in_force_on_the_chosen_path(number: int) -> None:
    d = made()[number]
    path = [n for n in gold_forest(d).path() if d.turns[n - 1].topic == 0]
    expected: dict[Any, dict[str, Any]] = {**slot_goals(d, path), **item_goals(d, path)}
    found = {(g["slot"], g["value"]) if g["type"] == "item" else g["slot"]: g for g in d.checkpoints}
    assert set(found) == set(expected)
    for key, fields in expected.items():
        goal = found[key]
        assert {name: list(v) if isinstance(v := goal[name], tuple) else v for name in fields} == fields


def test_other_branches_are_all_other_values_of_a_fork_slot() -> None:
    for d in made():
        every = list(range(1, d.rounds + 1))
        for goal in d.checkpoints:
            said = [(act.value, n) for act, n in acts(d, every, "set") if act.slot == goal["slot"]]
            fork = goal["slot"] in fork_slots(d)
            values = {v for v, n in said if d.turns[n - 1].topic == 0} - {goal["value"]} if fork else set()
            assert {o["value"] for o in goal["other_branch"]} == values
            assert all((o["value"], o["turn"]) in said for o in goal["other_branch"])


def test_only_fork_slots_are_set_on_branches_that_are_not_chosen() -> None:
    for d in made():
        path = gold_forest(d).path()
        off = [t.turn for t in d.turns if t.topic == 0 and t.turn not in path]
        for act, _ in acts(d, off, "set", "refine", "withdraw", "add", "cancel"):
            assert act.slot in fork_slots(d)


def test_values_of_all_topics_differ_and_none_contains_another() -> None:
    for d in made():
        values = {}
        for t in d.turns:
            for act in t.details:
                for value in (act.value, act.old):
                    if value is not None and not isinstance(value, bool):
                        words = " ".join(re.findall(r"\w+", str(value).casefold()))
                        values[f" {words} "] = (t.topic, act.slot)
        for (a, where), (b, elsewhere) in combinations(values.items(), 2):
            assert a not in b and b not in a, (a, b, where, elsewhere)


def test_no_user_says_the_same_thing_twice() -> None:
    for d in made():
        assert len({t.query for t in d.turns}) == d.rounds
        assert len({t.reply for t in d.turns}) == d.rounds


def test_an_alternative_is_tried_after_something_else_was_said() -> None:
    """No gate opens on the current node."""
    for d in made():
        for t in d.turns:
            assert t.move != "alternative" or t.fork < t.turn - 1
