"""Tables of exported rows: their Arrow schemas, Parquet and CSV files."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import Any

from evolif.exchange.columns import Shape, arrow, arrow_type, common, fitted, restored, shape_of
from evolif.exchange.rows import FIELD, Row
from evolif.exchange.run_rows import RUN_COLUMNS
from evolif.text import csv_cell

_BATCH = 500
_GROUP_ROWS, _GROUP_BYTES = 1 << 14, 32 << 20
"""A row group is written at so many rows, or so many bytes in memory, whichever is first."""
WITHHELD = "withheld"
"""The column of a run that says which answers are left out."""
PARAMETERS = frozenset({"params", "before", "after"})
"""Fields of constraints and operations that hold parameters, which differ from group to group."""
NESTED = ("operation", "operations", "constraints")
"""Columns of instruction following whose fields differ from group to group; `operations` only where rows have them."""

_SOMETIMES = frozenset({"operations", "act", "remark", "feedback", "scores"})
"""Columns that only some rows have: of profiles with several changes in a turn, of runs with feedback or scores."""


def schema_of(kind: str, rows: Iterable[Row], *, with_witness: bool, metadata: Mapping[str, str]) -> Any:
    """The Arrow schema of the rows of instruction following, which are read once for it.

    Parameters of constraints and operations are structs with the fields of all groups of the rows, null where a group
    has no such field. The field `evolif` is a column of JSON text.

    Args:
        kind: `benchmark` or `run`.
        rows: The rows.
        with_witness: Whether there is a column `witness`.
        metadata: Key-value metadata of the schema.
    """
    pa = arrow()
    shapes: dict[str, Shape] = dict.fromkeys(NESTED, "")
    found: set[str] = set()
    for row in rows:
        found |= row.keys() & _SOMETIMES
        for name, shape in shapes.items():
            shapes[name] = common(shape, shape_of(row.get(name), PARAMETERS, name=name))
    columns = _benchmark_columns(pa) if kind == "benchmark" else run_columns(pa)
    absent = _SOMETIMES - found
    columns, shapes = ({name: one for name, one in part.items() if name not in absent} for part in (columns, shapes))
    columns |= {name: arrow_type(shape) for name, shape in shapes.items()}
    if with_witness:
        columns["witness"] = pa.string()
    columns["evolif"] = pa.string()
    return pa.schema(list(columns.items())).with_metadata(dict(metadata))


def schema_of_rows(kind: str, rows: Iterable[Row], metadata: Mapping[str, str]) -> Any:
    """An Arrow schema for the rows of any scenario, which are read once for it.

    A column of its own has the type of its values if all have the same: truth values, whole numbers, numbers, texts,
    lists of these, and objects with the same keys. Everything else becomes JSON text.
    """
    pa = arrow()
    fixed = {FIELD: pa.string()}
    if kind == "run":
        known = run_columns(pa)
        fixed |= {name: known[name] for name in RUN_COLUMNS if name in known}
    found: dict[str, Shape] = {}
    for row in rows:
        for name, value in row.items():
            if name in fixed:
                found.setdefault(name, "")
            else:
                found[name] = common(found.get(name, ""), shape_of(value))
    columns = [(name, fixed.get(name) or arrow_type(shape)) for name, shape in found.items()]
    return pa.schema(columns).with_metadata(dict(metadata))


def _benchmark_columns(pa: Any) -> dict[str, Any]:
    text, number, texts = pa.string(), pa.int64(), pa.list_(pa.string())
    return {
        "canary": text,
        "dialogue": number,
        "turn": number,
        "topic": pa.struct({"id": text, "prompt": text, "keywords": texts, "domain": text, "title": text}),
        "move": text,
        "operation": text,
        "operations": text,
        "act": text,
        "groups": texts,
        "constraints": text,
        "persona": pa.struct({"id": text, "sentence": text, "phrases": texts, "register": text}),
        "query": text,
        "source": text,
        "attempts": number,
        "findings": texts,
        "status": text,
    }


def run_columns(pa: Any) -> dict[str, Any]:
    text, number, truth, real = pa.string(), pa.int64(), pa.bool_(), pa.float64()
    span = pa.struct({"start": number, "end": number, "view": text})
    verdict = pa.struct({"group": text, "satisfied": truth, "expected": text, "found": text, "spans": pa.list_(span)})
    score = pa.struct({"group": text, "judge": text, "score": real, "rationale": text, "problem": text})
    one = pa.struct({"name": text, "value": real, "expected": text, "found": text})
    names = "canary model dialogue epoch ending reason patience turn topic move depth operation source register query"
    names += " remark"
    numbers = {"dialogue", "epoch", "patience", "turn", "depth"}
    return {name: number if name in numbers else text for name in names.split()} | {
        "groups": pa.list_(text),
        "constraints": text,
        "feedback": text,
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
        "scores": pa.list_(one),
        "prompt_tokens": number,
        "completion_tokens": number,
    }


def batches(rows: Iterable[Row], schema: Any) -> Iterator[Any]:
    """The rows as record batches of the schema."""
    pa = arrow()
    remaining = iter(rows)
    while batch := [fitted_row(row, schema) for row in islice(remaining, _BATCH)]:
        yield pa.RecordBatch.from_pylist(batch, schema=schema)


def write_parquet(path: Path, batches: Iterable[Any], schema: Any) -> None:
    """Write record batches to a Parquet file; no more than a row group is in memory."""
    pa = arrow()
    from pyarrow import parquet

    waiting: list[Any] = []
    with parquet.ParquetWriter(path, schema, compression="zstd") as writer:
        for batch in batches:
            waiting.append(batch)
            is_full = sum(one.num_rows for one in waiting) >= _GROUP_ROWS
            if is_full or sum(one.nbytes for one in waiting) >= _GROUP_BYTES:
                writer.write_table(pa.Table.from_batches(waiting, schema))
                waiting = []
        if waiting:
            writer.write_table(pa.Table.from_batches(waiting, schema))


def fitted_row(row: Row, schema: Any) -> Row:
    """A row as the schema takes it. What would not come back from it as it was is also in the field `evolif`."""
    result = {field.name: fitted(row.get(field.name), field.type) for field in schema if field.name != FIELD}
    if FIELD in row:
        told = row[FIELD]
        if schema.metadata.get(b"evolif.kind") == b"benchmark":
            lost = {
                name: row[name]
                for name in NESTED
                if name in row and json_text(from_columns(name, result[name])) != json_text(row[name])
            }
            if set(row.get("topic") or ()) - set(result["topic"] or ()):
                lost["topic"] = row["topic"]  # its wordings, which have no column
            told = told | {"columns": True, **({"line": lost} if lost else {})}
        result[FIELD] = json_text(told)
    return result


def write_csv(path: Path, rows: Callable[[], Iterator[Row]]) -> None:
    """Write rows to a CSV file: lists and objects as JSON text, null as nothing, without the field `evolif`.

    No cell is a formula: see `csv_cell`.

    Args:
        path: The file.
        rows: Gives the rows, which are read twice: first for their columns.
    """
    names = dict.fromkeys(name for row in rows() for name in row if name != FIELD)
    with path.open("w", encoding="utf-8", errors="replace", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(map(csv_cell, names))
        for row in rows():
            writer.writerow([_cell(row.get(name)) for name in names])


def _cell(value: object) -> str:
    return "" if value is None else csv_cell(value if isinstance(value, str) else json_text(value))


def from_columns(name: str, value: Any) -> Any:
    """The value of a column of a table as a row has it: without the parameters that only other groups have."""
    return restored(value, PARAMETERS, name=name)


def json_text(value: object) -> str:
    """A value as JSON text of a column."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
