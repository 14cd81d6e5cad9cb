"""The strategy `summary:K`: the latest rounds in full, each older one as a line."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from evolif.contexts.base import Context, Shown
from evolif.contexts.own_model import Tally
from evolif.contexts.summarising import Summariser
from evolif.contexts.tokens import count_tokens
from evolif.contexts.tree import SUMMARIES, storable, user_text
from evolif.errors import ArgumentError, UsageError
from evolif.types import Exchange, Message, Prompt

DEFAULT_FULL = 2
HEADING = "Earlier in this conversation:"
MOST_TOKENS = 400
"""Of all lines together, without the heading; above it the older half of them is condensed."""
CONDENSED = "condensed"
"""The note with the lines condensed at this turn, by the number of their round as text."""


class Summaries:
    """Shows the latest rounds, and a line of each older one under a heading in the system message.

    Where the lines together exceed 400 tokens, the oldest half of them, of an odd number the smaller one, is condensed.
    A condensed line stays as it is. Once a turn is enough: a turn adds one line.

    Args:
        k: How many rounds are shown in full; 0 for none.
        name: With all options.
        summariser: Makes and condenses summaries.

    Raises:
        ArgumentError: a negative number.
        UsageError: the extra `contexts` is not installed.
    """

    def __init__(self, k: int, name: str, summariser: Summariser) -> None:
        if k < 0:
            raise ArgumentError(f"the number of rounds must be at least 0, not {k}")
        count_tokens("")
        self.k = k
        self.name = name
        self._summariser = summariser

    async def build(self, system: str, past: Sequence[Exchange], prompt: Prompt) -> Context:
        """System text with a line for each older round, the latest rounds, prompt.

        Raises:
            UsageError: the notes are not those of this conversation.
            ModelError: the provider of its own model cannot be reached.
        """
        tally = Tally()
        older = max(0, len(past) - self.k)
        made: dict[str, str] = {}
        lines = _noted(past, SUMMARIES)
        for number, exchange in enumerate(past[:older], 1):
            if number not in lines:
                text = await self._summariser.summarise(user_text(exchange.prompt), exchange.heard, tally)
                made[str(number)] = lines[number] = storable(text)
        short = _noted(past, CONDENSED)
        new = await self._condense({number: lines[number] for number in range(1, older + 1)}, short, tally)
        lines |= short
        shown: dict[int, Shown] = {number: "summary" for number in range(1, older + 1) if lines[number]}
        block = "\n".join([HEADING, *(lines[number] for number in shown)]) if shown else ""
        opening = "\n\n".join(part for part in (system, block) if part)
        messages = [Message("system", opening)] if opening else []
        for number in range(older + 1, len(past) + 1):
            messages += past[number - 1].messages
            shown[number] = "full"
        messages += prompt.messages
        notes: dict[str, Any] = {name: found for name, found in ((SUMMARIES, made), (CONDENSED, new)) if found}
        return Context(tuple(messages), shown, cost=tally.cost(), notes=notes)

    async def _condense(self, lines: dict[int, str], short: dict[int, str], tally: Tally) -> dict[str, str]:
        """Condense the oldest half of too long a block, as far as it is not condensed yet.

        Args:
            lines: All of them, as they were made.
            short: Those that are condensed already; gets the others.
            tally: Counts calls and fallbacks.

        Returns:
            The new ones, as they are noted.
        """
        now = {number: text for number, text in (lines | short).items() if text}
        if count_tokens("\n".join(now.values())) <= MOST_TOKENS:
            return {}
        numbers = [number for number in list(now)[: len(now) // 2] if number not in short]
        if not numbers:
            return {}
        texts = await self._summariser.condense([now[number] for number in numbers], tally)
        new = {number: storable(text) for number, text in zip(numbers, texts, strict=True)}
        short |= new
        return {str(number): text for number, text in new.items()}


def _noted(past: Sequence[Exchange], name: str) -> dict[int, str]:
    """Lines that earlier turns noted, by round.

    Raises:
        UsageError: these are none.
    """
    found: dict[int, str] = {}
    for number, exchange in enumerate(past, 1):
        try:
            found |= {int(earlier): str(text) for earlier, text in (exchange.notes.get(name) or {}).items()}
        except (AttributeError, ValueError) as fault:
            raise UsageError(
                f"the notes of round {number} are none of the context strategy summary ({fault}); start a new run"
            ) from fault
    return found
