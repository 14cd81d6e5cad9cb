"""`audience`: whom the answer is written for; judged by a model."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import AfterValidator, TypeAdapter

from evolif.constraints._base import ParamsModel
from evolif.constraints._subjective import SubjectiveGroup, known


class _Audience(ParamsModel):
    audience: Annotated[str, AfterValidator(known("audience"))]


class Audience(SubjectiveGroup):
    """A judge scores the answer above 6 of 10 for it."""

    name = "audience"
    adapter: TypeAdapter[Any] = TypeAdapter(_Audience)
