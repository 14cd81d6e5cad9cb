"""The instruction layer: how a topic's constraints change, one a turn, each time with a verified witness."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import chain, islice

from evolif.errors import InternalError
from evolif.scenarios.instructions.constraints import DrawContext, get_group
from evolif.scenarios.instructions.constraints.compatibility import is_closed
from evolif.scenarios.instructions.partition import Side, kind_of, side_of_kind
from evolif.scenarios.instructions.tracker.choice import Choice, Suiting
from evolif.scenarios.instructions.tracker.profile import Operations, Profile
from evolif.scenarios.instructions.turns import (
    Constraint,
    Instruction,
    Operation,
    OperationKind,
    Params,
    Topic,
    TurnAct,
)
from evolif.scenarios.instructions.witness import Refusal, build_witness
from evolif.util.rng import Stream

TRIES_PER_GROUP = 16
"""Draws of parameters before another group is tried; enough to keep the mix of groups close to the profile."""

DRAWS_FOR_FRESH = 8 * TRIES_PER_GROUP
"""Draws of parameters in search of values that were not given up; a draw is cheap beside a witness."""


@dataclass(slots=True)
class DrawStatistics:
    """The cost of the rule that every turn has a witness."""

    turns: int = 0
    draws: int = 0
    refused: dict[tuple[str, ...], int] = field(default_factory=dict)
    """Refused draws, by the groups that exclude each other."""
    group_changed: int = 0
    kind_changed: int = 0

    def refuse(self, refusal: Refusal) -> None:
        groups = tuple(sorted(refusal.groups))
        self.refused[groups] = self.refused.get(groups, 0) + 1


@dataclass(frozen=True, slots=True)
class InstructionState:
    """A topic's constraints and the text that satisfies them."""

    constraints: Instruction = ()
    witness: str = ""
    changed: str = ""
    """The group that was changed last."""
    given_up: Mapping[str, tuple[Params, ...]] = field(default_factory=dict)
    """What was in force earlier, by group."""

    @property
    def active(self) -> dict[str, Params]:
        return {c.group: c.params for c in self.constraints}


@dataclass(frozen=True, slots=True)
class DrawRound:
    """An operation to try, and the groups in their order."""

    kind: OperationKind
    groups: list[str]
    fresh: bool = False
    """Only with values that were not given up."""


@dataclass(frozen=True, slots=True)
class InstructionChange:
    """What a turn does to its topic's instruction."""

    act: TurnAct
    operations: tuple[Operation, ...]
    state: InstructionState
    """After it."""


class InstructionLayer:
    """Changes the instructions of one dialogue by the weights of a profile.

    Attributes:
        profile: What is in force at the present turn; the caller exchanges it.
    """

    tries = TRIES_PER_GROUP

    def __init__(self, profile: Profile, stream: Stream, statistics: DrawStatistics, side: Side | None = None) -> None:
        self.profile = profile
        self._side = side
        """Of the partition, whose kinds alone are drawn; None for all kinds."""
        self._stream = stream
        self._statistics = statistics
        self._choice = profile.choice or Choice()
        self._suiting: dict[str, Suiting] = {}
        """By topic."""
        self._changed = ""
        """The group that the turn before changed, in whatever topic."""
        self._owed = 0
        """Modifies that became adds, less adds that became modifies; made up for, so that the mix stays."""

    def change(
        self, number: int, state: InstructionState, topic: Topic, left: InstructionState | None = None
    ) -> InstructionChange:
        """What the turn of that number changes.

        Args:
            number: Of the turn.
            state: The topic's, before it.
            topic: Its topic.
            left: That of the topic which the turn leaves for a new one; None on any other turn.
        """
        operation, after = self.evolve(state, topic)
        return InstructionChange("change", (operation,), after)

    def evolve(self, state: InstructionState, topic: Topic) -> tuple[Operation, InstructionState]:
        """Exactly one operation, and the state after it.

        Raises:
            InternalError: no operation has a witness, which the compatibility table should prevent.
        """
        self._statistics.turns += 1
        active = state.active
        free = [g for g in self.profile.groups if g not in active and not is_closed(g, active)]
        kinds = self._kinds(len(state.constraints), free)
        drawn = kinds[0]
        due = self._due(state) if drawn == "add" and "modify" in kinds else ()
        for round_ in chain(due, self._rounds(kinds, free, state)):
            found = self._draw(round_, state, topic)
            if found is not None:
                self._statistics.kind_changed += round_.kind != drawn
                if self._choice.no_return:
                    self._owed += (drawn, round_.kind) == ("modify", "add")
                    self._owed -= (drawn, round_.kind) == ("add", "modify")
                self._changed = found[0].group
                return found
        raise InternalError(f"no operation with a witness was found for topic {topic.id}; please report the seed")

    def _kinds(self, active: int, free: list[str]) -> list[OperationKind]:
        """The kind that is drawn, then the others in case none of its operations has a witness."""
        if not active:
            return ["add"]
        operations = self.profile.operations
        assert isinstance(operations, Operations)  # for others there is another layer
        if active == len(self.profile.groups):
            weights = operations.full
        elif not free:
            weights = operations.none_free
        else:
            weights = operations.one if active == 1 else operations.between
        weighted: list[tuple[OperationKind, int]] = [
            ("add", weights.add if free else 0),
            ("modify", weights.modify),
            ("remove", weights.remove if active > 1 else 0),
        ]
        options = [option for option in weighted if option[1]] or [("modify", 1)]
        first = self._stream.weighted(options)
        return [first, *(kind for kind, _ in options if kind != first)]

    def _order(self, kind: OperationKind, groups: list[str]) -> list[str]:
        """The groups in the order in which they are tried."""
        preferences = self.profile.preferences
        if not preferences:
            return self._stream.sample(groups, len(groups))
        left = [(group, preferences.get(group, 1)) for group in groups]
        order = []
        while left:
            chosen = self._stream.weighted(left)
            order.append(chosen)
            left = [option for option in left if option[0] != chosen]
        return order[::-1] if kind == "remove" else order

    def _rounds(self, kinds: list[OperationKind], free: list[str], state: InstructionState) -> Iterator[DrawRound]:
        """What to try in turn: first by all rules of choice, then by fewer, for a turn where nothing else is open."""
        again: list[DrawRound] = []
        for kind in kinds:
            order = self._order(kind, free if kind == "add" else [c.group for c in state.constraints])
            rounds = self._by_change(kind, order, state)
            if kind != "remove" and self._choice.no_return:
                yield from (replace(round_, fresh=True) for round_ in rounds)
                if (
                    kind == kinds[0] == "modify" and "add" in kinds
                ):  # rather another constraint than back and forth between values
                    again = rounds
                    continue
            yield from rounds
            yield from again
            again = []

    def _due(self, state: InstructionState) -> Iterator[DrawRound]:
        """A modify that is owed, of a group that the turn before left alone."""
        if self._owed > 0:
            others = [c.group for c in state.constraints if c.group not in (state.changed, self._changed)]
            yield DrawRound("modify", self._order("modify", others), fresh=True)

    def _by_change(self, kind: OperationKind, order: list[str], state: InstructionState) -> list[DrawRound]:
        """The groups, for a modify without those that were changed last; then that of the turn before."""
        if kind != "modify" or not self._choice.other_group:
            return [DrawRound(kind, order)]
        late = (state.changed, self._changed)  # differ when the dialogue has just come back to the topic
        order = sorted(order, key=lambda group: late.index(group) + 1 if group in late else 0)
        at = len(order) - (self._changed in order)
        return [DrawRound(kind, part) for part in (order[:at], order[at:]) if part]

    def _draw(
        self, round_: DrawRound, state: InstructionState, topic: Topic
    ) -> tuple[Operation, InstructionState] | None:
        kind = round_.kind
        for number, group in enumerate(round_.groups):
            candidates = self._candidates(kind, group, state, topic)
            if round_.fresh:
                candidates = self._fresh(candidates, group, state)
            for after in islice(candidates, self.tries):
                self._statistics.draws += 1
                constraints = apply_change(state.constraints, group, after)
                witness = self._witness(group, constraints, state, topic)
                if not isinstance(witness, Refusal):
                    self._statistics.group_changed += number > 0
                    before = state.active.get(group)
                    given_up = state.given_up
                    if before is not None and self._choice.no_return:
                        given_up = {**given_up, group: (*given_up.get(group, ()), before)}
                    return Operation(kind, group, before, after), InstructionState(
                        constraints, witness, group, given_up
                    )
                self._statistics.refuse(witness)
                if self._is_hopeless(witness):
                    break
        return None

    def _is_hopeless(self, refusal: Refusal) -> bool:
        """Whether no further parameters of the group are tried."""
        return False

    def _candidates(
        self, kind: OperationKind, name: str, state: InstructionState, topic: Topic
    ) -> Iterator[Params | None]:
        if kind == "remove":
            yield None
            return
        group = get_group(name)
        others = {g: p for g, p in state.active.items() if g != name}
        suiting = self._suiting_of(topic)
        context = DrawContext(
            topic.keywords,
            self.profile.pools[name],
            others,
            suiting.weights,
            suiting.spared,
            suiting.uncounted,
            topic.choices,
        )
        before = state.active.get(name)
        draw = group.draw if before is None else partial(group.modify, before)
        for _ in range(DRAWS_FOR_FRESH):
            params = draw(self._stream, context)
            if params is None:
                return
            if self._side is None or side_of_kind(name, kind_of(name, params)) in (self._side, None):
                yield params

    def _fresh(
        self, candidates: Iterator[Params | None], name: str, state: InstructionState
    ) -> Iterator[Params | None]:
        """Those that ask for nothing that was given up."""
        before = state.active.get(name)
        given_up = state.given_up.get(name, ()) if before is None else (*state.given_up.get(name, ()), before)
        group = get_group(name)
        return (p for p in candidates if p is None or not group.takes_back(p, before, given_up))

    def _suiting_of(self, topic: Topic) -> Suiting:
        if topic.id not in self._suiting:
            self._suiting[topic.id] = self._choice.for_topic(topic)
        return self._suiting[topic.id]

    def _witness(self, group: str, constraints: Instruction, state: InstructionState, topic: Topic) -> str | Refusal:
        if state.witness and get_group(group).subjective:
            return state.witness  # the rule-checked constraints did not change
        return build_witness(constraints, topic.keywords)


def apply_change(constraints: Instruction, group: str, after: Params | None) -> Instruction:
    """The constraints after the operation; a modified one keeps its place."""
    if after is None:
        return tuple(c for c in constraints if c.group != group)
    changed = Constraint(group, after)
    if any(c.group == group for c in constraints):
        return tuple(changed if c.group == group else c for c in constraints)
    return (*constraints, changed)
