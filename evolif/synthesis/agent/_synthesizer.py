"""What words turns: the agent on a chat model, or what a plug-in brings."""

from __future__ import annotations

import os
from collections.abc import Awaitable
from inspect import isawaitable
from typing import Protocol

from evolif._errors import EvolifError, UsageError
from evolif.domain import Finding, Turn
from evolif.synthesis._notes import reading_note, with_note
from evolif.synthesis.agent._agent import CheckQuery, rules
from evolif.synthesis.agent._attempt import Attempt, Meter
from evolif.synthesis.agent._cleaning import clean_query, form_findings, storable
from evolif.synthesis.agent._settings import synthesis_settings

ENTRY_POINTS = "evolif.synthesizers"
"""Where plug-ins register: entry point `NAME = "module:factory"`, with `factory(seed) -> Writer`."""


class Synthesizer(Protocol):
    """Puts turns into words that the checkers have seen."""

    @property
    def name(self) -> str:
        """The source of the turns it words."""
        ...

    async def say(self, turn: Turn, meter: Meter) -> Attempt:
        """The words of a turn; the query that the turn may hold is not looked at."""
        ...


class Writer(Protocol):
    """What a plug-in brings: words for a turn. They pass the same checkers as anybody's."""

    def write(self, turn: Turn, findings: tuple[Finding, ...]) -> str | Awaitable[str]:
        """The words; `findings` is what was held against the last ones, empty at first."""
        ...


class PluginSynthesizer:
    """The loop around a plug-in's words.

    Args:
        name: The entry point's name.
        writer: What it brings.
        check: The rules; `evolif.synthesis.check_query` where None.
    """

    def __init__(self, name: str, writer: Writer, check: CheckQuery | None = None) -> None:
        self._name = name
        self._writer = writer
        self._check = check or rules()

    @property
    def name(self) -> str:
        """The entry point's name."""
        return self._name

    async def say(self, turn: Turn, meter: Meter) -> Attempt:
        """The words of a turn, after at most k attempts.

        Raises:
            UsageError: the plug-in broke.
        """
        attempts = synthesis_settings().attempts
        query, findings = "", tuple[Finding, ...]()
        for attempt in range(1, attempts + 1):
            query = with_note(clean_query(await self._written(turn, findings)), reading_note(turn))
            findings = form_findings(query, turn.witness) or tuple(self._check(turn, query))
            if not findings:
                return Attempt(query, (), attempt, meter.total)
            meter.failed_attempt(findings)
        return Attempt(storable(query), findings, attempts, meter.total)

    async def _written(self, turn: Turn, findings: tuple[Finding, ...]) -> str:
        try:
            words = self._writer.write(turn, findings)
            text = await words if isawaitable(words) else words
        except EvolifError:
            raise
        except Exception as fault:
            what = f"{type(fault).__name__}: {fault}"
            raise UsageError(f"the synthesizer {self._name} broke ({what}); mend or leave out its plug-in") from fault
        if not isinstance(text, str):
            raise UsageError(f"the synthesizer {self._name} gave no text; mend or leave out its plug-in")
        return text


def load_plugin(name: str, seed: int, check: CheckQuery | None = None) -> PluginSynthesizer:
    """The synthesizer that an installed package offers under a name; only ever the one that was named.

    Raises:
        UsageError: there is none, or it cannot be loaded.
    """
    from importlib.metadata import entry_points

    allowed = os.environ.get("EVOLIF_PLUGINS") != "0"
    found = list(entry_points(group=ENTRY_POINTS, name=name)) if allowed else []
    if not found:
        raise UsageError(f"there is no synthesizer “{name}”; use template, or a chat model such as openai/NAME")
    try:
        writer: Writer = found[0].load()(seed)
    except Exception as fault:
        what = f"{type(fault).__name__}: {fault}"
        raise UsageError(
            f"{name}: the plug-in {found[0].value} cannot be loaded ({what}); mend or remove it"
        ) from fault
    return PluginSynthesizer(name, writer, check)
