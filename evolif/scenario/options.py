"""Options of scenarios: from `KEY=VALUE` pairs to a checked model, and back to what differs from the default."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import UnionType
from typing import Annotated, Any, Union, get_args, get_origin

from pydantic import BaseModel, ValidationError

from evolif.errors import UsageError
from evolif.util.suggestions import did_you_mean, sentence


def options_of(model: type[BaseModel], given: Mapping[str, Any], scenario: str, *, called: str = "--set ") -> BaseModel:
    """The options of a scenario from `KEY=VALUE` pairs.

    Args:
        model: Declares the options.
        given: By name.
        scenario: Its name, for errors.
        called: What stands before an option's name in errors.

    Raises:
        UsageError: an option that does not exist, or a value that does not fit.
    """
    unknown = [key for key in given if key not in model.model_fields]
    if unknown:
        known = ", ".join(model.model_fields) or "none"
        near = did_you_mean(unknown[0], model.model_fields)
        raise UsageError(f"{called}{unknown[0]}: the scenario {scenario} has no such option{near}; it has {known}")
    try:
        return model.model_validate(given)
    except ValidationError as error:
        fault = error.errors()[0]
        # The value that does not fit is in the sentence, so its place in a list says nothing more.
        key = ".".join(part for part in fault["loc"] if isinstance(part, str)) or "options"
        raise UsageError(sentence(f"{called}{key}", fault)) from None


def pairs_of(texts: Sequence[str], model: type[BaseModel]) -> dict[str, Any]:
    """The values of `KEY=VALUE` texts, for `options_of`.

    An option that is a list takes several values: the text is repeated, or they are separated by commas. A value with a
    brace is one.

    Raises:
        UsageError: there is no `=`, or an option of one value is given twice.
    """
    given: dict[str, Any] = {}
    for text in texts:
        name, equals, value = text.partition("=")
        key = name.strip().replace("-", "_")
        if not (key and equals):
            raise UsageError(f"--set {text}: write KEY=VALUE")
        if key in model.model_fields and _is_list(model.model_fields[key].annotation):
            parts = [value] if "{" in value else value.split(",")  # JSON has commas of its own
            given[key] = [*given.get(key, ()), *(part.strip() for part in parts if part.strip())]
        elif key in given:
            raise UsageError(f"--set {key} is given twice; it takes one value")
        else:
            given[key] = value
    return given


def _is_list(kind: Any) -> bool:
    """Whether a type is a list, tuple or set, or may be one."""
    if (get_origin(kind) or kind) in (list, tuple, set, frozenset, Sequence):
        return True
    return get_origin(kind) in (Union, UnionType, Annotated) and any(map(_is_list, get_args(kind)))


def changed_options(options: BaseModel) -> dict[str, Any]:
    """The options that differ from their default, as JSON values."""
    return options.model_dump(mode="json", exclude_defaults=True)
