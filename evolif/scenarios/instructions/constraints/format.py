"""`format` (FMT): the body is JSON (also with given keys), XML, HTML, CSV or Markdown (also with a given table)."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Mapping, Sequence
from operator import itemgetter
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Discriminator, Field, Tag, TypeAdapter

from evolif.scenarios.instructions.constraints.base import (
    Change,
    DrawContext,
    Group,
    ParamsModel,
    SparseParams,
    quoted,
    shorten,
)
from evolif.scenarios.instructions.constraints.compatibility import find_declared
from evolif.scenarios.instructions.constraints.relations import draw_weighted
from evolif.scenarios.instructions.constraints.shapes import (
    MIN_ROWS,
    SHAPES,
    AnyTable,
    CodeBlock,
    OneLineList,
    PlainText,
    check_shape,
    keys_of_others,
    outside_tables,
    whole_fence,
)
from evolif.scenarios.instructions.turns import Params
from evolif.text import Reading, fold, plural
from evolif.types import Span, Verdict
from evolif.util.rng import Stream

_NAMES = {"json": "JSON", "xml": "XML", "html": "HTML", "csv": "CSV", "markdown": "Markdown"}


class _Format(ParamsModel):
    misfits = keys_of_others("keys")
    mode: Literal["json", "xml", "html", "csv", "markdown"]


def _no_doubles(names: list[str]) -> list[str]:
    if len({fold(name) for name in names}) < len(names):
        raise ValueError("a name is given twice")
    return names


_Name = Annotated[str, Field(min_length=1, max_length=100, pattern=r"^[^\s|]+(?: [^\s|]+)*$")]
_Names = Annotated[list[_Name], Field(min_length=1, max_length=50), AfterValidator(_no_doubles)]


class _JsonKeys(ParamsModel):
    misfits = keys_of_others("keys")
    mode: Literal["json"]
    keys: _Names


class _FencedJson(SparseParams):
    misfits = keys_of_others("keys", "fence")
    mode: Literal["json"]
    keys: _Names | None = None
    fence: bool


class _Table(SparseParams):
    misfits = keys_of_others("columns", "only")
    mode: Literal["table"]
    columns: _Names
    only: bool | None = None


_SHAPE_TAGS = {"code": "code", "plain": "no mark-up", "comma_list": "list", "literal_list": "list"}


def _kind(params: Any) -> str:
    mode = params.get("mode") if isinstance(params, dict) else None
    if mode == "table":
        return "columns" if "columns" in params else "table"
    if mode == "json" and "fence" in params:
        return "fence"
    if mode == "json" and "keys" in params:
        return "keys"
    return _SHAPE_TAGS.get(mode, "plain") if isinstance(mode, str) else "plain"


def _params(mode: str, pool: Mapping[str, Any], choose: Callable[[Sequence[list[str]]], list[str]]) -> Params:
    """Parameters of that mode; `choose` picks the names from the pool, if the mode has names."""
    if mode == "json_keys":
        return {"mode": "json", "keys": list(choose(pool["keys"]))}
    return {"mode": mode, "columns": list(choose(pool["columns"]))} if mode == "table" else {"mode": mode}


class Format(Group):
    """The format of the whole body."""

    name = "format"
    adapter: TypeAdapter[Any] = TypeAdapter(
        Annotated[
            Annotated[_Format, Tag("plain")]
            | Annotated[_JsonKeys, Tag("keys")]
            | Annotated[_FencedJson, Tag("fence")]
            | Annotated[_Table, Tag("columns")]
            | Annotated[AnyTable, Tag("table")]
            | Annotated[CodeBlock, Tag("code")]
            | Annotated[PlainText, Tag("no mark-up")]
            | Annotated[OneLineList, Tag("list")],
            Discriminator(_kind),
        ]
    )

    def draw(self, stream: Stream, context: DrawContext) -> Params | None:
        """One of the formats, then the names, if the format has given ones."""
        pool = context.pool
        if "drawn" in pool:
            return draw_weighted(stream, context)
        if "keys" not in pool:
            return {"mode": stream.choice(pool["modes"])}
        # With many other groups active, the table excludes most formats, so only the others are drawn from.
        samples = {mode: _params(mode, pool, itemgetter(0)) for mode in pool["modes"]}
        modes = [mode for mode, params in samples.items() if not find_declared({**context.active, self.name: params})]
        return _params(stream.choice(modes), pool, stream.choice) if modes else None

    def key(self, params: Params) -> str:
        mode = str(params["mode"])
        if mode == "json":
            return mode + "_fence" * bool(params.get("fence")) + "_keys" * ("keys" in params)
        if mode == "table":
            names = {"columns": "", "column_count": "_count"}
            kind = "".join(names[name] for name in names if name in params)
            return mode + ("" if "columns" in params else f"_any{kind}") + "_only" * bool(params.get("only"))
        return f"{mode}_{'tag' if 'tag' in params else 'count'}" if {"tag", "count"} & params.keys() else mode

    def drawn_keys(self, pool: Mapping[str, Any]) -> Collection[str]:
        if "drawn" in pool:
            return sorted({self.key(params) for params, _ in pool["drawn"]})
        modes: list[str] = pool["modes"]
        return modes

    def slots(self, params: Params) -> dict[str, str]:
        names = {slot: quoted(params[slot], "and") for slot in ("keys", "columns") if slot in params}
        return names | {slot: str(params[slot]) for slot in ("column_count", "tag", "count") if slot in params}

    def change(self, before: Params | None, after: Params | None) -> Change:
        """Keys that plain JSON gets are added to it: nothing is given up."""
        if before is not None and after is not None and self.key(before) == "json" and self.key(after) == "json_keys":
            return super().change(None, after)
        return super().change(before, after)

    def check(self, params: Params, reading: Reading) -> Verdict:
        mode = params["mode"]
        if mode == "table" and "columns" in params:
            return self._check_table(params, reading)
        if mode in SHAPES:
            return self.verdict(*check_shape(params, reading))
        expected = f"valid {_NAMES[mode]}"
        if params.get("fence"):
            fence = whole_fence(reading.text)
            if isinstance(fence, str) or fence.tag not in ("", mode):
                found = fence if isinstance(fence, str) else f"a code fence tagged {fence.tag}"
                return self.verdict(False, f"{expected} in one code fence", found)
        if mode != "markdown":
            _ = reading.content  # parsing sets the fault
            fault = reading.fault
            if fault is None:
                keys = params.get("keys")
                return self.verdict(True, expected, expected) if keys is None else self._check_keys(keys, reading)
            spans = [Span(fault.offset, fault.offset + 1, "body")] if fault.offset >= 0 else []
            return self.verdict(False, expected, f"not {_NAMES[mode]}: {fault.reason}", spans)
        content = reading.content
        if content.open_fence >= 0:
            place = Span(content.open_fence, content.open_fence + 3, "body")
            return self.verdict(False, expected, "a code fence is never closed", [place])
        if not content.elements:
            return self.verdict(False, "at least one Markdown element", "plain text without Markdown")
        return self.verdict(True, "at least one Markdown element", f"{content.elements} Markdown elements")

    def _check_keys(self, keys: list[str], reading: Reading) -> Verdict:
        expected = f"a JSON object with the keys {quoted(keys, 'and')}, each once"
        if not reading.body.startswith("{"):
            return self.verdict(False, expected, "a JSON array")
        # The hook is called for the outermost object last. Numbers stay text: converting very long ones is slow.
        found: list[str] = json.loads(
            reading.body, object_pairs_hook=lambda pairs: [key for key, _ in pairs], parse_int=str, parse_float=str
        )
        text = f"the keys {quoted([shorten(key) for key in found[:10]], 'and')}" if found else "no key"
        return self.verdict(sorted(found) == sorted(keys), expected, text if len(found) < 11 else f"{text} and more")

    def _check_table(self, params: Params, reading: Reading) -> Verdict:
        columns: list[str] = params["columns"]
        other = outside_tables(reading) if params.get("only") else ""
        expected = f"one Markdown table with the columns {quoted(columns, 'and')} and at least {MIN_ROWS} rows"
        expected += " and nothing else" if params.get("only") else ""
        tables = reading.content.tables
        if len(tables) != 1:
            return self.verdict(False, expected, plural(len(tables), "Markdown table"))
        header, rows = tables[0].header, tables[0].rows
        satisfied = [fold(cell).strip() for cell in header] == [fold(name).strip() for name in columns]
        text = (
            quoted([shorten(cell) for cell in header[:10]], "and")
            if len(header) < 11
            else plural(len(header), "column")
        )
        found = f"{text} with {plural(rows, 'row')} of text" + (f", and “{shorten(other)}”" if other else "")
        return self.verdict(satisfied and rows >= MIN_ROWS and not other, expected, found)
