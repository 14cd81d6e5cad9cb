"""What is in force at the end of a generated dialogue, worked out again from its acts, on a second forest."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any

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


def test_goals_are_what_is_in_force_on_the_chosen_path() -> None:
    for d in made():
        path = [n for n in gold_forest(d).path() if d.turns[n - 1].topic == 0]
        expected: dict[Any, dict[str, Any]] = {**slot_goals(d, path), **item_goals(d, path)}
        found = {(g["slot"], g["value"]) if g["type"] == "item" else g["slot"]: g for g in d.checkpoints}
        assert set(found) == set(expected)
        assert len(d.checkpoints) == len({g["id"] for g in d.checkpoints}) == len(expected)
        for key, fields in expected.items():
            assert {name: found[key][name] for name in fields} == fields


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
