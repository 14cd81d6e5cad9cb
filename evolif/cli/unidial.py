"""`evolif unidial`: figures over folders in the dialogue schema of UniDial-EvalKit."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from evolif.cli.console import say, show, show_json
from evolif.cli.options import JsonFlag, Resamples, Seed, WordingOptions
from evolif.errors import OutsideError
from evolif.text import plain, plural

_CALLS = "How models are called"
_MOST_REASONS = 5
"""Maximum number of listed reasons why a model could not be reached."""
_SHOWN_PAIRS = 10
"""Of the highest and of the lowest correlations that are listed."""
_MOST_STEPS = 20
"""Lengths of the curve that are shown; --json has all."""

Aggregation = Annotated[
    str,
    typer.Option(
        metavar="TURN-DIALOGUE-LEVEL",
        help="How scores become one figure: statistic of a turn, statistic of a dialogue (mean, min, max), and level "
        "(dialog, turn).",
    ),
]
unidial_app = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    help="Aggregate results in the dialogue schema of UniDial-EvalKit, and compare memories over its folders.",
)


@unidial_app.callback()
def unidial() -> None:
    """Aggregate results in the dialogue schema of UniDial-EvalKit, and compare memories over its folders."""


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
            help="What is compared: context strategies (full, last:K, retrieval:K), memories (bm25:K, embed:K), "
            "and plug-ins.",
        ),
    ] = "full,last:4,bm25:10,embed:10",
    judge: Annotated[
        list[str] | None, typer.Option(metavar="JUDGE", help="Scores what rules cannot; repeat the flag for a panel.")
    ] = None,
    context_model: Annotated[
        str | None, typer.Option(metavar="PROVIDER/NAME", help="What strategies and memories may call.")
    ] = None,
    aggregate: Aggregation = "mean-min-dialog",
    by: Annotated[
        str | None, typer.Option(metavar="LABEL", help="Show the figures by this label of the dialogues, too.")
    ] = None,
    benchmark: Annotated[
        str,
        typer.Option(
            envvar="EVOLIF_MEMORIES_BENCHMARK",
            metavar="NAME",
            help="The benchmark that the dialogues are of; its turns get its metrics.",
        ),
    ] = "",
    unscored: Annotated[
        bool, typer.Option("--unscored", help="Ask turns that no metric scores, too; they cost money.")
    ] = False,
    as_released: Annotated[
        bool, typer.Option("--as-released", help="Score as UniDial-EvalKit's release does, also where it is wrong.")
    ] = False,
    recursive: Annotated[bool, typer.Option("--recursive", help="Read folders within the folder, too.")] = False,
    cache_dir: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR", help="Keep the replies of all models here; after an interruption none is paid for twice."
        ),
    ] = None,
    resamples: Resamples = 1000,
    seed: Seed = 0,
    options: CallOptions,
    as_json: JsonFlag = False,
) -> None:
    """Put the questions of dialogues to a model under several strategies: scores, hits, recall and costs.

    Exit code 3: a model or a judge could not be reached, so figures are missing.
    """
    import asyncio

    from evolif.models import ModelOptions, open_cache
    from evolif.scenarios.recorded import compare_memories
    from evolif.scenarios.recorded.sources import read_source, refuse_unscored, scored_as

    source = read_source(folder, recursive=recursive)
    source = scored_as(source, benchmark) if benchmark else source
    if not unscored:
        refuse_unscored(source)
    figures = asyncio.run(
        compare_memories(
            source.dialogs,
            [name.strip() for name in strategies.split(",") if name.strip()],
            model,
            judge=judge or None,
            seed=seed,
            aggregate=aggregate,
            resamples=resamples,
            options=ModelOptions(**asdict(options), seed=seed),
            context_model=context_model,
            cache=None if cache_dir is None else open_cache(cache_dir),
            by=by,
            templates=source.templates,
            as_released=as_released,
        )
    )
    for one in figures.values():
        del one["records"]
    if as_json:
        show_json({"model": model.partition("?")[0], "aggregate": aggregate, "seed": seed, "strategies": figures})
    else:
        show([*_lines(figures, aggregate), *(() if by is None else _lines_by_label(figures, by, aggregate))])
    _refuse_faults(figures, kept=cache_dir is not None)


def _refuse_faults(figures: Mapping[str, Mapping[str, Any]], *, kept: bool) -> None:
    """Say what could not be reached, and that asking again may help.

    Raises:
        typer.Exit: there was something.
    """
    faults: Counter[str] = Counter()
    for one in figures.values():
        faults.update(one["faults"])
    if not faults:
        return
    for reason, number in faults.most_common(_MOST_REASONS):
        say(f"{_counted(number, 'question')}: {reason}")
    if len(faults) > _MOST_REASONS:
        say(f"… and {len(faults) - _MOST_REASONS} more reasons.")
    mend = "what was answered is kept" if kept else "with --cache-dir DIR, what was answered is kept"
    say(f"Figures are missing because of faults from outside; run the same command again to complete them ({mend}).")
    raise typer.Exit(OutsideError.exit_code)


def _lines(figures: Mapping[str, Mapping[str, Any]], aggregate: str) -> Iterator[str]:
    """A table of figures with their intervals, then what strategies cost, then failures."""
    heads = {"score": aggregate, "difference": "against full", "hit@1": "hit@1", "hit@5": "hit@5", "hit@10": "hit@10"}
    heads |= {"recall": "recall", "context_tokens": "context tokens"}
    rows = [["strategy", *heads.values()]]
    rows += [[name, *(_cell(column, one[column]) for column in heads)] for name, one in figures.items()]
    yield from _aligned(rows)
    for name, one in figures.items():
        yield f"{name}: {_cost(one)}"
    for name, one in figures.items():
        covered = one["coverage"]["records"]
        if covered["scored"] < covered["expected"]:
            kinds = ", ".join(f"{count} {kind}" for kind, count in one["coverage"]["failures"].items())
            yield f"{name}: {covered['scored']} of {covered['expected']} records scored ({kinds or 'none failed'})"


def _lines_by_label(figures: Mapping[str, Mapping[str, Any]], by: str, aggregate: str) -> Iterator[str]:
    """A table for the score, and one for hits where memories are compared: strategies by values of a label."""
    values = list(next(iter(figures.values()))["by_label"])
    for column, title in (("score", aggregate), ("hit@10", "hit@10")):
        rows = [
            [name, *(_cell_by_label(one["by_label"][value], column) for value in values)]
            for name, one in figures.items()
            if any(one["by_label"][value][column] is not None for value in values)
        ]
        if rows:
            yield ""
            yield from _aligned([[f"{title} by {by}", *map(plain, values)], *rows])


def _cell_by_label(own: Mapping[str, Any], column: str) -> str:
    """A figure of one value, with an interval where there are dialogues enough for one."""
    from evolif.metrics import FEWEST

    found = own[column]
    if found is None:
        return "-"
    if own["dialogues"] >= FEWEST and found["lo"] != found["hi"]:
        return f"{_cell(column, found)} of {own['questions']}"
    return f"{found['point']:.3f} of {own['questions']}"


def _aligned(rows: Sequence[Sequence[str]]) -> Iterator[str]:
    """Rows of cells with columns as wide as their widest cell."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        yield "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()


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
    return plural(number, one, many, spec=",")


@unidial_app.command()
def summary(
    folder: Annotated[
        Path,
        typer.Argument(
            metavar="FOLDER",
            help="The results of a model, with generated/ and eval_details/, or a folder of such folders.",
        ),
    ],
    aggregate: Aggregation = "mean-min-dialog",
    as_released: Annotated[
        bool, typer.Option("--as-released", help="Write figures by label as the release does; with --json.")
    ] = False,
    as_json: JsonFlag = False,
) -> None:
    """Show the figures of results under a named aggregation, with coverage, bounds and intervals beside them."""
    from evolif.scenarios.recorded import read_results, results_folders
    from evolif.scenarios.recorded.results import summarise

    found = [summarise(results, aggregate, as_released=as_released) for results in read_results(folder)]
    if as_json:
        show_json(found[0] if results_folders(folder) == [folder] else {"models": found})
    else:
        show(line for one in found for line in _figures(one))


def _figures(found: Mapping[str, Any]) -> Iterator[str]:
    yield f"{found['model']}, {found['aggregate']}"
    figures, interval = found["global"], found["interval"]
    if figures:
        within = f" [{interval['lo']:.4f}, {interval['hi']:.4f}]" if interval else ""
        what = "dialogue" if found["config"]["dataset_level"] == "dialog" else "turn"
        yield f"  mean {figures['mean']:.4f}{within} of {plural(figures['count'], what)}, {_range(figures)}"
    else:
        yield "  no valid record, so no figure"
    yield from _coverage_lines(found)
    if bare := found.get("unscored"):
        yield f"  {bare['turns']} of {bare['evaluated_turns']} evaluated turns have no metric, and are in no mean"
    if found["left_out"]:
        endings = ", ".join(f"{number} {ending}" for ending, number in found["left_out"].items())
        yield f"  sessions left out, as in reports: {endings}"
    if found["length_curve"]:
        steps = list(found["length_curve"].items())
        shown = ", ".join(f"{k}: {value:.4f}" for k, value in steps[:_MOST_STEPS])
        yield f"  mean minimum over the first turns: {shown}{', …' if len(steps) > _MOST_STEPS else ''}"
    yield from _table("by metric", found["by_metric"])
    for side, title in (("dialog", "by label of the dialogue"), ("turn", "by label of the turn")):
        yield from _table(title, found["by_label"].get(side, {}))


def _coverage_lines(found: Mapping[str, Any]) -> Iterator[str]:
    if found["coverage"] is None:
        yield "  coverage unknown: there are no dialogues (generated/)"
        return
    failures = ", ".join(f"{kind} {number}" for kind, number in found["coverage"]["failures"].items())
    for what in ("records", "turns", "dialogues"):
        counts = found["coverage"][what]
        line = f"  {what}: {counts['scored']} of {counts['expected']} scored"
        line += f", {counts['failed']} failed, {counts['missing']} missing"
        yield line + (f" ({failures})" if what == "records" and failures else "")
    if found["bounds"]:
        low, high = found["bounds"]
        if low != high:
            yield f"  mean with all that is not scored as 0: {low:.4f}; as 1: {high:.4f}"


def _table(title: str, rows: Mapping[str, Any]) -> Iterator[str]:
    """The rows of a breakdown, in whichever form they are."""
    if not rows:
        return
    width = max(map(len, rows))
    yield f"  {title}"
    for name in sorted(rows, key=_natural):
        figures = rows[name]
        if isinstance(figures, Mapping):
            yield f"    {name:{width}}  {figures['mean']:.4f} of {figures['count']}, {_range(figures)}"
        else:
            yield f"    {name:{width}}  {figures:.4f}"


def _natural(bucket: str) -> tuple[str, int, str]:
    """A key that sorts `depth:9` before `depth:10`."""
    column, _, value = bucket.partition(":")
    return column, int(value) if value.isascii() and value.isdigit() and len(value) < 19 else 0, value


def _range(figures: Mapping[str, Any]) -> str:
    return f"from {figures['min']:.4f} to {figures['max']:.4f}"


_Folders = Annotated[
    list[Path],
    typer.Argument(
        metavar="FOLDER...",
        help="Results of several benchmarks: folders of models for each benchmark, or a folder of such folders.",
    ),
]


@unidial_app.command()
def table(
    folders: _Folders,
    aggregate: Aggregation = "mean-min-dialog",
    resamples: Resamples = 1000,
    seed: Seed = 0,
    as_json: JsonFlag = False,
) -> None:
    """Show each model's score on each of several benchmarks, their mean, and how far each tells the models apart."""
    from evolif.scenarios.recorded.across import read_benchmarks, table_across

    found = table_across(read_benchmarks(folders), aggregate, seed=seed, resamples=resamples)
    if as_json:
        show_json(found)
    else:
        show(_table_lines(found))


def _table_lines(found: Mapping[str, Any]) -> Iterator[str]:
    yield f"{found['aggregate']} in %, [95 % interval] over dialogues"
    rows = [["benchmark", *map(plain, found["models"]), "tells apart"]]
    for one in found["benchmarks"]:
        cells = [_score_cell(one["models"].get(model)) for model in found["models"]]
        rows.append([plain(one["name"]), *cells, _tells_apart(one["discriminability"])])
    rows.append(["mean of benchmarks", *map(_score_cell, found["models"].values()), ""])
    yield from _aligned(rows)
    if any(one["mean"] is None for one in found["models"].values()):
        yield "A mean needs a score on every benchmark."
    for one in found["benchmarks"]:
        for model, own in one["models"].items():
            if own["unscored_turns"]:
                turns = plural(own["unscored_turns"], "evaluated turn has", "evaluated turns have")
                yield f"{plain(one['name'])}, {plain(model)}: {turns} no metric, and are in no mean."


def _score_cell(own: Mapping[str, Any] | None) -> str:
    """“45.2 [38.0, 52.1] of 29/30”: in per cent, over how many, and over how many it would be."""
    if own is None or own["mean"] is None:
        return "-"
    within = "" if own["lo"] is None or own["lo"] == own["hi"] else f" [{100 * own['lo']:.1f}, {100 * own['hi']:.1f}]"
    partial = own.get("expected") is not None and own["expected"] != own["count"]
    counted = f" of {own['count']}/{own['expected']}" if partial else ""
    return f"{100 * own['mean']:.1f}{within}{counted}"


def _tells_apart(found: float | None) -> str:
    from evolif.scenarios.recorded.across import LITTLE, STRONG

    if found is None:
        return "-"
    word = " strongly" if found > STRONG else " little" if found < LITTLE else ""
    return f"{found:.2f}{word}"


@unidial_app.command()
def correlations(
    folders: _Folders,
    aggregate: Aggregation = "mean-min-dialog",
    figure: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Draw the matrix as .svg or .png (extra report).")
    ] = None,
    benchmarks: Annotated[
        bool, typer.Option("--whole", help="Draw whole benchmarks instead of their sub-dimensions.")
    ] = False,
    as_json: JsonFlag = False,
) -> None:
    """Show how the ranks of models agree between benchmarks and their sub-dimensions, across several benchmarks."""
    from evolif.scenarios.recorded.across import correlation_figure, correlations_across, read_benchmarks

    found = correlations_across(read_benchmarks(folders), aggregate)
    if figure is not None:
        from evolif.report.figures.single import write_heat

        write_heat(correlation_figure(found, "benchmarks" if benchmarks else "sub_dimensions"), figure)
    if as_json:
        show_json(found)
    else:
        show(_correlation_lines(found, figure))


def _correlation_lines(found: Mapping[str, Any], figure: Path | None) -> Iterator[str]:
    for part, title in (("benchmarks", "benchmarks"), ("sub_dimensions", "sub-dimensions")):
        defined = [pair for pair in found[part]["pairs"] if pair[2] is not None]
        many = len(defined) > 2 * _SHOWN_PAIRS
        shown = [*defined[:_SHOWN_PAIRS], *defined[-_SHOWN_PAIRS:]] if many else defined
        yield f"Spearman’s correlation of models’ scores between {title}, {plural(len(defined), 'pair')}"
        for a, b, rho in shown:
            yield f"  {rho:+.2f}  {plain(a)} · {plain(b)}"
        if not defined:
            yield "  none is defined: it takes two models with different scores, and two of these"
    if found["sub_dimensions"]["warning"]:
        yield str(found["sub_dimensions"]["warning"])
    if figure is not None:
        yield f"Drawn: {figure}"
