"""Lives that hold: which facts topics presuppose of whoever asks, and which of them one person cannot have together.

`seeds/facts.yaml` has the facts in families and the pairs that exclude each other; a fact that no pair names goes with
every other. Topics that share a fact may still presuppose different lives, such as two trades: `once` names what one
person is asked about at most once, and `apart` does so for topics that no fact tells apart.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from evolif.errors import InputError
from evolif.scenarios.instructions.turns import Persona, Topic
from evolif.util.resources import complaint, data_path, load_data
from evolif.util.suggestions import did_you_mean

_Name = Annotated[str, Field(pattern=r"^[a-z][a-z_]{0,39}$")]
Family = Annotated[str, Field(pattern=r"^(?:home|work|family|health|studies|money|hobby|place)$")]


class _FactModel(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    family: Family
    means: Annotated[str, Field(min_length=3, max_length=200)]
    once: Annotated[str, Field(max_length=40)] = ""


class _FactsModel(BaseModel):
    """The contents of `seeds/facts.yaml`."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    facts: Annotated[dict[_Name, _FactModel], Field(min_length=1, max_length=60)]
    excludes: dict[str, tuple[str, ...]]
    """By fact, those that do not go with it; each pair once."""

    @model_validator(mode="after")
    def _known(self) -> _FactsModel:
        for one, others in self.excludes.items():
            for other in others:
                if one == other or not {one, other} <= self.facts.keys():
                    raise ValueError(f"excludes: {one} and {other} need to be two different facts of the list")
        return self


@dataclass(frozen=True, slots=True)
class Facts:
    """The facts that are known, and what they rule out."""

    means: Mapping[str, str]
    """By fact, what it says of a person, as a clause without its subject."""
    excludes: Mapping[str, frozenset[str]]
    """By fact, the others that do not go with it."""
    once: Mapping[str, str]
    """By fact, the part of a life that one person's topics are about at most once, such as `children`."""

    @property
    def names(self) -> frozenset[str]:
        """All facts."""
        return frozenset(self.means)

    def going_together(self, facts: Iterable[str]) -> list[str]:
        """Those of a list that are known, without any that an earlier one rules out."""
        kept: list[str] = []
        for fact in facts:
            if fact in self.means and fact not in kept and fact not in self.ruled_out(kept):
                kept.append(fact)
        return kept

    def ruled_out(self, facts: Iterable[str]) -> frozenset[str]:
        """What cannot hold beside some facts.

        >>> "tenant" in load_facts().ruled_out(["owner_occupier"])
        True
        """
        return frozenset[str]().union(*(self.excludes.get(fact, frozenset()) for fact in facts))

    def unknown(self, facts: Iterable[str]) -> str:
        """What is wrong with a list of facts, as a sentence; empty if all are known.

        >>> load_facts().unknown(["tennant"])
        'there is no fact “tennant” (did you mean tenant?)'
        """
        for fact in facts:
            if fact not in self.names:
                return f"there is no fact “{fact:.40}”{did_you_mean(fact, sorted(self.names))}"
        return ""


@lru_cache(maxsize=1)
def load_facts() -> Facts:
    """The packaged facts.

    Raises:
        InputError: the file is broken.
    """
    return read_facts(data_path("seeds", "facts.yaml"))


def read_facts(path: Path) -> Facts:
    """The facts of a file.

    Raises:
        InputError: it is not a list of facts with pairs of them.
    """
    try:
        model = _FactsModel.model_validate(load_data(path))
    except ValidationError as fault:
        raise InputError(complaint(fault, "the file"), path=path) from None
    excluded: dict[str, set[str]] = {name: set() for name in model.facts}
    for one, others in model.excludes.items():
        for other in others:
            excluded[one].add(other)
            excluded[other].add(one)
    once = {name: fact.once for name, fact in model.facts.items() if fact.once}
    means = {name: fact.means for name, fact in model.facts.items()}
    return Facts(means, {name: frozenset(found) for name, found in excluded.items()}, once)


def check_facts(topics: Iterable[Topic]) -> None:
    """Refuse topics that presuppose facts which are not in the list.

    Raises:
        InputError: a topic does.
    """
    for topic in topics:
        unknown = load_facts().unknown(topic.asker)
        if unknown:
            raise InputError(f"topic {topic.id}: {unknown}; docs/how-to/domain.md lists them all")


@dataclass(slots=True)
class Life:
    """What is known of one person so far: by the persona, and by the topics that were asked about.

    Args:
        persona: Who asks.
        facts: All that there are.
    """

    persona: Persona
    facts: Facts
    _excluded: set[str] = field(init=False)
    _told: set[str] = field(init=False, default_factory=set)

    def __post_init__(self) -> None:
        self._excluded = {*self.persona.cannot, *self.facts.ruled_out(self.persona.facts)}

    def allows(self, topic: Topic) -> bool:
        """Whether this person may ask about a topic without contradicting what is known."""
        return self._excluded.isdisjoint(topic.asker) and self._told.isdisjoint(self._parts(topic))

    def add(self, topic: Topic) -> None:
        """What a topic presupposes holds to the end of the dialogue."""
        self._told |= self._parts(topic)
        self._excluded |= self.facts.ruled_out(topic.asker)

    def _parts(self, topic: Topic) -> set[str]:
        """The parts of a life that a topic is about."""
        return {*topic.apart, *(self.facts.once[fact] for fact in topic.asker if fact in self.facts.once)}
