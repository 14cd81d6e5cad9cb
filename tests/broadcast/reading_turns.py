"""Hand-made turns of two small matches, and what a reply to one of them satisfies."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from evolif.scenarios.broadcast import score_reply
from evolif.scenarios.broadcast.checklist import checklist_of, intent_of

HERONS = "Quarry Herons"
OWLS = "Port Iverna Owls"
ROSTER = {
    HERONS: ["Ana Lima", "Bo Reedal", "Cyr Dolet", "Gus O'Hallin"],
    OWLS: ["Dia Frostin", "Ed Holtan", "Fay Imrené", "Jo van der Meer"],
}
NAMES = {sport: {"sport": sport, "teams": [HERONS, OWLS], "roster": ROSTER} for sport in ("basketball", "hockey")}


def turn_of(
    task: str, kind: str, key: Any, sport: str = "basketball", number: int = 1, summary: bool = False, **question: Any
) -> dict[str, Any]:
    """A judged turn with a question made of the remaining arguments."""
    checklist, gates = checklist_of(task, kind, question, key, NAMES[sport], number, period=2, summary=summary)
    turn: dict[str, Any] = {"number": number, "period": 2, "kind": kind, "message": "", "judged": True}
    turn |= {"checklist": checklist, "gates": gates, "key": key, "witness": "", "distance": 0, "names": NAMES[sport]}
    turn |= {"question": question}
    return turn | {"intent": intent_of(kind)} if task == "IF" else turn


def satisfied(turn: Mapping[str, Any], reply: str) -> list[bool]:
    """Which items a reply satisfies, in the order of the checklist."""
    return [item["satisfied"] for item in score_reply(turn, reply)["items"]]
