"""Small talk: what the friend writes where a problem stands otherwise, as long as the problem and not judged.

A message is the first sentence of a topic, some of the others in their order, and a question that a short answer will
do for. The topics are those of `seeds/broadcast/talk.yaml`; none has to do with a match.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, Final

from evolif.errors import InputError
from evolif.scenarios.broadcast.arguments import whole
from evolif.util.resources import data_path, load_data
from evolif.util.rng import Purpose, Stream

SHORTEST, LONGEST = 120, 2_000
"""Lengths that can be asked for, in characters."""
MOST_SENTENCES: Final = 10
_TOPIC: Final = 450
"""Characters that one topic is good for, more than a problem has; longer messages have several topics."""
_JOINED: Final = " Oh, and something else. "
_CLOSE: Final = 0.05
"""Messages this close to the length wanted are drawn from, if there are any; otherwise the closest one is taken."""
_KEY: Final = int.from_bytes(b"talk", "big")


@dataclass(frozen=True, slots=True)
class TalkTopic:
    """What the friend may say on one matter."""

    said: tuple[str, ...]
    ask: tuple[str, ...]


def small_talk(number: int, length: int, *, seed: int) -> str:
    """Write one message: a pure function.

    Args:
        number: Which message, at least 0; messages that follow each other are on different topics.
        length: How many characters it should have, within 15 %.
        seed: Of the series; at least 0.

    Raises:
        ArgumentError: an argument is no whole number, or out of range.
    """
    whole("number", number, 0)
    whole("length", length, SHORTEST, LONGEST)
    whole("seed", seed, 0)
    parts = -(-length // _TOPIC)
    share = (length - (parts - 1) * len(_JOINED)) // parts
    stream = Stream(seed, Purpose.BROADCAST, _KEY, number)
    order = _order(seed, number // len(read_topics()))
    first = number % len(order)
    places = ((first + at * len(order) // parts) % len(order) for at in range(parts))
    return _JOINED.join(_message(order[place], share, stream) for place in places)


@lru_cache(maxsize=1)
def read_topics() -> tuple[TalkTopic, ...]:
    """All topics.

    Raises:
        InputError: the data file is none.
    """
    path = data_path("seeds", "broadcast", "talk.yaml")
    return topics_of(load_data(path), path)


def topics_of(data: Any, path: Path) -> tuple[TalkTopic, ...]:
    """Check what the data file holds.

    Args:
        data: A list of `{said: [...], ask: [...]}`.
        path: Where it comes from.

    Raises:
        InputError: it is no such list, or a topic has too many sentences.
    """
    if not isinstance(data, list) or not data:
        raise InputError("this is no list of topics; write one, each with said and ask", path=path)
    return tuple(
        TalkTopic(_sentences(one, "said", at, path), _sentences(one, "ask", at, path)) for at, one in enumerate(data)
    )


def _sentences(topic: Any, key: str, at: int, path: Path) -> tuple[str, ...]:
    values = topic.get(key) if isinstance(topic, dict) else None
    if not isinstance(values, list) or not 0 < len(values) <= MOST_SENTENCES:
        raise InputError(f"topic {at + 1}: {key} must list 1 to {MOST_SENTENCES} sentences; mend it", path=path)
    if not all(isinstance(value, str) and value.strip() for value in values):
        raise InputError(f"topic {at + 1}: {key} lists something else than a sentence; mend it", path=path)
    return tuple(values)


def _message(at: int, length: int, stream: Stream) -> str:
    lengths, chosen = _messages(at)
    low = bisect_left(lengths, round(length * (1 - _CLOSE)))
    high = bisect_right(lengths, round(length * (1 + _CLOSE)))
    if low < high:
        pick = low + stream.below(high - low)
    else:
        pick = min(range(max(low - 1, 0), min(low + 1, len(lengths))), key=lambda one: abs(lengths[one] - length))
    said, ask = chosen[pick]
    topic = read_topics()[at]
    return " ".join([*(one for bit, one in enumerate(topic.said) if said >> bit & 1), topic.ask[ask]])


@lru_cache(maxsize=128)
def _messages(at: int) -> tuple[list[int], list[tuple[int, int]]]:
    """All messages on a topic, the shortest first: their lengths; which sentences (as bits) and which question."""
    topic = read_topics()[at]
    found = [
        (sum(len(one) + 1 for bit, one in enumerate(topic.said) if said >> bit & 1) + len(question), said, ask)
        for said in range(
            1, 1 << len(topic.said), 2
        )  # the first sentence, which says what it is about, is always there
        for ask, question in enumerate(topic.ask)
    ]
    found.sort()
    return [one[0] for one in found], [(one[1], one[2]) for one in found]


@lru_cache(maxsize=16)
def _order(seed: int, turn: int) -> list[int]:
    """In which order the topics come, once each."""
    topics = len(read_topics())
    return Stream(seed, Purpose.BROADCAST, _KEY, 0, turn).sample(range(topics), topics)
