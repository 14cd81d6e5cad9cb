"""A responder that knows only what it is shown: what it scores is the ceiling of a context strategy.

It reads the rows of the messages of its call, and its own earlier replies: the score that it stated last stands for
rows that are not shown, and tags go on from those of its last replies. From these it works out the key of what is
asked, as far as it can, and answers as the witness would. A problem needs no history, so it takes the right letter.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from evolif.errors import ArgumentError
from evolif.scenarios.broadcast.clock import elapsed_at, moment_of, sport_of
from evolif.scenarios.broadcast.events import (
    events_at,
    events_between,
    faceoffs_at,
    faceoffs_between,
    is_before,
    span_of,
)
from evolif.scenarios.broadcast.impact import TIE, impact_faceoffs
from evolif.scenarios.broadcast.match_statistics import best_of
from evolif.scenarios.broadcast.rows import row_points
from evolif.scenarios.broadcast.witness import score_line, witness
from evolif.types import Message

UNSEEN = "I do not see the rows for that."
"""What it says where nothing that is asked for is shown."""
_Event: TypeAlias = dict[str, Any]
_PERIOD = re.compile(r"\b[QP]([1-4])\b")
_ENDS = {" makes ": "made", " misses ": "missed", " blocks ": "blocked"}
_SHOTS = {"three point": "three", "two point": "two", "free throw": "free"}
_FACEOFF = " wins faceoff against "
_HEAD = "GAME INFO"
_SUMMARY = "<summary>"
_TAGS = ("[tag a]", "[tag b]")


@dataclass(slots=True)
class Seen:
    """What the messages of a call tell.

    Attributes:
        names: `{sport, teams, roster}`.
        events: Those whose rows are shown, as far as questions need them.
        scores: After each event that scores, and after each score that it stated itself.
        score: At the end.
        period: Of the last message with a table.
        summary: Whether a summary is still owed, and in which period.
    """

    names: Mapping[str, Any]
    events: list[_Event] = field(default_factory=list)
    scores: list[tuple[_Event | None, dict[str, int]]] = field(default_factory=list)
    score: dict[str, int] = field(default_factory=dict)
    period: int = 1
    summary: int | None = None

    @property
    def player_team(self) -> dict[str, str]:
        """The team of each player."""
        return {player: team for team, players in self.names["roster"].items() for player in players}


def answer_from(messages: Sequence[Message], turn: Mapping[str, Any]) -> str:
    """A reply, as far as the messages of the call tell it.

    Args:
        messages: What the call is shown; the last one is the user's, which asks.
        turn: What is asked; of its key only a problem's letter is read.
    """
    seen = read_messages(messages, turn["names"])
    if not turn["judged"]:
        return score_line(seen.score) if turn["kind"] == "S" else "Good to know."
    try:
        key = _KEYS[turn["kind"]](seen, turn)
    except ArgumentError:  # nothing of the span is shown
        key = None
    if key is None or key == []:
        return UNSEEN
    number = reply_number(messages, turn["number"])
    return witness({**_owed(turn, seen), "key": key, "number": number})


def _owed(turn: Mapping[str, Any], seen: Seen) -> dict[str, Any]:
    """The turn without a summary that it does not know of."""
    if seen.summary == seen.period:
        return dict(turn)
    checklist = [item for item in turn["checklist"] if item["kind"] != "summary"]
    return {**turn, "checklist": checklist, "gates": [gate for gate in turn["gates"] if gate != "no_summary"]}


def reply_number(messages: Sequence[Message], number: int) -> int:
    """The number of a reply as far as its letter goes, by the letters of the last replies that are shown.

    Args:
        messages: What the call is shown.
        number: The right one.
    """
    said = [message.content.partition("\n")[0].lower() for message in messages if message.role == "assistant"]
    found = 1
    if said:
        last, before = said[-1], said[-2] if len(said) > 1 else ""
        after_none = 3 if _TAGS[0] in before else 1
        found = 2 if _TAGS[0] in last else 4 if _TAGS[1] in last else after_none
    return number if number % 4 == found % 4 else found


def read_messages(messages: Sequence[Message], names: Mapping[str, Any]) -> Seen:
    """What the messages of a call tell.

    Args:
        messages: In order of time; summaries stand in the system message.
        names: `{sport, teams, roster}`.
    """
    seen = Seen(names, score=dict.fromkeys(names["teams"], 0))
    stated = re.compile(", ".join(rf"{re.escape(team)} (\d{{1,4}})" for team in names["teams"]))
    for message in messages:
        if message.role != "user":
            _read_own(seen, stated, message)
            continue
        for event in _rows(message.content, seen):
            _add(seen, event)
        if _SUMMARY in message.content.lower():
            seen.summary = seen.period
    return seen


def _read_own(seen: Seen, stated: re.Pattern[str], message: Message) -> None:
    """Go on from the score that it stated last, and forget a summary that it brought."""
    found = stated.findall(message.content)
    if found:
        seen.score = dict(zip(seen.names["teams"], map(int, found[-1]), strict=True))
        seen.scores.append((seen.events[-1] if seen.events else None, dict(seen.score)))
    if message.role == "assistant" and _SUMMARY in message.content.lower():
        seen.summary = None


def _add(seen: Seen, event: _Event) -> None:
    seen.events.append(event)
    if event["pts"]:
        seen.score[event["team"]] += event["pts"]
        seen.scores.append((event, dict(seen.score)))


def _rows(content: str, seen: Seen) -> Iterator[_Event]:
    """The events of a message; the period stands above each table."""
    sport = sport_of(seen.names["sport"])
    team_of = seen.player_team
    players = sorted(team_of, key=len, reverse=True)
    head = False
    for line in content.splitlines():
        head = head or line == _HEAD
        label = _PERIOD.search(line) if head else None
        if label is not None:
            seen.period = int(label[1])
            head = False
        clock, tab, text = line.partition("\t")
        if not tab:
            continue
        try:
            elapsed_at(clock, sport)
        except ArgumentError:
            continue
        yield _event(text, players, team_of, {"period": seen.period, "clock": clock}, sport.name)


def _event(
    text: str, players: Sequence[str], team_of: Mapping[str, str], when: Mapping[str, Any], sport: str
) -> _Event:
    player = next((name for name in players if text.startswith(f"{name} ")), None)
    other = next((name for name in players if name != player and name in text), None)
    team = None if player is None else team_of[player]
    points = row_points(text, sport) if player is not None else 0
    kind = "faceoff" if _FACEOFF in text else _shot(text)
    return {**when, "kind": kind, "player": player, "team": team, "pts": points, "other": other, "text": text}


def _shot(text: str) -> str:
    """The kind of a shot; empty for anything else."""
    shot = next((kind for words, kind in _SHOTS.items() if words in text), None)
    end = next((kind for word, kind in _ENDS.items() if word in text), None)
    return f"{shot}_{end}" if shot and end else ""


def _faceoffs(seen: Seen) -> list[dict[str, Any]]:
    return [
        {"period": event["period"], "clock": event["clock"], "winner": event["player"], "loser": event["other"]}
        for event in seen.events
        if event["kind"] == "faceoff"
    ]


def _score(seen: Seen, turn: Mapping[str, Any]) -> Any:
    return seen.score


def _anchored(seen: Seen, turn: Mapping[str, Any]) -> Any:
    asked = turn["question"]
    period, clock = asked["anchor"]
    if seen.names["sport"] == "hockey":
        return faceoffs_at(_faceoffs(seen), period, clock, asked["delta"])
    return events_at(seen.events, seen.names["sport"], period, clock, asked["delta"])


def _interval(seen: Seen, turn: Mapping[str, Any]) -> Any:
    asked = turn["question"]
    if seen.names["sport"] == "hockey":
        return faceoffs_between(_faceoffs(seen), asked["start"], asked["end"])
    return events_between(seen.events, seen.names["sport"], asked["start"], asked["end"])


def _leads(seen: Seen, turn: Mapping[str, Any]) -> Any:
    """As `lead_changes`, from the scores that it knows."""
    first, second = seen.names["teams"]
    ahead = None
    changes = []
    for event, score in seen.scores:
        if score[first] == score[second]:
            continue
        leader = first if score[first] > score[second] else second
        if ahead not in (None, leader) and event is not None and event["period"] == turn["question"]["period"]:
            changes.append([event["clock"], leader])
        ahead = leader
    return changes or None


def _impact(seen: Seen, turn: Mapping[str, Any]) -> Any:
    asked = turn["question"]
    player = asked.get("player")
    if seen.names["sport"] == "hockey":
        return impact_faceoffs(_faceoffs(seen), seen.player_team, asked["start"], asked["end"], player)
    sport = sport_of(seen.names["sport"])
    span = span_of(asked["start"], asked["end"], sport)
    inside = [event for event in seen.events if event["pts"] and span.holds(_moment(event, seen))]
    if not inside:
        return None
    points: dict[str, int] = {}
    for event in inside:
        points[event["player"]] = points.get(event["player"], 0) + event["pts"]
    name = player or min(points, key=lambda one: (-points[one], one))
    at = moment_of("at", asked["at"], sport)
    before = [event for event in inside if event["player"] == name and not is_before(at, _moment(event, seen))]
    score = _score_at(seen, at)
    team = seen.player_team[name]
    free = sum(event["pts"] for event in before if event["pts"] == 1)
    return {
        "player": name,
        "no_ft": _leader(seen, {**score, team: score[team] - free}),
        "no_goals": _leader(seen, {**score, team: score[team] - sum(event["pts"] for event in before)}),
    }


def _moment(event: _Event, seen: Seen) -> Any:
    return moment_of("a row", (event["period"], event["clock"]), sport_of(seen.names["sport"]))


def _score_at(seen: Seen, at: Any) -> dict[str, int]:
    """The score at a moment, as far as it is known."""
    found = dict.fromkeys(seen.names["teams"], 0)
    for event, score in seen.scores:
        if event is not None and is_before(at, _moment(event, seen)):
            break
        found = score
    return found


def _leader(seen: Seen, score: Mapping[str, int]) -> list[Any]:
    first, second = seen.names["teams"]
    if score[first] == score[second]:
        return [TIE, 0]
    return [first if score[first] > score[second] else second, abs(score[first] - score[second])]


def _statistics(seen: Seen, turn: Mapping[str, Any]) -> Any:
    known = {"sport": seen.names["sport"], "events": seen.events, "faceoffs": _faceoffs(seen)}
    asked = turn["question"]
    return best_of({**known, "player_team": seen.player_team}, asked["period"], asked.get("team"))


_KEYS: Mapping[str, Callable[[Seen, Mapping[str, Any]], Any]] = {
    "S": _score,
    "K": lambda seen, turn: turn["key"],
    "Q": _statistics,
    "A": _anchored,
    "I": _interval,
    "L": _leads,
    "T": _impact,
    "H": _impact,
    "M": lambda seen, turn: turn["key"],
}
