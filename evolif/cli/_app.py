"""The application: verbs, and one place where errors become a sentence and an exit code."""

from __future__ import annotations

import os
import sys
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from evolif._errors import EvolifError, InternalError
from evolif._version import __version__
from evolif.cli._verbs import Verbs, outlines

INTERRUPTED = 130

# The last is ClickException, which depending on typer's version stands in click or in a copy of it.
_OF_TYPER = (typer.Exit, typer.Abort, typer.BadParameter.__mro__[2])


class _Group(TyperGroup):
    """Turns errors into one sentence on standard error; `EVOLIF_DEBUG=1` shows where they come from."""

    def __init__(self, **attributes: Any) -> None:
        super().__init__(**attributes)
        self.commands = Verbs()

    def format_help(self, ctx: Any, formatter: Any) -> None:
        verbs, self.commands = self.commands, outlines()
        try:
            super().format_help(ctx, formatter)
        finally:
            self.commands = verbs

    def invoke(self, ctx: Any) -> Any:
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt:
            typer.echo("Interrupted. Finished dialogues and turns are kept; the same command goes on.", err=True)
            raise typer.Exit(INTERRUPTED) from None
        except EvolifError as error:
            if os.environ.get("EVOLIF_DEBUG"):
                raise
            _say(str(error))
            raise typer.Exit(error.exit_code) from None
        except BrokenPipeError:
            # The reader of a pipe left; nothing is wrong with us, and nothing more may be written.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            raise typer.Exit(0) from None
        except Exception as error:
            if isinstance(error, _OF_TYPER) or os.environ.get("EVOLIF_DEBUG"):
                raise
            _say(f"internal error ({type(error).__name__}: {error}); please report it with what EVOLIF_DEBUG=1 shows")
            raise typer.Exit(InternalError.exit_code) from None


def _say(sentence: str) -> None:
    from evolif.report import plain

    typer.echo(f"evolif: {plain(sentence)}", err=True)


app = typer.Typer(
    cls=_Group,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    help="Fresh multi-turn benchmarks, and how long a model holds a conversation before patience runs out.",
    epilog="Start with: evolif demo",
)


def _version(value: bool) -> None:
    if value:
        typer.echo(f"evolif {__version__}")
        raise typer.Exit


@app.callback()
def _root(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version and leave.")
    ] = False,
) -> None:
    pass
