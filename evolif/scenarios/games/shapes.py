"""Abstract figures: polygons without a name, each in a block of its own, as graphs of plain JSON and as text.

A graph is `{"width", "height", "polygons"}`; a polygon is the list of its corners `[x, y]`, x to the right and y
downwards, from 0. It begins with its first corner in order of lines, and goes round clockwise. Polygons stand in order
of their blocks. So equal figures are equal graphs.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

from evolif.util.rng import Stream

Point: TypeAlias = tuple[int, int]
Polygon: TypeAlias = tuple[Point, ...]
"""Its corners, clockwise as seen."""
Figure: TypeAlias = dict[Point, Polygon]
"""By block: its column and row, from 0; corners are those within the block."""

BLOCKS = 3
"""Blocks in a row, and rows of them."""
LEAST, MOST = 5, 7
"""Polygons of a figure."""
CORNERS = (5, 7)
"""Fewest and most corners of a polygon."""
_SIDE = 8
"""Units of a block; the last is a gap, so that polygons never touch."""
WIDTH = BLOCKS * _SIDE - 1
"""Units of a figure, both ways: its coordinates are 0 to this number less one."""
_MIDDLE = (_SIDE - 2) // 2
_BLOCKS = tuple((column, row) for row in range(BLOCKS) for column in range(BLOCKS))
_LEAST_AREA = 10
"""Of a polygon, in units: smaller ones look like lines."""
_LEAST_CHANGE = 4
"""Units of area by which two polygons differ at least, so that one sees that they do."""


def _rays() -> list[list[Point]]:
    """The points of a block by their direction from its middle, clockwise; the nearest three rings are left out."""
    rays: dict[Point, list[Point]] = {}
    for x in range(_SIDE - 1):
        for y in range(_SIDE - 1):
            across, down = x - _MIDDLE, y - _MIDDLE
            if max(abs(across), abs(down)) >= 1:
                common = math.gcd(across, down)
                rays.setdefault((across // common, down // common), []).append((x, y))
    return [rays[ray] for ray in sorted(rays, key=lambda ray: math.atan2(ray[1], ray[0]))]


_RAYS = _rays()


def draw_polygon(stream: Stream, rays: Sequence[Sequence[Point]] = _RAYS, least_area: int = _LEAST_AREA) -> Polygon:
    """A polygon around the middle of its block, no side of which crosses another.

    Args:
        stream: What is drawn from.
        rays: Where corners may be, by their direction from the middle.
        least_area: Of the polygon, in units.
    """
    while True:
        count = stream.between(*CORNERS)
        chosen = sorted(stream.sample(range(len(rays)), count))
        polygon = tuple(stream.choice(rays[ray]) for ray in chosen)
        if _is_plain(polygon, least_area):
            return from_first(polygon)


def rays_within(across: int, down: int) -> list[list[Point]]:
    """The rays of a block as far as they lie so near to its middle."""
    near = ([(x, y) for x, y in ray if abs(x - _MIDDLE) <= across and abs(y - _MIDDLE) <= down] for ray in _RAYS)
    return [ray for ray in near if ray]


def _is_plain(polygon: Sequence[Point], least_area: int = _LEAST_AREA) -> bool:
    """Whether it holds the middle inside, every corner is one, and it is large enough."""
    turns = []
    for at, (x, y) in enumerate(polygon):
        (before_x, before_y), (after_x, after_y) = polygon[at - 1], polygon[(at + 1) % len(polygon)]
        around = (x - _MIDDLE) * (after_y - _MIDDLE) - (y - _MIDDLE) * (after_x - _MIDDLE)
        bend = (x - before_x) * (after_y - y) - (y - before_y) * (after_x - x)
        if around <= 0 or bend == 0:
            return False
        turns.append(around)
    return sum(turns) >= 2 * least_area


def from_first(polygon: Sequence[Point]) -> Polygon:
    """The same polygon, beginning with its first corner in order of lines."""
    at = min(range(len(polygon)), key=lambda corner: (polygon[corner][1], polygon[corner][0]))
    return (*polygon[at:], *polygon[:at])


def draw_figure(stream: Stream) -> Figure:
    """A figure with a random number of random polygons in random blocks."""
    blocks = stream.sample(_BLOCKS, stream.between(LEAST, MOST))
    return {block: draw_polygon(stream) for block in blocks}


def edit_figure(stream: Stream, figure: Figure) -> Figure:
    """The figure with one change: a corner moved, a polygon in another block, a polygon more, less or anew.

    Args:
        stream: What is drawn from.
        figure: Stays as it is.
    """
    new = dict(figure)
    filled, empty = sorted(figure), [block for block in _BLOCKS if block not in figure]
    change = stream.choice(("corner", "corner", "move", "more", "less", "anew"))
    if change == "more" and len(figure) < MOST:
        new[stream.choice(empty)] = draw_polygon(stream)
    elif change == "less" and len(figure) > LEAST:
        del new[stream.choice(filled)]
    elif change == "move":
        new[stream.choice(empty)] = new.pop(stream.choice(filled))
    else:
        block = stream.choice(filled)
        new[block] = draw_polygon(stream) if change == "anew" else _with_moved_corner(stream, figure[block])
    return new


def _with_moved_corner(stream: Stream, polygon: Polygon) -> Polygon:
    while True:
        corner, point = stream.below(len(polygon)), (stream.below(_SIDE - 1), stream.below(_SIDE - 1))
        moved = (*polygon[:corner], point, *polygon[corner + 1 :])
        if _is_plain(moved) and not look_alike(polygon, moved):
            return from_first(moved)


def look_alike(one: Polygon, other: Polygon) -> bool:
    """Whether two polygons differ in a single corner, or none, and by so small an area that one hardly sees it."""
    gone, come = set(one) - set(other), set(other) - set(one)
    if not gone and not come:
        return True
    if len(gone) != 1 or len(come) != 1 or len(one) != len(other):
        return False
    [old], [new] = gone, come
    at = one.index(old)
    return _area(one[at - 1], old, new) + _area(one[(at + 1) % len(one)], old, new) < 2 * _LEAST_CHANGE


def _area(first: Point, second: Point, third: Point) -> int:
    """Twice the area of a triangle."""
    across = (second[0] - first[0]) * (third[1] - first[1])
    return abs(across - (second[1] - first[1]) * (third[0] - first[0]))


def figures_look_alike(one: Figure, other: Figure) -> bool:
    """Whether two figures differ nowhere, or only by polygons that look alike."""
    return one.keys() == other.keys() and all(
        one[block] == other[block] or look_alike(one[block], other[block]) for block in one
    )


def figure_graph(figure: Figure, blocks: int = BLOCKS) -> dict[str, Any]:
    """The graph of a figure of so many blocks in a row: plain JSON, its polygons in order of blocks, row by row."""
    polygons = [
        [[x + block[0] * _SIDE, y + block[1] * _SIDE] for x, y in figure[block]]
        for block in sorted(figure, key=lambda block: (block[1], block[0]))
    ]
    width = blocks * _SIDE - 1
    return {"width": width, "height": width, "polygons": polygons}


def figure_of(graph: Mapping[str, Any]) -> Figure:
    """The figure of a graph; equal figures are those of equal graphs, in whatever order these list their polygons."""
    figure: Figure = {}
    for corners in graph["polygons"]:
        block = (corners[0][0] // _SIDE, corners[0][1] // _SIDE)
        figure[block] = from_first([(x % _SIDE, y % _SIDE) for x, y in corners])
    return figure


def figure_text(graph: Mapping[str, Any]) -> str:
    """A figure as text: the corners of one polygon a line."""
    return "\n".join(
        "polygon with corners " + ", ".join(f"({x}, {y})" for x, y in polygon) for polygon in graph["polygons"]
    )
