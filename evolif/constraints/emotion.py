"""`emotion`: how the answer feels; judged by a model."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import AfterValidator, TypeAdapter

from evolif.constraints._base import ParamsModel
from evolif.constraints._subjective import SubjectiveGroup, known


class _Emotion(ParamsModel):
    emotion: Annotated[str, AfterValidator(known("emotion"))]


class Emotion(SubjectiveGroup):
    """A judge scores the answer above 6 of 10 for it."""

    name = "emotion"
    adapter: TypeAdapter[Any] = TypeAdapter(_Emotion)
