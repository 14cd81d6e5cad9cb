"""What a sentence about an image claims: that there are so many things of a kind, where, and beside what.

A thing is a mapping of attributes; an image is a grid with a thing in some cells. So scenes and figures are told, read
and checked alike.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final, Literal, TypeAlias

from evolif.scenarios.games.looks import LOOKS, looks_of
from evolif.scenarios.games.scenes import VALUES, Cell, scene_of

Kind: TypeAlias = tuple[tuple[str, str], ...]
"""Attributes and their values, in the order of the vocabulary; empty for a thing of any kind."""
Things: TypeAlias = Mapping[Cell, Mapping[str, str]]
"""What lies in the cells of an image."""
Act: TypeAlias = Literal["say", "ask", "yes", "no", "unread"]

RELATIONS: Final[Mapping[str, Callable[[int, int], bool]]] = {
    "left of": lambda down, across: across < 0,
    "right of": lambda down, across: across > 0,
    "above": lambda down, across: down < 0,
    "below": lambda down, across: down > 0,
    "next to": lambda down, across: abs(down) + abs(across) == 1,
    "just left of": lambda down, across: (down, across) == (0, -1),
    "just right of": lambda down, across: (down, across) == (0, 1),
    "just above": lambda down, across: (down, across) == (-1, 0),
    "just below": lambda down, across: (down, across) == (1, 0),
}
"""Whether a thing stands in a relation to another one, by how far down and to the right of that one it lies."""

REST_OF: Final = "the rest of"
"""How a place is called that holds nothing but what was named."""


@dataclass(frozen=True, slots=True)
class Place:
    """A part of an image: a cell, a row, a corner, a half."""

    name: str
    cells: frozenset[Cell]


@dataclass(frozen=True, slots=True)
class Statement:
    """One claim: `count` things of `kind` are in `place`."""

    kind: Kind = ()
    place: Place | None = None
    """None for anywhere."""
    count: int | None = None
    """Exactly so many, none at all at 0; None for at least one."""
    relation: str = ""
    """To `other`: one of `RELATIONS`, or `is` where all are also of that kind; empty where nothing is compared."""
    other: Kind = ()
    every: bool = False
    """Whether it is said of all of the kind."""
    denied: bool = False
    """Whether it is said that this is not so."""

    def holds(self, things: Things) -> bool:
        """Whether it is true of an image."""
        return self._is_so(things) is not self.denied

    def _is_so(self, things: Things) -> bool:
        cells = [cell for cell in things if self.place is None or cell in self.place.cells]
        own = [cell for cell in cells if is_of(things[cell], self.kind)]
        fitting = [cell for cell in own if self._is_related(things, cell)] if self.relation else own
        if self.every:
            return bool(own) and len(fitting) == len(own)
        return bool(fitting) if self.count is None else len(fitting) == self.count

    def _is_related(self, things: Things, cell: Cell) -> bool:
        if self.relation == "is":
            return is_of(things[cell], self.other)
        rule = RELATIONS[self.relation]
        others = (at for at, thing in things.items() if at != cell and is_of(thing, self.other))
        return any(rule(cell[0] - at[0], cell[1] - at[1]) for at in others)

    def __str__(self) -> str:
        """In brief: `2 red star @row 3`, `no thing @row 1 column 4`."""
        amount = "every" if self.every else "some" if self.count is None else self.count or "no"
        said = f"{'not ' if self.denied else ''}{amount} {brief(self.kind)}"
        if self.place is not None:
            said += f" @{self.place.name}"
        return f"{said} {self.relation} {brief(self.other)}" if self.relation else said


def brief(kind: Kind) -> str:
    """A kind in words without grammar."""
    words = [value for _, value in kind]
    if not words or (kind[-1][0] in ("size", "pattern", "colour") and not any(name in LOOK_ONLY for name, _ in kind)):
        words.append("thing")
    return " ".join(words)


LOOK_ONLY: Final = frozenset(LOOKS) - {"size"}


def is_of(thing: Mapping[str, str], kind: Kind) -> bool:
    """Whether a thing is of a kind."""
    return all(thing.get(name) == value for name, value in kind)


@dataclass(frozen=True, slots=True)
class Remark:
    """A sentence as it was read."""

    act: Act
    statements: tuple[Statement, ...] = ()
    """What it says; of a question, what it asks for."""
    asks: str = ""
    """Of a question: `what` lies somewhere, `count`, `some` (whether there is one) or `where`."""


@dataclass(frozen=True, slots=True, eq=False)
class Vocabulary:
    """What things of a game are called.

    Attributes:
        attributes: What is told of a thing and what it may be, in order of words.
        words: Words and phrases for a value, in lower case.
        nouns: Words for a thing of any kind.
        ends_with_noun: Whether what follows a noun belongs to the next thing, unless a word such as `with` says else.
    """

    attributes: Mapping[str, tuple[str, ...]]
    words: Mapping[str, tuple[str, str]]
    nouns: frozenset[str]
    ends_with_noun: bool


_SCENE_WORDS: Final = {
    ("size", "large"): "large big huge bigger biggest giant",
    ("size", "small"): "small little tiny smaller smallest",
    ("pattern", "plain"): "plain solid filled unpatterned",
    ("pattern", "striped"): "striped stripy stripes stripey hatched lined",
    ("pattern", "dotted"): "dotted dots spotted dotty spots speckled polka-dot",
    ("colour", "red"): "red reds crimson scarlet",
    ("colour", "purple"): "purple purples violet",
    ("colour", "pink"): "pink pinks rose",
    ("colour", "black"): "black blacks dark",
    **{("colour", name): f"{name} {name}s" for name in ("orange", "yellow", "green", "blue")},
    ("shape", "circle"): "circle circles ring rings disc discs disk disks dot ball balls",
    ("shape", "square"): "square squares box boxes",
    ("shape", "triangle"): "triangle triangles",
    ("shape", "diamond"): "diamond diamonds rhombus rhombuses",
    ("shape", "star"): "star stars",
    ("shape", "cross"): "cross crosses plus pluses plus-sign plus-signs",
}
_CORNERS: Final = {"five": ("5", "penta"), "six": ("6", "hexa"), "seven": ("7", "hepta")}
_LOOK_WORDS: Final = {
    ("size", "large"): "large big huge bigger biggest",
    ("size", "small"): "small little tiny smaller smallest",
    ("form", "wide"): "wide broad flat wider wider-than-tall wider-than-it-is-tall horizontal",
    ("form", "tall"): "tall narrow upright taller taller-than-wide taller-than-it-is-wide vertical slim",
    ("outline", "dented"): "dented dent a-dent notch a-notch notched concave one-dent dents",
    ("outline", "plain"): (
        "convex no-dent no-dents without-a-dent without-any-dent without-any-dents without-dents no-notch "
        "without-a-notch smooth undented not-dented"
    ),
    **{
        ("corners", name): " ".join(
            [f"{greek}gon", f"{greek}gons"] + [f"{number}-{what}" for number in (name, digit) for what in _sides]
        )
        for name, (digit, greek) in _CORNERS.items()
        for _sides in [
            ("corners", "cornered", "sides", "sided", "points", "pointed", "vertices", "angles", "corner", "edges")
        ]
    },
}
_NOUNS: Final = "thing things object objects item items them something"


def _vocabulary(attributes: Mapping[str, tuple[str, ...]], words: Any, nouns: str, *, ends: bool) -> Vocabulary:
    told = {word: value for value, said in words.items() for word in said.split()}
    return Vocabulary(attributes, told, frozenset(nouns.split()), ends)


SCENE_WORDS: Final = _vocabulary(VALUES, _SCENE_WORDS, _NOUNS, ends=True)
LOOK_WORDS: Final = _vocabulary(LOOKS, _LOOK_WORDS, f"{_NOUNS} shape shapes polygon polygons piece pieces", ends=False)


def things_of(graph: Mapping[str, Any]) -> dict[Cell, Mapping[str, str]]:
    """The things of a scene or a figure, with what can be told of them."""
    if "objects" in graph:
        return {cell: thing._asdict() for cell, thing in scene_of(graph).items()}
    return dict(looks_of(graph))


def side_of(graph: Mapping[str, Any]) -> int:
    """Rows of an image, and columns."""
    return int(graph["rows"]) if "rows" in graph else (int(graph["width"]) + 1) // 8


@lru_cache(maxsize=1024)
def cell_place(cell: Cell) -> Place:
    """A single cell."""
    return Place(f"row {cell[0]} column {cell[1]}", frozenset([cell]))
