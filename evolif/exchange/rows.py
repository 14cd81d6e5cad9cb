"""Exported rows, one per turn of a benchmark or a run."""

from __future__ import annotations

import base64
import binascii
import json
import zlib
from collections.abc import Collection, Iterator, Mapping
from typing import Annotated, Any, Literal
from uuid import UUID, uuid5

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from evolif.benchmark import BenchmarkFolder
from evolif.errors import InputError, UsageError
from evolif.runner import Run
from evolif.scenario import Scenario, answer_keys, blaming, get_scenario
from evolif.scenarios.instructions import Header, InstructionBenchmark, to_object
from evolif.scenarios.instructions.folder import CATALOGUES
from evolif.scenarios.instructions.turn_lines import parse_header
from evolif.util.opened import read_file
from evolif.util.resources import complaint

Row = dict[str, Any]

FIELD = "evolif"
"""The field of every row for data that other columns cannot hold, so that an import is lossless.

In the first row it also holds shared data: under `benchmark` the header and the catalogues (topics, personas,
registers) as packed text, which keep the benchmark extendable and its identity unchanged.
"""
VERSION = 1
_UNPACKED = 64 << 20
"""Maximum unpacked size of one catalogue, in bytes."""
_NAMESPACE = UUID("5f0b1a4e-6f2c-4d0e-9b39-2c6a7d1e8f43")
"""Part of the format; it never changes."""
_RECOGNISABLE = 24
"""Minimum length of a witness that no answer contains by chance."""
_LINE_BREAKS = {c: f"\\u{ord(c):04x}" for c in "\x85\u2028\u2029"}


def canary_of(identity: str) -> str:
    """A string that does not occur by chance, to search for in training data.

    It is the same in every export of a benchmark and of its runs.

    Args:
        identity: The benchmark's `InstructionBenchmark.identity`.
    """
    return f"evolif canary {uuid5(_NAMESPACE, identity)}"


def dump(row: object) -> str:
    """A row as one line of JSON; characters that some readers treat as line ends are escaped."""
    text = json.dumps(row, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    for char, escape in _LINE_BREAKS.items():
        text = text.replace(char, escape)  # a tenth of the time of `str.translate`
    return text


def benchmark_rows(benchmark: InstructionBenchmark, *, with_witness: bool) -> Iterator[Row]:
    """The turns of a benchmark, by dialogue and turn; with the answer key if `with_witness`."""
    canary = canary_of(benchmark.identity)
    shared: Row | None = shared_fields(benchmark)
    for dialogue in benchmark.dialogues():
        for turn in benchmark.turns(dialogue):
            line = to_object(turn)
            witness = line.pop("witness")
            row = {"canary": canary, **line, "groups": [c.group for c in turn.constraints]}
            if with_witness:
                row["witness"] = witness
            row[FIELD] = extension(benchmark=shared)
            shared = None
            yield row


def folder_rows(folder: BenchmarkFolder, *, with_witness: bool) -> Iterator[Row]:
    """The lines of a benchmark of any scenario, by dialogue; with their answer keys if `with_witness`.

    Raises:
        UsageError: the scenario has answer keys, and does not say in which fields.
    """
    scenario = get_scenario(folder.scenario)
    if not with_witness and answer_keys(scenario) and not scenario.rows.key_fields:
        raise UsageError(
            f"the scenario {scenario.name} does not say which fields of its lines are answer keys (key_fields), so its "
            "benchmarks are exported only with them: --with-witness"
        )
    hidden = () if with_witness else scenario.rows.key_fields
    canary = canary_of(folder.identity)
    for dialogue in folder.dialogues():
        for number, line in enumerate(folder.lines(dialogue), start=1):
            row = {"canary": canary, "dialogue": dialogue, "line": number}
            yield row | own_columns(scenario, {key: line[key] for key in line if key not in hidden}, row)


def keys_of(run: Run) -> dict[int, set[str]]:
    """Dialogue to the answer keys of the prompts that the run used.

    Raises:
        UsageError: the scenario is not installed, or is broken.
    """
    scenario = get_scenario(run.settings.scenario)
    keys: dict[int, set[str]] = {}
    with blaming(scenario):
        for prompt in run.prompts():
            keys.setdefault(prompt.dialogue, set()).update(scenario.rows.keys(prompt))
    return keys


def own_columns(scenario: Scenario, columns: Mapping[str, Any], taken: Collection[str]) -> Row:
    """A scenario's columns as JSON values, with its name before those whose name is taken.

    Raises:
        UsageError: a value is not JSON.
    """
    own = {}
    for name, value in columns.items():
        if not (value is None or isinstance(value, (str, bool, int))):
            try:
                json.dumps(value, allow_nan=False)
            except (TypeError, ValueError, RecursionError):
                raise UsageError(
                    f"the scenario {scenario.name} gives a column {name} that is not JSON; repair or update its plug-in"
                ) from None
        own[f"{scenario.name}_{name}" if name in taken else str(name)] = value
    return own


def has_witness(answer: str, witnesses: set[str]) -> bool:
    """Whether an answer contains one of these witnesses."""
    return answer in witnesses or any(len(text) >= _RECOGNISABLE and text in answer for text in witnesses)


class Extension(BaseModel):
    """The field `evolif` of a row."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    version: Literal[1]
    line: dict[str, Any] = Field(default_factory=dict)
    """Keys of a benchmark's line; they override the row's own columns."""
    benchmark: dict[str, Any] | None = None
    run: dict[str, Any] | None = None


Shared = tuple[Header, Mapping[str, str]]
"""Shared data of all rows of a benchmark: its header, and its catalogues as file names and texts."""


class _Shared(BaseModel):
    model_config = ConfigDict(extra="ignore", frozen=True)

    header: dict[str, Any]
    catalogues: dict[str, Annotated[str, Field(max_length=_UNPACKED)]]


def extension(**parts: Any) -> Row:
    """The field `evolif` of a row, without empty parts."""
    return {"version": VERSION, **{key: part for key, part in parts.items() if part}}


def shared_fields(benchmark: InstructionBenchmark) -> dict[str, Any]:
    """Shared data of all rows, in the form stored in the first row."""
    files = [benchmark.path / name for name in CATALOGUES]
    return {
        "header": benchmark.header.model_dump(mode="json"),
        "catalogues": {file.name: _pack(read_file(file)) for file in files if file.is_file()},
    }


def parse_extension(data: object) -> Extension:
    """Read the field of a row.

    Raises:
        UsageError: it is invalid.
    """
    try:
        return Extension.model_validate(data)
    except ValidationError as fault:
        raise UsageError(f"the field “{FIELD}” cannot be used: {complaint(fault, FIELD)}") from None


def parse_shared(data: Mapping[str, Any]) -> Shared:
    """Read the shared data of all rows.

    Raises:
        UsageError: it is invalid.
    """
    try:
        shared = _Shared.model_validate(data)
        texts = {name: _unpack(shared.catalogues[name]) for name in CATALOGUES if name in shared.catalogues}
        return parse_header(shared.header), texts
    except ValidationError as fault:
        raise InputError(f"the field “{FIELD}” does not contain a benchmark: {complaint(fault, 'benchmark')}") from None


def _pack(data: bytes) -> str:
    return base64.b64encode(zlib.compress(data, 9)).decode("ascii")


def _unpack(text: str) -> str:
    try:
        decompressor = zlib.decompressobj()
        data = decompressor.decompress(base64.b64decode(text, validate=True), _UNPACKED)
        if decompressor.unconsumed_tail or not decompressor.eof:
            raise UsageError(f"packed text in the field “{FIELD}” is truncated, or longer than {_UNPACKED >> 20} MiB")
        return data.decode("utf-8")
    except (binascii.Error, zlib.error, UnicodeDecodeError, ValueError):
        raise UsageError(f"packed text in the field “{FIELD}” cannot be read; export the benchmark again") from None
