"""What the command line says about a command that it cannot read: one sentence with what is wrong, and the mend."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from evolif.util.suggestions import nearest, one_of, sentence

_COMMAND = re.compile(r"No such command ['\"](.*?)['\"]")
_EXTRA = re.compile(r"Got unexpected extra argument(?:s|\(s\))? \((.*)\)", re.DOTALL)
_OTHER_WORDS = {
    "check": "lint",
    "create": "generate",
    "diff": "compare",
    "download": "fetch",
    "get": "fetch",
    "make": "generate",
    "new": "generate",
    "play": "evaluate",
    "pull": "fetch",
    "run": "evaluate",
    "show": "report",
}
"""What others call a verb."""


def explain(error: Any, root: Any) -> str:
    """One sentence about a command that cannot be read.

    Args:
        error: A usage error of click, or of typer's copy of it, depending on the version.
        root: The context of the program.
    """
    ctx = getattr(error, "ctx", None) or root
    kind = type(error).__name__
    if kind == "NoSuchOption":
        return _no_option(error.option_name, ctx, root)
    if kind == "MissingParameter" and error.param is not None:
        return f"{ctx.command_path} needs {_asked(error.param)}; see {ctx.command_path} --help"
    if kind == "BadParameter" and error.param is not None:
        return _bad_value(error, ctx)
    if kind == "BadOptionUsage":
        return _no_value(error, ctx, root)
    message = error.format_message()
    if found := _COMMAND.search(message):
        return _no_command(found[1], ctx)
    if found := _EXTRA.match(message):
        names = [_name(one) for one in ctx.command.params if one.param_type_name == "argument"]
        takes = f"takes {one_of(names, 'and')}" if names else "takes no arguments, only options"
        return f"{ctx.command_path} {takes}; “{found[1]}” is too much (see {ctx.command_path} --help)"
    return f"{message.rstrip('.')}; see {ctx.command_path} --help"


def _name(parameter: Any) -> str:
    """How an argument or an option is spelled: `BENCH`, `--model`."""
    if parameter.param_type_name == "argument":
        return str(parameter.metavar or parameter.name.upper())
    return str(max(parameter.opts, key=len))


def _asked(parameter: Any) -> str:
    """A parameter that is missing, with what it is."""
    what = (getattr(parameter, "help", None) or "").rstrip(".").partition(";")[0]
    shown = _with_value(parameter) if parameter.param_type_name == "option" else _name(parameter)
    return f"{shown}: {what[:1].lower()}{what[1:]}" if what else shown


def _with_value(option: Any) -> str:
    return f"{_name(option)} {option.metavar or 'VALUE'}"


def _options(command: Any) -> Iterator[tuple[str, Any]]:
    for parameter in command.params:
        if parameter.param_type_name == "option":
            for name in (*parameter.opts, *parameter.secondary_opts):
                yield name, parameter


def _no_option(name: str, ctx: Any, root: Any) -> str:
    start = f"{ctx.command_path} has no option {name}"
    near = nearest(name, [option for option, _ in _options(ctx.command)], cutoff=0.7)
    if near is not None:
        return f"{start} (did you mean {near}?)"
    verbs = sorted({verb for verb, command in _verbs(root) if name in dict(_options(command))})
    if verbs:
        return (
            f"{start}; {one_of([f'evolif {verb}' for verb in verbs], 'and')} {'has' if len(verbs) == 1 else 'have'} it"
        )
    return f"{start}; see {ctx.command_path} --help"


def _verbs(root: Any) -> Iterator[tuple[str, Any]]:
    for name, command in root.command.commands.items():
        nested = getattr(command, "commands", None)
        yield from ((f"{name} {inner}", own) for inner, own in nested.items()) if nested else ((name, command),)


def _no_value(error: Any, ctx: Any, root: Any) -> str:
    """An option at the end of the command, or one that takes no value and has one."""
    name = str(error.option_name)
    if "requires" not in error.message:
        return f"{name} takes no value; give it alone"
    commands = [ctx.command, *(one for verb, one in _verbs(root) if verb.split()[0] == root.invoked_subcommand)]
    option = next((one for command in commands for known, one in _options(command) if known == name), None)
    return f"{name} needs a value" + (f": {_with_value(option)}" if option is not None else "")


def _no_command(name: str, ctx: Any) -> str:
    known = [*ctx.command.commands]
    near = _OTHER_WORDS.get(name) if _OTHER_WORDS.get(name) in known else nearest(name, known)
    start = f"there is no {ctx.command_path} {name}"
    if near is not None:
        return f"{start} (did you mean {ctx.command_path} {near}?)"
    there = (
        f"there {'is' if len(known) == 1 else 'are'} {one_of(known, 'and')}"
        if len(known) < 6
        else f"{ctx.command_path} --help lists all verbs"
    )
    return f"{start}; {there}"


def _bad_value(error: Any, ctx: Any) -> str:
    """A value that does not fit, named as it was given: as a flag, by a variable, or in a configuration file."""
    parameter = error.param
    source = getattr(ctx.get_parameter_source(parameter.name or ""), "name", "")
    name = _name(parameter)
    if source == "ENVIRONMENT":
        variable = parameter.envvar
        name = f"{variable if isinstance(variable, str) else variable[0]} (the variable of {name})"
    elif source == "DEFAULT_MAP":
        name = f"{name.removeprefix('--')} in {ctx.params.get('config') or 'the configuration file'}"
    faults = getattr(error.__cause__, "errors", None)
    if faults is not None:
        return sentence(name, faults()[0])
    message = error.message.rstrip(".")
    return f"{name}: {message[:1].lower()}{message[1:]}"
