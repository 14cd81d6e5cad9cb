"""The options of games: what a benchmark has, and how it is played."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeAlias, get_origin

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    SerializationInfo,
    SerializerFunctionWrapHandler,
    create_model,
    field_validator,
    model_serializer,
)

from evolif.errors import ArgumentError
from evolif.scenarios.games.instance import game_names, maker_of
from evolif.scenarios.games.prompts import History
from evolif.scenarios.games.stored import Reference

if TYPE_CHECKING:
    from pydantic.fields import FieldInfo

_MOST_TURNS = 1_000
LATEST_RULES = 2
"""The edition of how pictures are told and answers are read that new benchmarks have."""


GameName: TypeAlias = Literal["chess", "names", "scenes", "shapes", "questions"]


class GameOptions(BaseModel):
    """What a benchmark has; the settings of the games are added below, each with its game's own default."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    game: Annotated[
        tuple[GameName, ...],
        Field(min_length=1, description="Which game is played; of several, every instance number has one of each."),
    ] = ("names",)
    turns: Annotated[
        tuple[int, ...],
        Field(
            min_length=1,
            description="Numbers of turns that dialogues have, each even; every instance is played with each of them.",
        ),
    ] = (2, 4, 8, 16)

    rules: Annotated[
        int,
        Field(
            ge=1,
            le=LATEST_RULES,
            description="The edition of how pictures are told and final answers are read; 1 makes a benchmark as "
            "releases before editions did.",
        ),
    ] = LATEST_RULES

    @field_validator("game", mode="before")
    @classmethod
    def _are_parted(cls, value: Any) -> Any:
        return tuple(part.strip() for part in value.split(",")) if isinstance(value, str) else value

    @field_validator("game")
    @classmethod
    def _differ(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        if len(set(value)) < len(value):
            raise ValueError("a game stands there twice; give each once")
        return value

    @field_validator("turns")
    @classmethod
    def _are_even(cls, value: tuple[int, ...]) -> tuple[int, ...]:
        for turns in value:
            if turns % 2 or not 2 <= turns <= _MOST_TURNS:
                raise ValueError(f"there are no dialogues of {turns} turns; give even numbers from 2 to {_MOST_TURNS}")
        if len(set(value)) < len(value):
            raise ValueError("a number of turns stands there twice; give each once")
        return value

    @model_serializer(mode="wrap")
    def _chosen(self, serialize: SerializerFunctionWrapHandler, info: SerializationInfo) -> dict[str, Any]:
        told = {name: value for name, value in serialize(self).items() if value is not None}
        # Headers from before editions name none, and keep their bytes; what tells options from defaults names all.
        if self.rules == 1 and not info.exclude_defaults:
            told.pop("rules", None)
        if len(self.game) == 1 and "game" in told:
            told["game"] = self.game[0]  # as headers from before several games have it
        return told

    def settings_for(self, game: str) -> dict[str, Any]:
        """The chosen settings that a game has; of a single game all, so that one that it lacks is refused.

        Raises:
            ArgumentError: none of several games has one of them.
        """
        chosen = self.settings
        if len(self.game) == 1:
            return chosen
        known = {str(one): maker_of(one).settings.model_fields for one in self.game}
        lacking = [name for name in chosen if not any(name in fields for fields in known.values())]
        if lacking:
            raise ArgumentError(f"none of the games {', '.join(self.game)} has a setting {lacking[0]!r}")
        return {name: value for name, value in chosen.items() if name in known[game]}

    @property
    def settings(self) -> dict[str, Any]:
        """The settings of the games that were chosen."""
        return self.model_dump(mode="json", exclude={"game", "turns", "rules"})


def with_settings() -> type[GameOptions]:
    """The options with the settings of all games, each None unless it is chosen; the games check the values."""
    kinds: dict[str, Any] = {}
    told: defaultdict[str, defaultdict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    for game in game_names():
        for name, field in maker_of(game).settings.model_fields.items():
            kind: Any = tuple[int, ...] if get_origin(field.annotation) is tuple else field.annotation
            kinds[name] = kinds[name] | kind if name in kinds else kind
            told[name][_described(field)].append(game)
    fields: dict[str, Any] = {}
    for name, kind in kinds.items():
        what = " ".join(f"{', '.join(games)}: {text}" for text, games in told[name].items())
        fields[name] = (Annotated[kind | None, Field(description=what)], None)
    return create_model("GameOptions", __base__=GameOptions, **fields)


def _described(field: FieldInfo) -> str:
    """What a setting is, and what it is unless it is chosen."""
    what = " ".join((field.description or "").split())
    usual = ",".join(map(str, field.default)) if isinstance(field.default, tuple) else field.default
    return what if usual is None else f"{what} Usually {usual}."


class GamePlay(BaseModel):
    """How a benchmark is played."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    player: Annotated[
        int, Field(ge=0, le=1, description="Which player the model under test is: 0 begins, 1 has the last turn.")
    ] = 0
    tokens: Annotated[
        int, Field(ge=1, le=1_000_000, description="Tokens of a whole dialogue; each turn has an equal part of them.")
    ] = 256
    words_factor: Annotated[
        float, Field(gt=0, le=100, description="Words that the prompt allows for each token of a turn.")
    ] = 0.7
    history: Annotated[
        History,
        Field(
            description="How the past is told: as a transcript in one message, or as a chat, with own turns as the "
            "assistant's messages and the partner's as the user's."
        ),
    ] = "transcript"
    hold_answers: Annotated[
        bool, Field(description="Refuse answers before the last turn; --fork replays what ended early.")
    ] = False
    reference: Annotated[
        Reference,
        Field(
            description="Ask without a dialogue: floor (the model answers from its own part), ceiling (it sees both "
            "parts); none to play."
        ),
    ] = "none"
    tokenizer: Annotated[
        Literal["subword", "regex"],
        Field(description="What counts tokens: 32,000 subwords (extra games), or words and marks."),
    ] = "subword"
