"""Dialogues whose topic shifts: one made by hand, with two topics, a branch that is chosen, a return and a side
question, and many generated ones.
"""

from __future__ import annotations

import json
from functools import cache
from typing import Any

from evolif.scenarios.shifts import generate
from evolif.scenarios.shifts.dialogue import Act, ShiftDialogue, ShiftTurn

CITY = {
    "id": "g1",
    "slot": "destination",
    "key": "destination",
    "type": "text",
    "value": "Ghent",
    "polarity": "present",
    "provenance": [4],
    "superseded": [],
    "other_branch": [{"value": "Lisbon", "turn": 1}],
    "topic": 0,
    "branch": "b1",
    "aliases": {"Ghent": ["Gent"]},
}
BUDGET = CITY | {
    "id": "g2",
    "slot": "budget_eur",
    "key": "budget_eur",
    "type": "number",
    "value": 1200,
    "provenance": [1, 2],
    "superseded": [{"value": 900, "turn": 1}],
    "other_branch": [],
    "aliases": {},
}
MUSEUM = CITY | {
    "id": "g3",
    "slot": "sights",
    "key": "sights",
    "type": "item",
    "value": "the harbour",
    "provenance": [2],
    "other_branch": [],
    "aliases": {},
}
NO_TOWER = MUSEUM | {"id": "g4", "value": "the tower", "polarity": "absent", "provenance": [2, 6]}
NO_GUIDE = BUDGET | {"id": "g5", "slot": "guide", "key": "guide", "type": "text", "value": "Ana", "polarity": "absent"}
NO_GUIDE |= {"provenance": [6], "superseded": []}
GOALS = (CITY, BUDGET, MUSEUM, NO_TOWER, NO_GUIDE)
RESULT: dict[str, Any] = {"destination": "Ghent", "budget_eur": 1200, "sights": ["the harbour"], "guide": None}
KEYS = (*RESULT, "transport")


def turn(number: int, move: str, query: str, topic: int = 0, branch: str = "b0", **fields: Any) -> ShiftTurn:
    return ShiftTurn(number, move, topic, branch, fields.pop("fork", None), query, f"Reply {number}.", **fields)


TURNS = (
    turn(1, "open", "Plan a trip to Lisbon for 900 euros.", details=(Act("set", "destination", "Lisbon"),)),
    turn(2, "continue", "Make it 1,200 euros, with the harbour and the tower."),
    turn(3, "digress", "Why is the sky blue?", topic=1),
    turn(4, "alternative", "What if we went to Ghent instead of Lisbon?", branch="b1", fork=1),
    turn(5, "topic", "Something else: help me with a recipe.", topic=2),
    turn(6, "return", "Back to the trip: no tower, and no guide Ana.", branch="b1", returns="named"),
    turn(7, "return", "Does the soup need salt?", topic=2, returns="implicit"),
    turn(8, "final", "Now give me the complete plan for Ghent.", branch="b1"),
)
GOLD: tuple[dict[str, Any] | None, ...] = (
    {"topic": {"action": "CREATE_TOPIC"}, "branch": None},
    None,
    {"topic": {"action": "CREATE_TOPIC"}, "branch": None},
    {"topic": {"action": "SWITCH_TOPIC", "target": 0}, "branch": {"action": "CREATE_BRANCH", "fork": 1}},
    {"topic": {"action": "CREATE_TOPIC"}, "branch": None},
    {"topic": {"action": "SWITCH_TOPIC", "target": 0}, "branch": None},
    {"topic": {"action": "SWITCH_TOPIC", "target": 2}, "branch": None},
    {"topic": {"action": "SWITCH_TOPIC", "target": 0}, "branch": None},
)


def reply(**changed: Any) -> str:
    """A final answer, with other values under some keys."""
    return f"Here you are.\n\n```json\n{json.dumps(RESULT | changed)}\n```"


def dialogue(**changed: Any) -> ShiftDialogue:
    fields: dict[str, Any] = {"task": "city_trip", "turns": TURNS, "checkpoints": GOALS, "witness": reply()}
    return ShiftDialogue(**{**fields, "keys": KEYS, **changed})


@cache
def generated() -> tuple[ShiftDialogue, ...]:
    """400 dialogues of seed 41, made when they are first asked for, so that collecting tests takes no time."""
    return tuple(generate(400, seed=41))


def earlier_turns() -> list[ShiftTurn]:
    """All their turns but the final requests."""
    return [turn for dialogue in generated() for turn in dialogue.turns[:-1]]
