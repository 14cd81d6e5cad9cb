"""What is said about a task type in dialogues of the second edition: reasons, questions, and replies that answer.

Read from `seeds/shifts/replies`, a file for each task type; types without one are in the first edition only.
"""

from __future__ import annotations

import re
from functools import cache
from typing import TypeAlias

from pydantic import BaseModel, ConfigDict, ValidationError

from evolif.errors import InputError
from evolif.util.resources import complaint, data_path, load_data

Answered: TypeAlias = tuple[str, str]
"""A question of the user and its answer."""
_END = re.compile(r"(?<=[.?!]) ")


class SlotWords(BaseModel):
    """What is said about a slot; `{value}` and `{old}` stand for what the user has just said."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    changes: tuple[str, ...] | dict[bool, tuple[str, ...]] = ()
    """How the user changes it, each with a reason that fits nothing else."""
    rises: tuple[str, ...] = ()
    """The same with a reason that only fits a larger or later value."""
    falls: tuple[str, ...] = ()
    """For a smaller or sooner one."""
    set: str | dict[bool, str] = ""
    """The reply when it is set; of a `yes_no` slot one for each value."""
    changed: str | dict[bool, str] = ""
    dropped: str = ""
    alternative: str = ""
    """The reply to an alternative, which names both values."""
    added: tuple[str, ...] = ()
    cancelled: str = ""
    asks: tuple[Answered, ...] = ()
    """Questions about the slot."""
    asides: tuple[Answered, ...] = ()
    """Side questions that come to mind when the slot is discussed, in words that the task doesn't use."""

    def all_changes(self) -> tuple[str, ...] | dict[bool, tuple[str, ...]]:
        """The sentences that change it, whatever the values."""
        return self.changes if isinstance(self.changes, dict) else (*self.changes, *self.rises, *self.falls)

    def unfit(self, *, rises: bool) -> tuple[str, ...]:
        """Those that don't fit a value that is larger than the old one, or smaller."""
        return self.falls if rises else self.rises


class TaskWords(BaseModel):
    """What is said about a task type."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    implicit: tuple[Answered, ...]
    """Questions that come back to the topic by its subject alone."""
    slots: dict[str, SlotWords]

    def answers(self) -> dict[str, str]:
        """All answers by their questions."""
        found = dict(self.implicit)
        for slot in self.slots.values():
            found |= dict(slot.asks) | dict(slot.asides)
        return found


@cache
def load_words(task: str) -> TaskWords | None:
    """Read what is said about a task type.

    Args:
        task: Its id.

    Returns:
        None if it is in the first edition only.

    Raises:
        InputError: its file is not valid.
    """
    path = data_path("seeds", "shifts", "replies") / f"{task}.yaml"
    if not path.is_file():
        return None
    try:
        return TaskWords.model_validate(load_data(path))
    except ValidationError as fault:
        raise InputError(complaint(fault, "task words"), path=path) from None


def sentences_of(reply: str) -> list[str]:
    """The sentences of a reply of the data files, which have no other full stops."""
    return _END.split(reply)
