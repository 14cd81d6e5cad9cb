"""What a run costs: prices as data, a budget that stops it in time, and a forecast before the first call."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evolif._lazy import lazy

if TYPE_CHECKING:
    from evolif.money._bound import ASSUMED_ANSWER, Bound, upper_bound
    from evolif.money._budget import Budget
    from evolif.money._forecast import Expected, Forecast, forecast
    from evolif.money._prices import Price, PriceTable, load_prices
    from evolif.money._quotes import Quotes, judge_models, quotes_of
    from evolif.money._rejudging import forecast_rejudging
    from evolif.money._survival import Survival, survival_of_mean, survival_of_sessions

__all__ = [
    "ASSUMED_ANSWER",
    "Bound",
    "Budget",
    "Expected",
    "Forecast",
    "Price",
    "PriceTable",
    "Quotes",
    "Survival",
    "forecast",
    "forecast_rejudging",
    "judge_models",
    "load_prices",
    "quotes_of",
    "survival_of_mean",
    "survival_of_sessions",
    "upper_bound",
]

_HOMES = {
    "ASSUMED_ANSWER": "_bound",
    "Bound": "_bound",
    "Budget": "_budget",
    "Expected": "_forecast",
    "Forecast": "_forecast",
    "Price": "_prices",
    "PriceTable": "_prices",
    "Quotes": "_quotes",
    "Survival": "_survival",
    "forecast": "_forecast",
    "forecast_rejudging": "_rejudging",
    "judge_models": "_quotes",
    "load_prices": "_prices",
    "quotes_of": "_quotes",
    "survival_of_mean": "_survival",
    "survival_of_sessions": "_survival",
    "upper_bound": "_bound",
}

# Load a part when it is used: a report needs prices, and no forecast.
__getattr__ = lazy(__name__, _HOMES)
