"""The intention of a turn as a diff: what changes, what stays."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from evolif._errors import UsageError
from evolif.constraints import describe, format_of, parse_constraint
from evolif.domain import Constraint, Params, Turn

MOVES = {"new": "a new topic", "continue": "goes on with", "backtrack": "comes back to"}


@dataclass(frozen=True, slots=True)
class Intention:
    """What a query has to say. Texts are foreign: topics and parameters come out of a file."""

    move: str
    topic: str
    """Of a topic that is not new, its title where it has one."""
    before: str | None
    """The constraint that is lifted or replaced."""
    after: str | None
    """The constraint that is new."""
    stays: tuple[str, ...]
    """The other active constraints: in force, and not to be said again."""

    def to_object(self) -> dict[str, Any]:
        """For machines."""
        return {
            "move": self.move,
            "topic": self.topic,
            "before": self.before,
            "after": self.after,
            "stays": list(self.stays),
        }


def intention_of(turn: Turn) -> Intention:
    """What the turn's query has to say."""
    fmt, operation = format_of(turn.constraints), turn.operation
    prompt, title = turn.topic.prompt, turn.topic.title
    return Intention(
        move=turn.move,
        topic=prompt if turn.move == "new" or not title else title,
        before=_told(operation.group, operation.before, fmt),
        after=_told(operation.group, operation.after, fmt),
        stays=tuple(describe(c, fmt) for c in turn.constraints if c.group != operation.group),
    )


def _told(group: str, params: Params | None, fmt: str | None) -> str | None:
    if params is None:
        return None
    try:
        constraint = parse_constraint({"group": group, "params": params})
        return describe(Constraint(group, constraint.params), fmt)
    except (UsageError, KeyError):  # the line's own idea of a constraint
        return f"{group}: {dict(params)}"
