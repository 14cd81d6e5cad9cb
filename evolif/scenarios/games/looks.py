"""The figures of the second edition: polygons whose looks can be told in plain words, more of them, in a wider grid.

A look is a size, a form, an outline and a number of corners. Polygons between two looks are never drawn, so that
whoever describes one cannot be misunderstood.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any, Final, NamedTuple

from evolif.scenarios.games.shapes import Figure, Point, Polygon, draw_polygon, figure_of, rays_within
from evolif.util.rng import Stream

WIDE_BLOCKS: Final = 5
"""Blocks in a row, and rows of them."""
LEAST, MOST = 19, 22
"""Polygons of a figure."""
LOOKS: Final[Mapping[str, tuple[str, ...]]] = {
    "size": ("large", "small"),
    "form": ("wide", "tall"),
    "outline": ("dented", "plain"),
    "corners": ("five", "six", "seven"),
}
"""What is told of polygons, and what it may be."""
_LENGTHS: Final = {"large": 6, "small": 4}
"""Units from end to end; across they are two fewer, or more."""
_SIZES: Final = {length: size for size, length in _LENGTHS.items()}
_CLEAR: Final = 2
"""Units by which a wide polygon is wider than tall, at least."""
_LEAST_AREAS: Final = {"large": 10, "small": 3}
_RAYS: Final = {
    (size, form): rays_within(*((long // 2, long // 2 - 1) if form == "wide" else (long // 2 - 1, long // 2)))
    for size, long in _LENGTHS.items()
    for form in LOOKS["form"]
}
_BLOCKS = tuple((column, row) for row in range(WIDE_BLOCKS) for column in range(WIDE_BLOCKS))
_COUNTS: Final = {5: "five", 6: "six", 7: "seven"}


class Look(NamedTuple):
    """How a polygon looks; the order is that of `LOOKS`."""

    size: str
    form: str
    outline: str
    corners: str


@lru_cache(maxsize=50_000)
def look_of(polygon: Polygon) -> Look | None:
    """How a polygon looks; None if one may think so or so."""
    told = told_of(polygon)
    return Look(**told) if told.keys() == LOOKS.keys() else None


def told_of(polygon: Polygon) -> dict[str, str]:
    """What can be told of how a polygon looks, without what one may think so or so about."""
    across, down = (max(point[axis] for point in polygon) - min(point[axis] for point in polygon) for axis in (0, 1))
    looks: dict[str, str] = {}
    size = _SIZES.get(max(across, down))
    if size is not None:
        looks["size"] = size
    if abs(across - down) >= _CLEAR:
        looks["form"] = "wide" if across > down else "tall"
    looks["outline"] = "dented" if _has_dent(polygon) else "plain"
    if len(polygon) in _COUNTS:
        looks["corners"] = _COUNTS[len(polygon)]
    return looks


def _has_dent(polygon: Polygon) -> bool:
    """Whether it turns the other way somewhere."""
    corners: Sequence[Point] = (polygon[-1], *polygon, polygon[0])
    return any(
        (x - before[0]) * (after[1] - y) < (y - before[1]) * (after[0] - x)
        for before, (x, y), after in zip(corners, corners[1:], corners[2:], strict=False)
    )


def looks_of(graph: Mapping[str, Any]) -> dict[tuple[int, int], dict[str, str]]:
    """What can be told of a figure's polygons, by row and column from 1."""
    return {(row + 1, column + 1): told_of(polygon) for (column, row), polygon in figure_of(graph).items()}


def _draw_look(stream: Stream) -> Polygon:
    """A polygon of a clear look; sizes, forms and outlines are equally frequent."""
    size, form, outline = (stream.choice(LOOKS[name]) for name in ("size", "form", "outline"))
    while True:
        polygon = draw_polygon(stream, _RAYS[size, form], _LEAST_AREAS[size])
        look = look_of(polygon)
        if look is not None and look[:3] == (size, form, outline):
            return polygon


def draw_wide_figure(stream: Stream) -> Figure:
    """A figure with a random number of polygons in random blocks."""
    blocks = stream.sample(_BLOCKS, stream.between(LEAST, MOST))
    return {block: _draw_look(stream) for block in blocks}


def edit_wide_figure(stream: Stream, figure: Figure) -> Figure:
    """The figure with one change: a polygon moved, two that trade places, or one that looks different.

    Args:
        stream: What is drawn from.
        figure: Stays as it is.
    """
    new = dict(figure)
    one = stream.choice(sorted(figure))
    change = stream.choice(("move", "trade", "trade", "anew"))
    others = [block for block in sorted(figure) if look_of(figure[block]) != look_of(figure[one])]
    if change == "trade" and others:
        other = stream.choice(others)
        new[one], new[other] = figure[other], figure[one]
    elif change == "anew":
        while look_of(new[one]) == look_of(figure[one]):
            new[one] = _draw_look(stream)
    else:
        new[stream.choice([block for block in _BLOCKS if block not in figure])] = new.pop(one)
    return new


def wide_figures_look_alike(one: Figure, other: Figure) -> bool:
    """Whether two figures have polygons of the same looks in the same blocks."""
    return one.keys() == other.keys() and all(look_of(one[block]) == look_of(other[block]) for block in one)
