"""Strategies that need no model: the whole conversation, and its latest rounds."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from itertools import chain
from typing import Any

from evolif.contexts.base import Context, Shown
from evolif.errors import ArgumentError
from evolif.types import Exchange, Message, Prompt

DEFAULT_ROUNDS = 4


class FullHistory:
    """Shows everything."""

    name = "full"

    async def build(self, system: str, past: Sequence[Exchange], prompt: Prompt) -> Context:
        """System text, all rounds, prompt."""
        return chosen_rounds(range(len(past)), system, past, prompt)


class LastRounds:
    """Shows the latest rounds.

    Args:
        k: How many; 0 for none.

    Raises:
        ArgumentError: a negative number.
    """

    def __init__(self, k: int = DEFAULT_ROUNDS) -> None:
        self.k = _checked(k)
        self.name = f"last:{k}"

    async def build(self, system: str, past: Sequence[Exchange], prompt: Prompt) -> Context:
        """System text, the latest rounds, prompt."""
        return chosen_rounds(range(max(0, len(past) - self.k), len(past)), system, past, prompt)


def chosen_rounds(
    places: Iterable[int], system: str, past: Sequence[Exchange], prompt: Prompt, notes: Mapping[str, Any] | None = None
) -> Context:
    """The context that shows some rounds in full.

    Args:
        places: Their positions in `past`, from 0, ascending.
        system: The system text; empty for none.
        past: All exchanges, oldest first.
        prompt: What is asked next.
        notes: What is new at this turn.
    """
    messages = [*_opening(system)]
    shown: dict[int, Shown] = {}
    for place in places:
        messages += past[place].messages
        shown[place + 1] = "full"
    messages += prompt.messages
    return Context(tuple(messages), shown, notes=notes or {})


@lru_cache(maxsize=256)
def _opening(system: str) -> tuple[Message, ...]:
    """The message of a system text, the same object at every turn."""
    return (Message("system", system),) if system else ()


def full_history(turns: Sequence[tuple[str, str]], query: str, system: str = "") -> tuple[Message, ...]:
    """The messages of a whole conversation.

    Args:
        turns: Texts of user and assistant, oldest first.
        query: What the user says next.
        system: The system text; empty for none.
    """
    return chosen_turns(turns, query, system)


def last_turns(
    turns: Sequence[tuple[str, str]], query: str, k: int = DEFAULT_ROUNDS, system: str = ""
) -> tuple[Message, ...]:
    """The messages of the latest rounds.

    Args:
        turns: Texts of user and assistant, oldest first.
        query: What the user says next.
        k: How many rounds are shown; 0 for none.
        system: The system text, which is always shown; empty for none.

    Raises:
        ArgumentError: `k` is negative.
    """
    return chosen_turns(turns[max(0, len(turns) - _checked(k)) :], query, system)


def chosen_turns(turns: Iterable[tuple[str, str]], query: str, system: str) -> tuple[Message, ...]:
    """The messages of some rounds.

    Args:
        turns: Texts of user and assistant, oldest first.
        query: What the user says next.
        system: The system text; empty for none.
    """
    rounds = chain.from_iterable((Message("user", user), Message("assistant", reply)) for user, reply in turns)
    return (*_opening(system), *rounds, Message("user", query))


def _checked(k: int) -> int:
    if k < 0:
        raise ArgumentError(f"the number of rounds must be at least 0, not {k}")
    return k
