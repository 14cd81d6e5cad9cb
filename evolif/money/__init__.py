"""What a run costs: prices as data, a budget that stops it in time, and a forecast before the first call."""

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
