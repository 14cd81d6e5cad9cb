"""Prices, budgets, forecasts, stop rules and the status of a run in progress."""

from evolif.budget.prices import PriceTable, Quotes, judge_models, load_prices, quotes_of
from evolif.budget.status import RunStatus, snapshot
from evolif.budget.time_left import earlier_sessions

__all__ = [
    "PriceTable",
    "Quotes",
    "RunStatus",
    "earlier_sessions",
    "judge_models",
    "load_prices",
    "quotes_of",
    "snapshot",
]
