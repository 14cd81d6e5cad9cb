"""What a run has cost, as JSON values: tokens and dollars, the prices, and the forecast beside the truth."""

from __future__ import annotations

from typing import Any

from evolif.budget import PriceTable, Quotes, quotes_of
from evolif.budget.foretold import foretold, is_over
from evolif.runner import Run, Spent

_PARTS = ("cached_tokens", "reasoning_tokens", "image_tokens")


def costs_object(run: Run, prices: PriceTable) -> dict[str, Any]:
    """`costs`, and where they are known `prices` and `forecast`.

    Args:
        run: The run.
        prices: What its tokens cost.
    """
    quotes, spent = quotes_of(run.settings, prices), run.costs()
    told: dict[str, Any] = {"costs": [_cost(one, quotes) for one in spent]}
    known = {one.model: price for one in spent if (price := quotes.price(one.role, one.model)) and price.highest}
    if known:
        told["prices"] = {model: price.model_dump(mode="json", exclude_none=True) for model, price in known.items()}
    forecast = foretold(run)
    if forecast is not None:
        usd, whole = quotes.total(spent)
        truth = {"usd": usd if whole else None, "tokens": sum(one.usage.tokens for one in spent)}
        told["forecast"] = {**forecast.model_dump(mode="json"), "is_over": is_over(run), "truth": truth}
    return told


def _cost(spent: Spent, quotes: Quotes) -> dict[str, Any]:
    usage = spent.usage
    parts = {name: number for name in _PARTS if (number := getattr(usage, name))}
    usd = quotes.cost(spent.role, spent.model, usage)
    return {
        "role": spent.role,
        "model": spent.model,
        "calls": spent.calls,
        "prompt_tokens": usage.prompt_tokens,
        "completion_tokens": usage.completion_tokens,
        **parts,
        **({"usd": usd} if usd else {}),
        "unknown_calls": spent.unknown,
        "unknown_tokens_at_most": spent.bound,
    }
