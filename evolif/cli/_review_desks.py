"""What `evolif review` opens: a benchmark, a file of topics, or a run's judged answers."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from evolif._errors import UsageError

if TYPE_CHECKING:
    from evolif.review import Desk, Facet, Filter


def open_desk(
    bench: Path | None,
    topics: Path | None,
    run: Path | None,
    reviewer: str | None,
    seed: int | None,
    sample: int | None,
) -> Desk:
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
    from evolif.review import BenchmarkDesk, TopicDesk, TopicLint, regenerate

    if topics is not None:
        return TopicDesk(topics, name, checker=TopicLint(topics), notify=say)
    from evolif.benchmark import Benchmark
    from evolif.synthesis import check_query

    assert bench is not None  # one of the three is given
    if (bench / "run.sqlite").exists() and not (bench / "benchmark.json").exists():
        raise UsageError(f"{bench} is a run; score its judged answers with `evolif review --judge {bench}`")
    return BenchmarkDesk(Benchmark(bench, notify=say), name, checker=check_query, regenerate=regenerate, notify=say)


def _judge_desk(path: Path, reviewer: str, seed: int | None, sample: int | None) -> Desk:
    from contextlib import closing

    from evolif.protocol import load_run
    from evolif.review import JudgeDesk

    with closing(load_run(path)) as run:
        return JudgeDesk(run, reviewer, seed=seed, size=sample, notify=say)


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


def filter_of(desk: Desk, given: Mapping[Facet, list[str] | None], undecided: bool, search: str) -> Filter:
    """The filter that the flags ask for, else the desk's own."""
    from evolif.review import Filter

    chosen = {facet: frozenset(values) for facet, values in given.items() if values}
    if undecided:
        chosen["mine"] = frozenset({"undecided"})
    return Filter(chosen, search) if chosen or search.strip() else desk.first_filter


def refuse_unknown(desk: Desk, wanted: Filter) -> None:
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
