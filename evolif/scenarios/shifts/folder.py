"""The benchmarks of dialogues whose topic shifts: their options, and how they are opened."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, SerializerFunctionWrapHandler, field_validator, model_serializer

from evolif.benchmark import BenchmarkFolder, dialogue_file
from evolif.errors import InputError
from evolif.scenario import Scenario
from evolif.scenarios.shifts.checking import FIRST_EDITION, LATEST_EDITION, Rules
from evolif.scenarios.shifts.lines import line_fault
from evolif.scenarios.shifts.outline import COUNTS, EDITION
from evolif.scenarios.shifts.tasks import Hold

_EDITIONS = ("rules", "edition")


class ShiftOptions(BaseModel):
    """What dialogues a benchmark has: generated ones, or those of a released file."""

    # A benchmark's header has more than these, see `StoredOptions`.
    model_config = ConfigDict(extra="allow", frozen=True)

    rounds: Annotated[
        tuple[int, ...], Field(min_length=1, description="Numbers of rounds that dialogues have, in turn.")
    ] = tuple(COUNTS)
    hold: Annotated[
        Hold,
        Field(
            description="Which task types and sentences are used: all, those for calibration, or those held out from "
            "it."
        ),
    ] = "all"
    rules: Annotated[
        Rules,
        Field(
            description="How final answers are read: 2 as models write them, and not where a value is denied or left "
            "open; 1 to the letter, as earlier versions did."
        ),
    ] = LATEST_EDITION
    # The path belongs to this machine, so the benchmark stores only what was found there.
    source: Annotated[
        Path | None, Field(exclude=True, description="A released file of NTM to play instead of generated dialogues.")
    ] = None
    unstated: Annotated[
        Literal["drop", "keep"],
        Field(description="Of a released file: what becomes of goals that nobody stated in the dialogue."),
    ] = "drop"
    edition: Annotated[
        Literal[1, 2],
        Field(description="Of generated dialogues: 2, or 1 as in benchmarks from before there were editions."),
    ] = EDITION

    @field_validator("rounds")
    @classmethod
    def _are_known(cls, value: tuple[int, ...]) -> tuple[int, ...]:
        unknown = [rounds for rounds in value if rounds not in COUNTS]
        if unknown:
            raise ValueError(f"there are no dialogues of {unknown[0]} rounds; use {', '.join(map(str, COUNTS))}")
        return value

    @model_serializer(mode="wrap")
    def _as_stored(self, serialize: SerializerFunctionWrapHandler) -> dict[str, Any]:
        """Benchmarks from before there were editions name none."""
        data: dict[str, Any] = serialize(self)
        return {name: value for name, value in data.items() if name not in _EDITIONS or value != FIRST_EDITION}


class StoredOptions(ShiftOptions):
    """What a benchmark stores of a released file."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    rules: Rules = FIRST_EDITION
    edition: Literal[1, 2] = 1
    """Benchmarks from before there were editions are of the first, and released files have none."""
    digest: str = ""
    """Of the dialogues; empty for generated ones."""
    longest: Annotated[int, Field(ge=0)] = 0
    """Rounds of the longest dialogue."""
    goals: Annotated[int, Field(ge=0)] = 0
    left_out: Annotated[int, Field(ge=0)] = 0
    """Goals that nobody stated, and that do not count."""


class ShiftPlay(BaseModel):
    """How a benchmark is played."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    replies: Annotated[
        Literal["model", "scripted"],
        Field(
            description="Who answers before the final request: the model, or the benchmark's script, without a call. "
            "Under a script all context strategies see the same conversation."
        ),
    ] = "model"


class ShiftFolder(BenchmarkFolder):
    """An opened benchmark of dialogues whose topic shifts."""

    def __init__(self, path: Path | str, scenario: Scenario, notify: Callable[[str], None] = lambda _: None) -> None:
        super().__init__(path, scenario, notify)
        told = self._header.spec.model_extra or {}
        self.spec = self.spec.model_copy(update={name: FIRST_EDITION for name in _EDITIONS if name not in told})
        self.stored = self.stored_as(StoredOptions, "generate the benchmark again")

    def _read(self, dialogue: int) -> list[dict[str, Any]]:
        lines = super()._read(dialogue)
        path = dialogue_file(self.path, dialogue)
        if not lines:
            raise InputError("no turn in it; delete the file, and generate the benchmark again", path=path)
        for number, line in enumerate(lines, 1):
            fault = line_fault(line, is_last=number == len(lines), is_released=self.is_released)
            if fault:
                raise InputError(f"{fault}; restore the file, or delete it and generate again", path=path, line=number)
        return lines

    @property
    def is_released(self) -> bool:
        """Whether its dialogues are from a released file; they have no gold, and a judge decides on their goals."""
        return bool(self.stored.digest)

    @property
    def variant(self) -> str:
        """Which third of the task types and sentences it has, or that it is from a released file."""
        return "released" if self.is_released else "" if self.stored.hold == "all" else self.stored.hold

    @property
    def longest(self) -> int:
        """Rounds of its longest dialogue."""
        return self.stored.longest or max(self.stored.rounds)
