"""The help of one verb: in plain lines that no terminal is too narrow for, its options in groups."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from typer.core import TyperCommand

VARIABLES = "Every option is also a variable (--max-turns: EVOLIF_MAX_TURNS) and a key of --config."

_NAMES = 26
"""Columns for names; what is longer gets a line of its own."""
_KINDS: Mapping[str, str] = {"<int range>": "N", "<int>": "N", "<float range>": "X", "<float>": "X", "<path>": "PATH"}
"""What typer calls values that have no name of their own, and how a reader would."""


class Verb(TyperCommand):
    """A command whose options stand under the headings that they name as their panels.

    A table would cut long names at 80 columns, and take half of them for the variables.
    """

    def __init__(self, *arguments: Any, **told: Any) -> None:
        super().__init__(*arguments, **{**told, "rich_markup_mode": None})

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write arguments, then options without a panel, then the panels in the order of their first option."""
        panels: dict[str, list[tuple[str, str]]] = {"Arguments": [], "Options": []}
        for parameter in self.get_params(ctx):
            row = _argument(parameter, ctx) if parameter.param_type_name == "argument" else _option(parameter, ctx)
            if row is not None:
                own = "Arguments" if parameter.param_type_name == "argument" else "Options"
                panels.setdefault(getattr(parameter, "rich_help_panel", None) or own, []).append(row)
        for name, rows in panels.items():
            if rows:
                with formatter.section(name):
                    formatter.write_dl(rows, col_max=_NAMES)

    def format_epilog(self, ctx: Any, formatter: Any) -> None:
        """Write the one line that stands for a hundred names of variables."""
        super().format_epilog(ctx, formatter)
        if any(parameter.name == "config" for parameter in self.get_params(ctx)):
            formatter.write_paragraph()
            with formatter.indentation():
                formatter.write_text(VARIABLES)

    def collect_usage_pieces(self, ctx: Any) -> list[str]:
        """Options, then the arguments by the names they have below."""
        arguments = [p for p in self.get_params(ctx) if p.param_type_name == "argument"]
        return [self.options_metavar or "", *(_named(p) if p.required else f"[{_named(p)}]" for p in arguments)]


def _named(argument: Any) -> str:
    return str(argument.metavar or argument.name.upper())


def _argument(parameter: Any, ctx: Any) -> tuple[str, str] | None:
    row = parameter.get_help_record(ctx)
    return None if row is None else (_named(parameter), row[1])


def _option(parameter: Any, ctx: Any) -> tuple[str, str] | None:
    name = f"EVOLIF_{max(parameter.opts, key=len).removeprefix('--').replace('-', '_').upper()}"
    parameter.show_envvar = parameter.envvar not in (None, name)  # those of their own name are told once for all below
    row = parameter.get_help_record(ctx)
    if row is None:
        return None
    name, told = row
    for kind, called in _KINDS.items():
        name = name.replace(kind, called)
    return name, told
