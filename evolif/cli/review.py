"""`evolif review`: a person clears flagged queries, vouches for topics, or scores judged answers blind."""

from __future__ import annotations

import sys
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from evolif.cli.console import say, show_json
from evolif.cli.options import Display, JsonFlag
from evolif.errors import UsageError
from evolif.text import plural

if TYPE_CHECKING:
    from evolif.judge_audit import JudgeAuditRow
    from evolif.review import ReviewQueue
    from evolif.review.filters import Facet, Filter, QueueItem

_Values = list[str] | None


@dataclass(frozen=True, slots=True)
class FilterOptions:
    """Which items are reviewed."""

    status: Annotated[_Values, typer.Option(help="Only items with this status; repeatable.")] = None
    source: Annotated[_Values, typer.Option(help="Only queries by this synthesizer; repeatable.")] = None
    finding: Annotated[_Values, typer.Option(help="Only items flagged by this checker; repeatable.")] = None
    topic: Annotated[_Values, typer.Option(help="Only turns on the topic with this id; repeatable.")] = None
    group: Annotated[_Values, typer.Option(help="With --judge: only answers judged on this group; repeatable.")] = None
    undecided: Annotated[bool, typer.Option("--undecided", help="Only items that you have not decided.")] = False
    search: Annotated[str, typer.Option(help="Only items that contain all these words.")] = ""

    def filter(self, queue: ReviewQueue) -> Filter:
        """The filter; the queue's default if no option is given."""
        from evolif.review.filters import Filter

        values: dict[Facet, _Values] = {
            "status": self.status,
            "source": self.source,
            "finding": self.finding,
            "topic": self.topic,
            "group": self.group,
            "mine": ["undecided"] * self.undecided,
        }
        chosen = {facet: frozenset(wanted) for facet, wanted in values.items() if wanted}
        return Filter(chosen, self.search) if chosen or self.search.strip() else queue.first_filter


def review(
    ctx: typer.Context,
    bench: Annotated[Path | None, typer.Argument(metavar="BENCH", help="The benchmark's folder.")] = None,
    *,
    topics: Annotated[
        Path | None,
        typer.Option(
            envvar="EVOLIF_REVIEW_TOPICS", metavar="FILE", help="Verify the topics of this JSONL file instead."
        ),
    ] = None,
    judge: Annotated[
        Path | None,
        typer.Option(
            envvar="EVOLIF_REVIEW_JUDGE",
            metavar="RUN",
            help="Score a sample of this run's judged answers instead, without seeing its verdicts.",
        ),
    ] = None,
    sample: Annotated[int | None, typer.Option(min=1, help="With --judge: number of answers to score (60).")] = None,
    seed: Annotated[int | None, typer.Option(min=0, help="With --judge: seed of the sample (0).")] = None,
    reviewer: Annotated[str | None, typer.Option(help="The reviewer's name; by default your login name.")] = None,
    model: Annotated[
        list[str] | None,
        typer.Option("--model", "-m", envvar="EVOLIF_REVIEW_MODEL", help="The model to suggest for regeneration."),
    ] = None,
    list_: Annotated[bool, typer.Option("--list", help="Print the queue and exit.")] = False,
    stats: Annotated[bool, typer.Option("--stats", help="Print decisions, pace and agreement, and exit.")] = False,
    export: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Write the queue as JSONL with empty decisions; with --judge also CSV."),
    ] = None,
    apply: Annotated[Path | None, typer.Option(metavar="FILE", help="Apply the decisions in a filled export.")] = None,
    opinions: Annotated[
        bool, typer.Option("--opinions", help="With --apply: record them for agreement only; change nothing else.")
    ] = False,
    filters: FilterOptions,
    check: Annotated[bool, typer.Option("--check", help="Run the checkers again before listing or exporting.")] = False,
    as_json: JsonFlag = False,
    display: Display = "auto",
) -> None:
    """Review flagged queries in a terminal, verify topics, or score judged answers blind. Saves as you go."""
    run = judge if _is_meant(ctx, "judge", bench, topics) else None
    topics = topics if _is_meant(ctx, "topics", bench, run) else None
    # Variables set for other verbs are ignored here.
    seed = seed if run is not None or _is_given(ctx, "seed") else None
    sample = sample if run is not None or _is_given(ctx, "sample") else None
    queue = _open(bench, topics, run, reviewer, seed, sample)
    chosen = filters.filter(queue)
    if run is not None and (opinions or check):
        raise UsageError(
            "leave out --opinions and --check with --judge: scores change nothing, and no rules are checked"
        )
    actions = {"--list": list_, "--stats": stats, "--export": export is not None, "--apply": apply is not None}
    given = [name for name, is_given in actions.items() if is_given]
    if len(given) > 1:
        raise UsageError(f"{' and '.join(given)} cannot be combined; use only one of them")
    if apply is not None:
        _apply(queue, apply, display, opinions)
    elif export is not None:
        _export(queue, chosen, export, display, check)
    elif stats:
        _print_statistics(queue, run, as_json=as_json)
    elif list_ or as_json:
        _print(queue, chosen, as_json, display, check)
    else:
        _refuse_unknown(queue, chosen)
        _run(queue, chosen, (model or [""])[0])


def _is_given(ctx: typer.Context, name: str) -> bool:
    """Whether an option is given on the command line."""
    source = ctx.get_parameter_source(name)
    return source is not None and source.name == "COMMANDLINE"


def _is_meant(ctx: typer.Context, name: str, *others: Path | None) -> bool:
    """Whether to open the target of an option: variables and `--config` may set it for other uses or verbs."""
    source = ctx.get_parameter_source(name)
    if name == "judge" and source is not None and source.name == "DEFAULT_MAP":
        return False  # a configuration's judge is the model that `evaluate` calls
    return _is_given(ctx, name) or all(other is None for other in others)


# What is reviewed: a benchmark, a file of topics, or a run's judged answers.


def _open(
    bench: Path | None,
    topics: Path | None,
    run: Path | None,
    reviewer: str | None,
    seed: int | None,
    sample: int | None,
) -> ReviewQueue:
    """The queue of the named target.

    Raises:
        UsageError: none or several are named, the reviewer is unknown, or it cannot be opened.
    """
    if sum(path is not None for path in (bench, topics, run)) != 1:
        raise UsageError(
            "name one of these: a benchmark's folder, a file of topics with --topics, or a run's folder with --judge"
        )
    from evolif.review import AnswerQueue, BenchmarkQueue
    from evolif.review.topics import TopicLint, TopicQueue
    from evolif.review.turns import regenerate

    name = _reviewer(reviewer)
    if run is not None:
        from evolif.runner import load_run

        with closing(load_run(run)) as opened:
            return AnswerQueue(opened, name, seed=seed, size=sample, notify=say)
    if seed is not None or sample is not None:
        raise UsageError("--seed and --sample choose judged answers; use them with --judge RUN")
    if topics is not None:
        return TopicQueue(topics, name, checker=TopicLint(topics), notify=say)
    from evolif.scenarios.instructions import InstructionBenchmark
    from evolif.scenarios.instructions.queries import check_query

    assert bench is not None  # one of the three is given
    if (bench / "run.sqlite").exists() and not (bench / "benchmark.json").exists():
        raise UsageError(f"{bench} is a run; score its judged answers with `evolif review --judge {bench}`")
    return BenchmarkQueue(
        InstructionBenchmark(bench, notify=say), name, checker=check_query, regenerate=regenerate, notify=say
    )


def _reviewer(given: str | None) -> str:
    from getpass import getuser

    from evolif.review.text import one_line

    try:
        name = one_line(getuser() if given is None else given, 100)
    except (OSError, KeyError, ImportError):  # no such login, as in some containers
        name = ""
    if not name:
        raise UsageError("no reviewer name; give one with --reviewer or EVOLIF_REVIEWER")
    return name


def _refuse_unknown(queue: ReviewQueue, chosen: Filter) -> None:
    """Refuse a filter with a value that no item can have.

    Raises:
        UsageError: there is one; names the valid values.
    """
    from evolif.review.filters import unknown, values

    fault = unknown(chosen, values(queue.entries()), queue.known_values)
    if fault:
        raise UsageError(f"{queue.path}: {fault}")


# What to do with it.


def _print_statistics(queue: ReviewQueue, run: Path | None, *, as_json: bool) -> None:
    """Print decisions, pace and agreement; agreement with the judge of `run` once all of its sample is scored."""
    from evolif.judge_audit import judge_audit_lines
    from evolif.review.text import one_line

    statistics = queue.statistics()
    left = 0 if run is None else sum("open" in entry.facets["status"] for entry in queue.entries())
    rows = None if run is None or left else _audit_rows(run)
    if as_json:
        judge = None if rows is None else [row.to_object() for row in rows]
        show_json({**statistics.to_object(), **({} if run is None else {"left": left, "judge": judge})})
        return
    for line in statistics.lines():
        typer.echo(one_line(line))
    if left:
        typer.echo(f"{left} left; agreement with the judge is shown here once all are scored or skipped.")
    for line in judge_audit_lines(rows or []):
        typer.echo(one_line(line) if line.strip() else line)


def _audit_rows(run: Path) -> list[JudgeAuditRow]:
    from evolif.judge_audit import judge_audit_summary
    from evolif.runner import load_run

    with closing(load_run(run)) as opened:
        return judge_audit_summary(opened)


def _chosen(queue: ReviewQueue, chosen: Filter, display: str, check: bool) -> list[QueueItem]:
    """The chosen items; the checkers run again on `check`, or if a filter by findings needs it."""
    from evolif.review.filters import choose

    by_finding = bool(chosen.chosen.get("finding"))
    if by_finding and (check or not queue.stores_findings):
        _ask_checkers(queue, queue.entries(), display)
    _refuse_unknown(queue, chosen)
    entries = choose(queue.entries(), chosen)
    if not entries:
        say(f"no {queue.noun} in {queue.path} matches ({chosen.summary})")
    if check and not by_finding:
        _ask_checkers(queue, entries, display)
    return [queue.entry(entry.key) for entry in entries] if check else entries


def _ask_checkers(queue: ReviewQueue, entries: list[QueueItem], display: str) -> None:
    from evolif.cli.progress import choose, counting

    with counting(choose(display), "checking") as progress:
        for done, entry in enumerate(entries, 1):
            queue.findings(entry.key)
            progress(done, len(entries))


def _print(queue: ReviewQueue, chosen: Filter, as_json: bool, display: str, check: bool) -> None:
    from shutil import get_terminal_size

    from evolif.review.exchange import lines, objects

    entries = _chosen(queue, chosen, display, check)
    if as_json:
        show_json(objects(queue, entries))
        return
    # Cut without a terminal, too: use --json or --export for full texts.
    for line in lines(queue, entries, get_terminal_size((120, 24)).columns):
        typer.echo(line)


def _export(queue: ReviewQueue, chosen: Filter, path: Path, display: str, check: bool) -> None:
    from evolif.review.exchange import export

    count = export(queue, [entry.key for entry in _chosen(queue, chosen, display, check)], path)
    say(f"{path}: {plural(count, queue.noun)}; fill in “{next(iter(queue.empty))}” and apply the file with --apply")


def _apply(queue: ReviewQueue, path: Path, display: str, opinions: bool) -> None:
    from evolif.cli.progress import choose, counting
    from evolif.review.exchange import apply

    with counting(choose(display), "checking") as progress:
        done = apply(queue, path, progress, opinions=opinions)
    say(f"{path}: {plural(done.made, 'decision')} made, {done.there} already made, {done.empty} lines left empty")


def _run(queue: ReviewQueue, chosen: Filter, model: str) -> None:
    from importlib.util import find_spec

    if find_spec("textual") is None:
        raise UsageError(
            "the terminal application needs Textual: pip install -e '.[review]' in a checkout; "
            "--list, --export and --apply work without it"
        )
    if not sys.stdin.isatty() or not sys.stderr.isatty():  # Textual draws on standard error
        raise UsageError("the application needs a terminal; use --list, --export and --apply without one")
    from evolif.review.app import ReviewApp

    queue.first_filter = chosen
    app = ReviewApp(queue, model=model)
    app.run()
    if app.fault is not None:
        raise app.fault
