"""The field `evolif`: what another schema cannot hold, so that an export can be read back without loss.

Every row has it. In the first row it also holds what all rows share, `benchmark`: the header and the catalogues
(topics, personas, registers) as packed text, without which a benchmark could not be extended and would be another one.
"""

from __future__ import annotations

import base64
import binascii
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from evolif._errors import InputError, UsageError
from evolif._json_lines import complaint
from evolif.benchmark import CATALOGUES, Benchmark, Header, parse_header

FIELD = "evolif"
VERSION = 1
_UNPACKED = 64 << 20
"""Bytes that packed text may come to."""


class Extension(BaseModel):
    """The field as read."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    version: Literal[1]
    line: dict[str, Any] = Field(default_factory=dict)
    """Keys of a benchmark's line that win over what the row itself says."""
    benchmark: dict[str, Any] | None = None
    run: dict[str, Any] | None = None


class _Whole(BaseModel):
    model_config = ConfigDict(extra="ignore", frozen=True)

    header: dict[str, Any]
    catalogues: dict[str, Annotated[str, Field(max_length=_UNPACKED)]]


@dataclass(frozen=True, slots=True)
class Whole:
    """What a benchmark's rows share."""

    header: Header
    catalogues: Mapping[str, str]
    """The texts of its catalogues, by their names."""


def whole_of(benchmark: Benchmark) -> dict[str, Any]:
    """What the rows of a benchmark share, as the first of them carries it."""
    files = [benchmark.path / name for name in CATALOGUES]
    return {
        "header": benchmark.header.model_dump(mode="json"),
        "catalogues": {file.name: _packed(file.read_bytes()) for file in files if file.is_file()},
    }


def parse_extension(data: object) -> Extension:
    """The field of a row.

    Raises:
        UsageError: it is broken.
    """
    try:
        return Extension.model_validate(data)
    except ValidationError as fault:
        raise UsageError(f"the field “{FIELD}” cannot be used: {complaint(fault, FIELD)}") from None


def parse_whole(data: Mapping[str, Any]) -> Whole:
    """What a benchmark's rows share.

    Raises:
        UsageError: it is broken.
    """
    try:
        found = _Whole.model_validate(data)
        texts = {name: _unpacked(found.catalogues[name]) for name in CATALOGUES if name in found.catalogues}
        return Whole(parse_header(found.header), texts)
    except ValidationError as fault:
        raise InputError(f"the field “{FIELD}” holds no benchmark: {complaint(fault, 'benchmark')}") from None


def _packed(data: bytes) -> str:
    return base64.b64encode(zlib.compress(data, 9)).decode("ascii")


def _unpacked(text: str) -> str:
    try:
        opened = zlib.decompressobj()
        data = opened.decompress(base64.b64decode(text, validate=True), _UNPACKED)
        if opened.unconsumed_tail or not opened.eof:
            raise UsageError(f"packed text in the field “{FIELD}” is cut off, or longer than {_UNPACKED >> 20} MiB")
        return data.decode("utf-8")
    except (binascii.Error, zlib.error, UnicodeDecodeError, ValueError):
        raise UsageError(f"packed text in the field “{FIELD}” cannot be read; export the benchmark again") from None
