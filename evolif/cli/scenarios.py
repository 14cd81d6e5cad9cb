"""`evolif scenarios`: the kinds of conversation that are installed, and the options of one."""

from __future__ import annotations

from collections.abc import Iterator
from enum import Enum
from types import NoneType
from typing import TYPE_CHECKING, Annotated, Any, Literal, get_args, get_origin

import typer

from evolif.cli.console import show, show_json
from evolif.cli.options import JsonFlag

if TYPE_CHECKING:
    from pydantic import BaseModel
    from pydantic.fields import FieldInfo

    from evolif.scenario import Scenario


def scenarios(
    name: Annotated[
        str | None, typer.Argument(metavar="NAME", help="A scenario, to see its options; all if omitted.")
    ] = None,
    as_json: JsonFlag = False,
) -> None:
    """List the scenarios that are installed, or the options of one."""
    from evolif.scenario import get_scenario

    if name is not None:
        scenario = get_scenario(name)
        if as_json:
            show_json(_described(scenario))
        else:
            show(_scenario_lines(scenario))
        return
    found = list(_installed())
    if as_json:
        show_json(found)
    else:
        width = max(len(row["name"]) for row in found)
        show(f"{row['name']:{width}}  {row.get('title') or row['fault']}" for row in found)


def _installed() -> Iterator[dict[str, str]]:
    """Names with titles, or with the fault of a plug-in that cannot be loaded."""
    from evolif.errors import UsageError
    from evolif.scenario import get_scenario, scenario_names

    for name in scenario_names():
        try:
            yield {"name": name, "title": get_scenario(name).title}
        except UsageError as fault:
            yield {"name": name, "fault": " ".join(str(fault).split())}


def _described(scenario: Scenario) -> dict[str, Any]:
    return {
        "name": scenario.name,
        "title": scenario.title,
        "version": scenario.version,
        "seats": list(scenario.seats),
        "generate": list(_options(scenario.spec)),
        "evaluate": list(_options(scenario.play)),
    }


def _scenario_lines(scenario: Scenario) -> Iterator[str]:
    from evolif.scenario import DEFAULT_SCENARIO

    yield f"{scenario.name}: {scenario.title}"
    own = scenario.name == DEFAULT_SCENARIO
    how = "each is a flag" if own else f"--scenario {scenario.name} --set KEY=VALUE"
    for verb, given, model in (("generate", how, scenario.spec), ("evaluate", "--set KEY=VALUE", scenario.play)):
        rows = list(_options(model))
        yield f"Options of evolif {verb} ({given}):" if rows else f"Options of evolif {verb}: none"
        heads = [f"{row['name']} ({row['type']})" for row in rows]
        width = max(map(len, heads), default=0)
        for head, row in zip(heads, rows, strict=True):
            default = "required" if row["required"] else f"default: {_text(row['default'])}"
            yield f"  {head:{width}}  {row['description']} [{default}]".replace("   [", "  [")


def _options(model: type[BaseModel]) -> Iterator[dict[str, Any]]:
    from pydantic_core import to_jsonable_python

    for name, field in model.model_fields.items():
        yield {
            "name": name,
            "type": _type(field.annotation),
            "required": field.is_required(),
            "default": to_jsonable_python(_default(field), fallback=str),
            "description": " ".join((field.description or "").split()),
        }


def _default(field: FieldInfo) -> Any:
    return None if field.is_required() or field.default_factory is not None else field.default


def _type(kind: Any) -> str:
    """`int`, `easy|hard`, `list of str`."""
    origin, inner = get_origin(kind), [part for part in get_args(kind) if part not in (NoneType, ...)]
    if origin is Annotated:
        return _type(inner[0])
    if origin is Literal:
        return "|".join(map(str, inner))
    if origin in (list, tuple, set, frozenset):
        return f"list of {' or '.join(dict.fromkeys(map(_type, inner)))}" if inner else "list"
    if inner:
        return " or ".join(dict.fromkeys(map(_type, inner))) if origin is not dict else "mapping"
    if isinstance(kind, type):
        return "|".join(str(member.value) for member in kind) if issubclass(kind, Enum) else kind.__name__.lower()
    return str(kind)


def _text(value: Any) -> str:
    """A default as `--set` would take it."""
    if isinstance(value, list):
        return ",".join(map(_text, value)) or "none"
    if value is None:
        return "none"
    return str(value).lower() if isinstance(value, bool) else str(value)
