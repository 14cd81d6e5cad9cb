"""A turn in an exported file, and out of a filled one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from evolif.domain import Finding, Turn
from evolif.review._exchange import finding_objects
from evolif.review._intention import intention_of


class FilledTurn(BaseModel):
    """What of an exported line is read back."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    dialogue: Annotated[int, Field(ge=0)]
    turn: Annotated[int, Field(ge=1)]
    query: str
    status: Literal["verified", "flagged", "edited", "rejected"]
    source: str
    edited_query: str | None = None

    @property
    def text(self) -> str | None:
        """The new words, where there are such."""
        edited = (self.edited_query or "").strip()
        return None if not edited or edited == self.query.strip() else edited


def turn_object(turn: Turn, found: Sequence[Finding], earlier: Sequence[Turn]) -> dict[str, Any]:
    """A turn for a file: what it has to say, what it says, what is held against it, what was said before."""
    operation = turn.operation
    return {
        "dialogue": turn.dialogue,
        "turn": turn.turn,
        "status": turn.status,
        "source": turn.source,
        "topic": {"id": turn.topic.id, "title": turn.topic.title},
        "persona": turn.persona.sentence,
        "intention": {**intention_of(turn).to_object(), "operation": operation.kind, "group": operation.group},
        "earlier": [one.query for one in earlier],
        "query": turn.query,
        "findings": finding_objects(found),
        "edited_query": "",
    }
