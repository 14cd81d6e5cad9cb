"""What a turn means to say: its topic, its move, its one change; and the claims that a query makes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from evolif.errors import UsageError
from evolif.scenarios.instructions.turns import Move, Operation, OperationKind, Params, ScriptTurn, Topic, Turn
from evolif.util.resources import complaint

Polarity = Literal["require", "forbid", "lift"]
"""`require`: it is to be so; `forbid`: it is not to be so; `lift`: it need not be so any more."""


@dataclass(frozen=True, slots=True)
class Claim:
    """One thing that a query says of one group, whether or not the turn asks for it."""

    group: str
    polarity: Polarity
    params: Params
    """As far as the query says them, named as the group stores them; empty where it only names the group."""
    span: tuple[int, int]
    """Half-open range of the query's characters."""


@dataclass(frozen=True, slots=True)
class AsideClaim(Claim):
    """A claim that may be a part of a demand of another group, where the turn has no everyday constraint."""


@dataclass(frozen=True, slots=True)
class QueryChange:
    """The one change of a turn, and what else is in force."""

    kind: OperationKind
    group: str
    before: Params | None
    after: Params | None
    keywords: tuple[str, ...] = ()
    """The topic's."""
    others: tuple[tuple[str, Params], ...] = ()
    """The other active constraints: group and parameters."""
    told_all: bool = False
    """Whether it is known what else is in force: the turn lists its constraints, its own among them, or says none."""

    def about(self, group: str) -> QueryChange:
        """The change as far as it concerns a group: of one of another group only the topic's keywords are left."""
        return self if group == self.group else QueryChange("add", group, None, None, self.keywords)

    @property
    def is_known(self) -> bool:
        """Whether it is known what changes; else only what could stand alone can be read."""
        return self.before is not None or self.after is not None

    @property
    def params(self) -> Params:
        """What the query has to say: the new parameters, or those that a removal lifts."""
        params = self.before if self.kind == "remove" else self.after
        assert params is not None  # check_query refuses other operations
        return params


NO_CHANGE = QueryChange("add", "", None, None)
"""Nothing is known of what is to change."""


class _ChangeModel(BaseModel):
    model_config = ConfigDict(extra="ignore", frozen=True)


class _Topic(_ChangeModel):
    id: str | int = ""
    prompt: str = ""
    keywords: tuple[str, ...] = ()
    title: str = ""


class _ChangeOperation(_ChangeModel):
    kind: OperationKind
    group: Annotated[str, Field(min_length=1)]
    before: dict[str, Any] | None = None
    after: dict[str, Any] | None = None


class _Constraint(_ChangeModel):
    group: str
    params: dict[str, Any]


class _ChangeLine(_ChangeModel):
    topic: _Topic = _Topic()
    move: Move
    operation: _ChangeOperation | None = None
    operations: tuple[_ChangeOperation, ...] = ()
    act: str = ""
    constraints: tuple[_Constraint, ...] = ()


def intention(turn: Turn | ScriptTurn | Mapping[str, Any]) -> tuple[Topic, Move, QueryChange]:
    """Topic, move and first change of a turn.

    Args:
        turn: A turn, or the object of one line of a benchmark.

    Raises:
        UsageError: It is no turn.
    """
    topic, move, changes, _ = intentions(turn)
    return topic, move, changes[0]


def intentions(turn: Turn | ScriptTurn | Mapping[str, Any]) -> tuple[Topic, Move, tuple[QueryChange, ...], bool]:
    """Topic, move and changes of a turn, in the order in which they are said, and whether they replace all else.

    Args:
        turn: A turn, or the object of one line of a benchmark.

    Raises:
        UsageError: It is no turn.
    """
    parts = _of_line(turn) if isinstance(turn, Mapping) else _of_turn(turn)
    changed = {operation.group for operation in parts.operations}
    others = tuple((group, params) for group, params in parts.active if group not in changed)
    changes = []
    for operation in parts.operations:
        if (operation.before if operation.kind == "remove" else operation.after) is None:
            raise UsageError("operation: an add or a modification needs “after”, a removal “before”")
        changes.append(
            QueryChange(
                operation.kind,
                operation.group,
                operation.before,
                operation.after,
                parts.topic.keywords,
                others,
                _tells_all(turn),
            )
        )
    if not changes:
        raise UsageError("operation: a turn needs an operation, or operations with one or more")
    return parts.topic, parts.move, tuple(changes), parts.replaces_all


def _tells_all(turn: Turn | ScriptTurn | Mapping[str, Any]) -> bool:
    return bool(turn.get("constraints") is not None) if isinstance(turn, Mapping) else True


@dataclass(frozen=True, slots=True)
class _Parts:
    topic: Topic
    move: Move
    operations: tuple[Operation, ...]
    active: list[tuple[str, Mapping[str, Any]]]
    replaces_all: bool


def _of_turn(turn: Turn | ScriptTurn) -> _Parts:
    operations: tuple[Operation, ...] = getattr(turn, "operations", ()) or (turn.operation,)
    active = [(c.group, c.params) for c in turn.constraints]
    return _Parts(turn.topic, turn.move, operations, active, getattr(turn, "act", "") == "replace_all")


def _of_line(turn: Mapping[str, Any]) -> _Parts:
    try:
        line = _ChangeLine.model_validate(dict(turn))
    except ValidationError as fault:
        raise UsageError(f"{complaint(fault, 'turn')}; give the object of one line of a benchmark") from None
    topic = Topic(str(line.topic.id), line.topic.prompt, line.topic.keywords, title=line.topic.title)
    told = line.operations or ((line.operation,) if line.operation is not None else ())
    operations = tuple(Operation(change.kind, change.group, change.before, change.after) for change in told)
    active: list[tuple[str, Mapping[str, Any]]] = [(c.group, c.params) for c in line.constraints]
    return _Parts(topic, line.move, operations, active, line.act == "replace_all")
