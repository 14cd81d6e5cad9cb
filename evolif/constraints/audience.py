"""`audience`: whom the answer is written for; judged by a model."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field, TypeAdapter

from evolif.constraints._base import ParamsModel
from evolif.constraints._subjective import SubjectiveGroup


class _Audience(ParamsModel):
    audience: Annotated[str, Field(min_length=1, max_length=200)]


class Audience(SubjectiveGroup):
    """A judge scores the answer above 6 of 10 for it."""

    name = "audience"
    adapter: TypeAdapter[Any] = TypeAdapter(_Audience)
