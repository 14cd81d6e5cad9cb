"""Scripts: endless, and a pure function of (specification, seed, dialogue, turn)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from evolif._errors import UsageError
from evolif._stream import Stream
from evolif.domain import ScriptTurn, Topic
from evolif.tracker._instruction import DrawStatistics, Evolver
from evolif.tracker._profile import Profile
from evolif.tracker._topics import TopicLayer

_PURPOSE = 1
"""Separates the script's stream from those of persona and wording."""

MAX_REDRAWS = 1000


@dataclass(frozen=True, slots=True)
class ScriptSpec:
    """All that a script depends on, beside the dialogue's number."""

    profile: Profile
    topics: tuple[Topic, ...]
    seed: int


def raw_turns(spec: ScriptSpec, dialogue: int, stream: Stream, statistics: DrawStatistics) -> Iterator[ScriptTurn]:
    """The state machine, before any dialogue is dropped; endless."""
    layer = TopicLayer(spec.profile.visit, spec.topics, stream)
    evolver = Evolver(spec.profile, stream, statistics)
    number = 0
    while True:
        number += 1
        move, topic = layer.advance()
        before = topic.state
        operation, topic.state = evolver.evolve(before, topic.topic)
        yield ScriptTurn(
            dialogue,
            number,
            topic.topic,
            move,
            operation,
            topic.state.constraints,
            before.constraints,
            topic.state.witness,
        )


def script(spec: ScriptSpec, dialogue: int, statistics: DrawStatistics | None = None) -> Iterator[ScriptTurn]:
    """The turns of one dialogue, from turn 1, without end.

    Dialogues whose first turns hold too few constraints (paper §4.1) are redrawn inside the dialogue's own stream, so
    that numbers never shift.

    Args:
        spec: Profile, topics and seed.
        dialogue: The dialogue's number, from 1.
        statistics: Counts draws and refusals, where given.
    """
    stream = Stream(spec.seed, _PURPOSE, dialogue)
    statistics = statistics if statistics is not None else DrawStatistics()
    keep = spec.profile.keep
    for _ in range(MAX_REDRAWS):
        turns = raw_turns(spec, dialogue, stream, statistics)
        first = [next(turns) for _ in range(keep.turns)]
        if sum(len(t.constraints) for t in first) >= keep.min_mean_constraints * keep.turns:
            yield from first
            yield from turns
    raise UsageError("the profile keeps no dialogue: lower keep.min_mean_constraints")
