"""The topic layer: continue, open a new topic, or go back to an earlier one."""

from __future__ import annotations

from dataclasses import dataclass, field

from evolif._stream import Stream
from evolif.domain import Move, Topic
from evolif.tracker._instruction import InstructionState
from evolif.tracker._profile import Visit


@dataclass(slots=True)
class TopicInPlay:
    """A topic of the dialogue with its own instruction."""

    topic: Topic
    state: InstructionState = field(default_factory=InstructionState)


class TopicLayer:
    """The history of topics of one dialogue."""

    def __init__(self, visit: Visit, catalogue: tuple[Topic, ...], stream: Stream) -> None:
        self._visit = visit
        self._catalogue = catalogue
        self._stream = stream
        self._history: list[TopicInPlay] = []
        self._current = -1
        self._stayed = 0

    def advance(self) -> tuple[Move, TopicInPlay]:
        """Choose the topic of the next turn."""
        move = self._choose()
        if move == "new":
            taken = {t.topic.id for t in self._history}
            fresh = [t for t in self._catalogue if t.id not in taken]
            self._history.append(TopicInPlay(self._stream.choice(fresh)))
            self._current = len(self._history) - 1
        elif move == "backtrack":
            self._current = self._stream.choice([i for i in range(len(self._history)) if i != self._current])
        self._stayed = self._stayed + 1 if move == "continue" else 1
        return move, self._history[self._current]

    def _choose(self) -> Move:
        if not self._history:
            return "new"
        if self._stayed < self._visit.min_turns or self._stream.fraction() >= self._visit.switch:
            return "continue"
        can_open = len(self._history) < len(self._catalogue)
        can_return = len(self._history) > 1
        if can_open and can_return:
            return "new" if self._stream.fraction() < self._visit.new else "backtrack"
        if can_open:
            return "new"
        return "backtrack" if can_return else "continue"
