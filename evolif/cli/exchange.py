"""`evolif export` and `evolif import`, and `evolif contamination`, which searches corpora for a benchmark."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Protocol

import typer

from evolif.cli.console import say, show, show_json
from evolif.cli.options import Display, JsonFlag

if TYPE_CHECKING:
    from evolif.exchange import Contamination, Exported, ImportResult

_HUB = "The hub"
_SHOWN = 50
"""Findings that are listed for people; --json has all."""


def export(
    path: Annotated[Path, typer.Argument(metavar="PATH", help="A benchmark's folder, or a run's; it is only read.")],
    out: Annotated[Path, typer.Argument(metavar="OUT", help="The file or folder to write; new, or an empty folder.")],
    file_format: Annotated[
        str | None,
        typer.Option(
            "--format",
            "-f",
            metavar="jsonl|parquet|datasets|evolif-states|evolif-dialogs",
            help="What to write; the ending .jsonl or .parquet of OUT tells it, too. The last two are layouts of the "
            "EvolIF authors, for benchmarks.",
        ),
    ] = None,
    with_witness: Annotated[
        bool, typer.Option("--with-witness", help="Put the witnesses in. They are an answer key: do not publish them.")
    ] = False,
    licence: Annotated[
        str | None, typer.Option("--license", metavar="ID", help="The card's, such as cc-by-4.0.")
    ] = None,
    push: Annotated[
        str | None,
        typer.Option(
            metavar="USER/NAME",
            rich_help_panel=_HUB,
            help="Upload to this repository of data sets, with the token in HF_TOKEN (parquet and datasets).",
        ),
    ] = None,
    public: Annotated[
        bool,
        typer.Option("--public", rich_help_panel=_HUB, help="Make a new repository public; it is private otherwise."),
    ] = False,
    as_json: JsonFlag = False,
) -> None:
    """Export a benchmark or a run: JSONL, Parquet, datasets, or the EvolIF authors' layouts. Witnesses stay home."""
    from evolif.exchange import export as write

    done = write(
        path,
        out,
        format=file_format,
        with_witness=with_witness,
        licence=licence,
        push=push,
        public=public,
        notify=say,
    )
    if as_json:
        show_json({**asdict(done), "path": str(done.path)})
    else:
        show(_export_lines(done))


def _export_lines(done: Exported) -> list[str]:
    key = "with" if done.with_witness else "without"
    lines = [f"{done.path}: {done.rows} turns of a {done.kind} as {done.format}, {key} witnesses; {done.canary}"]
    if done.beyond:
        lines.append(
            f"{done.beyond} constraints are of groups or modes that this layout does not know: they stand in the field "
            "evolif alone, so other programs do not check them."
        )
    if done.withheld:
        lines.append(f"{done.withheld} answers are left out because they are witnesses themselves (--with-witness).")
    if done.pushed:
        lines.append(f"Uploaded to {done.pushed}")
    return lines


def import_(
    source: Annotated[
        Path, typer.Argument(metavar="SOURCE", help="A .jsonl, .parquet or .arrow file, or a folder of them.")
    ],
    out: Annotated[Path, typer.Argument(metavar="OUT", help="The benchmark's folder; new or empty.")],
    as_json: JsonFlag = False,
    display: Display = "auto",
) -> None:
    """Import what export wrote, or the EvolIF authors' files, as a benchmark; says what of it can be satisfied."""
    from evolif.cli.progress import choose, counting
    from evolif.exchange import import_benchmark

    with counting(choose(display), "importing") as progress:
        done = import_benchmark(source, out, progress)
    if as_json:
        show_json({**asdict(done), "path": str(done.path), "ceiling": done.ceiling})
    else:
        show(_import_lines(done))


def _import_lines(done: ImportResult) -> list[str]:
    counts = ", ".join(f"{status} {number}" for status, number in done.status.items())
    lines = [
        f"{done.path}: {done.turns} turns in {done.dialogues} dialogues, from {done.format}",
        f"Can their rule-checked part be satisfied? {counts}; {100 * done.ceiling:.1f} % have a witness.",
    ]
    if done.changes["several"] or done.changes["none"]:
        lines.append(
            f"In {done.changes['several']} turns several constraints change, in {done.changes['none']} none does; such "
            "a turn's operation tells no more than the first change."
        )
    if not done.extendable:
        lines.append("It has no script: sessions end where its dialogues end.")
    return lines


def contamination(
    corpus: Annotated[
        list[Path],
        typer.Argument(
            metavar="FILE...",
            help="Text, JSONL or Parquet, also compressed (gz, bz2, xz, zst); folders of such; - for standard input.",
        ),
    ],
    benchmark: Annotated[Path, typer.Option("--benchmark", "-b", metavar="BENCH", help="Whose queries.")],
    words: Annotated[int, typer.Option(min=1, help="So many words of a query in a row are a finding, too.")] = 13,
    as_json: JsonFlag = False,
    display: Display = "auto",
) -> None:
    """Look for a benchmark's queries and its canary in a text corpus. Exit code 1 on a finding."""
    from evolif.cli.progress import choose
    from evolif.exchange import contamination as search

    with _reading(choose(display)) as progress:
        result = search(corpus, benchmark, words=words, progress=progress)
    for file, reason in result.unread:
        say(f"not looked through: {file}: {reason}")
    if as_json:
        show_json(result.to_object())
    else:
        show(_contamination_lines(result))
    if result.findings:
        raise typer.Exit(1)


def _contamination_lines(result: Contamination) -> list[str]:
    lines = []
    for found in result.findings[:_SHOWN]:
        what = "the canary" if found.kind == "canary" else "dialogue {}, turn {}".format(*found.turns[0])
        if len(found.turns) > 1:
            what += f" and {len(found.turns) - 1} more of the same words"
        share = "whole" if found.kind != "part" else f"{100 * found.share:.0f} % of the query"
        place = found.places[0]
        more = f", {found.occurrences} times" if found.occurrences > 1 else ""
        lines.append(f"{place.file}, line {place.line} (byte {place.offset}): {what}, {share}{more}")
    if len(result.findings) > _SHOWN:
        lines.append(f"… and {len(result.findings) - _SHOWN} more; --json lists all of them")
    parts = sum(found.kind == "part" for found in result.findings)
    lines.append(
        f"{result.turns_found} of {result.turns} queries stand whole in {result.files} files "
        f"({result.bytes / 1e6:.1f} MB of text), of {parts} more a part"
    )
    if result.too_short:
        lines.append(f"{result.too_short} queries are too short to tell and were not looked for.")
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
