"""What replies of the second edition add to what they say first: details about the same point.

Read from `seeds/shifts/details`, a file for each task type. A detail is a sentence that stands on its own and fits
every value of its slot.
"""

from __future__ import annotations

from functools import cache

from pydantic import BaseModel, ConfigDict, ValidationError

from evolif.errors import InputError
from evolif.scenarios.shifts.task_words import TaskWords
from evolif.util.resources import complaint, data_path, load_data


class SlotDetails(BaseModel):
    """What can be added about a slot."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    details: tuple[str, ...] | dict[bool, tuple[str, ...]]
    """Where it is set, changed, added to or asked about; of a `yes_no` slot for each value."""
    dropped: tuple[str, ...] = ()
    """Where the wish is given up, or an item struck off."""
    compared: tuple[str, ...] = ()
    """Where two versions are weighed against each other."""
    asks: tuple[tuple[str, ...], ...] = ()
    """What continues each answer of `SlotWords.asks`, in their order."""
    asides: tuple[tuple[str, ...], ...] = ()
    """What continues each answer of `SlotWords.asides`."""

    def of(self, value: object) -> tuple[str, ...]:
        """The details for a value; those of all values where it is none that they tell apart."""
        if not isinstance(self.details, dict):
            return self.details
        return self.details[value] if isinstance(value, bool) else ()

    def everything(self) -> tuple[str, ...]:
        """All of its sentences."""
        own = self.details.values() if isinstance(self.details, dict) else [self.details]
        return tuple(s for part in (*own, self.dropped, self.compared, *self.asks, *self.asides) for s in part)


class TaskDetails(BaseModel):
    """What can be added about a task type."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    implicit: tuple[tuple[str, ...], ...]
    """What continues each answer of `TaskWords.implicit`, in their order."""
    slots: dict[str, SlotDetails]

    def continued(self, words: TaskWords) -> dict[str, tuple[str, ...]]:
        """What continues each answer, by its question.

        Args:
            words: The questions and answers of the same task type.

        Raises:
            ValueError: there is a question too many or too few.
        """
        found = dict(zip((question for question, _ in words.implicit), self.implicit, strict=True))
        for key, own in self.slots.items():
            for answered, more in ((words.slots[key].asks, own.asks), (words.slots[key].asides, own.asides)):
                found |= zip((question for question, _ in answered), more, strict=True)
        return found

    def everything(self) -> tuple[str, ...]:
        """All sentences."""
        return tuple(s for part in self.implicit for s in part) + tuple(
            s for slot in self.slots.values() for s in slot.everything()
        )


@cache
def load_details(task: str) -> TaskDetails:
    """Read what can be added about a task type.

    Args:
        task: Its id, of the second edition.

    Raises:
        InputError: its file is missing or not valid.
    """
    path = data_path("seeds", "shifts", "details") / f"{task}.yaml"
    try:
        return TaskDetails.model_validate(load_data(path))
    except ValidationError as fault:
        raise InputError(complaint(fault, "task details"), path=path) from None
