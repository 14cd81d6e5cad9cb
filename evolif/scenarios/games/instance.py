"""Instances of games: what each player sees, what both see, and the key; a pure function of game, settings and number.

A game registers a `Maker`, which draws the content and shows it. This module does what all games have in common: checks
arguments, names the random stream, and lays the instance out as plain JSON values.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from hashlib import blake2b
from importlib import import_module
from typing import Any, ClassVar, Protocol

from pydantic import BaseModel, ValidationError

from evolif.errors import ArgumentError
from evolif.scenarios.games.arguments import whole
from evolif.util.resources import complaint
from evolif.util.rng import Purpose, Stream

Instance = dict[str, Any]
"""`{game, number, seed, settings, private, public, answer, roles, answerers, chance, floor, proof}`."""
_MAKERS: Mapping[str, str] = {
    "chess": "evolif.scenarios.games.boards:BoardMaker",
    "names": "evolif.scenarios.games.names:TableMaker",
    "scenes": "evolif.scenarios.games.matching:SceneMaker",
    "shapes": "evolif.scenarios.games.matching:ShapeMaker",
    "questions": "evolif.scenarios.games.questions:QuestionMaker",
}
"""The games of this package: where the class is that makes their instances. Imported when they are first asked for."""


@dataclass(frozen=True, slots=True)
class GameContent:
    """What a game draws for one instance; everything in it is plain JSON."""

    private: Sequence[Any]
    """What only player 1 sees, and only player 2."""
    answer: Sequence[Any]
    """The right answer by player, as that player sees it; None for one who may not answer."""
    proof: Any
    """Why it is right: what a program finds again from the two private parts."""
    chance: float
    """How often a blind guess is right."""
    public: Mapping[str, Any]
    """What both see."""


class Maker(Protocol):
    """What makes the instances of one game; inherit from it."""

    settings: ClassVar[type[BaseModel]]
    """Its settings, all with defaults; values are JSON once dumped."""
    roles: ClassVar[tuple[str, str]] = ("player", "player")
    answerers: ClassVar[tuple[int, ...]] = (0, 1)
    """Who may answer."""

    def draw(self, stream: Stream, settings: Any) -> GameContent:
        """The content of the instance whose stream this is."""
        ...

    def floor(self, settings: Any, content: GameContent) -> float:
        """How often the best guess from one private part is right, as measured over instances of these settings."""
        ...

    def text(self, instance: Mapping[str, Any], player: int) -> str:
        """What a player sees, as text."""
        ...

    def image(self, instance: Mapping[str, Any], player: int) -> Any:
        """What a player sees, as PNG.

        Raises:
            ArgumentError: the game has no pictures.
        """
        raise ArgumentError(f"the game {instance['game']} has no pictures; show its text")


def generate(game: str, number: int, *, seed: int, **settings: Any) -> Instance:
    """Make one instance.

    Args:
        game: Its name.
        number: Which one, from 0 on without end.
        seed: Of the sequence; at least 0.
        **settings: Of the game, such as `gap` of chess and `n` of names; others keep their defaults.

    Returns:
        The instance as plain JSON values, the same on any machine. `answer` and `proof` are keys.

    Raises:
        ArgumentError: there is no such game, a setting that it does not have, or a value out of range.
        UsageError: the game needs an extra that is not installed.
    """
    maker = maker_of(game)
    whole("number", number, 0)
    whole("seed", seed, 0)
    chosen = settings_of(game, settings)
    content = maker.draw(stream_of(game, chosen, seed, number), chosen)
    return {
        "game": game,
        "number": number,
        "seed": seed,
        "settings": chosen.model_dump(mode="json"),
        "private": list(content.private),
        "public": dict(content.public),
        "answer": list(content.answer),
        "roles": list(maker.roles),
        "answerers": list(maker.answerers),
        "chance": content.chance,
        "floor": maker.floor(chosen, content),
        "proof": content.proof,
    }


def game_names() -> tuple[str, ...]:
    """The games that there are."""
    return tuple(_MAKERS)


def maker_of(game: str) -> Maker:
    """What makes the instances of a game.

    Raises:
        ArgumentError: there is no such game.
    """
    if not isinstance(game, str) or game not in _MAKERS:
        raise ArgumentError(f"there is no game {game!r}; there are {', '.join(_MAKERS)}")
    return _opened(game)


@cache
def _opened(game: str) -> Maker:
    module, _, name = _MAKERS[game].partition(":")
    maker: Maker = getattr(import_module(module), name)()
    return maker


def settings_of(game: str, given: Mapping[str, Any]) -> BaseModel:
    """The settings of a game, complete.

    Raises:
        ArgumentError: it has no such setting, or a value does not fit.
    """
    model = maker_of(game).settings
    unknown = [name for name in given if name not in model.model_fields]
    if unknown:
        known = ", ".join(model.model_fields) or "none"
        raise ArgumentError(f"the game {game} has no setting {unknown[0]!r}; it has {known}")
    try:
        return model.model_validate(dict(given))
    except ValidationError as fault:
        raise ArgumentError(f"the settings of {game} do not fit: {complaint(fault, '')}") from None


def stream_of(game: str, settings: BaseModel, seed: int, number: int) -> Stream:
    """The draws of one instance, apart from those of any other game, settings, seed or number."""
    named = json.dumps([game, settings.model_dump(mode="json")], sort_keys=True)
    digest = int.from_bytes(blake2b(named.encode(), digest_size=8).digest(), "big")
    return Stream(seed, Purpose.GAMES, digest, number)


def private_text(instance: Mapping[str, Any], player: int) -> str:
    """What a player sees, as text.

    Args:
        instance: As `generate` returns it.
        player: 0 or 1.

    Raises:
        ArgumentError: one of them is something else.
    """
    maker = _maker_for(instance, player)
    with _parts_of(instance):
        return maker.text(instance, player)


def private_image(instance: Mapping[str, Any], player: int) -> Any:
    """What a player sees, as PNG.

    Args:
        instance: As `generate` returns it.
        player: 0 or 1.

    Raises:
        ArgumentError: one of them is something else, or the game has no pictures.
        UsageError: the extra `games` is not installed.
    """
    maker = _maker_for(instance, player)
    with _parts_of(instance):
        return maker.image(instance, player)


def _maker_for(instance: Mapping[str, Any], player: int) -> Maker:
    if whole("player", player, 0) > 1:
        raise ArgumentError(f"player is {player}; give 0 for the first, 1 for the second")
    if not isinstance(instance, Mapping) or not {"game", "private"} <= set(instance):
        raise ArgumentError("this is no instance of a game; give what `generate` returns")
    return maker_of(instance["game"])


@contextmanager
def _parts_of(instance: Mapping[str, Any]) -> Iterator[None]:
    """Say so where the private parts are not those of the game."""
    try:
        yield
    except (KeyError, IndexError, TypeError, AttributeError) as fault:
        raise ArgumentError(
            f"the private parts are not those of {instance['game']} ({fault!r}); give what `generate` returns"
        ) from fault
