"""The prompts of a game: what a player is told at each of its turns, in one call."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from evolif.errors import ArgumentError
from evolif.scenarios.games import wording as say
from evolif.scenarios.games.arguments import even
from evolif.scenarios.games.ending import choices_of
from evolif.scenarios.games.instance import private_image, private_text
from evolif.scenarios.games.player_view import View
from evolif.scenarios.games.turns import WORDS_FACTOR, TurnBudget, budget, turn_meta
from evolif.types import Image, Message

History: TypeAlias = Literal["transcript", "chat"]
"""How the past is told: as a transcript in one message, or as the messages of a chat."""
PICTURES = "image"
"""The modality of instances that are shown as pictures; all others are shown as `text`."""
PNG = "image/png"


@dataclass(frozen=True, slots=True)
class Match:
    """An instance and the rules under which it is played."""

    instance: Mapping[str, Any]
    turns: int
    """Of the whole dialogue; even."""
    tokenizer: str
    """The name of what counts tokens."""
    total_tokens: int = 256
    """Of the whole dialogue, both players together."""
    words_factor: float = WORDS_FACTOR
    history: History = "transcript"
    hold_answers: bool = False
    rules: int = 2
    """The edition of how pictures are told and answers are read; 1 for benchmarks from before there were several."""

    def __post_init__(self) -> None:
        check_instance(self.instance)

    @property
    def budget(self) -> TurnBudget:
        """What a turn may have.

        Raises:
            ArgumentError: the turns are not even, or a number is out of range.
        """
        return budget(self.total_tokens, self.turns, self.words_factor)

    @property
    def modality(self) -> str:
        """`image` or `text`."""
        return modality_of(self.instance)


@dataclass(frozen=True, slots=True)
class HeardTurn:
    """One turn of the past, as it was heard."""

    text: str
    refused: bool = False
    """Whether it was an answer that came too early."""


def check_instance(instance: Any) -> None:
    """Refuse what is no instance of a game.

    Raises:
        ArgumentError: it is none.
    """
    try:
        private, answer = instance["private"], instance["answer"]
        fits = instance["game"] in say.WORDINGS and len(private) == len(answer) == 2
        fits = fits and all(choices_of(instance, player) for player in (0, 1))
    except (KeyError, TypeError, IndexError, AttributeError):
        fits = False
    if not fits:
        raise ArgumentError("this is no instance of a game; give what `generate` returns")


def modality_of(instance: Mapping[str, Any]) -> str:
    """`image` for an instance that is shown as pictures, else `text`."""
    return PICTURES if instance.get("settings", {}).get("modality") == PICTURES else "text"


def view_of(match: Match, said: Sequence[HeardTurn]) -> View:
    """What the player whose turn is next may know."""
    turn = len(said) + 1
    player = turn_meta(turn, match.turns)["player"]
    instance = match.instance
    return View(
        game=instance["game"],
        settings=instance.get("settings", {}),
        player=player,
        private=instance["private"][player],
        public=instance.get("public"),
        choices=choices_of(instance, player),
        may_answer=instance["answer"][player] is not None,
        turn=turn,
        turns=match.turns,
        tokens=match.budget["tokens_per_turn"],
        tokenizer=match.tokenizer,
        said=tuple(one.text for one in said),
        rules=match.rules,
    )


def turn_messages(match: Match, said: Sequence[HeardTurn]) -> tuple[Message, ...]:
    """The messages of the call for the next turn; the last one is the user's.

    Pictures come first, each in a message of its own with its label.

    With `transcript` it is one message: who is who, what the player sees, the rules, what was said, line by line, and
    how many turns are left. With `chat` the player's own turns are the assistant's messages, the partner's the user's.

    Args:
        match: What is played.
        said: All turns so far, oldest first.

    Raises:
        ArgumentError: there are no turns left, or the turns are not even.
    """
    even(match.turns)
    player = turn_meta(len(said) + 1, match.turns)["player"]
    intro, images, labelled = _intro(match, player), _unlabelled(match, player), _labelled(match, (player,))
    if match.history == "chat":
        return (*labelled, *_chat(match, player, said, intro, images))
    text = "\n\n".join((intro, _transcript(player, said), _status(match, said)))
    return (*labelled, Message("user", text, images))


def alone_messages(match: Match, player: int) -> tuple[Message, ...]:
    """The call of a player who answers at once, from its own part only.

    Args:
        match: What is played; its turns do not matter.
        player: 0 or 1; one who may answer.

    Raises:
        ArgumentError: the player may not answer.
    """
    if match.instance["answer"][player] is None:
        raise ArgumentError(f"player {player} may not answer in the game {match.instance['game']}; ask the other one")
    words = _words(match)
    parts = (
        say.ALONE.format(you=words.roles[player]),
        _fill(words.task, match),
        _shown(match, player, say.SEEN.format(sees=_fill(words.sees[player], match))),
        words.care,
        say.AT_ONCE.format(form=words.form, example=words.example),
    )
    text = "\n\n".join(filter(None, parts))
    return (*_labelled(match, (player,)), Message("user", text, _unlabelled(match, player)))


def together_messages(match: Match) -> tuple[Message, ...]:
    """The call of one model that sees both parts, and answers at once as player 2."""
    words = _words(match)
    shown = (
        _shown(
            match, player, say.PLAYER_SEES.format(number=player + 1, sees=_fill(words.sees[player], match)), both=True
        )
        for player in (0, 1)
    )
    parts = (
        say.TOGETHER.format(you=words.roles[1]),
        _fill(words.task, match),
        *shown,
        say.ORDER if match.modality == PICTURES and match.rules < 2 else "",
        words.care,
        say.AT_ONCE.format(form=words.joint_form or words.form, example=words.example),
    )
    text, images = "\n\n".join(filter(None, parts)), _unlabelled(match, 0) + _unlabelled(match, 1)
    return (*_labelled(match, (0, 1)), Message("user", text, images))


def _words(match: Match) -> say.Wording:
    game = match.instance["game"]
    if game not in say.WORDINGS:
        raise ArgumentError(f"there is no game {game!r}; there are {', '.join(say.WORDINGS)}")
    return say.WORDINGS[game]


def _fill(text: str, match: Match) -> str:
    """A sentence with what the instance makes of it. What stands in the instance is never read as a pattern."""
    public = match.instance.get("public") or {}
    question = str(public.get("question", "")) if isinstance(public, Mapping) else ""
    return text.replace("{n}", str(choices_of(match.instance, 1))).replace("{question}", question)


def _intro(match: Match, player: int) -> str:
    """All that stays the same from turn to turn."""
    words, partner, answer = _words(match), 1 - player, match.instance["answer"]
    form = {"form": words.form, "example": words.example}
    if answer[player] is None:
        answering = (say.I_ANSWER.format(**form), say.I_END)
    else:
        who = say.YOU_ANSWER if answer[partner] is None else say.BOTH_ANSWER
        answering = (who.format(**form), say.ENDS)
    rules = (say.LENGTH.format(words=match.budget["stated_words"]), *answering, say.REPLY, words.care)
    parts = (
        say.OPENING.format(you=words.roles[player], me=words.roles[partner]),
        _fill(words.task, match),
        _shown(match, player, say.SEEN.format(sees=_fill(words.sees[player], match))),
        say.PARTNER_SEES.format(sees=_fill(words.partner_sees[partner], match)),
        "\n".join(f"- {rule}" for rule in rules if rule),
    )
    return "\n\n".join(parts)


def _shown(match: Match, player: int, heading: str, *, both: bool = False) -> str:
    if match.modality == PICTURES:
        return f"{heading[:-1]} ({_whereabouts(match, player, both=both)})."
    return f"{heading}\n{private_text(match.instance, player).rstrip()}"


def _whereabouts(match: Match, player: int, *, both: bool) -> str:
    """Where the pictures of a player are; `both` if those of both are shown."""
    if match.rules < 2:
        return "attached"
    several = len(match.instance["private"][player].get("images", ())) > 1
    return (say.ABOVE if several else say.ABOVE_ONE).format(label=_label(match, player, both=both))


def _label(match: Match, player: int, *, both: bool) -> str:
    label = _words(match).pictures[player]
    return say.WHOSE.format(number=player + 1, label=label.lower()) if both else label


def _labelled(match: Match, players: Sequence[int]) -> tuple[Message, ...]:
    """Each picture of these players in a message of its own, below its label."""
    if match.rules < 2:
        return ()
    messages: list[Message] = []
    for player in players:
        images, label = _images(match, player), _label(match, player, both=len(players) > 1)
        for at, image in enumerate(images):
            messages.append(Message("user", f"{label} {at}:" if len(images) > 1 else f"{label}:", (image,)))
    return tuple(messages)


def _unlabelled(match: Match, player: int) -> tuple[Image, ...]:
    """The pictures that hang on the text: those of benchmarks from before they had labels."""
    return _images(match, player) if match.rules < 2 else ()


def _images(match: Match, player: int) -> tuple[Image, ...]:
    if match.modality != PICTURES:
        return ()
    found = private_image(match.instance, player)
    pictures = [found] if isinstance(found, bytes) else list(found)
    return tuple(Image(data, PNG) for data in pictures)


def _status(match: Match, said: Sequence[HeardTurn]) -> str:
    """How many turns are left, and what that means."""
    meta = turn_meta(len(said) + 1, match.turns)
    lines = [say.TOO_EARLY] if said and said[-1].refused else []
    lines.append(say.LEFT.format(left=meta["turns_left"]))
    if meta["final"]:
        lines.append(say.FINAL)
    elif meta["penultimate"]:
        lines.append(say.PENULTIMATE)
    return "\n".join(lines)


def _transcript(player: int, said: Sequence[HeardTurn]) -> str:
    """Numbered turns. Further lines of a text are indented, so that no text can pass for another turn."""
    if not said:
        return say.NOTHING_SAID
    lines = [say.SAID]
    for number, one in enumerate(said, 1):
        who = "YOU" if (number - 1) % 2 == player else "ME"
        text = "\n   ".join(one.text.strip().splitlines())
        lines.append(f"{number}. {who}: {text}".rstrip())
    return "\n".join(lines)


def _chat(
    match: Match, player: int, said: Sequence[HeardTurn], intro: str, images: tuple[Image, ...]
) -> tuple[Message, ...]:
    """The same as a chat: what was asked at the player's earlier turns comes again as it was."""
    messages: list[Message] = []
    for place in range(player, len(said) + 1, 2):
        before = said[:place]
        parts = [] if messages else [intro]
        parts += [before[-1].text] if before else []
        content = "\n\n".join((*parts, _status(match, before)))
        messages.append(Message("user", content, () if messages else images))
        if place < len(said):
            messages.append(Message("assistant", said[place].text))
    return tuple(messages)
