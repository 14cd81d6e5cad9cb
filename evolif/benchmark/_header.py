"""`benchmark.json`: what a benchmark is made of; nothing machine-specific."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, SerializerFunctionWrapHandler, ValidationError, model_serializer

from evolif._errors import InputError, UsageError
from evolif._json_lines import complaint
from evolif._version import __version__
from evolif.constraints import table_version
from evolif.text import READING_RULES_VERSION
from evolif.tracker import Profile

FORMAT_VERSION = 1


# A header comes from anywhere: it may name a model, and never say where the key for it is sent.
_SynthesizerName = Annotated[str, Field(max_length=300, pattern=r"^[^?\s]([^?\x00-\x1f]*[^?\s])?$")]


class Spec(BaseModel):
    """All that scripts and template wording are a function of, beside topics and personas."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    profile: Profile
    seed: Annotated[int, Field(ge=0)]
    dialogues: Annotated[int, Field(ge=1)]
    turns: Annotated[int, Field(ge=1)]
    synthesizers: Annotated[tuple[_SynthesizerName, ...], Field(min_length=1, max_length=100)] = ("template",)
    """Who words the dialogues, `NAME` or `NAME=WEIGHT`; names without endpoints, keys or paths."""
    checker: _SynthesizerName | None = None
    """The model that checks what rules cannot know."""

    @model_serializer(mode="wrap")
    def _without_absent(self, written: SerializerFunctionWrapHandler) -> dict[str, Any]:
        # What is absent is not written, so that a benchmark made before there were checkers keeps its identity.
        data: dict[str, Any] = written(self)
        if data["checker"] is None:
            del data["checker"]
        return data


class Imported(BaseModel):
    """Where an imported benchmark comes from that nothing can be drawn for: it has turns, and no script."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    format: Annotated[str, Field(max_length=40)]
    files: Annotated[tuple[Annotated[str, Field(max_length=120)], ...], Field(max_length=100_000)] = ()
    """Per dialogue, in order, the name of the file it came in, without its folder."""
    content: Annotated[str, Field(max_length=64)] = ""
    """A hash of all turns, so that other content is another benchmark."""


class Header(BaseModel):
    """The identity card of a benchmark."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    format: Literal["evolif-benchmark"] = "evolif-benchmark"
    format_version: int = FORMAT_VERSION
    generator: str = __version__
    reading_rules: int = READING_RULES_VERSION
    compatibility: int = Field(default_factory=table_version)
    spec: Spec
    imported: Imported | None = None
    """Of a benchmark without a script; its `spec` only says how long it is and what evaluation takes."""

    @model_serializer(mode="wrap")
    def _without_absent(self, written: SerializerFunctionWrapHandler) -> dict[str, Any]:
        data: dict[str, Any] = written(self)
        if data["imported"] is None:
            del data["imported"]
        return data

    def to_json(self) -> str:
        """As written on disk: readable, stable, one trailing line break."""
        return json.dumps(self.model_dump(mode="json"), ensure_ascii=False, indent=1) + "\n"


def parse_header(data: object) -> Header:
    """Validate what `benchmark.json` holds.

    Raises:
        UsageError: another format version, or a constraint group that is not installed here.
        ValidationError: it is none.
    """
    header = Header.model_validate(data)
    if header.format_version != FORMAT_VERSION:
        raise UsageError(
            f"it has format version {header.format_version}, and this evolif reads version {FORMAT_VERSION}"
        )
    return header


def read_header(path: Path) -> Header:
    """Read and validate `benchmark.json`.

    Raises:
        UsageError: there is no benchmark, or one of another format version.
        InputError: the file is broken.
    """
    if not path.is_file():
        raise UsageError(f"{path.parent} is no benchmark: it has no benchmark.json; make one with `evolif generate`")
    try:
        data: Any = json.loads(path.read_text(encoding="utf-8"))
        return parse_header(data)
    except OSError as fault:
        raise InputError(f"cannot be read ({fault.strerror})", path=path) from None
    except ValidationError as fault:
        raise InputError(complaint(fault, "header"), path=path) from None
    except (ValueError, RecursionError):
        raise InputError("not JSON; restore the file or generate the benchmark again", path=path) from None
    except UsageError as fault:
        raise InputError(str(fault), path=path) from None


def differences(old: Header, new: Header) -> list[str]:
    """Where two headers differ, as `key: old → new`."""
    return _compare(old.model_dump(mode="json"), new.model_dump(mode="json"), "")


def _compare(old: Any, new: Any, where: str) -> list[str]:
    if isinstance(old, dict) and isinstance(new, dict):
        found = []
        for key in sorted(old.keys() | new.keys()):
            found += _compare(old.get(key), new.get(key), f"{where}.{key}" if where else key)
        return found
    return [] if old == new else [f"{where}: {json.dumps(old)} → {json.dumps(new)}"]
