"""The scales a judge is given, and the settings of the question: data files, read once and hashed into a version."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from evolif._catalogues import data_path, load_yaml
from evolif._errors import InputError
from evolif._json_lines import complaint
from evolif.constraints import describe
from evolif.domain import Constraint

BANDS = ("1-2", "3-4", "5-6", "7-8", "9-10")
"""Every scale describes a text at these pairs of scores."""


class Scale(BaseModel):
    """A question and what a text at each pair of scores is like."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    question: str
    scale: dict[str, str]


class Wording(BaseModel):
    """What stands around question, scale and text, and the bounds of a call."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    max_tokens: int = Field(ge=1)
    longest_text: int = Field(ge=3)
    longest_rationale: int = Field(ge=1)
    system: str
    user: str
    again: str
    whole: str
    cut: str
    gap: str


@dataclass(frozen=True, slots=True)
class Rubric:
    """Wording and scales, with a version that any change of either changes."""

    wording: Wording
    scales: Mapping[str, Mapping[str, Scale]]
    general: Scale
    version: str

    def scale(self, constraint: Constraint) -> tuple[str, str]:
        """The question and the scale's lines for a constraint; a group without a scale of its own gets the general."""
        value = str(constraint.params.get(constraint.group, ""))
        found = self.scales.get(constraint.group, {}).get(value, self.general)
        question = found.question.replace("{description}", describe(constraint))
        return question, "\n".join(f"{band}: {found.scale[band]}" for band in BANDS)


@lru_cache(maxsize=1)
def load_rubric() -> Rubric:
    """The rubric of this installation.

    Raises:
        InputError: a data file was edited into something that is no rubric.
    """
    wording_path = data_path("seeds", "prompts", "judge.yaml")
    scales_path = data_path("seeds", "prompts", "judge-rubrics.yaml")
    wording, scales = load_yaml(wording_path), load_yaml(scales_path)
    whole = json.dumps([wording, scales], sort_keys=True, ensure_ascii=True)
    try:
        told = Wording.model_validate(wording)
    except ValidationError as fault:
        raise InputError(complaint(fault, "the file"), path=wording_path) from None
    try:
        general, groups = _scales(scales)
    except (ValidationError, KeyError, TypeError, AttributeError):
        raise InputError(
            f"“general”, and each value of each group, has a “question” and a “scale” of {', '.join(BANDS)}",
            path=scales_path,
        ) from None
    return Rubric(told, groups, general, hashlib.sha256(whole.encode()).hexdigest()[:8])


def _scales(data: Any) -> tuple[Scale, Mapping[str, Mapping[str, Scale]]]:
    groups = {
        group: {value: _scale(entry) for value, entry in values.items()}
        for group, values in data.items()
        if group != "general"
    }
    return _scale(data["general"]), groups


def _scale(entry: Any) -> Scale:
    scale = Scale.model_validate(entry)
    if set(scale.scale) != set(BANDS):
        raise KeyError("bands")
    return scale
