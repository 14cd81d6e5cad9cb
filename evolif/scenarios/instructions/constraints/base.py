"""Base classes of constraint groups: how a group is drawn, changed, phrased and checked.

To add a group:

1. Write a subclass of `Group` in the module of its kind (`length.py`, `placement.py`, ...), with a model for its
   parameters, `draw` and `check`, and `key`, `slots` and `note` for its phrases.
2. Put its pool, phrases, description and what is counted (`counted`, see `definitions.py`) into the data file
   `constraints/NAME.yaml`.
3. List it in `registry.py`, and in the profiles that draw it (`seeds/profiles/`).
4. Exclude incompatible combinations: with a row or a budget in `constraints/compatibility-extended.yaml`, or with a
   function in `compatibility.py` if they must be computed; name the group in its `_EXTENDED`.
5. Teach the witness builder to satisfy it (`witness/requirements.py`, for everyday kinds `witness/demands.py`), or
   override `fulfil`.
6. If the general rules are too weak, add a reader of its queries (`_READERS` in `queries/check.py`) and a check of its
   description (`_CHECKS` in `audit/descriptions.py`).

A group outside of this package needs only steps 1 and 2, with `data` as a class attribute (docs/how-to/extend.md).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Annotated, Any, ClassVar, Literal, TypeVar

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    SerializerFunctionWrapHandler,
    TypeAdapter,
    model_serializer,
    model_validator,
)

from evolif.scenarios.instructions.turns import OperationKind, Params
from evolif.text import Reading, fold, plural
from evolif.types import Span, Verdict
from evolif.util.resources import data_path, load_data
from evolif.util.rng import Stream

Active = Mapping[str, Params]
"""The parameters of active constraints, by group."""

OTHER_VALUES = "*"
"""Among weights: the weight of all values that are not named."""

T = TypeVar("T")


class ParamsModel(BaseModel):
    """The base of parameter models, which validate input: exact types, unknown keys ignored."""

    model_config = ConfigDict(extra="ignore", strict=True, frozen=True)

    misfits: ClassVar[Mapping[str, str]] = {}
    """Keys of other kinds of the group, which would be lost in silence here, and what they go with."""

    @model_validator(mode="before")
    @classmethod
    def _without_misfits(cls, data: Any) -> Any:
        for key, place in cls.misfits.items() if isinstance(data, Mapping) else ():
            if key in data:
                raise ValueError(f"“{key}” goes with {place} only")
        return data


class SparseParams(ParamsModel):
    """Parameters with optional keys; those that are not given are not stored either."""

    @model_serializer(mode="wrap")
    def _given(self, handler: SerializerFunctionWrapHandler) -> dict[str, Any]:
        given = {key: value for key, value in handler(self).items() if value is not None}
        return {"mode": given.pop("mode"), **given} if "mode" in given else given


@dataclass(frozen=True, slots=True)
class DrawContext:
    """The input of a draw: the topic's keywords, the profile's pool, the other active constraints, rules of choice."""

    keywords: tuple[str, ...]
    pool: Mapping[str, Any]
    active: Active = field(default_factory=dict)
    weights: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    """How well values suit the topic, by kind of value (`emotion`, `emoji`, `marks` …): relative weights."""
    spared: frozenset[str] = frozenset()
    """Keywords that may not be forbidden."""
    uncounted: frozenset[str] = frozenset()
    """Keywords that are not worth counting."""
    choices: tuple[Params, ...] = ()
    """What the topic's task offers to choose from."""

    @property
    def allowed_keywords(self) -> list[str]:
        """Keywords that are neither forbidden nor placed by another constraint."""
        taken = {*self.active.get("forbidden", {}).get("keywords", ()), self.active.get("placement", {}).get("value")}
        return [k for k in self.keywords if k not in taken]

    def pick(self, stream: Stream, kind: str, values: Sequence[T], name: Callable[[T], str] = str) -> T:
        """One of `values`, by the weights of their names; all are equally likely where no weight is given."""
        weights = self.weights.get(kind)
        if not weights:
            return stream.choice(values)
        other = weights.get(OTHER_VALUES, 1)
        options = [(value, weights.get(name(value), other)) for value in values]
        return stream.weighted(options) if any(weight for _, weight in options) else stream.choice(values)


@dataclass(frozen=True, slots=True)
class Saying:
    """Which phrase of the group's grammar to use, and its slot values."""

    key: str
    slots: Mapping[str, str]


Act = Literal["add", "adjust", "replace", "lift"]
"""What a turn does to a group: a constraint comes, gets another value, gives way to another kind, or goes."""


@dataclass(frozen=True, slots=True)
class Change:
    """A turn's change of a group, as the bank of utterance plans (`seeds/plans/`) looks it up."""

    act: Act
    shape: str
    """The kind of constraint that comes into force; of a lifted one, its own."""
    slots: Mapping[str, str]
    """Values of the new constraint, and with the prefix `o_` those of the old one; of a lifted one, its own."""
    old_shape: str = ""
    old: Mapping[str, str] = field(default_factory=dict)
    """Values of the constraint that is given up, without prefix; empty if nothing is."""
    size: tuple[str, int] | None = None
    """What the number in the plan counts, and the number; None without one."""
    step: int = 0
    """1 if the same thing now has a larger number than before, -1 if a smaller one, else 0."""


@dataclass(frozen=True, slots=True)
class Conflict:
    """Why constraints exclude each other."""

    code: str
    groups: tuple[str, ...]
    reason: str


@lru_cache(maxsize=64)
def group_data(name: str) -> Mapping[str, Any]:
    """A group's data file: pool, phrases, descriptions."""
    data: Mapping[str, Any] = load_data(data_path("constraints", f"{name}.yaml"))
    return data


class Group:
    """A group of mutually exclusive constraints; subclasses are stateless."""

    name: ClassVar[str]
    subjective: ClassVar[bool] = False
    """Judged by a model, not by rules."""
    adapter: TypeAdapter[Any]
    """Validates parameters from outside."""

    @property
    def data(self) -> Mapping[str, Any]:
        """Pool, phrases and descriptions, from the group's data file."""
        return group_data(self.name)

    def require(self) -> None:
        """Check that the optional packages of this group are installed.

        Raises:
            UsageError: one is missing.
        """

    def accept(self, params: Params) -> Params:
        """The parameters of a new constraint, put in order; stored ones are taken as they are.

        Raises:
            ValueError: no answer can satisfy it; the message says what to do.
        """
        return params

    def draw(self, stream: Stream, context: DrawContext) -> Params | None:
        """New parameters; None if the topic allows none."""
        raise TypeError(f"{type(self).__name__} cannot be drawn")

    def modify(self, params: Params, stream: Stream, context: DrawContext) -> Params | None:
        """Parameters other than `params`, by default a new draw; None if there are none."""
        for _ in range(64):
            fresh = self.draw(stream, context)
            if fresh is None or fresh != params:
                return fresh
        return None

    def takes_back(self, after: Params, before: Params | None, given_up: Iterable[Params]) -> bool:
        """Whether a change to `after` asks again for something that was given up earlier.

        Args:
            after: The new parameters.
            before: Those in force; None for an add.
            given_up: All earlier parameters of this group in the topic.
        """
        return after in given_up

    def key(self, params: Params) -> str:
        """The key of the phrases for these parameters: their mode, or `all` if the group has no modes."""
        return str(params.get("mode", "all"))

    def drawn_keys(self, pool: Mapping[str, Any]) -> Collection[str] | None:
        """The keys of the phrases for what a pool can draw; None for all of them."""
        return None

    def slots(self, params: Params) -> dict[str, str]:
        """The slot values of a phrase."""
        return {k: str(v) for k, v in params.items() if k != "mode"}

    def saying(self, kind: OperationKind, before: Params | None, after: Params | None) -> Saying:
        """The phrase for an operation: it names the new constraint, or the removed one."""
        params = before if kind == "remove" else after
        assert params is not None  # an operation has one of the two by construction
        return Saying(self.key(params), self.slots(params))

    def lifted(self, params: Params) -> Saying:
        """The phrase for a constraint that is removed, replaced or described."""
        return Saying(self.key(params), self.slots(params))

    def shape(self, params: Params) -> str:
        """The kind of constraint that the plans of the group's bank distinguish."""
        return self.key(params)

    def values(self, params: Params) -> dict[str, str]:
        """The slot values of an utterance plan; by default those of the phrases."""
        return self.slots(params)

    def names(self, params: Params) -> dict[str, str]:
        """Further slots that name a constraint which is given up."""
        return {}

    def same_kind(self, before: Params, after: Params) -> bool:
        """Whether a modification only changes a value; otherwise another kind of constraint replaces the old one."""
        return self.shape(before) == self.shape(after)

    def size(self, params: Params) -> tuple[str, int] | None:
        """What the constraint's number counts, and the number; None without one."""
        count = params.get("count")
        return (self.shape(params), count) if isinstance(count, int) else None

    def change(self, before: Params | None, after: Params | None) -> Change:
        """A turn's change of this group; one of the two parameters is given, both for a modification."""
        old = {} if before is None else self.values(before)
        named = {} if before is None else self.names(before)
        old_shape = "" if before is None else self.shape(before)
        if after is None:
            assert before is not None  # an operation has one of the two by construction
            return Change("lift", old_shape, {**old, **named}, old_shape, old, self.size(before))
        shape, slots, size = self.shape(after), self.values(after), self.size(after)
        if before is None:
            return Change("add", shape, slots, size=size)
        slots |= {f"o_{name}": value for name, value in old.items()} | named
        act: Act = "adjust" if self.same_kind(before, after) else "replace"
        was, step = self.size(before), 0
        if act == "adjust" and shape == old_shape and size and was and size[0] == was[0]:
            step = (size[1] > was[1]) - (size[1] < was[1])
        return Change(act, shape, slots, old_shape, old, size, step)

    def questions(self, params: Params) -> tuple[str, ...]:
        """What a judge answers with yes or no and a quotation, of a subjective group; empty if it scores instead."""
        return ()

    def describe(self, params: Params, fmt: str | None = None) -> str:
        """One precise sentence that means exactly what the checker checks."""
        saying = self.lifted(params)
        sentence = str(self.data["describe"][saying.key]).format(**saying.slots)
        note = self.note(params, fmt)
        return f"{sentence} {note}" if note else sentence

    def note(self, params: Params, fmt: str | None) -> str:
        """A clarification for the active format; empty if there is nothing to clarify."""
        return ""

    def check(self, params: Params, reading: Reading) -> Verdict:
        """The verdict of the rules; subjective groups have none."""
        raise TypeError(f"{self.name} is judged by a model, not by rules")

    def fulfil(self, text: str, params: Params, fmt: str | None) -> str:
        """Change a witness's text so that it satisfies this constraint; the builder handles the built-in groups itself.

        All checkers of the turn then check the result, so if groups cannot be satisfied together, other parameters are
        drawn.

        Args:
            text: A text that satisfies the built-in groups' constraints.
            params: The parameters to satisfy.
            fmt: The active format; None for plain text.
        """
        return text

    def verdict(self, satisfied: bool, expected: str, found: str, spans: Sequence[Span] = ()) -> Verdict:
        """A verdict of this group."""
        return Verdict(self.name, satisfied, expected, found, tuple(spans))


class CountParams(ParamsModel):
    """The parameters of a group that requires an exact number of something."""

    count: Annotated[int, Field(ge=0)]


class CountGroup(Group):
    """A group that requires an exact number of something."""

    def draw(self, stream: Stream, context: DrawContext) -> Params | None:
        return {"count": stream.between(context.pool["min"], context.pool["max"])}

    def key(self, params: Params) -> str:
        return "count"

    def count_verdict(self, params: Params, found: int, noun: str, spans: Sequence[Span]) -> Verdict:
        """Compare the found number with the required number."""
        required: int = params["count"]
        return self.verdict(found == required, f"exactly {plural(required, noun)}", plural(found, noun), spans)


def edge_keywords(active: Active) -> dict[str, str]:
    """The keywords that the text must start and end with, by group."""
    edges = [group for group in ("start_with", "end_with") if group in active]
    return {group: active[group]["value"] for group in edges if active[group]["mode"] == "keyword"}


def existence_counts(existence: Params | None) -> dict[str, int]:
    """How often each keyword of an existence constraint occurs in a text that does no more than it must."""
    if existence is None:
        return {}
    counts: dict[str, int] = {**existence.get("at_least", {}), **existence.get("counts", {})}
    options = existence.get("any_of", ())
    if options and not any(counts.get(option) for option in options):
        counts[options[0]] = 1
    return counts


def required_words(active: Active) -> dict[str, int]:
    """Every keyword that must occur, and how often at least."""
    words = existence_counts(active.get("existence"))
    for keyword in edge_keywords(active).values():
        words.setdefault(keyword, 1)
    placement = active.get("placement", {})
    if placement.get("mode") in ("every_paragraph", "nth_word"):
        words.setdefault(placement["value"], 2 if placement["mode"] == "every_paragraph" else 1)
    return words


def upper_limit(length: Params | None, unit: str) -> int | None:
    """The largest allowed count of `unit`; None without a limit."""
    if length is None or length["unit"] != unit or length["relation"] in ("more_than", "at_least"):
        return None
    if length["relation"] == "between":
        return int(length["upper"])
    count: int = length["count"]
    return count + {"less_than": -1, "about": _leeway(count)}.get(length["relation"], 0)


def lower_limit(length: Params | None, unit: str) -> int:
    """The smallest allowed count of `unit`."""
    if length is None or length["unit"] != unit or length["relation"] in ("less_than", "at_most"):
        return 0
    count: int = length["count"]
    return max(0, count + {"more_than": 1, "about": -_leeway(count)}.get(length["relation"], 0))


def _leeway(count: int) -> int:
    """By how much a length of *about* that number may differ from it."""
    return max(1, count // 10)


def least_count(params: Params, some: int = 1) -> int:
    """The fewest pieces that parameters with a number or a relation require; `some` is what that relation asks for."""
    if "levels" in params:
        return len(params["levels"])
    relation = params.get("relation", "exactly")
    if relation in ("none", "at_most"):
        return 0
    return some if relation in ("some", "title") else int(params["count"])


def quoted(words: Sequence[str], last: str) -> str:
    """`“a”, “b” or “c”`."""
    marked = [f"“{w}”" for w in words]
    return marked[0] if len(marked) == 1 else f"{', '.join(marked[:-1])} {last} {marked[-1]}"


def times(count: int) -> str:
    """`exactly once`, `exactly twice`, `exactly 3 times`."""
    return {1: "exactly once", 2: "exactly twice"}.get(count, f"exactly {count} times")


def shorten(text: str, limit: int = 40) -> str:
    """A piece of an answer, shortened to fit into one line."""
    flat = " ".join(text.split())
    return flat if len(flat) <= limit else f"{flat[: limit - 1]}…"


_OUTER = re.compile(r"^[\W_]+|[\W_]+$")


def bare(word: str) -> str:
    """A word in its form for comparison, without case and surrounding punctuation."""
    return _OUTER.sub("", fold(word))
