"""What a session that is played in another process writes to the run, and what it is told back.

A session never waits for two things at once, so each letter has one answer. Keys are in none of them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from evolif.domain import Turn, Usage
from evolif.protocol._events import Event, Spent
from evolif.protocol._opened import Calling
from evolif.protocol._settings import RunSettings
from evolif.protocol._turnstile import PlannedCall
from evolif.protocol.store import Entry


@dataclass(frozen=True, slots=True)
class Errand:
    """What a process has to know before its first session."""

    settings: RunSettings
    specs: Mapping[str, str]
    """Per model its name as it was given, which tells the variable of its key and not the key."""
    calling: Calling
    judges: tuple[str, ...]
    gated: bool
    """Whether the run asks for every call to be let through."""


@dataclass(frozen=True, slots=True)
class Kept:
    """Entries that are to be durable before the session goes on."""

    entries: tuple[Entry, ...]


@dataclass(frozen=True, slots=True)
class TurnWanted:
    """The next turn of a dialogue."""

    dialogue: int
    number: int


@dataclass(frozen=True, slots=True)
class Judged:
    """An answer that only the run's judges can tell."""

    turn: Turn
    answer: str


@dataclass(frozen=True, slots=True)
class CallPlanned:
    """A call that is about to be made."""

    call: PlannedCall


@dataclass(frozen=True, slots=True)
class Over:
    """The session is at its end, or the run is being stopped."""

    fault: Exception | None


Wish = Kept | TurnWanted | Judged | CallPlanned | Over


@dataclass(frozen=True, slots=True)
class Letter:
    """One wish, and what happened since the last letter."""

    wish: Wish
    events: tuple[Event, ...] = ()
    told: tuple[Usage | None, ...] = ()
    """Of the calls that were let through and are over."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What became of a wish, and who is to stop."""

    value: Any = None
    fault: Exception | None = None
    cause: Exception | None = None
    """The fault's own, which pickling would lose."""
    spent: tuple[Spent, ...] = ()
    everybody: bool = False
    barred: frozenset[str] = frozenset()
