"""What a memory stores of a dialogue: units, each a user turn with the answer to it.

Context strategies are shown the same units as rounds, so that all strategies cut the past in the same places.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from evolif.errors import ArgumentError
from evolif.scenarios.recorded.playing import continued_with, is_off_policy
from evolif.scenarios.recorded.schema import PLACEHOLDER, Dialog, Turn

TIMESTAMP = "raw_date_time"
"""The label of a turn that says when it was said."""


class Unit(NamedTuple):
    """What a memory takes in at once."""

    turn_ids: tuple[int, ...]
    """The turns in it: a user's, an assistant's, or one of each."""
    text: str
    """`User: …`, a line break, `Assistant: …`; below its time, where that is known."""


@dataclass(frozen=True, slots=True)
class Round:
    """A user turn and the assistant turn after it; either may be missing."""

    user: str | None
    answer: str | None
    turn_ids: tuple[int, ...]
    time: str = ""

    @property
    def unit(self) -> Unit:
        """The round as a memory stores it."""
        said = ((None, self.time or None), ("User", self.user), ("Assistant", self.answer))
        lines = (text if name is None else f"{name}: {text}" for name, text in said if text is not None)
        return Unit(self.turn_ids, "\n".join(lines))


@dataclass(frozen=True, slots=True)
class Past:
    """What stands before an assistant turn that is to be answered."""

    system: str
    """All system turns so far, parted by blank lines."""
    rounds: tuple[Round, ...]
    question: str
    """The user turn just before it; empty if there is none."""


def units(dialog: Dialog, before: int) -> list[Unit]:
    """The units that a memory holds when a turn is asked.

    Args:
        dialog: Off-policy, the reference of an evaluated turn stands for its content.
        before: The id of a turn. Units hold the turns before it; if it is an assistant's, the user turn that it answers
            is the question and in no unit.

    Raises:
        ArgumentError: no turn has that id, or it is a placeholder's.
    """
    turns = dialog.dialog_turns
    place = next((place for place, turn in enumerate(turns) if turn.turn_id == before), None)
    if place is None or before == PLACEHOLDER:
        raise ArgumentError(f"dialogue {dialog.dialog_id} has no turn {before}; name one of its turns")
    off_policy = is_off_policy(dialog)
    said = [(turn, history_text(turn, off_policy=off_policy)) for turn in turns[:place]]
    rounds = past(said).rounds if turns[place].role == "assistant" else rounds_of(said)
    return [each.unit for each in rounds]


def history_text(turn: Turn, *, off_policy: bool) -> str:
    """What later turns are shown of a turn of a dialogue as it stands."""
    return continued_with(turn, turn.text, off_policy=off_policy) if turn.evaluated else turn.text


def past(said: Sequence[tuple[Turn, str]]) -> Past:
    """What stands before a turn that the model answers.

    Args:
        said: The turns before it, each with what the history holds of it.
    """
    system = "\n\n".join(text for turn, text in said if turn.role == "system" and text)
    spoken = _spoken(said)
    if not spoken or spoken[-1][0].role != "user":
        return Past(system, rounds_of(spoken), "")
    return Past(system, rounds_of(spoken[:-1]), spoken[-1][1])


def rounds_of(said: Iterable[tuple[Turn, str]]) -> tuple[Round, ...]:
    """The rounds of some turns, in order; system turns and placeholders are in none."""
    rounds: list[Round] = []
    asked: tuple[Turn, str] | None = None
    for turn, text in _spoken(said):
        if turn.role == "assistant":
            rounds.append(_round(asked, (turn, text)))
            asked = None
            continue
        if asked is not None:
            rounds.append(_round(asked, None))
        asked = turn, text
    if asked is not None:
        rounds.append(_round(asked, None))
    return tuple(rounds)


def _spoken(said: Iterable[tuple[Turn, str]]) -> list[tuple[Turn, str]]:
    return [(turn, text) for turn, text in said if turn.role != "system" and not _placeholder(turn)]


def _placeholder(turn: Turn) -> bool:
    return turn.turn_id == PLACEHOLDER and not turn.evaluated


def _round(user: tuple[Turn, str] | None, answer: tuple[Turn, str] | None) -> Round:
    turns = [said[0] for said in (user, answer) if said is not None]
    times = (" ".join(str(turn.turn_labels.get(TIMESTAMP) or "").split()) for turn in turns)
    return Round(
        None if user is None else user[1],
        None if answer is None else answer[1],
        tuple(turn.turn_id for turn in turns),
        next(filter(None, times), ""),
    )
