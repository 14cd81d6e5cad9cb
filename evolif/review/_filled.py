"""What a person or a script fills into an exported line."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field


class FilledLine(BaseModel):
    """The fields beside the new words."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    decision: Literal["", "accept", "edit", "template", "reject", "note"] | None = ""
    note: Annotated[str, Field(max_length=10_000)] | None = ""
    force: bool = False

    def fault(self, text: str | None, kinds: Sequence[str], noun: str) -> str:
        """What keeps the line from being a decision, in a sentence; empty where nothing does.

        Args:
            text: The new words, None where there are none.
            kinds: Decisions that can be made on such an item.
            noun: What an item is called.
        """
        if not self.decision:
            return "" if text is None else "there are new words, but no decision; fill “decision” with “edit”"
        if self.decision not in kinds:
            return f"a {noun} cannot be decided on with “{self.decision}”; use {', '.join(kinds)}"
        if self.decision == "edit" and text is None:
            return "an edit needs new words that differ from the old; fill them in, or accept the old ones"
        if self.decision != "edit" and text is not None:
            return f"there are new words beside the decision “{self.decision}”; make it “edit” or delete them"
        if self.decision == "note" and not (self.note or "").strip():
            return "a note needs words; fill “note”"
        return ""
