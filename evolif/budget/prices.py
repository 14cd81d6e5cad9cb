"""Prices as data with a date: the packaged table, and whatever a user's own file adds to it or changes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from evolif.errors import InputError, UsageError
from evolif.resources import data_path, load_yaml
from evolif.runner import RunSettings, Spent
from evolif.types import Usage

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


# The prices of one run: each of its models, in each of its roles, where it is asked.


@dataclass(frozen=True, slots=True)
class Quotes:
    """Prices of a run's models by role and name."""

    table: PriceTable
    endpoints: Mapping[tuple[str, str], str]
    """Per role and model that is asked elsewhere than at the provider's own endpoint."""

    def price(self, role: str, model: str) -> Price | None:
        """None where it is unknown."""
        return self.table.price(model, self.endpoints.get((role, model), ""))

    def cost(self, role: str, model: str, usage: Usage) -> float | None:
        """US dollars; None where the price is unknown. No tokens cost nothing in any case."""
        if usage == Usage():
            return 0.0
        price = self.price(role, model)
        return None if price is None else price.of(usage)

    def total(self, spent: Iterable[Spent]) -> tuple[float, bool]:
        """US dollars of all whose price is known, and whether that is everything."""
        costs = [self.cost(one.role, one.model, one.usage) for one in spent]
        return sum(cost for cost in costs if cost is not None), None not in costs

    def refuse_unknown(self, asked: Iterable[tuple[str, str]]) -> None:
        """See that every (role, model) has a price.

        Raises:
            UsageError: one has none.
        """
        unknown = sorted({model for role, model in asked if self.price(role, model) is None})
        if unknown:
            raise UsageError(
                f"--budget-usd needs the price of {', '.join(unknown)}, which is unknown (at this endpoint); give it "
                "by --prices FILE, or bound the run by --budget-tokens"
            )


def quotes_of(settings: RunSettings, table: PriceTable) -> Quotes:
    """The prices of a run."""
    endpoints = {("target", model): settings.endpoint(model) for model in settings.models}
    judges = zip(judge_models(settings), settings.judge_endpoints, strict=False)
    endpoints |= {("judge", model): at for model, at in judges}
    return Quotes(table, {key: at for key, at in endpoints.items() if at})


def judge_models(settings: RunSettings) -> tuple[str, ...]:
    """The models of a run's panel, out of the judge's own name; empty where no model judges."""
    if not settings.judge_endpoints:
        return ()
    named = settings.judge.rpartition(" (rubric ")[0]
    if len(settings.judge_endpoints) > 1:
        named = named.partition(" of ")[2]
    return tuple(named.split(", "))
