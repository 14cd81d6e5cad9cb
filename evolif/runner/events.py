"""The events of a run, as an observer receives them; the progress display and the stop rule read them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from evolif.models import Waiting
from evolif.types import Ending, Role, Seat, Spent


@dataclass(frozen=True, slots=True)
class SessionKey:
    """Identifies a session."""

    model: str
    dialogue: int
    epoch: int


@dataclass(frozen=True, slots=True)
class RunStarted:
    """The store is open; no call has been made yet."""

    sessions: Mapping[str, int]
    """Per model, the sessions of this run."""
    ended: Mapping[str, int]
    """Per model, how many of them have already ended."""


@dataclass(frozen=True, slots=True)
class SessionStarted:
    """A session begins or is resumed."""

    key: SessionKey
    turns: int
    """Stored turns."""


@dataclass(frozen=True, slots=True)
class TurnStored:
    """A turn is judged and durable."""

    key: SessionKey
    turn: int
    patience: int | None
    """Patience after the turn; None in a session without patience."""
    satisfied: bool | None
    """Whether all judged constraints of the turn hold; None if none was judged."""
    spent: tuple[Spent, ...] = ()
    """Calls since the session's last event."""
    seconds: float = 0.0
    """From the request to the answer, including the wait for a slot."""
    seat: Seat = "target"
    """Who answered; `turn` counts only turns of the model under test."""


@dataclass(frozen=True, slots=True)
class TurnWorded:
    """A missing turn of the benchmark was generated."""

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
    """A session ended, was suspended, or never began."""

    key: SessionKey
    turn: int
    """Number of its turns."""
    patience: int | None
    ending: Ending | None
    """None if it never began: it has no turn and enters no figure."""
    cause: str
    """One or two words: `patience`, `cap`, `context`, `content filter`, `provider`, `access`, `wait`, `judge`,
    `synthesizer`, `benchmark`, `internal`, or the cause of a policy's `Deny` (`budget`, `stop rule`)."""
    reason: str
    """A sentence."""


@dataclass(frozen=True, slots=True)
class ModelStopped:
    """No further session of the model is played: its endpoint refuses this key or name."""

    model: str
    reason: str


@dataclass(frozen=True, slots=True)
class CallsInFlight:
    """Calls in flight of one role and model, including back-offs."""

    role: Role
    model: str
    calls: int
    longest: float
    """Seconds since the oldest of them began."""
    attempt: int = 1
    """Which attempt of the oldest is under way, or waited for."""
    attempts: int | None = None
    """How many it has at most; None if unknown."""
    timeout: float | None = None
    """Seconds that one attempt may take; None if unknown."""


@dataclass(frozen=True, slots=True)
class StillWaiting:
    """Sent every few seconds as a sign of life."""

    calls: tuple[CallsInFlight, ...]
    """Only those of this process; calls in cluster processes are unknown here."""
    held: tuple[tuple[str, Waiting], ...] = ()
    """Per model, calls of this process that are held back for some seconds."""


Event = StillWaiting | RunStarted | SessionStarted | TurnStored | TurnWorded | FaultMet | SessionEnded | ModelStopped
Observer = Callable[[Event], None]
"""Called in the event loop that plays the sessions; it must return at once."""


def nobody(event: Event) -> None:
    """Ignore the event."""
