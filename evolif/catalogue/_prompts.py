"""The prompt files for making entries, and their slots filled."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from evolif._catalogues import data_path, load_yaml
from evolif._errors import InputError
from evolif._json_lines import complaint
from evolif.domain import Message

_Text = Annotated[str, Field(min_length=1)]
_SLOT = re.compile(r"\{([a-z]+)\}")
_BLANK_LINES = re.compile(r"\n{3,}")
_LONGEST_ECHO = 8000
"""Characters of its own answer that a model is shown again."""


class PromptFile(BaseModel):
    """A file of `seeds/prompts/`."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    system: _Text
    user: _Text
    mend: _Text
    kinds: tuple[_Text, ...] = ()
    angles: tuple[_Text, ...] = ()

    def opening(self, slots: Mapping[str, str]) -> tuple[Message, ...]:
        """The first messages; what fills a slot is never read for slots again."""
        return Message("system", _fill(self.system, slots)), Message("user", _fill(self.user, slots))

    def again(self, opening: Sequence[Message], answer: str, findings: Sequence[str]) -> tuple[Message, ...]:
        """The conversation that asks for the same entry with its findings mended."""
        told = "\n".join(f"- {finding}" for finding in findings)
        said = answer[:_LONGEST_ECHO].strip() or "(nothing)"
        return (*opening, Message("assistant", said), Message("user", _fill(self.mend, {"findings": told})))


@lru_cache(maxsize=4)
def load_prompts(name: str) -> PromptFile:
    """The prompt file of a kind of entry.

    Raises:
        InputError: the file lacks a part.
    """
    path = data_path("seeds", "prompts", f"{name}.yaml")
    try:
        return PromptFile.model_validate(load_yaml(path))
    except ValidationError as fault:
        raise InputError(complaint(fault, "prompts"), path=path) from None


def _fill(text: str, slots: Mapping[str, str]) -> str:
    """Braces that name no slot stay: the prompts show JSON."""
    filled = _SLOT.sub(lambda match: slots.get(match[1], match[0]), text)
    return _BLANK_LINES.sub("\n\n", filled).strip()
