"""Dated model prices: the packaged table, and the user's file that extends or overrides it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from evolif.errors import InputError, UsageError
from evolif.models import plain_name
from evolif.runner import RunSettings, Spent
from evolif.scenario import Benchmark, get_scenario
from evolif.types import Usage
from evolif.util.resources import data_path, load_data
from evolif.util.suggestions import sentence

FREE = frozenset({"local", "sim"})
"""Free providers."""

_Dollars = Annotated[float, Field(ge=0, le=1e6, allow_inf_nan=False)]


class Price(BaseModel):
    """US dollars per million tokens."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    prompt: _Dollars
    completion: _Dollars
    date: date
    """When the price was looked up."""
    source: str = ""

    def of(self, usage: Usage) -> float:
        """The cost in US dollars."""
        return (self.prompt * usage.prompt_tokens + self.completion * usage.completion_tokens) / 1e6


class _PriceFile(BaseModel):
    model_config = ConfigDict(extra="forbid")

    models: dict[str, Price]


_NOTHING = Price(prompt=0, completion=0, date=date(1970, 1, 1), source="runs on this machine")


@dataclass(frozen=True, slots=True)
class PriceTable:
    """Prices by `provider/name`."""

    listed: Mapping[str, Price]
    """Valid at the provider's own endpoint only; others set their own prices."""
    own: Mapping[str, Price]
    """From the user's file; valid at every endpoint and take precedence."""

    def price(self, model: str, endpoint: str = "") -> Price | None:
        """A model's price; None if it is unknown, which is not zero.

        Args:
            model: As reports call it; a price of the model as it is named there goes over that of `provider/name`.
            endpoint: Its address; empty for the provider's own endpoint.
        """
        if model in self.own:
            return self.own[model]
        model = plain_name(model)
        if model in self.own:
            return self.own[model]
        if model.partition("/")[0] in FREE:
            return _NOTHING
        return None if endpoint else self.listed.get(model)


def load_prices(path: Path | None = None) -> PriceTable:
    """The packaged table, overridden by a user's file.

    Raises:
        InputError: the file cannot be read, or a price is invalid.
    """
    return PriceTable(_read(data_path("seeds", "prices.yaml")), {} if path is None else _read(path))


def _read(path: Path) -> Mapping[str, Price]:
    try:
        return _PriceFile.model_validate(load_data(path)).models
    except ValidationError as fault:
        first = fault.errors()[0]
        where = ".".join(str(part) for part in first["loc"]) or "the file"
        raise InputError(
            f"{sentence(where, first)}; write `models:` and below it `provider/name: "
            "{prompt: 1.25, completion: 10, date: 2026-01-31}`, in US dollars per million tokens",
            path=path,
        ) from None


@dataclass(frozen=True, slots=True)
class Quotes:
    """Prices of a run's models, by role and name."""

    table: PriceTable
    endpoints: Mapping[tuple[str, str], str]
    """Custom endpoints by role and model."""

    def price(self, role: str, model: str) -> Price | None:
        """A model's price in a role; None if it is unknown."""
        return self.table.price(model, self.endpoints.get((role, model), ""))

    def cost(self, role: str, model: str, usage: Usage) -> float | None:
        """US dollars; None if the price is unknown. No tokens always cost nothing."""
        if usage == Usage():
            return 0.0
        price = self.price(role, model)
        return None if price is None else price.of(usage)

    def highest(self, role: str, model: str, tokens: int) -> float | None:
        """The most US dollars that so many tokens can cost, whether prompt or answer; None if the price is unknown."""
        price = self.price(role, model) if tokens else _NOTHING
        return None if price is None else max(price.prompt, price.completion) * tokens / 1e6

    def total(self, spent: Iterable[Spent]) -> tuple[float, bool]:
        """US dollars of everything with a known price, and whether all prices are known."""
        costs = [self.cost(one.role, one.model, one.usage) for one in spent]
        return sum(cost for cost in costs if cost is not None), None not in costs

    def refuse_unknown(self, models: Iterable[tuple[str, str]]) -> None:
        """Raise `UsageError` if a (role, model) has no price."""
        unknown = sorted({model for role, model in models if self.price(role, model) is None})
        if unknown:
            raise UsageError(
                f"--budget-usd needs the price of {', '.join(unknown)}, which is unknown (at this endpoint); add it "
                "with --prices FILE, or use --budget-tokens instead"
            )


def quotes_of(settings: RunSettings, table: PriceTable) -> Quotes:
    """The prices of a run."""
    endpoints = {("target", model): settings.endpoint(model) for model in settings.models}
    for model, endpoint in zip(judge_models(settings), settings.judge_endpoints, strict=False):
        endpoints["judge", model] = endpoint
    for model in settings.models:
        partner = partner_model(settings, model)
        elsewhere = settings.other_endpoints.get("partner", "")
        endpoints["partner", partner] = settings.endpoint(model) if settings.partner == "self" else elsewhere
    endpoints["context", settings.context_model] = settings.other_endpoints.get("context", "")
    return Quotes(table, {key: endpoint for key, endpoint in endpoints.items() if endpoint})


def callable_models(settings: RunSettings, benchmark: Benchmark) -> tuple[tuple[str, str], ...]:
    """(role, model) of every model that a run may call, also to write prompts that the benchmark lacks."""
    scenario = get_scenario(settings.scenario)
    authors = scenario.authors(benchmark, settings.most_turns, settings.dialogues)
    named: list[tuple[str, str]] = [("target", name) for name in settings.models]
    named += [("partner", partner_model(settings, name)) for name in settings.models]
    named += [("judge", name) for name in judge_models(settings)]
    named += [("context", settings.context_model)]
    named += [(author.role, author.model) for author in authors]
    return tuple(dict.fromkeys((role, name) for role, name in named if name))


def partner_model(settings: RunSettings, model: str) -> str:
    """The model in the partner's seat where `model` is under test; empty if there is one seat only."""
    return model if settings.partner == "self" else settings.partner


def judge_models(settings: RunSettings) -> tuple[str, ...]:
    """The models of a run's panel, parsed from the judge's name; empty if no model judges."""
    if not settings.judge_endpoints:
        return ()
    named = settings.judge.rpartition(" (rubric ")[0]
    if len(settings.judge_endpoints) > 1:
        named = named.partition(" of ")[2]
    return tuple(named.split(", "))
