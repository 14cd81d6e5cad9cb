"""`language` (LNG, not in the paper): the language that the answer is in, or is not in."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Annotated, Any

from pydantic import AfterValidator, ConfigDict, Discriminator, Field, Tag, TypeAdapter, model_serializer

from evolif.scenarios.instructions.constraints.base import DrawContext, Group, ParamsModel, group_data
from evolif.scenarios.instructions.constraints.relations import ClosedParams, draw_weighted
from evolif.scenarios.instructions.turns import Params
from evolif.text import FIRST_RULES, Reading, plural
from evolif.text.languages import detect_language, language_of, may_be_in
from evolif.text.prose import without_addresses
from evolif.types import Verdict
from evolif.util.rng import Stream

_FIRST_CODES = frozenset({"de", "en", "es", "fr", "it", "nl", "pt"})
"""Those that were checked by edition 1 of the reading rules."""


def _known(code: str) -> str:
    names = group_data("language")["names"]
    if code not in names:
        raise ValueError(f"“{code}” is unknown; use {', '.join(names)}")
    return code


_Code = Annotated[str, AfterValidator(_known)]


class _Language(ParamsModel):
    misfits = {"not": "an answer in any other language, without “code”,"}  # noqa: RUF012 - as in the base
    code: _Code


class _Other(ClosedParams):
    model_config = ConfigDict(extra="forbid")
    other_than: Annotated[_Code, Field(alias="not")]

    @model_serializer
    def _as_given(self) -> dict[str, str]:
        return {"not": self.other_than}


def _kind(params: Any) -> str:
    return "not" if isinstance(params, dict) and "not" in params and "code" not in params else "code"


class Language(Group):
    """The language of the content, without code and addresses."""

    name = "language"
    adapter: TypeAdapter[Any] = TypeAdapter(
        Annotated[Annotated[_Language, Tag("code")] | Annotated[_Other, Tag("not")], Discriminator(_kind)]
    )

    def draw(self, stream: Stream, context: DrawContext) -> Params | None:
        """One of the pool's languages, or of its drawn parameters."""
        if "drawn" in context.pool:
            if "forbidden" in context.active:  # English words, which say nothing about another language
                return None
            return draw_weighted(stream, context)
        return {"code": stream.choice(context.pool["codes"])}

    def drawn_keys(self, pool: Mapping[str, Any]) -> Collection[str]:
        return ["whole"] if "drawn" in pool else ["all"]

    def key(self, params: Params) -> str:
        return "not" if "not" in params else "all"

    def slots(self, params: Params) -> dict[str, str]:
        return {"language": str(self.data["names"][params.get("not") or params["code"]])}

    def note(self, params: Params, fmt: str | None) -> str:
        return "In JSON, keys count as text." if fmt == "json" else ""

    def check(self, params: Params, reading: Reading) -> Verdict:
        names = self.data["names"]
        code = params.get("code")
        if code in _FIRST_CODES and reading.rules == FIRST_RULES:
            found = detect_language(reading.content_text)
            satisfied = found == code
        else:
            text = without_addresses("\n".join(reading.prose))
            found = language_of(text)
            satisfied = may_be_in(text, code) if code else found not in ("", params["not"])
        if not found:
            told = f"no language can be detected in {plural(reading.words, 'word')}"
        else:
            told = f"it reads as {names.get(found, f'another language ({found})')}"
        name = names[code or params["not"]]
        return self.verdict(satisfied, f"the text is {'' if code else 'not '}in {name}", told)
