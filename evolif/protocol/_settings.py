"""What a run is: settings that a resume must share, hashed and compared; and its extent, which may grow."""

from __future__ import annotations

import hashlib
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

EXTENT = ("models", "endpoints", "dialogues", "epochs")
"""Fields that say how much is played, not how: a run may grow in them."""


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
    """The judge's own name: of a panel its rule, its models and the rubric's version."""
    judge_endpoints: tuple[str, ...] = ()
    """Per model of a panel, where it was asked; empty for the provider's own endpoint."""
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
        """16 hex digits that change with any setting but the extent."""
        return hashlib.sha256(self.model_dump_json(exclude=set(EXTENT)).encode()).hexdigest()[:16]

    def endpoint(self, model: str) -> str:
        """Where a model is asked; empty for the provider's own endpoint."""
        return dict(zip(self.models, self.endpoints, strict=False)).get(model, "")

    def grown(self, wanted: RunSettings) -> RunSettings:
        """These settings with the extent of both; what is there already keeps its place."""
        models = (*self.models, *(model for model in wanted.models if model not in self.models))
        endpoints = (self.endpoint(m) if m in self.models else wanted.endpoint(m) for m in models)
        return self.model_copy(
            update={
                "models": models,
                "endpoints": tuple(endpoints),
                "dialogues": tuple(sorted({*self.dialogues, *wanted.dialogues})),
                "epochs": max(self.epochs, wanted.epochs),
            }
        )
