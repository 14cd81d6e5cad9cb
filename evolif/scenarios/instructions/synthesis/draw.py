"""The draws of one turn: from every list the next entry that fits, so that a set uses all of it evenly."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Literal, TypeVar
from zlib import crc32

from evolif.scenarios.instructions.partition import ALL_WORDINGS, Wordings
from evolif.scenarios.instructions.synthesis.own_reasons import OwnReasons, persona_reasons, task_reasons
from evolif.scenarios.instructions.synthesis.plans import beginning_of, echoes
from evolif.scenarios.instructions.synthesis.style import TypingStyle, style_of
from evolif.scenarios.instructions.synthesis.tone import is_flippant, is_grave
from evolif.scenarios.instructions.turns import Persona, Topic
from evolif.util.rng import Stream

T = TypeVar("T")
Motive = Literal["none", "line", "plan"]
"""How a reason is given: not at all, as a line beside the demand, by a plan that brings it."""

MEMORY = 8
"""Turns within which a dialogue does not begin in the same way."""
_GOLDEN = 0.6180339887498949
_FAVOURITE = 0.6
"""How often a persona's own words are taken where the register has some, too."""
_LONG = 4
"""Words from which on a dialogue does not say small talk twice."""
_OWN_LONG = 3
"""The same of a persona's own words, which are noticed sooner."""


@dataclass(slots=True)
class DrawMemory:
    """What a dialogue has used so far."""

    used: set[str] = field(default_factory=set)
    places: dict[str, int] = field(default_factory=dict)
    """How far each list has been gone through."""
    beginnings: deque[str] = field(default_factory=lambda: deque(maxlen=MEMORY))
    turns: int = 0


@dataclass(slots=True)
class Draw:
    """The draws of one turn."""

    order: Callable[[str, int], Sequence[int]]
    """The order in which the set goes through a list of that name and length."""
    dialogue: int
    topic: Topic
    persona: Persona
    stream: Stream
    memory: DrawMemory
    persons: bool = False
    """Whether words and reasons are to fit who asks (`Profile.persons`)."""
    wordings: Wordings = ALL_WORDINGS
    motive: Motive = "none"
    """How a reason is given, where persons are to fit."""
    said: set[str] = field(default_factory=set)
    """What the turn has said so far, to avoid echoes."""
    style: TypingStyle = field(init=False)
    grave: bool = field(init=False)

    def __post_init__(self) -> None:
        self.style = style_of(self.persona)
        self.grave = is_grave(self.topic)

    def in_tone(self, text: str) -> bool:
        """Whether a text may stand beside the task."""
        return not (self.grave and is_flippant(text))

    def own_reasons(self, *, persona_first: bool = True) -> tuple[OwnReasons, ...]:
        """The persona's and the task's reasons; beside a grave task nobody has whims, so only those of the task."""
        mine, task = None if self.grave else persona_reasons(self.persona), task_reasons(self.topic)
        ordered = (mine, task) if persona_first else (task, mine)
        return tuple(reasons for reasons in ordered if reasons is not None)

    def gives_line(self) -> bool:
        """Whether a reason is given beside a plan that brings none."""
        return self.motive == "line" if self.persons else self.says(self.style.reason)

    def rings_new(self, text: str) -> bool:
        """Whether a sentence repeats no telling word of the turn."""
        return self.said.isdisjoint(echoes(text))

    def next(
        self, kind: str, options: Sequence[T], accepted: Callable[[T], bool] = lambda _: True, *, parts: bool = False
    ) -> T | None:
        """The next accepted option of a list, from where the dialogue is in it; None if none is accepted.

        Args:
            kind: The list.
            options: What is in it.
            accepted: Whether an option fits.
            parts: They are parts of sentences with their slots filled, chosen by their side before.
        """
        options = options if parts else self.wordings.of(options)
        size = len(options)
        if not size:
            return None
        order, at = self.order(kind, size), self.memory.places.get(kind)
        if at is None:
            at = int((self.dialogue * _GOLDEN + crc32(kind.encode()) / 2**32) % 1 * size)
        for step in range(size):
            option = options[order[(at + step) % size]]
            if accepted(option):
                self.memory.places[kind] = at + step + 1
                if not parts:
                    self.wordings.note(option)
                return option
        return None

    def says(self, share: float) -> bool:
        """Whether something with this share is said."""
        return self.stream.fraction() < share

    def words(
        self, kind: str, stock: Sequence[str], own: Sequence[str], *, opens: bool = False, asks: bool = True
    ) -> str:
        """One of the persona's own words or the register's.

        One that opens is not one of the last turns', and only where it may ask is it a question.
        """
        begun, used = self.memory.beginnings, self.memory.used

        def fresh(text: str) -> bool:
            if text in used or not self.rings_new(text) or (text.endswith("?") and not asks):
                return False
            return self.in_tone(text) and (not opens or beginning_of(text) not in begun)

        if self.grave:
            own = ()  # a flourish that nobody else has is out of place here
        favourite = bool(own) and (not stock or self.says(_FAVOURITE))
        lists = [(f"{kind}/own/{'|'.join(own)}", own), (kind, stock)]
        for name, options in lists if favourite else reversed(lists):
            found = self.next(name, options, fresh)
            if found is not None:
                if len(found.split()) >= (_LONG if options is stock else _OWN_LONG):
                    used.add(found)
                self.said |= echoes(found)
                return found
        return ""
