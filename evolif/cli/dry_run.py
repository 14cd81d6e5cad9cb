"""What `--dry-run` shows: the calls, tokens and dollars that are expected, with or without a pilot."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

from evolif.cli.console import say, show
from evolif.config import EvalConfig
from evolif.errors import UsageError
from evolif.text import plural

if TYPE_CHECKING:
    from evolif.budget import PriceTable, Quotes
    from evolif.budget.forecast import Expected, Forecast
    from evolif.runner import Run, RunSettings
    from evolif.scenario import Benchmark


def refuse_pilot(config: EvalConfig) -> None:
    """Check that a pilot is asked for where there can be one.

    Raises:
        UsageError: it is not.
    """
    if config.pilot is None:
        return
    if not config.dry_run:
        raise UsageError(
            f"--pilot {config.pilot} needs --dry-run: it plays the first dialogues to forecast the rest; use --limit "
            f"{config.pilot} to play only these"
        )
    for given, flag in ((config.like, "--like"), (config.fork_into, "--fork")):
        if given is not None:
            raise UsageError(f"--pilot and {flag} cannot be combined; a forecast is based on one run")


def show_forecast(benchmark: Benchmark, settings: RunSettings, prices: PriceTable, like: Path | None) -> None:
    """Show what a run is expected to cost; no model is called and no key is needed.

    Args:
        benchmark: The benchmark.
        settings: Of the run.
        prices: Known prices.
        like: An earlier run; None for none.
    """
    from evolif.budget import quotes_of
    from evolif.budget.forecast import forecast
    from evolif.runner import load_run

    quotes = quotes_of(settings, prices)
    if like is None:
        told = forecast(benchmark, settings, quotes)
    else:
        with closing(load_run(like)) as run:
            told = forecast(benchmark, settings, quotes, run)
    show(forecast_lines(settings, told))
    say_unpriced(told, quotes)


def show_pilot(benchmark: Benchmark, settings: RunSettings, quotes: Quotes, run: Run, pilot: int) -> None:
    """Show what a run is expected to cost after its first dialogues, and keep it with the run.

    Args:
        benchmark: The benchmark.
        settings: Of the whole run.
        quotes: Its prices.
        run: As the pilot left it.
        pilot: Dialogues that were asked for.
    """
    from evolif.budget.forecast import forecast
    from evolif.budget.foretold import keep_forecast
    from evolif.runner import RunStore
    from evolif.runner.run import locked

    told = forecast(benchmark, settings, quotes, run, begun=True)
    show(forecast_lines(settings, told))
    say_unpriced(told, quotes)
    show([_spent_so_far(run, quotes, pilot)])
    with locked(run.path), closing(RunStore.open(run.path)) as store:
        keep_forecast(store, told, settings, min(pilot, len(settings.dialogues)))


def _spent_so_far(run: Run, quotes: Quotes, pilot: int) -> str:
    from evolif.report.wording import dollars

    spent = run.costs()
    total, whole = quotes.total(spent)
    tokens = sum(one.usage.tokens for one in spent)
    cost = dollars(total) if whole else plural(tokens, "token", spec=",")
    return (
        f"The pilot of {plural(pilot, 'dialogue')} has cost {cost} so far and stays in {run.path}: the same command "
        "without --dry-run and --pilot plays the rest, and pays nothing twice."
    )


def say_unpriced(told: Forecast, quotes: Quotes) -> None:
    """Say how to give the prices that are missing, if any is."""
    from evolif.budget.prices import how_to_price

    unpriced = [one for one in told.expected if one.usage is not None and one.usd is None]
    missing = list(dict.fromkeys(one.model for one in unpriced if quotes.price(one.role, one.model) is None))
    if missing:
        say(f"No price of {', '.join(missing)} is known (at this endpoint). To see dollars, {how_to_price(missing)}")


def forecast_lines(settings: RunSettings, forecast: Forecast) -> Iterator[str]:
    """The maximum, the expected usage per role and model, the total, and the basis of the estimate."""
    sessions, most = len(settings.dialogues) * settings.epochs, settings.most_turns
    most *= sessions
    what = plural(most, "turn of its own", "turns of its own") if settings.partner else plural(most, "call")
    for model in settings.models:
        yield f"{model}: {plural(sessions, 'session')}, at most {what} (cap {settings.cap})"
    yield "Expected, from the start of the run:"
    yield from expected_lines(forecast)


def expected_lines(forecast: Forecast) -> Iterator[str]:
    """What is expected of each role and model, the sum, and what it stands on."""
    for expected in forecast.expected:
        yield f"  {_expected_line(expected)}"
    unpriced = ", plus calls without a known price" * (not forecast.is_priced)
    yield f"  total: {_range(*forecast.usd, _money)}{unpriced}"
    yield forecast.grounds


def _expected_line(expected: Expected) -> str:
    calls = _range(*expected.calls, _count)
    calls += " call" if calls == "1" else " calls"
    if expected.usage is None:
        return f"{expected.role} {expected.model}: {calls} or more, tokens unknown"
    low, high = expected.usage
    prompts = _range(low.prompt_tokens, high.prompt_tokens, _count)
    answers = _range(low.completion_tokens, high.completion_tokens, _count)
    money = "price unknown" if expected.usd is None else _range(*expected.usd, _money)
    return f"{expected.role} {expected.model}: {calls}, {prompts} prompt + {answers} answer tokens, {money}"


def _range(low: float, high: float, text: Callable[[float], str]) -> str:
    first, last = text(low), text(high)
    return first if first == last else f"{first} to {last}"


def _count(number: float) -> str:
    """Three digits are enough for a guess."""
    for size, unit in ((1e9, " G"), (1e6, " M"), (1e4, " k")):
        if number >= size:
            return f"{number / (1e3 if unit == ' k' else size):.3g}{unit}"
    return f"{number:,.0f}"


def _money(amount: float) -> str:
    from evolif.report.wording import dollars

    return dollars(amount)
