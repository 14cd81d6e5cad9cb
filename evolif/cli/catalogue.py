"""`evolif topics`, `personas` and `registers`: check your own catalogues, and have a chat model write entries."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from evolif.cli.console import show, show_json
from evolif.cli.options import Display, EntryOptions, JsonFlag, random_seed
from evolif.errors import UsageError
from evolif.text import plural

if TYPE_CHECKING:
    from evolif.scenarios.instructions.catalogue.entries import LintReport, Pair
    from evolif.scenarios.instructions.catalogue.generate import GenerationResult, GenerationTally

_EACH = 20
"""Without a terminal, this many entries get a line each; beyond that, every tenth does."""

Against = Annotated[
    list[Path] | None,
    typer.Option(metavar="FILE|DIR", help="Texts to check for eight shared words in a row; repeatable."),
]
RequestSeed = Annotated[int | None, typer.Option(min=0, help="Seed of the requests; random by default.")]

topics_app = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    help="Check topics (exit code 1 on a finding), or have a model write them for a domain.",
)
personas_app = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    help="Check personas (exit code 1 on a finding), or have a model infer them from messages.",
)


registers_app = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    help="Check registers: your own frames, or the words of this package. Exit code 1 on a finding.",
)


@registers_app.callback()
def registers() -> None:
    """Check registers: your own frames, or the words of this package. Exit code 1 on a finding."""


@registers_app.command("lint")
def lint_registers(
    file: Annotated[Path | None, typer.Argument(metavar="FILE", help="Your registers, YAML.")] = None,
    as_json: JsonFlag = False,
) -> None:
    """Check a file of registers; without one, this package's utterance plans, reasons and small talk."""
    from evolif.scenarios.instructions.catalogue.registers import lint_registers

    _show_report(lint_registers(file), as_json=as_json)


@topics_app.command("lint")
def lint(
    file: Annotated[Path | None, typer.Argument(metavar="FILE", help="Topics, JSONL.")] = None,
    against: Against = None,
    as_json: JsonFlag = False,
) -> None:
    """Check a topic file: every finding with its line and fix, and the nearest pairs. Exit code 1 on a finding."""
    from evolif.scenarios.instructions.catalogue import lint_topics

    if file is None:
        raise UsageError(
            "name the file to check: evolif topics lint my-topics.jsonl (one topic per line, with id, prompt and "
            "keywords; `evolif topics write` creates one)"
        )
    _show_report(lint_topics(file, against or ()), as_json=as_json)


@topics_app.command("write")
def write(
    *,
    domain: Annotated[str, typer.Option(metavar="WORDS", help="What the topics are about, e.g. “beekeeping”.")],
    model: Annotated[
        str,
        typer.Option(
            "--model",
            "-m",
            envvar="EVOLIF_TOPICS_MODEL",
            metavar="PROVIDER/NAME",
            help="The chat model that writes them.",
        ),
    ],
    count: Annotated[int, typer.Option(min=1, help="Stop when the file has this many topics on the domain.")] = 50,
    out: Annotated[
        Path,
        typer.Option(
            "--out", "-o", envvar="EVOLIF_TOPICS_OUT", metavar="FILE", help="The file to append topics to, JSONL."
        ),
    ] = Path("topics.jsonl"),
    seed: RequestSeed = None,
    options: EntryOptions,
    display: Display = "auto",
) -> None:
    """Have a chat model write topics on a domain, each linted against all others. Rerun it to continue."""
    from evolif.models import ModelOptions
    from evolif.scenarios.instructions.catalogue.write import write_topics

    with _making(display, "topic", out) as observe:
        asking, chosen = ModelOptions(**asdict(options)), random_seed() if seed is None else seed
        made = write_topics(out, domain, count, model, seed=chosen, options=asking, observe=observe)
    _show_made(made, f"topics on {' '.join(domain.split())}", out)
    show([f"Next: evolif review --topics {out}  (two people verify each topic)"])


@personas_app.command("lint")
def lint_personas(
    file: Annotated[Path | None, typer.Argument(metavar="FILE", help="Personas, JSONL.")] = None,
    against: Against = None,
    as_json: JsonFlag = False,
) -> None:
    """Check a persona file: every finding with its line and fix, and the nearest pairs. Exit code 1 on a finding."""
    from evolif.scenarios.instructions.catalogue.lint import lint_personas

    if file is None:
        raise UsageError(
            "name the file to check: evolif personas lint my-personas.jsonl (one persona per line, with id, sentence "
            "and phrases; `evolif personas infer` creates one)"
        )
    _show_report(lint_personas(file, against or ()), as_json=as_json)


@personas_app.command("infer")
def infer(
    *,
    source: Annotated[
        Path, typer.Option("--from", metavar="FILE", help="Messages, or lines about people: text or JSONL.")
    ],
    model: Annotated[
        str,
        typer.Option(
            "--model",
            "-m",
            envvar="EVOLIF_PERSONAS_MODEL",
            metavar="PROVIDER/NAME",
            help="The chat model that infers them.",
        ),
    ],
    out: Annotated[
        Path,
        typer.Option(
            "--out", "-o", envvar="EVOLIF_PERSONAS_OUT", metavar="FILE", help="The file to append personas to, JSONL."
        ),
    ] = Path("personas.jsonl"),
    limit: Annotated[
        int | None, typer.Option(min=1, envvar="EVOLIF_PERSONAS_LIMIT", help="Only the first N messages.")
    ] = None,
    seed: RequestSeed = None,
    options: EntryOptions,
    display: Display = "auto",
) -> None:
    """Have a chat model infer a speaking style per message, without identifying details. Rerun it to continue."""
    from evolif.models import ModelOptions
    from evolif.scenarios.instructions.catalogue.infer import infer_personas

    with _making(display, "persona", out) as observe:
        asking, chosen = ModelOptions(**asdict(options)), random_seed() if seed is None else seed
        made = infer_personas(source, out, model, seed=chosen, limit=limit, options=asking, observe=observe)
    _show_made(made, "personas", out)


def _show_report(report: LintReport, *, as_json: bool) -> None:
    """Print a lint; exit code 1 on a finding."""
    if as_json:
        show_json(report.to_object())
    else:
        show(_report_lines(report))
    if report.findings:
        raise typer.Exit(1)


def _report_lines(report: LintReport) -> Iterator[str]:
    yield from map(str, report.findings)
    if report.findings:
        yield ""
    for measure, pairs in report.nearest.items():
        listed = "; ".join(_pair(pair, is_count=measure in ("keywords", "phrases")) for pair in pairs)
        yield f"Nearest by {measure}: {listed or 'no pair shares any'}"
    yield from report.notes
    if report.samples:
        yield f"Compared with {plural(report.samples['words'], 'word')} in {plural(report.samples['files'], 'file')}."
    count = len(report.findings)
    counts = [plural(report.entries, report.kind)]
    if report.kind != "register":
        counts.append(plural(len(report.counts), "domain" if report.kind == "topic" else "register"))
    yield f"{report.file}: {', '.join(counts)}, {plural(count, 'finding') if count else 'no findings'}."


def _pair(pair: Pair, *, is_count: bool) -> str:
    near = f"{pair.value:.0f}" if is_count else f"{100 * pair.value:.0f} %"
    return f"{pair.first} and {pair.second} {near} ({', '.join(pair.shared[:6])})"


@contextmanager
def _making(display: str, kind: str, out: Path) -> Iterator[Callable[[GenerationTally], None]]:
    """Show entries as they are written and, if the user stops, how many `out` received."""
    from evolif.cli.progress import choose, spinning

    shown, kept = choose(display), 0

    try:
        with spinning(shown) as update:
            update("", "requesting")

            def observe(tally: GenerationTally) -> None:
                nonlocal kept
                kept, done = tally.kept, tally.kept + tally.given_up
                update("", _state(tally))
                if shown == "plain" and (done <= _EACH or done % 10 == 0):
                    print(_state(tally), file=sys.stderr, flush=True)

            yield observe
    except KeyboardInterrupt:
        typer.echo(f"Interrupted. {plural(kept, kind)} written to {out}; run the same command to continue.", err=True)
        raise typer.Exit(130) from None


def _show_made(made: GenerationResult, what: str, out: Path) -> None:
    from evolif.text import clip

    tally = made.tally
    show([f"{out}: {made.have} of {made.wanted} {what}; {_state(tally)}"])
    if tally.given_up:
        finding = clip(tally.last_findings[0], 300) if tally.last_findings else "no finding"
        typer.echo(f"The last rejected answer: {finding}", err=True)
    if made.have < made.wanted:
        typer.echo("Run the same command for the rest.", err=True)


def _state(tally: GenerationTally) -> str:
    tokens = f"{tally.prompt_tokens} + {plural(tally.completion_tokens, 'token')}"
    return f"{tally.kept} kept, {tally.given_up} given up, {plural(tally.answers, 'answer')}, {tokens}"
