"""Profiles: every number of the state machine, as data."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from evolif._catalogues import data_path, load_yaml
from evolif._errors import InputError, UsageError
from evolif.constraints import get_group

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
            get_group(name)
        return self

    def resolved(self) -> Profile:
        """The profile with every pool written out, so that it means the same anywhere."""
        pools = {name: {**get_group(name).data["pool"], **self.pools.get(name, {})} for name in self.groups}
        return self.model_copy(update={"pools": pools})


BUILT_IN = ("paper", "objective")


def load_profile(name: str) -> Profile:
    """A built-in profile by name, or a YAML file by path, with its pools resolved.

    Raises:
        UsageError: no such profile.
        InputError: the file is not a profile.
    """
    path = data_path("seeds", "profiles", f"{name}.yaml") if name in BUILT_IN else Path(name)
    if not path.is_file():
        extended = " (extended is not there yet)" if name == "extended" else ""
        raise UsageError(f"unknown profile “{name}”{extended}; use {' or '.join(BUILT_IN)}, or the path of a YAML file")
    return parse_profile(load_yaml(path), path).resolved()


def parse_profile(data: object, path: Path | None = None) -> Profile:
    """Validate a profile."""
    try:
        return Profile.model_validate(data)
    except ValidationError as fault:
        first = fault.errors(include_url=False, include_input=False)[0]
        where = ".".join(map(str, first["loc"])) or "profile"
        raise InputError(f"{where}: {first['msg']}", path=path) from None
