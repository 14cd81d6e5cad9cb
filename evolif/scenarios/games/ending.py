"""How a turn is heard, and whether it ends the game: cut to its tokens, read as an answer, compared with the key."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal, TypeAlias, TypedDict

from evolif.scenarios.games.arguments import text_of
from evolif.scenarios.games.final_answers import final_answer
from evolif.scenarios.games.player_view import View
from evolif.scenarios.games.question_answers import kind_of
from evolif.scenarios.games.reading import Answer, has_marker, read_answer, same_answer
from evolif.scenarios.games.tokens import Tokenizer, cut

Reason: TypeAlias = Literal["correct", "wrong", "unparseable", "no_answer"]
"""Why a game ended."""
Flag: TypeAlias = Literal["truncated", "empty", "unreadable", "not_entitled", "refused"]
"""What is remarkable about a turn."""
REASONS: Final[Mapping[Reason, str]] = {
    "correct": "the answer is right",
    "wrong": "the answer is wrong",
    "unparseable": "the last turn holds the words of an answer, but no answer that can be read",
    "no_answer": "the last turn gives no answer",
}
"""What each reason means."""


class Ending(TypedDict):
    """How a game ended.

    Attributes:
        player: Who spoke last, 0 or 1.
        parsed: The answer as it was read; None without one that counts.
        turn: The last turn that was taken, from 1.
        reason: Why the game ended.
    """

    player: int
    parsed: Answer | None
    turn: int
    reason: Reason


@dataclass(frozen=True, slots=True)
class Heard:
    """What the partner sees of a text, and the parser reads."""

    text: str
    tokens: int
    truncated: bool
    """Whether something was cut off."""


@dataclass(frozen=True, slots=True)
class Ruling:
    """What one turn does to the game."""

    flags: tuple[Flag, ...]
    final: Ending | None
    """None if the game goes on."""


def hear(text: str, limit: int, tokenizer: Tokenizer) -> Heard:
    """Cut what a player said to the tokens of one turn.

    Args:
        text: As said.
        limit: The most tokens that a turn may have; at least 0.
        tokenizer: What counts them.
    """
    spans = tokenizer.spans(text_of(text))
    kept = cut(text, limit, spans)
    if len(spans) <= limit:
        return Heard(kept, len(spans), False)
    # A character whose tokens do not all fit goes whole, so fewer may stay than are allowed.
    return Heard(kept, sum(end <= len(kept) for _, end in spans[:limit]), True)


def choices_of(instance: Mapping[str, Any], player: int) -> int:
    """How many rows a player has, or how many images the one has who guesses; 1 in the other games."""
    game, private = instance["game"], instance["private"]
    if game == "names":
        return max(1, len(private[player]["rows"]))
    if game in ("scenes", "shapes"):
        return max(1, *(len(part["images"]) for part in private))
    return 1


def rule(view: View, key: object, heard: Heard, *, hold_answers: bool = False) -> Ruling:
    """Decide whether a turn ends the game, and flag what is remarkable about it.

    The first readable answer of a player who may answer ends the game; otherwise the last turn does. An answer that
    cannot be read is talk before the last turn, and so is an answer by a player who may not give one.

    Args:
        view: Whose turn it is, and which.
        key: The right answer as the speaker sees it.
        heard: What was said.
        hold_answers: Refuse answers before the last turn; they are flagged `refused`, and the game goes on.

    Raises:
        ArgumentError: there is no such game.
    """
    parsed = _answer_in(view, heard.text)
    marked = parsed is None and has_marker(view.game, heard.text)
    counts = parsed is not None and view.may_answer
    flags: dict[Flag, bool] = {
        "truncated": heard.truncated,
        "empty": not heard.text.strip(),
        "unreadable": marked and not view.is_final,
        "not_entitled": parsed is not None and not view.may_answer,
        "refused": counts and hold_answers and not view.is_final,
    }
    told = tuple(flag for flag, holds in flags.items() if holds)
    if not view.is_final and (not counts or hold_answers):
        return Ruling(told, None)
    reason: Reason = "unparseable" if marked else "no_answer"
    if counts:
        reason = "correct" if same_answer(view.game, parsed, key) else "wrong"
    answer = parsed if counts else None
    return Ruling(told, {"player": view.player, "parsed": answer, "turn": view.turn, "reason": reason})


def _answer_in(view: View, text: str) -> Answer | None:
    """What a text answers, by the rules under which the game is played."""
    if view.rules < 2:
        return read_answer(view.game, text, view.choices)
    kind = kind_of(view.public)
    return final_answer(view.game, text, view.choices, is_final=view.is_final, kind=kind)


def answer_text(game: str, key: Answer) -> str:
    """The answer that a key stands for, in the words of its game."""
    if game == "chess":
        return f"_{key}_"
    if game == "names":
        return f"SELECT ROW {key}"
    if game == "questions":
        return f"ANSWER: {key}"
    return "ANSWER: No match" if key == "none" else f"ANSWER: Image {key}"
