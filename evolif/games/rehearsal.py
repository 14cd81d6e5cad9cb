"""A game of two simulated players, without a run: for figures of reference players over many instances."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypedDict

from evolif.games.reading import has_marker, read_answer, same_answer
from evolif.games.tokens import Tokenizer, truncate
from evolif.games.turns import budget, turn_meta
from evolif.games.view import Rule, View

TOKENS = 256
"""Of a whole dialogue, both players together."""


class Rehearsal(TypedDict):
    """What was said, and how it ended.

    Attributes:
        texts: One a turn, as they were heard.
        reason: `correct`, `wrong`, `unparseable` or `no_answer`.
    """

    texts: list[str]
    reason: str


def rehearse(
    instance: Mapping[str, Any], rules: Sequence[Rule], turns: int, tokenizer: Tokenizer, total_tokens: int = TOKENS
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
    tokens = budget(total_tokens, turns)["tokens_per_turn"]
    game, choices = instance["game"], choices_of(instance)
    texts: list[str] = []
    for turn in range(1, turns + 1):
        meta = turn_meta(turn, turns)
        player = meta["player"]
        may_answer = player in instance["answerers"]
        view = View(
            game, instance["settings"], player, instance["private"][player], instance["public"], choices, may_answer,
            turn, turns, tokens, tokenizer.name, tuple(texts),
        )  # fmt: skip
        texts.append(truncate(rules[player](view), tokens, tokenizer))
        said = read_answer(game, texts[-1], choices) if may_answer else None
        if said is not None:
            right = same_answer(game, said, instance["answer"][player])
            return {"texts": texts, "reason": "correct" if right else "wrong"}
    return {"texts": texts, "reason": "unparseable" if has_marker(game, texts[-1]) else "no_answer"}


def choices_of(instance: Mapping[str, Any]) -> int:
    """How many rows or images there are to choose from; 1 where the answer is none of them."""
    if instance["game"] == "names":
        return len(instance["private"][0]["rows"])
    return max((len(part.get("images", ())) for part in instance["private"]), default=0) or 1
