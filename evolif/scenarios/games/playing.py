"""A game outside a run: two models, or two functions, talk until one answers or the turns are used up."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from inspect import isawaitable
from typing import Any, TypeAlias

from evolif.errors import ArgumentError
from evolif.models import ChatModel, ChatRequest
from evolif.scenarios.games.arguments import even
from evolif.scenarios.games.ending import Ending, hear, rule
from evolif.scenarios.games.prompts import HeardTurn, History, Match, view_of
from evolif.scenarios.games.stored import GameTurn, Played, turn_of, turn_prompt
from evolif.scenarios.games.tokens import SubwordTokenizer, Tokenizer, check_tokenizer
from evolif.scenarios.games.turns import WORDS_FACTOR
from evolif.types import Message, Prompt

Player: TypeAlias = ChatModel | Callable[[tuple[Message, ...]], Awaitable[str]]
"""A model, or a function from the messages of a call to a text."""


async def play(
    instance: Mapping[str, Any],
    players: Sequence[Player],
    turns: int,
    *,
    total_tokens: int = 256,
    words_factor: float = WORDS_FACTOR,
    tokenizer: Tokenizer | None = None,
    history: History = "transcript",
    hold_answers: bool = False,
) -> Played:
    """Play one dialogue.

    Args:
        instance: As `generate` returns it, whole.
        players: Two; the first begins, the second has the last turn. The same one may play both.
        turns: Of the dialogue; even.
        total_tokens: Of the dialogue, both players together; a turn gets an equal part of them.
        words_factor: Words that the prompt states for each token.
        tokenizer: What counts tokens; a `SubwordTokenizer` if None.
        history: `transcript`: one message a call; `chat`: own turns as the assistant's, the partner's as the user's.
        hold_answers: Refuse answers before the last turn.

    Returns:
        The dialogue as plain JSON values.

    Raises:
        ArgumentError: an argument is out of range, or a player gives something else than a text.
        UsageError: the extra `games` is needed and not installed.
        ModelError: a model failed; there is no result.
    """
    if not isinstance(players, Sequence):
        raise ArgumentError(f"{players!r} is no list of players; give a list of two")
    if len(players) != 2:
        raise ArgumentError(f"there are {len(players)} players; give two")
    if history not in ("transcript", "chat"):
        raise ArgumentError(f"history is {history!r}; give transcript or chat")
    counts = check_tokenizer(tokenizer) if tokenizer is not None else SubwordTokenizer()
    match = Match(instance, even(turns), counts.name, total_tokens, words_factor, history, hold_answers)
    said: list[HeardTurn] = []
    taken: list[GameTurn] = []
    final: Ending | None = None
    while final is None:
        view = view_of(match, said)
        answer = await _ask(players[view.player], turn_prompt(match, said))
        heard = hear(answer, view.tokens, counts)
        ruling = rule(view, instance["answer"][view.player], heard, hold_answers=hold_answers)
        said.append(HeardTurn(heard.text, "refused" in ruling.flags))
        taken.append(turn_of(view.player, heard, ruling))
        final = ruling.final
    return {
        "instance": instance,
        "turns": taken,
        "final": final,
        "turn_budget": turns,
        "pair": [_name(player) for player in players],
        "modality": match.modality,
        "total_tokens": total_tokens,
        "tokenizer": counts.name,
        "hold_answers": hold_answers,
        "reference": "none",
    }


async def _ask(player: Player, prompt: Prompt) -> str:
    # A model's `complete` comes first: a model may be callable as well.
    complete = getattr(player, "complete", None)
    if complete is not None:
        text = (await complete(ChatRequest(prompt.messages, prompt=prompt))).text
    elif callable(player):
        said = player(prompt.messages)
        if not isawaitable(said):
            raise ArgumentError(f"the player {_name(player)} is no async function; define it with `async def`")
        text = await said
    else:
        raise ArgumentError(f"{player!r} is no player; give a chat model or an async function")
    if not isinstance(text, str):
        raise ArgumentError(f"the player {_name(player)} gave {type(text).__name__}, which is no text")
    return text


def _name(player: Player) -> str:
    own = getattr(player, "name", None) or getattr(player, "__name__", None)
    return own if isinstance(own, str) else type(player).__name__
