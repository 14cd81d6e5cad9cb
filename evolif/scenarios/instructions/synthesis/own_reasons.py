"""Reasons out of a person's own world: what this persona would say, or what lies in the nature of this task.

`personas/reasons.jsonl` has the lines of the packaged personas, `seeds/topic-reasons.jsonl` those of the packaged
topics. They are found by the persona's sentence and by the topic's title, because catalogues of users have ids of their
own. Who or what is not among them gives the reasons that everybody gives (`phrases.py`).

A line that begins with `odd:` names somebody nobody has mentioned, a bet, a game or superstition. Where persons are to
fit (`Profile.persons`) it is left out, and so are the lists that motivate anything: `any`, `detail` and `drop`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from evolif.scenarios.instructions.constraints import Change
from evolif.scenarios.instructions.synthesis.phrases import POINTS_FIRST, Reason
from evolif.scenarios.instructions.synthesis.style import OWN_REGISTERS
from evolif.scenarios.instructions.turns import Persona, Topic
from evolif.util.resources import data_path, read_catalogue, read_json_lines

Occasion = Literal["any", "shorter", "longer", "layout", "detail", "drop"]
OCCASIONS: tuple[Occasion, ...] = ("any", "shorter", "longer", "layout", "detail", "drop")
"""What the lines can motivate: any change, fewer words, more words, a layout, a detail of wording, a rule given up."""

_LENGTHS = frozenset({("bullets", "count"), ("bullets", "numbered"), ("headings", "count"), ("sentences", "max_words")})
"""Counts that make a text shorter or longer where they change; those of `length` do so, too."""
_UPPER_BOUNDS = frozenset({("length", "less"), ("sentences", "max_words")})
_LOWER_BOUNDS = frozenset({("length", "more")})
_LAYOUTS = frozenset(
    {("bullets", "count"), ("bullets", "numbered"), ("headings", "count"), ("emphasis", "count")}
    | {("format", "table")}
)
"""Nobody pins HTML to a wall."""
TELLING: tuple[Occasion, ...] = ("shorter", "longer", "layout")
"""Occasions whose lines are about the very demand."""
_ODD = "odd:"
_DETAILS = frozenset({"start_with", "end_with", "existence", "forbidden", "placement", "punctuation", "case", "digits"})

_POINTS = re.compile(r"\b(?:it|this|that|so|such|these|those|them|either|otherwise)\b", re.IGNORECASE)

_Line = Annotated[str, Field(min_length=3, max_length=160)]
_Lines = Annotated[tuple[_Line, ...], Field(max_length=12)]


class _Entry(BaseModel):
    """The lines of one persona or topic as stored."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    id: Annotated[str, Field(min_length=1, max_length=40)]
    any_: Annotated[_Lines, Field(alias="any")] = ()
    shorter: _Lines = ()
    longer: _Lines = ()
    layout: _Lines = ()
    detail: _Lines = ()
    drop: _Lines = ()

    def lines(self) -> Iterator[tuple[Occasion, str]]:
        for occasion in OCCASIONS:
            yield from ((occasion, text) for text in getattr(self, "any_" if occasion == "any" else occasion))

    def texts(self) -> Iterator[tuple[Occasion, str]]:
        """The lines as they are said."""
        return ((occasion, line.removeprefix(_ODD).strip()) for occasion, line in self.lines())


@dataclass(frozen=True, slots=True)
class OwnReasons:
    """The reasons of one persona or of one task."""

    owner: str
    by_occasion: Mapping[Occasion, tuple[Reason, ...]]

    def of(self, occasion: Occasion) -> tuple[Reason, ...]:
        """The lines for an occasion; none if it has none."""
        return self.by_occasion.get(occasion, ())

    def about(self, occasion: Occasion) -> tuple[Reason, ...]:
        """The lines for an occasion that are about the very demand and not odd; none for a general occasion."""
        return tuple(reason for reason in self.of(occasion) if not reason.odd) if occasion in TELLING else ()


def occasion_of(group: str, cause: str, change: Change) -> Occasion:
    """The most telling occasion of a change; `any` where nothing else fits.

    Args:
        group: The group that changes.
        cause: The plan's act, `lift` also where a part of a constraint is given up.
        change: The change.
    """
    if cause == "lift":
        return "drop"
    kind = (group, change.shape)
    if direction := _direction(kind, change):
        return direction
    if kind in _LAYOUTS:
        return "layout"
    return "detail" if group in _DETAILS else "any"


def _direction(kind: tuple[str, str], change: Change) -> Literal["shorter", "longer"] | None:
    """Whether the change asks for less or more text than before; None where it does not say."""
    if change.step:
        if kind[0] != "length" and kind not in _LENGTHS:
            return None
        if change.step < 0:
            return None if kind in _LOWER_BOUNDS else "shorter"  # a lower minimum asks for nothing
        return None if kind == ("sentences", "max_words") else "longer"
    if change.shape == change.old_shape:
        return None  # another unit: nobody knows which is less
    if kind in _UPPER_BOUNDS:
        return "shorter"
    return "longer" if kind in _LOWER_BOUNDS else None


def persona_reasons(persona: Persona) -> OwnReasons | None:
    """The reasons of a packaged persona; None for others."""
    return _by_name("personas").get(persona.sentence)


def task_reasons(topic: Topic) -> OwnReasons | None:
    """The reasons that belong to a packaged topic; None for others."""
    return _by_name("topics").get(topic.title) if topic.title else None


_FILES = {
    "personas": (("personas", "reasons.jsonl"), ("personas", "personas.jsonl"), "sentence"),
    "topics": (("seeds", "topic-reasons.jsonl"), ("seeds", "topics.jsonl"), "title"),
}
"""Where the lines are, which catalogue they belong to, and the field by which an entry is found."""


@lru_cache(maxsize=2)
def _by_name(catalogue: str) -> Mapping[str, OwnReasons]:
    """The reasons of a catalogue's entries.

    Raises:
        InputError: a line of the file is not an entry, or an id is used twice.
    """
    lines, entries, name = _FILES[catalogue]
    names = _names(data_path(*entries), name)
    found = (_reasons(entry) for entry in _entries(data_path(*lines)))
    return {names[reasons.owner]: reasons for reasons in found if reasons.owner in names}


def _names(path: Path, name: str) -> Mapping[str, str]:
    """A field of a catalogue's entries, by id."""
    entries = (data for _, data in read_json_lines(path) if isinstance(data, dict))
    return {str(data["id"]): str(data[name]) for data in entries}


def _entries(path: Path) -> tuple[_Entry, ...]:
    return read_catalogue(path, _Entry.model_validate, "entry with reasons")


def _reasons(entry: _Entry) -> OwnReasons:
    by_occasion: dict[Occasion, list[Reason]] = {}
    for occasion, line in entry.lines():
        text, odd = line.removeprefix(_ODD).strip(), line.startswith(_ODD)
        listed = by_occasion.setdefault(occasion, [])
        # What is given up has to be named before somebody says why, and what “that” is before somebody asked for it.
        points = POINTS_FIRST.match(text) or (occasion in ("any", "detail") and _POINTS.search(text))
        follows = occasion == "drop" or points is not None
        listed.append(Reason(f"{entry.id}/{occasion}/{len(listed)}", text, frozenset(OWN_REGISTERS), follows, odd))
    return OwnReasons(entry.id, {occasion: tuple(listed) for occasion, listed in by_occasion.items()})


def every_own_line() -> Iterator[tuple[str, str, str, str]]:
    """All lines with their file, id and occasion, for the lint; also those of ids that no catalogue has."""
    for lines, _, _ in _FILES.values():
        path = data_path(*lines)
        for entry in _entries(path):
            yield from ((str(path), entry.id, occasion, text) for occasion, text in entry.texts())


def unknown_owners() -> Iterator[tuple[str, str]]:
    """Files and ids of lines that belong to nobody in the packaged catalogues."""
    for lines, entries, name in _FILES.values():
        known = _names(data_path(*entries), name)
        path = data_path(*lines)
        yield from ((str(path), entry.id) for entry in _entries(path) if entry.id not in known)
