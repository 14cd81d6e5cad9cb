"""Prices, budgets, forecasts, stop rules and the status of a run in progress."""

from evolif.budget.budget import Budget, PolicyChain
from evolif.budget.forecast import (
    Expected,
    Forecast,
    forecast,
    forecast_rejudging,
    survival_of_mean,
    survival_of_sessions,
)
from evolif.budget.pilot import PILOT
from evolif.budget.prices import PriceTable, Quotes, callable_models, judge_models, load_prices, quotes_of
from evolif.budget.status import ModelStatus, RunStatus, snapshot
from evolif.budget.stop_rule import BATCH, BOUNDED, Rule, StopRule, parse_rule, shown_intervals
from evolif.budget.time_left import ModelLeft, earlier_sessions, model_left, survival_so_far
from evolif.runner.bounds import ASSUMED_ANSWER, upper_bound

__all__ = [
    "ASSUMED_ANSWER",
    "BATCH",
    "BOUNDED",
    "PILOT",
    "Budget",
    "Expected",
    "Forecast",
    "ModelLeft",
    "ModelStatus",
    "PolicyChain",
    "PriceTable",
    "Quotes",
    "Rule",
    "RunStatus",
    "StopRule",
    "callable_models",
    "earlier_sessions",
    "forecast",
    "forecast_rejudging",
    "judge_models",
    "load_prices",
    "model_left",
    "parse_rule",
    "quotes_of",
    "shown_intervals",
    "snapshot",
    "survival_of_mean",
    "survival_of_sessions",
    "survival_so_far",
    "upper_bound",
]
