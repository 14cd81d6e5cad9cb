"""The instruction layer of profiles whose operations follow the load: several adds at once, all replaced, and so on."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import product

from evolif.errors import InternalError
from evolif.scenarios.instructions.constraints import get_group
from evolif.scenarios.instructions.constraints.compatibility import find_conflict, is_closed
from evolif.scenarios.instructions.tracker.instruction import (
    TRIES_PER_GROUP,
    DrawRound,
    InstructionChange,
    InstructionLayer,
    InstructionState,
)
from evolif.scenarios.instructions.tracker.load import LoadKind, LoadOperations, at_turn, in_random_order, number_of
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

_HOPELESS = 3
"""Refusals in a row for the same reason after which a group is given up."""
_LEAST_CARRIED = 2
"""Demands of a topic from which on somebody says that the same hold for the next one."""
_TOPIC_BOUND = frozenset({"existence", "forbidden", "choice"})
"""Groups whose values are words of one topic, which nobody would ask of the next one."""
_Made = tuple[tuple[Operation, ...], InstructionState]


class LoadLayer(InstructionLayer):
    """Changes the instructions of one dialogue by a profile's operations by load."""

    tries = 8
    _refused: tuple[str, tuple[str, ...]] = ("", ())
    _in_a_row = 0
    _is_fresh = True
    """Whether only values are drawn that were not given up, as long as there are some."""
    _is_proven = True
    """Whether what is drawn gets a witness; of several constraints that come at once, the last one proves all."""
    _last: frozenset[str] = frozenset()
    """The groups that the turn before changed, in whatever topic."""

    @property
    def _load(self) -> LoadOperations:
        operations = self.profile.operations
        assert isinstance(operations, LoadOperations)  # raw_turns makes the layer that fits the profile
        return operations

    def change(
        self, number: int, state: InstructionState, topic: Topic, left: InstructionState | None = None
    ) -> InstructionChange:
        """What the turn of that number changes.

        Raises:
            InternalError: no operation has a witness, which the compatibility table should prevent.
        """
        self._statistics.turns += 1
        if left is not None and self._load.carry and self._stream.below(100) < self._load.carry:
            made = self._carried(left, topic)
            if made is not None:
                return self._done("carry", made)
        if not state.constraints:
            numbers = self._load.numbers
            weights = numbers.first if number == 1 else at_turn(numbers.topic, number)
            made = self._state(state, topic, number_of(weights, self._stream))
            if made is not None:
                return self._done("state", made)
        kinds = self._kinds_at(number, state) if state.constraints else []
        for tried, (self._is_fresh, kind) in enumerate(product((True, False), kinds)):
            made = self._made(kind, number, state, topic)
            self._is_fresh = True
            if made is not None:
                self._statistics.kind_changed += tried > 0
                return self._done("replace_all" if kind == "replace" else "change", made)
        raise InternalError(f"no operation with a witness was found for topic {topic.id}; please report the seed")

    def _done(self, act: TurnAct, made: _Made) -> InstructionChange:
        operations, state = made
        self._last = frozenset(operation.group for operation in operations)
        return InstructionChange(act, operations, state)

    def _kinds_at(self, number: int, state: InstructionState) -> list[LoadKind]:
        """The kind that is drawn, then the others in case none of its operations has a witness."""
        load, active = self._load, len(state.constraints)
        weights = dict(load.kind_weights(number, load.target(number) - active))
        if "choice" in state.active:  # beside which there is hardly anything to add
            weights = {"add": 0, "modify": weights["modify"], "remove": 0, "replace": sum(weights.values())}
        elif active == 1:
            weights |= {"remove": 0, "replace": 0}
        if active >= load.most:
            weights["add"] = 0
        options = [(kind, weight) for kind, weight in weights.items() if weight]
        first = self._stream.weighted(options)
        return [first, *(kind for kind, _ in options if kind != first)]

    def _made(self, kind: LoadKind, number: int, state: InstructionState, topic: Topic) -> _Made | None:
        numbers, stream = self._load.numbers, self._stream
        if kind == "add":
            missing = self._load.target(number) - len(state.constraints)
            several = number_of(numbers.add_far if missing >= numbers.far else numbers.add, stream)
            return self._added(state, topic, min(several, self._load.most - len(state.constraints)))
        if kind == "replace":
            heavy = self._load.target(number) >= numbers.heavy
            return self._replaced(state, topic, number_of(numbers.replace_heavy if heavy else numbers.replace, stream))
        return self._changed_one(kind, state, topic)

    def _state(self, state: InstructionState, topic: Topic, several: int) -> _Made | None:
        """The demands of a topic that has none: now and then to choose from what its task offers."""
        if topic.choices and self._stream.below(100) < self._load.choices.stated:
            made = self._one("add", "choice", state, topic)
            if made is not None:
                return (made[0],), made[1]
        return self._added(state, topic, several)

    def _carried(self, left: InstructionState, topic: Topic) -> _Made | None:
        """The demands of the topic that was left, for the new one, where all of them suit it and there are several."""
        unsuited = {group for group, kinds in self._load.unsuited.items() if topic.kind in kinds}
        groups = {constraint.group for constraint in left.constraints}
        named = any("noun" in one.params for one in left.constraints)  # “5 steps” are not what every task has
        if named or len(groups) < _LEAST_CARRIED or groups & (unsuited | _TOPIC_BOUND):
            return None
        witness = build_witness(left.constraints, topic.keywords)
        if isinstance(witness, Refusal):
            return None
        operations = tuple(Operation("add", one.group, None, one.params) for one in left.constraints)
        return operations, InstructionState(left.constraints, witness, operations[-1].group)

    def _added(self, state: InstructionState, topic: Topic, several: int) -> _Made | None:
        """So many constraints more, or fewer where no more go together."""
        for number in range(several, 0, -1):
            made = self._added_at_once(state, topic, number)
            if made is not None:
                return made
        return None

    def _added_at_once(self, state: InstructionState, topic: Topic, several: int) -> _Made | None:
        operations: list[Operation] = []
        for number in range(several):
            self._is_proven = number == several - 1
            made = self._first_of("add", self._next_groups(state, topic), state, topic)
            self._is_proven = True
            if made is None:
                return None
            operations.append(made[0])
            state = made[1]
        return tuple(operations), state

    def _next_groups(self, state: InstructionState, topic: Topic) -> Iterator[str]:
        """The groups for an add in the order in which they are tried: now and then first those that a judge checks."""
        judged = self._load.judged
        if judged is not None and self._stream.below(100) < judged.share:
            yield from in_random_order(self._open_of(judged.weights, judged.unsuited, state, topic), self._stream)
        yield from in_random_order(self._open_groups(state, topic), self._stream)

    def _witness(self, group: str, constraints: Instruction, state: InstructionState, topic: Topic) -> str | Refusal:
        if self._is_proven and self._load.judged is None:
            return super()._witness(group, constraints, state, topic)
        conflict = find_conflict({c.group: c.params for c in constraints})
        if conflict is not None:
            return Refusal("awkward", conflict.code, conflict.groups)
        return super()._witness(group, constraints, state, topic) if self._is_proven else ""

    def _open_groups(self, state: InstructionState, topic: Topic) -> list[tuple[str, int]]:
        """The groups that may be added, with their weights."""
        return self._open_of(self._load.weights, self._load.unsuited, state, topic)

    @staticmethod
    def _open_of(
        weights: Mapping[str, int], unsuited: Mapping[str, tuple[str, ...]], state: InstructionState, topic: Topic
    ) -> list[tuple[str, int]]:
        active = state.active
        return [
            (group, weight)
            for group, weight in weights.items()
            if group not in active
            and group != "choice"
            and topic.kind not in unsuited.get(group, ())
            and not is_closed(group, active)
        ]

    def _replaced(self, state: InstructionState, topic: Topic, several: int) -> _Made | None:
        """New constraints in place of all."""
        gone = state.active
        given_up = {**state.given_up, **{g: (*state.given_up.get(g, ()), params) for g, params in gone.items()}}
        made = self._state(InstructionState(given_up=given_up), topic, several)
        if made is None:
            return None
        new = {operation.group: operation for operation in made[0]}
        if any(gone.get(group) == one.after for group, one in new.items()):
            return None  # where all other values were given up
        removed = [Operation("remove", group, params, None) for group, params in gone.items() if group not in new]
        stated = [
            Operation("modify", group, gone[group], one.after) if group in gone else one for group, one in new.items()
        ]
        return (*removed, *stated), made[1]

    def _changed_one(self, kind: OperationKind, state: InstructionState, topic: Topic) -> _Made | None:
        """A modification or a removal, of a group that the turn before left alone where there is one."""
        groups = self._stream.sample([c.group for c in state.constraints], len(state.constraints))
        late = self._last | {state.changed}
        made = self._first_of(kind, sorted(groups, key=late.__contains__), state, topic)
        return None if made is None else ((made[0],), made[1])

    def _first_of(
        self, kind: OperationKind, groups: Iterable[str], state: InstructionState, topic: Topic
    ) -> tuple[Operation, InstructionState] | None:
        """The operation on the first of the groups that can be changed so."""
        for tried, group in enumerate(groups):
            made = self._one(kind, group, state, topic)
            if made is not None:
                self._statistics.group_changed += tried > 0
                return made
        return None

    def _one(
        self, kind: OperationKind, group: str, state: InstructionState, topic: Topic
    ) -> tuple[Operation, InstructionState] | None:
        self._in_a_row = 0
        made = self._draw(DrawRound(kind, [group], fresh=kind != "remove" and self._is_fresh), state, topic)
        return made if made is None or made[0].after is None else _as_read(*made)

    def _is_hopeless(self, refusal: Refusal) -> bool:
        """Where two groups exclude each other whatever they ask for, the others have the weight."""
        now = (refusal.code, tuple(refusal.groups))
        self._in_a_row = self._in_a_row + 1 if now == self._refused else 1
        self._refused = now
        return self._in_a_row >= _HOPELESS

    def _candidates(
        self, kind: OperationKind, name: str, state: InstructionState, topic: Topic
    ) -> Iterator[Params | None]:
        before = state.active.get(name, {})
        step = self.profile.number_step
        if kind == "modify" and step and isinstance(before.get("count"), int):
            near = (near_number(before, step, self._stream) for _ in range(TRIES_PER_GROUP))
            yield from (params for params in near if params is not None)
        yield from super()._candidates(kind, name, state, topic)


def _as_read(operation: Operation, state: InstructionState) -> tuple[Operation, InstructionState]:
    """The same with the parameters in the order in which they are read back."""
    group = operation.group
    params = get_group(group).adapter.validate_python(dict(operation.after or {})).model_dump()
    constraints = tuple(Constraint(group, params) if c.group == group else c for c in state.constraints)
    return replace(operation, after=params), replace(state, constraints=constraints)


_ROUND = {100: 10, 25: 5}
"""From such a number on, numbers are moved by tens or fives."""


def near_number(params: Params, percent: int, stream: Stream) -> Params | None:
    """The same with its number, or both, moved by at most so many percent, and by at least one; None if it has no room.

    >>> near_number({"count": 3}, 20, Stream(0))["count"] in (2, 4)
    True
    """
    count: int = params["count"]
    step = next((step for least, step in _ROUND.items() if count >= least), 1)
    reach = max(1, count * percent // 100 // step)
    moved = step * stream.between(1, reach) * (1 if stream.below(2) else -1)
    if count + moved < 1:
        return None
    return {name: value + moved if name in ("count", "upper") else value for name, value in params.items()}
