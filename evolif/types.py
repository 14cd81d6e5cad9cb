"""The vocabulary of conversations, shared by all packages: frozen dataclasses without dependencies on other modules.

What instruction following adds is in `evolif.scenarios.instructions.turns`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any, Literal

DEFAULT_RESAMPLES = 2_000
"""Draws behind an interval that needs some, where nothing else is requested."""


@dataclass(frozen=True, slots=True)
class Span:
    """A half-open range `[start, end)` in characters of the content or of the body."""

    start: int
    end: int
    view: Literal["content", "body"] = "content"


@dataclass(frozen=True, slots=True)
class Verdict:
    """A checker's result for one constraint: satisfied, failed, or (`None`) not judged."""

    group: str
    satisfied: bool | None
    expected: str
    found: str
    spans: tuple[Span, ...] = ()


@dataclass(frozen=True, slots=True)
class Image:
    """A picture in a message."""

    data: bytes = field(repr=False)
    """The file's content."""
    media_type: str
    """Of the file, such as `image/png`."""
    digest: str = ""
    """SHA-256 of the data in hexadecimal; worked out if empty."""

    def __post_init__(self) -> None:
        if not self.digest:
            object.__setattr__(self, "digest", sha256(self.data).hexdigest())


@dataclass(frozen=True, slots=True)
class Message:
    """One message of a conversation."""

    role: Literal["system", "user", "assistant"]
    content: str
    images: tuple[Image, ...] = ()
    """Shown after the text; only a user's message has any."""


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens that a call used, as the provider reported them."""

    prompt_tokens: int = 0
    completion_tokens: int = 0
    """Everything that was written, reasoning included."""
    cached_tokens: int = 0
    """Those of the prompt that the provider took from its own cache; 0 if it does not say."""
    reasoning_tokens: int = 0
    """Those of the completion that are reasoning; 0 if the provider does not say."""
    image_tokens: int = 0
    """Those of the prompt that stand for images; 0 if the provider does not say."""

    @property
    def tokens(self) -> int:
        """Tokens of prompt and answer together."""
        return self.prompt_tokens + self.completion_tokens

    def __add__(self, other: Usage) -> Usage:
        return Usage(
            self.prompt_tokens + other.prompt_tokens,
            self.completion_tokens + other.completion_tokens,
            self.cached_tokens + other.cached_tokens,
            self.reasoning_tokens + other.reasoning_tokens,
            self.image_tokens + other.image_tokens,
        )


Role = Literal["target", "partner", "judge", "context", "synthesizer", "checker", "runner"]
"""The role that makes a call, or that failed; `runner` is this program."""


@dataclass(frozen=True, slots=True)
class Spent:
    """Calls of one model in one role, and their tokens."""

    role: Role
    model: str
    usage: Usage
    """As far as it is known."""
    calls: int = 1
    unknown: int = 0
    """How many of the calls have an unknown usage, which is missing in `usage`."""
    bound: int = 0
    """The most tokens that these may have used."""
    booked: bool = False
    """Whether the run's file has it already."""


Seat = Literal["target", "partner"]
"""Who speaks: the model under test, or its partner, which is another model or a scripted player."""
Label = str | int


@dataclass(frozen=True, slots=True)
class Prompt:
    """What a seat is asked."""

    dialogue: int
    turn: int
    """From 1, over all seats."""
    messages: tuple[Message, ...]
    """New since the seat last spoke; the last one is the user's."""
    seat: Seat = "target"
    payload: Mapping[str, Any] = field(default_factory=dict)
    """The scenario's own data, as JSON values: stored, shown to simulated players, never sent to a model."""
    labels: Mapping[str, Label] = field(default_factory=dict)
    """What figures are broken down by."""
    fixed: bool = True
    """Whether it is the same whatever was answered before."""
    max_tokens: int | None = None
    """The longest answer; None for the run's setting."""
    digest: str = ""
    """Changes with everything that the answer is judged by; worked out from the other fields if empty."""

    @property
    def query(self) -> str:
        """The text of the last message, the user's."""
        return self.messages[-1].content


@dataclass(frozen=True, slots=True)
class Exchange:
    """A prompt with its answer, and what was heard of it."""

    prompt: Prompt
    answer: str
    """As received."""
    heard: str
    """What the others hear of it, and what later calls show of it: the answer, or a part of it."""
    notes: Mapping[str, Any] = field(default_factory=dict)
    """What a context strategy learnt at this turn."""
    truncated: bool = False
    """Whether the answer stopped at its longest length."""
    messages: tuple[Message, ...] = field(init=False, repr=False, compare=False)
    """What a later call of the same seat shows of it in full: the same objects in every call."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "messages", (*self.prompt.messages, Message("assistant", self.heard)))


RELEVANCE = "relevance"
"""The score that says whether an answer is about its task (1 or 0), and the verdict where that counts."""
CREDIT = "credit"
"""The score that says what share of a turn was satisfied (0 to 1) where requirements weigh differently; without it they
all weigh the same."""


@dataclass(frozen=True, slots=True)
class Score:
    """A number given to an answer. Verdicts drive patience, scores drive metrics."""

    name: str
    value: float | None
    """None if it could not be scored."""
    expected: str = ""
    found: str = ""


TOLD = "told"
"""The score, with a slash and the name of a requirement, that says whether it holds (1 or 0) after the person said that
it was missed."""
REPAIR = "repair"
"""The score, with a slash and a number from 1, that says whether everything holds (1 or 0) in the n-th repair of a
failed turn."""

Feedback = Literal["none", "remark", "repair"]
"""How the person reacts to answers: not at all, with a remark on a failed one, or by asking for it again."""
FEEDBACK: tuple[Feedback, ...] = ("none", "remark", "repair")
CapCounts = Literal["turns", "judged"]
"""What a cap counts: every turn of the model under test, or those in which something was judged."""
Ending = Literal["finished", "censored", "suspended", "withheld"]


@dataclass(frozen=True, slots=True)
class End:
    """Why a dialogue goes no further."""

    ending: Literal["finished", "censored"]
    cause: str
    """One or two words; `patience` is kept for exhausted patience, the event of survival."""
    reason: str
    """A sentence."""


@dataclass(frozen=True, slots=True)
class JudgedTurn:
    """One answered turn of a session, as metrics read it."""

    turn: int
    verdicts: tuple[Verdict, ...]
    labels: Mapping[str, Label] = field(default_factory=dict)
    """Those of its prompt."""
    scores: tuple[Score, ...] = ()
    seat: Seat = "target"
    """Only turns of the target count; those of the partner are here for metrics over whole dialogues."""
    asked: str = ""
    """The digest of its prompt, where sessions are asked different ones in the same turn; empty if unknown."""

    @property
    def judged(self) -> tuple[bool, ...]:
        """The verdicts that were reached; empty if nothing was judged."""
        return tuple(v.satisfied for v in self.verdicts if v.satisfied is not None)


@dataclass(frozen=True, slots=True)
class Session:
    """One model's conversation over one dialogue, as far as it got."""

    model: str
    dialogue: int
    epoch: int
    patience: int | None
    """Failed turns in a row that end it; None if it has no patience."""
    ending: Ending | None
    """None while the session runs."""
    reason: str = ""
    turns: Sequence[JudgedTurn] = ()
    cause: str = ""
    """Why it ended, in one or two words: `patience`, `cap`, …"""
    later: Sequence[JudgedTurn] = field(default=(), compare=False)
    """Where `turns` were cut at exhausted patience, the turns that were played after it."""
    cap: int | None = None
    """The most judged turns that it could have: the N of ISR@N. None: as many as the longest session given has."""
