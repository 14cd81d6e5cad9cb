"""What people say around a demand: reasons (`seeds/reasons.yaml`) and small talk (`seeds/talk.yaml`)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from evolif.errors import InputError
from evolif.scenarios.instructions.constraints import Change
from evolif.scenarios.instructions.synthesis.plans import REGISTER_LETTERS
from evolif.scenarios.instructions.synthesis.style import OWN_REGISTERS
from evolif.util.resources import data_path, load_data

_TAGGED = re.compile(r"([a-zA-Z]{1,6})\|")
_TALK = ("first", "new", "back", "openers", "closers", "thanks", "fillers", "hedges")
_REASON_ACTS = frozenset({"state", "add", "adjust", "replace", "lift", "back"})
_POINTS = re.compile(r"\b(?:it|that)\b", re.IGNORECASE)
POINTS_FIRST = re.compile(r"(?:it|it's|it'll|they|that|that's|these|this)\b", re.IGNORECASE)
"""How a reason begins that points back at the demand, so that it has to follow it."""


@dataclass(frozen=True, slots=True)
class Reason:
    """One wording of a reason for a change."""

    kind: str
    text: str
    registers: frozenset[str]
    follows: bool
    """It can only stand behind the demand."""
    odd: bool = False
    """It names somebody nobody has mentioned, a bet, a game or superstition."""


@dataclass(frozen=True, slots=True)
class ReasonKind:
    """A kind of reason, and what it can motivate."""

    kind: str
    targets: frozenset[str]
    """Groups, `group.shape`, or `any`."""
    acts: frozenset[str]
    """Empty: every act by which something new comes into force."""
    step: int
    """1 or -1 if the new value has to be above or below the old one."""
    lines: tuple[Reason, ...]
    light: bool = False
    """It makes light of things: never beside a grave task."""

    @property
    def general(self) -> bool:
        """Whether it motivates anything."""
        return "any" in self.targets

    def motivates(self, group: str, act: str, change: Change) -> bool:
        """Whether somebody could ask for the change because of this.

        Args:
            group: The group that changes.
            act: The plan's act, `lift` also where a part of a constraint is given up.
            change: The change.
        """
        if not self.general and self.targets.isdisjoint((group, f"{group}.{change.shape}")):
            return False
        if self.step and self.step != change.step:
            return False
        if self.acts:
            return act in self.acts
        if act == "adjust" and not self.general:
            return change.shape != change.old_shape  # a reason for a small number is none for a larger one
        return act != "lift"


@lru_cache(maxsize=1)
def load_reasons() -> tuple[ReasonKind, ...]:
    """The packaged reasons.

    Raises:
        InputError: the file is broken.
    """
    return _listed("reasons")


@lru_cache(maxsize=1)
def telling_reasons() -> tuple[ReasonKind, ...]:
    """The packaged reasons for one kind of demand, which are given where persons are to fit.

    Raises:
        InputError: the file is broken.
    """
    return tuple(kind for kind in (*load_reasons(), *_listed("persons")) if not kind.general)


def _listed(section: str) -> tuple[ReasonKind, ...]:
    path = data_path("seeds", "reasons.yaml")
    data = load_data(path)
    try:
        return tuple(_kind(entry, path) for entry in data[section])
    except (LookupError, TypeError, AttributeError):
        raise InputError(f"needs “{section}”, a list with kind, for and lines", path=path) from None


def _kind(entry: Mapping[str, Any], path: Path) -> ReasonKind:
    kind, acts = str(entry["kind"]), frozenset(entry.get("acts", ()))
    if not acts <= _REASON_ACTS:
        raise InputError(f"{kind}: unknown act “{min(acts - _REASON_ACTS)}”", path=path)
    lines = []
    for line in entry["lines"]:
        tags, text = _tags(line)
        unknown = tags - REGISTER_LETTERS.keys() - {"F", "O"}
        if unknown:
            raise InputError(f"{kind}: unknown tag “{min(unknown)}” in “{line}”", path=path)
        registers = frozenset(REGISTER_LETTERS[tag] for tag in tags - {"F", "O"}) or frozenset(OWN_REGISTERS)
        # “It turns out nobody needs it” has to come after what “it” is.
        points = POINTS_FIRST.match(text) is not None or ("lift" in acts and _POINTS.search(text) is not None)
        follows = "F" in tags or points
        lines.append(Reason(kind, text, registers, follows, "O" in tags))
    step = {"up": 1, "down": -1, None: 0}[entry.get("step")]
    return ReasonKind(kind, frozenset(map(str, entry["for"])), acts, step, tuple(lines), entry.get("light") is True)


def _tags(line: str) -> tuple[frozenset[str], str]:
    match = _TAGGED.match(line)
    return (frozenset(match[1]), line[match.end() :]) if match else (frozenset(), line)


@dataclass(frozen=True, slots=True)
class SmallTalk:
    """The small talk of one register, by place."""

    first: tuple[str, ...]
    new: tuple[str, ...]
    back: tuple[str, ...]
    openers: tuple[str, ...]
    closers: tuple[str, ...]
    """Closers that fit everywhere."""
    staying: tuple[str, ...]
    """Closers that say that the rest stays."""
    thanks: tuple[str, ...]
    fillers: tuple[str, ...]
    hedges: tuple[str, ...]


@lru_cache(maxsize=1)
def _talk() -> Mapping[str, SmallTalk]:
    path = data_path("seeds", "talk.yaml")
    data = load_data(path)
    try:
        return {register: _small_talk(data["registers"][register]) for register in OWN_REGISTERS}
    except (LookupError, TypeError, AttributeError):
        places = ", ".join(_TALK)
        raise InputError(f"needs “registers”, and each of the five needs {places}", path=path) from None


def _small_talk(lists: Mapping[str, list[str]]) -> SmallTalk:
    texts = {place: tuple(map(str, lists[place])) for place in _TALK}
    closers = [_tags(line) for line in texts.pop("closers")]
    return SmallTalk(
        **texts,
        closers=tuple(text for tags, text in closers if not tags),
        staying=tuple(text for tags, text in closers if tags),
    )


def small_talk(register: str) -> SmallTalk:
    """The small talk of a register, of `neutral` if it has none.

    Raises:
        InputError: the packaged file is broken.
    """
    return _talk().get(register) or _talk()["neutral"]


def every_line() -> Iterator[tuple[str, str]]:
    """All reasons and all small talk, each with where it stands, for the lint."""
    for kind in (*load_reasons(), *_listed("persons")):
        yield from ((f"reasons.yaml, {kind.kind}", reason.text) for reason in kind.lines)
    for register in OWN_REGISTERS:
        talk = small_talk(register)
        for place in ("first", "new", "back", "openers", "closers", "staying", "thanks"):
            yield from ((f"talk.yaml, {register}.{place}", text) for text in getattr(talk, place))
