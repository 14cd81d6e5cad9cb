"""`evolif board`: models × scenarios on one page.

Subcommands are commands of `board_app`; without one, the board is built.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperGroup

from evolif.cli.board_add import add, check
from evolif.cli.console import show
from evolif.cli.options import Prices, Resamples, Seed
from evolif.text import plural
from evolif.types import DEFAULT_RESAMPLES

if TYPE_CHECKING:
    from evolif.board import Board
    from evolif.board.transcripts import TranscriptPages

_DEFAULT = "build"


class _BuildsByDefault(TyperGroup):
    """A group whose first word need not be a subcommand: then the board is built.

    Its help is that of building, followed by the subcommands.
    """

    def __init__(self, **attributes: Any) -> None:
        super().__init__(**{**attributes, "rich_markup_mode": None})

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Put the default command before words that name none."""
        if not args or args[0] not in (*self.commands, *ctx.help_option_names):
            args = [_DEFAULT, *args]
        return super().parse_args(ctx, args)

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Write the help of building under the group's own name, and the other commands below its options."""
        build = self.commands[_DEFAULT]
        own = typer.Context(build, info_name=ctx.info_name, parent=ctx.parent)
        build.format_usage(own, formatter)
        build.format_help_text(own, formatter)
        build.format_options(own, formatter)
        others = [(name, one.get_short_help_str(60)) for name, one in self.commands.items() if name != _DEFAULT]
        if others:
            with formatter.section("Commands"):
                formatter.write_dl(others)
        build.format_epilog(own, formatter)


board_app = typer.Typer(
    cls=_BuildsByDefault,
    add_completion=False,
    pretty_exceptions_enable=False,
    help="Compare models across scenarios on one page without network: figures, ranks, groups, cost, history.",
)


@board_app.callback()
def board() -> None:
    """Compare models across scenarios on one page without network: figures, ranks, groups, cost, history."""


@board_app.command()
def build(
    runs: Annotated[
        list[Path] | None, typer.Argument(metavar="RUN...", help="Folders of runs; without any, those in DIR/runs.")
    ] = None,
    *,
    out: Annotated[
        Path, typer.Option("--out", "-o", envvar="EVOLIF_BOARD_OUT", metavar="DIR", help="The board's folder.")
    ] = Path("board"),
    title: Annotated[str, typer.Option(metavar="TEXT", help="The head of the page.")] = "",
    transcripts: Annotated[
        bool,
        typer.Option(
            "--transcripts",
            envvar="EVOLIF_BOARD_TRANSCRIPTS",
            help="Write the transcripts of each pair side by side, into DIR/transcripts.",
        ),
    ] = False,
    seed: Seed = 0,
    resamples: Resamples = DEFAULT_RESAMPLES,
    prices: Prices = None,
) -> None:
    """Compare models across scenarios on one page without network: figures, ranks, groups, cost, history.

    Writes DIR/index.html and DIR/board.json. Runs share a column if they are comparable; others get columns of their
    own, whose heads say what differs.
    """
    from evolif.board import build_board, write_board
    from evolif.board.files import runs_of
    from evolif.budget import load_prices

    pages = _pages(out) if transcripts else None
    made = build_board(
        runs or runs_of(out), title=title, seed=seed, resamples=resamples, prices=load_prices(prices), pages=pages
    )
    page, data = write_board(made, out)
    show(
        [
            f"Board: {page}, {plural(len(made.rows), 'model')} in {plural(len(made.columns), 'column')}",
            *_columns(made),
            f"Data: {data}",
        ]
    )
    if pages is not None:
        pages.remove_others()
        show([f"Transcripts: {pages.folder}, {plural(pages.pages, 'page')} of {plural(pages.pairs, 'pair')}"])


def _pages(board: Path) -> TranscriptPages:
    from evolif.board.transcripts import TranscriptPages

    return TranscriptPages(board)


def _columns(board: Board) -> Iterator[str]:
    """What is comparable, a line each."""
    for column in board.columns:
        head = " ".join(filter(None, (column.scenario, column.profile)))
        models = sum(cell.column == column.id for cell in board.cells)
        yield f"  {', '.join((head, *column.differs))}: {plural(models, 'model')}"


board_app.command()(add)
board_app.command()(check)
