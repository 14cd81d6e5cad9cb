"""Rules of choice: what the state machine could draw, and no person would ask for.

They are data of a profile. A profile without them draws uniformly, as the paper does.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import chain
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, ValidationInfo, field_validator, model_serializer, model_validator

from evolif.scenarios.instructions.constraints.base import OTHER_VALUES
from evolif.scenarios.instructions.turns import Topic
from evolif.text import fold
from evolif.util.resources import data_path, load_data

VALUE_KINDS = {"marks": {"punctuation"}, "emoji": {"start_with", "end_with"}, "quotations": {"start_with", "end_with"}}
"""Kinds of values that have weights, and the groups that draw them; other kinds are named like their group."""

MIN_COUNTABLE = 3
"""With fewer keywords that are no fillers, `existence` takes all of a topic's."""

_Weights = dict[str, dict[str, Annotated[int, Field(ge=0, le=1000)]]]


class _ChoiceModel(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Kind(_ChoiceModel):
    """A kind of topics: its domains, and the weights that differ from those of all topics."""

    domains: Annotated[tuple[str, ...], Field(min_length=1)]
    words: Annotated[tuple[Annotated[str, Field(min_length=1, max_length=60)], ...], Field(max_length=500)] = ()
    """A task with one of these words is of this kind whatever its domain."""
    weights: _Weights = Field(default_factory=dict)

    @model_serializer(mode="wrap")
    def _leave_out_no_words(self, serialize: Any) -> dict[str, Any]:
        data: dict[str, Any] = serialize(self)
        return data if self.words else {name: value for name, value in data.items() if name != "words"}


class Affinity(_ChoiceModel):
    """How well values suit a topic, by its domain, or by words of its task.

    Weights are given by kind of value. A value that is not named weighs what `*` says, or 1; with 0 it is never drawn.
    """

    default: _Weights = Field(default_factory=dict)
    """Of topics in any other domain."""
    kinds: dict[str, Kind] = Field(default_factory=dict)

    @model_validator(mode="after")
    def _one_kind_each(self) -> Affinity:
        domains = [domain.casefold() for kind in self.kinds.values() for domain in kind.domains]
        if twice := {domain for domain in domains if domains.count(domain) > 1}:
            raise ValueError(f"a domain is of two kinds: {', '.join(sorted(twice))}")
        return self

    def named(self) -> set[str]:
        """The kinds of values that have weights."""
        parts = (self.default, *(kind.weights for kind in self.kinds.values()))
        return {name for weights in parts for name in weights}

    def for_groups(self, groups: Collection[str]) -> Affinity:
        """Only the weights of values that one of the groups draws."""
        drawn = {name for name in self.named() if VALUE_KINDS.get(name, {name}).intersection(groups)}
        kinds = {
            name: kind.model_copy(update={"weights": _only(drawn, kind.weights)}) for name, kind in self.kinds.items()
        }
        return Affinity(default=_only(drawn, self.default), kinds=kinds)

    def weights(self, domain: str, prompt: str = "") -> Mapping[str, Mapping[str, int]]:
        """The weights for topics of a domain with a task, by kind of value."""
        folded, text = domain.casefold(), f" {' '.join(_WORD.findall(_POSSESSIVE.sub('', fold(prompt))))} "
        told = (kind for kind in self.kinds.values() if any(f" {fold(word)} " in text for word in kind.words))
        found = (kind for kind in self.kinds.values() if folded in map(str.casefold, kind.domains))
        kind = next(chain(told, found), None)
        special = kind.weights if kind is not None else {}
        return {name: _over(self.default.get(name, {}), special.get(name, {})) for name in {*self.default, *special}}


def _only(names: Collection[str], weights: _Weights) -> _Weights:
    return {name: values for name, values in weights.items() if name in names}


def _over(default: Mapping[str, int], special: Mapping[str, int]) -> dict[str, int]:
    """Special weights over the default ones, of which nothing is left where the special ones name all others."""
    return dict(special) if OTHER_VALUES in special else {**default, **special}


@lru_cache(maxsize=1)
def _built_in() -> Any:
    return load_data(data_path("seeds", "choice.yaml"))


class Choice(_ChoiceModel):
    """The rules of choice that a profile keeps; without a rule, its draws are uniform."""

    other_group: bool = False
    """A modify leaves out the group that was changed last, where another is open."""
    no_return: bool = False
    """A value that was given up is not taken again in its topic while others are open."""
    spare_task: bool = False
    """`forbidden` bans no word of the topic's own title or prompt."""
    fillers: tuple[str, ...] = ()
    """Keywords that `existence` does not count: words without content of their own."""
    affinity: Affinity | None = None
    """How well values suit a topic; None: all values suit all topics."""

    @field_validator("fillers", "affinity", mode="before")
    @classmethod
    def _fill_in(cls, value: object, info: ValidationInfo) -> object:
        """The package's own data in place of the word that stands for them, so that a stored profile has all of it."""
        if value != "built-in":
            return value
        data = _built_in()[info.field_name]
        return tuple(data.split()) if info.field_name == "fillers" else data

    @model_serializer(mode="wrap")
    def _leave_out_unused(self, serialize: Any) -> dict[str, Any]:
        data: dict[str, Any] = serialize(self)
        return {name: value for name, value in data.items() if value}

    def for_groups(self, groups: Collection[str]) -> Choice:
        """The same rules without the weights of values that none of the groups draws."""
        return self.model_copy(update={"affinity": self.affinity and self.affinity.for_groups(groups)})

    def for_topic(self, topic: Topic) -> Suiting:
        """What the rules come to for one topic."""
        fillers = {fold(word) for word in self.fillers}
        dull = frozenset(k for k in topic.keywords if all(word in fillers for word in fold(k).split()))
        enough = len(set(topic.keywords) - dull) >= MIN_COUNTABLE
        spared = used_keywords(topic) if self.spare_task else frozenset()
        weights = self.affinity.weights(topic.domain, topic.prompt) if self.affinity else {}
        return Suiting(weights, spared, dull if enough else frozenset())


@dataclass(frozen=True, slots=True)
class Suiting:
    """What suits a topic."""

    weights: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    """Weights of values, by kind of value."""
    spared: frozenset[str] = frozenset()
    """Keywords that may not be forbidden."""
    uncounted: frozenset[str] = frozenset()
    """Keywords that are not worth counting."""


_WORD = re.compile(r"[^\W_]+")
_POSSESSIVE = re.compile(r"['’]s\b")
_IRREGULAR = {"children": "child", "men": "man", "women": "woman", "people": "person", "feet": "foot", "teeth": "tooth",
              "mice": "mouse", "geese": "goose"}  # fmt: skip
_ENDINGS = (("ies", "i"), ("ied", "i"), ("ing", ""), ("ed", ""), ("es", ""), ("s", ""), ("e", ""), ("y", "i"))
_SHORTEST = 3


def used_keywords(topic: Topic) -> frozenset[str]:
    """The keywords that the topic's title or prompt uses, in any form: *ladders* uses *ladder*."""
    texts = [fold(text) for text in (topic.title, topic.short, *topic.prompts)]
    used = [f" {' '.join(_roots(text))} " for text in texts]
    return frozenset(
        keyword
        for keyword in topic.keywords
        if any(f" {' '.join(_roots(fold(keyword)))} " in words for words in used)
        or (
            not keyword.isascii() and any(fold(keyword) in text for text in texts)
        )  # many scripts put no space between words
    )


def _roots(folded: str) -> list[str]:
    return [_root(word) for word in _WORD.findall(_POSSESSIVE.sub("", folded))]


@lru_cache(maxsize=50_000)
def _root(word: str) -> str:
    """What the forms of an English word share. It may join two words; then a keyword is spared for no reason.

    No stemmer of a library, whose next version could change the bytes of a set.
    """
    word = _IRREGULAR.get(word, word)
    for ending, left in _ENDINGS:
        stem = word.removesuffix(ending)
        if stem != word and len(stem) >= _SHORTEST:
            word = stem + left
            break
    if len(word) > _SHORTEST and word[-1] == word[-2]:
        word = word[:-1]  # stopped, glasses
    return word[:-1] + "f" if word.endswith("v") else word  # knives
