"""A game as a run stores it: each turn's prompt with what its answer is judged by, and the dialogue read back.

The payload of a prompt holds `view` (what the player may know, and how much it may say) and `key` (the right answer as
this player sees it, None if it may not answer). That of a dialogue's first prompt holds `match` as well: the instance,
and the rules under which it is played. No model sees a payload.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields, replace
from typing import Any, Literal, TypedDict

from evolif.scenarios.games.ending import Ending, Flag, Heard, Ruling, hear, rule
from evolif.scenarios.games.player_view import View
from evolif.scenarios.games.prompts import (
    HeardTurn,
    Match,
    alone_messages,
    modality_of,
    together_messages,
    turn_messages,
    view_of,
)
from evolif.scenarios.games.tokens import Tokenizer
from evolif.text import MAX_BODY_BYTES
from evolif.types import Label, Prompt, Seat

Reference = Literal["none", "floor", "ceiling"]
"""Whether a game is played, or answered at once: from one part (`floor`), or from both (`ceiling`)."""


class GameTurn(TypedDict):
    """One turn.

    Attributes:
        player: Who spoke, 0 or 1.
        text: As the partner saw it: cut after its last allowed token.
        tokens: How many it has.
        truncated: Whether something was cut off.
        flags: What is remarkable about it: `truncated`, `empty`, `unreadable`, `not_entitled`, `refused`.
    """

    player: int
    text: str
    tokens: int
    truncated: bool
    flags: list[Flag]


class Played(TypedDict):
    """A dialogue.

    Attributes:
        instance: What was played, with its keys.
        turns: Those that were taken.
        final: How it ended; None if it was broken off.
        turn_budget: The turns allowed.
        pair: The names of both players, in order; of the one model where it answered at once.
        modality: Whether `text` was shown or an `image`.
        total_tokens: The tokens allowed, both players together.
        tokenizer: The name of what counted them.
        hold_answers: Whether answers before the last turn were refused.
        reference: `none` for a game; `floor` or `ceiling` for an answer without a dialogue.
    """

    instance: Mapping[str, Any]
    turns: list[GameTurn]
    final: Ending | None
    turn_budget: int
    pair: list[str]
    modality: str
    total_tokens: int
    tokenizer: str
    hold_answers: bool
    reference: Reference


def turn_prompt(match: Match, said: Sequence[HeardTurn], *, dialogue: int = 1, target: int = 0) -> Prompt:
    """The prompt of the next turn.

    Args:
        match: What is played.
        said: All turns so far, oldest first.
        dialogue: The number of the dialogue in its benchmark, from 1.
        target: Which player the model under test is.

    Raises:
        ArgumentError: there are no turns left, or the turns are not even.
    """
    view = view_of(match, said)
    seat: Seat = "target" if view.player == target else "partner"
    prompt = Prompt(dialogue, view.turn, turn_messages(match, said), seat)
    return _told(prompt, match, view, "none")


def reference_prompt(match: Match, reference: Reference, *, dialogue: int = 1, target: int = 0) -> Prompt:
    """The only prompt of a model that answers at once.

    It may say as much as a player of a game of two turns.

    Args:
        match: What would be played.
        reference: `floor`: from one part, that of `target`, or of the other player if `target` may not answer;
            `ceiling`: from both parts, as player 2.
        dialogue: The number of the dialogue in its benchmark, from 1.
        target: 0 or 1.
    """
    player = target if reference == "floor" and match.instance["answer"][target] is not None else 1
    short = replace(match, turns=2)
    opening = view_of(short, [HeardTurn("")] * player)
    view = replace(opening, turn=1, turns=1, said=())
    messages = alone_messages(short, player) if reference == "floor" else together_messages(short)
    return _told(Prompt(dialogue, 1, messages), match, view, reference)


def _told(prompt: Prompt, match: Match, view: View, reference: Reference) -> Prompt:
    instance = match.instance
    labels: dict[str, Label] = {
        "game": view.game,
        "instance": instance.get("number", 0),
        "turn_budget": match.turns,
        "modality": match.modality,
        "player": view.player,
    }
    payload: dict[str, Any] = {"view": view.as_json(), "key": instance["answer"][view.player]}
    if view.turn == 1:
        payload["match"] = {**_rules(match), "instance": dict(instance), "reference": reference}
    return replace(prompt, payload=payload, labels=labels, fixed=view.turn == 1)


def _rules(match: Match) -> dict[str, Any]:
    """The rules that decide what is asked: a dialogue is the same until an answer is refused."""
    names = {field.name for field in fields(match)} - {"instance", "hold_answers"}
    told = {name: getattr(match, name) for name in sorted(names)}
    return told if match.rules > 1 else {name: value for name, value in told.items() if name != "rules"}


def stored_view(prompt: Prompt) -> View:
    """What the player of a stored prompt may know."""
    told = prompt.payload["view"]
    return View(**{**told, "said": tuple(told["said"])})


def heard_in(prompt: Prompt, answer: str, tokenizer: Tokenizer) -> Heard:
    """What the partner hears of an answer, as received or as stored: no file holds half a surrogate pair.

    Of more than 64 KiB only the beginning is read, as of more tokens than the turn may have.
    """
    read = answer.encode("utf-8", "replace")[:MAX_BODY_BYTES].decode("utf-8", "ignore")
    return hear(read, prompt.payload["view"]["tokens"], tokenizer)


def ruling_on(prompt: Prompt, heard: Heard, *, hold_answers: bool = False) -> Ruling:
    """What an answer does to the game, by the key that its prompt holds."""
    return rule(stored_view(prompt), prompt.payload["key"], heard, hold_answers=hold_answers)


def said_in(exchanges: Iterable[tuple[Prompt, str]], *, hold_answers: bool = False) -> list[HeardTurn]:
    """The turns so far, from their prompts and what was heard."""
    return [
        HeardTurn(text, hold_answers and "refused" in _of_text(prompt, text, hold_answers).flags)
        for prompt, text in exchanges
    ]


def end_of(prompt: Prompt, text: str, *, hold_answers: bool = False) -> Ending | None:
    """How the game ended with what was heard; None if it goes on."""
    return _of_text(prompt, text, hold_answers).final


def _of_text(prompt: Prompt, text: str, hold_answers: bool) -> Ruling:
    return ruling_on(prompt, Heard(text, 0, False), hold_answers=hold_answers)


def dialogue_of(
    answers: Sequence[tuple[Prompt, str]], pair: Sequence[str], tokenizer: Tokenizer, *, hold_answers: bool = False
) -> Played | None:
    """Read a dialogue back from what a run stores of it.

    Args:
        answers: Each prompt with the answer as received, in order.
        pair: The names of both players, in order.
        tokenizer: The one that the run used.
        hold_answers: As in the run.

    Returns:
        What `play` returns, with `final` None if the dialogue was broken off; None without a turn.
    """
    if not answers:
        return None
    turns: list[GameTurn] = []
    final: Ending | None = None
    for prompt, answer in answers:
        heard = heard_in(prompt, answer, tokenizer)
        ruling = ruling_on(prompt, heard, hold_answers=hold_answers)
        turns.append(turn_of(prompt.payload["view"]["player"], heard, ruling))
        final = ruling.final
    match = answers[0][0].payload["match"]
    alone = match["reference"] != "none"
    return {
        "instance": match["instance"],
        "turns": turns,
        "final": final,
        "turn_budget": match["turns"],
        "pair": list(pair[:1] if alone else pair),
        "modality": modality_of(match["instance"]),
        "total_tokens": match["total_tokens"],
        "tokenizer": match["tokenizer"],
        "hold_answers": hold_answers,
        "reference": match["reference"],
    }


def turn_of(player: int, heard: Heard, ruling: Ruling) -> GameTurn:
    """One turn as plain JSON."""
    return {
        "player": player,
        "text": heard.text,
        "tokens": heard.tokens,
        "truncated": heard.truncated,
        "flags": list(ruling.flags),
    }
