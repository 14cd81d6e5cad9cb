"""Items and gates as verdicts: what was asked for in words, and what was found."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from evolif.scenarios.broadcast.clock import sport_of
from evolif.text import plural
from evolif.types import Verdict

_Item: TypeAlias = Mapping[str, Any]
_GATE = "gate: "
_TRUE_SUMMARY = "true summary"
_GATES: Mapping[str, str] = {
    "wrong_player": "nobody is named who did not score then",
    "false_facts": "no more false events than true ones",
    "false_changes": "no more false changes than true ones",
    "no_right_player": "the right player is named",
    "no_summary": "there is a summary",
}
"""What a reply has to do so that a gate stays open."""
_FALSE = "false events"
_CASES: Mapping[str, str] = {"no_ft": "without free throws", "no_goals": "without points"}


def group_of(item: _Item) -> str:
    """The group of an item's verdict: its kind; apart from others what a judge decides on a summary."""
    kind: str = item["kind"]
    return _TRUE_SUMMARY if kind == "summary" and item["part"] == "true" else kind


def is_gate(verdict: Verdict) -> bool:
    """Whether a verdict is about a gate."""
    return verdict.group.startswith(_GATE)


def item_verdict(item: _Item, checked: _Item, names: Mapping[str, Any]) -> Verdict:
    """What became of an item.

    Args:
        item: Of a checklist.
        checked: The same with `satisfied` and `found`.
        names: `{sport, teams, roster}`.
    """
    found = checked["found"]
    text = "nothing" if found is None else str(found)
    return Verdict(group_of(item), bool(checked["satisfied"]), asked_for(item, names), text)


def undecided(item: _Item, names: Mapping[str, Any]) -> Verdict:
    """The verdict on an item that only a judge decides on, without one."""
    return Verdict(group_of(item), None, asked_for(item, names), "not judged")


def gate_verdict(gate: str, triggered: bool) -> Verdict:
    """Whether a gate stayed open; a triggered one brings the turn to 0."""
    asked = _GATES.get(gate, gate)
    return Verdict(
        f"{_GATE}{gate.replace('_', ' ')}", not triggered, asked, "not so: the turn scores 0" if triggered else asked
    )


def precision_verdict(false: int) -> Verdict:
    """The verdict on how many events are false, each of which costs as much as a missing one."""
    return Verdict(_FALSE, not false, "no false events", plural(false, "false event") if false else "none")


def asked_for(item: _Item, names: Mapping[str, Any]) -> str:
    """What an item asks for, in words, and what it is worth.

    Args:
        item: Of a checklist.
        names: `{sport, teams, roster}`.
    """
    told = _TOLD.get(item["kind"])
    return f"{item['kind'] if told is None else told(item, names)}; worth {item['weight']:.3g}"


def _moment(item: _Item, names: Mapping[str, Any]) -> str:
    period, clock = item["period"], item["clock"]
    return f"{sport_of(names['sport']).label(period)} {clock}" if isinstance(period, int) else str(clock)


def _fact(item: _Item, names: Mapping[str, Any]) -> str:
    what = "goal" if names["sport"] == "hockey" else "point"
    told = f"{item['player']}, {plural(item['points'], what)}, {_moment(item, names)}"
    return told + _part(item)


def _faceoff(item: _Item, names: Mapping[str, Any]) -> str:
    return f"{item['winner']} won against {item['loser']}, {_moment(item, names)}{_part(item)}"


def _part(item: _Item) -> str:
    """Which part of an event is asked for; empty for the whole."""
    asks = item.get("asks", "all")
    return "" if asks == "all" else f" (the {asks})"


def _leader(item: _Item, names: Mapping[str, Any]) -> str:
    leads = "level" if item["team"] == "tie" else f"{item['team']} leads"
    return f"{_CASES[item['case']]}: {leads}"


def _tag(item: _Item, names: Mapping[str, Any]) -> str:
    if item["which"] == "first":
        return f"[{item['intent']}] first, and nothing but tags in the first line"
    letter = {1: "[Tag A]", 3: "[Tag B]"}.get(item["number"] % 4)
    return f"{letter or 'no letter'} in reply {item['number']}"


def _acrostic(item: _Item, names: Mapping[str, Any]) -> str:
    initials = "".join(word[0] for word in item["team"].split()).upper()
    return {
        "max20": "20 words or fewer",
        "starts": f"the fifth word begins with {initials[0]}",
        "complete": f"words five onward spell {initials}KING",
    }[item["part"]]


def _statistics(item: _Item, names: Mapping[str, Any]) -> str:
    line = item["line"]
    numbers = (f"{name.replace('_', ' ')} {value}" for name, value in line.items() if name not in ("player", "team"))
    return f"{line['player']}: {', '.join(numbers)}"


_TOLD: Mapping[str, Callable[[_Item, Mapping[str, Any]], str]] = {
    "score": lambda item, names: f"{item['team']} {item['points']}",
    "fact": _fact,
    "faceoff": _faceoff,
    "count": lambda item, names: plural(item["n"], "change"),
    "change": lambda item, names: f"{_moment(item, names)}, {item['leader']} goes ahead",
    "leader": _leader,
    "margin": lambda item, names: f"{_CASES[item['case']]}: by {item['n']}",
    "player": lambda item, names: str(item["player"]),
    "percent": lambda item, names: f"{item['name']} of {item['value']} percentage points",
    "letter": lambda item, names: f"answer {item['letter']}",
    "tag": _tag,
    "words": lambda item, names: f"at most {item['most']} words",
    "sentences": lambda item, names: "three sentences whose last words end with the same letter",
    "acrostic": _acrostic,
    "statistics": _statistics,
    "summary": lambda item, names: "fewer than 50 words" if item["part"] == "lt50" else "a true summary",
    "support": lambda item, names: f"one sentence that supports {item['team']}",
}
