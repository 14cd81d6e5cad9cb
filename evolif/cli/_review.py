"""`evolif review`: a person clears flagged queries, or vouches for topics."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from evolif._errors import UsageError
from evolif.cli._options import Config, Display, JsonFlag

if TYPE_CHECKING:
    from evolif.review import Desk, Entry, Facet, Filter

_Values = list[str] | None


def review(
    ctx: typer.Context,
    bench: Annotated[Path | None, typer.Argument(metavar="BENCH", help="The benchmark's folder.")] = None,
    topics: Annotated[
        Path | None,
        typer.Option(envvar="EVOLIF_TOPICS", metavar="FILE", help="Vouch for the topics of this JSONL file instead."),
    ] = None,
    reviewer: Annotated[
        str | None, typer.Option(envvar="EVOLIF_REVIEWER", help="Who decides. Your login name by default.")
    ] = None,
    model: Annotated[
        _Values, typer.Option("--model", "-m", envvar="EVOLIF_MODEL", help="The model proposed for regeneration.")
    ] = None,
    list_: Annotated[bool, typer.Option("--list", envvar="EVOLIF_LIST", help="Print the queue and leave.")] = False,
    stats: Annotated[
        bool, typer.Option("--stats", envvar="EVOLIF_STATS", help="Print decisions, pace and agreement, and leave.")
    ] = False,
    export: Annotated[
        Path | None,
        typer.Option(envvar="EVOLIF_EXPORT", metavar="FILE", help="Write the queue as JSONL, decisions left empty."),
    ] = None,
    apply: Annotated[
        Path | None,
        typer.Option(envvar="EVOLIF_APPLY", metavar="FILE", help="Make the decisions of a filled export."),
    ] = None,
    opinions: Annotated[
        bool,
        typer.Option(
            "--opinions", envvar="EVOLIF_OPINIONS", help="With --apply: for agreement only, changing nothing else."
        ),
    ] = False,
    status: Annotated[
        _Values, typer.Option(envvar="EVOLIF_STATUS", help="Only items of this status; repeatable.")
    ] = None,
    source: Annotated[
        _Values, typer.Option(envvar="EVOLIF_SOURCE", help="Only queries by this synthesizer; repeatable.")
    ] = None,
    finding: Annotated[
        _Values, typer.Option(envvar="EVOLIF_FINDING", help="Only items that this checker objects to; repeatable.")
    ] = None,
    topic: Annotated[
        _Values, typer.Option(envvar="EVOLIF_TOPIC", help="Only turns on the topic of this id; repeatable.")
    ] = None,
    undecided: Annotated[
        bool, typer.Option("--undecided", envvar="EVOLIF_UNDECIDED", help="Only what you have not decided on.")
    ] = False,
    search: Annotated[str, typer.Option(envvar="EVOLIF_SEARCH", help="Only items that hold all these words.")] = "",
    check: Annotated[
        bool, typer.Option("--check", envvar="EVOLIF_CHECK", help="Ask the checkers anew before listing or exporting.")
    ] = False,
    as_json: JsonFlag = False,
    display: Display = "auto",
    config: Config = None,
) -> None:
    """Review a benchmark's queries in a terminal, flagged ones first; or vouch for topics. Saves as you go."""
    desk = _open(bench, _topics(ctx, bench, topics), reviewer)
    wanted = _filter(desk, {"status": status, "source": source, "finding": finding, "topic": topic}, undecided, search)
    ways = [name for name, given in _ways(list_, stats, export, apply) if given]
    if len(ways) > 1:
        raise UsageError(f"{' and '.join(ways)} do not go together; give one of them")
    if apply is not None:
        _apply(desk, apply, display, opinions)
    elif export is not None:
        _export(desk, wanted, export, display if check else None)
    elif list_ or stats or as_json:
        _print(desk, wanted, as_json, stats, display if check else None)
    else:
        _run(desk, wanted, (model or [""])[0])


def _ways(list_: bool, stats: bool, export: Path | None, apply: Path | None) -> Iterator[tuple[str, bool]]:
    yield "--list", list_
    yield "--stats", stats
    yield "--export", export is not None
    yield "--apply", apply is not None


def _topics(ctx: typer.Context, bench: Path | None, topics: Path | None) -> Path | None:
    """The file of topics, unless it is only `EVOLIF_TOPICS`, meant for `generate`, and a benchmark is named."""
    source = ctx.get_parameter_source("topics")
    named = source is not None and source.name == "COMMANDLINE"
    return topics if bench is None or named else None


def _open(bench: Path | None, topics: Path | None, reviewer: str | None) -> Desk:
    from evolif.benchmark import Benchmark
    from evolif.review import BenchmarkDesk, TopicDesk, TopicLint, regenerate
    from evolif.synthesis import check_query

    if (bench is None) == (topics is None):
        raise UsageError("name a benchmark's folder, or a file of topics with --topics; one of the two")
    name = _reviewer(reviewer)
    if topics is not None:
        return TopicDesk(topics, name, checker=TopicLint(topics), notify=_say)
    assert bench is not None  # one of the two is given
    return BenchmarkDesk(Benchmark(bench, notify=_say), name, checker=check_query, regenerate=regenerate, notify=_say)


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


def _say(sentence: str) -> None:
    from evolif.report import plain

    typer.echo(plain(sentence), err=True)


def _filter(desk: Desk, given: Mapping[Facet, _Values], undecided: bool, search: str) -> Filter:
    from evolif.review import Filter

    chosen = {facet: frozenset(values) for facet, values in given.items() if values}
    if undecided:
        chosen["mine"] = frozenset({"undecided"})
    return Filter(chosen, search) if chosen or search.strip() else desk.first_filter


def _chosen(desk: Desk, wanted: Filter, display: str | None) -> list[Entry]:
    """The entries of the choice; their checkers asked anew where a display is given."""
    from evolif.cli._display import choose as choose_display
    from evolif.cli._display import counting
    from evolif.review import choose

    entries = choose(desk.entries(), wanted)
    if display is None:
        return entries
    with counting(choose_display(display), "checking") as progress:
        for done, entry in enumerate(entries, 1):
            desk.findings(entry.key)
            progress(done, len(entries))
    return [desk.entry(entry.key) for entry in entries]


def _print(desk: Desk, wanted: Filter, as_json: bool, stats: bool, display: str | None) -> None:
    from shutil import get_terminal_size

    from evolif.review import lines, objects, one_line, statistics, told

    found = statistics(desk.journal.records)
    if as_json:
        import json

        data = found.to_object() if stats else objects(desk, _chosen(desk, wanted, display))
        # ASCII only: a foreign text may hold half a surrogate pair, which no terminal's encoding can write.
        typer.echo(json.dumps(data))
        return
    if not stats:
        width = get_terminal_size().columns if sys.stdout.isatty() else None
        for line in lines(desk, _chosen(desk, wanted, display), width):
            typer.echo(line)
    for line in told(found) if stats else ():
        typer.echo(one_line(line))


def _export(desk: Desk, wanted: Filter, path: Path, display: str | None) -> None:
    from evolif.review import export

    count = export(desk, [entry.key for entry in _chosen(desk, wanted, display)], path)
    _say(f"{path}: {count} {desk.noun}s; fill “decision” and apply them with --apply")


def _apply(desk: Desk, path: Path, display: str, opinions: bool) -> None:
    from evolif.cli._display import choose, counting
    from evolif.review import apply

    with counting(choose(display), "checking") as progress:
        done = apply(desk, path, progress, opinions=opinions)
    _say(f"{path}: {done.made} decisions made, {done.there} were made before, {done.empty} lines without one")


def _run(desk: Desk, wanted: Filter, model: str) -> None:
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
