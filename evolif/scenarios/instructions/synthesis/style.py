"""A persona's style as parameters: what a person with these habits types differently.

`personas/styles.yaml` gives every register its defaults and every phrase of the personas what it changes. The words
that a register has in stock are in `seeds/talk.yaml`; a phrase adds favourites of its own.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from evolif.errors import InputError
from evolif.scenarios.instructions.turns import Persona
from evolif.util.resources import complaint, data_path, load_data

OWN_REGISTERS = ("casual", "neutral", "formal", "brisk", "warm")
"""The registers that have a style and plans; registers of users have frames."""

_Share = Annotated[float, Field(ge=0, le=1)]
_Line = Annotated[str, Field(min_length=1, max_length=120, pattern=r"\S")]
_Lines = Annotated[tuple[_Line, ...], Field(max_length=20)]


class TypingStyle(BaseModel):
    """How a persona types; shares are of the messages where the habit has room.

    The head of `personas/styles.yaml` describes each parameter for whoever fills it in.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    length: Literal["short", "any", "long"] = "any"
    capitals: Literal["normal", "lower"] = "normal"
    stops: Literal["normal", "drop", "bang", "dots"] = "normal"
    contractions: Literal["normal", "full", "bare"] = "normal"
    spelling: Literal["any", "british", "american"] = "any"
    quotes: Literal["curly", "straight"] = "curly"
    lines: Literal["together", "apart"] = "together"
    refer: Literal["any", "name", "leave"] = "any"
    greeting: _Share = 0
    opener: _Share = 0
    reason: _Share = 0
    closer: _Share = 0
    thanks: _Share = 0
    filler: _Share = 0
    hedge: _Share = 0
    please: _Share = 0
    emoji: _Share = 0
    slips: _Share = 0
    front: _Share = 0
    greetings: _Lines = ()
    openers: _Lines = ()
    closers: _Lines = ()
    thanking: _Lines = ()
    fillers: _Lines = ()
    hedges: _Lines = ()
    emojis: _Lines = ()


LISTS = ("greetings", "openers", "closers", "thanking", "fillers", "hedges", "emojis")
"""The parameters that are lists of words; the others are choices and shares."""


@lru_cache(maxsize=1)
def _styles() -> tuple[Mapping[str, TypingStyle], Mapping[str, Mapping[str, Any]]]:
    """The registers' defaults and what each phrase changes, as the packaged file has them.

    Raises:
        InputError: a parameter or a value that does not exist.
    """
    path = data_path("personas", "styles.yaml")
    data = load_data(path)
    where = ""
    try:
        registers = {}
        for where in OWN_REGISTERS:
            registers[where] = TypingStyle.model_validate(data["registers"][where])
        phrases = {}
        for where, changes in data["phrases"].items():
            phrases[str(where)] = {name: getattr(TypingStyle.model_validate(changes), name) for name in changes}
    except ValidationError as fault:
        raise InputError(f"{where}: {complaint(fault, 'style')}", path=path) from None
    except (LookupError, TypeError, AttributeError):
        raise InputError("needs “registers” and “phrases”, each a mapping to parameters", path=path) from None
    return registers, phrases


def phrase_styles() -> Mapping[str, Mapping[str, Any]]:
    """What each known phrase of a persona changes, by phrase."""
    return _styles()[1]


@lru_cache(maxsize=4096)
def style_of(persona: Persona) -> TypingStyle:
    """The style of a persona: its register's defaults, changed by its phrases in their order.

    Choices and shares of a later phrase replace those of an earlier one; lists add up. A phrase that the file does not
    know changes nothing, and a register that it does not know has the defaults of `neutral`.
    """
    registers, phrases = _styles()
    changes: dict[str, Any] = {}
    for phrase in persona.phrases:
        for name, value in phrases.get(phrase, {}).items():
            changes[name] = (*changes.get(name, ()), *value) if name in LISTS else value
    base = registers.get(persona.register) or registers["neutral"]
    return base.model_copy(update=changes)
