"""Profiles: every number of the state machine, as data."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from evolif._catalogues import data_path, load_yaml
from evolif._errors import InputError, UsageError
from evolif._json_lines import complaint
from evolif._stream import Stream
from evolif.constraints import DrawContext, get_group, own_groups, parse_constraint

_Probability = Annotated[float, Field(ge=0, le=1)]
_Weight = Annotated[int, Field(ge=0)]


class _Model(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Visit(_Model):
    """How long a topic is stayed with."""

    min_turns: Annotated[int, Field(ge=1)]
    switch: _Probability
    new: _Probability


class Weights(_Model):
    """Relative weights of the three operations."""

    add: _Weight = 0
    modify: _Weight = 0
    remove: _Weight = 0


class Operations(_Model):
    """Weights by how many constraints are active."""

    one: Weights
    between: Weights
    none_free: Weights
    full: Weights


class Keep(_Model):
    """Which dialogues are kept: the first `turns` average at least so many active constraints."""

    turns: Annotated[int, Field(ge=1)]
    min_mean_constraints: Annotated[float, Field(ge=0)]


class ProtocolDefaults(_Model):
    """Patience and cap that an evaluation takes when told nothing else."""

    patience: Annotated[int, Field(ge=1)] = 3
    max_turns: Annotated[int, Field(ge=1)] = 50


class Profile(_Model):
    """A complete specification of the state machine and its pools."""

    name: str
    source: str = ""
    groups: Annotated[tuple[str, ...], Field(min_length=1)]
    visit: Visit
    operations: Operations
    keep: Keep
    protocol: ProtocolDefaults = ProtocolDefaults()
    pools: dict[str, dict[str, Any]] = Field(default_factory=dict)
    """Per group, what constraints are drawn from; groups not named use their data file's pool."""

    @model_validator(mode="after")
    def _known_groups(self) -> Profile:
        if len(set(self.groups)) != len(self.groups):
            raise ValueError("a group is named twice")
        for name in self.groups:
            self._check_values(name)
        if strange := set(self.pools) - set(self.groups):
            raise ValueError(f"there are pools for {', '.join(sorted(strange))}, which is not among the groups")
        return self

    def _check_values(self, name: str) -> None:
        """What a judge is asked for needs its phrases: a pool may leave values out, but not invent any."""
        group = get_group(name)
        for value in self.pools.get(name, {}).get("values", ()) if group.subjective else ():
            if value not in group.data["describe"]:
                raise ValueError(f"{name} has no value “{value}”; use {', '.join(group.data['describe'])}")

    def resolved(self) -> Profile:
        """The profile with every pool written out, so that it means the same anywhere."""
        pools = {name: {**get_group(name).data["pool"], **self.pools.get(name, {})} for name in self.groups}
        return self.model_copy(update={"pools": pools})


_TRIAL_DRAWS = 100
BUILT_IN = ("paper", "objective", "extended")


def load_profile(name: str) -> Profile:
    """A built-in profile by name, or a YAML file by path, with its pools resolved.

    Built-in profiles draw groups of the user's own, too; a file names its groups itself.

    Raises:
        UsageError: no such profile.
        InputError: the file is not a profile.
    """
    path = data_path("seeds", "profiles", f"{name}.yaml") if name in BUILT_IN else Path(name)
    if not path.is_file():
        known = f"{', '.join(BUILT_IN[:-1])} or {BUILT_IN[-1]}"
        raise UsageError(f"unknown profile “{name}”; use {known}, or the path of a YAML file")
    profile = parse_profile(load_yaml(path), path)
    if name in BUILT_IN:
        own = (group for group in own_groups() if group not in profile.groups)
        profile = profile.model_copy(update={"groups": (*profile.groups, *own)})
    resolved = profile.resolved()
    for group in profile.groups:
        get_group(group).require()
    for group in profile.pools:
        _try_pool(group, resolved.pools[group], path)
    return resolved


def _try_pool(name: str, pool: Mapping[str, Any], path: Path) -> None:
    """Draw from a pool of one's own before anything is generated: what it holds is only known to its group."""
    group, stream = get_group(name), Stream(0)
    context = DrawContext(tuple(f"keyword {number}" for number in range(20)), pool)
    try:
        for _ in range(_TRIAL_DRAWS):
            params = group.draw(stream, context)
            parse_constraint({"group": name, "params": params})
            group.modify(params or {}, stream, context)
    except (LookupError, TypeError, ValueError, ArithmeticError, UsageError) as fault:
        raise InputError(f"pools.{name}: no constraint can be drawn from it ({fault})", path=path) from None


def parse_profile(data: object, path: Path | None = None) -> Profile:
    """Validate a profile."""
    try:
        return Profile.model_validate(data)
    except ValidationError as fault:
        raise InputError(complaint(fault, "profile"), path=path) from None
