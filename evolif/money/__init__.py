"""What a run costs: prices as data, a budget that stops it in time, and a forecast before the first call."""

from evolif.money._bound import ASSUMED_ANSWER, Bound, upper_bound
from evolif.money._budget import Budget
from evolif.money._prices import Price, PriceTable, load_prices
from evolif.money._quotes import Quotes, judge_models, quotes_of

__all__ = [
    "ASSUMED_ANSWER",
    "Bound",
    "Budget",
    "Price",
    "PriceTable",
    "Quotes",
    "judge_models",
    "load_prices",
    "quotes_of",
    "upper_bound",
]
