"""`evolif export`: a benchmark or a run in a format that other programs read."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from evolif.cli._options import Config, JsonFlag

if TYPE_CHECKING:
    from evolif.exchange import Exported

_HUB = "The hub"


def export(
    path: Annotated[Path, typer.Argument(metavar="PATH", help="A benchmark's folder, or a run's; it is only read.")],
    out: Annotated[Path, typer.Argument(metavar="OUT", help="The file or folder to write; new, or an empty folder.")],
    file_format: Annotated[
        str | None,
        typer.Option(
            "--format",
            "-f",
            envvar="EVOLIF_FORMAT",
            metavar="jsonl|parquet|datasets|evolif-states|evolif-dialogs",
            help="What to write; the ending .jsonl or .parquet of OUT tells it, too. The last two are layouts of the "
            "EvolIF authors, for benchmarks.",
        ),
    ] = None,
    with_witness: Annotated[
        bool,
        typer.Option(
            "--with-witness",
            envvar="EVOLIF_WITH_WITNESS",
            help="Put the witnesses in. They are an answer key: do not publish them.",
        ),
    ] = False,
    licence: Annotated[
        str | None,
        typer.Option("--license", envvar="EVOLIF_LICENSE", metavar="ID", help="The card's, such as cc-by-4.0."),
    ] = None,
    push: Annotated[
        str | None,
        typer.Option(
            envvar="EVOLIF_PUSH",
            metavar="USER/NAME",
            rich_help_panel=_HUB,
            help="Upload to this repository of data sets, with the token in HF_TOKEN (parquet and datasets).",
        ),
    ] = None,
    public: Annotated[
        bool,
        typer.Option(
            "--public",
            envvar="EVOLIF_PUBLIC",
            rich_help_panel=_HUB,
            help="Make a new repository public; it is private otherwise.",
        ),
    ] = False,
    as_json: JsonFlag = False,
    config: Config = None,
) -> None:
    """Export a benchmark or a run: JSONL, Parquet, datasets, or the EvolIF authors' layouts. Witnesses stay home."""
    from evolif.exchange import export as write
    from evolif.report import plain

    done = write(
        path,
        out,
        format=file_format,
        with_witness=with_witness,
        licence=licence,
        push=push,
        public=public,
        notify=lambda sentence: typer.echo(plain(sentence), err=True),
    )
    if as_json:
        import json
        from dataclasses import asdict

        typer.echo(json.dumps({**asdict(done), "path": str(done.path)}))
        return
    for line in _told(done):
        typer.echo(plain(line))


def _told(done: Exported) -> list[str]:
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
