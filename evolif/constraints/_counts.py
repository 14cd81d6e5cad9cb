"""What groups have in common that ask for an exact number of something."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from evolif._stream import Stream
from evolif.constraints._base import DrawContext, Group, ParamsModel
from evolif.domain import Params


class CountParams(ParamsModel):
    """A number."""

    count: Annotated[int, Field(ge=0)]


class CountGroup(Group):
    """One mode, one number."""

    def draw(self, stream: Stream, context: DrawContext) -> Params | None:
        """A count from the pool."""
        return {"count": stream.between(context.pool["min"], context.pool["max"])}

    def key(self, params: Params) -> str:
        """There is one mode."""
        return "count"
