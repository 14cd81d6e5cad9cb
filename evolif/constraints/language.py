"""`language` (LNG): which language the answer is in, by langdetect with a fixed seed. Not in the paper."""

from __future__ import annotations

from functools import lru_cache
from importlib.util import find_spec
from typing import Annotated, Any

from pydantic import AfterValidator, TypeAdapter

from evolif.constraints.base import DrawContext, Group, ParamsModel, group_data, plural
from evolif.errors import UsageError
from evolif.rng import Stream
from evolif.text import Reading
from evolif.types import Params, Verdict

READ_CHARACTERS = 10_000
"""What langdetect reads of a text at most; the rest is not handed to it, so that time stays bounded."""

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
    """An own factory with an own seed: langdetect's shared one is left as it is."""
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
    """The code of the likeliest language of `text`, case ignored; empty where there is none to tell.

    Raises:
        UsageError: langdetect is not installed.
    """
    detector = _factory().create()
    from langdetect.lang_detect_exception import LangDetectException

    # Words in capitals are passed over by langdetect, so that a text in capitals would have no language.
    detector.append(text[:READ_CHARACTERS].lower())
    try:
        return str(detector.detect())
    except LangDetectException:  # no letters
        return ""


class Language(Group):
    """The content's language is the one asked for."""

    name = "language"
    adapter: TypeAdapter[Any] = TypeAdapter(_Language)

    def require(self) -> None:
        """Look for langdetect before anything is generated; loading it takes a moment and is left for later."""
        if find_spec("langdetect") is None:
            raise UsageError(_MISSING)

    def draw(self, stream: Stream, context: DrawContext) -> Params | None:
        """One of the pool's languages, all alike."""
        return {"code": stream.choice(context.pool["codes"])}

    def key(self, params: Params) -> str:
        """One description serves all."""
        return "all"

    def slots(self, params: Params) -> dict[str, str]:
        """The language's English name."""
        return {"language": str(self.data["names"][params["code"]])}

    def note(self, params: Params, fmt: str | None) -> str:
        """What is text in a data format."""
        return "In JSON, keys count as text." if fmt == "json" else ""

    def check(self, params: Params, reading: Reading) -> Verdict:
        """Detect the language of the content."""
        names = self.data["names"]
        expected = f"the text is in {names[params['code']]}"
        found = detect_language(reading.content_text)
        if not found or found == "unknown":
            told = f"no language can be told from {plural(reading.words, 'word')}"
        else:
            told = f"it reads as {names.get(found, f'another language ({found})')}"
        return self.verdict(found == params["code"], expected, told)
