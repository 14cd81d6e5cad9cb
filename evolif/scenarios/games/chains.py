"""The questions of the second edition: what one scene points at is looked up in the other, so that both have to ask.

A program is plain JSON: `{"family", "a", "b", "relation", "holder"}`. The holder's scene, `left` or `right`, has only
one A (in the family `every`: some), and the other scene is looked at there. As nobody knows beforehand where that is,
whoever has to look it up would have to tell a whole scene, or asks.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Any, Final

from evolif.scenarios.games.programs import Program, matches, noun
from evolif.scenarios.games.scenes import THINGS, VALUES, Cell, Scene, SceneGrid, Thing, cells_of
from evolif.util.rng import Stream

SIDES: Final = ("left", "right")
_NUMBERS: Final = tuple(map(str, range(1, 9)))
_MOST_DRAWS: Final = 10_000
_MORE: Final = range(5)
"""How many more things one row has than the other."""
_FULL: Final = 0.65
"""Where rows are compared: the share that a scene has at least of the most things, so that it cannot be read out."""
_EVERY: Final = (4, 6)
"""Fewest and most A, of which one lies where the other scene has something."""


def answers_of(family: str, grid: SceneGrid) -> tuple[str, ...]:
    """What can be the answer."""
    if family == "where":
        return _NUMBERS[: grid.side]
    if family == "more":
        return tuple(map(str, _MORE))
    if family == "total":
        return tuple(str(number) for number in _total(grid))
    return VALUES["shape" if family == "both" else "colour"]


def _total(grid: SceneGrid) -> range:
    """Numbers of things of one colour in two scenes that are not rare."""
    usual = (grid.least + grid.most) // len(VALUES["colour"])
    return range(usual - 2, usual + 4)


def draw_chain(stream: Stream, family: str) -> dict[str, Any]:
    """A question of a family."""
    attributes = stream.sample(("size", "pattern"), 1) if family == "every" else ["colour"]
    a = {name: stream.choice(VALUES[name]) for name in (*attributes, "shape")}
    return {"family": family, "a": a, "b": None, "relation": None, "holder": stream.choice(SIDES)}


def question_of_chain(program: Program) -> str:
    """A program in words."""
    holder = program["holder"]
    other = SIDES[1 - SIDES.index(holder)]
    a, first = program["a"], f"The {holder} scene has only one {noun(program['a'])}."
    if program["family"] == "both":
        return f"{first} In the same cell of the {other} scene lies something, too. What shape is it?"
    if program["family"] == "every":
        return (
            f"Every {noun(a)} of the {holder} scene but one lies in a cell that is empty in the {other} scene. What "
            f"colour is the object that the {other} scene has in the cell of that one?"
        )
    if program["family"] == "more":
        return f"{first} How many more objects does the {other} scene have in that row than the {holder} scene?"
    if program["family"] == "where":
        return (
            f"{first} Look at the object in the same cell of the {other} scene. The {holder} scene has only one object "
            "with its colour and its shape. In which row is that one?"
        )
    return (
        f"{first} Look at the colour of the object in the same cell of the {other} scene. How many objects of this "
        "colour do the two scenes hold together?"
    )


def answer_of(program: Program, grid: SceneGrid, left: Scene, right: Scene) -> str | None:
    """Run a program on both scenes; None if they are none that it may be asked of."""
    trace = _trace(program, left, right)
    answer = trace["answer"]
    return answer if answer in answers_of(program["family"], grid) else None


def trace_of_chain(program: Program, left: Scene, right: Scene) -> dict[str, Any]:
    """The proof of an answer: the cells that the program looks at, one after the other, and what follows.

    Returns:
        `{"program", "cells", "answer"}`.
    """
    return {"program": dict(program), **_trace(program, left, right)}


def sides_of(program: Program, left: Scene, right: Scene) -> tuple[Scene, Scene]:
    """The scene that points, and the one that is looked at."""
    return (left, right) if program["holder"] == "left" else (right, left)


def _trace(program: Program, left: Scene, right: Scene) -> dict[str, Any]:
    own, other = sides_of(program, left, right)
    cells = pointed_at(program, own)
    if program["family"] == "every":
        cells = [cell for cell in cells if cell in other]
    if len(cells) != 1:
        return {"cells": [list(cell) for cell in cells], "answer": None}
    seen, answer = _RULES[program["family"]](own, other, cells[0])
    return {"cells": [list(cell) for cell in (cells[0], *seen)], "answer": answer}


def pointed_at(program: Program, own: Scene) -> list[Cell]:
    """The cells of the holder's A."""
    return sorted(cell for cell, thing in own.items() if matches(program["a"], thing))


_Found = tuple[Sequence[Cell], str | None]


def _shape(own: Scene, other: Scene, cell: Cell) -> _Found:
    return (), other[cell].shape if cell in other else None


def _colour(own: Scene, other: Scene, cell: Cell) -> _Found:
    return (), other[cell].colour if cell in other else None


def in_row(scene: Scene, row: int) -> int:
    """How many things lie in a row."""
    return sum(cell[0] == row for cell in scene)


def _more(own: Scene, other: Scene, cell: Cell) -> _Found:
    return (), str(in_row(other, cell[0]) - in_row(own, cell[0]))


def alike(own: Scene, thing: Thing) -> list[Cell]:
    """The cells of things that have its colour and its shape."""
    return sorted(cell for cell, one in own.items() if (one.colour, one.shape) == (thing.colour, thing.shape))


def _where(own: Scene, other: Scene, cell: Cell) -> _Found:
    found = alike(own, other[cell]) if cell in other else []
    return found, str(found[0][0]) if len(found) == 1 else None


def of_colour(scene: Scene, colour: str) -> int:
    """How many things of a scene have a colour."""
    return sum(thing.colour == colour for thing in scene.values())


def _sum(own: Scene, other: Scene, cell: Cell) -> _Found:
    if cell not in other:
        return (), None
    colour = other[cell].colour
    return (), str(of_colour(own, colour) + of_colour(other, colour))


_RULES: Final[Mapping[str, Callable[[Scene, Scene, Cell], _Found]]] = {
    "both": _shape,
    "every": _colour,
    "more": _more,
    "where": _where,
    "total": _sum,
}


def draw_chain_scenes(stream: Stream, program: Program, grid: SceneGrid) -> tuple[Scene, Scene]:
    """Two scenes of which the question may be asked, left and right."""
    own = _holder(stream, program, grid)
    other = _looked_at(stream, program, grid, own)
    return (own, other) if program["holder"] == "left" else (other, own)


def chain_beside(stream: Stream, program: Program, grid: SceneGrid, kept: Scene, *, keeps_holder: bool) -> Scene:
    """A scene such as may stand beside a kept one, whatever the answer is then."""
    if keeps_holder:
        return _looked_at(stream, program, grid, kept)
    for _ in range(_MOST_DRAWS):
        own = _pointing(stream, program, grid, kept)
        scenes = (own, kept) if program["holder"] == "left" else (kept, own)
        if answer_of(program, grid, *scenes) is not None:
            return own
    return own


def _holder(stream: Stream, program: Program, grid: SceneGrid) -> Scene:
    """A scene with the A that the question is about."""
    cells = _cells(stream, program, grid)
    count = stream.between(*_EVERY) if program["family"] == "every" else 1
    return _filled(stream, program, cells, stream.sample(cells, count))


def _pointing(stream: Stream, program: Program, grid: SceneGrid, kept: Scene) -> Scene:
    """The same where the other scene is there already; it may still not fit."""
    if program["family"] != "every":
        return _holder(stream, program, grid)
    empty = [cell for cell in cells_of(grid) if cell not in kept]
    wanted = [stream.choice(sorted(kept)), *stream.sample(empty, stream.between(*_EVERY) - 1)]
    free = [cell for cell in cells_of(grid) if cell not in wanted]
    more = stream.sample(free, stream.between(grid.least, grid.most) - len(wanted))
    return _filled(stream, program, [*wanted, *more], wanted)


def _filled(stream: Stream, program: Program, cells: Sequence[Cell], wanted: Sequence[Cell]) -> Scene:
    """A scene with A in some of its cells and nothing like it in the others."""
    fitting, others = _fitting(tuple(program["a"].items()))
    return {cell: stream.choice(fitting if cell in wanted else others) for cell in cells}


@lru_cache(maxsize=64)
def _fitting(a: tuple[tuple[str, str], ...]) -> tuple[list[Thing], list[Thing]]:
    """The things that are an A, and those that are not."""
    fitting = [thing for thing in THINGS if matches(dict(a), thing)]
    return fitting, [thing for thing in THINGS if thing not in fitting]


def _cells(stream: Stream, program: Program, grid: SceneGrid) -> list[Cell]:
    """The filled cells of a scene; where rows are compared, each has as many as chance wills."""
    if program["family"] != "more":
        return stream.sample(cells_of(grid), stream.between(grid.least, grid.most))
    rows = [[cell for cell in cells_of(grid) if cell[0] == row] for row in range(1, grid.side + 1)]
    low, high = _in_a_row(grid)
    while True:
        counts = [stream.between(low, high) for _ in rows]
        if sum(counts) >= grid.side * high * _FULL:
            return [cell for row, count in zip(rows, counts, strict=True) for cell in stream.sample(row, count)]


def _in_a_row(grid: SceneGrid) -> tuple[int, int]:
    """Fewest and most things in a row of the holder's, where rows are compared: the other scene may have more."""
    most = grid.side - max(_MORE)
    return max(1, most // 2), most


def _looked_at(stream: Stream, program: Program, grid: SceneGrid, own: Scene) -> Scene:
    """A scene that has something where the holder's scene points."""
    at = pointed_at(program, own)
    cell = stream.choice(at)
    if program["family"] == "more":
        return _fuller(stream, grid, own, cell[0])
    closed = set(at) - {cell}
    for _ in range(_MOST_DRAWS):
        free = [one for one in cells_of(grid) if one != cell and one not in closed]
        filled = [cell, *stream.sample(free, stream.between(grid.least, grid.most) - 1)]
        other = {one: stream.choice(THINGS) for one in filled}
        if program["family"] == "where":
            other[cell] = stream.choice(_single(program, own))
        scenes = (own, other) if program["holder"] == "left" else (other, own)
        if answer_of(program, grid, *scenes) is not None:
            break
    return other


def _single(program: Program, own: Scene) -> list[Thing]:
    """The things of whose colour and shape a scene has one, which is no A."""
    often = Counter((thing.colour, thing.shape) for thing in own.values())
    return [thing for thing in THINGS if often[thing.colour, thing.shape] == 1 and not matches(program["a"], thing)]


def _fuller(stream: Stream, grid: SceneGrid, own: Scene, at: int) -> Scene:
    """A scene whose rows hold as many things more than rows such as the holder's as is asked, in each row anew."""
    scene: Scene = {}
    for row in range(1, grid.side + 1):
        usual = in_row(own, row) if row == at else stream.between(*_in_a_row(grid))
        count = usual + stream.choice(_MORE)
        for cell in stream.sample([cell for cell in cells_of(grid) if cell[0] == row], count):
            scene[cell] = stream.choice(THINGS)
    return scene
