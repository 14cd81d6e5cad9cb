"""Scripts: the intentions of a dialogue's turns, without end, from a profile, topics, a seed and a dialogue number.

The topic layer chooses the topic of each turn: the same, a new one or an earlier one. The instruction layer changes
the topic's constraints, and redraws until the new instruction has a verified witness.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import count
from zlib import crc32

from evolif.errors import UsageError
from evolif.scenarios.instructions.partition import Side
from evolif.scenarios.instructions.synthesis import persona_for
from evolif.scenarios.instructions.tracker.instruction import DrawStatistics, InstructionLayer, InstructionState
from evolif.scenarios.instructions.tracker.lives import Life, load_facts
from evolif.scenarios.instructions.tracker.load import LoadOperations
from evolif.scenarios.instructions.tracker.load_layer import LoadLayer
from evolif.scenarios.instructions.tracker.profile import Profile, Stay, Visit
from evolif.scenarios.instructions.tracker.topic_order import FittingDraw, TopicDraw, UniformDraw
from evolif.scenarios.instructions.turns import Move, Persona, ScriptTurn, Topic
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

    def __init__(self, visit: Visit, draw: TopicDraw, stream: Stream, persona: Persona | None = None) -> None:
        self.visit = visit
        self._draw = draw
        self._stream = stream
        self._persona = persona
        self._length = 0
        """Turns that the present visit lasts, where these are drawn when it begins."""
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
            self._history.append(OpenTopic(self._draw.take(self._taken())))
            self._current = len(self._history) - 1
        elif move == "backtrack":
            self._current = self._returned_to()
            self._left.remove(self._current)
        if move != "continue" and self.visit.stay is not None:
            self._length = _length_of(self.visit.stay, self._persona, self._stream)
        self._stayed = self._stayed + 1 if move == "continue" else 1
        return move, self._history[self._current]

    @property
    def left(self) -> OpenTopic | None:
        """The topic that the last move left; None where there was none."""
        return self._history[self._left[-1]] if self._left else None

    def _taken(self) -> list[Topic]:
        return [opened.topic for opened in self._history]

    def _returned_to(self) -> int:
        longest = self.visit.longest_absent  # the draw is left out at 0, so that older profiles keep their scripts
        if longest and self._stream.fraction() < longest:
            return self._left[0]
        return self._stream.choice([i for i in range(len(self._history)) if i != self._current])

    def _choose(self) -> Move:
        if not self._history:
            return "new"
        if self._stays():
            return "continue"
        can_open = self._draw.can_take(self._taken())
        can_return = len(self._history) > 1
        if can_open and can_return:
            return "new" if self._stream.fraction() < self.visit.new else "backtrack"
        if can_open:
            return "new"
        return "backtrack" if can_return else "continue"

    def _stays(self) -> bool:
        if self.visit.stay is not None:
            return self._stayed < self._length
        return self._stayed < self.visit.min_turns or self._stream.fraction() >= self.visit.switch


def _length_of(stay: Stay, persona: Persona | None, stream: Stream) -> int:
    """How long a visit lasts: from turn to turn it goes on with the same probability, that of the persona's mean."""
    low, high = stay.mean
    mean = low + (high - low) * Stream(Purpose.VISITS, crc32(persona.id.encode()) if persona else 0).fraction()
    length = 1
    while length < stay.most and stream.fraction() >= 1 / mean:
        length += 1
    return max(length, stay.least)


@dataclass(frozen=True, slots=True)
class ScriptSpec:
    """Everything that a script depends on, except the dialogue's number."""

    profile: Profile
    topics: tuple[Topic, ...]
    seed: int
    personas: tuple[Persona, ...] = ()
    """Who asks; only needed where topics have to fit them, and visits are as long as they like."""
    side: Side | None = None
    """Of the partition, whose kinds of constraints alone are drawn; topics and personas are the caller's choice."""

    def persona(self, dialogue: int) -> Persona | None:
        """Who asks in a dialogue; None without personas."""
        return persona_for(self.personas, self.seed, dialogue) if self.personas else None

    def draw(self, dialogue: int, stream: Stream) -> TopicDraw:
        """How a dialogue gets its topics."""
        operations, persona = self.profile.operations, self.persona(dialogue)
        choices = operations.choices.topics if isinstance(operations, LoadOperations) else 0
        if not self.profile.persons or persona is None:
            return UniformDraw(self.topics, stream, choices)
        return FittingDraw(self.topics, Life(persona, load_facts()), self.seed, dialogue, stream, choices)


def raw_turns(spec: ScriptSpec, dialogue: int, stream: Stream, statistics: DrawStatistics) -> Iterator[ScriptTurn]:
    """The endless turns of the state machine, whether or not the dialogue is kept."""
    topics = TopicLayer(spec.profile.visit, spec.draw(dialogue, stream), stream, spec.persona(dialogue))
    by_load = isinstance(spec.profile.operations, LoadOperations)
    instructions = (LoadLayer if by_load else InstructionLayer)(spec.profile, stream, statistics, spec.side)
    phases = spec.profile.phases()
    for number in count(1):
        if number in phases:
            instructions.profile, topics.visit = phases[number], phases[number].visit
        move, current = topics.advance()
        before = current.state
        left = topics.left if move == "new" else None
        change = instructions.change(number, before, current.topic, left.state if left is not None else None)
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
