"""Prices as data with a date: the packaged table, and whatever a user's own file adds to it or changes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from evolif._catalogues import data_path, load_yaml
from evolif._errors import InputError
from evolif.domain import Usage

FREE = frozenset({"local", "sim"})
"""Providers that nobody pays."""

_Dollars = Annotated[float, Field(ge=0, le=1e6, allow_inf_nan=False)]


class Price(BaseModel):
    """US dollars per million tokens."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    prompt: _Dollars
    completion: _Dollars
    date: date
    """When it was read."""
    source: str = ""

    def of(self, usage: Usage) -> float:
        """What tokens cost, in US dollars."""
        return (self.prompt * usage.prompt_tokens + self.completion * usage.completion_tokens) / 1e6


class _PriceFile(BaseModel):
    model_config = ConfigDict(extra="forbid")

    models: dict[str, Price]


_NOTHING = Price(prompt=0, completion=0, date=date(1970, 1, 1), source="runs on this machine")


@dataclass(frozen=True, slots=True)
class PriceTable:
    """Prices by `provider/name`."""

    listed: Mapping[str, Price]
    """Hold at the provider's own endpoint only: another one that serves the model has prices of its own."""
    own: Mapping[str, Price]
    """Out of a user's file, who knows where the model is asked; they win."""

    def price(self, model: str, endpoint: str = "") -> Price | None:
        """A model's price; None where it is unknown, which is not zero.

        Args:
            model: `provider/name`.
            endpoint: Where it is asked; empty for the provider's own endpoint.
        """
        if model in self.own:
            return self.own[model]
        if model.partition("/")[0] in FREE:
            return _NOTHING
        return None if endpoint else self.listed.get(model)


def load_prices(path: Path | None = None) -> PriceTable:
    """The packaged table, with a user's file over it.

    Raises:
        InputError: the file cannot be read, or a price is not one.
    """
    listed = _read(data_path("seeds", "prices.yaml"))
    return PriceTable(listed, {} if path is None else _read(path))


def _read(path: Path) -> Mapping[str, Price]:
    try:
        return _PriceFile.model_validate(load_yaml(path)).models
    except ValidationError as fault:
        first = fault.errors()[0]
        where = ".".join(str(part) for part in first["loc"]) or "the file"
        raise InputError(
            f"{where}: {first['msg'].lower()}; write `models:` and below it `provider/name: "
            "{prompt: 1.25, completion: 10, date: 2026-01-31}`, in US dollars per million tokens",
            path=path,
        ) from None
