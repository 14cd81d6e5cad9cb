"""`audience`: whom the answer is written for; judged by a model."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import AfterValidator, TypeAdapter

from evolif.constraints.base import ParamsModel, SubjectiveGroup, known


class _Audience(ParamsModel):
    audience: Annotated[str, AfterValidator(known("audience"))]


class Audience(SubjectiveGroup):
    """A judge scores the answer above 6 of 10 for it."""

    name = "audience"
    adapter: TypeAdapter[Any] = TypeAdapter(_Audience)


# `emotion`: how the answer feels; judged by a model.


class _Emotion(ParamsModel):
    emotion: Annotated[str, AfterValidator(known("emotion"))]


class Emotion(SubjectiveGroup):
    """A judge scores the answer above 6 of 10 for it."""

    name = "emotion"
    adapter: TypeAdapter[Any] = TypeAdapter(_Emotion)


# `style`: how the answer is written; judged by a model.


class _Style(ParamsModel):
    style: Annotated[str, AfterValidator(known("style"))]


class Style(SubjectiveGroup):
    """A judge scores the answer above 6 of 10 for it."""

    name = "style"
    adapter: TypeAdapter[Any] = TypeAdapter(_Style)
