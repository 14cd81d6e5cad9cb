"""`evolif review`: a person clears flagged queries, vouches for topics, or scores judged answers blind."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from evolif.cli.options import Display, JsonFlag
from evolif.errors import UsageError

if TYPE_CHECKING:
    from evolif.judge_audit import JudgeAuditRow
    from evolif.review import Facet, Filter, QueueItem, ReviewQueue


# What `evolif review` opens: a benchmark, a file of topics, or a run's judged answers.


def open_desk(
    bench: Path | None,
    topics: Path | None,
    run: Path | None,
    reviewer: str | None,
    seed: int | None,
    sample: int | None,
) -> ReviewQueue:
    """The desk for whichever is named.

    Raises:
        UsageError: none or several are named, nobody knows who reviews, or it cannot be opened.
    """
    if sum(one is not None for one in (bench, topics, run)) != 1:
        raise UsageError(
            "name a benchmark's folder, or a file of topics with --topics, or a run's folder with --judge; one of them"
        )
    name = _reviewer(reviewer)
    if run is not None:
        return _judge_desk(run, name, seed, sample)
    if seed is not None or sample is not None:
        raise UsageError("--seed and --sample choose judged answers; give them with --judge RUN")
    from evolif.review import BenchmarkQueue, TopicLint, TopicQueue, regenerate

    if topics is not None:
        return TopicQueue(topics, name, checker=TopicLint(topics), notify=say)
    from evolif.instructions import Benchmark
    from evolif.queries import check_query

    assert bench is not None  # one of the three is given
    if (bench / "run.sqlite").exists() and not (bench / "benchmark.json").exists():
        raise UsageError(f"{bench} is a run; score its judged answers with `evolif review --judge {bench}`")
    return BenchmarkQueue(Benchmark(bench, notify=say), name, checker=check_query, regenerate=regenerate, notify=say)


def _judge_desk(path: Path, reviewer: str, seed: int | None, sample: int | None) -> ReviewQueue:
    from contextlib import closing

    from evolif.review import AnswerQueue
    from evolif.runner import load_run

    with closing(load_run(path)) as run:
        return AnswerQueue(run, reviewer, seed=seed, size=sample, notify=say)


def _reviewer(given: str | None) -> str:
    from getpass import getuser

    from evolif.review import one_line

    try:
        name = one_line(getuser() if given is None else given, 100)
    except (OSError, KeyError, ImportError):  # no such login, as in some containers
        name = ""
    if not name:
        raise UsageError("nobody knows who reviews; give your name with --reviewer or EVOLIF_REVIEWER")
    return name


def filter_of(desk: ReviewQueue, given: Mapping[Facet, list[str] | None], undecided: bool, search: str) -> Filter:
    """The filter that the flags ask for, else the desk's own."""
    from evolif.review import Filter

    chosen = {facet: frozenset(values) for facet, values in given.items() if values}
    if undecided:
        chosen["mine"] = frozenset({"undecided"})
    return Filter(chosen, search) if chosen or search.strip() else desk.first_filter


def refuse_unknown(desk: ReviewQueue, wanted: Filter) -> None:
    """Say that a filter asks for what no item can have.

    Raises:
        UsageError: it does; names what there is.
    """
    from evolif.review import unknown, values

    fault = unknown(wanted, values(desk.entries()), desk.known)
    if fault:
        raise UsageError(f"{desk.path}: {fault}")


def say(sentence: str) -> None:
    """Tell a person, off standard output."""
    from evolif.report import plain

    typer.echo(plain(sentence), err=True)


# `evolif review --stats`: decisions, pace and agreement; agreement with a judge once all is scored.


def print_statistics(desk: ReviewQueue, run: Path | None, *, as_json: bool) -> None:
    """Print what the journal tells.

    Args:
        desk: What is reviewed.
        run: The run, where its judge is audited.
        as_json: For a machine.
    """
    from evolif.review import one_line, told

    found = desk.statistics()
    left = sum("open" in entry.facets["status"] for entry in desk.entries()) if run is not None else 0
    rows = None if run is None or left else _rows(run)
    if as_json:
        judged = (
            {} if run is None else {"left": left, "judge": None if rows is None else [row.to_object() for row in rows]}
        )
        print_json({**found.to_object(), **judged})
        return
    for line in told(found):
        typer.echo(one_line(line))
    if left:
        typer.echo(f"{left} left; how far you agree with the judge is told here when you have scored or skipped them.")
    from evolif.judge_audit import judge_audit_lines

    for line in judge_audit_lines(rows or []):
        typer.echo(one_line(line) if line.strip() else line)


def _rows(run: Path) -> list[JudgeAuditRow]:
    from contextlib import closing

    from evolif.judge_audit import judge_audit_summary
    from evolif.runner import load_run

    with closing(load_run(run)) as opened:
        return judge_audit_summary(opened)


def print_json(data: Any) -> None:
    """Print JSON in ASCII: a foreign text may hold half a surrogate pair, which no terminal's encoding can write."""
    typer.echo(json.dumps(data))


_Values = list[str] | None


def review(
    ctx: typer.Context,
    bench: Annotated[Path | None, typer.Argument(metavar="BENCH", help="The benchmark's folder.")] = None,
    topics: Annotated[
        Path | None,
        typer.Option(
            envvar="EVOLIF_REVIEW_TOPICS", metavar="FILE", help="Vouch for the topics of this JSONL file instead."
        ),
    ] = None,
    judge: Annotated[
        Path | None,
        typer.Option(
            envvar="EVOLIF_REVIEW_JUDGE",
            metavar="RUN",
            help="Score a sample of this run's judged answers instead, without seeing what the judge said.",
        ),
    ] = None,
    sample: Annotated[int | None, typer.Option(min=1, help="With --judge: answers to be scored (60).")] = None,
    seed: Annotated[int | None, typer.Option(min=0, help="With --judge: seeds which ones (0).")] = None,
    reviewer: Annotated[str | None, typer.Option(help="Who decides. Your login name by default.")] = None,
    model: Annotated[
        _Values,
        typer.Option("--model", "-m", envvar="EVOLIF_REVIEW_MODEL", help="The model proposed for regeneration."),
    ] = None,
    list_: Annotated[bool, typer.Option("--list", help="Print the queue and leave.")] = False,
    stats: Annotated[bool, typer.Option("--stats", help="Print decisions, pace and agreement, and leave.")] = False,
    export: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Write the queue as JSONL, decisions left empty; with --judge also CSV."),
    ] = None,
    apply: Annotated[Path | None, typer.Option(metavar="FILE", help="Make the decisions of a filled export.")] = None,
    opinions: Annotated[
        bool, typer.Option("--opinions", help="With --apply: for agreement only, changing nothing else.")
    ] = False,
    status: Annotated[_Values, typer.Option(help="Only items of this status; repeatable.")] = None,
    source: Annotated[_Values, typer.Option(help="Only queries by this synthesizer; repeatable.")] = None,
    finding: Annotated[_Values, typer.Option(help="Only items that this checker objects to; repeatable.")] = None,
    topic: Annotated[_Values, typer.Option(help="Only turns on the topic of this id; repeatable.")] = None,
    group: Annotated[_Values, typer.Option(help="With --judge: only answers judged on this; repeatable.")] = None,
    undecided: Annotated[bool, typer.Option("--undecided", help="Only what you have not decided on.")] = False,
    search: Annotated[str, typer.Option(help="Only items that hold all these words.")] = "",
    check: Annotated[bool, typer.Option("--check", help="Ask the checkers anew before listing or exporting.")] = False,
    as_json: JsonFlag = False,
    display: Display = "auto",
) -> None:
    """Review flagged queries in a terminal, vouch for topics, or score judged answers blind. Saves as you go."""
    run = judge if _is_meant(ctx, "judge", bench, topics) else None
    topics = topics if _is_meant(ctx, "topics", bench, run) else None
    desk = open_desk(bench, topics, run, reviewer, _own(ctx, "seed", run, seed), _own(ctx, "sample", run, sample))
    given: dict[Facet, _Values] = {"status": status, "source": source, "finding": finding, "topic": topic}
    wanted = filter_of(desk, {**given, "group": group}, undecided, search)
    if run is not None and (opinions or check):
        raise UsageError(
            "--opinions and --check have no meaning with --judge: scores change nothing, and no rule is asked"
        )
    ways = [name for name, wish in _ways(list_, stats, export, apply) if wish]
    if len(ways) > 1:
        raise UsageError(f"{' and '.join(ways)} do not go together; give one of them")
    if apply is not None:
        _apply(desk, apply, display, opinions)
    elif export is not None:
        _export(desk, wanted, export, display, check)
    elif stats:
        print_statistics(desk, run, as_json=as_json)
    elif list_ or as_json:
        _print(desk, wanted, as_json, display, check)
    else:
        refuse_unknown(desk, wanted)
        _run(desk, wanted, (model or [""])[0])


def _ways(list_: bool, stats: bool, export: Path | None, apply: Path | None) -> Iterator[tuple[str, bool]]:
    yield "--list", list_
    yield "--stats", stats
    yield "--export", export is not None
    yield "--apply", apply is not None


def _is_named(ctx: typer.Context, name: str) -> bool:
    """Whether an option stands in the command itself."""
    source = ctx.get_parameter_source(name)
    return source is not None and source.name == "COMMANDLINE"


def _is_meant(ctx: typer.Context, name: str, *others: Path | None) -> bool:
    """Whether what an option names is to be opened: variables and `--config` may hold it for another time, or verb."""
    source = ctx.get_parameter_source(name)
    if name == "judge" and source is not None and source.name == "DEFAULT_MAP":
        return False  # a configuration's judge is the model that `evaluate` asks
    return _is_named(ctx, name) or not any(other is not None for other in others)


def _own(ctx: typer.Context, name: str, run: Path | None, value: int | None) -> int | None:
    """An option of the judge audit; a variable that is set for other verbs is nothing to the other reviews."""
    return value if run is not None or _is_named(ctx, name) else None


def _chosen(desk: ReviewQueue, wanted: Filter, display: str, check: bool) -> list[QueueItem]:
    """The entries of the choice, their checkers asked anew where that is wanted or a choice by findings needs it."""
    from evolif.review import choose

    by_finding = bool(wanted.chosen.get("finding"))
    if by_finding and (check or not desk.stores_findings):
        _ask_checkers(desk, desk.entries(), display)
    refuse_unknown(desk, wanted)
    entries = choose(desk.entries(), wanted)
    if not entries:
        say(f"no {desk.noun} of {desk.path} matches ({wanted.told})")
    if check and not by_finding:
        _ask_checkers(desk, entries, display)
    return [desk.entry(entry.key) for entry in entries] if check else entries


def _ask_checkers(desk: ReviewQueue, entries: list[QueueItem], display: str) -> None:
    from evolif.cli.progress import choose, counting

    with counting(choose(display), "checking") as progress:
        for done, entry in enumerate(entries, 1):
            desk.findings(entry.key)
            progress(done, len(entries))


def _print(desk: ReviewQueue, wanted: Filter, as_json: bool, display: str, check: bool) -> None:
    from shutil import get_terminal_size

    from evolif.review import lines, objects

    entries = _chosen(desk, wanted, display, check)
    if as_json:
        print_json(objects(desk, entries))
        return
    # Cut off a terminal, too: whole texts are for --json and --export.
    for line in lines(desk, entries, get_terminal_size((120, 24)).columns):
        typer.echo(line)


def _export(desk: ReviewQueue, wanted: Filter, path: Path, display: str, check: bool) -> None:
    from evolif.review import export

    count = export(desk, [entry.key for entry in _chosen(desk, wanted, display, check)], path)
    say(f"{path}: {count} {desk.noun}s; fill “{next(iter(desk.empty))}” and apply them with --apply")


def _apply(desk: ReviewQueue, path: Path, display: str, opinions: bool) -> None:
    from evolif.cli.progress import choose, counting
    from evolif.review import apply

    with counting(choose(display), "checking") as progress:
        done = apply(desk, path, progress, opinions=opinions)
    say(f"{path}: {done.made} decisions made, {done.there} were made before, {done.empty} lines without one")


def _run(desk: ReviewQueue, wanted: Filter, model: str) -> None:
    from importlib.util import find_spec

    if find_spec("textual") is None:
        raise UsageError(
            "the terminal application needs Textual: pip install -e '.[review]' in a checkout; "
            "--list, --export and --apply work without it"
        )
    if not sys.stdin.isatty() or not sys.stderr.isatty():  # Textual draws on standard error
        raise UsageError("the application needs a terminal; use --list, --export and --apply without one")
    from evolif.review.app import ReviewApp

    desk.first_filter = wanted
    app = ReviewApp(desk, model=model)
    app.run()
    if app.fault is not None:
        raise app.fault
