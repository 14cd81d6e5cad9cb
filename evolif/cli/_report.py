"""`evolif report`: the figures of finished or running evaluations."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from evolif.cli._options import Config, Prices, Resamples

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evolif.benchmark import Benchmark
    from evolif.money import PriceTable
    from evolif.protocol import Run
    from evolif.report import Board, Comparison, Published, RunAnalysis

JsonFile = Annotated[
    str | None,
    # EVOLIF_JSON is the switch of other verbs; a file of that name would be made by whoever sets it for them.
    typer.Option("--json", envvar="EVOLIF_JSON_FILE", metavar="FILE|-", help="Write JSON; - is standard output."),
]
Latex = Annotated[
    Path | None, typer.Option("--latex", envvar="EVOLIF_LATEX", metavar="FILE", help="Write tables for LaTeX.")
]
Html = Annotated[
    Path | None, typer.Option("--html", envvar="EVOLIF_HTML", metavar="FILE", help="Write a page with transcripts.")
]
Figures = Annotated[
    Path | None,
    typer.Option("--figures", envvar="EVOLIF_FIGURES", metavar="DIR", help="Write the figures as SVG and PNG."),
]
Seed = Annotated[int, typer.Option(min=0, envvar="EVOLIF_SEED", help="Seed of the bootstrap.")]


def report(
    runs: Annotated[list[Path], typer.Argument(metavar="RUN...", help="Folders made by evaluate.")],
    full: Annotated[
        bool,
        typer.Option("--full", envvar="EVOLIF_FULL", help="Every breakdown, survival, hazard, patience sweep, ranks."),
    ] = False,
    json_file: JsonFile = None,
    html: Html = None,
    figures: Figures = None,
    latex: Latex = None,
    with_published: Annotated[
        bool,
        typer.Option(
            "--with-published", envvar="EVOLIF_WITH_PUBLISHED", help="Add the paper's leaderboard, under its warning."
        ),
    ] = False,
    bench: Annotated[
        Path | None,
        typer.Option(envvar="EVOLIF_BENCH", metavar="BENCH", help="The runs' benchmark, to tell how it was made."),
    ] = None,
    seed: Seed = 0,
    resamples: Resamples = 2_000,
    prices: Prices = None,
    config: Config = None,
) -> None:
    """Show the eight metrics with 95 % intervals, satisfaction per group, and what is left out.

    Several runs stand side by side where cap, patience, judge and benchmark are the same.
    """
    from contextlib import ExitStack, closing

    from evolif.money import load_prices
    from evolif.protocol import load_run
    from evolif.report import Terminal, analyse, boards_of, print_board, print_published, published_leaderboard

    table = load_prices(prices)
    published = published_leaderboard() if with_published else None
    with ExitStack() as opened:
        loaded = [opened.enter_context(closing(load_run(path))) for path in runs]
        analyses = analyse(loaded, seed=seed, resamples=resamples, benchmark=_benchmark(bench, loaded))
        boards = boards_of(analyses)
        # First of all, for the page's transcripts are rendered beside what else is computed.
        draw(analyses, html, figures, prices=table, published=published)
        _write_files(boards, published, json_file, latex)
        if json_file == "-":
            return
        console = Terminal()
        for board in boards:
            print_board(board, console, table, full=full)
        if published is not None:
            print_published(published, console)


def _write_files(
    boards: list[Board],
    published: Published | None,
    json_file: str | None,
    latex: Path | None,
) -> None:
    if json_file is not None:
        from evolif.report import analysis_object

        write_json(json_file, analysis_object(boards, published))
    if latex is not None:
        from evolif.report import latex_report

        write_text(str(latex), latex_report(boards, published))


def draw(
    analyses: list[RunAnalysis],
    html: Path | None,
    figures: Path | None,
    *,
    comparisons: Sequence[Comparison] = (),
    prices: PriceTable | None = None,
    published: Published | None = None,
) -> None:
    """Write the page and the figures, where they were asked for, and say where."""
    if html is not None:
        from evolif.report.page import write_page

        written = write_page(analyses, html, comparisons=comparisons, prices=prices, published=published)
        _say(f"Page: {written.path}" + (f", with transcripts in {written.folder}" if written.folder else ""))
    if figures is not None:
        from evolif.report.figures import write_figures

        write_figures(analyses, figures, comparisons=comparisons)
        _say(f"Figures: {figures}")


def _say(sentence: str) -> None:
    from evolif.report import plain

    typer.echo(plain(sentence), err=True)


def _benchmark(path: Path | None, runs: list[Run]) -> Benchmark | None:
    """The benchmark that the runs were played on.

    Raises:
        UsageError: a run is of another one.
    """
    if path is None:
        return None
    from evolif._errors import UsageError
    from evolif.benchmark import load_benchmark

    bench = load_benchmark(path)
    for run in runs:
        if run.settings.benchmark != bench.identity:
            raise UsageError(
                f"--bench {path} is not what {run.path} was played on; name its benchmark, or leave it out"
            )
    return bench


def write_json(name: str, told: dict[str, Any]) -> None:
    """Write an object to a file, or to standard output where the name is -."""
    import json

    write_text(name, json.dumps(told, ensure_ascii=False, allow_nan=False, indent=1) + "\n")


def write_text(name: str, text: str) -> None:
    """Write to a file, or to standard output where the name is -.

    Raises:
        OutsideError: the disk.
    """
    from evolif._errors import OutsideError

    if name == "-":
        typer.echo(text, nl=False)
        return
    try:
        Path(name).write_text(text, encoding="utf-8")
    except OSError as fault:
        raise OutsideError(f"{name} cannot be written ({fault.strerror})") from None
