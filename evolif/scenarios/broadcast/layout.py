"""Layout of a dialogue: which turns a task has, and which rows come with each of them.

A period's rows come in five parts; with each part the friend asks for the score, in instruction following once for a
sentence instead. After the rows come the questions of the break. The settings change how the rows are cut, when
questions are asked, or what stands between two parts; the questions themselves stay the same.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Final, Literal

from pydantic import BaseModel, ConfigDict, Field, SerializerFunctionWrapHandler, ValidationError, model_serializer

from evolif.errors import ArgumentError
from evolif.scenarios.broadcast.clock import BASKETBALL, Sport
from evolif.scenarios.broadcast.match import EDITION, FIRST, MatchEdition
from evolif.scenarios.broadcast.rows import split_rows
from evolif.util.resources import complaint

TASKS: Final = ("IF", "CR", "IR", "TS")
"""Instruction following, context retrieval, information reasoning, task switching."""
PARTS: Final = 5
"""Of a period, unless chosen otherwise."""
MOST_PARTS: Final = 80
"""So that no part is without rows: a period has more of them."""
INTERLUDES: Final = 3
"""Problems of a period, one after the other."""
LATER: Final = 2
"""Turns from the sentence to the summary."""
_SENTENCE_AFTER: Final = 4
"""The sentence comes with the fourth of five parts."""
_INTERLUDES_AFTER: Final = 3
"""The problems come after the third of five parts."""
_BREAK: Final = 3
"""Questions of a break."""
_BREAK_HOCKEY_FORMAT: Final = 2
"""The same in instruction following, in hockey."""
_ONLY: Final[Mapping[str, tuple[str, ...]]] = {
    "ask_after": ("CR", "IR"),
    "whole": ("CR", "IR"),
    "switch": ("TS",),
    "pair": ("CR",),
}
"""The tasks that have a setting; others are for all of them."""
_EXCLUSIVE: Final = (("whole", "chunks"), ("whole", "ask_after"), ("ask_after", "pair"))


class DialogueSettings(BaseModel):
    """The settings of dialogues: the series, and what a comparison varies."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    series: Annotated[
        str, Field(max_length=90, description="Which series a match is of; two series have no match in common.")
    ] = ""
    chunks: Annotated[
        int | None,
        Field(
            ge=1,
            le=MOST_PARTS,
            description="Parts in which the rows of a period come; if given, every answer about the score is judged. "
            "None for five.",
        ),
    ] = None
    ask_after: Annotated[
        int | None,
        Field(
            ge=1, description="CR and IR: ask about the first period only, after this one. None to ask in every break."
        ),
    ] = None
    whole: Annotated[
        bool, Field(description="CR and IR: all rows in one message, then the same questions one after another.")
    ] = False
    switch: Annotated[
        Literal["math", "chat", "none"],
        Field(description="TS: what stands between two parts: problems, small talk of the same length, or nothing."),
    ] = "math"
    pair: Annotated[
        Literal["", "anchored", "interval"],
        Field(description="CR: ask for the same evidence as an anchored event, or as the end of an interval."),
    ] = ""
    chain_of_thought: Annotated[
        bool, Field(description="Ask the model to think before each answer, in tags that count for nothing.")
    ] = False
    match_edition: MatchEdition = EDITION

    @model_serializer(mode="wrap")
    def _as_stored(self, serialize: SerializerFunctionWrapHandler) -> dict[str, Any]:
        """Settings of the first edition do not name it: they keep the bytes that they had."""
        stored: dict[str, Any] = serialize(self)
        if self.match_edition == FIRST:
            del stored["match_edition"]
        return stored


@dataclass(frozen=True, slots=True)
class LayoutTurn:
    """One turn of a layout.

    Attributes:
        kind: `S`, `K`, `M`, `C`; empty for a question of a break.
        period: The one that is played, or that was played last.
        rows: Which rows come with it, as (period, first row, row after the last).
        part: Which part of its period that is, from 1; 0 if no rows come, or those of a whole match.
        judged: Whether the answer is judged.
        asked: The break that the question is of, by its period, and which one it is there, from 0.
        place: Of a `K`, `M` or `C` among those of the match, from 0; the same whatever the settings.
        summary: Whether the answer also has to bring the summary.
    """

    kind: str
    period: int
    judged: bool
    rows: tuple[tuple[int, int, int], ...] = ()
    part: int = 0
    asked: tuple[int, int] | None = None
    place: int = 0
    summary: bool = False


def settings_of(task: str, sport: Sport, given: Mapping[str, Any]) -> DialogueSettings:
    """The settings of a dialogue, complete.

    Args:
        task: One of `TASKS`.
        sport: What is played.
        given: Those that were chosen.

    Raises:
        ArgumentError: there is no such setting, a value does not fit, or the task has no such variant.
    """
    try:
        settings = DialogueSettings.model_validate(dict(given))
    except ValidationError as fault:
        known = ", ".join(DialogueSettings.model_fields)
        problem = complaint(fault, "")
        raise ArgumentError(f"the settings of a dialogue do not fit: {problem}; there are {known}") from None
    defaults = DialogueSettings.model_fields
    varied = {name for name in defaults if getattr(settings, name) != defaults[name].default}
    for name, tasks in _ONLY.items():
        if name in varied and task not in tasks:
            fitting = " or ".join(tasks)
            raise ArgumentError(f"{task} has no setting {name}; give it for {fitting}, or leave it out")
    for one, other in _EXCLUSIVE:
        if {one, other} <= varied:
            raise ArgumentError(f"{one} and {other} exclude each other; give one of them")
    if settings.ask_after is not None and settings.ask_after > sport.periods:
        raise ArgumentError(
            f"ask_after is {settings.ask_after}; give 1 to {sport.periods}, the periods of {sport.name}"
        )
    return settings


def layout_of(task: str, sport: Sport, settings: DialogueSettings, rows: Sequence[int]) -> list[LayoutTurn]:
    """The turns of a dialogue, in order.

    Args:
        task: One of `TASKS`.
        sport: What is played.
        settings: That fit both.
        rows: How many rows each period has.
    """
    if settings.whole:
        everything = tuple((period, 0, count) for period, count in enumerate(rows, 1))
        slots = [LayoutTurn("S", sport.periods, judged=task == "IR", rows=everything)]
        for period in range(1, sport.periods + 1):
            slots += _break(task, sport, period, sport.periods)
    else:
        slots = [slot for period, count in enumerate(rows, 1) for slot in _period(task, sport, settings, period, count)]
    return list(_with_summaries(slots))


def _period(task: str, sport: Sport, settings: DialogueSettings, period: int, count: int) -> Iterator[LayoutTurn]:
    """The turns of one period and of the break after it."""
    sizes = split_rows(count, settings.chunks or PARTS)
    done = 0
    for part, size in enumerate(sizes, 1):
        rows = ((period, done, done + size),)
        done += size
        if task == "IF" and part == _share(_SENTENCE_AFTER, len(sizes)):
            yield LayoutTurn("K", period, judged=True, rows=rows, part=part, place=period - 1)
        else:
            last = period == sport.periods and part == len(sizes)
            judged = task == "IF" or settings.chunks is not None or (last and task != "CR")
            yield LayoutTurn("S", period, judged=judged, rows=rows, part=part)
        if task == "TS" and part == _share(_INTERLUDES_AFTER, len(sizes)):
            yield from _interludes(settings, period, part)
    if settings.ask_after is None:
        yield from _break(task, sport, period, period)
    elif settings.ask_after == period:
        yield from _break(task, sport, 1, period)


def _interludes(settings: DialogueSettings, period: int, part: int) -> Iterator[LayoutTurn]:
    """What has nothing to do with the match."""
    if settings.switch == "none":
        return
    kind = "M" if settings.switch == "math" else "C"
    for place in range(INTERLUDES):
        yield LayoutTurn(kind, period, judged=kind == "M", part=part, place=(period - 1) * INTERLUDES + place)


def _break(task: str, sport: Sport, about: int, period: int) -> Iterator[LayoutTurn]:
    """The questions of the break after a period, asked after another one if the settings want it."""
    count = _BREAK if task != "IF" or sport is BASKETBALL else _BREAK_HOCKEY_FORMAT
    for place in range(count):
        yield LayoutTurn("", period, judged=True, asked=(about, place))


def _share(of_five: int, parts: int) -> int:
    """The part with which the same share of the rows is told as with one of five."""
    return -(-of_five * parts // PARTS)


def _with_summaries(slots: Sequence[LayoutTurn]) -> Iterator[LayoutTurn]:
    """The same turns; those two after a sentence also have to bring the summary."""
    for place, slot in enumerate(slots):
        if place >= LATER and slots[place - LATER].kind == "K":
            yield LayoutTurn(
                slot.kind, slot.period, slot.judged, slot.rows, slot.part, slot.asked, slot.place, summary=True
            )
        else:
            yield slot
