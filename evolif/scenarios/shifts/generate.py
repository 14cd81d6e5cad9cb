"""Generate dialogues with shifting topics, any number of them (after Context-Agent's benchmark NTM)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from evolif.errors import ArgumentError, InternalError
from evolif.scenarios.shifts.checking import check_answer
from evolif.scenarios.shifts.dialogue import ShiftDialogue
from evolif.scenarios.shifts.first_words import FirstWriter
from evolif.scenarios.shifts.goals import checkpoints_of
from evolif.scenarios.shifts.outline import COUNTS, EDITION
from evolif.scenarios.shifts.script import draw_script
from evolif.scenarios.shifts.tasks import Hold
from evolif.scenarios.shifts.witness import witness_of
from evolif.scenarios.shifts.words import ShiftWriter
from evolif.util.rng import Purpose, Stream

_MOST_DRAWS = 1000
"""Of one dialogue; about every second one fits."""
_LEAST_PRESENT = 2
EDITIONS = (1, EDITION)


def generate(
    dialogues: int, *, rounds: Sequence[int] = tuple(COUNTS), seed: int = 0, hold: Hold = "all", edition: int = EDITION
) -> Iterator[ShiftDialogue]:
    """Generate dialogues one by one; the same seed gives the same bytes, however many are asked for.

    Args:
        dialogues: How many.
        rounds: Their lengths, each 10, 15, 20 or 25, taken in turn.
        seed: From which everything is drawn.
        hold: Which task types and sentences may be used: `calibration` never uses a third of them; `held_out` uses the
            task types of that third, with all their sentences, and of sentences that fit any topic that third.
        edition: Of what is generated: 2, or 1 as benchmarks without an edition have it.

    Raises:
        ArgumentError: another number of rounds, or none, or a negative number of dialogues, or no such edition.
    """
    if dialogues < 0:
        raise ArgumentError(f"{dialogues} dialogues cannot be generated; give 0 or more")
    unknown = [length for length in rounds if length not in COUNTS]
    if unknown or not rounds:
        known = ", ".join(map(str, COUNTS))
        raise ArgumentError(
            f"dialogues have {known} rounds, not {unknown[0] if unknown else 'none'}; choose among these"
        )
    if hold not in ("all", "calibration", "held_out"):
        raise ArgumentError(f"hold is all, calibration or held_out, not {hold!r}")
    if edition not in EDITIONS:
        raise ArgumentError(f"there is no edition {edition!r} of dialogues; there are 1 and {EDITION}")
    return (draw_dialogue(seed, number, rounds[number % len(rounds)], hold, edition)[0] for number in range(dialogues))


def draw_dialogue(
    seed: int, number: int, rounds: int, hold: Hold = "all", edition: int = EDITION
) -> tuple[ShiftDialogue, int]:
    """Draw one dialogue, again and again from the same stream until all fits.

    Args:
        seed: From which everything is drawn.
        number: The dialogue's, from 0.
        rounds: Its length: 10, 15, 20 or 25.
        hold: Which task types and sentences may be used.
        edition: Of what is generated.

    Returns:
        It, and how often it was drawn.
    """
    stream = Stream(seed, Purpose.SHIFTS, number) if edition == 1 else Stream(seed, Purpose.SHIFTS, number, edition)
    for draws in range(1, _MOST_DRAWS + 1):
        script = draw_script(stream, rounds, hold, edition)
        if script is None:
            continue
        turns = (FirstWriter if edition == 1 else ShiftWriter)(stream, script, hold).turns()
        goals = checkpoints_of(turns, script.main)
        witness = witness_of(goals, script.main)
        if edition > 1:  # the closing reply is what was asked for
            turns = (*turns[:-1], replace(turns[-1], reply=witness))
        if _holds(goals, witness, rounds):
            return ShiftDialogue(script.main.id, turns, goals, witness, script.main.keys), draws
    raise InternalError(f"no dialogue of {rounds} rounds came out of {_MOST_DRAWS} draws; please report this")


def _holds(goals: Sequence[Mapping[str, Any]], witness: str, rounds: int) -> bool:
    """Whether there are goals enough, a list with a cancelled item keeps one, and the witness satisfies all."""
    present = [goal for goal in goals if goal["polarity"] == "present"]
    lists = {goal["key"] for goal in present if goal["type"] == "item"}
    emptied = any(goal["type"] == "item" and goal["key"] not in lists for goal in goals)
    if emptied or len(goals) < COUNTS[rounds].goals or len(present) < _LEAST_PRESENT:
        return False
    return all(result["satisfied"] for result in check_answer(goals, witness))
