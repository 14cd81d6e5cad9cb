"""What a run waits for, in lines: calls in flight with their age, pauses with their end, repeats with their reason."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping

from evolif.models import Waiting
from evolif.runner import Live
from evolif.runner.events import CallsInFlight
from evolif.text import plain, plural
from evolif.types import Role

_DAY = 86_400.0
_PRODUCTS: Mapping[Role, str] = {
    "target": "answer",
    "partner": "partner's answer",
    "judge": "verdict",
    "context": "note",
    "synthesizer": "wording",
    "checker": "wording check",
}
"""What each role is expected to deliver."""
_MOST_REPEATS = 5
"""Reasons of repeats that are named."""


def live_lines(live: Live) -> Iterator[str]:
    """What goes on in the process that plays a run, or that nothing is known of it."""
    if live.is_silent:
        yield (
            f"No sign of life from the process that plays this run for {duration(time.time() - live.told)}. If it was "
            "killed, the same command resumes the run."
        )
        return
    if live.calls:
        yield f"Waiting for {calls_text(live.calls)}."
    for model, held in live.held:
        yield hold_line(model, held, live.told)
    if live.repeats:
        often = sorted(live.repeats, key=lambda one: -one[2])
        named = ", ".join(f"{plain(model)} {number} × {plain(why)}" for model, why, number in often[:_MOST_REPEATS])
        more = ", and others" * (len(often) > _MOST_REPEATS)
        yield f"Repeated requests: {named}{more}."


def calls_text(calls: Iterable[CallsInFlight]) -> str:
    """“1 answer from local/x (31 s), 2 verdicts from openai/y (5 s)”: the age of the oldest in brackets.

    Where the attempts are known: “(31 s; attempt 2 of 6, each up to 120 s, see --timeout)”.
    """
    return ", ".join(
        f"{plural(call.calls, _PRODUCTS.get(call.role, 'answer'))} from {plain(call.model)} "
        f"({call.longest:.0f} s{_attempt_text(call)})"
        for call in calls
    )


def _attempt_text(call: CallsInFlight) -> str:
    if call.timeout is None:
        return ""
    most = "" if call.attempts is None else f" of {call.attempts}"
    return f"; attempt {call.attempt}{most}, each up to {call.timeout:g} s, see --timeout"


def hold_line(model: str, held: Waiting, now: float) -> str:
    """“openai/x: 12 calls wait until 14:05:10 (its endpoint asked for that)”."""
    calls = "1 call waits" if held.calls == 1 else f"{held.calls} calls wait"
    moment = time.localtime(now + held.seconds)
    day = "" if held.seconds < _DAY else time.strftime("%Y-%m-%d ", moment)
    return f"{plain(model)}: {calls} until {day}{time.strftime('%H:%M:%S', moment)} ({plain(held.reason)})"


def duration(seconds: float) -> str:
    """“45 s”, “12 min”, “3.5 h”."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    minutes = seconds / 60
    return f"{minutes:.0f} min" if minutes < 90 else f"{minutes / 60:.1f} h"
