"""Turns and tokens: what a turn may cost, whose it is, and what of the budget was used."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import TypedDict

from evolif.errors import ArgumentError
from evolif.scenarios.games.arguments import even, texts_of, whole
from evolif.scenarios.games.tokens import Tokenizer, check_tokenizer
from evolif.text import plural

WORDS_FACTOR = 0.7
"""Words that a prompt states for each token that a turn may have."""
_ROUNDING = 1e-9
"""So that a product that is whole but for rounding is not rounded down."""


class TurnBudget(TypedDict):
    """What a turn may have.

    Attributes:
        tokens_per_turn: Tokens of one turn; a longer text is cut.
        stated_words: Words that the prompt allows.
        tokens_per_player: Tokens of all turns of one player.
    """

    tokens_per_turn: int
    stated_words: int
    tokens_per_player: int


class TurnMeta(TypedDict):
    """Where in its dialogue a turn is.

    Attributes:
        player: Whose turn it is, 0 or 1.
        turns_left: This one included.
        final: Whether it is the last one.
        penultimate: Whether it is the last but one.
    """

    player: int
    turns_left: int
    final: bool
    penultimate: bool


class DialogueUsage(TypedDict):
    """What a dialogue used of what it may.

    Attributes:
        turns_used: How many turns were taken; an empty one is one.
        turn_fraction: Their share of the turns allowed.
        tokens_p0: Tokens of the player who begins.
        tokens_p1: Tokens of the other.
        token_fraction: The share of the tokens allowed that both used.
    """

    turns_used: int
    turn_fraction: float
    tokens_p0: int
    tokens_p1: int
    token_fraction: float


def budget(total_tokens: int, turns: int, words_factor: float = WORDS_FACTOR) -> TurnBudget:
    """Share the tokens of a dialogue among its turns.

    Args:
        total_tokens: Of the whole dialogue, both players together; at least 1.
        turns: Even, at least 2.
        words_factor: Words stated for each token; above 0.

    Raises:
        ArgumentError: an argument is out of range.
    """
    per_turn = whole("total_tokens", total_tokens, 1) // even(turns)
    number = isinstance(words_factor, int | float) and not isinstance(words_factor, bool)
    if not number or not 0 < words_factor <= 1e6:
        raise ArgumentError(f"words_factor is {words_factor!r}; give a number above 0, such as {WORDS_FACTOR}")
    words = math.floor(per_turn * words_factor + _ROUNDING)
    return {"tokens_per_turn": per_turn, "stated_words": words, "tokens_per_player": per_turn * (turns // 2)}


def turn_meta(turn: int, turns: int) -> TurnMeta:
    """Say whose a turn is and how many are left.

    Args:
        turn: From 1.
        turns: Of the whole dialogue; even.

    Raises:
        ArgumentError: there is no such turn.
    """
    if whole("turn", turn, 1) > even(turns):
        raise ArgumentError(f"turn is {turn}, but there are {turns}; give one from 1 to {turns}")
    left = turns - turn + 1
    return {"player": (turn - 1) % 2, "turns_left": left, "final": left == 1, "penultimate": left == 2}


def usage(texts: Iterable[str], cap: int, total: int, tokenizer: Tokenizer) -> DialogueUsage:
    """Measure how much of its turns and tokens a dialogue used.

    Args:
        texts: What was said, one text a turn, as the partner saw it.
        cap: The turns allowed; at least 1.
        total: The tokens allowed, both players together; at least 1.
        tokenizer: What counts the tokens.

    Raises:
        ArgumentError: an argument is out of range, or there are more texts than turns.
    """
    said = texts_of(texts)
    if len(said) > whole("cap", cap, 1):
        raise ArgumentError(f"there are {len(said)} texts, but {plural(cap, 'turn')}; give one text a turn")
    whole("total", total, 1)
    check_tokenizer(tokenizer)
    tokens = [len(tokenizer.spans(text)) for text in said]
    return {
        "turns_used": len(said),
        "turn_fraction": len(said) / cap,
        "tokens_p0": sum(tokens[::2]),
        "tokens_p1": sum(tokens[1::2]),
        "token_fraction": sum(tokens) / total,
    }
