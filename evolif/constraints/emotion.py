"""`emotion`: how the answer feels; judged by a model."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field, TypeAdapter

from evolif.constraints._base import ParamsModel
from evolif.constraints._subjective import SubjectiveGroup


class _Emotion(ParamsModel):
    emotion: Annotated[str, Field(min_length=1, max_length=200)]


class Emotion(SubjectiveGroup):
    """A judge scores the answer above 6 of 10 for it."""

    name = "emotion"
    adapter: TypeAdapter[Any] = TypeAdapter(_Emotion)
