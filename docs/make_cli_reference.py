"""Writes `cli.md`, `environment.md` and `plan.schema.json` of `docs/reference/` anew, from the program itself.

.venv/bin/python docs/make_cli_reference.py
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from html import escape
from pathlib import Path
from typing import Any

import typer
from typer.testing import CliRunner

from evolif.cli import app

ROOT = Path(__file__).parent.parent
CLI = Path(__file__).parent / "reference" / "cli.md"
ENVIRONMENT = Path(__file__).parent / "reference" / "environment.md"
SCHEMA = Path(__file__).parent / "reference" / "plan.schema.json"

CLI_HEAD = """# Command line

Generated from the program by `docs/make_cli_reference.py`; a test fails if this page is outdated.

`--help` after a verb shows the same. Every flag is also an environment variable and, without the leading dashes, a key
in the `--config` file. A flag overrides a variable, and a variable overrides the file. See also the
[exit codes](exit-codes.md).
"""
ENVIRONMENT_HEAD = """# Environment variables

Generated from the program by `docs/make_cli_reference.py`; a test fails if this page is outdated.

## Flags

Every flag has its variable. Separate several values of a repeatable flag by white space. A switch is on for `1`, `true`
and `yes`, off for `0`, `false` and `no`.

| variable | flag | verbs |
|---|---|---|
"""
OTHERS_HEAD = """
## Others

| variable | what it does |
|---|---|
"""
OTHERS = {
    "EVOLIF_CONFIG_DIR": "the folder of your own prices (`evolif prices update`); by default the user's for settings",
    "EVOLIF_DEBUG": "`1` shows where an error comes from, instead of one sentence",
    "EVOLIF_LOCAL_THREADS": "threads of a model on this machine; half the cores by default",
    "EVOLIF_PLUGINS": "`0` turns plug-ins off: nothing is loaded from other packages",
    "HF_TOKEN": "the token for `evolif export --push`, and the key of `huggingface/NAME`",
    "OPENAI_API_KEY": "the key of `openai/NAME`; sent to a server of one's own only where `key_env` names it",
    "OPENAI_BASE_URL": "moves `openai/NAME`, and its key with it",
    "GOOGLE_API_KEY": "the key of `google/NAME`; `GEMINI_API_KEY` is read where it is absent",
    "GOOGLE_GEMINI_BASE_URL": "moves `google/NAME`, and its key with it",
    "AZURE_OPENAI_ENDPOINT": "where `azure/NAME` is, which gets the key in `AZURE_OPENAI_API_KEY`",
    "AWS_REGION": "where `bedrock/NAME` is; `AWS_DEFAULT_REGION` is read where it is absent",
    "GOOGLE_CLOUD_PROJECT": "the project of `vertex/NAME`; `GOOGLE_CLOUD_LOCATION` is its location",
    "DATABRICKS_HOST": "where `databricks/NAME` is, which gets the key in `DATABRICKS_TOKEN`",
}
"""Variables that no flag stands for."""


def main() -> None:
    """Write both pages, and the schema of plans."""
    CLI.write_text(cli_page(), encoding="utf-8")
    ENVIRONMENT.write_text(environment_page(), encoding="utf-8")
    SCHEMA.write_text(plan_schema_text(), encoding="utf-8")
    print(CLI.name, ENVIRONMENT.name, SCHEMA.name)


def plan_schema_text() -> str:
    """What `evolif run --schema` prints."""
    return str(CliRunner().invoke(app, ["run", "--schema"], prog_name="evolif").stdout)


def commands() -> Iterator[tuple[str, Any]]:
    """Every command that can be run, by its words after `evolif`."""
    for verb, command in typer.main.get_command(app).commands.items():  # type: ignore[attr-defined]  # it is a group
        nested = getattr(command, "commands", None)
        if nested is None:
            yield verb, command
        else:
            yield from ((f"{verb} {name}", inner) for name, inner in nested.items())


def cli_page() -> str:
    """The reference of the command line, as Markdown."""
    parts = [CLI_HEAD]
    for words, command in commands():
        parts += _section(words, command)
    return "\n".join(parts).rstrip() + "\n"


def environment_page() -> str:
    """The table of variables, as Markdown."""
    found: dict[str, tuple[set[str], list[str]]] = {}
    for words, command in commands():
        for parameter in _options(command):
            for variable in _variables(parameter):
                flags, verbs = found.setdefault(variable, (set(), []))
                flags.add(_long(parameter))
                verbs.append(words)
    rows = [
        f"| `{variable}` | {_code(sorted(flags))} | {', '.join(verbs)} |"
        for variable, (flags, verbs) in sorted(found.items())
    ]
    others = [f"| `{variable}` | {text} |" for variable, text in OTHERS.items()]
    return ENVIRONMENT_HEAD + "\n".join(rows) + "\n" + OTHERS_HEAD + "\n".join(others) + "\n"


def _section(words: str, command: Any) -> Iterator[str]:
    arguments, options = _arguments(command), _options(command)
    usage = " ".join(["evolif", words, *(_usage(a) for a in arguments), *(["[OPTIONS]"] if options else [])])
    yield f"## evolif {words}"
    yield ""
    yield _plain(command.help or "")
    yield ""
    yield f"    {usage}"
    yield ""
    if arguments:
        yield from _table(("argument", "what"), ((_code([_usage(a)]), _told(a)) for a in arguments))
    for panel in dict.fromkeys(map(_panel, options)):
        if panel:
            yield f"**{panel}**"
            yield ""
        yield from _table(("option", "default", "what"), (_option(o) for o in options if _panel(o) == panel))


def _table(head: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> Iterator[str]:
    yield f"| {' | '.join(head)} |"
    yield "|" + "---|" * len(head)
    for row in rows:
        yield f"| {' | '.join(row)} |"
    yield ""


def _arguments(command: Any) -> list[Any]:
    return [p for p in command.params if p.param_type_name == "argument"]


def _options(command: Any) -> list[Any]:
    return [p for p in command.params if p.param_type_name == "option" and p.name != "help"]


def _panel(option: Any) -> str:
    """Under which heading the help shows an option; empty for those without."""
    return str(getattr(option, "rich_help_panel", None) or "")


def _usage(argument: Any) -> str:
    name = str(argument.metavar or argument.name.upper())
    return name if argument.required or name.startswith("[") else f"[{name}]"


def _option(option: Any) -> tuple[str, str, str]:
    value = "" if option.is_flag else f" {option.metavar or _kind(option)}"
    names = [f"{name}{value}" for name in sorted(option.opts, key=len, reverse=True)]
    names += list(option.secondary_opts)
    return _code(names), _default(option), _told(option)


def _kind(option: Any) -> str:
    descriptor = getattr(option, "type_descriptor", None)
    name = option.type.name if descriptor is None else getattr(descriptor.annotation, "__name__", "text")
    return _KINDS.get(str(name).removesuffix(" range"), "TEXT")


_KINDS = {"int": "N", "integer": "N", "float": "NUMBER", "Path": "PATH", "path": "PATH"}


def _default(option: Any) -> str:
    if option.required:
        return "required"
    default = option.default
    if option.is_flag:
        return "on" if default is True else "off"
    if default is None or callable(default) or default in ((), [], ""):
        return ""
    return _code([str(default)])


def _told(parameter: Any) -> str:
    text = _plain(getattr(parameter, "help", None) or "")
    # Where the bounds are kept depends on typer's version.
    least, most = (
        getattr(parameter, key, getattr(getattr(parameter, "type", None), key, None)) for key in ("min", "max")
    )
    if least is not None or most is not None:
        text += f" ({_bounds(least, most)})"
    if getattr(parameter, "multiple", False) and "repeatedly" not in text:
        text += " Repeatable."
    variables = "".join(f" `{variable}`" for variable in _variables(parameter))
    return (text + variables).strip().replace("|", "&#124;")


def _bounds(least: Any, most: Any) -> str:
    if most is None:
        return f"at least {least}"
    return f"at most {most}" if least is None else f"{least} to {most}"


def _variables(parameter: Any) -> list[str]:
    named = parameter.envvar
    return [named] if isinstance(named, str) else list(named or ())


def _long(option: Any) -> str:
    return str(max(option.opts, key=len))


def _code(names: Iterable[str]) -> str:
    # A table's cell ends at a bar, and not every reader of Markdown takes the backslash before one away again.
    bars = (f"<code>{escape(name).replace('|', '&#124;')}</code>" if "|" in name else f"`{name}`" for name in names)
    return ", ".join(bars)


def _plain(text: str) -> str:
    """Help text on one line per paragraph."""
    paragraphs = re.split(r"\n\s*\n", text.replace("\b", "").strip())
    return "\n\n".join(" ".join(paragraph.split()) for paragraph in paragraphs)


if __name__ == "__main__":
    main()
