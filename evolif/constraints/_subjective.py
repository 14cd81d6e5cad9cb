"""What the three groups have in common that only a judge can tell (paper §4.1)."""

from __future__ import annotations

from collections.abc import Callable

from evolif._stream import Stream
from evolif.constraints._base import DrawContext, Group, group_data
from evolif.domain import Params


def known(group: str) -> Callable[[str], str]:
    """A validator: only values that the group's data file can say and describe."""

    def check(value: str) -> str:
        values = group_data(group)["describe"]
        if value not in values:
            raise ValueError(f"“{value}” is unknown; use {', '.join(values)}")
        return value

    return check


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
