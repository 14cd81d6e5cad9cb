"""Faults of replies in free form: a wrong number, a neighbor's name, the other team, an event left out or invented.

A fault is made as data, a *claim* in the shape of the key. What it costs follows from comparing that claim with the
checklist; nothing here reads a reply.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple, TypeAlias

from evolif.scenarios.broadcast.arguments import one_of
from evolif.scenarios.broadcast.checklist import CASES, LEVEL, Item, is_precise
from evolif.scenarios.broadcast.clock import shift_clock, sport_of
from evolif.scenarios.broadcast.impact import TIE
from evolif.scenarios.broadcast.witness import Turn, change_lines, event_line, impact_lines, score_line

Fault: TypeAlias = tuple[str, str, tuple[int, ...], tuple[str, ...], int]
"""What is wrong, the reply, the places of the items that it fails, the gates that it triggers, how many false events it
tells where they cost something."""
Row: TypeAlias = Sequence[Any]
"""`[player, points, period, clock]`, or `[winner, loser, period, clock]`."""
_POINTS: Final = (1, 2, 3)
_STEPS: Final = tuple(sign * 7 * count for count in range(1, 80) for sign in (1, -1))
"""Seconds by which a clock may be wrong, the likeliest first."""
_LETTERS: Final = "ABCDE"
_LABELS: Final = {
    "player": "Player",
    "no_ft": "No free throw",
    "no_goals": "Nothing",
    "decrease_if_all_lost": "Loss",
    "increase_if_all_won": "Gain",
}
"""What a line begins with that tells of each value."""
_SHARES: Final = ("decrease_if_all_lost", "increase_if_all_won")
_OUTSIDE: Final = (0.06, -0.06, 1.0)
"""Percentage points by which a share is wrong; 0.05 are allowed."""
_ALLOWED: Final = 0.05


class WrongClaim(NamedTuple):
    """What a reply with one fault claims.

    Attributes:
        name: What is wrong.
        claim: In the shape of the key, without what the reply leaves out; of changes of the lead their number and a
            list of them.
        costs: The places of the items that it fails.
        gates: The gates that it triggers.
        false: How many events it tells that are false, where the turn counts them.
    """

    name: str
    claim: Any
    costs: tuple[int, ...]
    gates: tuple[str, ...]
    false: int = 0


def wrong_claims(turn: Turn) -> Iterator[WrongClaim]:
    """All claims with one fault each that a reply in free form can make.

    Raises:
        ArgumentError: no reply in free form to a turn of this kind is judged.
    """
    return _CLAIMS[one_of("kind", turn["kind"], tuple(_CLAIMS))](turn)


def faults_of(turn: Turn) -> Iterator[Fault]:
    """What can be wrong with a reply in free form: the same claims, in the line formats asked for.

    Raises:
        ArgumentError: no reply in free form to a turn of this kind is judged.
    """
    for name, claim, costs, gates, false in wrong_claims(turn):
        yield name, _REPLIES[turn["kind"]](turn, claim), costs, gates, false


def wrong_scores(key: Mapping[str, int]) -> Iterator[tuple[str, dict[str, int]]]:
    """Scores with one fault each, in the shape of the key."""
    for team, points in key.items():
        yield "a wrong number", {**key, team: points + 1}
        yield "a team left out", {other: number for other, number in key.items() if other != team}
    yield "the other team", dict(zip(key, [*key.values()][::-1], strict=True))


def unmet_scores(checklist: Sequence[Item], claim: Mapping[str, int]) -> tuple[int, ...]:
    """The places of the scores in a checklist that a claim does not have."""
    return _unmet(checklist, lambda item: item["kind"] != "score" or claim.get(item["team"]) == item["points"])


def neighbor_of(turn: Turn, player: str, taken: Iterable[str]) -> str:
    """The next player of the same team who is none of those; if there is none, one of the other team.

    Args:
        turn: With the names of the match.
        player: Whose neighbor is wanted.
        taken: Who else must not be named.
    """
    roster = turn["names"]["roster"]
    own = next((players for players in roster.values() if player in players), ())
    others = [name for players in roster.values() if players is not own for name in players]
    place = own.index(player) if own else 0
    avoided = {player, *taken}
    return next(str(name) for name in [*own[place:], *own[:place], *others] if name not in avoided)


def _unmet(checklist: Sequence[Item], meets: Callable[[Item], bool]) -> tuple[int, ...]:
    return tuple(place for place, item in enumerate(checklist) if not meets(item))


def _scores(turn: Turn) -> Iterator[WrongClaim]:
    for name, claim in wrong_scores(turn["key"]):
        yield WrongClaim(name, claim, unmet_scores(turn["checklist"], claim), ())


def _score_reply(turn: Turn, claim: Any) -> str:
    return score_line(claim)


def _events(turn: Turn) -> Iterator[WrongClaim]:
    for name, rows in _wrong_events(turn):
        costs = _unmet_events(turn["checklist"], rows)
        yield WrongClaim(name, rows, costs, _event_gates(turn, rows), _false_of(turn, rows))


def _event_reply(turn: Turn, claim: Any) -> str:
    return "\n".join(event_line(row, turn["names"]["sport"]) for row in claim)


def _wrong_events(turn: Turn) -> Iterator[tuple[str, list[Row]]]:
    key: list[Row] = [tuple(row) for row in turn["key"]]
    for place, row in enumerate(key):
        before, after = key[:place], key[place + 1 :]
        yield "an event left out", [*before, *after]
        yield from ((name, [*before, wrong, *after]) for name, wrong in _wrong_rows(turn, row))
    late = _others_clocks(turn, len(key))
    yield "every clock wrong", [(first, second, *when) for (first, second, *_), when in zip(key, late, strict=True)]
    invented = [_invented(turn, key[-1], when) for when in _others_clocks(turn, len(key) + 1)]
    yield "one invented", [*key, invented[0]]
    yield "more invented than true", [*key, *invented]


def _wrong_rows(turn: Turn, row: Row) -> Iterator[tuple[str, Row]]:
    """One event with one fault."""
    first, second, period, clock = row
    yield "a neighbor's name", (_foreign(turn, first), second, period, clock)
    yield "a wrong clock", (first, second, *_others_clocks(turn, 1, row)[0])
    if (other := _other_period(turn, row)) is not None:
        yield "another period", (first, second, other, clock)
    if isinstance(second, str):
        yield "a neighbor's name for the loser", (first, _foreign(turn, second), period, clock)
        yield "the other winner", (second, first, period, clock)
    else:
        said = {points for player, points, *when in turn["key"] if [player, *when] == [first, period, clock]}
        yield "a wrong number", (first, next(n for n in (*_POINTS[::-1], 4) if n not in said), period, clock)


def _foreign(turn: Turn, player: str) -> str:
    """A neighbor who is not in the key, and whom no gate excepts."""
    return neighbor_of(turn, player, {*_named(turn["key"]), *_excepted(turn)})


def _invented(turn: Turn, row: Row, when: Row) -> Row:
    first, second, *_ = row
    if not isinstance(second, str):
        return (_foreign(turn, first), second, *when)
    winner = _foreign(turn, first)
    return (winner, neighbor_of(turn, second, {winner, *_named(turn["key"]), *_excepted(turn)}), *when)


def _named(rows: Iterable[Row]) -> set[str]:
    """The players of events."""
    return {name for first, second, *_ in rows for name in (first, second) if isinstance(name, str)}


def _excepted(turn: Turn) -> set[str]:
    """The players of the anchor."""
    question = turn.get("question") or {}
    return {question[role] for role in ("player", "opponent") if question.get(role)}


def _others_clocks(turn: Turn, count: int, row: Row | None = None) -> list[Row]:
    """Moments near an event, or near the last one, at which no event of the key lies."""
    period, clock = (turn["key"][-1] if row is None else row)[2:]
    taken = {tuple(row[2:]) for row in turn["key"]}
    found: list[Row] = []
    for seconds in _STEPS:
        moment = shift_clock(period, clock, seconds, turn["names"]["sport"])
        if moment is None or (moment["period"], moment["clock"]) in taken:
            continue
        found.append((moment["period"], moment["clock"]))
        if len(found) == count:
            break
    return found


def _other_period(turn: Turn, row: Row) -> int | None:
    """A period in which nothing of the key happens when the clock shows the same."""
    _, _, period, clock = row
    taken = {tuple(row[2:]) for row in turn["key"]}
    periods = range(1, sport_of(turn["names"]["sport"]).periods + 1)
    return next((other for other in periods if other != period and (other, clock) not in taken), None)


def _asked_of(item: Item) -> tuple[Any, ...]:
    """What an item on an event asks for, as a claim can have it."""
    when = (item["period"], item["clock"])
    if item["kind"] == "fact":
        asked = {"all": (item["player"], item["points"], *when), "points": (item["player"], item["points"])}
        return asked.get(item["asks"], (item["player"], *when))
    asked = {"all": (item["winner"], item["loser"], *when), "time": when}
    return asked[item["asks"]] if item["asks"] in asked else (item[item["asks"]],)


def _claims_of(asks: str, row: Row) -> tuple[Any, ...]:
    """What a claimed event has of what an item asks for."""
    first, second, *when = row
    if asks == "time":
        return tuple(when) if isinstance(second, str) else (first, *when)
    return {"all": tuple(row), "points": (first, second), "winner": (first,), "loser": (second,)}[asks]


def _unmet_events(checklist: Sequence[Item], rows: Sequence[Row]) -> tuple[int, ...]:
    """Equal items need as many claims: the last ones go without."""
    left = {asks: Counter(_claims_of(asks, row) for row in rows) for asks in {item["asks"] for item in checklist}}

    def meets(item: Item) -> bool:
        claims, asked = left[item["asks"]], _asked_of(item)
        claims[asked] -= 1
        return claims[asked] >= 0

    return _unmet(checklist, meets)


def _event_gates(turn: Turn, rows: Sequence[Row]) -> tuple[str, ...]:
    if turn["kind"] == "A":
        foreign = _named(rows) - _named(turn["key"]) - _excepted(turn)
        return ("wrong_player",) if foreign else ()
    return _gates_of(turn, "false_facts", rows)


def _gates_of(turn: Turn, gate: str, claims: Sequence[Row]) -> tuple[str, ...]:
    """The gate that more false claims than true ones trigger, if the turn has it."""
    false = _false_among(claims, turn["key"])
    return (gate,) if gate in turn["gates"] and 2 * false > len(claims) else ()


def _false_of(turn: Turn, claims: Sequence[Row]) -> int:
    """How many claims are false, where the turn counts them."""
    return _false_among(claims, turn["key"]) if is_precise(turn["checklist"]) else 0


def _false_among(claims: Sequence[Row], key: Iterable[Row]) -> int:
    return len(claims) - (Counter(map(tuple, claims)) & Counter(map(tuple, key))).total()


def _changes(turn: Turn) -> Iterator[WrongClaim]:
    for name, count, changes in _wrong_changes(turn):
        gates = _gates_of(turn, "false_changes", changes)
        costs = _unmet_changes(turn["checklist"], count, changes)
        yield WrongClaim(name, (count, changes), costs, gates)


def _change_reply(turn: Turn, claim: Any) -> str:
    count, changes = claim
    return "\n".join([f"Changes: {count}", *change_lines(changes)[1:]])


def _wrong_changes(turn: Turn) -> Iterator[tuple[str, int, list[Row]]]:
    key: list[Row] = [tuple(change) for change in turn["key"]]
    count = len(key)
    yield "a wrong number", count + 1, key
    clocks = _free_clocks(turn, key, count + 1)
    for place, (clock, team) in enumerate(key):
        before, after = key[:place], key[place + 1 :]
        yield "a change left out", count, [*before, *after]
        yield "a change left out and not counted", count - 1, [*before, *after]
        yield "a wrong clock", count, [*before, (clocks[0], team), *after]
        yield "the other team", count, [*before, (clock, _other_team(turn, team)), *after]
    yield "one invented", count, [*key, (clocks[0], key[-1][1])]
    yield "more invented than true", count, [*key, *((clock, key[-1][1]) for clock in clocks)]


def _free_clocks(turn: Turn, changes: Sequence[Row], count: int) -> list[str]:
    """Clocks of the period near the last change at which the lead does not change."""
    taken = {clock for clock, _ in changes}
    found = []
    for seconds in _STEPS:
        moment = shift_clock(1, changes[-1][0], seconds, turn["names"]["sport"])
        if moment is not None and moment["period"] == 1 and moment["clock"] not in taken:
            found.append(moment["clock"])
    return found[:count]


def _other_team(turn: Turn, team: str) -> str:
    return next(str(other) for other in turn["names"]["teams"] if other != team)


def _unmet_changes(checklist: Sequence[Item], count: int, changes: Iterable[Row]) -> tuple[int, ...]:
    claimed = {tuple(change) for change in changes}

    def meets(item: Item) -> bool:
        return item["n"] == count if item["kind"] == "count" else (item["clock"], item["leader"]) in claimed

    return _unmet(checklist, meets)


def _impact(turn: Turn) -> Iterator[WrongClaim]:
    right = turn["key"]
    wrong = _wrong_cases(turn) if CASES[0] in right else _wrong_shares(turn)
    for name, claim in [*_wrong_players(turn), *wrong]:
        costs = _unmet_impact(turn["checklist"], claim)
        gates = ("no_right_player",) if claim.get("player") != right["player"] else ()
        yield WrongClaim(name, claim, costs, tuple(gate for gate in gates if gate in turn["gates"]))


def _wrong_players(turn: Turn) -> Iterator[tuple[str, dict[str, Any]]]:
    if turn["kind"] == "T":
        key = turn["key"]
        yield "a neighbor's name", {**key, "player": neighbor_of(turn, key["player"], ())}
        yield "a player left out", {name: value for name, value in key.items() if name != "player"}


def _wrong_cases(turn: Turn) -> Iterator[tuple[str, dict[str, Any]]]:
    key = turn["key"]
    for case in CASES:
        leader, margin = key[case]
        yield "a case left out", {name: value for name, value in key.items() if name != case}
        if leader == TIE:
            yield "a leader of a level score", {**key, case: [turn["names"]["teams"][0], 2]}
            continue
        yield "the other team", {**key, case: [_other_team(turn, leader), margin]}
        yield "a wrong number", {**key, case: [leader, margin + 1]}
        yield "a level score", {**key, case: [TIE, 0]}
    yield "the other case", {**key, CASES[0]: key[CASES[1]], CASES[1]: key[CASES[0]]}


def _wrong_shares(turn: Turn) -> Iterator[tuple[str, dict[str, Any]]]:
    key = turn["key"]
    share, other = _SHARES if turn["kind"] == "T" else _SHARES[::-1]
    for step in _OUTSIDE:
        if key[share] + step >= 0:
            yield "a wrong number", {**key, share: round(key[share] + step, 2)}
    yield "the other share", {**key, share: key[other]}
    yield "a share left out", {name: value for name, value in key.items() if name != share}


def _unmet_impact(checklist: Sequence[Item], claim: Mapping[str, Any]) -> tuple[int, ...]:
    def meets(item: Item) -> bool:
        if item["kind"] == "player":
            return bool(claim.get("player") == item["player"])
        if item["kind"] == "percent":
            said = claim.get(_SHARES[item["name"] == "gain"])
            return said is not None and abs(said - item["value"]) <= _ALLOWED
        leader, margin = claim.get(item["case"], (None, None))
        if item["kind"] == "margin":
            return bool(margin == item["n"])
        return bool((LEVEL if leader == TIE else leader) == item["team"])

    return _unmet(checklist, meets)


def _impact_reply(turn: Turn, claim: Any) -> str:
    """The lines of a claim that says less than all."""
    lines = impact_lines(turn["kind"], {**turn["key"], **claim})
    for absent in turn["key"].keys() - claim.keys():
        lines = [line for line in lines if not line.startswith(_LABELS[absent])]
    return "\n".join(lines)


def _problem(turn: Turn) -> Iterator[WrongClaim]:
    for letter in _LETTERS:
        if letter != turn["key"]:
            yield WrongClaim("another letter", letter, tuple(range(len(turn["checklist"]))), ())


def _letter_reply(turn: Turn, claim: Any) -> str:
    return f"Answer: {claim}"


_CLAIMS: Final[Mapping[str, Callable[[Turn], Iterator[WrongClaim]]]] = {
    "S": _scores,
    "A": _events,
    "I": _events,
    "L": _changes,
    "T": _impact,
    "H": _impact,
    "M": _problem,
}
_REPLIES: Final[Mapping[str, Callable[[Turn, Any], str]]] = {
    "S": _score_reply,
    "A": _event_reply,
    "I": _event_reply,
    "L": _change_reply,
    "T": _impact_reply,
    "H": _impact_reply,
    "M": _letter_reply,
}
