"""Checklists: what a reply must say, what each item is worth, and what brings the turn to nothing.

An *item* is a plain mapping `{kind, weight, ...}` that also holds the value that must be found:

- `score {team, points}`;
- `fact {player, points, period, clock, asks}` and `faceoff {winner, loser, period, clock, asks}`; `asks` says what must
  be found, besides the player of a fact: `all`, or one of `points` and `time`, of `time`, `winner` and `loser`;
- `count {n}` and `change {period, clock, leader}`, of changes of the lead;
- `leader {case, team}` and `margin {case, n, team}`; `case` is `no_ft` or `no_goals`, the team may be `tie`;
- `player {player}`, `percent {name, value}` with the name `loss` or `gain`, `letter {letter}`;
- `tag {which, intent, number}`, `words {most}`, `sentences {}`, `acrostic {part, team}`, `support {team}`,
  `statistics {line}`, `summary {part}`.

An event may be `precise`: what a reply tells beside such events that is false costs as much as one that is missing. In
sets made before that was so, none is.

A *gate* is a name; the scoring rules know when it is triggered.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

from evolif.errors import InternalError
from evolif.scenarios.broadcast.arguments import one_of
from evolif.scenarios.broadcast.impact import TIE
from evolif.scenarios.broadcast.leads import lead_checklist

Item: TypeAlias = dict[str, Any]
"""As the head of this module says."""
CASES: Final = ("no_ft", "no_goals")
"""Without the free throws; without any points."""
MOST_WORDS: Final = 99
"""Of a body."""
LEVEL: Final = "tie"
"""The leader of a level score."""
UPDATE_SCORE: Final = "Update Score"
OTHER_QUESTION: Final = "Other Question"
_FORMATTED: Final = "IF"
"""The task whose replies have a fixed format."""
_SPARE: Final = 1e-9
_HALF: Final = 0.5
_QUARTER: Final = 0.25


@dataclass(frozen=True, slots=True)
class Asked:
    """What a turn asks for.

    Attributes:
        question: As data.
        key: The right answer.
        number: Of the reply, from 1.
        intent: What the friend wants.
        period: The period that the question is about, where it names none itself.
        summary: Whether the turn also has to bring a summary.
    """

    question: Mapping[str, Any]
    key: Any
    number: int
    intent: str
    period: int | None
    summary: bool


def checklist_of(
    task: str,
    kind: str,
    question: Mapping[str, Any],
    key: Any,
    names: Mapping[str, Any],
    number: int,
    *,
    intent: str | None = None,
    period: int | None = None,
    summary: bool = False,
) -> tuple[list[Item], list[str]]:
    """The checklist and the gates of a turn.

    Args:
        task: `IF`, `CR`, `IR` or `TS`.
        kind: `S`, `K`, `Q`, `A`, `I`, `L`, `T`, `H` or `M`.
        question: As data.
        key: The right answer, as the functions that compute keys return it.
        names: `{sport, teams, roster}`.
        number: Of the reply over the whole match, from 1.
        intent: What the friend wants; None for what this kind always is.
        period: The period that just ended, where the question does not name it.
        summary: Whether a `Q`, or an `S` of `IF`, also has to bring the summary; the question may say so, too.

    Returns:
        Items, whose weights add up to 1, and gates.

    Raises:
        ArgumentError: the task or the kind has no checklist.
        InternalError: the weights do not add up to 1.
    """
    asked = Asked(
        question or {}, key, number, intent or intent_of(kind), period, summary or bool((question or {}).get("summary"))
    )
    builders = _FORMATTED_ITEMS if task == _FORMATTED else _ITEMS
    build = builders[one_of("kind", kind, tuple(builders))]
    items = build(asked, names)
    total = math.fsum(item["weight"] for item in items)
    if not abs(total - 1) <= _SPARE:
        raise InternalError(f"the weights of a {kind} turn of {task} add up to {total}, not to 1")
    return items, _gates(kind, asked)


def intent_of(kind: str) -> str:
    """What the friend wants with a turn of a kind: the first tag of the reply, without brackets."""
    return UPDATE_SCORE if kind == "S" else OTHER_QUESTION


def is_precise(checklist: Iterable[Mapping[str, Any]]) -> bool:
    """Whether false events cost something beside those that a checklist asks for."""
    return any(item.get("precise") for item in checklist)


def needs_judge(item: Mapping[str, Any]) -> bool:
    """Whether no rule can check an item: does the sentence support the team, is the summary true?"""
    return item["kind"] == "support" or (item["kind"] == "summary" and item.get("part") == "true")


def _gates(kind: str, asked: Asked) -> list[str]:
    if kind == "T":
        return ["no_right_player"] if _is_points(asked.key) else []
    if kind in ("S", "Q"):
        return ["no_summary"] if asked.summary else []
    return {"A": ["wrong_player"], "I": ["false_facts"], "L": ["false_changes"]}.get(kind, [])


def _is_points(impact: Mapping[str, Any]) -> bool:
    """Whether an impact is one of points; else it is one of faceoffs."""
    return CASES[0] in impact


def _scores(key: Mapping[str, int], each: float) -> list[Item]:
    return [{"kind": "score", "weight": each, "team": team, "points": points} for team, points in key.items()]


def _score(asked: Asked, names: Mapping[str, Any]) -> list[Item]:
    return _scores(asked.key, _HALF)


def _anchored(asked: Asked, names: Mapping[str, Any]) -> list[Item]:
    return [item for row in asked.key for item in _parts(row, len(asked.key))]


def _parts(row: Sequence[Any], count: int) -> list[Item]:
    """The items of one of several events, each of which asks for a part of it."""
    whole = _event(row)
    parts = ("points", "time") if whole["kind"] == "fact" else ("time", "winner", "loser")
    return [{**whole, "weight": 1 / (len(parts) * count), "asks": part} for part in parts]


def _event(row: Sequence[Any]) -> Item:
    """An event that must be found as a whole; a faceoff has two players, a fact a player and points."""
    first, second, period, clock = row
    if isinstance(second, str):
        values = {"winner": first, "loser": second, "period": period, "clock": clock}
        return {"kind": "faceoff", "weight": 1.0, **values, "asks": "all"}
    values = {"player": first, "points": second, "period": period, "clock": clock}
    return {"kind": "fact", "weight": 1.0, **values, "asks": "all"}


def _interval(asked: Asked, names: Mapping[str, Any]) -> list[Item]:
    return [{**_event(row), "weight": 1 / len(asked.key), "precise": True} for row in asked.key]


def _leads(asked: Asked, names: Mapping[str, Any]) -> list[Item]:
    period = asked.question.get("period", asked.period)
    count, *changes = lead_checklist(asked.key, names["teams"])
    items: list[Item] = [{"kind": "count", "weight": count["weight"], "n": count["count"]}]
    for change in changes:
        found = {"period": period, "clock": change["clock"], "leader": change["leader"]}
        items.append({"kind": "change", "weight": change["weight"], **found})
    return items


def _top_player(asked: Asked, names: Mapping[str, Any]) -> list[Item]:
    if _is_points(asked.key):
        return _cases(asked.key)
    loss = asked.key["decrease_if_all_lost"]
    return [
        {"kind": "player", "weight": _HALF, "player": asked.key["player"]},
        {"kind": "percent", "weight": _HALF, "name": "loss", "value": loss},
    ]


def _named_player(asked: Asked, names: Mapping[str, Any]) -> list[Item]:
    if _is_points(asked.key):
        return _cases(asked.key)
    return [{"kind": "percent", "weight": 1.0, "name": "gain", "value": asked.key["increase_if_all_won"]}]


def _cases(impact: Mapping[str, Any]) -> list[Item]:
    items: list[Item] = []
    for case in CASES:
        leader, margin = impact[case]
        team = LEVEL if leader == TIE else leader
        items.append({"kind": "leader", "weight": _QUARTER, "case": case, "team": team})
        items.append({"kind": "margin", "weight": _QUARTER, "case": case, "n": margin, "team": team})
    return items


def _letter(asked: Asked, names: Mapping[str, Any]) -> list[Item]:
    return [{"kind": "letter", "weight": 1.0, "letter": asked.key}]


def _tags(asked: Asked, first: float, second: float) -> list[Item]:
    weights = {"first": first, "second": second}
    return [
        {"kind": "tag", "weight": weight, "which": which, "intent": asked.intent, "number": asked.number}
        for which, weight in weights.items()
    ]


def _body(words: float, sentences: float) -> list[Item]:
    return [{"kind": "words", "weight": words, "most": MOST_WORDS}, {"kind": "sentences", "weight": sentences}]


def _formatted_score(asked: Asked, names: Mapping[str, Any]) -> list[Item]:
    if not asked.summary:
        return [*_tags(asked, 0.1, 0.4), *_body(0.2, 0.2), *_scores(asked.key, 0.05)]
    return [*_tags(asked, 0.05, 0.25), *_body(0.05, 0.05), *_scores(asked.key, 0.05), *_summary()]


def _acrostic(asked: Asked, names: Mapping[str, Any]) -> list[Item]:
    team = asked.question["team"]
    parts = {"max20": 0.1, "starts": 0.25, "complete": 0.25}
    return [
        *_tags(asked, 0.05, 0.25),
        *({"kind": "acrostic", "weight": weight, "part": part, "team": team} for part, weight in parts.items()),
        {"kind": "support", "weight": 0.1, "team": team},
    ]


def _statistics(asked: Asked, names: Mapping[str, Any]) -> list[Item]:
    if not asked.summary:
        return [*_tags(asked, 0.1, 0.4), *_body(0.1, 0.1), *_lines(asked.key, 0.3)]
    return [*_tags(asked, 0.05, 0.25), *_body(0.05, 0.05), *_lines(asked.key, 0.1), *_summary()]


def _summary() -> list[Item]:
    return [{"kind": "summary", "weight": 0.25, "part": "lt50"}, {"kind": "summary", "weight": 0.25, "part": "true"}]


def _lines(key: Sequence[Mapping[str, Any]], together: float) -> list[Item]:
    return [{"kind": "statistics", "weight": together / len(key), "line": dict(line)} for line in key]


_Builder: TypeAlias = Callable[[Asked, Mapping[str, Any]], list[Item]]
_ITEMS: Final[Mapping[str, _Builder]] = {
    "S": _score,
    "A": _anchored,
    "I": _interval,
    "L": _leads,
    "T": _top_player,
    "H": _named_player,
    "M": _letter,
}
_FORMATTED_ITEMS: Final[Mapping[str, _Builder]] = {"S": _formatted_score, "K": _acrostic, "Q": _statistics}
