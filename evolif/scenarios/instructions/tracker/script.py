"""Scripts: the intentions of a dialogue's turns, without end, from a profile, topics, a seed and a dialogue number.

The topic layer chooses the topic of each turn: the same, a new one or an earlier one. The instruction layer changes
the topic's constraints, and redraws until the new instruction has a verified witness.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import count

from evolif.errors import UsageError
from evolif.scenarios.instructions.tracker.instruction import DrawStatistics, InstructionLayer, InstructionState
from evolif.scenarios.instructions.tracker.load import LoadOperations
from evolif.scenarios.instructions.tracker.load_layer import LoadLayer
from evolif.scenarios.instructions.tracker.profile import Profile, Visit
from evolif.scenarios.instructions.turns import Move, ScriptTurn, Topic
from evolif.util.rng import Purpose, Stream

MAX_REDRAWS = 1000


@dataclass(slots=True)
class OpenTopic:
    """A topic of the dialogue with its instruction."""

    topic: Topic
    state: InstructionState = field(default_factory=InstructionState)


class TopicLayer:
    """Chooses the topics of one dialogue and remembers their instructions.

    Attributes:
        visit: What is in force at the present turn; the caller exchanges it.
    """

    def __init__(self, visit: Visit, catalogue: tuple[Topic, ...], stream: Stream, choices: int = 0) -> None:
        self.visit = visit
        self._choices = choices
        """Percent of new topics that offer something to choose from; 0: as many as the catalogue has."""
        self._catalogue = catalogue
        self._stream = stream
        self._history: list[OpenTopic] = []
        self._left: list[int] = []
        """Earlier topics, the one left longest ago first."""
        self._current = -1
        self._stayed = 0

    def advance(self) -> tuple[Move, OpenTopic]:
        """The move and the topic of the next turn."""
        move = self._choose()
        if move != "continue" and self._history:
            self._left.append(self._current)
        if move == "new":
            taken = {t.topic.id for t in self._history}
            fresh = [t for t in self._catalogue if t.id not in taken]
            self._history.append(OpenTopic(self._stream.choice(self._of_kind(fresh))))
            self._current = len(self._history) - 1
        elif move == "backtrack":
            self._current = self._returned_to()
            self._left.remove(self._current)
        self._stayed = self._stayed + 1 if move == "continue" else 1
        return move, self._history[self._current]

    def _of_kind(self, fresh: list[Topic]) -> list[Topic]:
        """Those among which the new topic is drawn."""
        if not self._choices:
            return fresh
        wanted = self._stream.below(100) < self._choices
        return [topic for topic in fresh if bool(topic.choices) == wanted] or fresh

    def _returned_to(self) -> int:
        longest = self.visit.longest_absent  # the draw is left out at 0, so that older profiles keep their scripts
        if longest and self._stream.fraction() < longest:
            return self._left[0]
        return self._stream.choice([i for i in range(len(self._history)) if i != self._current])

    def _choose(self) -> Move:
        if not self._history:
            return "new"
        if self._stayed < self.visit.min_turns or self._stream.fraction() >= self.visit.switch:
            return "continue"
        can_open = len(self._history) < len(self._catalogue)
        can_return = len(self._history) > 1
        if can_open and can_return:
            return "new" if self._stream.fraction() < self.visit.new else "backtrack"
        if can_open:
            return "new"
        return "backtrack" if can_return else "continue"


@dataclass(frozen=True, slots=True)
class ScriptSpec:
    """Everything that a script depends on, except the dialogue's number."""

    profile: Profile
    topics: tuple[Topic, ...]
    seed: int


def raw_turns(spec: ScriptSpec, dialogue: int, stream: Stream, statistics: DrawStatistics) -> Iterator[ScriptTurn]:
    """The endless turns of the state machine, whether or not the dialogue is kept."""
    operations = spec.profile.operations
    instructions: InstructionLayer
    if isinstance(operations, LoadOperations):
        topics = TopicLayer(spec.profile.visit, spec.topics, stream, operations.choices.topics)
        instructions = LoadLayer(spec.profile, stream, statistics)
    else:
        topics = TopicLayer(spec.profile.visit, spec.topics, stream)
        instructions = InstructionLayer(spec.profile, stream, statistics)
    phases = spec.profile.phases()
    for number in count(1):
        if number in phases:
            instructions.profile, topics.visit = phases[number], phases[number].visit
        move, current = topics.advance()
        before = current.state
        change = instructions.change(number, before, current.topic)
        current.state = after = change.state
        yield ScriptTurn(
            dialogue=dialogue,
            turn=number,
            topic=current.topic,
            move=move,
            operations=change.operations,
            constraints=after.constraints,
            before=before.constraints,
            witness=after.witness,
            act=change.act,
        )


def script(spec: ScriptSpec, dialogue: int, statistics: DrawStatistics | None = None) -> Iterator[ScriptTurn]:
    """The turns of one dialogue, from turn 1, without end.

    A dialogue whose first turns hold too few constraints (paper §4.1) is redrawn from the same stream, so that dialogue
    numbers never shift.

    Args:
        spec: Profile, topics and seed.
        dialogue: The dialogue's number, from 1.
        statistics: Counts draws and refusals, if given.
    """
    stream = Stream(spec.seed, Purpose.SCRIPT, dialogue)
    statistics = statistics if statistics is not None else DrawStatistics()
    keep = spec.profile.keep
    for _ in range(MAX_REDRAWS):
        turns = raw_turns(spec, dialogue, stream, statistics)
        first = [next(turns) for _ in range(keep.turns)]
        if sum(len(t.constraints) for t in first) >= keep.min_mean_constraints * keep.turns:
            yield from first
            yield from turns
    raise UsageError("the profile keeps no dialogue: lower keep.min_mean_constraints")
