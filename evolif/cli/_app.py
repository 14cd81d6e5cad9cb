"""The application: verbs, and one place where errors become a sentence and an exit code."""

from __future__ import annotations

import os
import sys
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from evolif._errors import EvolifError, InternalError
from evolif._version import __version__
from evolif.cli._audit import audit
from evolif.cli._check import check
from evolif.cli._demo import demo
from evolif.cli._evaluate import evaluate
from evolif.cli._extend import extend
from evolif.cli._generate import generate
from evolif.cli._models import models_app
from evolif.cli._report import report
from evolif.cli._score import score

INTERRUPTED = 130

# The last is ClickException, which depending on typer's version stands in click or in a copy of it.
_OF_TYPER = (typer.Exit, typer.Abort, typer.BadParameter.__mro__[2])


class _Group(TyperGroup):
    """Turns errors into one sentence on standard error; `EVOLIF_DEBUG=1` shows where they come from."""

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
    epilog="Not there yet: review, import, export, compare. Start with: evolif demo",
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


app.command()(demo)
app.command()(generate)
app.command()(extend)
app.command()(audit)
app.command()(evaluate)
app.command()(report)
app.command()(check)
app.command()(score)
app.add_typer(models_app, name="models")
