"""`evolif contamination`: are a benchmark's queries in a corpus."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Protocol

import typer

from evolif.cli._options import Config, Display, JsonFlag

if TYPE_CHECKING:
    from evolif.exchange import Contamination

_SHOWN = 50
"""Findings that are listed for people; --json has all."""


def contamination(
    corpus: Annotated[
        list[Path],
        typer.Argument(
            metavar="FILE...",
            help="Text, JSONL or Parquet, also compressed (gz, bz2, xz, zst); folders of such; - for standard input.",
        ),
    ],
    benchmark: Annotated[
        Path, typer.Option("--benchmark", "-b", envvar="EVOLIF_BENCHMARK", metavar="BENCH", help="Whose queries.")
    ],
    words: Annotated[
        int, typer.Option(min=1, envvar="EVOLIF_WORDS", help="So many words of a query in a row are a finding, too.")
    ] = 13,
    as_json: JsonFlag = False,
    display: Display = "auto",
    config: Config = None,
) -> None:
    """Look for a benchmark's queries and its canary in a text corpus. Exit code 1 on a finding."""
    from evolif.cli._display import choose
    from evolif.exchange import contamination as look
    from evolif.report import plain

    with _reading(choose(display)) as progress:
        told = look(corpus, benchmark, words=words, progress=progress)
    for file, reason in told.unread:
        typer.echo(plain(f"not looked through: {file}: {reason}"), err=True)
    if as_json:
        import json

        typer.echo(json.dumps(told.to_object()))
    else:
        for line in _lines(told):
            typer.echo(plain(line))
    if told.findings:
        raise typer.Exit(1)


def _lines(told: Contamination) -> list[str]:
    lines = []
    for found in told.findings[:_SHOWN]:
        what = "the canary" if found.kind == "canary" else "dialogue {}, turn {}".format(*found.turns[0])
        if len(found.turns) > 1:
            what += f" and {len(found.turns) - 1} more of the same words"
        share = "whole" if found.kind != "part" else f"{100 * found.share:.0f} % of the query"
        place = found.places[0]
        more = f", {found.occurrences} times" if found.occurrences > 1 else ""
        lines.append(f"{place.file}, line {place.line} (byte {place.offset}): {what}, {share}{more}")
    if len(told.findings) > _SHOWN:
        lines.append(f"… and {len(told.findings) - _SHOWN} more; --json lists all of them")
    parts = sum(found.kind == "part" for found in told.findings)
    lines.append(
        f"{told.turns_found} of {told.turns} queries stand whole in {told.files} files "
        f"({told.bytes / 1e6:.1f} MB of text), of {parts} more a part"
    )
    if told.too_short:
        lines.append(f"{told.too_short} queries are too short to tell and were not looked for.")
    return lines


class _Progress(Protocol):
    def __call__(self, file: str, read: int, /) -> None: ...


@contextmanager
def _reading(display: str) -> Iterator[_Progress | None]:
    """Show how much has been read; nobody knows how much there is."""
    if display != "rich":
        yield None
        return
    from rich.console import Console

    with Console(stderr=True).status("reading") as status:
        shown = 0

        def update(file: str, read: int) -> None:
            nonlocal shown
            if read - shown > 16_000_000:
                shown = read
                status.update(f"{read / 1e6:,.0f} MB")

        yield update
