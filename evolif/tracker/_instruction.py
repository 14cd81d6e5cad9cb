"""The instruction layer: one operation per turn, drawn until it carries a verified witness."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from evolif._errors import InternalError
from evolif._stream import Stream
from evolif.constraints import DrawContext, get_group, is_closed
from evolif.domain import Constraint, Instruction, Operation, OperationKind, Params, Topic
from evolif.tracker._profile import Profile, Weights
from evolif.witness import Refusal, build_witness

TRIES_PER_GROUP = 16
"""Parameters are redrawn so often before another group is tried; the mix then keeps to the profile."""


@dataclass(slots=True)
class DrawStatistics:
    """What the rule *no turn without a witness* cost."""

    turns: int = 0
    draws: int = 0
    refused: dict[tuple[str, ...], int] = field(default_factory=dict)
    """Refused draws by the groups that did not go together."""
    group_changed: int = 0
    kind_changed: int = 0

    def refuse(self, refusal: Refusal) -> None:
        """Count a refused draw."""
        groups = tuple(sorted(refusal.groups))
        self.refused[groups] = self.refused.get(groups, 0) + 1


@dataclass(frozen=True, slots=True)
class InstructionState:
    """A topic's constraints and the text that satisfies them."""

    constraints: Instruction = ()
    witness: str = ""

    @property
    def active(self) -> dict[str, Params]:
        """Parameters by group."""
        return {c.group: c.params for c in self.constraints}


class Evolver:
    """Evolves instructions of one dialogue by the weights of a profile."""

    def __init__(self, profile: Profile, stream: Stream, statistics: DrawStatistics) -> None:
        self._profile = profile
        self._stream = stream
        self._statistics = statistics

    def evolve(self, state: InstructionState, topic: Topic) -> tuple[Operation, InstructionState]:
        """Exactly one operation.

        Raises:
            InternalError: no operation of any kind has a witness, which the table is meant to exclude.
        """
        self._statistics.turns += 1
        active = state.active
        free = [g for g in self._profile.groups if g not in active and not is_closed(g, active)]
        kinds = self._kinds(len(state.constraints), free)
        for attempt, kind in enumerate(kinds):
            groups = free if kind == "add" else [c.group for c in state.constraints]
            found = self._draw(kind, self._stream.sample(groups, len(groups)), state, topic)
            if found is not None:
                self._statistics.kind_changed += attempt > 0
                return found
        raise InternalError(f"no operation with a witness was found for topic {topic.id}; please report the seed")

    def _kinds(self, active: int, free: list[str]) -> list[OperationKind]:
        """The kind drawn first, then the others in case it has no witness at all."""
        if not active:
            return ["add"]
        operations = self._profile.operations
        if active == len(self._profile.groups):
            weights = operations.full
        elif not free:
            weights = operations.none_free
        else:
            weights = operations.one if active == 1 else operations.between
        options = _options(weights, active, free)
        first = self._stream.weighted(options)
        return [first, *(kind for kind, _ in options if kind != first)]

    def _draw(
        self, kind: OperationKind, groups: Iterable[str], state: InstructionState, topic: Topic
    ) -> tuple[Operation, InstructionState] | None:
        for number, group in enumerate(groups):
            for after in self._candidates(kind, group, state, topic):
                self._statistics.draws += 1
                constraints = _apply(state.constraints, group, after)
                witness = self._witness(group, constraints, state, topic)
                if not isinstance(witness, Refusal):
                    self._statistics.group_changed += number > 0
                    operation = Operation(kind, group, state.active.get(group), after)
                    return operation, InstructionState(constraints, witness)
                self._statistics.refuse(witness)
        return None

    def _candidates(
        self, kind: OperationKind, name: str, state: InstructionState, topic: Topic
    ) -> Iterator[Params | None]:
        if kind == "remove":
            yield None
            return
        group = get_group(name)
        others = {g: p for g, p in state.active.items() if g != name}
        context = DrawContext(topic.keywords, self._profile.pools[name], others)
        for _ in range(TRIES_PER_GROUP):
            before = state.active.get(name)
            params = (
                group.draw(self._stream, context) if before is None else group.modify(before, self._stream, context)
            )
            if params is None:
                return
            yield params

    def _witness(self, group: str, constraints: Instruction, state: InstructionState, topic: Topic) -> str | Refusal:
        if state.witness and get_group(group).subjective:
            return state.witness  # the rule-checked part did not change
        return build_witness(constraints, topic.keywords)


def _options(weights: Weights, active: int, free: list[str]) -> list[tuple[OperationKind, int]]:
    options: list[tuple[OperationKind, int]] = [("add", weights.add if free else 0), ("modify", weights.modify)]
    options.append(("remove", weights.remove if active > 1 else 0))
    usable = [(kind, weight) for kind, weight in options if weight]
    return usable or [("modify", 1)]


def _apply(constraints: Instruction, group: str, after: Params | None) -> Instruction:
    """The constraints after the operation; a modified one keeps its place."""
    if after is None:
        return tuple(c for c in constraints if c.group != group)
    changed = Constraint(group, after)
    if any(c.group == group for c in constraints):
        return tuple(changed if c.group == group else c for c in constraints)
    return (*constraints, changed)
