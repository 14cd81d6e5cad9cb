"""Rows as Arrow tables: typed columns, batch by batch; and back, read as hostile input.

What differs from row to row in shape is a column of JSON text: the parameters of constraints and of operations (a word
here, a table of counts there) and the field `evolif`. As a struct they would become the union of all shapes, every row
full of nulls, and a second file of other groups would have another schema; `groups` stands beside them for filtering.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import Any

from evolif._errors import InputError, UsageError
from evolif.exchange._rows import Row

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
