"""Operations by load: what happens to a topic's demands follows from how many there should be by now.

A turn may add several constraints at once, or put new ones in place of all. The figures are data of a profile.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping
from itertools import pairwise
from typing import Annotated, Any, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field, SerializerFunctionWrapHandler, model_serializer, model_validator

from evolif.util.rng import Stream

T = TypeVar("T")
_Weight = Annotated[int, Field(ge=0, le=10_000)]
_Percent = Annotated[int, Field(ge=0, le=100)]
_Number = Annotated[tuple[_Weight, ...], Field(min_length=1, max_length=20)]
"""Weights of one, two, three … constraints."""
LoadKind = Literal["add", "modify", "remove", "replace"]


class _LoadModel(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class GapWeights(_LoadModel):
    """Weights of the kinds of operation where at least `gap` constraints are missing; None: wherever else."""

    gap: float | None = None
    add: _Weight = 0
    modify: _Weight = 0
    remove: _Weight = 0
    replace: _Weight = 0


class Numbers(_LoadModel):
    """How many constraints come at once: weights of one, two, three and so on."""

    add: _Number
    add_far: _Number
    """Where at least `far` are missing."""
    far: float = 2
    first: _Number
    """In a dialogue's first turn."""
    topic: Annotated[dict[int, _Number], Field(min_length=1)]
    """In a later topic's first turn, by the turn of the dialogue from which on it holds."""
    replace: _Number
    """Left by a replacement of all."""
    replace_heavy: _Number
    """The same where at least `heavy` constraints are aimed at."""
    heavy: float = 5


class Choices(_LoadModel):
    """Tasks that offer something to choose from, in percent."""

    topics: _Percent = 0
    """Of the new topics."""
    stated: _Percent = 0
    """Of their first turns, and of the replacements of all there, that ask for a choice."""


class JudgedDraws(_LoadModel):
    """Constraints that only a judge can check, among the new ones."""

    share: _Percent
    """Of the new constraints, in percent."""
    weights: Annotated[dict[str, Annotated[int, Field(ge=1, le=10_000)]], Field(min_length=1)]
    """Of the groups."""
    unsuited: dict[str, tuple[str, ...]] = Field(default_factory=dict)
    """Groups that are not drawn for some kinds of topics."""


class LoadOperations(_LoadModel):
    """Operations by load."""

    most: Annotated[int, Field(ge=1, le=50)]
    """Constraints in force."""
    load: Annotated[dict[int, Annotated[float, Field(gt=0)]], Field(min_length=1)]
    """How many are aimed at, by turn of the dialogue; linear between."""
    weights: Annotated[dict[str, Annotated[int, Field(ge=1, le=10_000)]], Field(min_length=1)]
    """Of groups, for an add; the weight of a group that is not open is spread over the others."""
    changes: Annotated[dict[int, Annotated[tuple[GapWeights, ...], Field(min_length=1)]], Field(min_length=1)]
    """Weights of operations, by the turn of the dialogue from which on they hold."""
    numbers: Numbers
    choices: Choices = Choices()
    unsuited: dict[str, tuple[str, ...]] = Field(default_factory=dict)
    """Groups that are not drawn for some kinds of topics."""

    carry: _Percent = 0
    """Of the new topics behind another, those for which the demands of that one are to hold too, if they suit it."""
    judged: JudgedDraws | None = None
    """None: no constraint is drawn that only a judge can check."""

    @model_serializer(mode="wrap")
    def _leave_out_unused(self, serialize: SerializerFunctionWrapHandler) -> dict[str, Any]:
        data: dict[str, Any] = serialize(self)
        return {name: value for name, value in data.items() if value or name not in ("judged", "carry")}

    @model_validator(mode="after")
    def _from_turn_1(self) -> LoadOperations:
        for what, turns in (("load", self.load), ("changes", self.changes), ("numbers.topic", self.numbers.topic)):
            if min(turns) != 1:
                raise ValueError(f"{what} needs an entry for turn 1")
        return self

    def target(self, turn: int) -> float:
        """How many constraints are aimed at.

        >>> load_profile("everyday").operations.target(3)
        3.1
        """
        marks = sorted(self.load.items())
        for (start, low), (end, high) in pairwise(marks):
            if start <= turn <= end:
                return low + (high - low) * (turn - start) / (end - start)
        return marks[-1][1]

    def kind_weights(self, turn: int, gap: float) -> list[tuple[LoadKind, int]]:
        """The weights of the kinds of operation."""
        rows = at_turn(self.changes, turn)
        row = next((row for row in rows if row.gap is None or gap >= row.gap), rows[-1])
        return [("add", row.add), ("modify", row.modify), ("remove", row.remove), ("replace", row.replace)]


def at_turn(values: Mapping[int, T], turn: int) -> T:
    """The value that holds at a turn, of values from a turn on."""
    turns = sorted(values)
    return values[turns[max(0, bisect_right(turns, turn) - 1)]]


def number_of(weights: tuple[int, ...], stream: Stream) -> int:
    """A number from 1 on, by the weights of one, two, three and so on."""
    return stream.weighted(list(enumerate(weights, 1)))


def in_random_order(options: Iterable[tuple[T, int]], stream: Stream) -> Iterator[T]:
    """The options by their weights, each drawn when it is asked for."""
    left = list(options)
    while left:
        chosen = stream.weighted(left)
        yield chosen
        left = [option for option in left if option[0] != chosen]
