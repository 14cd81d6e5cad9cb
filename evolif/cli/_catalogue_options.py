"""What `evolif topics` and `evolif personas` share: flags, how a lint is told, how making entries is shown."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from collections.abc import Callable

    from evolif.catalogue import LintReport, Made, Pair, Tally

Against = Annotated[
    list[Path] | None,
    typer.Option(
        envvar="EVOLIF_AGAINST", metavar="FILE|DIR", help="Texts to share no eight words in a row with; repeatable."
    ),
]
Seed = Annotated[
    int | None, typer.Option(min=0, envvar="EVOLIF_SEED", help="Seeds what is asked for. A fresh one by default.")
]
Temperature = Annotated[
    float | None, typer.Option(min=0, envvar="EVOLIF_TEMPERATURE", help="The provider's default where not given.")
]
MaxTokens = Annotated[
    int | None,
    typer.Option(
        min=1, envvar="EVOLIF_MAX_TOKENS", help="Longest answer in tokens; the provider's default (local: 500)."
    ),
]
MaxConnections = Annotated[
    int | None,
    typer.Option(min=1, envvar="EVOLIF_MAX_CONNECTIONS", help="Entries asked for at a time (16; local models 1)."),
]
BaseUrl = Annotated[
    str | None,
    typer.Option(envvar="EVOLIF_BASE_URL", metavar="URL", help="Endpoint of a model that names none itself."),
]

_EACH = 20
"""Off a terminal, so many entries get a line each; of more, every tenth does."""


def tell_report(report: LintReport, *, as_json: bool) -> None:
    """Print a lint; exit code 1 on a finding."""
    if as_json:
        import json

        # ASCII only: a foreign text may hold half a surrogate pair, which no terminal's encoding can write.
        typer.echo(json.dumps(report.to_object()))
    else:
        from evolif.report import plain

        for line in _told(report):
            typer.echo(plain(line))
    if report.findings:
        raise typer.Exit(1)


def _told(report: LintReport) -> Iterator[str]:
    yield from map(str, report.findings)
    if report.findings:
        yield ""
    for measure, pairs in report.nearest.items():
        told = "; ".join(_pair(pair, is_count=measure in ("keywords", "phrases")) for pair in pairs)
        yield f"Nearest by {measure}: {told or 'none share any'}"
    if report.samples:
        yield f"Compared with {report.samples['words']} words in {report.samples['files']} files."
    what = "domain" if report.kind == "topic" else "register"
    count = len(report.findings)
    yield (
        f"{report.file}: {_number(report.entries, report.kind)}, {_number(len(report.counts), what)}, "
        f"{_number(count, 'finding') if count else 'no finding'}."
    )


def _pair(pair: Pair, *, is_count: bool) -> str:
    near = f"{pair.value:.0f}" if is_count else f"{100 * pair.value:.0f} %"
    return f"{pair.first} and {pair.second} {near} ({', '.join(pair.shared[:6])})"


def _number(count: int, what: str) -> str:
    return f"{count} {what}" if count == 1 else f"{count} {what}s"


@contextmanager
def making(display: str, kind: str, out: Path) -> Iterator[Callable[[Tally], None]]:
    """Show entries as they are made; what was kept when the user stops is told.

    Args:
        display: What `choose` gave.
        kind: `topic` or `persona`.
        out: The file they go to.
    """
    last: list[Tally] = []

    def noted(tally: Tally) -> None:
        last[:] = [tally]
        done = tally.kept + tally.given_up
        if display == "plain" and (done <= _EACH or done % 10 == 0):
            print(_state(tally), file=sys.stderr, flush=True)

    try:
        if display == "rich":
            with _bar(noted) as told:
                yield told
        else:
            yield noted
    except KeyboardInterrupt:
        kept = last[0].kept if last else 0
        typer.echo(f"Interrupted. {_number(kept, kind)} went to {out}; the same command goes on.", err=True)
        raise typer.Exit(130) from None


@contextmanager
def _bar(noted: Callable[[Tally], None]) -> Iterator[Callable[[Tally], None]]:
    from rich.console import Console
    from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    columns = (SpinnerColumn(), TextColumn("{task.description}", markup=False), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bars:
        task = bars.add_task("asking", total=None)

        def told(tally: Tally) -> None:
            noted(tally)
            bars.update(task, description=_state(tally))

        yield told


def tell_made(made: Made, what: str, out: Path) -> None:
    """Say what a run came to."""
    from evolif.report import clip, plain

    tally = made.tally
    typer.echo(f"{plain(str(out))}: {made.have} of {made.wanted} {what}; {_state(tally)}")
    if tally.given_up:
        finding = clip(tally.last_findings[0], 300) if tally.last_findings else "nothing"
        typer.echo(f"The last answer that was not kept: {finding}", err=True)
    if made.have < made.wanted:
        typer.echo("The same command goes on to the rest.", err=True)


def _state(tally: Tally) -> str:
    tokens = f"{tally.prompt_tokens} + {tally.completion_tokens} tokens"
    return f"{tally.kept} kept, {tally.given_up} given up, {_number(tally.answers, 'answer')}, {tokens}"


def fresh_seed(seed: int | None) -> int:
    """The seed asked for, or a fresh one."""
    from secrets import randbelow

    return randbelow(2**31) if seed is None else seed
