"""NTM's released files: imported as benchmarks of the scenario `shifts`; and benchmarks of it in their layout."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from evolif.benchmark import BenchmarkFolder
from evolif.errors import UsageError
from evolif.scenario import get_scenario, options_of
from evolif.scenarios.shifts.lines import dialogue_of
from evolif.scenarios.shifts.released import (
    ReleasedDialogue,
    describe_released,
    read_released,
    to_released,
    write_released,
)

SHIFTS = "shifts"
NTM = "ntm"
"""The format of an export."""


@dataclass(frozen=True, slots=True)
class ImportedReleased:
    """The result of an import.

    Attributes:
        path: The benchmark.
        dialogues: How many there are.
        user_turns: Of all of them.
        duplicates: Dialogues whose user says the same as in an earlier one.
        goals: Those that count.
        without_goals: Dialogues in which none counts.
        left_out: Goals that nobody stated, which do not count: the conversation, the goal's number in its question, and
            the goal.
    """

    path: Path
    dialogues: int
    user_turns: int
    duplicates: int
    goals: int
    without_goals: int
    left_out: tuple[tuple[str, int, str], ...]


def import_released(path: Path | str, out: Path | str) -> ImportedReleased:
    """Make a benchmark of a released file.

    Args:
        path: The file, JSON lines.
        out: The folder to create; one that an earlier import left incomplete is completed.

    Raises:
        UsageError: `out` holds something else.
        InputError: the file is broken; names the line.
        OutsideError: the disk failed.
    """
    scenario = get_scenario(SHIFTS)
    made = scenario.generate(Path(out), options_of(scenario.spec, {"source": str(path)}, SHIFTS), dialogues=1, seed=0)
    if not isinstance(made, BenchmarkFolder):
        raise UsageError(f"{out} was not made as a folder of dialogues")
    lasts = [made.lines(dialogue)[-1] for dialogue in made.dialogues()]
    counts = describe_released(read_released(path))
    return ImportedReleased(
        Path(out),
        dialogues=len(lasts),
        user_turns=counts["user_turns"] or 0,
        duplicates=counts["duplicate_dialogues"] or 0,
        goals=sum(len(last["goals"]) for last in lasts),
        without_goals=sum(not last["goals"] for last in lasts),
        left_out=tuple(
            (last["labels"]["conversation"], goal["number"], goal["statement"])
            for last in lasts
            for goal in last["left_out"]
        ),
    )


def export_released(folder: object, out: Path, canary: str) -> int:
    """Write a benchmark in the released layout, the canary beside the number of rounds.

    Args:
        folder: Of the scenario `shifts`.
        out: The file to write.
        canary: The benchmark's.

    Returns:
        How many turns were written.

    Raises:
        UsageError: it is another benchmark, or a run.
    """
    if not (isinstance(folder, BenchmarkFolder) and folder.scenario == SHIFTS):
        raise UsageError(f"the format {NTM} is only for benchmarks of the scenario {SHIFTS}; choose another one")
    dialogues = list(_released(folder, canary))
    write_released(out, dialogues)
    return sum(len(dialogue.user_turns) for dialogue in dialogues)


def _released(folder: BenchmarkFolder, canary: str) -> Iterator[ReleasedDialogue]:
    for number in folder.dialogues():
        lines = folder.lines(number)
        made = _as_read(lines) if "goals" in lines[-1] else to_released(dialogue_of(lines), number)
        yield made.model_copy(update={"metadata": {**made.metadata, "canary": canary}})


def _as_read(lines: list[Mapping[str, Any]] | list[dict[str, Any]]) -> ReleasedDialogue:
    """An imported dialogue, with the goals that nobody stated."""
    last = lines[-1]
    goals = sorted((*last["goals"], *last["left_out"]), key=lambda goal: int(goal["number"]))
    return ReleasedDialogue(
        conversation_id=last["labels"]["conversation"],
        metadata={"rounds": str(len(lines))},
        user_turns=[{"turn_id": turn, "content": line["query"]} for turn, line in enumerate(lines, 1)],
        checkpoint_question=" ".join(f"({goal['number']}) {goal['statement']}" for goal in goals),
    )
