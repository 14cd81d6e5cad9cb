"""Arrow types of nested values, worked out from the rows: lists stay lists, objects with fixed keys become structs."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from math import isfinite
from typing import Any, Literal, TypeAlias

from evolif.errors import UsageError
from evolif.runner.records import storable

Scalar: TypeAlias = Literal["", "truth", "whole", "real", "text", "json"]
"""The empty word is the shape of null, which goes with every other; `json` is what has no better one."""
_DEEPEST = 6
"""Levels of lists and structs; what is deeper is JSON text."""
_WIDEST = 64
"""Most fields of a struct; an object with more is JSON text."""


@dataclass(frozen=True, slots=True)
class ListOf:
    """The shape of a list."""

    item: Shape


@dataclass(frozen=True, slots=True)
class StructOf:
    """The shape of an object."""

    fields: Mapping[str, Shape]
    is_union: bool = False
    """Whether objects may lack some of the fields, which are then null."""


Shape: TypeAlias = Scalar | ListOf | StructOf


def arrow() -> Any:
    """The library pyarrow.

    Raises:
        UsageError: it is not installed.
    """
    try:
        import pyarrow
    except ImportError:
        raise UsageError("Parquet and datasets need pyarrow; install evolif[datasets]") from None
    return pyarrow


def shape_of(value: object, unions: Collection[str] = (), *, name: str = "", depth: int = 0) -> Shape:
    """The shape of a JSON value.

    Args:
        value: The value.
        unions: Names of fields that hold an object of varying keys; the objects in it are JSON text.
        name: The name of its field.
        depth: Lists and objects around it.
    """
    if isinstance(value, (list, tuple)) and depth < _DEEPEST:
        item: Shape = ""
        for one in value:
            item = common(item, shape_of(one, unions, name=name, depth=depth + 1))
        return _list_of(item)
    if isinstance(value, Mapping) and depth < _DEEPEST:
        is_union = name in unions
        if len(value) > _WIDEST or not all(isinstance(key, str) for key in value) or not (value or is_union):
            return "json"
        shapes = {key: shape_of(one, unions, name=key, depth=depth + 1) for key, one in value.items()}
        if is_union:
            shapes = {key: "json" if isinstance(shape, StructOf) else shape for key, shape in shapes.items()}
        return StructOf(shapes, is_union)
    return _scalar(value)


def _scalar(value: object) -> Scalar:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "truth"
    if isinstance(value, int):
        return "whole" if -(2**63) <= value < 2**63 else "json"
    if isinstance(value, float):
        return "real"
    return "text" if isinstance(value, str) else "json"


def _list_of(item: Shape) -> Shape:
    return "json" if item == "json" else ListOf(item)


def common(one: Shape, other: Shape) -> Shape:
    """A shape for values of both; `json` where there is no other."""
    if not one or not other or one == other:
        return one or other
    if isinstance(one, ListOf) and isinstance(other, ListOf):
        return _list_of(common(one.item, other.item))
    if isinstance(one, StructOf) and isinstance(other, StructOf):
        return _common_struct(one, other)
    return "real" if {str(one), str(other)} == {"whole", "real"} else "json"


def _common_struct(one: StructOf, other: StructOf) -> Shape:
    names = _merged(list(one.fields), list(other.fields))
    is_union = one.is_union and other.is_union
    if len(names) > _WIDEST or not (is_union or one.fields.keys() == other.fields.keys()):
        return "json"
    return StructOf({name: common(one.fields.get(name, ""), other.fields.get(name, "")) for name in names}, is_union)


def _merged(one: list[str], other: list[str]) -> list[str]:
    """The names of both in an order that keeps theirs where possible, so that few objects have to be told apart."""
    merged, at = list(one), len(one)
    for name in reversed(other):
        if name in one:
            at = merged.index(name)
        else:
            merged.insert(at, name)
    return merged


def arrow_type(shape: Shape) -> Any:
    """The Arrow type of a shape; unknown parts are texts, and so is a struct without fields."""
    pa = arrow()
    if isinstance(shape, ListOf):
        return pa.list_(arrow_type(shape.item))
    if isinstance(shape, StructOf) and shape.fields:
        return pa.struct({name: arrow_type(one) for name, one in shape.fields.items()})
    types = {"truth": pa.bool_(), "whole": pa.int64(), "real": pa.float64()}
    return types.get(str(shape)) or pa.string()


def fitted(value: Any, kind: Any) -> Any:
    """A JSON value as the Arrow type takes it: as JSON text where that is a text and the value is none."""
    pa = arrow()
    if value is None:
        return None
    if pa.types.is_string(kind):
        text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, separators=(",", ":"))
        return storable(text)
    if pa.types.is_list(kind):
        return [fitted(one, kind.value_type) for one in value]
    if pa.types.is_struct(kind):
        return {field.name: fitted(value.get(field.name), field.type) for field in kind}
    return value


def restored(value: Any, unions: Collection[str], *, name: str = "", depth: int = 0) -> Any:
    """A value that was read from a table, as it was before.

    Objects of varying keys lose the nulls of other objects, their objects are no text any more, and a whole number that
    another program made a float is one again.

    Args:
        value: The value; what is deeper than any struct of ours stays as it is.
        unions: Names of fields that hold objects of varying keys.
        name: The name of its field.
        depth: Lists and objects around it.
    """
    if depth > _DEEPEST:
        return value
    if isinstance(value, list):
        return [restored(one, unions, name=name, depth=depth + 1) for one in value]
    if isinstance(value, dict):
        if name in unions:
            return {key: found for key, one in value.items() if (found := _restored_field(one)) is not None}
        return {key: restored(one, unions, name=key, depth=depth + 1) for key, one in value.items()}
    return value


def _restored_field(value: Any) -> Any:
    if isinstance(value, float):
        return int(value) if value.is_integer() and abs(value) < 2**53 else value if isfinite(value) else None
    if isinstance(value, str) and value.startswith("{"):
        try:
            found = json.loads(value, parse_constant=float)
        except (ValueError, RecursionError):
            return value
        return found if isinstance(found, dict) else value
    return value
