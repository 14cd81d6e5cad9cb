"""The schema of a plan for editors, which then complete its keys and mark what is wrong (JSON Schema)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from evolif.plan.file import PlanFile
from evolif.plan.flags import Flag, Flags
from evolif.plan.steps import Verb

_SCALAR = {"type": ["string", "number", "boolean"]}
_OWN = ("name", "label", "bench", "models", "settings", "gate")


def plan_schema(flags: Mapping[Verb, Flags]) -> dict[str, Any]:
    """The JSON Schema of a plan.

    Args:
        flags: Those of each verb, whose keys a plan may have.
    """
    schema = PlanFile.model_json_schema()
    parts: dict[str, Any] = schema["$defs"]
    parts["Settings"] = _mapping(flags["evaluate"], "Flags of evolif evaluate.")
    parts["Gate"] = _mapping(flags["gate"], "Flags of evolif gate.")
    parts["Board"] = _mapping(flags["board"], "Flags of evolif board.")
    parts["ModelEntry"]["additionalProperties"] = _SCALAR
    scenario = parts["ScenarioEntry"]
    scenario["additionalProperties"] = False
    scenario["properties"] |= _properties(flags["generate"])
    gate = {"anyOf": [{"$ref": "#/$defs/Gate"}, {"const": False}]}
    for owner in (schema, scenario):
        owner["properties"]["settings"] = {"$ref": "#/$defs/Settings"}
        owner["properties"]["gate"] = gate
    schema["properties"]["board"] = {"anyOf": [{"type": "boolean"}, {"$ref": "#/$defs/Board"}]}
    # One model or one scenario needs no list.
    single = {"anyOf": [{"type": "string"}, {"$ref": "#/$defs/ModelEntry"}]}
    several = {"type": "array", "items": single, "minItems": 1}
    for owner in (schema, scenario):
        owner["properties"]["models"] = {"anyOf": [*single["anyOf"], several]}
    one = {"$ref": "#/$defs/ScenarioEntry"}
    schema["properties"]["scenarios"] = {"anyOf": [schema["properties"]["scenarios"], one]}
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **schema, "title": "evolif.yaml"}


def _mapping(flags: Flags, description: str) -> dict[str, Any]:
    return {
        "type": "object",
        "description": description,
        "properties": _properties(flags),
        "additionalProperties": False,
    }


def _properties(flags: Flags) -> dict[str, Any]:
    allowed = {key: flag for key, flag in flags.items() if not flag.refused and key not in _OWN}
    return {spelling: _property(flag) for key, flag in allowed.items() for spelling in (key, key.replace("_", "-"))}


def _property(flag: Flag) -> dict[str, Any]:
    one: dict[str, Any] = {"type": "boolean" if flag.switch else flag.kind}
    if flag.repeats:
        one = {"anyOf": [_SCALAR, {"type": "array", "items": _SCALAR},
                         {"type": "object", "additionalProperties": _SCALAR}]}  # fmt: skip
    return {**one, "description": flag.help}
