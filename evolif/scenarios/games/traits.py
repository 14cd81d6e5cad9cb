"""What can be said of an image in a word and a number: `red 3`, `first row 2`, `x1 34`.

Every edit of an image changes one of these numbers at least, so together they tell near-duplicates apart.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final, TypeAlias

from evolif.scenarios.games.scenes import THINGS, VALUES, Cell, scene_of

Traits: TypeAlias = dict[str, int]
"""The traits of an image by name, in the order in which they are said."""
Cells: TypeAlias = Mapping[Cell, str]
"""What lies in some cells, in words; `nothing` in an empty one."""

NOTHING: Final = "nothing"
_ORDINALS: Final = ("first", "second", "third", "fourth", "fifth", "sixth")
_MOST_POLYGONS: Final = 9


def traits_of(graph: Mapping[str, Any]) -> Traits:
    """The traits of a scene or a figure."""
    return _scene_traits(graph) if "objects" in graph else _figure_traits(graph)


def _scene_traits(graph: Mapping[str, Any]) -> Traits:
    """How many objects there are, by attribute, by row and by column; what follows from others comes last."""
    scene = scene_of(graph)
    counts: Traits = {"objects": len(scene)}
    for attribute in ("colour", "shape", "pattern", "size"):
        for value in reversed(VALUES[attribute]):
            counts[value] = sum(getattr(thing, attribute) == value for thing in scene.values())
    for at, line in enumerate(("row", "column")):
        for number, ordinal in enumerate(_ORDINALS[: graph["rows"]], start=1):
            counts[f"{ordinal} {line}"] = sum(cell[at] == number for cell in scene)
    late = [values[0] for values in VALUES.values()]
    late += [f"{_ORDINALS[graph['rows'] - 1]} {line}" for line in ("row", "column")]
    return {name: counts[name] for name in (*(name for name in counts if name not in late), *late)}


def _figure_traits(graph: Mapping[str, Any]) -> Traits:
    """How many polygons there are; of each the sums of its corners' x and y; how many corners it has."""
    polygons = graph["polygons"]
    traits: Traits = {"polygons": len(polygons)}
    for number, polygon in enumerate(polygons, start=1):
        traits[f"x{number}"] = sum(x for x, _ in polygon)
        traits[f"y{number}"] = sum(y for _, y in polygon)
    for number, polygon in enumerate(polygons, start=1):
        traits[f"corners{number}"] = len(polygon)
    return traits


def cells_of_graph(graph: Mapping[str, Any]) -> dict[Cell, str]:
    """What lies in each cell of a scene, in words; figures have no cells."""
    if "objects" not in graph:
        return {}
    scene = scene_of(graph)
    sides = range(1, graph["rows"] + 1)
    cells = [(row, column) for row in sides for column in sides]
    return {cell: " ".join(scene[cell]) if cell in scene else NOTHING for cell in cells}


def trait_names(game: str) -> tuple[str, ...]:
    """Every trait that an image of a game may have."""
    if game == "shapes":
        numbers = range(1, _MOST_POLYGONS + 1)
        return ("polygons", *(f"{kind}{number}" for number in numbers for kind in ("x", "y", "corners")))
    values = [value for own in VALUES.values() for value in own]
    return ("objects", *values, *(f"{ordinal} {line}" for ordinal in _ORDINALS for line in ("row", "column")))


@dataclass(frozen=True, slots=True)
class Told:
    """What a text tells or asks."""

    traits: Traits
    """What it says of traits, the last word on each."""
    cells: dict[Cell, str]
    """What it says of cells."""
    names: tuple[str, ...]
    """Traits that it mentions without a number."""
    places: tuple[Cell, ...]
    """Cells that it mentions without saying what lies there."""


_THING: Final = "|".join(" ".join(thing) for thing in THINGS)
_CELL: Final = r"row ([1-9]),? column ([1-9])(?![0-9])"
_THING_AT: Final = re.compile(rf"(?<!\w)({_THING}) (?:at|in) {_CELL}")
_AT_THING: Final = re.compile(rf"(?<!\w){_CELL}(?:: ({_THING}|{NOTHING})(?!\w))?")


def read_traits(game: str, text: str) -> Told:
    """Read what a text says of an image, or asks.

    Args:
        game: `scenes` or `shapes`.
        text: What a player said; hostile.
    """
    words = " ".join(text.lower().split())
    traits: Traits = {}
    names: dict[str, None] = {}
    for match in _pattern(game).finditer(words):
        if match[2] is None:
            names[match[1]] = None
        else:
            traits[match[1]] = int(match[2])
    cells: dict[Cell, str] = {}
    places: dict[Cell, None] = {}
    for match in _THING_AT.finditer(words):
        cells[int(match[2]), int(match[3])] = match[1]
    for match in _AT_THING.finditer(words):
        cell = int(match[1]), int(match[2])
        if match[3] is not None:
            cells[cell] = match[3]
        elif cell not in cells:
            places[cell] = None
    return Told(traits, cells, tuple(names), tuple(places))


@lru_cache(maxsize=2)
def _pattern(game: str) -> re.Pattern[str]:
    names = sorted(trait_names(game), key=len, reverse=True)
    return re.compile(rf"(?<!\w)({'|'.join(names)})(?!\w)(?:[:=]? ([0-9]{{1,4}})(?!\w))?")


def fits(told: Sequence[Told], graph: Mapping[str, Any]) -> bool:
    """Whether an image is as it was told."""
    traits, cells = traits_of(graph), cells_of_graph(graph)
    return all(
        all(traits.get(name) == number for name, number in one.traits.items())
        and all(cells.get(cell) == words for cell, words in one.cells.items())
        for one in told
    )
