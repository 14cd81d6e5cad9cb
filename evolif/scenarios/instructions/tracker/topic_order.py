"""The order in which dialogues take their topics: one seeded permutation, in which each has a place of its own.

A dialogue's place depends on its number alone, so that dialogue 13 is the same alone, grown or extended. Places are a
block apart: no topic comes twice in a set as long as dialogues stay within their blocks. Once all blocks are taken,
the next dialogues go through them from behind, where most have topics left, and then another permutation begins.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Protocol

from evolif.scenarios.instructions.tracker.lives import Life
from evolif.scenarios.instructions.turns import Topic
from evolif.text import fold
from evolif.util.rng import Purpose, Stream

BLOCK = 8
"""Topics that lie between the places of two dialogues; a dialogue of thirty turns opens half as many."""
_SHARED_KEYWORDS = 4
"""Keywords that two topics have in common from which on they are nearly the same; the lint allows no more."""
_SHARED_WORDS = 0.5
"""The same of the words of both prompts, as a share."""
_FEWEST_WORDS = 10
"""Words of two prompts below which they tell too little to be compared."""


@dataclass(frozen=True, slots=True)
class OrderedTopics:
    """The topics of one dialogue in the order of a permutation.

    Args:
        catalogue: All topics, in the order of their files.
        seed: The benchmark's.
        dialogue: Its number, from 1.
        block: Topics between the places of two dialogues.
    """

    catalogue: tuple[Topic, ...]
    seed: int
    dialogue: int
    block: int = BLOCK

    def candidates(self) -> Iterator[Topic]:
        """The topics from the dialogue's place on."""
        places = max(1, len(self.catalogue) // self.block)
        lap, place = divmod(self.dialogue - 1, places)
        order = _permutation(len(self.catalogue), self.seed, lap // 2)
        start = place * self.block
        if lap % 2:  # the blocks once more, each from its end
            order, start = order[::-1], len(order) - start - self.block
        yield from (self.catalogue[at] for at in (*order[start:], *order[:start]))


@lru_cache(maxsize=64)
def _permutation(size: int, seed: int, lap: int) -> tuple[int, ...]:
    return tuple(Stream(seed, Purpose.TOPIC_ORDER, lap).sample(range(size), size))


def nearly_same(one: Topic, other: Topic) -> bool:
    """Whether two topics ask for nearly the same.

    Their keywords and the words of their prompts are compared as they stand, because what a stemmer of a library makes
    of them could change with its version, and with it the bytes of a set.
    """
    if len(_keywords(one.keywords) & _keywords(other.keywords)) >= _SHARED_KEYWORDS:
        return True
    mine, others = _words(one.prompt), _words(other.prompt)
    both = len(mine | others)
    return both >= _FEWEST_WORDS and len(mine & others) >= _SHARED_WORDS * both


@lru_cache(maxsize=4096)
def _keywords(keywords: tuple[str, ...]) -> frozenset[str]:
    return frozenset(map(fold, keywords))


@lru_cache(maxsize=4096)
def _words(prompt: str) -> frozenset[str]:
    return frozenset(fold(prompt).split())


class TopicDraw(Protocol):
    """How a dialogue gets its topics."""

    def can_take(self, taken: Sequence[Topic]) -> bool:
        """Whether there is another one for a dialogue with these."""

    def take(self, taken: Sequence[Topic]) -> Topic:
        """The next topic; only where there is one."""


@dataclass(frozen=True, slots=True)
class UniformDraw:
    """Draws any topic that the dialogue does not have, as the paper's state machine does.

    Args:
        catalogue: All topics.
        stream: Of the dialogue.
        choices: Percent of new topics that offer something to choose from; 0: as many as the catalogue has.
    """

    catalogue: tuple[Topic, ...]
    stream: Stream
    choices: int = 0

    def can_take(self, taken: Sequence[Topic]) -> bool:
        """Whether there is another one for a dialogue with these."""
        return len(taken) < len(self.catalogue)

    def take(self, taken: Sequence[Topic]) -> Topic:
        """The next topic; only where there is one."""
        known = {topic.id for topic in taken}
        fresh = [topic for topic in self.catalogue if topic.id not in known]
        if self.choices:
            wanted = self.stream.below(100) < self.choices
            fresh = [topic for topic in fresh if bool(topic.choices) == wanted] or fresh
        return self.stream.choice(fresh)


class FittingDraw:
    """Draws the next topic of the dialogue's order that fits the life of whoever asks, and none that was nearly there.

    Args:
        catalogue: All topics.
        life: Of the persona; what the topics presuppose is added to it.
        seed: The benchmark's.
        dialogue: Its number.
        stream: Of the dialogue.
        choices: As for `UniformDraw`.
    """

    def __init__(
        self, catalogue: tuple[Topic, ...], life: Life, seed: int, dialogue: int, stream: Stream, choices: int = 0
    ) -> None:
        self._life = life
        self._stream = stream
        self._choices = choices
        apart = [tuple(t for t in catalogue if bool(t.choices) == offers) for offers in (False, True)]
        if choices and all(apart):
            plain, offering = apart
            self._orders = {
                False: OrderedTopics(plain, seed, dialogue),
                True: OrderedTopics(offering, seed, dialogue, block=1),
            }
        else:
            self._orders = dict.fromkeys((False, True), OrderedTopics(catalogue, seed, dialogue))

    def can_take(self, taken: Sequence[Topic]) -> bool:
        """Whether there is another one for a dialogue with these; there is always a first one."""
        return not taken or any(self._fitting(order, taken) is not None for order in self._orders.values())

    def take(self, taken: Sequence[Topic]) -> Topic:
        """The next topic; only where there is one."""
        wanted = bool(self._choices) and self._stream.below(100) < self._choices
        topic = self._fitting(self._orders[wanted], taken) or self._fitting(self._orders[not wanted], taken)
        if topic is None:  # a catalogue of which nothing fits: the first topic is taken all the same
            topic = next(self._orders[False].candidates())
        self._life.add(topic)
        return topic

    def _fitting(self, order: OrderedTopics, taken: Sequence[Topic]) -> Topic | None:
        known = {topic.id for topic in taken}
        fitting = (topic for topic in order.candidates() if topic.id not in known and self._life.allows(topic))
        return next((topic for topic in fitting if not any(nearly_same(topic, other) for other in taken)), None)
