"""Lines of statistics in a reply: what a player shot in a period, or how the player's faceoffs went."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from evolif.scenarios.broadcast.reading import lines_of, numbers_in, without
from evolif.scenarios.broadcast.reading_names import NameTable
from evolif.scenarios.broadcast.tags import cut_blocks

_POINTER: Final = (
    r"[ -]?pointers?|-points?|[ -]?point(?= (?:shots?|attempts?|field|fg))|-?pt|-pts|p[tam]?s?(?:-a)?| ?p fg"
)
_SHOT_LABEL: Final = re.compile(
    rf"(?<![a-z0-9/])(?:two(?P<two_s>s)|(?:two|2)(?P<two>{_POINTER})|three(?P<three_s>s)|(?:three|3)(?P<three>{_POINTER})"
    r"|(?P<free>free[ -]?throws?|ft[ma]?s?(?:-a)?|foul shots?))(?![a-z])"
)
_FACEOFF_LABEL: Final = re.compile(
    r"(?<![a-z])(?:(?P<taken>face-?offs?|taken|took|total)|(?P<won>won|wins?)|(?P<lost>lost|loss|losses))(?![a-z])"
)
_OF: Final = "/|of|out of|-? ?for ?-?|from"
_RATIO: Final = re.compile(rf"(?<![0-9/])([0-9]{{1,3}}) ?(?:made )?(?:{_OF}) ?([0-9]{{1,3}})(?![0-9/])")
_SHOTS: Final = re.compile(rf"(?<![0-9/])([0-9]{{1,3}}) ?(?:made )?(?:{_OF}|-) ?([0-9]{{1,3}})(?![0-9/])")
_WON_LOST: Final = re.compile(r"(?<![0-9/])([0-9]{1,3}) ?- ?([0-9]{1,3})(?![0-9/])")
"""What `6-3` says in hockey; in basketball it says made and tried."""
_SHIRT: Final = re.compile(r"^(?:'s)? ?\([0-9]{1,3}\)")
_PERCENT: Final = re.compile(r"[0-9]{1,3}(?:\.[0-9]{1,3})? ?%")
_TRIED: Final = re.compile(r"(?<![a-z])(?:attempt(?:s|ed)?|tried|tries|taken|shots)(?![a-z])")
_MADE: Final = re.compile(r"(?<![a-z])(?:made|makes?|hits?|scored|good)(?![a-z])")
_TOTAL: Final = re.compile(r"(?<![a-z])(?:points?|pts) ?[:=|-]? ?$")
_ORDER: Final = ("two", "three", "free")
_FACEOFFS: Final = ("taken", "won", "lost")
_BEFORE: Final = 20
"""Characters before a number that may say what it is."""


@dataclass(frozen=True, slots=True)
class StatisticsLine:
    """A line that names one player.

    Attributes:
        player: Full name.
        numbers: What it says, by the names that keys use.
        line: As evidence.
    """

    player: str
    numbers: Mapping[str, float]
    line: str


def statistics_in(reply: str, table: NameTable, sport: str) -> list[StatisticsLine]:
    """The lines of statistics that stand in a reply's `<Stats>` blocks.

    Args:
        reply: The reply.
        table: The names of the match.
        sport: Whose statistics they are.
    """
    found: list[StatisticsLine] = []
    for block in cut_blocks(reply, "Stats")[1]:
        found += _lines_of(_gathered(lines_of(block), table), table, sport)
    return found


def line_matches(line: StatisticsLine, key: Mapping[str, Any]) -> bool:
    """Whether all numbers of a line are right."""
    wanted = {name: value for name, value in key.items() if name not in ("player", "team")}
    return line.player == key["player"] and all(line.numbers.get(name) == value for name, value in wanted.items())


def _gathered(lines: Sequence[str], table: NameTable) -> list[str]:
    """Lines without a name put behind the name above them: a list of one player's numbers."""
    parts: list[list[str]] = []
    for line in lines:
        if parts and not table.players_in(line) and table.players_in(parts[-1][0]):
            parts[-1].append(line)
        else:
            parts.append([line])
    return [" ; ".join(part) for part in parts]


def _lines_of(lines: Sequence[str], table: NameTable, sport: str) -> list[StatisticsLine]:
    found: list[StatisticsLine] = []
    read, label = (_shooting, _SHOT_LABEL) if sport == "basketball" else (_faceoffs, _FACEOFF_LABEL)
    head: list[str] = []
    for line in lines:
        players = table.players_in(line)
        if not players:
            head = _labels(line, label) or head
        elif len({player.name for player in players}) == 1:
            own = _PERCENT.sub(" ", _SHIRT.sub("", line[players[-1].end :]))
            found.append(StatisticsLine(players[0].name, read(own, head), line))
    return found


def _labels(line: str, label: re.Pattern[str]) -> list[str]:
    """What a piece of a line labels, in order."""
    return list(dict.fromkeys((found.lastgroup or "").removesuffix("_s") for found in label.finditer(line)))


def _shooting(line: str, head: Sequence[str]) -> dict[str, float]:
    """Shots by kind, and points."""
    labels = _labels(line, _SHOT_LABEL)
    bare = without(line, [found.span() for found in _SHOT_LABEL.finditer(line)])
    ratios = list(_SHOTS.finditer(bare))
    numbers: dict[str, float] = {}
    if ratios:
        shots = [(float(found[1]), float(found[2])) for found in ratios]
        rest = without(bare, [found.span() for found in ratios])
    else:
        shots, rest = _shots_in_words(line), bare
    for name, (made, tried) in zip(labels or head or _ORDER, shots, strict=False):
        numbers |= {f"{name}_made": made, f"{name}_attempts": tried}
    points = _points(rest, ratios_told=bool(ratios))
    return numbers if points is None else {**numbers, "points": points}


def _shots_in_words(line: str) -> list[tuple[float, float]]:
    """Shots told as `7 attempts, 3 made`: two numbers behind each label."""
    spans = [found.span() for found in _SHOT_LABEL.finditer(line)]
    found: list[tuple[float, float]] = []
    for place, (_, end) in enumerate(spans):
        stop = spans[place + 1][0] if place + 1 < len(spans) else len(line)
        values = [number.value for number in numbers_in(line, end, stop)]
        if len(values) < 2:
            return []
        tried, made = _TRIED.search(line, end, stop), _MADE.search(line, end, stop)
        turned = tried is not None and (made is None or tried.start() < made.start())
        found.append((values[1], values[0]) if turned else (values[0], values[1]))
    return found


def _points(rest: str, *, ratios_told: bool) -> float | None:
    """The number of points: the one with that word; else the only one that is left."""
    numbers = numbers_in(rest)
    for number in numbers:
        if number.points or _TOTAL.search(rest, max(0, number.start - _BEFORE), number.start):
            return number.value
    return numbers[0].value if ratios_told and len(numbers) == 1 else None


def _faceoffs(line: str, head: Sequence[str]) -> dict[str, float]:
    """Faceoffs taken, won and lost."""
    labels = _labels(line, _FACEOFF_LABEL)
    told: dict[str, float] = {}
    if record := _WON_LOST.search(line):
        told = {"won": float(record[1]), "lost": float(record[2])}
        line = without(line, [record.span()])
        labels = [name for name in labels if name == "taken"]
    elif ratio := _RATIO.search(line):
        told = {"won": float(ratio[1]), "taken": float(ratio[2])}
        line = without(line, [ratio.span()])
        labels = [name for name in labels if name == "lost"]
    values = [number.value for number in numbers_in(line)]
    names = labels or (("taken",) if "lost" in told else () if told else head or _FACEOFFS)
    return {**dict(zip(names, values, strict=False)), **told}
