"""Dated model prices: the packaged table, the user's own, and a file given with a command, each over the one before."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Annotated, TypeAlias

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from evolif.errors import InputError, OutsideError, UsageError
from evolif.models import plain_name
from evolif.runner import RunSettings, Spent
from evolif.scenario import Benchmark, get_scenario
from evolif.types import Usage
from evolif.util.files import workshop
from evolif.util.resources import data_path, load_data
from evolif.util.suggestions import sentence

FREE = frozenset({"local", "sim"})
"""Free providers."""

_Day: TypeAlias = date
_Dollars = Annotated[float, Field(ge=0, le=1e6, allow_inf_nan=False)]


class Price(BaseModel):
    """US dollars per million tokens.

    Attributes:
        prompt: Of what is sent.
        completion: Of what is written.
        cached: Of the prompt's tokens that the provider took from its own cache; None if they cost as much as others.
        reasoning: Of the completion's tokens that are reasoning; None if they cost as much as others.
        image: Of the prompt's tokens that stand for images; None if they cost as much as others.
        date: When the price was looked up.
        source: Where.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    prompt: _Dollars
    completion: _Dollars
    cached: _Dollars | None = None
    reasoning: _Dollars | None = None
    image: _Dollars | None = None
    date: date
    source: Annotated[str, Field(max_length=500)] = ""

    def of(self, usage: Usage) -> float:
        """The cost in US dollars; tokens of images that came from the cache cost what the cache does."""
        cached = min(usage.cached_tokens, usage.prompt_tokens)
        image = min(usage.image_tokens, usage.prompt_tokens - cached)
        reasoning = min(usage.reasoning_tokens, usage.completion_tokens)
        asked = self.prompt * (usage.prompt_tokens - cached - image)
        asked += _or(self.cached, self.prompt) * cached + _or(self.image, self.prompt) * image
        written = self.completion * (usage.completion_tokens - reasoning)
        return (asked + written + _or(self.reasoning, self.completion) * reasoning) / 1e6

    def at_most(self, usage: Usage) -> float:
        """The most US dollars that these tokens can cost, whatever they are."""
        asked = max(self.prompt, _or(self.cached, 0), _or(self.image, 0)) * usage.prompt_tokens
        return (asked + max(self.completion, _or(self.reasoning, 0)) * usage.completion_tokens) / 1e6

    @property
    def highest(self) -> float:
        """Of any token."""
        every = (self.prompt, self.completion, self.cached, self.reasoning, self.image)
        return max(price for price in every if price is not None)

    def is_old(self, today: _Day) -> bool:
        """Whether it was looked up more than a year ago."""
        return (today - self.date).days > _YEAR


_YEAR = 365
"""Days after which a price is called old."""


def _or(price: float | None, other: float) -> float:
    return other if price is None else price


class _PriceFile(BaseModel):
    model_config = ConfigDict(extra="forbid")

    models: dict[str, Price]


CONFIG_DIR_ENV = "EVOLIF_CONFIG_DIR"
"""Names another folder than the user's own for settings, where the user's prices are."""
PRICES_FILE = "prices.yaml"
_NOTHING = Price(prompt=0, completion=0, date=date(1970, 1, 1), source="runs on this machine")


@dataclass(frozen=True, slots=True)
class PriceTable:
    """Prices by `provider/name`."""

    listed: Mapping[str, Price]
    """Valid at the provider's own endpoint only; others set their own prices."""
    own: Mapping[str, Price]
    """From the user's files; valid at every endpoint and take precedence."""

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
    """The packaged table, overridden by the user's own prices, and these by a file.

    Args:
        path: The file; None for none.

    Raises:
        InputError: a file cannot be read, or a price is invalid.
    """
    users = user_prices_path()
    own = read_prices(users) if users.is_file() else {}
    return PriceTable(
        read_prices(data_path("seeds", PRICES_FILE)), own if path is None else {**own, **read_prices(path)}
    )


def user_prices_path() -> Path:
    """Where the user's own prices are, which `evolif prices update` writes."""
    named = os.environ.get(CONFIG_DIR_ENV)
    if named:
        return Path(named) / PRICES_FILE
    from platformdirs import user_config_path

    return user_config_path("evolif", appauthor=False) / PRICES_FILE


def read_prices(path: Path) -> Mapping[str, Price]:
    """The prices of a file, by `provider/name`.

    Raises:
        InputError: it cannot be read, or a price is invalid.
    """
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


def write_prices(path: Path, prices: Mapping[str, Price]) -> None:
    """Write prices so that `read_prices` reads them again, in place of the file there.

    Raises:
        OutsideError: the disk.
    """
    lines = [
        f"  {json.dumps(model)}: {price.model_dump_json(exclude_defaults=True)}" for model, price in prices.items()
    ]
    try:
        with workshop(path) as folder:
            part = folder / path.name
            part.write_text("models:\n" + "".join(f"{line}\n" for line in sorted(lines)), encoding="utf-8")
            os.replace(part, path)
    except OSError as fault:
        raise OutsideError(f"{path} cannot be written ({fault.strerror or fault})") from None


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
        return None if price is None else price.highest * tokens / 1e6

    def at_most(self, role: str, model: str, usage: Usage) -> float | None:
        """The most US dollars that so many tokens can cost, whatever they are; None if the price is unknown."""
        price = self.price(role, model) if usage != Usage() else _NOTHING
        return None if price is None else price.at_most(usage)

    def total(self, spent: Iterable[Spent]) -> tuple[float, bool]:
        """US dollars of everything with a known price, and whether all prices are known."""
        costs = [self.cost(one.role, one.model, one.usage) for one in spent]
        return sum(cost for cost in costs if cost is not None), None not in costs

    def refuse_unknown(self, models: Iterable[tuple[str, str]]) -> None:
        """Raise `UsageError` if a (role, model) has no price."""
        unknown = sorted({model for role, model in models if self.price(role, model) is None})
        if unknown:
            raise UsageError(
                f"--budget-usd needs the price of {', '.join(unknown)}, which is unknown (at this endpoint); use "
                f"--budget-tokens instead, or {how_to_price(unknown)}"
            )


def how_to_price(models: Sequence[str]) -> str:
    """How to give the prices of models, as a clause with the lines to write and the commands that take them."""
    lines = "".join(f"\n  {json.dumps(plain_name(model))}: {_EXAMPLE}" for model in models)
    return (
        f"write what your provider charges per million tokens into a file, such as {PRICES_FILE}:\n\n"
        f"models:{lines}\n\n"
        f"(`cached`, `reasoning` and `image` may stand beside them), and give it with --prices {PRICES_FILE}, or once "
        f"for all commands with: evolif prices update {PRICES_FILE}"
    )


_EXAMPLE = '{prompt: 1.25, completion: 10, date: 2026-01-31, source: "where you read it"}'
"""A price as a file has it; the numbers are an example."""


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
