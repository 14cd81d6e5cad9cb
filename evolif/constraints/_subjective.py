"""What the three groups have in common that only a judge can tell (paper §4.1)."""

from __future__ import annotations

from evolif._stream import Stream
from evolif.constraints._base import DrawContext, Group
from evolif.domain import Params


class SubjectiveGroup(Group):
    """One parameter, named like the group."""

    subjective = True

    def draw(self, stream: Stream, context: DrawContext) -> Params | None:
        """One of the pool's values, all alike."""
        return {self.name: stream.choice(context.pool["values"])}

    def key(self, params: Params) -> str:
        """The value itself chooses the phrase."""
        return str(params[self.name])

    def slots(self, params: Params) -> dict[str, str]:
        """The value."""
        return {"value": str(params[self.name])}
