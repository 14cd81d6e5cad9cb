"""`format` (FMT): the body is JSON (with given keys), XML, HTML, CSV or Markdown (with a given table)."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Discriminator, Field, Tag, TypeAdapter

from evolif.constraints.base import DrawContext, Group, ParamsModel, plural, quoted, shorten
from evolif.constraints.compatibility import find_declared
from evolif.rng import Stream
from evolif.text import Reading, fold
from evolif.types import Params, Span, Verdict

_NAMES = {"json": "JSON", "xml": "XML", "html": "HTML", "csv": "CSV", "markdown": "Markdown"}
MIN_ROWS = 2
"""Data rows that a table needs."""


class _Format(ParamsModel):
    mode: Literal["json", "xml", "html", "csv", "markdown"]


def _no_doubles(names: list[str]) -> list[str]:
    if len({fold(name) for name in names}) < len(names):
        raise ValueError("a name is given twice")
    return names


_Name = Annotated[str, Field(min_length=1, max_length=100, pattern=r"^[^\s|]+(?: [^\s|]+)*$")]
_Names = Annotated[list[_Name], Field(min_length=1, max_length=50), AfterValidator(_no_doubles)]


class _JsonKeys(ParamsModel):
    mode: Literal["json"]
    keys: _Names


class _Table(ParamsModel):
    mode: Literal["table"]
    columns: _Names


def _kind(params: Any) -> str:
    if not isinstance(params, dict):
        return "plain"
    if params.get("mode") == "table":
        return "table"
    return "keys" if "keys" in params and params.get("mode") == "json" else "plain"


def _first(mode: str, pool: Mapping[str, Any]) -> Params:
    """Parameters of that mode, to ask the table about."""
    if mode == "json_keys":
        return {"mode": "json", "keys": pool["keys"][0]}
    return {"mode": mode, "columns": pool["columns"][0]} if mode == "table" else {"mode": mode}


class Format(Group):
    """The only group that reads the body as it stands."""

    name = "format"
    adapter: TypeAdapter[Any] = TypeAdapter(
        Annotated[
            Annotated[_Format, Tag("plain")] | Annotated[_JsonKeys, Tag("keys")] | Annotated[_Table, Tag("table")],
            Discriminator(_kind),
        ]
    )

    def draw(self, stream: Stream, context: DrawContext) -> Params | None:
        """One of the formats, all alike; then the names, where the format has given ones."""
        pool = context.pool
        if "keys" not in pool:
            return {"mode": stream.choice(pool["modes"])}
        # With so many groups beside it, most formats are excluded: only open ones are drawn from.
        options = {mode: _first(mode, pool) for mode in pool["modes"]}
        opened = [m for m, params in options.items() if not find_declared({**context.active, self.name: params})]
        if not opened:
            return None
        mode = stream.choice(opened)
        if mode == "json_keys":
            return {"mode": "json", "keys": list(stream.choice(pool["keys"]))}
        return {"mode": mode, "columns": list(stream.choice(pool["columns"]))} if mode == "table" else {"mode": mode}

    def key(self, params: Params) -> str:
        """JSON with given keys has phrases of its own."""
        return "json_keys" if "keys" in params else str(params["mode"])

    def slots(self, params: Params) -> dict[str, str]:
        """The names, where there are any."""
        return {slot: quoted(params[slot], "and") for slot in ("keys", "columns") if slot in params}

    def check(self, params: Params, reading: Reading) -> Verdict:
        """Whether the reading could parse the body as this format."""
        mode = params["mode"]
        if mode == "table":
            return self._table(params["columns"], reading)
        expected = f"valid {_NAMES[mode]}"
        if mode != "markdown":
            _ = reading.content  # parsing sets the fault
            fault = reading.fault
            if fault is None:
                keys = params.get("keys")
                return self.verdict(True, expected, expected) if keys is None else self._keys(keys, reading)
            spans = [Span(fault.offset, fault.offset + 1, "body")] if fault.offset >= 0 else []
            return self.verdict(False, expected, f"not {_NAMES[mode]}: {fault.reason}", spans)
        content = reading.content
        if content.open_fence >= 0:
            place = Span(content.open_fence, content.open_fence + 3, "body")
            return self.verdict(False, expected, "a code fence is never closed", [place])
        if not content.elements:
            return self.verdict(False, "at least one Markdown element", "plain text without Markdown")
        return self.verdict(True, "at least one Markdown element", f"{content.elements} Markdown elements")

    def _keys(self, keys: list[str], reading: Reading) -> Verdict:
        """Whether the body, which is JSON, is an object with these keys."""
        expected = f"a JSON object with the keys {quoted(keys, 'and')}, each once"
        if not reading.body.startswith("{"):
            return self.verdict(False, expected, "a JSON array")
        # Called for the outermost object last; the values are of no interest.
        found: list[str] = json.loads(
            reading.body, object_pairs_hook=lambda pairs: [key for key, _ in pairs], parse_int=_zero, parse_float=_zero
        )
        told = f"the keys {quoted([shorten(key) for key in found[:10]], 'and')}" if found else "no key"
        return self.verdict(sorted(found) == sorted(keys), expected, told if len(found) < 11 else f"{told} and more")

    def _table(self, columns: list[str], reading: Reading) -> Verdict:
        """Whether there is one table, with this header and some rows."""
        expected = f"one Markdown table with the columns {quoted(columns, 'and')} and at least {MIN_ROWS} rows"
        tables = reading.content.tables
        if len(tables) != 1:
            return self.verdict(False, expected, plural(len(tables), "Markdown table"))
        header, rows = tables[0].header, tables[0].rows
        satisfied = [fold(cell).strip() for cell in header] == [fold(name).strip() for name in columns]
        told = quoted([shorten(cell) for cell in header[:10]], "and") if len(header) < 11 else f"{len(header)} columns"
        return self.verdict(satisfied and rows >= MIN_ROWS, expected, f"{told} with {plural(rows, 'row')} of text")


def _zero(text: str) -> float:
    return 0.0  # a number as long as the body would be slow to convert
