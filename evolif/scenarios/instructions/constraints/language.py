"""`language` (LNG, not in the paper): the language of the answer, detected by langdetect with a fixed seed."""

from __future__ import annotations

from functools import lru_cache
from importlib.util import find_spec
from typing import Annotated, Any

from pydantic import AfterValidator, TypeAdapter

from evolif.errors import UsageError
from evolif.scenarios.instructions.constraints.base import DrawContext, Group, ParamsModel, group_data
from evolif.scenarios.instructions.turns import Params
from evolif.text import Reading, plural
from evolif.types import Verdict
from evolif.util.rng import Stream

READ_CHARACTERS = 10_000
"""Limit on langdetect's input, to bound the time."""

_SEED = 0
_MISSING = "constraints on the language need the package langdetect (extra `nlp`): pip install langdetect"


def _known(code: str) -> str:
    names = group_data("language")["names"]
    if code not in names:
        raise ValueError(f"“{code}” is unknown; use {', '.join(names)}")
    return code


class _Language(ParamsModel):
    code: Annotated[str, AfterValidator(_known)]


@lru_cache(maxsize=1)
def _factory() -> Any:
    """A separate factory with its own seed, so that langdetect's shared one stays unchanged."""
    try:
        from langdetect.detector_factory import PROFILES_DIRECTORY, DetectorFactory
    except ImportError:
        raise UsageError(_MISSING) from None
    factory = DetectorFactory()
    factory.load_profile(PROFILES_DIRECTORY)
    factory.seed = _SEED
    return factory


@lru_cache(maxsize=1024)
def detect_language(text: str) -> str:
    """The code of the most likely language of `text`, case ignored; empty if there is none.

    Raises:
        UsageError: langdetect is not installed.
    """
    detector = _factory().create()
    from langdetect.lang_detect_exception import LangDetectException

    # langdetect skips words in capitals, so that a text in capitals would have no language.
    detector.append(text[:READ_CHARACTERS].lower())
    try:
        return str(detector.detect())
    except LangDetectException:  # no letters
        return ""


class Language(Group):
    """The language of the content."""

    name = "language"
    adapter: TypeAdapter[Any] = TypeAdapter(_Language)

    def require(self) -> None:
        """Look for langdetect before anything is generated, without loading it, which is slow."""
        if find_spec("langdetect") is None:
            raise UsageError(_MISSING)

    def draw(self, stream: Stream, context: DrawContext) -> Params | None:
        return {"code": stream.choice(context.pool["codes"])}

    def slots(self, params: Params) -> dict[str, str]:
        return {"language": str(self.data["names"][params["code"]])}

    def note(self, params: Params, fmt: str | None) -> str:
        return "In JSON, keys count as text." if fmt == "json" else ""

    def check(self, params: Params, reading: Reading) -> Verdict:
        names = self.data["names"]
        expected = f"the text is in {names[params['code']]}"
        found = detect_language(reading.content_text)
        if not found or found == "unknown":
            text = f"no language can be detected in {plural(reading.words, 'word')}"
        else:
            text = f"it reads as {names.get(found, f'another language ({found})')}"
        return self.verdict(found == params["code"], expected, text)
