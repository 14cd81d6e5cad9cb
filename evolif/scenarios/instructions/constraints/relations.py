"""Relations between what is counted and a number: `some`, `none`, `exactly`, `at_most`, `at_least`, `between`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, Literal, Self

from pydantic import ConfigDict, Field, model_validator

from evolif.scenarios.instructions.constraints.base import DrawContext, SparseParams
from evolif.scenarios.instructions.turns import Params
from evolif.util.rng import Stream

Relation = Literal["some", "none", "exactly", "at_most", "at_least", "between"]
Count = Annotated[int, Field(ge=0)]

_WITHOUT_COUNT = ("some", "none")


def check_numbers(relation: str, count: int | None, upper: int | None) -> None:
    """Refuse numbers that do not go with a relation.

    Raises:
        ValueError: says which number is missing, superfluous or too small.
    """
    if relation in _WITHOUT_COUNT:
        if count is not None or upper is not None:
            raise ValueError(f"the relation {relation} has no number; leave “count” and “upper” out")
        return
    if count is None:
        raise ValueError(f"the relation {relation} needs “count”")
    if relation != "between" and upper is not None:
        raise ValueError("“upper” goes with the relation between only")
    if relation == "between" and upper is None:
        raise ValueError("the relation between needs “upper”, the largest number allowed")
    if upper is not None and upper < count:
        raise ValueError("“upper” is below “count”")


class ClosedParams(SparseParams):
    """Parameters without unknown keys: a key that is not understood would change what is asked for."""

    model_config = ConfigDict(extra="forbid")


class RelationParams(ClosedParams):
    """A relation and its numbers: none for `some` and `none`, two for `between`, else one."""

    relation: Relation
    count: Count | None = None
    upper: Count | None = None

    @model_validator(mode="after")
    def _numbers_fit(self) -> Self:
        check_numbers(self.relation, self.count, self.upper)
        return self


def holds(params: Params, found: int, some: int = 1) -> bool:
    """Whether a number found stands in the relation.

    Args:
        params: `relation`, `count` and `upper`.
        found: What was counted.
        some: The fewest that `some` asks for.
    """
    low, high = limits(params, some)
    return low <= found and (high is None or found <= high)


def limits(params: Params, some: int = 1) -> tuple[int, int | None]:
    """The fewest and the most that a relation allows; None for no limit. Without a relation, the number is exact."""
    relation = params.get("relation", "exactly")
    if relation in _WITHOUT_COUNT:
        return (some, None) if relation == "some" else (0, 0)
    count: int = params["count"]
    low = 0 if relation == "at_most" else count
    high = {"at_least": None, "between": params.get("upper")}.get(relation, count)
    return low, high


_SMALL = {1: "one", 2: "two"}


def amount(params: Params, noun: str, many: str = "", some: int = 1) -> str:
    """What a relation asks for: `at least one heading`, `between 2 and 3 headings`."""
    many = many or f"{noun}s"
    relation = params["relation"]
    if relation == "none":
        return f"no {noun}"
    if relation == "some":
        return f"at least {_SMALL[some]} {noun if some == 1 else many}"
    count = params["count"]
    if relation == "between":
        return f"between {count} and {params['upper']} {many}"
    return f"{relation.replace('_', ' ')} {count} {noun if count == 1 else many}"


def draw_weighted(stream: Stream, context: DrawContext) -> Params:
    """One of the pool's parameters (`drawn`), in proportion to their weights."""
    return dict(stream.weighted([(params, weight) for params, weight in context.pool["drawn"]]))


def weighted_pair(stream: Stream, options: Sequence[Sequence[Any]]) -> Any:
    """One of the pool's values, each given with its weight."""
    return stream.weighted([(value, weight) for value, weight in options])
