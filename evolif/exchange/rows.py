"""One row per turn: of a benchmark as its lines have it, of a run as figures want it."""

from __future__ import annotations

import base64
import binascii
import json
import zlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Annotated, Any, Literal
from uuid import UUID, uuid5

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from evolif.errors import InputError, UsageError
from evolif.instructions import CATALOGUES, Benchmark, Header, parse_header, to_object
from evolif.resources import complaint
from evolif.runner import Run, TurnRecord
from evolif.types import Session, TurnFacts, Verdict

# The field `evolif`: what another schema cannot hold, so that an export can be read back without loss.
#
# Every row has it. In the first row it also holds what all rows share, `benchmark`: the header and the catalogues
# (topics, personas, registers) as packed text, without which a benchmark could not be extended and would be another
# one.

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


# Canaries: a string in every export that nobody writes by chance, to be looked for in what a model was trained on.

_NAMESPACE = UUID("5f0b1a4e-6f2c-4d0e-9b39-2c6a7d1e8f43")
"""Of this project's format; it never changes."""


def canary_of(identity: str) -> str:
    """The canary of a benchmark: the same in every export of it, and in the exports of its runs.

    Args:
        identity: What `Benchmark.identity` says.
    """
    return f"evolif canary {uuid5(_NAMESPACE, identity)}"


Row = dict[str, Any]

_TELLING = 24
"""Characters of a witness that no answer holds by chance."""
_BREAKS = {ord(c): f"\\u{ord(c):04x}" for c in "\x85\u2028\u2029"}


def dump(row: object) -> str:
    """A row as a line of JSON without its line break; characters that some readers take for line ends are escaped."""
    return json.dumps(row, ensure_ascii=False, separators=(",", ":"), allow_nan=False).translate(_BREAKS)


def benchmark_rows(benchmark: Benchmark, *, with_witness: bool) -> Iterator[Row]:
    """The turns of a benchmark, by dialogue and turn.

    Args:
        benchmark: The benchmark.
        with_witness: Whether the answer key goes along.
    """
    canary = canary_of(benchmark.identity)
    shared: Row | None = whole_of(benchmark)
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


def extension(**parts: Any) -> Row:
    """The field `evolif` of a row; parts that are None or empty are left out."""
    return {"version": VERSION, **{key: part for key, part in parts.items() if part}}


def run_rows(run: Run, *, with_witness: bool) -> Iterator[Row]:
    """The answered turns of a run: model by model, session by session.

    Args:
        run: The run.
        with_witness: Whether the answer key goes along. Without it an answer that is, or holds, a witness of its
            dialogue, as simulated models give it, is left out too (`answer` is null, `withheld` true).
    """
    canary = canary_of(run.settings.benchmark)
    facts = {(f.dialogue, f.turn): f for f in run.facts()}
    keys: dict[int, set[str]] = {}
    for fact in facts.values():
        keys.setdefault(fact.dialogue, set()).update([fact.witness] if fact.witness else [])
    # Where models were asked is this machine's business.
    shared: Row | None = run.settings.model_dump(mode="json", exclude={"endpoints", "judge_endpoints"})
    for model in run.models:
        for session, records in run.transcripts(model):
            for record in records:
                fact = facts[session.dialogue, record.turn]
                row = {"canary": canary, **_session(session), **_turn(fact, record)}
                row["withheld"] = not with_witness and _holds_key(record.answer, keys[session.dialogue])
                if row["withheld"]:
                    row["answer"] = None
                if with_witness:
                    row["witness"] = fact.witness
                row[FIELD] = extension(run=shared)
                shared = None
                yield row


def _holds_key(answer: str, keys: set[str]) -> bool:
    return answer in keys or any(len(key) >= _TELLING and key in answer for key in keys)


def _session(session: Session) -> Row:
    return {
        "model": session.model,
        "dialogue": session.dialogue,
        "epoch": session.epoch,
        "ending": session.ending,
        "reason": session.reason,
        "patience": session.patience,
    }


def _turn(facts: TurnFacts, record: TurnRecord) -> Row:
    judged = [v.satisfied for v in record.verdicts if v.satisfied is not None]
    return {
        "turn": record.turn,
        "topic": facts.topic,
        "move": facts.move,
        "depth": facts.depth,
        "operation": facts.operation,
        "source": facts.source,
        "register": facts.register,
        "query": facts.query,
        "groups": [c.group for c in facts.constraints],
        "constraints": [{"group": c.group, "params": dict(c.params)} for c in facts.constraints],
        "answer": record.answer,
        "reasoning": record.reasoning,
        "truncated": record.truncated,
        "served_by": record.served_by,
        "seconds": record.seconds,
        "is_judged": record.is_judged,
        "judged": len(judged),
        "satisfied": sum(judged),
        "ok": all(judged) if judged else None,
        "verdicts": [_verdict(v) for v in record.verdicts],
        "judge_scores": [
            {"group": r.group, "judge": s.judge, "score": s.score, "rationale": s.rationale, "problem": s.problem}
            for r in record.records
            for s in r.scores
        ],
        "prompt_tokens": record.usage.prompt_tokens,
        "completion_tokens": record.usage.completion_tokens,
    }


def _verdict(verdict: Verdict) -> Row:
    return {
        "group": verdict.group,
        "satisfied": verdict.satisfied,
        "expected": verdict.expected,
        "found": verdict.found,
        "spans": [{"start": s.start, "end": s.end, "view": s.view} for s in verdict.spans],
    }


# Rows as Arrow tables: typed columns, batch by batch; and back, read as hostile input.
#
# What differs from row to row in shape is a column of JSON text: the parameters of constraints and of operations (a
# word here, a table of counts there) and the field `evolif`. As a struct they would become the union of all shapes,
# every row full of nulls, and a second file of other groups would have another schema; `groups` stands beside them for
# filtering.

_BATCH = 500
MOST_BYTES = 8 << 30
"""What the columns of one file may come to when they are unpacked."""
_AS_TEXT = ("constraints", "evolif")
_NEEDS = "it needs pyarrow; install evolif[datasets]"


def _pyarrow() -> Any:
    try:
        import pyarrow
    except ImportError:
        raise UsageError(f"Parquet and datasets: {_NEEDS}") from None
    return pyarrow


def schema_of(kind: str, *, with_witness: bool, metadata: Mapping[str, str]) -> Any:
    """The Arrow schema of a benchmark's or a run's rows.

    Args:
        kind: `benchmark` or `run`.
        with_witness: Whether there is a column `witness`.
        metadata: Goes into the file's head.
    """
    pa = _pyarrow()
    columns = _benchmark_columns(pa) if kind == "benchmark" else _run_columns(pa)
    if with_witness:
        columns["witness"] = pa.string()
    columns["evolif"] = pa.string()
    return pa.schema(list(columns.items())).with_metadata(dict(metadata))


def _benchmark_columns(pa: Any) -> dict[str, Any]:
    text, number, texts = pa.string(), pa.int64(), pa.list_(pa.string())
    return {
        "canary": text,
        "dialogue": number,
        "turn": number,
        "topic": pa.struct({"id": text, "prompt": text, "keywords": texts, "domain": text, "title": text}),
        "move": text,
        "operation": pa.struct({"kind": text, "group": text, "before": text, "after": text}),
        "groups": texts,
        "constraints": text,
        "persona": pa.struct({"id": text, "sentence": text, "phrases": texts, "register": text}),
        "query": text,
        "source": text,
        "attempts": number,
        "findings": texts,
        "status": text,
    }


def _run_columns(pa: Any) -> dict[str, Any]:
    text, number, truth, real = pa.string(), pa.int64(), pa.bool_(), pa.float64()
    names = "canary model dialogue epoch ending reason patience turn topic move depth operation source register query"
    columns = {name: number if name in _NUMBERS else text for name in names.split()}
    span = pa.struct({"start": number, "end": number, "view": text})
    verdict = pa.struct({"group": text, "satisfied": truth, "expected": text, "found": text, "spans": pa.list_(span)})
    score = pa.struct({"group": text, "judge": text, "score": real, "rationale": text, "problem": text})
    return columns | {
        "groups": pa.list_(text),
        "constraints": text,
        "answer": text,
        "withheld": truth,
        "reasoning": text,
        "truncated": truth,
        "served_by": text,
        "seconds": real,
        "is_judged": truth,
        "judged": number,
        "satisfied": number,
        "ok": truth,
        "verdicts": pa.list_(verdict),
        "judge_scores": pa.list_(score),
        "prompt_tokens": number,
        "completion_tokens": number,
    }


_NUMBERS = frozenset({"dialogue", "epoch", "patience", "turn", "depth"})


def batches(rows: Iterable[Row], schema: Any) -> Iterator[Any]:
    """The rows as record batches of the schema."""
    pa = _pyarrow()
    left = iter(rows)
    while part := [_typed(row) for row in islice(left, _BATCH)]:
        yield pa.RecordBatch.from_pylist(part, schema=schema)


def write_parquet(path: Path, rows: Iterable[Row], schema: Any) -> None:
    """Write rows as one Parquet file, a batch at a time."""
    _pyarrow()
    from pyarrow import parquet

    with parquet.ParquetWriter(path, schema, compression="zstd") as writer:
        for batch in batches(rows, schema):
            writer.write_batch(batch)


def _typed(row: Row) -> Row:
    typed = dict(row)
    for name in _AS_TEXT:
        typed[name] = _text(row[name])
    if isinstance(row["operation"], Mapping):
        change = row["operation"]
        typed["operation"] = {**change, "before": _text(change["before"]), "after": _text(change["after"])}
    return typed


def _text(value: object) -> str | None:
    return None if value is None else json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def parquet_rows(path: Path) -> Iterator[Row]:
    """The rows of a Parquet file, with JSON columns still as text.

    Raises:
        InputError: it is none, or would come to too much.
    """
    pa = _pyarrow()
    from pyarrow import parquet

    try:
        with parquet.ParquetFile(path) as file:
            _refuse_many(sum(file.metadata.row_group(i).total_byte_size for i in range(file.num_row_groups)), path)
            for batch in file.iter_batches(batch_size=_BATCH):
                yield from batch.to_pylist()
    except (pa.ArrowException, OSError) as fault:
        raise _unreadable(fault, path) from None


def arrow_rows(path: Path) -> Iterator[Row]:
    """The rows of an Arrow stream, as `datasets` saves them."""
    pa = _pyarrow()
    try:
        with pa.memory_map(str(path)) as source:
            _refuse_many(path.stat().st_size, path)
            with pa.ipc.open_stream(source) as reader:
                for batch in reader:
                    yield from batch.to_pylist()
    except (pa.ArrowException, OSError) as fault:
        raise _unreadable(fault, path) from None


def _refuse_many(size: int, path: Path) -> None:
    if size > MOST_BYTES:
        raise InputError(f"it unpacks to more than {MOST_BYTES >> 30} GiB; split it", path=path)


def _unreadable(fault: Exception, path: Path) -> InputError:
    first = " ".join(str(fault).split())[:200]
    return InputError(f"cannot be read ({first}); download or export it again", path=path)
