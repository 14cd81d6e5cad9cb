"""The forecast that a pilot made of its run, kept with the run to stand beside what it cost."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from evolif.budget.forecast import Forecast
from evolif.runner import Run, RunSettings, RunStore

_KEY = "forecast"
_Dollars = Annotated[float, Field(ge=0, allow_inf_nan=False)]
_Tokens = Annotated[int, Field(ge=0)]


class Foretold(BaseModel):
    """What was forecast of a run, and for which extent.

    Attributes:
        usd: US dollars, low and high, of everything with a known price.
        is_priced: Whether the price of everything was known.
        tokens: Tokens, low and high.
        pilot: Dialogues that the forecast was made from.
        models: The models under test.
        dialogues: How many.
        epochs: How often each is played.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    usd: tuple[_Dollars, _Dollars]
    is_priced: bool
    tokens: tuple[_Tokens, _Tokens]
    pilot: Annotated[int, Field(ge=1)]
    models: tuple[str, ...]
    dialogues: int
    epochs: int

    def is_of(self, settings: RunSettings) -> bool:
        """Whether it was made for a run of this extent."""
        extent = (tuple(settings.models), len(settings.dialogues), settings.epochs)
        return (self.models, self.dialogues, self.epochs) == extent


def keep_forecast(store: RunStore, told: Forecast, settings: RunSettings, pilot: int) -> None:
    """Store a forecast with the run, in place of an earlier one.

    Args:
        store: The run's file, opened for writing.
        told: The forecast of all of it.
        settings: Of all of it.
        pilot: Dialogues that it was made from.
    """
    kept = Foretold(
        usd=told.usd,
        is_priced=told.is_priced,
        tokens=told.tokens,
        pilot=pilot,
        models=settings.models,
        dialogues=len(settings.dialogues),
        epochs=settings.epochs,
    )
    store.note(_KEY, kept.model_dump_json())


def foretold(run: Run) -> Foretold | None:
    """What was forecast of a run of this extent; None if nothing was, or of another extent only."""
    try:
        kept = Foretold.model_validate_json(run.store.noted(_KEY) or "null")
    except ValidationError:
        return None
    return kept if kept.is_of(run.settings) else None


def is_over(run: Run) -> bool:
    """Whether a run has been played to its end, so that it has cost what it costs."""
    endings = run.store.endings()
    return not run.suspended() and not run.unbegun() and all(cause != "budget" for _, _, cause in endings)
