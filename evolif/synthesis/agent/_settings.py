"""The figures of query synthesis, from `seeds/synthesis.yaml`."""

from __future__ import annotations

from functools import lru_cache
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from evolif._catalogues import data_path, load_yaml
from evolif._errors import InputError
from evolif._json_lines import complaint

_Figure = Annotated[int, Field(ge=1)]


class SynthesisSettings(BaseModel):
    """How often is tried, and how much is read."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    source: str
    attempts: _Figure
    """k: attempts in all before a query is flagged (paper §3.2.2, §4.1)."""
    longest_query: _Figure
    """Characters."""
    longest_answer: _Figure
    """Characters of a model's answer that are read."""
    local_tokens: _Figure
    """Longest answer of a local model where nothing else is asked for."""
    local_temperature: Annotated[float, Field(ge=0)]
    """Temperature of a local model where nothing else is asked for."""


@lru_cache(maxsize=1)
def synthesis_settings() -> SynthesisSettings:
    """The settings as the package has them."""
    path = data_path("seeds", "synthesis.yaml")
    try:
        return SynthesisSettings.model_validate(load_yaml(path))
    except ValidationError as fault:
        raise InputError(complaint(fault, "settings"), path=path) from None
