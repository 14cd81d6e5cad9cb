"""The prices of one run: each of its models, in each of its roles, where it is asked."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from evolif._errors import UsageError
from evolif.domain import Usage
from evolif.money._prices import Price, PriceTable
from evolif.protocol import RunSettings, Spent


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
