"""`evolif generate` makes fresh dialogues, and `evolif extend` makes them longer."""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from evolif.cli.console import say, show
from evolif.cli.options import WORDING, CheckerOption, Display, WordingOptions, random_seed
from evolif.errors import UsageError
from evolif.text import plural

if TYPE_CHECKING:
    from collections.abc import Iterator

    from evolif.scenario import Benchmark
    from evolif.scenarios.instructions.turn_lines import SplitSide

TEMPLATE = "template"
INSTRUCTIONS = "instructions"
_OTHER = "Other scenarios"
_OF_ALL = frozenset({"out", "dialogues", "seed", "scenario", "settings", "display", "config"})
"""Parameters of `generate` that do not belong to instruction following."""


def generate(
    out: Annotated[
        Path, typer.Argument(metavar="OUT", help="The benchmark's folder: new, or made with the same settings.")
    ],
    *,
    context: typer.Context,
    dialogues: Annotated[
        int, typer.Option(min=1, show_default="40 of the profile everyday, else 150", help="Number of dialogues.")
    ] = 150,
    turns: Annotated[int, typer.Option(min=1, help="Turns per dialogue on disk; evaluation adds more.")] = 20,
    seed: Annotated[int | None, typer.Option(min=0, help="Same seed, same bytes; random by default.")] = None,
    profile: Annotated[
        str | None,
        typer.Option(
            metavar="everyday|objective|paper|extended|escalating|FILE",
            show_default="everyday, or that of the folder",
            help="The state machine's parameters: everyday asks for what people really ask; objective draws of the "
            "paper's groups those that rules can check, paper also those that only a judge can; extended adds groups "
            "and modes of our own, escalating also asks for more with every turn.",
        ),
    ] = None,
    topics: Annotated[Path | None, typer.Option(help="Your own topics, JSONL.")] = None,
    personas: Annotated[Path | None, typer.Option(help="Your own personas, JSONL.")] = None,
    registers: Annotated[Path | None, typer.Option(help="Your own registers, YAML like seeds/frames.yaml.")] = None,
    synthesizer: Annotated[
        list[str] | None,
        typer.Option(
            metavar="template|PROVIDER/NAME[=WEIGHT]",
            rich_help_panel=WORDING,
            help="What words the dialogues; repeat the flag to mix several by weight.",
        ),
    ] = None,
    checker: CheckerOption = None,
    definitions: Annotated[
        str,
        typer.Option(
            metavar="system|query",
            rich_help_panel=WORDING,
            help="Who says what exactly is counted: the system prompt, or the queries, for runs without one.",
        ),
    ] = "system",
    judged: Annotated[
        bool,
        typer.Option(
            "--judged",
            help="Also ask for what only a judge can check: a voice, a tone, a genre, a reader, a style, an emotion. "
            "Evaluate with --judge.",
        ),
    ] = False,
    voices: Annotated[
        bool,
        typer.Option(
            "--voices",
            rich_help_panel=WORDING,
            help="Word each task as who asks would, with a profile that does not, such as paper; others do so anyway.",
        ),
    ] = False,
    split: Annotated[
        str | None,
        typer.Option(
            metavar="train|test",
            help="Only the modes, topics, personas and wordings of one side of a fixed partition: train on one side, "
            "evaluate on the other.",
        ),
    ] = None,
    only: Annotated[int | None, typer.Option(min=1, help="Generate only the dialogue with this number.")] = None,
    options: WordingOptions,
    scenario: Annotated[
        str,
        typer.Option(
            metavar="NAME", rich_help_panel=_OTHER, help="What kind of dialogues; evolif scenarios lists them."
        ),
    ] = INSTRUCTIONS,
    settings: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            metavar="KEY=VALUE",
            rich_help_panel=_OTHER,
            help="An option of the scenario instead of the flags above; repeat the flag for more.",
        ),
    ] = None,
    display: Display = "auto",
) -> None:
    """Generate a fresh benchmark: scripts with a verified witness per turn, worded in natural language."""
    from evolif.cli.progress import choose, counting, rates_lines, wording

    chosen, shown = _seed_of(out) if seed is None else seed, choose(display)
    _refuse_wrong_flags(context, scenario)
    told = context.get_parameter_source("dialogues")
    wanted = None if told is None or told.name == "DEFAULT" else dialogues
    if scenario != INSTRUCTIONS:
        _generate_other(out, scenario, settings or [], wanted, chosen)
        return
    from evolif.models import ModelOptions
    from evolif.scenarios.instructions import generate as make

    only_template = set(synthesizer or [TEMPLATE]) == {TEMPLATE}
    counter = counting(shown, "dialogues") if only_template else nullcontext()
    with counter as progress, wording("none" if only_template else shown, turns) as observe:
        made = make(
            out,
            dialogues=wanted,
            turns=turns,
            seed=chosen,
            profile=profile,
            topics=topics,
            personas=personas,
            registers=registers,
            synthesizers=synthesizer or [TEMPLATE],
            checker=checker,
            definitions=definitions,
            judged=judged,
            voices=voices,
            split=split,
            options=ModelOptions(**asdict(options), seed=chosen),
            only=only,
            progress=progress,
            observe=observe,
        )
    spec = made.header.spec
    split_by = "" if spec.split is None else f", split {spec.split}"
    typer.echo(
        f"{out}: {plural(len(made.dialogues()), 'dialogue')}, profile {spec.profile.name}, seed {spec.seed}{split_by}"
    )
    show(_split_lines(spec.split))
    show(rates_lines(made))
    typer.echo(f"Next: evolif evaluate {out} --model local/smollm2-135m --out RUN")


def _split_lines(split: SplitSide | None) -> Iterator[str]:
    """What a split leaves on both sides, and on neither."""
    if split is not None and split.both:
        yield f"On both sides, since they have no kinds: {', '.join(split.both)}"
    if split is not None and split.neither:
        yield f"Left to the other side: {', '.join(split.neither)}"


def _seed_of(folder: Path) -> int:
    """The seed of the existing benchmark, or a random one."""
    from evolif.benchmark.folder import stored_seed

    stored = stored_seed(folder)
    return random_seed() if stored is None else stored


def _refuse_wrong_flags(context: typer.Context, scenario: str) -> None:
    """Refuse flags that the scenario does not know; variables and keys of a file may be meant for other commands.

    Raises:
        UsageError: there is one on the command line.
    """
    for parameter in context.command.params:
        source = context.get_parameter_source(parameter.name or "")
        if source is None or source.name != "COMMANDLINE":
            continue
        if scenario == INSTRUCTIONS and parameter.name == "settings":
            raise UsageError("--set: instruction following has a flag for each option; see evolif generate --help")
        if scenario != INSTRUCTIONS and parameter.name not in _OF_ALL:
            raise UsageError(
                f"{max(parameter.opts, key=len)} belongs to instruction following; the scenario {scenario} takes its "
                f"options as --set KEY=VALUE, see evolif scenarios {scenario}"
            )


def _generate_other(out: Path, name: str, settings: list[str], dialogues: int | None, seed: int) -> None:
    """Generate a benchmark of any scenario; with its usual number of dialogues for None.

    Raises:
        UsageError: an unknown scenario or option, or the folder holds something else.
    """
    from evolif.scenario import blaming, get_scenario, options_of, pairs_of

    scenario = get_scenario(name)
    with blaming(scenario):
        spec = options_of(scenario.spec, pairs_of(settings, scenario.spec), name)
        number = scenario.usual_dialogues if dialogues is None else dialogues
        made = scenario.generate(out, spec, dialogues=number, seed=seed, notify=say)
        variant = f" {made.variant}" if made.variant else ""
        show([f"{out}: {plural(len(made.dialogues()), 'dialogue')}, scenario {name}{variant}, seed {seed}"])
    typer.echo(f"Next: evolif evaluate {out} --model local/smollm2-135m --out RUN")


def extend(
    bench: Annotated[Path, typer.Argument(metavar="BENCH", help="The benchmark's folder.")],
    *,
    turns: Annotated[int | None, typer.Option(min=1, help="Extend every dialogue to at least this many turns.")] = None,
    dialogues: Annotated[
        int | None,
        typer.Option(min=1, help="Add dialogues up to this number: the same as if it had been made with so many."),
    ] = None,
    synthesizer: Annotated[
        list[str] | None,
        typer.Option(
            metavar="template|PROVIDER/NAME",
            rich_help_panel=WORDING,
            help="Its chat models, if their names do not say how to reach them; template replaces all of them.",
        ),
    ] = None,
    checker: CheckerOption = None,
    options: WordingOptions,
    display: Display = "auto",
) -> None:
    """Append turns to every dialogue, or add dialogues; what is there stays unchanged."""
    from evolif.benchmark import open_benchmark
    from evolif.cli.progress import choose, counting, rates_lines, wording
    from evolif.models import ModelOptions
    from evolif.scenarios.instructions import InstructionBenchmark
    from evolif.scenarios.instructions.generation import extend as lengthen
    from evolif.scenarios.instructions.generation import grow

    if turns is None and dialogues is None:
        raise UsageError("--dialogues N adds dialogues, --turns N adds turns to every dialogue; give one of them")
    opened = open_benchmark(bench, notify=say)
    if not isinstance(opened, InstructionBenchmark):
        _extend_other(opened, turns, dialogues)
        return
    asking = ModelOptions(**asdict(options), seed=opened.header.spec.seed)
    shown, before = choose(display), len(opened.dialogues())
    if dialogues is not None:
        with counting(shown, "dialogues") as progress, wording("none", opened.header.spec.turns) as observe:
            opened = grow(
                opened,
                dialogues,
                synthesizers=synthesizer or [],
                checker=checker,
                options=asking,
                progress=progress,
                observe=observe,
            )
        _tell_growth(opened, before)
    if turns is not None:
        with wording(shown, turns) as observe:
            made = lengthen(
                opened, turns, synthesizers=synthesizer or [], checker=checker, options=asking, observe=observe
            )
        typer.echo(f"{bench}: {plural(made, 'turn')} added; every dialogue now has at least {turns}")
    show(rates_lines(opened))


def _extend_other(bench: Benchmark, turns: int | None, dialogues: int | None) -> None:
    """Add dialogues to a benchmark of another scenario than instruction following.

    Raises:
        UsageError: turns are asked for, or the benchmark cannot grow.
    """
    from evolif.benchmark import BenchmarkFolder
    from evolif.scenario import blaming, get_scenario

    if turns is not None or dialogues is None:
        raise UsageError(
            f"--turns: dialogues of the scenario {bench.scenario} are complete; add dialogues with --dialogues N"
        )
    if not isinstance(bench, BenchmarkFolder):
        raise UsageError(f"{bench.path} cannot grow: its scenario {bench.scenario} keeps folders of its own")
    before, scenario = len(bench.dialogues()), get_scenario(bench.scenario)
    with blaming(scenario):
        made = scenario.generate(bench.path, bench.spec, dialogues=dialogues, seed=bench.seed, notify=say)
    _tell_growth(made, before)


def _tell_growth(bench: Benchmark, before: int) -> None:
    number = len(bench.dialogues())
    typer.echo(f"{bench.path}: {plural(number - before, 'dialogue')} added; it now has {number}")
