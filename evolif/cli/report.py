"""`evolif report`, `evolif compare` and `evolif status`: the figures of finished or running evaluations."""

from __future__ import annotations

import json
import os
import time
from contextlib import ExitStack, closing
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from evolif.cli.console import say, show, show_json
from evolif.cli.options import JsonFlag, Prices, Resamples, Seed
from evolif.errors import OutsideError, UsageError
from evolif.types import DEFAULT_RESAMPLES
from evolif.util.files import workshop

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from evolif.budget import PriceTable, RunStatus
    from evolif.report import Leaderboard, RunAnalysis
    from evolif.report.comparison import ModelComparison
    from evolif.report.page.page import Written
    from evolif.runner import Run
    from evolif.scenario import Benchmark


@dataclass(frozen=True, slots=True)
class Outputs:
    """The files that a report is written to."""

    json_file: Annotated[
        str | None,
        # EVOLIF_JSON is a switch of other verbs; setting it for them must not create a file here.
        typer.Option("--json", envvar="EVOLIF_JSON_FILE", metavar="FILE|-", help="Write JSON; - is standard output."),
    ] = None
    html: Annotated[
        # A text, since a path has no slash at its end.
        str | None,
        typer.Option(
            metavar="FILE|FOLDER/",
            help="Write an HTML page with transcripts. Of more than 1,000 sessions a file holds a hundred dialogues, "
            "and a folder all of them.",
        ),
    ] = None
    pack: Annotated[
        bool, typer.Option("--zip", help="Pack the page, and a folder if it needs one, into a ZIP file.")
    ] = False
    figures: Annotated[Path | None, typer.Option(metavar="DIR", help="Write the figures as SVG and PNG.")] = None
    latex: Annotated[Path | None, typer.Option(metavar="FILE", help="Write LaTeX tables.")] = None

    def draw(
        self,
        analyses: list[RunAnalysis],
        *,
        comparisons: Sequence[ModelComparison] = (),
        prices: PriceTable | None = None,
        published: Leaderboard | None = None,
    ) -> None:
        """Write the page and the figures, and report where."""
        if self.html is not None:
            from evolif.report.page import write_comparison_page, write_page

            if comparisons:
                page = write_comparison_page(comparisons, self.html, packed=self.pack)
            else:
                page = write_page(analyses, self.html, prices=prices, published=published, packed=self.pack)
            say(f"Page: {page.path}{_beside(page)}")
        elif self.pack:
            raise UsageError("--zip packs a page; name one with --html FILE")
        if self.figures is not None:
            from evolif.report.figures import write_figures

            write_figures(analyses, self.figures, comparisons=comparisons)
            say(f"Figures: {self.figures}")

    def write(self, json_object: Callable[[], Any], latex: Callable[[], str]) -> None:
        """Write the files of text.

        Raises:
            OutsideError: the disk.
        """
        if self.json_file is not None:
            text = json.dumps(json_object(), ensure_ascii=False, allow_nan=False, indent=1)
            write_text(self.json_file, text + "\n")
        if self.latex is not None:
            write_text(str(self.latex), latex())


def _beside(page: Written) -> str:
    """Where a page's transcripts are, if they are not all in it."""
    if page.note:
        return page.note
    if page.folder is None:
        return ""
    return (
        f", with {page.inside:,} of {page.transcripts:,} transcripts: with all of them it would be larger than 20 MB. "
        f"All are in {page.folder}; keep the two together, or make one file with --zip"
    )


def write_text(name: str, text: str) -> None:
    """Write to a file, or to standard output if the name is -."""
    if name == "-":
        typer.echo(text, nl=False)
        return
    path = Path(name)
    try:
        if path.is_symlink() or path.exists() != path.is_file() or not path.parent.is_dir():
            path.write_text(text, encoding="utf-8")  # a device or a link is not replaced, and no folder is made
            return
        with workshop(path) as folder:
            (folder / "text").write_text(text, encoding="utf-8")
            os.replace(folder / "text", path)
    except OSError as fault:
        raise OutsideError(f"{name} cannot be written ({fault.strerror})") from None


def report(
    runs: Annotated[list[Path], typer.Argument(metavar="RUN...", help="Folders of runs.")],
    *,
    full: Annotated[
        bool, typer.Option("--full", help="Add all breakdowns, survival, hazard, patience sweep and ranks.")
    ] = False,
    outputs: Outputs,
    with_published: Annotated[
        bool, typer.Option("--with-published", help="Add the paper's leaderboard, with its warning.")
    ] = False,
    verify: Annotated[
        bool,
        typer.Option("--verify", help="Judge the stored answers again by rules; exit code 1 if anything was edited."),
    ] = False,
    bench: Annotated[
        Path | None, typer.Option(metavar="BENCH", help="The runs' benchmark, to show how it was made.")
    ] = None,
    seen: Annotated[
        str | None,
        typer.Option(
            metavar="train|test",
            help="What the models were trained on (evolif generate --split): tells the kinds that they have seen from "
            "those that they have not, with the difference.",
        ),
    ] = None,
    seed: Seed = 0,
    resamples: Resamples = DEFAULT_RESAMPLES,
    prices: Prices = None,
) -> None:
    """Show the eight metrics with 95 % intervals, satisfaction per group, and what is left out.

    Runs with the same cap, patience, judge and benchmark are shown side by side, also under several context strategies.
    """
    from evolif.budget import load_prices
    from evolif.report import Terminal, analyse
    from evolif.report.comparable import group_comparable
    from evolif.report.json import analysis_object
    from evolif.report.latex import latex_report
    from evolif.report.leaderboard import published_leaderboard
    from evolif.report.seen import require_split
    from evolif.report.terminal import print_published, print_runs
    from evolif.runner import load_run

    table = load_prices(prices)
    published = published_leaderboard() if with_published else None
    with ExitStack() as opened:
        loaded = [opened.enter_context(closing(load_run(path))) for path in runs]
        own = _benchmark(bench, loaded)
        analyses = analyse(loaded, seed=seed, resamples=resamples, benchmark=own, verify=verify, seen=seen or "")
        for analysis in analyses:
            require_split(analysis)
        groups = group_comparable(analyses)
        # First, because the page's transcripts are rendered in parallel with other work.
        outputs.draw(analyses, prices=table, published=published)
        outputs.write(lambda: analysis_object(groups, published, table), lambda: latex_report(groups, published))
        if outputs.json_file != "-":
            console = Terminal()
            for group in groups:
                print_runs(group, console, table, full=full)
            if published is not None:
                print_published(published, console)
        if verify and any(map(_has_finding, analyses)):
            raise typer.Exit(1)


def _has_finding(run: RunAnalysis) -> bool:
    again = run.verification
    return bool(run.integrity.edited or (again is not None and again.differ))


def _benchmark(path: Path | None, runs: list[Run]) -> Benchmark | None:
    """The benchmark of the runs.

    Raises:
        UsageError: a run belongs to another one.
    """
    if path is None:
        return None
    from evolif.benchmark import open_benchmark

    bench = open_benchmark(path)
    for run in runs:
        if run.settings.benchmark != bench.identity:
            raise UsageError(f"{run.path} was not played on --bench {path}; give its own benchmark, or omit --bench")
    return bench


def compare(
    runs: Annotated[list[Path], typer.Argument(metavar="A [B]", help="The folders of one or two runs.")],
    *,
    model: Annotated[
        list[str] | None,
        typer.Option(
            "--model",
            "-m",
            metavar="PROVIDER/NAME",
            help="A model to compare; repeat the flag for the second one, of B if given.",
        ),
    ] = None,
    ablation: Annotated[
        str | None,
        typer.Option(
            metavar="system-prompt|judge",
            help="The only difference between two runs of one model; system-prompt is detected automatically.",
        ),
    ] = None,
    across: Annotated[
        str | None,
        typer.Option(
            metavar="context|feedback|partner|options|system-prompt|judge",
            help="The same for any of these settings: show its effect on a model.",
        ),
    ] = None,
    transcripts: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write an HTML page with the transcripts of both side by side.")
    ] = None,
    outputs: Outputs,
    seed: Seed = 0,
    resamples: Resamples = DEFAULT_RESAMPLES,
) -> None:
    """Compare two models, paired by dialogue: differences with intervals, p, effect size.

    Takes two models of one run (evolif compare RUN -m X -m Y) or of two runs. Runs of different cap or patience are cut
    to the smaller of both; those whose judge or benchmark differ are refused. One model in two runs that differ only in
    the system prompt is an ablation; for runs that differ only in the judge, add --ablation judge. For the context, the
    feedback, the partner or options, name it with --across.
    """
    from evolif.report import Terminal, analyse
    from evolif.report.choice import choose_pairs
    from evolif.report.comparison import compare_models
    from evolif.report.json import comparisons_object
    from evolif.report.latex import latex_comparisons
    from evolif.report.terminal import print_comparisons
    from evolif.runner import load_run

    if len(runs) > 2:
        raise UsageError(f"compare takes one or two runs, not {len(runs)}; for more, use evolif report RUN...")
    paths = runs[:1] if len(runs) == 2 and runs[0].resolve() == runs[1].resolve() else runs
    with ExitStack() as opened:
        loaded = [opened.enter_context(closing(load_run(path))) for path in paths]
        analyses = analyse(loaded, seed=seed, resamples=resamples)
        comparisons = compare_models(
            choose_pairs(analyses[0], analyses[-1], model or ()), ablation=ablation, across=across
        )
        if transcripts is not None:
            _write_transcripts(comparisons, transcripts)
        outputs.draw(analyses, comparisons=comparisons)
        outputs.write(lambda: comparisons_object(comparisons), lambda: latex_comparisons(comparisons))
        if outputs.json_file != "-":
            print_comparisons(comparisons, Terminal())


def _write_transcripts(comparisons: Sequence[ModelComparison], path: Path) -> None:
    """Write the transcripts of the one pair that is compared.

    Raises:
        UsageError: there are several.
    """
    from evolif.report.page import write_side_by_side

    if len(comparisons) != 1:
        raise UsageError(f"--transcripts shows one pair, not {len(comparisons)}; name its model with --model")
    [pair] = comparisons
    say(f"Transcripts: {write_side_by_side(pair.a, pair.b, path, labels=pair.labels)}")


def status(
    run: Annotated[Path, typer.Argument(metavar="RUN", help="The folder of a running or finished evaluation.")],
    seconds: Annotated[
        float,
        typer.Option(min=0, max=3600, help="Seconds to measure the rate, if the run does not tell it; 0 shows none."),
    ] = 2.0,
    prices: Prices = None,
    json_output: JsonFlag = False,
) -> None:
    """Show the progress of an evaluation, also from another shell; the run is only read."""
    from evolif.budget import load_prices

    table = load_prices(prices)
    now = _snapshot(run, table)
    rate = None
    if now.live is not None:
        rate = None if now.live.is_silent else now.live.rate
    elif seconds and now.turns_left:
        before, started = now.turns, time.monotonic()
        time.sleep(seconds)
        now = _snapshot(run, table)
        rate = (now.turns - before) / (time.monotonic() - started)
    if json_output:
        show_json({**now.to_object(), "turns_per_second": rate})
        return
    from evolif.report import Terminal, live_lines, status_table
    from evolif.report.terminal import status_lines

    console = Terminal()
    if console.is_terminal:
        console.print(status_table(now, rate))
        show(() if now.live is None else live_lines(now.live))
        return
    show(status_lines(now, rate))


def _snapshot(folder: Path, table: PriceTable) -> RunStatus:
    from evolif.budget import earlier_sessions, quotes_of, snapshot
    from evolif.runner import load_run

    with closing(load_run(folder, read_only=True)) as run:
        is_over = run.live() is None and not run.suspended()  # then nobody asks how long the others last
        return snapshot(run, quotes_of(run.settings, table), {} if is_over else earlier_sessions(run))
