"""Scenes: things in the cells of a grid, as graphs of plain JSON, as text, and changed here and there.

A graph is `{"rows", "columns", "objects"}`; an object has a size, a pattern, a colour, a shape, and the row and column
of its cell, from 1. Objects stand in order of their cells, so equal scenes are equal graphs.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, TypeAlias

from evolif.util.rng import Stream

Modality: TypeAlias = Literal["text", "image"]
"""What a model is shown."""
Cell: TypeAlias = tuple[int, int]
"""Row and column, from 1."""


class Thing(NamedTuple):
    """What lies in a cell; the order is that of its words."""

    size: str
    pattern: str
    colour: str
    shape: str


Scene: TypeAlias = dict[Cell, Thing]

VALUES: Mapping[str, tuple[str, ...]] = {
    "size": ("large", "small"),
    "pattern": ("plain", "striped", "dotted"),
    "colour": ("red", "orange", "yellow", "green", "blue", "purple", "pink", "black"),
    "shape": ("circle", "square", "triangle", "diamond", "star", "cross"),
}
"""The attributes of things in the order of their words, and what they may be."""
THINGS = tuple(
    Thing(size, pattern, colour, shape)
    for size in VALUES["size"]
    for pattern in VALUES["pattern"]
    for colour in VALUES["colour"]
    for shape in VALUES["shape"]
)
"""Every thing that there is."""


@dataclass(frozen=True, slots=True)
class SceneGrid:
    """How large a scene is.

    Attributes:
        side: Rows, and columns.
        least: Fewest things in it.
        most: Most things in it.
    """

    side: int
    least: int
    most: int


GRIDS: Mapping[str, SceneGrid] = {"text": SceneGrid(6, 16, 24), "image": SceneGrid(4, 6, 9)}
"""Of the first edition, by modality."""
WIDE_GRIDS: Mapping[str, SceneGrid] = {"text": SceneGrid(8, 32, 40), "image": SceneGrid(6, 24, 30)}
"""Of the second edition: a scene does not fit what its player may say."""
_CELLS = {
    grid.side: tuple((row, column) for row in range(1, grid.side + 1) for column in range(1, grid.side + 1))
    for grids in (GRIDS, WIDE_GRIDS)
    for grid in grids.values()
}


def grids_of(edition: int) -> Mapping[str, SceneGrid]:
    """How large the scenes of an edition are, by modality."""
    return GRIDS if edition == 1 else WIDE_GRIDS


def cells_of(grid: SceneGrid) -> tuple[Cell, ...]:
    """Its cells, row by row."""
    return _CELLS[grid.side]


def draw_scene(stream: Stream, grid: SceneGrid) -> Scene:
    """A scene with a random number of random things in random cells."""
    cells = stream.sample(cells_of(grid), stream.between(grid.least, grid.most))
    return {cell: stream.choice(THINGS) for cell in cells}


def edit_scene(stream: Stream, scene: Scene, grid: SceneGrid) -> Scene:
    """The scene with one change: an attribute of a thing, its cell, a thing more or a thing less.

    Args:
        stream: What is drawn from.
        scene: Stays as it is.
        grid: Which keeps the number of things within its limits.
    """
    new = dict(scene)
    change = stream.choice((*VALUES, "move", "more", "less"))
    filled = sorted(scene)
    if change in VALUES:
        cell = stream.choice(filled)
        thing = scene[cell]
        others = [value for value in VALUES[change] if value != getattr(thing, change)]
        new[cell] = thing._replace(**{change: stream.choice(others)})
    elif change == "more" and len(scene) < grid.most:
        new[_empty_cell(stream, scene, grid)] = stream.choice(THINGS)
    elif change == "less" and len(scene) > grid.least:
        del new[stream.choice(filled)]
    else:
        new[_empty_cell(stream, scene, grid)] = new.pop(stream.choice(filled))
    return new


def trade_scene(stream: Stream, scene: Scene, grid: SceneGrid) -> Scene:
    """The scene after a change that no count tells: a thing moves, or two things trade one attribute.

    Args:
        stream: What is drawn from.
        scene: Stays as it is.
        grid: Of the scene.
    """
    new = dict(scene)
    filled = sorted(scene)
    one = stream.choice(filled)
    attribute = stream.choice((*VALUES, "move"))
    others = [cell for cell in filled if attribute in VALUES and _differ(scene[one], scene[cell], attribute)]
    if not others:
        new[_empty_cell(stream, scene, grid)] = new.pop(one)
        return new
    other = stream.choice(others)
    new[one] = scene[one]._replace(**{attribute: getattr(scene[other], attribute)})
    new[other] = scene[other]._replace(**{attribute: getattr(scene[one], attribute)})
    return new


def _differ(one: Thing, other: Thing, attribute: str) -> bool:
    return bool(getattr(one, attribute) != getattr(other, attribute))


def _empty_cell(stream: Stream, scene: Scene, grid: SceneGrid) -> Cell:
    return stream.choice([cell for cell in cells_of(grid) if cell not in scene])


def scenes_look_alike(one: Scene, other: Scene) -> bool:
    """Whether two scenes are equal; any difference between two things can be seen."""
    return one == other


def scene_graph(scene: Scene, grid: SceneGrid) -> dict[str, Any]:
    """The graph of a scene: plain JSON, its objects in order of cells."""
    objects = [{**scene[cell]._asdict(), "row": cell[0], "column": cell[1]} for cell in sorted(scene)]
    return {"rows": grid.side, "columns": grid.side, "objects": objects}


def scene_of(graph: Mapping[str, Any]) -> Scene:
    """The scene of a graph; equal scenes are those of equal graphs, in whatever order these list their objects."""
    return {
        (one["row"], one["column"]): Thing(one["size"], one["pattern"], one["colour"], one["shape"])
        for one in graph["objects"]
    }


def scene_text(graph: Mapping[str, Any]) -> str:
    """A scene as text: one object a line, in order of cells."""
    scene = scene_of(graph)
    return "\n".join(f"{' '.join(scene[cell])} at row {cell[0]}, column {cell[1]}" for cell in sorted(scene))
