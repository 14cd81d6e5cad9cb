"""What an observer of a run is told; a display, a budget's ledger and a stop rule all read these."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal

from evolif.types import Ending, Usage

Role = Literal["target", "judge", "synthesizer", "checker", "runner"]
"""In whose name a model was asked, or who failed; `runner` is this program."""


@dataclass(frozen=True, slots=True)
class SessionKey:
    """Which conversation."""

    model: str
    dialogue: int
    epoch: int


@dataclass(frozen=True, slots=True)
class Spent:
    """What one role's calls of one model came to."""

    role: Role
    model: str
    usage: Usage
    calls: int = 1


@dataclass(frozen=True, slots=True)
class RunStarted:
    """The store is open and the first call is to come."""

    sessions: Mapping[str, int]
    """Per model, the sessions of this run that were asked for."""
    ended: Mapping[str, int]
    """Per model, how many of them had ended before."""


@dataclass(frozen=True, slots=True)
class SessionStarted:
    """A session is taken up, for the first time or again."""

    key: SessionKey
    turns: int
    """Turns that it has already."""


@dataclass(frozen=True, slots=True)
class TurnStored:
    """A turn was judged and is durable."""

    key: SessionKey
    turn: int
    patience: int
    """What is left after the turn."""
    satisfied: bool | None
    """Whether the turn's judged constraints all hold; None where none was judged."""
    spent: tuple[Spent, ...] = ()
    """What answer and verdicts cost, since the session's last event."""
    seconds: float = 0.0
    """From the request to the answer, the wait for a place included."""


@dataclass(frozen=True, slots=True)
class TurnWorded:
    """A missing turn of the benchmark was made for the session that needed it first."""

    dialogue: int
    turn: int
    spent: tuple[Spent, ...]


@dataclass(frozen=True, slots=True)
class FaultMet:
    """Something outside failed; it never counts against the model."""

    key: SessionKey
    turn: int
    role: Role
    kind: str
    message: str
    spent: tuple[Spent, ...] = ()


@dataclass(frozen=True, slots=True)
class SessionEnded:
    """A session ended, was suspended, or was kept from beginning."""

    key: SessionKey
    turn: int
    """Turns that it has."""
    patience: int
    ending: Ending | None
    """None where it was kept from beginning: it has no turn and enters no figure."""
    cause: str
    """One word or two: `patience`, `cap`, `context`, `content filter`, `provider`, `access`, `judge`, `synthesizer`,
    `benchmark`, `internal`, or what a `Gate` says (`budget`, `stop rule`)."""
    reason: str
    """A sentence."""


@dataclass(frozen=True, slots=True)
class ModelStopped:
    """No further session of the model is asked: its endpoint lets this key and name do nothing."""

    model: str
    reason: str


@dataclass(frozen=True, slots=True)
class CallsInFlight:
    """Calls of one role and model that are in flight, back-offs before a repeat included."""

    role: Role
    model: str
    calls: int
    longest: float
    """Seconds since the oldest of them began."""


@dataclass(frozen=True, slots=True)
class StillWaiting:
    """Told every few seconds, whatever happens, so that nobody has to wonder whether anything does."""

    calls: tuple[CallsInFlight, ...]
    """In flight in this process; those of a cluster are not known here."""


Event = StillWaiting | RunStarted | SessionStarted | TurnStored | TurnWorded | FaultMet | SessionEnded | ModelStopped
Observer = Callable[[Event], None]
"""Called in the loop that plays the sessions; it must return at once."""


def nobody(event: Event) -> None:
    """The observer that looks at nothing."""
