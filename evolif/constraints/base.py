"""What every constraint group is: drawn, changed, said, checked."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Annotated, Any, ClassVar

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter

from evolif.resources import data_path, load_yaml
from evolif.rng import Stream
from evolif.text import Reading
from evolif.types import OperationKind, Params, Span, Verdict


class ParamsModel(BaseModel):
    """Base of the parameter models at the border: exact types, unknown keys ignored."""

    model_config = ConfigDict(extra="ignore", strict=True, frozen=True)


@dataclass(frozen=True, slots=True)
class DrawContext:
    """What a draw may look at: the topic's keywords, the pool of the profile, the other active constraints."""

    keywords: tuple[str, ...]
    pool: Mapping[str, Any]
    active: Mapping[str, Params] = field(default_factory=dict)

    @property
    def allowed_keywords(self) -> list[str]:
        """Keywords that are neither forbidden now nor given a place of their own."""
        forbidden = self.active.get("forbidden")
        words = set(forbidden["keywords"]) if forbidden else set()
        words.add(self.active.get("placement", {}).get("value"))
        return [k for k in self.keywords if k not in words]


@dataclass(frozen=True, slots=True)
class Saying:
    """Which phrase of the group's grammar says something, and what fills its slots."""

    key: str
    slots: Mapping[str, str]


@lru_cache(maxsize=64)
def group_data(name: str) -> Mapping[str, Any]:
    """The data file of a group: pool, phrases, description."""
    data: Mapping[str, Any] = load_yaml(data_path("constraints", f"{name}.yaml"))
    return data


class Group:
    """A mutually exclusive group of constraints; subclasses are stateless."""

    name: ClassVar[str]
    subjective: ClassVar[bool] = False
    """Judged by a model, not by rules."""
    adapter: TypeAdapter[Any]
    """Validates parameters at the border."""

    @property
    def data(self) -> Mapping[str, Any]:
        """Pool, phrases and descriptions, from the group's data file."""
        return group_data(self.name)

    def require(self) -> None:
        """Make sure that what the checker needs beside the program itself is installed.

        Raises:
            UsageError: a package is missing.
        """

    def draw(self, stream: Stream, context: DrawContext) -> Params | None:
        """Fresh parameters; None where the topic offers none."""
        raise TypeError(f"{type(self).__name__} draws nothing")

    def modify(self, params: Params, stream: Stream, context: DrawContext) -> Params | None:
        """Parameters other than `params`: a fresh draw of mode and values, unless a group says otherwise."""
        for _ in range(64):
            fresh = self.draw(stream, context)
            if fresh is None or fresh != params:
                return fresh
        return None

    def key(self, params: Params) -> str:
        """The key of the phrase grammar for these parameters."""
        return str(params["mode"])

    def slots(self, params: Params) -> dict[str, str]:
        """What fills the slots of a phrase."""
        return {k: str(v) for k, v in params.items() if k != "mode"}

    def saying(self, kind: OperationKind, before: Params | None, after: Params | None) -> Saying:
        """How the operation is said: the new constraint, or for a removal the lifted one."""
        params = before if kind == "remove" else after
        assert params is not None  # an operation has one of the two by construction
        return Saying(self.key(params), self.slots(params))

    def lifted(self, params: Params) -> Saying:
        """How the constraint is named when it is lifted or replaced."""
        return Saying(self.key(params), self.slots(params))

    def describe(self, params: Params, fmt: str | None = None) -> str:
        """One precise sentence, which the checker keeps to the letter."""
        saying = self.lifted(params)
        sentence = str(self.data["describe"][saying.key]).format(**saying.slots)
        note = self.note(params, fmt)
        return f"{sentence} {note}" if note else sentence

    def note(self, params: Params, fmt: str | None) -> str:
        """What a reader could doubt under the active format; empty where nothing is."""
        return ""

    def check(self, params: Params, reading: Reading) -> Verdict:
        """The verdict of the rules. Only groups that are not subjective have one."""
        raise TypeError(f"{self.name} is judged by a model, not by rules")

    def fulfil(self, text: str, params: Params, fmt: str | None) -> str:
        """A witness's text changed so that it satisfies the constraint; the built-in groups are built in.

        All checkers of the turn look at what comes out, those of the other groups, too: where they cannot be satisfied
        together, other parameters are drawn.

        Args:
            text: A text that satisfies the built-in groups' constraints.
            params: What is asked for.
            fmt: The active format; None for plain text.
        """
        return text

    def verdict(self, satisfied: bool, expected: str, found: str, spans: Sequence[Span] = ()) -> Verdict:
        """A verdict of this group."""
        return Verdict(self.name, satisfied, expected, found, tuple(spans))


def quoted(words: Sequence[str], last: str) -> str:
    """`“a”, “b” or “c”`."""
    marked = [f"“{w}”" for w in words]
    return marked[0] if len(marked) == 1 else f"{', '.join(marked[:-1])} {last} {marked[-1]}"


def times(count: int) -> str:
    """`exactly once`, `exactly twice`, `exactly 3 times`."""
    return {1: "exactly once", 2: "exactly twice"}.get(count, f"exactly {count} times")


def plural(count: int, noun: str) -> str:
    """`1 word`, `2 words`."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def shorten(text: str, limit: int = 40) -> str:
    """A piece of an answer, short enough for one line of evidence."""
    flat = " ".join(text.split())
    return flat if len(flat) <= limit else f"{flat[: limit - 1]}…"


# What groups have in common that ask for an exact number of something.


class CountParams(ParamsModel):
    """A number."""

    count: Annotated[int, Field(ge=0)]


class CountGroup(Group):
    """One mode, one number."""

    def draw(self, stream: Stream, context: DrawContext) -> Params | None:
        """A count from the pool."""
        return {"count": stream.between(context.pool["min"], context.pool["max"])}

    def key(self, params: Params) -> str:
        """There is one mode."""
        return "count"


# Numbers and keywords read off constraints, for the compatibility table and for the witness.

Active = Mapping[str, Params]


@dataclass(frozen=True, slots=True)
class Conflict:
    """Why constraints do not go together."""

    code: str
    groups: tuple[str, ...]
    reason: str


def required_words(active: Active) -> dict[str, int]:
    """Every keyword that must occur, with how often at least."""
    words: dict[str, int] = dict(active["existence"]["counts"]) if "existence" in active else {}
    for edge in ("start_with", "end_with"):
        params = active.get(edge)
        if params is not None and params["mode"] == "keyword":
            words.setdefault(params["value"], 1)
    placement = active.get("placement", {})
    if "value" in placement:
        words.setdefault(placement["value"], 2 if placement["mode"] == "every_paragraph" else 1)
    return words


def upper_limit(length: Params | None, unit: str) -> int | None:
    """The largest count of `unit` that is allowed; None without a limit."""
    if length is None or length["unit"] != unit or length["relation"] == "more_than":
        return None
    if length["relation"] == "between":
        return int(length["upper"])
    count: int = length["count"]
    return count - 1 if length["relation"] == "less_than" else count


def lower_limit(length: Params | None, unit: str) -> int:
    """The smallest count of `unit` that is allowed."""
    if length is None or length["unit"] != unit or length["relation"] == "less_than":
        return 0
    count: int = length["count"]
    return count + 1 if length["relation"] == "more_than" else count


# What the three groups have in common that only a judge can tell (paper §4.1).


def known(group: str) -> Callable[[str], str]:
    """A validator: only values that the group's data file can say and describe."""

    def check(value: str) -> str:
        values = group_data(group)["describe"]
        if value not in values:
            raise ValueError(f"“{value}” is unknown; use {', '.join(values)}")
        return value

    return check


class SubjectiveGroup(Group):
    """One parameter, named like the group."""

    subjective = True

    def draw(self, stream: Stream, context: DrawContext) -> Params | None:
        """One of the pool's values, all alike."""
        return {self.name: stream.choice(context.pool["values"])}

    def key(self, params: Params) -> str:
        """The value itself chooses the phrase."""
        return str(params[self.name])

    def slots(self, params: Params) -> dict[str, str]:
        """The value."""
        return {"value": str(params[self.name])}
