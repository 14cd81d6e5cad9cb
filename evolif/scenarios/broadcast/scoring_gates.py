"""Gates, which bring the score of a reply to 0, and how much of what it tells is false."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from typing import Any, Final, TypeAlias

from evolif.scenarios.broadcast.arguments import mapping, required
from evolif.scenarios.broadcast.faceoffs import StatedFaceoff
from evolif.scenarios.broadcast.facts import Fact
from evolif.scenarios.broadcast.reading_changes import StatedLeadChange
from evolif.scenarios.broadcast.replies import ReadReply

Event: TypeAlias = Fact | StatedFaceoff | StatedLeadChange
_HELD: Final = ("player", "points", "winner", "loser", "leader", "period", "clock")
"""What items on events hold."""


def _wrong_player(read: ReadReply) -> bool:
    """Whether it names a scorer, or a player of a faceoff, who is not in the key; those of the anchor are excepted."""
    question = read.turn.get("question") or {}
    allowed = {question.get("player"), question.get("opponent"), None}
    for item in read.turn["checklist"]:
        allowed |= {item.get(role) for role in ("player", "winner", "loser")}
    if any(item["kind"] == "faceoff" for item in read.turn["checklist"]):
        return any(not {faceoff.winner, faceoff.loser} <= allowed for faceoff in read.faceoffs)
    return any(fact.player not in allowed for fact in read.facts)


def _false_facts(read: ReadReply) -> bool:
    """Whether it tells more false facts than true ones; only whole facts count."""
    return _mostly_false(read, _whole_facts(read))


def _false_changes(read: ReadReply) -> bool:
    """Whether it tells more false changes of the lead than true ones."""
    return _mostly_false(read, read.changes)


def _whole_facts(read: ReadReply) -> Sequence[Event]:
    """The facts that say who, what and when."""
    if any(item["kind"] == "faceoff" for item in read.turn["checklist"]):
        return [faceoff for faceoff in read.faceoffs if faceoff.is_whole]
    return [fact for fact in read.facts if fact.is_whole]


def _mostly_false(read: ReadReply, told: Iterable[Event]) -> bool:
    """Whether more of what is told is false than true."""
    false, true = _false_and_true(read, told)
    return false > true


def _false_and_true(read: ReadReply, told: Iterable[Event]) -> tuple[int, int]:
    """How much of what is told is false, and how much is true.

    Equal items of the checklist stand for as many true facts. A reply that tells all its true facts several times
    repeats itself: its false ones are divided by that number.
    """
    wanted: dict[str | None, Counter[tuple[Any, ...]]] = {}
    for item in read.turn["checklist"]:
        values = tuple(item.get(name) for name in _HELD)
        wanted.setdefault(_who(item), Counter())[values] += 1
    true: Counter[tuple[Any, ...]] = Counter()
    false: Counter[Hashable] = Counter()
    for event in told:
        met = [values for values in wanted.get(event.who, ()) if event.is_one(_item(values), read.sport)]
        if met:
            true[met[0]] += 1
        else:
            false[event.claim] += 1
    needed = {values: count for counts in wanted.values() for values, count in counts.items()}
    times = max(1, min((count // needed[values] for values, count in true.items()), default=1))
    return (
        sum(-(-count // times) for count in false.values()),
        sum(min(count, needed[values]) for values, count in true.items()),
    )


def _who(item: Mapping[str, Any]) -> str | None:
    """Whom an item is about; one on the number of changes is about nobody."""
    return item.get("player") or item.get("winner") or item.get("leader")


def _item(values: Iterable[Any]) -> dict[str, Any]:
    return dict(zip(_HELD, values, strict=True))


def _no_right_player(read: ReadReply) -> bool:
    """Whether it names a wrong player as the best, or none."""
    player: str = required("the key", mapping("the key", read.turn.get("key")), "player")
    return read.top_player != player


def _no_summary(read: ReadReply) -> bool:
    return read.summary["present"] is False


GATES: Final[Mapping[str, Callable[[ReadReply], bool]]] = {
    "wrong_player": _wrong_player,
    "false_facts": _false_facts,
    "false_changes": _false_changes,
    "no_right_player": _no_right_player,
    "no_summary": _no_summary,
}
"""Whether a reply triggers a gate, by its name."""


def false_events(read: ReadReply) -> int:
    """How many whole facts, or faceoffs, of a reply are false."""
    return _false_and_true(read, _whole_facts(read))[0]
