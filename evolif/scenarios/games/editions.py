"""Editions of games: what is generated changes with a new one, and benchmarks of an older one stay what they are."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Final

from pydantic import BaseModel, ConfigDict, Field, SerializerFunctionWrapHandler, model_serializer

from evolif.scenarios.games.instance import maker_of

FIRST: Final = 1
"""Of benchmarks that do not name one."""
LATEST: Final = 2


class EditedSettings(BaseModel):
    """Settings of a game that has editions; the first one is not written down, as it was before there were others."""

    model_config = ConfigDict(frozen=True, use_attribute_docstrings=True)

    edition: Annotated[int, Field(ge=FIRST, le=LATEST)] = LATEST
    """Which edition of the generator makes the instances; in the second one player has more to tell."""

    @model_serializer(mode="wrap")
    def _told(self, serialize: SerializerFunctionWrapHandler) -> dict[str, Any]:
        return {name: value for name, value in serialize(self).items() if (name, value) != ("edition", FIRST)}


def has_editions(game: str) -> bool:
    """Whether there is more than one edition of a game."""
    return "edition" in maker_of(game).settings.model_fields


def stored_edition(game: str, settings: Mapping[str, Any]) -> dict[str, Any]:
    """The settings that a benchmark stores, with the edition that is meant where it names none."""
    return {"edition": FIRST, **settings} if has_editions(game) else dict(settings)


def latest_edition(game: str, settings: Mapping[str, Any]) -> dict[str, Any]:
    """The edition to store of a benchmark that is made now, as a change of its options."""
    chosen = settings.get("edition", LATEST)
    return {"edition": None if chosen == FIRST else chosen} if has_editions(game) else {}
