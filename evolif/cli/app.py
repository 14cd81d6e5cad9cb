"""The application: its verbs, their help, and how errors become a sentence and an exit code."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Mapping, MutableMapping
from importlib import import_module
from inspect import unwrap
from keyword import iskeyword
from typing import Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup

from evolif._version import __version__
from evolif.errors import EvolifError, InternalError, UsageError
from evolif.util.resource_limits import exhausted

# Verbs are loaded on first use: `evolif --help` needs only their names and one sentence each.

SUMMARIES: Mapping[str, str] = {
    "demo": "Run a small real model and three simulated ones on 4 fresh dialogues, in under two minutes.",
    "generate": "Generate a fresh benchmark: scripts with a verified witness per turn, worded in natural language.",
    "extend": "Append turns to every dialogue, or add dialogues; what is there stays unchanged.",
    "audit": "Audit every turn of a benchmark: satisfiable, awkward, impossible or undecided. "
    "Exit code 1 on a finding.",
    "review": "Review flagged queries in a terminal, verify topics, or score judged answers blind. Saves as you go.",
    "evaluate": "Run models on a benchmark. The same command resumes an interrupted run.",
    "status": "Show the progress of an evaluation, also from another shell; the run is only read.",
    "merge": "Join runs of one benchmark and settings, such as parts of a run that several machines have played.",
    "rejudge": "Judge a run's answers again with another judge, into a new run; the models under test are not called.",
    "report": "Show the eight metrics with 95 % intervals, satisfaction per group, and what is left out.",
    "board": "Compare models across scenarios on one page without network: figures, ranks, groups, cost, history.",
    "export": "Export a benchmark or a run, without witnesses: JSONL, CSV, Parquet, datasets, or a layout of others.",
    "import": "Import exported data, dialogues of your own or in the unified schema, or files of EvolIF or NTM as a "
    "benchmark.",
    "compare": "Compare two models, paired by dialogue: differences with intervals, p, effect size.",
    "run": "Play what a plan says: make what is missing, resume what is begun, end with board and gate.",
    "gate": "Decide whether a run meets requirements, by its 95 % intervals. Exit code 1 if one fails, 4 if undecided.",
    "contamination": "Search a text corpus for a benchmark's queries and its canary. Exit code 1 on a finding.",
    "check": "Check one response. Exit code 1 if a constraint is not satisfied.",
    "score": "Compute the eight metrics, and with --cap ISR@N, with 95 % intervals, from plain verdicts.",
    "topics": "Check topics (exit code 1 on a finding), or have a model write them for a domain.",
    "personas": "Check personas (exit code 1 on a finding), or have a model infer them from messages.",
    "registers": "Check registers: your own frames, or the words of this package. Exit code 1 on a finding.",
    "sample": "Write small example files for every kind of input, with the commands that use them.",
    "models": "List models; find out what one can do; download the weights of a small local one.",
    "prices": "List what models cost, with date and source; keep prices of your own.",
    "scenarios": "List the scenarios that are installed, or the options of one.",
    "unidial": "Aggregate results in the dialogue schema of UniDial-EvalKit, and compare memories over its folders.",
}
"""The first paragraph of each verb's help; a test keeps the two in sync."""

MAKE, RUN, READ, EXCHANGE, TOOLS = ("Make benchmarks", "Run models", "Read results", "Exchange data", "Tools")
GROUPS: Mapping[str, str] = {
    "generate": MAKE,
    "extend": MAKE,
    "audit": MAKE,
    "review": MAKE,
    "topics": MAKE,
    "personas": MAKE,
    "registers": MAKE,
    "demo": RUN,
    "evaluate": RUN,
    "run": RUN,
    "status": RUN,
    "merge": RUN,
    "rejudge": RUN,
    "report": READ,
    "compare": READ,
    "board": READ,
    "gate": READ,
    "import": EXCHANGE,
    "export": EXCHANGE,
    "contamination": EXCHANGE,
    "unidial": EXCHANGE,
    "sample": TOOLS,
    "check": TOOLS,
    "score": TOOLS,
    "models": TOOLS,
    "prices": TOOLS,
    "scenarios": TOOLS,
}
"""Under which heading the help lists each verb, in its order; a test finds verbs that are missing here."""

_MODULES = {
    "generate": "bench",
    "extend": "bench",
    "import": "exchange",
    "export": "exchange",
    "contamination": "exchange",
    "compare": "report",
    "status": "report",
    "score": "check",
    "topics": "catalogue",
    "personas": "catalogue",
    "registers": "catalogue",
}
"""Verbs whose module has another name."""
_NESTED = ("board", "models", "personas", "prices", "registers", "topics", "unidial")
"""Verbs with subcommands."""
_WITHOUT_OWN_GROUPS = (
    *("check", "demo", "merge", "sample", "scenarios", "status", "score"),
    *(name for name in _NESTED if name != "board"),
)
"""Verbs without `--constraints` for groups; `check` has a file of constraints instead, but reads the variable."""
_INTERRUPTED = 130
_USAGE = UsageError.exit_code

# The last is ClickException, which is defined in click or in typer's copy of it, depending on the version.
_OF_TYPER = (typer.Exit, typer.Abort, typer.BadParameter.__mro__[2])
USAGE_ERROR: type[Exception] = typer.BadParameter.__mro__[1]
"""What is wrong with a command; defined like the last."""


class Verbs(MutableMapping[str, Any]):
    """Commands by name, each created from its module on first use."""

    def __init__(self) -> None:
        self._made: dict[str, Any] = {}

    def __getitem__(self, name: str) -> Any:
        if name not in self._made:
            if name not in SUMMARIES:
                raise KeyError(name)
            self._made[name] = _make(name)
        return self._made[name]

    def __setitem__(self, name: str, command: Any) -> None:
        self._made[name] = command

    def __delitem__(self, name: str) -> None:
        del self._made[name]

    def __iter__(self) -> Iterator[str]:
        return iter(SUMMARIES)

    def __len__(self) -> int:
        return len(SUMMARIES)


def _make(name: str) -> Any:
    """A verb's command, with the options that every verb has and the variables of all its options."""
    from evolif.cli.options import ConfigFile, OwnGroups, with_options

    module = import_module(f"evolif.cli.{_MODULES.get(name, name)}")
    if name in _NESTED:
        made = getattr(module, f"{name}_app")
    else:
        made = typer.Typer(add_completion=False, pretty_exceptions_enable=False)
        made.command(name)(getattr(module, f"{name}_" if iskeyword(name) else name))
    common = {"config": ConfigFile}
    if name not in _WITHOUT_OWN_GROUPS:
        common["own_groups"] = OwnGroups
    for own in made.registered_commands:
        own.cls = Verb
        own.callback = with_options(unwrap(own.callback), common)  # a nested verb may be created more than once
    command: Any = typer.main.get_command(made)
    command.name = name
    for verb in getattr(command, "commands", {"": command}).values():
        for parameter in verb.params:
            if parameter.param_type_name == "option" and parameter.envvar is None:
                parameter.envvar = _variable(parameter)
    return command


def _variable(option: Any) -> str:
    """`EVOLIF_MAX_TURNS` of `--max-turns`."""
    return f"EVOLIF_{max(option.opts, key=len).removeprefix('--').replace('-', '_').upper()}"


class _Group(TyperGroup):
    """Loads verbs on first use and turns errors into one sentence; `EVOLIF_DEBUG=1` shows where they come from."""

    def __init__(self, **attributes: Any) -> None:
        super().__init__(**attributes)
        self.commands = Verbs()

    def format_help(self, ctx: Any, formatter: Any) -> None:
        verbs, self.commands = self.commands, dict(_listed())
        try:
            super().format_help(ctx, formatter)
        finally:
            self.commands = verbs

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        try:
            return super().parse_args(ctx, args)
        except USAGE_ERROR as error:
            raise _refused(error, ctx) from None

    def invoke(self, ctx: Any) -> Any:
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt:
            typer.echo(
                "Interrupted. Finished dialogues and turns are kept; run the same command to continue.", err=True
            )
            raise typer.Exit(_INTERRUPTED) from None
        except EvolifError as error:
            if os.environ.get("EVOLIF_DEBUG"):
                raise
            error = exhausted(error) or error
            _say(str(error))
            raise typer.Exit(error.exit_code) from None
        except BrokenPipeError:
            # The reader closed the pipe: this is not an error, but nothing more can be written.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            raise typer.Exit(0) from None
        except USAGE_ERROR as error:
            raise _refused(error, ctx) from None
        except Exception as error:
            if isinstance(error, _OF_TYPER) or os.environ.get("EVOLIF_DEBUG"):
                raise
            known = exhausted(error)
            if known is not None:
                _say(str(known))
                raise typer.Exit(known.exit_code) from None
            _say(
                f"internal error ({type(error).__name__}: {error}); please report it with the output of EVOLIF_DEBUG=1"
            )
            raise typer.Exit(InternalError.exit_code) from None


def _listed() -> Iterator[tuple[str, TyperCommand]]:
    """Every verb by name, with nothing but its sentence and its heading; headings stand in the order of the first."""
    for name in sorted(SUMMARIES, key=[*GROUPS, *SUMMARIES].index):
        yield name, TyperCommand(name, help=SUMMARIES[name], rich_help_panel=GROUPS.get(name))


def _refused(error: Exception, root: Any) -> Exception:
    """What to raise for a command that cannot be read, once a sentence about it is printed."""
    if type(error).__name__ == "NoArgsIsHelpError" or os.environ.get("EVOLIF_DEBUG"):
        return error
    from evolif.cli.mistakes import explain

    _say(explain(error, root))
    return typer.Exit(_USAGE)


def _say(sentence: str) -> None:
    from evolif.text import plain

    typer.echo(f"evolif: {plain(sentence)}", err=True)


app = typer.Typer(
    cls=_Group,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    help="Generate fresh multi-turn benchmarks; measure how long a model holds a conversation until patience runs out.",
    epilog="Start with: evolif demo",
)


def _version(value: bool) -> None:
    if value:
        typer.echo(f"evolif {__version__}")
        raise typer.Exit


@app.callback()
def _root(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version and exit.")
    ] = False,
) -> None:
    pass


VARIABLES = "Every option is also an environment variable (--max-turns: EVOLIF_MAX_TURNS) and a key in --config."

_NAMES = 26
"""Columns for names; longer names get a separate line."""
_KINDS: Mapping[str, str] = {"<int range>": "N", "<int>": "N", "<float range>": "X", "<float>": "X", "<path>": "PATH"}
"""Typer's names for values without a metavar, and those that the help shows."""


class Verb(TyperCommand):
    """A command with plain-text help, its options grouped under the headings given as their panels.

    A table would cut long names at 80 columns and use half the width for variables.
    """

    def __init__(self, *arguments: Any, **attributes: Any) -> None:
        super().__init__(*arguments, **{**attributes, "rich_markup_mode": None})

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write arguments, then options without a panel, then the panels in the order of their first option."""
        panels: dict[str, list[tuple[str, str]]] = {"Arguments": [], "Options": []}
        for parameter in self.get_params(ctx):
            is_argument = parameter.param_type_name == "argument"
            row = _argument(parameter, ctx) if is_argument else _option(parameter, ctx)
            if row is not None:
                panel = getattr(parameter, "rich_help_panel", None) or ("Arguments" if is_argument else "Options")
                panels.setdefault(panel, []).append(row)
        for name, rows in panels.items():
            if rows:
                with formatter.section(name):
                    formatter.write_dl(rows, col_max=_NAMES)

    def format_epilog(self, ctx: Any, formatter: Any) -> None:
        """Write the one line that replaces a hundred variable names."""
        super().format_epilog(ctx, formatter)
        if any(parameter.name == "config" for parameter in self.get_params(ctx)):
            formatter.write_paragraph()
            with formatter.indentation():
                formatter.write_text(VARIABLES)

    def collect_usage_pieces(self, ctx: Any) -> list[str]:
        """Options, then arguments by the names used in the list below."""
        arguments = [p for p in self.get_params(ctx) if p.param_type_name == "argument"]
        return [self.options_metavar or "", *(_name(p) if p.required else f"[{_name(p)}]" for p in arguments)]


def _name(argument: Any) -> str:
    return str(argument.metavar or argument.name.upper())


def _argument(parameter: Any, ctx: Any) -> tuple[str, str] | None:
    row = parameter.get_help_record(ctx)
    return None if row is None else (_name(parameter), row[1])


def _option(parameter: Any, ctx: Any) -> tuple[str, str] | None:
    # The epilog covers variables that are named like their flags.
    parameter.show_envvar = parameter.envvar not in (None, _variable(parameter))
    row = parameter.get_help_record(ctx)
    if row is None:
        return None
    name, text = row
    for kind, shown in _KINDS.items():
        name = name.replace(kind, shown)
    return name, text
