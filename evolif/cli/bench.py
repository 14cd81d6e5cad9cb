"""`evolif generate`: make fresh dialogues."""

from __future__ import annotations

from contextlib import nullcontext
from pathlib import Path
from typing import Annotated

import typer

from evolif.cli.options import (
    WORDING,
    Config,
    Display,
    WordingBaseUrl,
    WordingChecker,
    WordingMaxConnections,
    WordingMaxRetries,
    WordingMaxTokens,
    WordingTemperature,
    WordingTimeout,
    model_options,
)

TEMPLATE = "template"


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
    registers: Annotated[
        Path | None,
        typer.Option(envvar="EVOLIF_REGISTERS", help="Registers of your own, YAML like seeds/frames.yaml."),
    ] = None,
    synthesizer: Annotated[
        list[str] | None,
        typer.Option(
            envvar="EVOLIF_SYNTHESIZER",
            metavar="template|PROVIDER/NAME[=WEIGHT]",
            rich_help_panel=WORDING,
            help="Who words the dialogues; given repeatedly, they are mixed in proportion.",
        ),
    ] = None,
    checker: WordingChecker = None,
    only: Annotated[
        int | None, typer.Option(min=1, envvar="EVOLIF_ONLY", help="Make only the dialogue of this number.")
    ] = None,
    temperature: WordingTemperature = None,
    max_tokens: WordingMaxTokens = None,
    max_connections: WordingMaxConnections = None,
    max_retries: WordingMaxRetries = 5,
    timeout: WordingTimeout = None,
    base_url: WordingBaseUrl = None,
    display: Display = "auto",
    config: Config = None,
) -> None:
    """Make a fresh benchmark: scripts with a verified witness per turn, said in natural words."""
    from evolif.cli.progress import choose, counting, tell_rates, wording
    from evolif.instructions import generate as make
    from evolif.report import plain

    chosen, shown = _seed(seed, out), choose(display)
    options = model_options(
        base_url=base_url,
        max_retries=max_retries,
        timeout=timeout,
        temperature=temperature,
        max_tokens=max_tokens,
        max_connections=max_connections,
        seed=chosen,
    )
    only_template = set(synthesizer or [TEMPLATE]) == {TEMPLATE}
    show = counting(shown, "dialogues") if only_template else nullcontext()
    with show as progress, wording("none" if only_template else shown, turns) as observe:
        made = make(
            out,
            dialogues=dialogues,
            turns=turns,
            seed=chosen,
            profile=profile,
            topics=topics,
            personas=personas,
            registers=registers,
            synthesizers=synthesizer or [TEMPLATE],
            checker=checker,
            options=options,
            only=only,
            progress=progress,
            observe=observe,
        )
    spec = made.header.spec
    typer.echo(f"{out}: {len(made.dialogues())} dialogues, profile {spec.profile.name}, seed {spec.seed}")
    for line in tell_rates(made):
        typer.echo(plain(line))
    typer.echo(f"Next: evolif evaluate {out} --model local/smollm2-135m --out RUN")


def _seed(seed: int | None, out: Path) -> int:
    """The seed asked for; else that of the benchmark already there; else a fresh one."""
    if seed is not None:
        return seed
    from secrets import randbelow

    from evolif.instructions import load_benchmark

    if (out / "benchmark.json").is_file():
        return load_benchmark(out).header.spec.seed
    return randbelow(2**31)


# `evolif extend`: make a benchmark's dialogues longer.


def extend(
    bench: Annotated[Path, typer.Argument(metavar="BENCH", help="The benchmark's folder.")],
    turns: Annotated[int, typer.Option(min=1, envvar="EVOLIF_TURNS", help="Make every dialogue at least so long.")],
    synthesizer: Annotated[
        list[str] | None,
        typer.Option(
            envvar="EVOLIF_SYNTHESIZER",
            metavar="template|PROVIDER/NAME",
            rich_help_panel=WORDING,
            help="Where its chat models are reached, if their names do not tell; template stands in for all.",
        ),
    ] = None,
    checker: WordingChecker = None,
    temperature: WordingTemperature = None,
    max_tokens: WordingMaxTokens = None,
    max_connections: WordingMaxConnections = None,
    max_retries: WordingMaxRetries = 5,
    timeout: WordingTimeout = None,
    base_url: WordingBaseUrl = None,
    display: Display = "auto",
    config: Config = None,
) -> None:
    """Append turns to every dialogue; what is there stays as it is."""
    from evolif.cli.progress import choose, tell_rates, wording
    from evolif.instructions import Benchmark
    from evolif.instructions import extend as lengthen
    from evolif.report import plain

    opened = Benchmark(bench, notify=lambda sentence: typer.echo(plain(sentence), err=True))
    options = model_options(
        base_url=base_url,
        max_retries=max_retries,
        timeout=timeout,
        temperature=temperature,
        max_tokens=max_tokens,
        max_connections=max_connections,
        seed=opened.header.spec.seed,
    )
    with wording(choose(display), turns) as observe:
        made = lengthen(
            opened, turns, synthesizers=synthesizer or [], checker=checker, options=options, observe=observe
        )
    typer.echo(f"{bench}: {made} turns added; every dialogue has at least {turns}")
    for line in tell_rates(opened):
        typer.echo(plain(line))
