"""`style`: how the answer is written; judged by a model."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import AfterValidator, TypeAdapter

from evolif.constraints._base import ParamsModel
from evolif.constraints._subjective import SubjectiveGroup, known


class _Style(ParamsModel):
    style: Annotated[str, AfterValidator(known("style"))]


class Style(SubjectiveGroup):
    """A judge scores the answer above 6 of 10 for it."""

    name = "style"
    adapter: TypeAdapter[Any] = TypeAdapter(_Style)
