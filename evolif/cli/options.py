"""Options that several verbs share, groups of options as one parameter, and the file of `--config`.

A verb may take a whole group of settings as one parameter: `EvalConfig`, or a data class of options. `with_options`
makes every field a flag and passes one object to the verb. Variables are derived from flag names, see `app`.
"""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, fields, is_dataclass
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeVar, get_args, get_origin, get_type_hints

import typer

if TYPE_CHECKING:
    from pydantic.fields import FieldInfo

    from evolif.scenarios.instructions.constraints.registry import OwnModule

Display = Annotated[str, typer.Option(metavar="auto|rich|plain|none", help="How to show progress.")]
JsonFlag = Annotated[bool, typer.Option("--json", help="Print JSON to standard output.")]
Resamples = Annotated[
    int, typer.Option(min=1, max=1_000_000, help="Number of random draws, for figures that need any.")
]
Seed = Annotated[int, typer.Option(min=0, help="Seed of random draws.")]
Prices = Annotated[
    Path | None, typer.Option(metavar="FILE", help="Prices per million tokens, overriding the packaged ones.")
]

Group = TypeVar("Group")
"""A class of options that a verb takes as one parameter."""

WORDING = "Chat models that word turns"
"""The heading of options for the chat models that write queries."""

CheckerOption = Annotated[
    str | None,
    typer.Option(metavar="PROVIDER/NAME", rich_help_panel=WORDING, help="A chat model that checks what rules cannot."),
]


@dataclass(frozen=True, slots=True)
class WordingOptions:
    """How the chat models that write queries are called."""

    temperature: Annotated[
        float | None,
        typer.Option(min=0, rich_help_panel=WORDING, help="Sampling temperature; by default the provider's."),
    ] = None
    max_tokens: Annotated[
        int | None,
        typer.Option(
            min=1, rich_help_panel=WORDING, help="Longest answer in tokens; by default the provider's (local: 200)."
        ),
    ] = None
    max_connections: Annotated[
        int | None,
        typer.Option(
            min=1,
            rich_help_panel=WORDING,
            help="Concurrent requests per model, one per dialogue. By default it adapts to what the endpoint can take, "
            "up to 200; local models 1.",
        ),
    ] = None
    max_retries: Annotated[
        int, typer.Option(min=0, rich_help_panel=WORDING, help="Retries of a request that failed temporarily.")
    ] = 5
    timeout: Annotated[
        float | None,
        typer.Option(
            min=0.001, metavar="SECONDS", rich_help_panel=WORDING, help="Timeout per attempt (120; local models 600)."
        ),
    ] = None
    base_url: Annotated[
        str | None,
        typer.Option(metavar="URL", rich_help_panel=WORDING, help="Endpoint for models that do not name one."),
    ] = None


@dataclass(frozen=True, slots=True)
class EntryOptions(WordingOptions):
    """How the chat model that writes topics or personas is called."""

    temperature: Annotated[
        float | None, typer.Option(min=0, help="Sampling temperature; by default the provider's.")
    ] = None
    max_tokens: Annotated[
        int | None, typer.Option(min=1, help="Longest answer in tokens; by default the provider's (local: 500).")
    ] = None
    max_connections: Annotated[
        int | None, typer.Option(min=1, help="Entries requested at a time (16; local models 1).")
    ] = None
    base_url: Annotated[
        str | None, typer.Option(metavar="URL", help="Endpoint for a model that does not name one.")
    ] = None


def random_seed() -> int:
    """A seed, used if none is given."""
    from secrets import randbelow

    return randbelow(2**31)


# Groups of options as one parameter of a verb.


class Only(tuple[str, ...]):
    """The fields of a group that a verb accepts; the rest keep their defaults."""


def with_options(verb: Callable[..., None], common: Mapping[str, Any]) -> Callable[..., None]:
    """The verb with an option per field of its groups, plus the common options, which only have side effects."""
    parameters: list[inspect.Parameter] = []
    groups: dict[str, tuple[type, dict[str, str]]] = {}
    for parameter in inspect.signature(verb, eval_str=True).parameters.values():
        group, *notes = get_args(parameter.annotation) or (parameter.annotation,)
        if not _is_group(group):
            parameters.append(parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY))
            continue
        only = next((note for note in notes if isinstance(note, Only)), None)
        options = {field: option for field, option in _options_of(group) if only is None or field in only}
        groups[parameter.name] = group, {option.name: field for field, option in options.items()}
        parameters += options.values()
    parameters += [_parameter(name, annotation, None) for name, annotation in common.items()]

    @wraps(verb)
    def run(**values: Any) -> None:
        for name in common:
            del values[name]
        for name, (group, fields_of) in groups.items():
            given = {field: values.pop(option) for option, field in fields_of.items()}
            values[name] = group(**{field: value for field, value in given.items() if value not in (None, [])})
        verb(**values)

    vars(run)["__signature__"] = inspect.Signature(parameters)  # the attribute, which functions do not declare
    run.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    return run


def group_from(group: type[Group], values: Mapping[str, Any]) -> Group:
    """A group of options from the values of a command's parameters, as the verb gets it."""
    given = {field: values.get(option.name) for field, option in _options_of(group)}
    return group(**{field: value for field, value in given.items() if value not in (None, [])})


def _is_group(kind: Any) -> bool:
    return is_dataclass(kind) or hasattr(kind, "model_fields")


def _options_of(group: Any) -> Iterator[tuple[str, inspect.Parameter]]:
    """(field, option) of a group's fields."""
    if is_dataclass(group):
        kinds = get_type_hints(group, include_extras=True)
        for field in fields(group):
            yield field.name, _parameter(field.name, kinds[field.name], field.default)
    else:
        for name, setting in group.model_fields.items():
            yield name, _option_of(name, setting)


def _option_of(name: str, setting: FieldInfo) -> inspect.Parameter:
    """The option of a field that is declared without typer."""
    from evolif.config import Flag
    from evolif.models import ChatModel

    flag = next(note for note in setting.metadata if isinstance(note, Flag))
    option = typer.Option(
        *flag.names,
        help=setting.description,
        metavar=flag.metavar,
        rich_help_panel=flag.panel,
        envvar=flag.variable,
        callback=_unless_by_variable if flag.typed else _unless_of_others if flag.counts_elsewhere else None,
        min=next((note.ge for note in setting.metadata if hasattr(note, "ge")), None),
    )
    kind: Any = setting.annotation
    default = inspect.Parameter.empty if flag.required else setting.default
    if get_origin(kind) is tuple:
        kind = list[str] if flag.required else list[str] | None
        default = default if flag.required else None
    elif ChatModel in get_args(kind):
        kind = str | None
    if flag.names:
        name = flag.names[0].removeprefix("--").replace("-", "_")
    return _parameter(name, Annotated[kind, option], default)


def _unless_by_variable(ctx: typer.Context, parameter: typer.CallbackParam, value: Any) -> Any:
    source = ctx.get_parameter_source(parameter.name or "")
    return None if source is not None and source.name == "ENVIRONMENT" else value


def _unless_of_others(ctx: typer.Context, parameter: typer.CallbackParam, value: Any) -> Any:
    source = ctx.get_parameter_source(parameter.name or "")
    in_file = source is not None and source.name == "DEFAULT_MAP"
    return None if in_file and str(value).isdecimal() else value


def _parameter(name: str, annotation: Any, default: Any) -> inspect.Parameter:
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, annotation=annotation, default=default)


# Options of every verb.


def _load_config(ctx: typer.Context, path: Path | None) -> Path | None:
    """Take defaults from a YAML or TOML file; flags and variables take precedence."""
    if path is None:
        return None
    from evolif.errors import InputError
    from evolif.util.resources import load_data

    data = load_data(path)
    if not isinstance(data, dict) or not all(isinstance(key, str) for key in data):
        raise InputError("a configuration is a mapping of flag names to values", path=path)
    values = {key.replace("-", "_"): value for key, value in data.items() if value is not None}
    own = _keys(ctx.command)
    known = {key: parameter for command in _commands(ctx) for key, parameter in _keys(command).items()} | own
    refused = {key: why for command in _commands(ctx) for key, why in _refused(command).items()}
    for key in sorted(values):
        # A key of this verb is what its own parameter is, whatever the same word means elsewhere.
        why = why_refused(own[key]) if key in own else refused.get(key)
        if why is not None:
            raise InputError(f"{why}; remove “{_shown(key)}” and give it on the command line", path=path)
        if key not in known:
            raise InputError(
                f"unknown key “{_shown(key)}”; keys are named like flags, without the leading dashes", path=path
            )
    ctx.default_map = {own[key].name: _as_text(value, own[key]) for key, value in values.items() if key in own}
    return path


_NOT_FROM_FILES: Mapping[str, str] = {
    "own_groups": "a configuration file cannot name code to load",
    "ray_address": "a configuration file cannot name a Ray cluster, which can run code here",
    "config": "a configuration file cannot name another one",
}
"""Parameters that no configuration file sets, under whatever spelling, by their names; and why."""


def why_refused(parameter: Any) -> str | None:
    """Why no configuration file sets a parameter; None if files may."""
    return _NOT_FROM_FILES.get(parameter.name) if parameter.param_type_name == "option" else None


def _refused(command: Any) -> dict[str, str]:
    """Every word that may stand for a parameter that no file sets: its flags, its own name and its variable."""
    found: dict[str, str] = {}
    for parameter in command.params:
        if why := why_refused(parameter):
            spellings = {parameter.name, parameter.envvar or parameter.name, *parameter.opts, *parameter.secondary_opts}
            found |= dict.fromkeys((spelling.strip("-").replace("-", "_") for spelling in spellings), why)
    return found


def _shown(key: str) -> str:
    return key if key.isupper() else key.replace("_", "-")


def _commands(ctx: typer.Context) -> Iterator[Any]:
    """Every command of the program."""
    root: Any = ctx.find_root().command
    for command in getattr(root, "commands", {"": root}).values():
        yield from (command, *getattr(command, "commands", {}).values())


def _keys(command: Any) -> dict[str, Any]:
    """A command's options by their long flags, with underscores, and its arguments by their names.

    Not by what an option is called in the code: two words for one option are one more than anybody looks for.
    """
    keys = {p.name: p for p in command.params if p.param_type_name == "argument"}
    for parameter in command.params:
        if parameter.param_type_name == "option":
            flags = (option for option in parameter.opts if option.startswith("--"))
            keys |= dict.fromkeys((flag.removeprefix("--").replace("-", "_") for flag in flags), parameter)
    return keys


def _as_text(value: Any, parameter: Any) -> Any:
    """A value as the command line would pass it; a single value of a repeatable flag needs no list."""
    if isinstance(value, list):
        return [str(item) for item in value]
    if getattr(parameter, "multiple", False):
        return [str(value)]
    return value if isinstance(value, bool) else str(value)


def _use_own_groups(value: str | None) -> str | None:
    if value is not None:
        os.environ["EVOLIF_CONSTRAINTS"] = value
    if value:
        from evolif.scenarios.instructions.constraints.registry import on_own_module

        on_own_module(_tell_own_module)
    return value


def _tell_own_module(module: OwnModule) -> None:
    from evolif.cli.console import say

    say(f"Your own constraint groups {', '.join(module.groups)}: code of {module}.")


ConfigFile = Annotated[
    Path | None,
    typer.Option(
        "--config", callback=_load_config, is_eager=True, metavar="FILE", help="Read flags from a YAML or TOML file."
    ),
]
OwnGroups = Annotated[
    str | None,
    typer.Option(
        "--constraints",
        callback=_use_own_groups,
        is_eager=True,
        metavar="MODULE|FILE.py",
        help="Your own constraint groups, separated by commas; built-in profiles use them too.",
    ),
]
