"""The two sides of what dialogues are made of, so that a model is not tested on what it was trained on.

A side is a function of names alone: of a kind within its group, of a topic's id, a persona's id, the text of a wording.
Whatever is added moves nothing else, and the order of files does not matter. The function has an edition, which a
benchmark states; another edition is another partition.

A group's kinds are its modes. A mode that a packaged profile draws alone is told apart further, by its values: the
phrases of `start_with`, the languages, the marks that are left out, the relations of emoji. Numbers and the words of a
task never make a kind. Groups that have no kinds are on both sides, and a benchmark names them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from hashlib import sha256
from typing import Literal, TypeVar, get_args

from evolif.errors import UsageError
from evolif.scenarios.instructions.constraints import get_group
from evolif.scenarios.instructions.turns import Constraint, Params
from evolif.util.suggestions import did_you_mean

T = TypeVar("T")
Side = Literal["train", "test"]
SIDES: tuple[Side, ...] = get_args(Side)
EDITION = 1
"""Of the partition; whatever moves anything that is packaged raises it."""

Thing = Literal["topic", "persona", "wording"]
"""What is partitioned beside the kinds of groups."""

_SALTS = {
    "audience": 2,
    "bullets": 44,
    "case": 2,
    "emoji": 4,
    "emotion": 2,
    "emphasis": 3,
    "end_with": 2,
    "format": 4,
    "genre": 15,
    "hashtags": 1,
    "headings": 18,
    "language": 4,
    "length": 3,
    "lettering": 8,
    "manner": 7,
    "person": 5,
    "persona": 1,
    "placement": 26,
    "punctuation": 6,
    "sentences": 2,
    "start_with": 3,
    "tone": 1,
}
"""A number per group that goes into the hash of its kinds, 0 if not given: one with which both sides have about half of
what the packaged profiles draw (`benchmarks/split.py --salts` looks for them)."""
_WORDING_SALT = 1254
"""The same for wordings: one with which both sides can say everything that has to be said, in every register."""
_WITHOUT_KINDS = frozenset({"existence", "forbidden", "choice", "digits"})
"""Packaged groups that ask for a task's own words, or for one thing only."""
_ONE_KIND = frozenset({"all", "count"})
"""Keys of groups of the user's own that have no modes."""


def side_named(name: str) -> Side:
    """The side of that name.

    Raises:
        UsageError: there is none.
    """
    for side in SIDES:
        if side == name:
            return side
    raise UsageError(f"there is no split “{name}”{did_you_mean(name, SIDES)}; use {' or '.join(SIDES)}")


@lru_cache(maxsize=1 << 16)
def side_of(thing: Thing, name: str) -> Side:
    """The side of a topic or a persona by its id, or of a wording by its text.

    >>> side_of("wording", "Make it shorter.") == side_of("wording", "Make it shorter.")
    True
    """
    return _hashed(thing, str(_WORDING_SALT if thing == "wording" else 0), name)


@lru_cache(maxsize=1 << 14)
def _hashed(*names: str) -> Side:
    text = "\0".join((f"evolif partition {EDITION}", *names))
    return SIDES[sha256(text.encode("utf-8", "surrogatepass")).digest()[0] & 1]


def kind_of(group: str, params: Params) -> str:
    """The kind of a constraint within its group; empty for groups that have no kinds.

    >>> kind_of("length", {"unit": "words", "relation": "at_most", "count": 80})
    'words.at_most'
    >>> kind_of("language", {"code": "es"})
    'es'
    >>> kind_of("forbidden", {"keywords": ["tide"]})
    ''
    """
    if group in _WITHOUT_KINDS:
        return ""
    finer = _FINER.get(group)
    if finer is not None:
        return finer(params)
    key = get_group(group).key(params)
    return "" if key in _ONE_KIND and group not in _COUNTED else key


_COUNTED = frozenset({"bullets", "headings", "emphasis"})
"""Packaged groups in which `count` is one mode of several."""


def _of_edge(params: Params) -> str:
    if params["mode"] != "phrase":
        return str(params["mode"])
    return " | ".join(params.get("values") or [params["value"]])


def _of_language(params: Params) -> str:
    return f"not {params['not']}" if "not" in params else str(params["code"])


def _of_punctuation(params: Params) -> str:
    return f"exclude {params['mark']}" if params["mode"] == "exclude" else str(params["mode"])


def _of_relation(group: str) -> Callable[[Params], str]:
    def kind(params: Params) -> str:
        key = get_group(group).key(params)
        return str(params["relation"]) if key == "relation" else key

    return kind


def _value_of(name: str) -> Callable[[Params], str]:
    return lambda params: str(params[name])


_FINER: dict[str, Callable[[Params], str]] = {
    "start_with": _of_edge,
    "end_with": _of_edge,
    "language": _of_language,
    "punctuation": _of_punctuation,
    "format": _value_of("mode"),
    **{group: _of_relation(group) for group in ("emoji", "hashtags", "headings", "emphasis")},
    "tone": _value_of("tone"),
    "persona": _value_of("as"),
    "genre": _value_of("genre"),
}


def side_of_kind(group: str, kind: str) -> Side | None:
    """The side of a kind within its group; None for no kind, which is on both sides."""
    return kind_hashed(group, kind, _SALTS.get(group, 0)) if kind else None


def kind_hashed(group: str, kind: str, salt: int) -> Side:
    """The side that a kind would have with another number for its group."""
    return _hashed("kind", group, str(salt), kind)


def side_of_constraint(constraint: Constraint) -> Side | None:
    """The side of a constraint's kind; None if its group has none, or is not installed here."""
    try:
        return side_of_kind(constraint.group, kind_of(constraint.group, constraint.params))
    except (UsageError, LookupError, TypeError):
        return None


@dataclass(frozen=True, slots=True)
class Wordings:
    """The wordings of one side, or all of them, and a note of those that are used.

    Attributes:
        side: None for all.
        used: The texts that were chosen, before their slots are filled; None if nobody asks.
    """

    side: Side | None = None
    used: set[str] | None = field(default=None, compare=False)

    def of(self, options: Sequence[T]) -> Sequence[T]:
        """Those of the side; all of them without one."""
        if self.side is None:
            return options
        return [option for option in options if side_of("wording", text_of(option)) == self.side]

    def some_of(self, options: Sequence[T]) -> Sequence[T]:
        """Those of the side, or all where the side has none and something has to be said."""
        return self.of(options) or options

    @property
    def all(self) -> Wordings:
        """Those of both sides, for what one side has no words for."""
        return Wordings(None, self.used)

    def note(self, option: object) -> None:
        """Remember that a wording was chosen."""
        if self.used is not None:
            self.used.add(text_of(option))


ALL_WORDINGS = Wordings()


def text_of(option: object) -> str:
    """The text of a plan, a reason or a plain wording."""
    return option if isinstance(option, str) else str(getattr(option, "text", option))
