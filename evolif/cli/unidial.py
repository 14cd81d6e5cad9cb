"""`evolif unidial`: figures over folders in the dialogue schema of UniDial-EvalKit."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from evolif.cli.console import show, show_json
from evolif.cli.options import JsonFlag, Resamples, Seed, WordingOptions

_CALLS = "How models are called"

unidial_app = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    help="Compare memories and context strategies over a folder of UniDial dialogues.",
)


@unidial_app.callback()
def unidial() -> None:
    """Compare memories and context strategies over a folder of UniDial dialogues."""


@dataclass(frozen=True, slots=True)
class CallOptions(WordingOptions):
    """How the model under test, and what a strategy calls, are called."""

    temperature: Annotated[
        float | None,
        typer.Option(min=0, rich_help_panel=_CALLS, help="Sampling temperature; by default the provider's."),
    ] = None
    max_tokens: Annotated[
        int | None,
        typer.Option(
            min=1, rich_help_panel=_CALLS, help="Longest answer in tokens; by default the provider's (local: 500)."
        ),
    ] = None
    max_connections: Annotated[
        int | None,
        typer.Option(
            min=1,
            rich_help_panel=_CALLS,
            help="Concurrent requests per model. By default it adapts to what the endpoint can take, up to 200; local "
            "models 1.",
        ),
    ] = None
    max_retries: Annotated[
        int, typer.Option(min=0, rich_help_panel=_CALLS, help="Retries of a request that failed temporarily.")
    ] = 5
    timeout: Annotated[
        float | None,
        typer.Option(
            min=0.001, metavar="SECONDS", rich_help_panel=_CALLS, help="Timeout per attempt (120; local models 600)."
        ),
    ] = None
    base_url: Annotated[
        str | None,
        typer.Option(metavar="URL", rich_help_panel=_CALLS, help="Endpoint for models that do not name one."),
    ] = None


@unidial_app.command()
def memories(
    folder: Annotated[Path, typer.Argument(metavar="FOLDER", help="A folder of UniDial dialogues.")],
    *,
    model: Annotated[
        str,
        typer.Option(
            "--model", "-m", envvar="EVOLIF_MEMORIES_MODEL", metavar="PROVIDER/NAME", help="The model that answers."
        ),
    ],
    strategies: Annotated[
        str,
        typer.Option(
            metavar="NAME,…",
            help="What is compared: context strategies (full, last:K), memories (bm25:K, embed:K), and plug-ins.",
        ),
    ] = "full,last:4,bm25:10,embed:10",
    judge: Annotated[
        list[str] | None, typer.Option(metavar="JUDGE", help="Scores what rules cannot; repeat the flag for a panel.")
    ] = None,
    context_model: Annotated[
        str | None, typer.Option(metavar="PROVIDER/NAME", help="What strategies and memories may call.")
    ] = None,
    aggregate: Annotated[
        str, typer.Option(metavar="TURN-DIALOGUE-LEVEL", help="How scores become one figure.")
    ] = "mean-min-dialog",
    recursive: Annotated[bool, typer.Option("--recursive", help="Read folders within the folder, too.")] = False,
    cache_dir: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR", help="Keep the model's answers here; after an interruption none is paid for twice."
        ),
    ] = None,
    resamples: Resamples = 1000,
    seed: Seed = 0,
    options: CallOptions,
    as_json: JsonFlag = False,
) -> None:
    """Put the questions of dialogues to a model under several strategies: scores, hits, recall and costs."""
    import asyncio

    from evolif.models import ModelOptions, open_cache
    from evolif.unidial import compare_memories, read_dialogs

    figures = asyncio.run(
        compare_memories(
            read_dialogs(folder, recursive=recursive),
            [name.strip() for name in strategies.split(",") if name.strip()],
            model,
            judge=judge or None,
            seed=seed,
            aggregate=aggregate,
            resamples=resamples,
            options=ModelOptions(**asdict(options), seed=seed),
            context_model=context_model,
            cache=None if cache_dir is None else open_cache(cache_dir),
        )
    )
    for one in figures.values():
        del one["records"]
    if as_json:
        show_json({"model": model.partition("?")[0], "aggregate": aggregate, "seed": seed, "strategies": figures})
    else:
        show(_lines(figures, aggregate))


def _lines(figures: Mapping[str, Mapping[str, Any]], aggregate: str) -> Iterator[str]:
    """A table of figures with their intervals, then what strategies cost, then failures."""
    heads = {"score": aggregate, "difference": "against full", "hit@1": "hit@1", "hit@5": "hit@5", "hit@10": "hit@10"}
    heads |= {"recall": "recall", "context_tokens": "context tokens"}
    rows = [["strategy", *heads.values()]]
    rows += [[name, *(_cell(column, one[column]) for column in heads)] for name, one in figures.items()]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        yield "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
    for name, one in figures.items():
        yield f"{name}: {_cost(one)}"
    for name, one in figures.items():
        covered = one["coverage"]["records"]
        if covered["scored"] < covered["expected"]:
            kinds = ", ".join(f"{count} {kind}" for kind, count in one["coverage"]["failures"].items())
            yield f"{name}: {covered['scored']} of {covered['expected']} records scored ({kinds or 'none failed'})"


def _cell(column: str, interval: Mapping[str, float] | None) -> str:
    if interval is None:
        return "-"
    form = "{:.0f}" if column == "context_tokens" else "{:+.3f}" if column == "difference" else "{:.3f}"
    point, low, high = (form.format(interval[key]) for key in ("point", "lo", "hi"))
    return f"{point} [{low}, {high}]"


def _cost(one: Mapping[str, Any]) -> str:
    """What the strategy itself cost, for histories and for questions."""
    taken, asked = one["ingestion"], one["queries"]
    parts = []
    if taken is not None:
        units = f"{taken['units']:,} units instead of {taken['unshared_units']:,}"
        histories = _counted(taken["histories"], "history", "histories")
        parts.append(f"{histories} for {_counted(taken['dialogues'], 'dialogue')} ({units}), {_calls(taken)}")
    parts.append(f"{_counted(asked['count'], 'question')}, {_calls(asked)}")
    return "; ".join(parts)


def _calls(cost: Mapping[str, Any]) -> str:
    tokens = cost["prompt_tokens"] + cost["completion_tokens"]
    return f"{_counted(cost['calls'], 'own call')}, {_counted(tokens, 'token')}, {cost['seconds']:.2f} s"


def _counted(number: int, one: str, many: str = "") -> str:
    return f"{number:,} {one if number == 1 else many or one + 's'}"
