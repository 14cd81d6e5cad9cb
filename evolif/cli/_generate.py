"""`evolif generate`: make fresh dialogues."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from evolif.cli._options import Config, Display


def generate(
    out: Annotated[Path, typer.Argument(metavar="OUT", help="The benchmark's folder, new or of the same make.")],
    dialogues: Annotated[int, typer.Option(min=1, envvar="EVOLIF_DIALOGUES", help="How many dialogues.")] = 150,
    turns: Annotated[
        int, typer.Option(min=1, envvar="EVOLIF_TURNS", help="Turns per dialogue on disk; evaluation adds more.")
    ] = 20,
    seed: Annotated[
        int | None, typer.Option(min=0, envvar="EVOLIF_SEED", help="Same seed, same bytes. A fresh one by default.")
    ] = None,
    profile: Annotated[
        str,
        typer.Option(
            envvar="EVOLIF_PROFILE",
            metavar="paper|objective|extended|FILE",
            help="The state machine's figures; extended adds groups and modes that the paper does not have.",
        ),
    ] = "paper",
    topics: Annotated[Path | None, typer.Option(envvar="EVOLIF_TOPICS", help="Own topics, JSONL.")] = None,
    personas: Annotated[Path | None, typer.Option(envvar="EVOLIF_PERSONAS", help="Own personas, JSONL.")] = None,
    synthesizer: Annotated[
        list[str] | None, typer.Option(envvar="EVOLIF_SYNTHESIZER", help="template (others come later).")
    ] = None,
    only: Annotated[
        int | None, typer.Option(min=1, envvar="EVOLIF_ONLY", help="Make only the dialogue of this number.")
    ] = None,
    display: Display = "auto",
    config: Config = None,
) -> None:
    """Make a fresh benchmark: scripts with a verified witness per turn, said in natural words."""
    from evolif.benchmark import generate as make
    from evolif.cli._display import choose, counting

    chosen = _seed(seed, out)
    with counting(choose(display), "dialogues") as progress:
        made = make(
            out,
            dialogues=dialogues,
            turns=turns,
            seed=chosen,
            profile=profile,
            topics=topics,
            personas=personas,
            synthesizers=synthesizer or ["template"],
            only=only,
            progress=progress,
        )
    spec = made.header.spec
    typer.echo(f"{out}: {len(made.dialogues())} dialogues, profile {spec.profile.name}, seed {spec.seed}")
    typer.echo(f"Next: evolif evaluate {out} --model local/smollm2-135m --out RUN")


def _seed(seed: int | None, out: Path) -> int:
    """The seed asked for; else that of the benchmark already there; else a fresh one."""
    if seed is not None:
        return seed
    from secrets import randbelow

    from evolif.benchmark import load_benchmark

    if (out / "benchmark.json").is_file():
        return load_benchmark(out).header.spec.seed
    return randbelow(2**31)
