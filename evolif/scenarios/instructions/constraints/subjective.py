"""The groups that only a judge can check: `emotion`, `audience` and `style` (paper §4.1), and three of our own.

For the first three a judge scores the answer from 1 to 10 for the value; above 6, the constraint is satisfied. For
`tone`, `genre` and `persona` it answers questions with yes or no and a quotation; all must be answered with yes.
"""

from __future__ import annotations

from typing import Annotated, Any, ClassVar

from pydantic import AfterValidator, TypeAdapter, create_model

from evolif.scenarios.instructions.constraints.base import DrawContext, Group, ParamsModel, group_data
from evolif.scenarios.instructions.turns import Params
from evolif.util.rng import Stream


def _adapter(name: str, param: str = "", values_in: str = "describe") -> TypeAdapter[Any]:
    """Accepts `{param: value}`, by default the group's name, if the group's data file has an entry for the value."""

    def known(value: str) -> str:
        values = group_data(name)[values_in]
        if value not in values:
            raise ValueError(f"“{value}” is unknown; use {', '.join(values)}")
        return value

    fields: dict[str, Any] = {param or name: (Annotated[str, AfterValidator(known)], ...)}
    return TypeAdapter(create_model(name, __base__=ParamsModel, **fields))


class SubjectiveGroup(Group):
    """One parameter, which is named like the group; its value selects the phrase."""

    subjective = True

    def draw(self, stream: Stream, context: DrawContext) -> Params | None:
        return {self.name: context.pick(stream, self.name, context.pool["values"])}

    def key(self, params: Params) -> str:
        return str(params[self.name])

    def same_kind(self, before: Params, after: Params) -> bool:
        return True  # another mood, another reader, another style

    def slots(self, params: Params) -> dict[str, str]:
        return {"value": str(params[self.name])}


class Emotion(SubjectiveGroup):
    """Which emotion the answer conveys."""

    name = "emotion"
    adapter = _adapter(name)


class Audience(SubjectiveGroup):
    """Which age group the answer is written for."""

    name = "audience"
    adapter = _adapter(name)


class Style(SubjectiveGroup):
    """How the answer is written."""

    name = "style"
    adapter = _adapter(name)


class QuestionedGroup(SubjectiveGroup):
    """A group whose judge answers questions on the value."""

    param: ClassVar[str]
    """The one parameter."""

    def draw(self, stream: Stream, context: DrawContext) -> Params | None:
        return {self.param: context.pick(stream, self.name, context.pool["values"])}

    def key(self, params: Params) -> str:
        return "all"

    def slots(self, params: Params) -> dict[str, str]:
        return {"value": str(params[self.param])}

    def questions(self, params: Params) -> tuple[str, ...]:
        """What a judge answers with yes or no, and a quotation."""
        return tuple(self.data["questions"][params[self.param]])


class Tone(QuestionedGroup):
    """How the answer sounds."""

    name = param = "tone"
    adapter = _adapter(name, values_in="questions")


class Genre(QuestionedGroup):
    """What kind of text the answer is."""

    name = param = "genre"
    adapter = _adapter(name, values_in="questions")


class PersonaVoice(QuestionedGroup):
    """In whose voice the answer is written."""

    name, param = "persona", "as"
    adapter = _adapter(name, param, "questions")
