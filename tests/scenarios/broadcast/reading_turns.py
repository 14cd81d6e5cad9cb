"""Hand-made turns of small matches, and what a reply to one of them satisfies."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from evolif.scenarios.broadcast import score_reply
from evolif.scenarios.broadcast.checklist import checklist_of, intent_of

HERONS = "Quarry Herons"
OWLS = "Port Iverna Owls"
GULLS = "Port Iverna Gulls"
FOXES = "Old Mill Foxes"
CASTS = {
    "owls": {
        HERONS: ["Ana Lima", "Bo Reedal", "Cyr Dolet", "Gus O'Hallin"],
        OWLS: ["Dia Frostin", "Ed Holtan", "Fay Imrené", "Jo van der Meer"],
    },
    "gulls": {HERONS: ["Ada Bolt", "Eno Farr"], GULLS: ["Cy Dunn", "Gus Hale"]},
    "kin": {HERONS: ["Ada Bolt", "Eno Farr"], GULLS: ["Cy Bolt", "Gus Hale"]},
    "foxes": {HERONS: ["Ann Lee", "Mia Moss", "Dag Orrin"], FOXES: ["Bo Carr", "Cy Vane", "Eva Stroll"]},
}
"""Two teams and their players; the kin of two teams have one last name."""
TASKS = {"A": "CR", "I": "CR", "S": "CR", "L": "IR", "T": "IR", "H": "IR", "M": "TS", "K": "IF", "Q": "IF"}
"""A task in which a kind of turn occurs."""


def names_of(sport: str, cast: str = "owls") -> dict[str, Any]:
    return {"sport": sport, "teams": list(CASTS[cast]), "roster": CASTS[cast]}


def turn_of(
    task: str,
    kind: str,
    key: Any,
    sport: str = "basketball",
    number: int = 1,
    summary: bool = False,
    cast: str = "owls",
    **question: Any,
) -> dict[str, Any]:
    """A judged turn with a question made of the remaining arguments."""
    names = names_of(sport, cast)
    checklist, gates = checklist_of(task, kind, question, key, names, number, period=2, summary=summary)
    turn: dict[str, Any] = {"number": number, "period": 2, "kind": kind, "message": "", "judged": True}
    turn |= {"checklist": checklist, "gates": gates, "key": key, "witness": "", "distance": 0, "names": names}
    turn |= {"question": question}
    return turn | {"intent": intent_of(kind)} if task == "IF" else turn


def satisfied(turn: Mapping[str, Any], reply: str) -> list[bool]:
    """Which items a reply satisfies, in the order of the checklist."""
    return [item["satisfied"] for item in score_reply(turn, reply)["items"]]
