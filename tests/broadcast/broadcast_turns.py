"""Turns of every kind, made without messages: what is asked, its key, its checklist, its names."""

from __future__ import annotations

from functools import cache
from typing import Any

from broadcast_matches import PERIODS, Match, matches

from evolif.broadcast.checklist import checklist_of, intent_of
from evolif.broadcast.match_statistics import best_of
from evolif.broadcast.questions import break_questions
from evolif.rng import Purpose, Stream

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
