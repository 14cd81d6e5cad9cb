"""What a turn means to say: its topic, its move, its changes; and the claims that a query makes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from evolif.errors import UsageError
from evolif.scenarios.instructions.turns import Move, Operation, OperationKind, Params, ScriptTurn, Topic, Turn, TurnAct
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
    """The change of one group in a turn, and what else is in force."""

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
    short: str = ""
    wordings: dict[str, str] = Field(default_factory=dict)


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
    operations: Annotated[tuple[_ChangeOperation, ...], Field(min_length=1)] | None = None
    act: TurnAct | None = None
    constraints: tuple[_Constraint, ...] = ()

    @model_validator(mode="after")
    def _tells_changes(self) -> _ChangeLine:
        if self.operation is None and self.operations is None:
            raise ValueError("it needs “operation”, or “operations” if several constraints change")
        return self


@dataclass(frozen=True, slots=True)
class QueryIntention:
    """What a turn's query has to say."""

    topic: Topic
    move: Move
    changes: tuple[QueryChange, ...]
    """One per changed group, in the order in which they are said."""
    lifts_all: bool = False
    """Whether all earlier demands go, which is said at once."""
    carries: bool = False
    """Whether the demands of the topic before hold for a new one, too, which is said at once."""

    @property
    def said(self) -> tuple[QueryChange, ...]:
        """The changes that are said one by one: where all earlier demands go, the new ones alone."""
        if self.carries:
            return ()
        if not self.lifts_all:
            return self.changes
        return tuple(replace(one, kind="add", before=None) for one in self.changes if one.after is not None)


def intention(turn: Turn | ScriptTurn | Mapping[str, Any]) -> QueryIntention:
    """Topic, move and changes of a turn.

    Args:
        turn: A turn, or the object of one line of a benchmark.

    Raises:
        UsageError: It is no turn.
    """
    topic, move, operations, act, active = _of_line(turn) if isinstance(turn, Mapping) else _of_turn(turn)
    if any((one.before if one.kind == "remove" else one.after) is None for one in operations):
        raise UsageError("operation: an add or a modification needs “after”, a removal “before”")
    changed = {one.group for one in operations}
    others = tuple((group, params) for group, params in active if group not in changed)
    if act == "replace_all":  # what goes may be named
        others += tuple((one.group, one.before) for one in operations if one.after is None and one.before is not None)
    told_all = _tells_all(turn)
    changes = tuple(
        QueryChange(one.kind, one.group, one.before, one.after, topic.keywords, others, told_all) for one in operations
    )
    return QueryIntention(topic, move, changes, act == "replace_all", act == "carry")


def _tells_all(turn: Turn | ScriptTurn | Mapping[str, Any]) -> bool:
    return bool(turn.get("constraints") is not None) if isinstance(turn, Mapping) else True


_Parts = tuple[Topic, Move, tuple[Operation, ...], TurnAct, list[tuple[str, Mapping[str, Any]]]]


def _of_turn(turn: Turn | ScriptTurn) -> _Parts:
    return turn.topic, turn.move, turn.operations, turn.act, [(c.group, c.params) for c in turn.constraints]


def _of_line(turn: Mapping[str, Any]) -> _Parts:
    try:
        line = _ChangeLine.model_validate(dict(turn))
    except ValidationError as fault:
        raise UsageError(f"{complaint(fault, 'turn')}; give the object of one line of a benchmark") from None
    one = line.topic
    topic = Topic(str(one.id), one.prompt, one.keywords, "", one.title, wordings=one.wordings, short=one.short)
    told = line.operations or (() if line.operation is None else (line.operation,))
    operations = tuple(Operation(op.kind, op.group, op.before, op.after) for op in told)
    return topic, line.move, operations, line.act or "change", [(c.group, c.params) for c in line.constraints]
