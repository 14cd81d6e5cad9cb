"""What a run cost, a line per role and model."""

from __future__ import annotations

from evolif.money import PriceTable, load_prices, quotes_of
from evolif.protocol import Run
from evolif.report._escape import plain


def spent_lines(run: Run, prices: PriceTable | None = None) -> list[str]:
    """Calls, tokens and money of a run; nothing where no tokens were spent."""
    spent = [one for one in run.costs() if one.usage.prompt_tokens or one.usage.completion_tokens]
    if not spent:
        return []
    quotes = quotes_of(run.settings, prices or load_prices())
    lines = []
    for one in spent:
        usage = one.usage
        lines.append(
            f"Spent on {one.role} {plain(one.model)}: {one.calls:,} calls, {usage.prompt_tokens:,} + "
            f"{usage.completion_tokens:,} tokens, {dollars(quotes.cost(one.role, one.model, usage))}."
        )
    total, whole = quotes.total(spent)
    if len(spent) > 1:
        lines.append(f"Spent in all: {dollars(total)}{'' if whole else ' and what has no known price'}.")
    return lines


def dollars(amount: float | None) -> str:
    """Money as a reader wants it; an unknown price is no zero."""
    if amount is None:
        return "price unknown"
    return f"${amount:,.2f}" if amount >= 1 or amount == 0 else f"${amount:.4f}"
