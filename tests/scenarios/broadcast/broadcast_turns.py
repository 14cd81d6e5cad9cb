"""Turns of every kind, made without messages: what is asked, its key, its checklist, its names."""

from __future__ import annotations

from collections import Counter
from functools import cache
from typing import Any

import pytest
from broadcast_matches import PERIODS, Match, matches

from evolif.scenarios.broadcast.checklist import checklist_of, intent_of, is_precise, needs_judge
from evolif.scenarios.broadcast.match_statistics import best_of
from evolif.scenarios.broadcast.planted_errors import Defect
from evolif.scenarios.broadcast.questions import break_questions
from evolif.scenarios.broadcast.scoring import score_reply
from evolif.util.rng import Purpose, Stream

Turn = dict[str, Any]
LETTERS = "ABCDE"


def turn_of(
    task: str, kind: str, key: Any, match: Match, number: int, *, question: Any = None, summary: bool = False
) -> Turn:
    """A judged turn."""
    names = {name: match[name] for name in ("sport", "teams", "roster")}
    asked = question or {}
    checklist, gates = checklist_of(task, kind, asked, key, names, number, summary=summary)
    turn: Turn = {"number": number, "period": asked.get("period", 1), "kind": kind, "message": "", "judged": True}
    turn |= {"checklist": checklist, "gates": gates, "key": key, "witness": "", "distance": None, "names": names}
    turn |= {"question": asked}
    return turn | {"intent": intent_of(kind)} if task == "IF" else turn


def score_after(match: Match, period: int) -> dict[str, int]:
    """The score at the end of a period."""
    score = dict.fromkeys(match["teams"], 0)
    for event in match["events"]:
        if event["pts"] and event["period"] <= period:
            score[event["team"]] += event["pts"]
    return score


@cache
def turns_of(sport: str, number: int) -> tuple[Turn, ...]:
    """Turns of every kind on one match; tests must not change them."""
    match = matches(sport)[number]
    found: list[Turn] = []
    for period in range(1, PERIODS[sport] + 1):
        score = score_after(match, period)
        found.append(turn_of("CR", "S", score, match, number + len(found) + 1))
        found.append(turn_of("IF", "S", score, match, number + len(found) + 1))
        team = match["teams"][period % 2]
        initials = "".join(word[0] for word in team.split())
        sequence = f"{initials}KING"
        found.append(
            turn_of("IF", "K", sequence, match, number + len(found) + 1, question={"team": team, "seq": sequence})
        )
        best = best_of(match, period)
        for summary in (True, False):
            question = {"period": period, "players": [line["player"] for line in best]}
            found.append(
                turn_of("IF", "Q", list(best), match, number + len(found) + 1, question=question, summary=summary)
            )
        for task in ("CR", "IR"):
            stream = Stream(7, Purpose.BROADCAST, number, period, len(found))
            for asked in break_questions(match, period, task, stream):
                found.append(
                    turn_of(task, asked.kind, asked.key, match, number + len(found) + 1, question=asked.question)
                )
        found.append(turn_of("TS", "M", LETTERS[(number + period) % 5], match, number + len(found) + 1))
    return tuple(found)


def asked_of(item: dict[str, Any]) -> str:
    """What an item asks for; equal items ask for the same."""
    fields = {"points": ("player", "points"), "winner": ("winner",), "loser": ("loser",), "all": None}
    kept = {name: item[name] for name in item if name not in ("weight", "satisfied", "found")}
    if kept.get("asks") == "time":
        wanted: Any = ("player", "period", "clock")
    else:
        wanted = fields.get(kept.get("asks", "all"))
    asked = {name: kept[name] for name in kept if wanted is None or name in (*wanted, "kind", "asks")}
    return str(sorted(asked.items(), key=str))


def check_cost(turn: Turn, defect: Defect) -> None:
    """A reply with a fault fails exactly the items that the fault costs, and triggers exactly its gates."""
    result = score_reply(turn, defect.reply)
    failed = Counter(asked_of(item) for item in result["items"] if not item["satisfied"])
    costs = Counter(asked_of(turn["checklist"][place]) for place in defect.costs)
    assert (failed, set(result["gates"])) == (costs, set(defect.gates)), f"{defect.name}: {defect.reply}\n{turn['key']}"
    checked = [item["weight"] for item in turn["checklist"] if not needs_judge(item)]
    lost = sum(turn["checklist"][place]["weight"] for place in defect.costs) / sum(checked)
    wanted = f_measured(turn, defect) if is_precise(turn["checklist"]) else 1 - lost
    assert result["score"] == pytest.approx(0 if defect.gates else wanted, abs=1e-9)
    assert (result["false"] or 0) == defect.false


def f_measured(turn: Turn, defect: Defect) -> float:
    """The score of a reply whose false events count: of its events by precision and recall, of the rest by weight."""
    events = [place for place, item in enumerate(turn["checklist"]) if item["kind"] != "count"]
    worth = sum(turn["checklist"][place]["weight"] for place in events)
    told = len(set(events) - set(defect.costs))
    rest = sum(
        item["weight"]
        for place, item in enumerate(turn["checklist"])
        if place not in events and place not in defect.costs
    )
    if not told:
        return rest
    precision, recall = told / (told + defect.false), told / len(events)
    return rest + worth * 2 * precision * recall / (precision + recall)
