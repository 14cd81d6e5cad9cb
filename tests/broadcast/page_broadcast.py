"""Turns made by hand as the page describes them, for the tests that are written from the page alone."""

from __future__ import annotations

from typing import Any

Turn = dict[str, Any]
Item = dict[str, Any]

A, B = "Quarry Herons", "Old Mill Foxes"
ROSTER = {A: ["Ann Lee", "Mia Moss", "Dag Orrin"], B: ["Bo Carr", "Cy Vane", "Eva Stroll"]}
UPDATE, OTHER = "Update Score", "Other Question"


def turn(kind: str, sport: str, key: Any, checklist: list[Item], **fields: Any) -> Turn:
    """A turn with the fields of the page, and others where given."""
    return {
        "number": 1,
        "period": 1,
        "kind": kind,
        "message": "",
        "judged": True,
        "checklist": checklist,
        "gates": [],
        "key": key,
        "witness": "",
        "distance": None,
        "names": {"sport": sport, "teams": [A, B], "roster": ROSTER},
        **fields,
    }


def score_turn(herons: int, foxes: int, sport: str = "basketball") -> Turn:
    checklist = [{"kind": "score", "weight": 0.5, "team": t, "points": n} for t, n in ((A, herons), (B, foxes))]
    return turn("S", sport, {A: herons, B: foxes}, checklist)


def anchored(*events: tuple[str, int, int, str]) -> Turn:
    """Ann Lee scored at (Q3 1:40), 255 seconds later these did."""
    checklist = [
        {**_fact(event), "asks": asks, "weight": 0.5 / len(events)} for event in events for asks in ("points", "time")
    ]
    question = {"player": "Ann Lee", "anchor": [3, "1:40"], "delta": 255}
    key = [list(event) for event in events]
    return turn("A", "basketball", key, checklist, gates=["wrong_player"], question=question, period=4, number=31)


def _fact(event: tuple[str, int, int, str]) -> Item:
    return {"kind": "fact", **dict(zip(("player", "points", "period", "clock"), event, strict=True))}


def interval(*events: tuple[str, int, int, str]) -> Turn:
    checklist = [{**_fact(event), "asks": "all", "weight": 1 / len(events)} for event in events]
    return turn("I", "basketball", [list(event) for event in events], checklist, gates=["false_facts"], period=2)


def _faceoff(event: tuple[str, str, int, str]) -> Item:
    return {"kind": "faceoff", **dict(zip(("winner", "loser", "period", "clock"), event, strict=True))}


def anchored_faceoffs(*events: tuple[str, str, int, str]) -> Turn:
    """Ann Lee won against Bo Carr at (P1 0:30), some time later these faced off."""
    checklist = [
        {**_faceoff(event), "asks": asks, "weight": 1 / (3 * len(events))}
        for event in events
        for asks in ("time", "winner", "loser")
    ]
    question = {"player": "Ann Lee", "opponent": "Bo Carr", "anchor": [1, "0:30"], "delta": 170}
    key = [list(event) for event in events]
    return turn("A", "hockey", key, checklist, gates=["wrong_player"], question=question)


def interval_faceoffs(*events: tuple[str, str, int, str]) -> Turn:
    checklist = [{**_faceoff(event), "asks": "all", "weight": 1 / len(events)} for event in events]
    return turn("I", "hockey", [list(event) for event in events], checklist, gates=["false_facts"])


def leads(period: int, *changes: tuple[str, str], sport: str = "basketball") -> Turn:
    checklist = [{"kind": "count", "n": len(changes), "weight": 0.2}]
    checklist += [
        {"kind": "change", "period": period, "clock": clock, "leader": team, "weight": 0.8 / len(changes)}
        for clock, team in changes
    ]
    key = [list(change) for change in changes]
    return turn("L", sport, key, checklist, gates=["false_changes"], question={"period": period}, period=period)


def impact(kind: str, player: str, no_ft: tuple[str, int], no_goals: tuple[str, int]) -> Turn:
    checklist: list[Item] = []
    for case, (team, n) in (("no_ft", no_ft), ("no_goals", no_goals)):
        team = "tie" if team == "Tie" else team
        checklist.append({"kind": "leader", "case": case, "team": team, "weight": 0.25})
        checklist.append({"kind": "margin", "case": case, "n": n, "team": team, "weight": 0.25})
    key = {"player": player, "no_ft": list(no_ft), "no_goals": list(no_goals)}
    gates = ["no_right_player"] if kind == "T" else []
    return turn(kind, "basketball", key, checklist, gates=gates, question={"player": player})


def share(kind: str, player: str, team: str, loss: float, gain: float) -> Turn:
    key = {"player": player, "team": team, "rate": 50.0, "decrease_if_all_lost": loss, "increase_if_all_won": gain}
    if kind == "T":
        checklist: list[Item] = [
            {"kind": "player", "player": player, "weight": 0.5},
            {"kind": "percent", "name": "loss", "value": loss, "weight": 0.5},
        ]
    else:
        checklist = [{"kind": "percent", "name": "gain", "value": gain, "weight": 1.0}]
    return turn(kind, "hockey", key, checklist, question={"player": player})


def problem(letter: str) -> Turn:
    question = {"text": "How much?", "options": {name: str(i) for i, name in enumerate("ABCDE")}}
    return turn("M", "basketball", letter, [{"kind": "letter", "letter": letter, "weight": 1.0}], question=question)


def _tags(intent: str, number: int, first: float, second: float) -> list[Item]:
    weights = {"first": first, "second": second}
    return [{"kind": "tag", "which": w, "intent": intent, "number": number, "weight": weights[w]} for w in weights]


def told_score(number: int, herons: int, foxes: int) -> Turn:
    """S of instruction following."""
    checklist = [
        *_tags(UPDATE, number, 0.1, 0.4),
        {"kind": "words", "most": 99, "weight": 0.2},
        {"kind": "sentences", "weight": 0.2},
        {"kind": "score", "team": A, "points": herons, "weight": 0.05},
        {"kind": "score", "team": B, "points": foxes, "weight": 0.05},
    ]
    return turn("S", "basketball", {A: herons, B: foxes}, checklist, number=number, intent=UPDATE)


def acrostic(number: int) -> Turn:
    checklist = [
        *_tags(OTHER, number, 0.05, 0.25),
        {"kind": "acrostic", "part": "max20", "team": A, "weight": 0.1},
        {"kind": "support", "team": A, "weight": 0.1},
        {"kind": "acrostic", "part": "starts", "team": A, "weight": 0.25},
        {"kind": "acrostic", "part": "complete", "team": A, "weight": 0.25},
    ]
    question = {"team": A, "seq": "QHKING"}
    return turn("K", "basketball", "QHKING", checklist, number=number, intent=OTHER, question=question)


def lost(result: dict[str, Any]) -> list[str]:
    """The kinds of the items that are not satisfied, in order."""
    return [item["kind"] for item in result["items"] if not item["satisfied"]]


def accepting(turn: Turn, reply: str, item: Item) -> bool:
    """A judge that finds everything right."""
    return True
