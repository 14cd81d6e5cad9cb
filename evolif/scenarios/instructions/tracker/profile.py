"""The data of the state machine: profiles with its parameters, and topic files."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from hashlib import sha256
from pathlib import Path
from typing import Annotated, Any

from pydantic import (
    BaseModel,
    ConfigDict,
    Discriminator,
    Field,
    SerializerFunctionWrapHandler,
    Tag,
    ValidationError,
    field_validator,
    model_serializer,
    model_validator,
)

from evolif.errors import InputError, UsageError
from evolif.scenarios.instructions.constraints import GROUPS, DrawContext, get_group, own_groups, parse_constraint
from evolif.scenarios.instructions.tracker.choice import VALUE_KINDS, Affinity, Choice
from evolif.scenarios.instructions.tracker.load import JudgedDraws, LoadOperations
from evolif.scenarios.instructions.turns import Params, Topic
from evolif.text import clean, fold
from evolif.util.opened import read_file
from evolif.util.resources import complaint, data_path, load_data, read_catalogue
from evolif.util.rng import Stream
from evolif.util.suggestions import did_you_mean, near_path

BUILT_IN = ("everyday", "objective", "paper", "extended", "escalating")
USUAL = "everyday"
"""What a new benchmark is made with unless another profile is named."""
_TRIAL_DRAWS = 100
MIN_KEYWORDS = 20
"""Minimum number of keywords of a topic."""

_PLAIN = re.compile(r"(?:[a-z0-9]+(?:[ -][a-z0-9]+)*\n)+")

_Probability = Annotated[float, Field(ge=0, le=1)]
_Text = Annotated[str, Field(min_length=1, max_length=10_000, pattern=r"\S")]
_Weight = Annotated[int, Field(ge=0)]
_Preferences = dict[str, Annotated[int, Field(ge=1, le=1000)]]
_Pools = dict[str, dict[str, Any]]


class _ProfileModel(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class _Growing(_ProfileModel):
    """A model with fields that earlier versions lack: unused, they are not written, so that old identities stay."""

    @model_serializer(mode="wrap")
    def _leave_out_unused(self, serialize: SerializerFunctionWrapHandler) -> dict[str, Any]:
        data: dict[str, Any] = serialize(self)
        return {name: value for name, value in data.items() if value or name not in _LATER_FIELDS}


_LATER_FIELDS = frozenset(
    "longest_absent preferences stages choice dialogues number_step everyday_pools short_words persons voices "
    "stay".split()
)


class Stay(_ProfileModel):
    """How long a visit to a topic lasts: geometric, with a mean that each persona has of its own, and cut."""

    mean: tuple[Annotated[float, Field(ge=1, le=100)], Annotated[float, Field(ge=1, le=100)]]
    """The least and the greatest mean, in turns; a persona's is drawn between."""
    least: Annotated[int, Field(ge=1, le=100)] = 1
    most: Annotated[int, Field(ge=1, le=1000)]

    @model_validator(mode="after")
    def _in_order(self) -> Stay:
        if self.mean[0] > self.mean[1] or self.least > self.most:
            raise ValueError("mean and least to most need the smaller number first")
        return self


class Visit(_Growing):
    """How long a dialogue stays with a topic: from `min_turns` on, it switches with probability `switch`; or `stay`."""

    min_turns: Annotated[int, Field(ge=1)] = 1
    switch: _Probability = 0
    stay: Stay | None = None
    """How long visits last, in place of `min_turns` and `switch`."""
    new: _Probability
    longest_absent: _Probability = 0
    """Probability that a return goes to the topic left longest ago; otherwise all earlier topics are equally likely."""

    @model_validator(mode="after")
    def _says_how_long(self) -> Visit:
        given = self.model_fields_set
        if self.stay is None and not {"min_turns", "switch"} <= given:
            raise ValueError("it needs min_turns and switch, or stay")
        return self


class OperationWeights(_ProfileModel):
    """Relative weights of the three operations."""

    add: _Weight = 0
    modify: _Weight = 0
    remove: _Weight = 0


class Operations(_ProfileModel):
    """Weights by the number of active constraints."""

    one: OperationWeights
    between: OperationWeights
    none_free: OperationWeights
    full: OperationWeights


def _operations_kind(data: object) -> str:
    by_load = isinstance(data, LoadOperations) or (isinstance(data, Mapping) and "load" in data)
    return _BY_LOAD if by_load else _BY_COUNT


_BY_COUNT, _BY_LOAD = "by count", "by load"
_Operations = Annotated[
    Annotated[Operations, Tag(_BY_COUNT)] | Annotated[LoadOperations, Tag(_BY_LOAD)], Discriminator(_operations_kind)
]


class KeepRule(_ProfileModel):
    """Which dialogues are kept, by the mean number of active constraints in the first `turns`."""

    turns: Annotated[int, Field(ge=1)]
    min_mean_constraints: Annotated[float, Field(ge=0)]


class ProtocolDefaults(_Growing):
    """Default patience and turn limit of an evaluation, and how many dialogues a benchmark has."""

    patience: Annotated[int, Field(ge=1)] = 3
    max_turns: Annotated[int, Field(ge=1)] = 50
    dialogues: Annotated[int, Field(ge=1)] | None = None


class Stage(_ProfileModel):
    """What changes from a turn of the dialogue on; what a stage does not give stays as it was."""

    from_turn: Annotated[int, Field(ge=2)]
    visit: Visit | None = None
    operations: _Operations | None = None
    preferences: _Preferences | None = None
    pools: _Pools = Field(default_factory=dict)
    """Pools by group; they replace entries of the pools before."""
    number_step: Annotated[int, Field(ge=1, le=100)] | None = None
    """By how many percent a modification moves a number at most; only where operations follow the load."""

    @model_serializer(mode="wrap")
    def _leave_out_unchanged(self, serialize: SerializerFunctionWrapHandler) -> dict[str, Any]:
        data: dict[str, Any] = serialize(self)
        return {name: value for name, value in data.items() if value}


class Profile(_Growing):
    """A complete specification of the state machine, with the pools from which constraints are drawn."""

    name: str
    source: str = ""
    groups: Annotated[tuple[str, ...], Field(min_length=1)]
    visit: Visit
    operations: _Operations
    keep: KeepRule
    protocol: ProtocolDefaults = ProtocolDefaults()
    pools: _Pools = Field(default_factory=dict)
    """Pools by group; they replace entries of the pool in the group's data file."""
    preferences: _Preferences = Field(default_factory=dict)
    """Relative weights of groups, 1 if not given: preferred groups are added and modified first and removed last."""
    stages: Annotated[tuple[Stage, ...], Field(max_length=100)] = ()
    """Later parameters, in the order of their turns."""
    choice: Choice | None = None
    """What is not drawn although it could be; None: all draws are uniform."""
    number_step: Annotated[int, Field(ge=1, le=100)] | None = None
    """As in stages."""
    everyday_pools: bool = False
    """Whether groups draw from the pool `everyday` of their data files, where they have one."""
    short_words: bool = False
    """Whether the template words demands as people type them every day: in few words."""
    persons: bool | None = None
    """Whether who asks has a life, a voice and reasons that fit (edition 4 of the generator); the paper's profile does
    not."""
    voices: bool = False
    """Whether tasks are worded by who asks, although there are no persons."""

    @model_validator(mode="after")
    def _known_groups(self) -> Profile:
        if len(set(self.groups)) != len(self.groups):
            raise ValueError("a group is named twice")
        parts: tuple[Profile | Stage, ...] = (self, *self.stages)
        for part in parts:
            for group in map(get_group, self.groups):
                values = part.pools.get(group.name, {}).get("values", ()) if group.subjective else ()
                phrased = group.data.get("questions") or group.data["describe"]
                for value in values:  # a pool may omit values, but each needs its phrases or questions
                    if value not in phrased:
                        known = ", ".join(phrased)
                        raise ValueError(f"{group.name} has no value “{value}”; use {known}")
            for what, named in (("pools", part.pools), ("preferences", part.preferences or {})):
                if unknown := set(named) - set(self.groups):
                    names = ", ".join(sorted(unknown))
                    raise ValueError(f"{what} are given for {names}, which is not one of the profile's groups")
        turns = [stage.from_turn for stage in self.stages]
        if turns != sorted(set(turns)):
            raise ValueError("the stages are not in the order of their turns; sort them by from_turn")
        return self

    @model_validator(mode="after")
    def _known_values(self) -> Profile:
        affinity = self.choice.affinity if self.choice else None
        # The built-in table also has the groups that this profile does not draw.
        known = {*VALUE_KINDS, *GROUPS, *self.groups}
        if isinstance(affinity, Affinity) and (unknown := affinity.named() - known):
            kinds = ", ".join(sorted(VALUE_KINDS))
            raise ValueError(f"choice.affinity has weights for {', '.join(sorted(unknown))}; use {kinds} or a group")
        return self

    def resolved(self) -> Profile:
        """The profile with all pools and rules of choice complete, so that it means the same on any machine."""
        pools = {name: {**self._own_pool(name), **self.pools.get(name, {})} for name in self.groups}
        choice, persons = self.choice and self.choice.for_groups(self.groups), self.persons is not False
        return self.model_copy(update={"pools": pools, "choice": choice, "persons": persons})

    def _own_pool(self, name: str) -> Mapping[str, Any]:
        """The pool of a group's data file."""
        data = get_group(name).data
        pool: Mapping[str, Any] = data["everyday"] if self.everyday_pools and "everyday" in data else data["pool"]
        return pool

    def phases(self) -> dict[int, Profile]:
        """The profile in force from each turn on at which it changes: turn 1 and the first turns of the stages."""
        current = self
        found = {1: current}
        for stage in self.stages:
            changed = {name: getattr(stage, name) for name in ("visit", "operations", "preferences", "number_step")}
            pools = {**current.pools, **{g: {**current.pools.get(g, {}), **new} for g, new in stage.pools.items()}}
            update = {name: value for name, value in changed.items() if value is not None}
            current = current.model_copy(update={**update, "pools": pools})
            found[stage.from_turn] = current
        return found


def load_profile(name: str) -> Profile:
    """A built-in profile by name, or a YAML file by path, with its pools resolved.

    Built-in profiles also draw the groups of the user's modules; a file names its groups itself.

    Raises:
        UsageError: no such profile.
        InputError: the file is not a profile.
    """
    path = data_path("seeds", "profiles", f"{name}.yaml") if name in BUILT_IN else Path(name)
    if not path.is_file():
        known = f"{', '.join(BUILT_IN[:-1])} or {BUILT_IN[-1]}"
        near = did_you_mean(name, BUILT_IN) or near_path(path)
        raise UsageError(f"unknown profile “{name}”{near}; use {known}, or the path of a YAML file")
    profile = parse_profile(load_data(path), path)
    if name in BUILT_IN:
        own = (group for group in own_groups() if group not in profile.groups)
        profile = profile.model_copy(update={"groups": (*profile.groups, *own)})
    resolved = profile.resolved()
    for group in profile.groups:
        get_group(group).require()
    for group in profile.pools:
        _try_pool(group, resolved.pools[group], path)
    phases = resolved.phases()
    for number, stage in enumerate(resolved.stages):
        for group in stage.pools:
            _try_pool(group, phases[stage.from_turn].pools[group], path, f"stages.{number}.")
    return resolved


def with_judged(profile: Profile) -> Profile:
    """The profile with what only a judge can check among the new constraints (`seeds/profiles/judged.yaml`).

    Args:
        profile: Resolved, with operations that follow the load.

    Raises:
        UsageError: its operations do not follow the load, or it has such groups already.
    """
    operations = profile.operations
    if not isinstance(operations, LoadOperations):
        raise UsageError(
            f"the profile {profile.name} has no place for judged constraints; use everyday, or a profile whose "
            "operations have a load"
        )
    path = data_path("seeds", "profiles", "judged.yaml")
    try:
        judged = JudgedDraws.model_validate(load_data(path))
    except ValidationError as fault:
        raise InputError(complaint(fault, "the file"), path=path) from None
    if taken := sorted({*judged.weights} & {*profile.groups}):
        raise UsageError(f"the profile {profile.name} has the group {taken[0]} already; leave out --judged")
    groups = (*profile.groups, *judged.weights)
    update = {"groups": groups, "operations": operations.model_copy(update={"judged": judged})}
    return profile.model_copy(update=update).resolved()


def _try_pool(name: str, pool: Mapping[str, Any], path: Path, part: str = "") -> None:
    """Draw from a custom pool before anything is generated: only its group knows what it must contain."""
    group, stream = get_group(name), Stream(0)
    context = DrawContext(tuple(f"{word}{number}" for number in range(10) for word in ("word", "keyword ")), pool)
    try:
        for _ in range(_TRIAL_DRAWS if pool.get("drawn", True) else 0):
            params = group.draw(stream, context)
            parse_constraint({"group": name, "params": params})
            group.modify(params or {}, stream, context)
    except (LookupError, TypeError, ValueError, ArithmeticError, UsageError) as fault:
        raise InputError(f"{part}pools.{name}: no constraint can be drawn from it ({fault})", path=path) from None


def parse_profile(data: object, path: Path | None = None) -> Profile:
    """Validate a profile."""
    try:
        return Profile.model_validate(data)
    except ValidationError as fault:
        told = complaint(fault, "profile")
        for kind in (_BY_COUNT, _BY_LOAD):  # how the two are told apart is no concern of a user
            told = told.replace(f"operations.{kind}", "operations")
        raise InputError(told, path=path) from None


class TopicModel(BaseModel):
    """A topic as stored."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    id: _Text
    prompt: _Text
    keywords: list[_Text]
    domain: str = ""
    title: str = ""
    kind: str = ""
    choices: tuple[dict[str, Any], ...] = ()
    asker: tuple[_Text, ...] = ()
    apart: tuple[_Text, ...] = ()
    wordings: dict[_Text, _Text] = Field(default_factory=dict, max_length=20)
    short: Annotated[str, Field(max_length=200)] = ""

    @field_validator("choices")
    @classmethod
    def _offered(cls, choices: tuple[dict[str, Any], ...]) -> tuple[dict[str, Any], ...]:
        """Require parameters that the group `choice` takes."""
        for params in choices:
            try:
                parse_constraint({"group": "choice", "params": params})
            except UsageError as fault:
                raise ValueError(str(fault)) from None
        return choices

    @field_validator("keywords")
    @classmethod
    def _enough_words(cls, keywords: list[str]) -> list[str]:
        """Require enough different keywords, each with a letter or digit at both ends, so that its edges are clear."""
        if _are_plain(keywords) and len(keywords) == len(set(keywords)) >= MIN_KEYWORDS:
            return keywords
        kept = list({fold(k): k for k in (clean(k).strip() for k in reversed(keywords))}.values())[::-1]
        for keyword in kept:
            if not (keyword[:1].isalnum() and keyword[-1:].isalnum()):
                raise ValueError(f"“{keyword}” does not start and end with a letter or a digit")
        if len(kept) < MIN_KEYWORDS:
            raise ValueError(f"a topic needs at least {MIN_KEYWORDS} different keywords, this one has {len(kept)}")
        return kept

    def to_topic(self) -> Topic:
        """The topic with normalised texts."""
        choices: tuple[Params, ...] = self.choices
        prompt, title, short = (clean(text).strip() for text in (self.prompt, self.title, self.short))
        wordings = {register: clean(text).strip() for register, text in self.wordings.items()}
        keywords = tuple(self.keywords)
        told = (self.asker, self.apart, wordings, short)
        return Topic(self.id, prompt, keywords, self.domain, title, self.kind, choices, *told)


def _are_plain(keywords: list[str]) -> bool:
    """Whether normalising leaves all unchanged; one test for all, since every start reads some 12,000."""
    joined = "".join(f"{keyword}\n" for keyword in keywords)
    return joined.count("\n") == len(keywords) and _PLAIN.fullmatch(joined) is not None


def load_topics(path: Path | None = None) -> tuple[Topic, ...]:
    """The topics of a JSONL file, or the built-in ones.

    Raises:
        InputError: a line that is not a topic, or an id used twice.
    """
    source = path or data_path("seeds", "topics.jsonl")
    try:
        digest = sha256(read_file(source)).digest()
    except OSError:
        return _parse_topics(source)  # which says what is wrong
    return _read_topics(_TopicFile(digest, source))


@dataclass(frozen=True, slots=True)
class _TopicFile:
    """Every benchmark has its own copy of the catalogue: what is the same is read once."""

    digest: bytes
    path: Path = field(compare=False)


@lru_cache(maxsize=8)
def _read_topics(file: _TopicFile) -> tuple[Topic, ...]:
    return _parse_topics(file.path)


def _parse_topics(path: Path) -> tuple[Topic, ...]:
    return read_catalogue(path, lambda data: TopicModel.model_validate(data).to_topic(), "topic")


def packaged_topics(profile: Profile) -> tuple[Path, ...]:
    """The files of built-in topics for a profile; one that draws choices has tasks that offer some."""
    names = ("topics.jsonl", "topics-choices.jsonl") if "choice" in profile.groups else ("topics.jsonl",)
    return tuple(data_path("seeds", name) for name in names)


def load_topics_of(profile: Profile) -> tuple[Topic, ...]:
    """The built-in topics for a profile."""
    return tuple(topic for path in packaged_topics(profile) for topic in load_topics(path))
