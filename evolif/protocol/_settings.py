"""What a run is: settings that a resume must share, hashed and compared."""

from __future__ import annotations

import hashlib
import json
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field


class RunSettings(BaseModel):
    """Everything that decides the figures. Credentials never enter it; endpoints are kept without user or key."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    benchmark: str
    """Identity of the benchmark."""
    profile: str
    models: tuple[str, ...]
    endpoints: tuple[str, ...] = ()
    """Per model, where it was asked; empty for the provider's own endpoint."""
    judge: str = "none"
    patience: Annotated[int, Field(ge=1)]
    max_turns: Annotated[int, Field(ge=1)]
    dialogues: tuple[int, ...]
    epochs: Annotated[int, Field(ge=1)] = 1
    system_prompt: bool = True
    context: str = "full"
    temperature: float | None = None
    max_tokens: int | None = None
    seed: int = 0
    reading_rules: int

    def hash(self) -> str:
        """16 hex digits that change with any setting."""
        return hashlib.sha256(self.model_dump_json().encode()).hexdigest()[:16]

    def differences(self, other: RunSettings) -> list[str]:
        """Where another run's settings differ, as `key: here → there`."""
        mine, theirs = self.model_dump(mode="json"), other.model_dump(mode="json")
        return [f"{key}: {_shown(mine[key])} → {_shown(theirs[key])}" for key in mine if mine[key] != theirs[key]]


def _shown(value: object) -> str:
    """A setting for a message; of a long list its size and both ends."""
    if isinstance(value, list) and len(value) > 6:
        return f"{len(value)} from {json.dumps(value[0])} to {json.dumps(value[-1])}"
    return json.dumps(value, ensure_ascii=False)[:80]
