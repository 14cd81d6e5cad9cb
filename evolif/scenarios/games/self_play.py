"""A game of two simulated players, without prompts and without a run: what they reach over many instances."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypedDict

from evolif.scenarios.games.ending import Reason, hear, rule
from evolif.scenarios.games.player_view import Rule
from evolif.scenarios.games.prompts import HeardTurn, Match, view_of
from evolif.scenarios.games.tokens import Tokenizer


class Rehearsal(TypedDict):
    """What was said, and how it ended.

    Attributes:
        texts: One a turn, as they were heard.
        truncated: How many of them were cut.
        reason: Why the game ended.
    """

    texts: list[str]
    truncated: int
    reason: Reason


def rehearse(
    instance: Mapping[str, Any], rules: Sequence[Rule], turns: int, tokenizer: Tokenizer, total_tokens: int = 256
) -> Rehearsal:
    """Have two rules play a game.

    Args:
        instance: As `generate` returns it.
        rules: Of player 1 and of player 2.
        turns: The most they may take; even.
        tokenizer: What counts their tokens.
        total_tokens: Of both together.

    Raises:
        ArgumentError: `turns` or `total_tokens` is out of range.
    """
    match = Match(instance, turns, tokenizer.name, total_tokens)
    said: list[HeardTurn] = []
    truncated = 0
    while True:
        view = view_of(match, said)
        heard = hear(rules[view.player](view), view.tokens, tokenizer)
        said.append(HeardTurn(heard.text))
        truncated += heard.truncated
        final = rule(view, instance["answer"][view.player], heard).final
        if final:
            return {"texts": [one.text for one in said], "truncated": truncated, "reason": final["reason"]}
