"""The score of a reply: which items of a turn's checklist it satisfies, and which gates it triggers."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Any, Final, NamedTuple, TypeAlias, TypedDict

from evolif.errors import ArgumentError
from evolif.scenarios.broadcast.arguments import items as listed
from evolif.scenarios.broadcast.arguments import mapping, one_of, required, shown, text
from evolif.scenarios.broadcast.checklist import is_precise, needs_judge
from evolif.scenarios.broadcast.faceoffs import StatedFaceoff
from evolif.scenarios.broadcast.facts import Fact
from evolif.scenarios.broadcast.reading import quoted
from evolif.scenarios.broadcast.reading_statistics import line_matches
from evolif.scenarios.broadcast.replies import ReadReply
from evolif.scenarios.broadcast.scores import checklist_score, event_share
from evolif.scenarios.broadcast.scoring_gates import GATES, false_events
from evolif.scenarios.broadcast.tags import check_acrostic, check_tags, count_words, three_sentences_same_letter

Turn: TypeAlias = Mapping[str, Any]
Item: TypeAlias = Mapping[str, Any]
Judge: TypeAlias = Callable[[Turn, str, Item], bool]
"""Whether a reply to a turn satisfies an item that no rule can check."""
_NEAR: Final = 0.05 + 1e-9
"""Percentage points by which a share may differ."""


class ReplyScore(TypedDict):
    """The score of a reply.

    Attributes:
        score: From 0 to 1.
        items: Those of the checklist that were checked: with what it holds and its weight among them, `satisfied`, and
            `found`, what the reply says instead.
        gates: Those that it triggers; one is enough for a score of 0.
        false: How many false events it tells, where its items are precise; each costs as much as a missing one.
        unjudged: The kinds of items that only a judge can check, where there is none.
    """

    score: float
    items: list[dict[str, Any]]
    gates: list[str]
    false: int | None
    unjudged: list[str]


class _Checked(NamedTuple):
    satisfied: bool
    found: Any


def score_reply(turn: Turn, reply: str, judge: Judge | None = None) -> ReplyScore:
    """Score a reply to a turn.

    Args:
        turn: With `checklist`, `gates` and `names`; gates also look at its `key` and `question`.
        reply: The reply.
        judge: Checks what no rule can; without one, such items leave the checklist, and the weights of the others are
            divided by their sum.

    Raises:
        ArgumentError: the turn has no checklist, or one of the wrong kind, or a judge's verdict is no truth value.
    """
    checklist = [mapping("an item", item) for item in listed("checklist", required("the turn", turn, "checklist"))]
    read = ReadReply(turn, text("reply", reply))
    kept = [item for item in checklist if judge is not None or not needs_judge(item)]
    if not kept:
        raise ArgumentError("the turn has no item that can be checked; score turns that are judged")
    total = math.fsum(item["weight"] for item in kept) if len(kept) < len(checklist) else 1.0
    checked: list[dict[str, Any]] = []
    for item in kept:
        satisfied, found = _check(item, read, judge)
        checked.append({**item, "weight": item["weight"] / total, "satisfied": satisfied, "found": found})
    gates = list(turn.get("gates") or ())
    triggered = [gate for gate in gates if GATES[one_of("a gate", gate, tuple(GATES))](read)]
    false = false_events(read) if is_precise(checklist) else None
    score = checklist_score(_worth(checked, false), _met(checked), gates, triggered)
    unjudged = [item["kind"] for item in checklist if judge is None and needs_judge(item)]
    return {"score": score, "items": checked, "gates": triggered, "false": false, "unjudged": unjudged}


def _met(checked: Sequence[Item]) -> list[int]:
    """The places of the items that are satisfied."""
    return [place for place, item in enumerate(checked) if item["satisfied"]]


def _worth(checked: Sequence[Item], false: int | None) -> dict[Hashable, float]:
    """What each item is worth: where false events are counted, the precise ones together are worth their F-measure."""
    weights: dict[Hashable, float] = {place: item["weight"] for place, item in enumerate(checked)}
    events = [place for place, item in enumerate(checked) if item.get("precise")]
    met = [place for place in events if checked[place]["satisfied"]]
    if false is None or not met:
        return weights
    share = event_share(len(met), len(events), false) * math.fsum(weights[place] for place in events)
    return weights | dict.fromkeys(met, share / len(met))


def _check(item: Item, read: ReadReply, judge: Judge | None) -> _Checked:
    check = _CHECKS[one_of("the kind of an item", item.get("kind"), tuple(_CHECKS))]
    if not read.reply.strip():
        return _Checked(False, None)
    if judge is not None and needs_judge(item):
        return _judged(item, read, judge)
    return check(item, read)


def _judged(item: Item, read: ReadReply, judge: Judge) -> _Checked:
    """The verdict of a judge, who is not asked about what is not there."""
    there = read.summary["present"] if item["kind"] == "summary" else bool(read.body)
    verdict = judge(read.turn, read.reply, item) if there else False
    if not isinstance(verdict, bool):
        raise ArgumentError(f"the judge's verdict is {shown(verdict)}; return True or False")
    return _Checked(verdict, None)


def _score(item: Item, read: ReadReply) -> _Checked:
    found = read.score.get(item["team"])
    return _Checked(found == item["points"], found)


def _fact(item: Item, read: ReadReply) -> _Checked:
    asks = one_of("what a fact is asked for", item.get("asks", "all"), ("all", "points", "time"))

    def meets(fact: Fact) -> bool:
        return (asks == "time" or fact.points == item["points"]) and (asks == "points" or fact.is_at(item, read.sport))

    own = [(place, fact) for place, fact in enumerate(read.facts) if fact.player == item["player"]]
    return _taken(read, asks, own, meets)


def _faceoff(item: Item, read: ReadReply) -> _Checked:
    asks = one_of("what a faceoff is asked for", item.get("asks", "all"), ("all", "time", "winner", "loser"))

    def meets(faceoff: StatedFaceoff) -> bool:
        if asks == "all":
            return faceoff.is_one(item, read.sport)
        return faceoff.is_at(item, read.sport) if asks == "time" else getattr(faceoff, asks) == item[asks]

    return _taken(read, asks, list(enumerate(read.faceoffs)), meets)


def _taken(read: ReadReply, asks: str, events: Sequence[tuple[int, Any]], meets: Callable[[Any], bool]) -> _Checked:
    """The first event that meets an item and has met no other one that asks for the same part; not the anchor."""
    taken = read.taken.setdefault(asks, set())
    for place, event in events:
        if place not in taken and meets(event) and not read.is_anchor(event):
            taken.add(place)
            return _Checked(True, quoted(event.line))
    return _Checked(False, quoted(events[0][1].line) if events else None)


def _count(item: Item, read: ReadReply) -> _Checked:
    return _Checked(read.count == item["n"], read.count)


def _change(item: Item, read: ReadReply) -> _Checked:
    for change in read.changes:
        if change.is_one(item, read.sport):
            return _Checked(True, quoted(change.line))
    near = next((change for change in read.changes if change.is_at(item, read.sport)), None)
    return _Checked(False, quoted(near.line) if near else None)


def _leader(item: Item, read: ReadReply) -> _Checked:
    lead = read.leads.get(item["case"])
    return _Checked(lead is not None and lead.leader == item["team"], lead and lead.leader)


def _margin(item: Item, read: ReadReply) -> _Checked:
    lead = read.leads.get(item["case"])
    return _Checked(lead is not None and lead.margin == item["n"], lead and lead.margin)


def _player(item: Item, read: ReadReply) -> _Checked:
    return _Checked(read.top_player == item["player"], read.top_player)


def _percent(item: Item, read: ReadReply) -> _Checked:
    found = read.percent(item["name"])
    return _Checked(found is not None and abs(found - item["value"]) <= _NEAR, found)


def _letter(item: Item, read: ReadReply) -> _Checked:
    return _Checked(read.letter == item["letter"], read.letter)


def _tag(item: Item, read: ReadReply) -> _Checked:
    found = check_tags(read.reply, item["number"], item["intent"])
    line = read.reply.strip().splitlines()[0]
    return _Checked(found["tag1"] if item["which"] == "first" else found["tag2"], quoted(line))


def _words(item: Item, read: ReadReply) -> _Checked:
    count = count_words(read.body)
    return _Checked(0 < count <= item["most"], count)


def _sentences(item: Item, read: ReadReply) -> _Checked:
    return _Checked(three_sentences_same_letter(read.body), quoted(read.body))


def _acrostic(item: Item, read: ReadReply) -> _Checked:
    found = check_acrostic(read.body, item["team"])
    parts = {"starts": found["starts"], "complete": found["complete"], "max20": found["max20"]}
    return _Checked(bool(read.body) and parts[item["part"]], quoted(read.body))


def _statistics(item: Item, read: ReadReply) -> _Checked:
    own = [line for line in read.statistics if line.player == item["line"]["player"]]
    for line in own:
        if line_matches(line, item["line"]):
            return _Checked(True, quoted(line.line))
    return _Checked(False, quoted(own[0].line) if own else None)


def _summary(item: Item, read: ReadReply) -> _Checked:
    return _Checked(read.summary["lt50"], "<Summary>" if read.summary["present"] else None)


def _no_rule(item: Item, read: ReadReply) -> _Checked:
    raise ArgumentError(f"only a judge checks {shown(item['kind'])}; pass one")


_CHECKS: Final[Mapping[str, Callable[[Item, ReadReply], _Checked]]] = {
    "score": _score,
    "fact": _fact,
    "faceoff": _faceoff,
    "count": _count,
    "change": _change,
    "leader": _leader,
    "margin": _margin,
    "player": _player,
    "percent": _percent,
    "letter": _letter,
    "tag": _tag,
    "words": _words,
    "sentences": _sentences,
    "acrostic": _acrostic,
    "statistics": _statistics,
    "summary": _summary,
    "support": _no_rule,
}
