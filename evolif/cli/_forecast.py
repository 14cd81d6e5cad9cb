"""What `--dry-run` prints."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from evolif.money import Expected, Forecast
    from evolif.protocol import RunSettings


def forecast_lines(settings: RunSettings, told: Forecast) -> Iterator[str]:
    """The most there can be, what is expected of each role and model, the sum, and what it stands on."""
    sessions, cap = len(settings.dialogues) * settings.epochs, settings.max_turns
    for model in settings.models:
        yield f"{model}: {sessions} sessions, at most {sessions * cap} calls (cap {cap} turns)"
    yield "Expected, from the run's start:"
    yield from expected_lines(told)


def expected_lines(told: Forecast) -> Iterator[str]:
    """What is expected of each role and model, the sum, and what it stands on."""
    for one in told.expected:
        yield f"  {_line(one)}"
    low, high = told.usd
    unpriced = " and what has no known price" * any(one.usd is None for one in told.expected)
    yield f"  in all: {_range(low, high, _money)}{unpriced}"
    yield told.grounds


def _line(one: Expected) -> str:
    calls = _range(*one.calls, _count)
    if one.usage is None:
        return f"{one.role} {one.model}: {calls} calls or more, tokens unknown"
    low, high = one.usage
    prompts = _range(low.prompt_tokens, high.prompt_tokens, _count)
    answers = _range(low.completion_tokens, high.completion_tokens, _count)
    money = "price unknown" if one.usd is None else _range(*one.usd, _money)
    return f"{one.role} {one.model}: {calls} calls, {prompts} prompt + {answers} answer tokens, {money}"


def _range(low: float, high: float, said: Callable[[float], str]) -> str:
    first, last = said(low), said(high)
    return first if first == last else f"{first} to {last}"


def _count(number: float) -> str:
    """Three digits are enough for a guess."""
    for size, unit in ((1e9, " G"), (1e6, " M"), (1e4, " k")):
        if number >= size:
            return f"{number / (1e3 if unit == ' k' else size):.3g}{unit}"
    return f"{number:,.0f}"


def _money(amount: float) -> str:
    from evolif.report import dollars

    return dollars(amount)
