"""Right answers to the turns of a broadcast, made from their keys in the line formats that the friend asks for.

Nothing here knows how replies are read; clocks and names are all that it shares with the reading rules. The forms:

- score: `TEAM N, TEAM N`;
- statistics: `NAME: twos 3/7, threes 1/2, free throws 2/2, points 11` (made/tried), in hockey `NAME: faceoffs 9, won 6,
  lost 3`, each in a line of its own inside `<Stats>` and `</Stats>`;
- events: `NAME, N points, Q2 6:14` and `NAME won against NAME, P1 3:20`;
- changes of the lead: `Changes: N`, then a line `6:14, TEAM` for each;
- impact: `Player: NAME`, `No free throw: TEAM by N`, `Nothing: TEAM by N` (level: `Tie by 0`), `Loss: N`, `Gain: N`;
- a problem: `Answer: B`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, TypeAlias

from evolif.errors import ArgumentError
from evolif.scenarios.broadcast.acrostic import acrostic_sentence, spelled
from evolif.scenarios.broadcast.arguments import one_of
from evolif.scenarios.broadcast.clock import sport_of

Turn: TypeAlias = Mapping[str, Any]
_UPDATE: Final = "Update Score"
_OTHER: Final = "Other Question"
LETTERS: Final = {1: "A", 3: "B"}
"""The letter tag of a reply, by its number modulo 4."""
_STOP: Final = re.compile(r"[.!?]\s")
"""What would end a sentence inside a team's name."""
_CASES: Final = {"no_ft": "No free throw", "no_goals": "Nothing"}
_SCORE_BODIES: Final = (
    (
        "After these rows it is {score} on my sheet.",
        "I went through every row that you sent.",
        "Tell me when there is more to report.",
    ),
    (
        "By my count it is {score} at this stage.",
        "Every scoring row up to here is part of the score.",
        "I am here for any other update.",
    ),
    (
        "The scoring adds up to {score} after these rows.",
        "I counted all of it from our first row to the last of yours.",
        "I am happy to look at more plays.",
    ),
    (
        "So it reads {score} on the scoreboard.",
        "None of these rows was missed.",
        "I will update it with every row that you send.",
    ),
)
"""Three sentences each whose last words end with the same letter; names and numbers stand in the first alone."""
_STATISTICS_BODIES: Final = (
    (
        "Both of your players are listed below.",
        "Their lines cover the whole period that we just saw.",
        "I am happy to look up more of them for you now.",
    ),
    (
        "Here is the table that you wanted.",
        "It covers the first two names on the list of the period.",
        "I checked it against the rows you shared.",
    ),
    (
        "The two players you wanted come next, each in a separate line.",
        "I counted every row of the period up to the end of it for their share.",
        "Ask away if you want more detail or a second name.",
    ),
)


def witness(turn: Turn) -> str:
    """A reply that satisfies every item of a turn that rules can check.

    Args:
        turn: With `kind`, `key` and `names`, and for replies of the fixed format `number`, `checklist` and `gates`.

    Raises:
        ArgumentError: no reply to a turn of this kind is judged.
    """
    write = _ANSWERS[one_of("kind", turn.get("kind"), tuple(_ANSWERS))]
    if not is_formatted(turn):
        return write(turn)
    return f"{tag_line(turn['number'], intent_of_turn(turn))}\n{_FORMATTED[turn['kind']](turn)}"


def tag_line(number: int, intent: str) -> str:
    """The first line of a reply of the fixed format.

    Args:
        number: Of the reply over the whole match, from 1.
        intent: What the friend wants, without brackets.
    """
    letter = LETTERS.get(number % 4)
    return f"[{intent}]" if letter is None else f"[{intent}] [Tag {letter}]"


def score_line(key: Mapping[str, int]) -> str:
    """A score: `TEAM N, TEAM N`."""
    return ", ".join(f"{team} {points}" for team, points in key.items())


def event_line(row: Sequence[Any], sport: str) -> str:
    """An event: `NAME, N points, Q2 6:14`; a faceoff: `NAME won against NAME, P1 3:20`.

    Args:
        row: `[player, points, period, clock]`, or `[winner, loser, period, clock]`.
        sport: Whose periods they are.
    """
    first, second, period, clock = row
    when = f"{sport_of(sport).label(period)} {clock}"
    if isinstance(second, str):
        return f"{first} won against {second}, {when}"
    return f"{first}, {_points(second)}, {when}"


def change_lines(key: Sequence[Sequence[str]]) -> list[str]:
    """Changes of the lead: how many, then a line for each."""
    return [f"Changes: {len(key)}", *(f"{clock}, {team}" for clock, team in key)]


def impact_lines(kind: str, key: Mapping[str, Any]) -> list[str]:
    """What a top player (`T`) or a named player (`H`) changed, in the lines asked for."""
    lines = [f"Player: {key['player']}"] if kind == "T" else []
    if "no_ft" in key:
        return lines + [f"{label}: {key[case][0]} by {key[case][1]}" for case, label in _CASES.items()]
    name, value = ("Loss", "decrease_if_all_lost") if kind == "T" else ("Gain", "increase_if_all_won")
    return [*lines, f"{name}: {key[value]:g}"]


def statistics_line(line: Mapping[str, Any]) -> str:
    """What one player did in a period."""
    if "taken" in line:
        return f"{line['player']}: faceoffs {line['taken']}, won {line['won']}, lost {line['lost']}"
    shots = {"twos": "two", "threes": "three", "free throws": "free"}
    made = ", ".join(f"{label} {line[f'{shot}_made']}/{line[f'{shot}_attempts']}" for label, shot in shots.items())
    return f"{line['player']}: {made}, points {line['points']}"


def stats_block(key: Sequence[Mapping[str, Any]]) -> str:
    """The statistics of a period, in their tags."""
    return "\n".join(["<Stats>", *map(statistics_line, key), "</Stats>"])


def summary_block(turn: Turn) -> str:
    """A true summary of fewer than 50 words, in its tags, made from the turn's own key alone."""
    key, teams = turn["key"], turn["names"]["teams"]
    if turn["kind"] == "S":  # no line but the one with the score names both teams
        return f"<Summary>All in all there have been {_points(sum(key.values()))} so far.</Summary>"
    told = [f"This is {teams[0]} against {teams[1]}."]
    if key and "taken" in key[0]:
        told += [f"{line['player']} won {line['won']} of {line['taken']} faceoffs in this period." for line in key]
    else:
        told += [f"{line['player']} scored {_points(line['points'])} in this period." for line in key]
    return f"<Summary>{' '.join(told)}</Summary>"


def score_body(turn: Turn) -> str:
    """Three sentences that tell the score."""
    key = {_in_sentence(team): points for team, points in turn["key"].items()}
    return _body(_SCORE_BODIES, turn["number"]).replace("{score}", score_line(key))


def statistics_body(turn: Turn) -> str:
    """Three sentences that stand before statistics."""
    return _body(_STATISTICS_BODIES, turn["number"])


def acrostic_body(turn: Turn) -> str:
    """The one sentence that spells what it has to."""
    return acrostic_sentence(supported_team(turn), turn["number"])


def supported_team(turn: Turn) -> str:
    """The team that a sentence has to support.

    Raises:
        ArgumentError: neither question nor checklist name it, and it is no team of the match.
    """
    named = [turn.get("question") or {}, *(item for item in turn.get("checklist", ()) if item["kind"] == "acrostic")]
    for holder in named:
        if team := holder.get("team"):
            return str(team)
    for team in turn["names"]["teams"]:
        if spelled(team) == turn["key"]:
            return str(team)
    raise ArgumentError("the turn names no team to support; give its question a team")


def brings_summary(turn: Turn) -> bool:
    """Whether the reply also has to bring the summary."""
    return any(item["kind"] == "summary" for item in turn.get("checklist", ())) or "no_summary" in turn.get("gates", ())


def is_formatted(turn: Turn) -> bool:
    """Whether the reply has the fixed format: an intent, or an item on tags, says so."""
    return bool(turn.get("intent")) or any(item["kind"] == "tag" for item in turn.get("checklist", ()))


def intent_of_turn(turn: Turn) -> str:
    """What the friend wants: the first tag, without brackets."""
    return str(turn.get("intent") or (_UPDATE if turn["kind"] == "S" else _OTHER))


def _points(points: int) -> str:
    return f"{points} point{'' if points == 1 else 's'}"


def _body(bodies: Sequence[Sequence[str]], number: int) -> str:
    return " ".join(bodies[number % len(bodies)])


def _in_sentence(team: str) -> str:
    """A team's name that ends no sentence: the full one, or else its last word."""
    return team.rpartition(" ")[2] if _STOP.search(team) else team


def _score(turn: Turn) -> str:
    return score_line(turn["key"])


def _events(turn: Turn) -> str:
    return "\n".join(event_line(row, turn["names"]["sport"]) for row in turn["key"])


def _leads(turn: Turn) -> str:
    return "\n".join(change_lines(turn["key"]))


def _impact(turn: Turn) -> str:
    return "\n".join(impact_lines(turn["kind"], turn["key"]))


def _statistics(turn: Turn) -> str:
    return _with_summary(turn, statistics_body(turn), stats_block(turn["key"]))


def _formatted_score(turn: Turn) -> str:
    return _with_summary(turn, score_body(turn))


def _with_summary(turn: Turn, *parts: str) -> str:
    """The parts of a reply, and the summary if it has to bring one."""
    return "\n".join([*parts, *([summary_block(turn)] if brings_summary(turn) else [])])


def _letter(turn: Turn) -> str:
    return f"Answer: {turn['key']}"


_Write: TypeAlias = Callable[[Turn], str]
_ANSWERS: Final[Mapping[str, _Write]] = {
    "S": _score,
    "K": acrostic_body,
    "Q": _statistics,
    "A": _events,
    "I": _events,
    "L": _leads,
    "T": _impact,
    "H": _impact,
    "M": _letter,
}
_FORMATTED: Final[Mapping[str, _Write]] = {"S": _formatted_score, "K": acrostic_body, "Q": _statistics}
