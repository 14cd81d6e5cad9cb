"""A run as Arrow record batches of the schema of its export."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from evolif.exchange.columns import arrow, fitted
from evolif.exchange.rows import FIELD, has_witness
from evolif.exchange.run_rows import RUN_COLUMNS, RunRows
from evolif.exchange.tables import fitted_row, json_text
from evolif.exchange.turn_columns import found_columns, null_if_empty
from evolif.runner.turn_rows import TurnBatch, turn_batches

_MOST_PROMPTS = 1 << 16
"""Columns of so many prompts are kept in memory: models and epochs share them."""


def run_batches(rows: RunRows, schema: Any) -> Iterator[Any]:
    """The rows of a run as record batches.

    Args:
        rows: The rows.
        schema: Their schema, as worked out from `RunRows.skeletons`.

    Raises:
        UsageError: as when the rows are read.
    """
    prompts = _PromptTable(rows, schema)
    first = True
    for batch in turn_batches(rows.run.store):
        yield _batch(rows, schema, prompts, batch, first)
        first = False


def _batch(rows: RunRows, schema: Any, prompts: _PromptTable, batch: TurnBatch, first: bool) -> Any:
    pa = arrow()
    others = [json_text(rows.extension(first=False))] * (len(batch) - 1)
    told = [json_text(rows.extension(first=first)), *others]
    own = prompts.of(batch.turns.asked)
    try:
        columns = {**_columns(rows, batch), **own, FIELD: told}
        arrays = [
            _array(columns[field.name], field.type) if field.name in columns else pa.nulls(len(batch), field.type)
            for field in schema
        ]
        return pa.RecordBatch.from_arrays(arrays, schema=schema)
    except (ValueError, LookupError, TypeError, OverflowError):
        # A value that its column cannot hold, such as half a surrogate pair: row by row there is a way for most.
        found = [fitted_row(row, schema) for row in rows.rows_of(batch)]
        with rows.run.store.reading():
            return pa.RecordBatch.from_pylist(
                [{**row, FIELD: text} for row, text in zip(found, told, strict=True)], schema=schema
            )


def _array(values: Any, kind: Any) -> Any:
    pa = arrow()
    return values if isinstance(values, pa.Array) else pa.array(values, kind)


def _columns(rows: RunRows, batch: TurnBatch) -> dict[str, Any]:
    turns = batch.turns
    found = found_columns(turns.verdicts, turns.scores, turns.records, hide_expected=rows.hides_expected)
    withheld = _withheld(rows, batch)
    return {
        "canary": [rows.canary] * len(batch),
        **{name: _spread(batch, name) for name in ("model", "dialogue", "epoch", "ending", "reason")},
        "patience": [rows.run.settings.patience] * len(batch),
        "turn": turns.turn,
        "seat": turns.seat,
        "answer": [None if is_key else answer for answer, is_key in zip(turns.answer, withheld, strict=True)],
        "reasoning": turns.reasoning,
        "truncated": [*map(bool, turns.truncated)],
        "served_by": turns.served_by,
        "seconds": turns.seconds,
        "is_judged": [text is not None for text in turns.verdicts],
        "judged": found.judged,
        "satisfied": found.satisfied,
        "ok": found.ok,
        "verdicts": found.verdicts,
        "judge_scores": found.judge_scores,
        "prompt_tokens": turns.prompt_tokens,
        "completion_tokens": turns.completion_tokens,
        "scores": found.scores if rows.always_scores else null_if_empty(found.scores),
        "withheld": withheld,
    }


def _spread(batch: TurnBatch, name: str) -> list[Any]:
    """A field of its session for each turn."""
    return [getattr(session, name) for session in batch.spread()]


def _withheld(rows: RunRows, batch: TurnBatch) -> list[bool]:
    pairs = zip(batch.spread(), batch.turns.answer, strict=True)
    return [has_witness(answer, rows.keys_of(session.dialogue)) for session, answer in pairs]


class _PromptTable:
    """The columns of prompts as an Arrow table; models and epochs share them."""

    def __init__(self, rows: RunRows, schema: Any) -> None:
        self._rows = rows
        self._schema = arrow().schema([field for field in schema if field.name not in RUN_COLUMNS])
        self._places: dict[int, int] = {}
        self._table = self._schema.empty_table()

    def of(self, numbers: Sequence[int]) -> Mapping[str, Any]:
        """The columns for each of some prompts, given by their numbers in the store."""
        pa = arrow()
        missing = sorted(set(numbers) - self._places.keys())
        if missing and len(self._places) + len(missing) > _MOST_PROMPTS:
            self._places, self._table = {}, self._schema.empty_table()
            missing = sorted(set(numbers))
        if missing:
            self._places |= zip(missing, range(len(self._places), len(self._places) + len(missing)), strict=True)
            self._table = pa.concat_tables([self._table, self._read(missing)]).combine_chunks()
        places = pa.array([self._places[number] for number in numbers], "int32")
        return {name: self._table[name].chunk(0).take(places) for name in self._schema.names}

    def _read(self, numbers: Sequence[int]) -> Any:
        pa = arrow()
        known = self._rows.prompts(numbers)
        rows = [{**known[number].own, **known[number].keys} for number in numbers]
        arrays = [pa.array([fitted(row.get(one.name), one.type) for row in rows], one.type) for one in self._schema]
        return pa.Table.from_arrays(arrays, schema=self._schema)
