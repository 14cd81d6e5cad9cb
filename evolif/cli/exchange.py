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
from evolif.cli.training import CALLS, TrainingFlags, training_options
from evolif.config import EvalConfig
from evolif.text import clip, plural

if TYPE_CHECKING:
    from evolif.exchange import Exported
    from evolif.exchange.contamination import Contamination
    from evolif.exchange.dialogs import ImportedDialogs
    from evolif.exchange.import_runs import ImportedRun
    from evolif.exchange.importing import ImportResult
    from evolif.exchange.ntm_files import ImportedReleased

_HUB = "Hugging Face Hub"
_DIALOGUES = "Dialogues"
_LONGEST = 200
"""Characters of a text of the source in a message."""
_NOTICES = 8
"""Maximum number of listed notices of an import."""
_SHOWN = 50
"""Maximum number of listed findings; --json has all."""


def export(
    ctx: typer.Context,
    path: Annotated[Path, typer.Argument(metavar="PATH", help="The folder of a benchmark or a run; it is only read.")],
    out: Annotated[Path, typer.Argument(metavar="OUT", help="The file or folder to write: new, or an empty folder.")],
    file_format: Annotated[
        str | None,
        typer.Option(
            "--format",
            "-f",
            metavar="FORMAT",
            help="What to write: jsonl, csv, parquet, datasets; evolif-states or evolif-dialogs, the EvolIF authors' "
            "layouts, for benchmarks; unidial, the schema of UniDial-EvalKit, or inspect, logs of Inspect, for runs; "
            "messages or preferences, training data from runs; ntm, the layout of NTM, for benchmarks of the scenario "
            "shifts. By default the extension of OUT decides (.jsonl, .csv, .parquet).",
        ),
    ] = None,
    *,
    with_witness: Annotated[
        bool, typer.Option("--with-witness", help="Include the witnesses. They are an answer key: do not publish them.")
    ] = False,
    licence: Annotated[
        str | None, typer.Option("--license", metavar="ID", help="The card's licence, e.g. cc-by-4.0.")
    ] = None,
    push: Annotated[
        str | None,
        typer.Option(
            metavar="USER/NAME",
            rich_help_panel=_HUB,
            help="Upload to this dataset repository with the token in HF_TOKEN (parquet and datasets only).",
        ),
    ] = None,
    public: Annotated[
        bool,
        typer.Option("--public", rich_help_panel=_HUB, help="Make a new repository public; by default it is private."),
    ] = False,
    training: TrainingFlags,
    calls: Annotated[EvalConfig, CALLS],
    as_json: JsonFlag = False,
    display: Display = "auto",
) -> None:
    """Export a benchmark or a run, without witnesses: JSONL, CSV, Parquet, datasets, or a layout of others.

    From runs also training data: conversations (messages), or pairs of answers to the same one (preferences).
    """
    import evolif.inspect  # noqa: F401 - its export format, also where nothing is installed and so no entry point known
    from evolif.exchange import export as write

    done = write(
        path,
        out,
        format=file_format,
        with_witness=with_witness,
        licence=licence,
        push=push,
        public=public,
        training=training_options(ctx, path, out, file_format, training, calls, display),
        notify=say,
    )
    if as_json:
        hidden = {"keys"} if done.integrity is not None else {"keys", "integrity"}
        if done.unit == "turn":
            hidden |= {"unit", "notes"}
        show_json(
            {name: value for name, value in asdict(done).items() if name not in hidden} | {"path": str(done.path)}
        )
    else:
        show(_export_lines(done))


def _export_lines(done: Exported) -> list[str]:
    keys = f", {'with' if done.with_witness else 'without'} {done.keys}" if done.keys else ""
    lines = [
        f"{done.path}: {plural(done.rows, done.unit)} of a {done.kind} as {done.format}{keys}; {done.canary}",
        *done.notes,
    ]
    if done.beyond:
        lines.append(
            f"{plural(done.beyond, 'constraint has a group or mode', 'constraints have groups or modes')} that this "
            f"layout lacks: {'it is' if done.beyond == 1 else 'they are'} only in the field evolif, so other "
            "programs do not check "
            f"{'it' if done.beyond == 1 else 'them'}."
        )
    if done.withheld:
        lines.append(
            f"{plural(done.withheld, 'answer is', 'answers are')} left out because "
            f"{'it is one of the' if done.withheld == 1 else 'they are'} {done.keys}; include "
            f"{'it' if done.withheld == 1 else 'them'} with --with-witness."
        )
    if done.integrity is not None and done.integrity.edited:
        lines.append(f"The run was edited after it was written, and the rows show the edits: {done.integrity.named}.")
    if done.integrity is not None and done.integrity.not_sealed:
        lines.append(
            f"{plural(done.integrity.not_sealed, 'turn is', 'turns are')} not sealed, since an earlier version of "
            f"evolif stored {'it' if done.integrity.not_sealed == 1 else 'them'}; edits of "
            f"{'it' if done.integrity.not_sealed == 1 else 'them'} cannot be seen."
        )
    if done.pushed:
        lines.append(f"Uploaded to {done.pushed}")
    return lines


def import_(
    source: Annotated[
        Path,
        typer.Argument(
            metavar="SOURCE",
            help="A .jsonl, .parquet or .arrow file, a folder of them, a folder of dialogues in the unified schema, a "
            "file of your own conversations (MT-Bench, ShareGPT, OpenAI messages, Multi-IF), or a released file of "
            "NTM.",
        ),
    ],
    out: Annotated[Path, typer.Argument(metavar="OUT", help="The benchmark's folder; new or empty.")],
    benchmark: Annotated[
        str,
        typer.Option(
            envvar="EVOLIF_IMPORT_BENCHMARK",
            metavar="NAME",
            rich_help_panel=_DIALOGUES,
            help="The benchmark of UniDial-EvalKit that the dialogues are of, e.g. personamem: turns get its metrics.",
        ),
    ] = "",
    metric: Annotated[
        list[str] | None,
        typer.Option(
            metavar="CLASS[={…}]",
            rich_help_panel=_DIALOGUES,
            help="What scores turns that have no metric, with arguments as JSON; repeat the flag for more.",
        ),
    ] = None,
    sample: Annotated[
        int | None,
        typer.Option(
            envvar="EVOLIF_IMPORT_SAMPLE", min=1, metavar="N", rich_help_panel=_DIALOGUES, help="Take only N dialogues."
        ),
    ] = None,
    by: Annotated[
        str, typer.Option(metavar="LABEL", rich_help_panel=_DIALOGUES, help="Keep the mix of this label in a sample.")
    ] = "",
    seed: Annotated[int, typer.Option(min=0, rich_help_panel=_DIALOGUES, help="Seed of the sample.")] = 0,
    recursive: Annotated[
        bool, typer.Option("--recursive", rich_help_panel=_DIALOGUES, help="Read folders within the folder, too.")
    ] = False,
    as_json: JsonFlag = False,
    display: Display = "auto",
) -> None:
    """Import exported data, dialogues of your own or in the unified schema, or files of EvolIF or NTM as a benchmark.

    Reports how much of it can be satisfied, or scored. Sessions that were exported as unidial become a run again.
    """
    from evolif.cli.progress import choose, counting
    from evolif.exchange import import_benchmark
    from evolif.exchange.dialogs import ImportOptions, import_dialogs, is_dialogs, raise_no_dialogs
    from evolif.exchange.import_runs import exported_sessions, import_run
    from evolif.exchange.ntm_files import import_released
    from evolif.scenarios.shifts.importing import is_released

    options = ImportOptions(benchmark, tuple(metric or ()), sample, by, seed, recursive)
    sessions = [] if options.given else exported_sessions(source)
    if sessions:
        run = import_run(sessions, out)
        if as_json:
            show_json({**asdict(run), "path": str(run.path)})
        else:
            show(_run_lines(run))
        return
    if is_dialogs(source) or (options.recursive and source.is_dir()):
        made = import_dialogs(source, out, options)
        if as_json:
            show_json({**asdict(made), "path": str(made.path)})
        else:
            show(_dialog_lines(made))
        return
    if options.given:
        raise_no_dialogs(source, options)
    if is_released(source):
        released = import_released(source, out)
        if as_json:
            show_json({**asdict(released), "path": str(released.path)})
        else:
            show(_released_lines(released))
        return
    with counting(choose(display), "importing") as progress:
        done = import_benchmark(source, out, progress)
    if as_json:
        show_json({**asdict(done), "path": str(done.path), "ceiling": done.ceiling})
    else:
        show(_import_lines(done))


def _run_lines(run: ImportedRun) -> list[str]:
    lines = [
        f"{run.path}: a run with {plural(run.sessions, 'session')} of {', '.join(run.models)}, "
        f"{plural(run.turns, 'answered turn')}"
    ]
    if run.withheld:
        lines.append(
            f"{plural(run.withheld, 'answer is', 'answers are')} not in it: "
            f"{'it is a witness' if run.withheld == 1 else 'they are witnesses'}, and the export left "
            f"{'it' if run.withheld == 1 else 'them'} out."
        )
    return [*lines, f"Next: evolif report {run.path}"]


def _dialog_lines(made: ImportedDialogs) -> list[str]:
    named = f" of {made.benchmark_id}" if made.benchmark_id else ""
    metrics = ", ".join(f"{name} {number}" for name, number in made.metrics.items()) or "none"
    lines = [
        f"{made.path}: {plural(made.dialogues, 'dialogue')}{named}, "
        f"{plural(made.evaluated_turns, 'evaluated turn')}, scenario recorded",
        f"Metric entries: {metrics}",
        *(clip(notice, _LONGEST) for notice in made.notices[:_NOTICES]),
    ]
    if len(made.notices) > _NOTICES:
        lines.append(f"… and {len(made.notices) - _NOTICES} more notices; --json lists all of them")
    for kind, number in made.unscorable.items():
        what = f"{plural(number, 'entry', 'entries')} cannot be scored, whatever the answer ({kind})"
        first = made.reasons.get(kind, "").partition("; ")[2]
        lines.append(f"{what}: {clip(first, _LONGEST)}. Reports count {'it' if number == 1 else 'them'} as failed.")
    if made.unscored_turns:
        lines.append(_unscored_line(made))
        flag = " --unscored"
    else:
        flag = ""
    judge = " --judge openai/JUDGE" if made.metrics.get("llm_judge") else ""
    return [*lines, f"Next: evolif evaluate {made.path} --model local/smollm2-135m{judge} --out RUN{flag}"]


def _unscored_line(made: ImportedDialogs) -> str:
    mend = (
        f"import again with --benchmark {made.benchmark}, which brings its metrics"
        if made.benchmark
        else "import again with --metric NAME, such as --metric llm_judge, or with --benchmark NAME if it is known"
    )
    turns = plural(made.unscored_turns, "evaluated turn has", "evaluated turns have")
    cost = "it costs money and scores" if made.unscored_turns == 1 else "they cost money and score"
    return f"{turns} no metric: {cost} nothing; {mend}."


def _released_lines(made: ImportedReleased) -> list[str]:
    twice = f", {made.duplicates} of them duplicates" if made.duplicates else ""
    bare = f", {plural(made.without_goals, 'dialogue has', 'dialogues have')} none" if made.without_goals else ""
    lines = [
        f"{made.path}: {plural(made.dialogues, 'dialogue')}{twice}, {plural(made.user_turns, 'turn')}, scenario shifts",
        f"{made.goals} goals, each decided by a judge{bare}",
    ]
    if made.left_out:
        lines.append(f"{len(made.left_out)} goals do not count, since nobody states them in the dialogue:")
        lines += [
            f"  {clip(name, _LONGEST)} ({number}): {clip(goal, _LONGEST)}"
            for name, number, goal in made.left_out[:_SHOWN]
        ]
        if len(made.left_out) > _SHOWN:
            lines.append(f"  … and {len(made.left_out) - _SHOWN} more; --json lists all of them")
        lines.append(
            "To have them count: evolif generate BENCH --scenario shifts --set source=FILE --set unstated=keep"
        )
    return [*lines, f"Next: evolif evaluate {made.path} --model openai/NAME --judge openai/JUDGE --out RUN"]


def _import_lines(done: ImportResult) -> list[str]:
    counts = ", ".join(f"{status} {number}" for status, number in done.status.items())
    lines = [
        f"{done.path}: {plural(done.turns, 'turn')} in {plural(done.dialogues, 'dialogue')}, from {done.format}",
        f"Can their rule-checked constraints be satisfied? {counts}; {100 * done.ceiling:.1f} % have a witness.",
    ]
    if done.changes["several"] or done.changes["none"]:
        lines.append(
            f"In {plural(done.changes['several'], 'turn')} several constraints change, in "
            f"{done.changes['none']} none; the "
            "operation of such a turn shows only the first change."
        )
    if not done.extendable:
        lines.append("The benchmark has no script: sessions end where its dialogues end.")
    return lines


def contamination(
    corpus: Annotated[
        list[Path],
        typer.Argument(
            metavar="FILE...",
            help="Text, JSONL or Parquet files, also compressed (gz, bz2, xz, zst), or folders; - for standard input.",
        ),
    ],
    benchmark: Annotated[Path, typer.Option("--benchmark", "-b", metavar="BENCH", help="The benchmark to search for.")],
    words: Annotated[int, typer.Option(min=1, help="This many words of a query in a row are a finding, too.")] = 13,
    as_json: JsonFlag = False,
    display: Display = "auto",
) -> None:
    """Search a text corpus for a benchmark's queries and its canary. Exit code 1 on a finding."""
    from evolif.cli.progress import choose
    from evolif.exchange import contamination as search

    with _reading(choose(display)) as progress:
        result = search(corpus, benchmark, words=words, progress=progress)
    for file, reason in result.unread:
        say(f"not searched: {file}: {reason}")
    if as_json:
        show_json(result.to_object())
    else:
        show(_contamination_lines(result))
    if result.findings or any(one.found for one in result.shared):
        raise typer.Exit(1)


def _contamination_lines(result: Contamination) -> list[str]:
    lines = []
    for found in result.findings[:_SHOWN]:
        what = "the canary" if found.kind == "canary" else "dialogue {}, turn {}".format(*found.turns[0])
        if len(found.turns) > 1:
            what += f" and {len(found.turns) - 1} more with the same words"
        share = "in full" if found.kind != "part" else f"{100 * found.share:.0f} % of the query"
        place = found.places[0]
        more = f", {found.occurrences} times" if found.occurrences > 1 else ""
        lines.append(f"{place.file}, line {place.line} (byte {place.offset}): {what}, {share}{more}")
    if len(result.findings) > _SHOWN:
        lines.append(f"… and {len(result.findings) - _SHOWN} more; --json lists all of them")
    parts = sum(found.kind == "part" for found in result.findings)
    lines.append(
        f"{result.turns_found} of {plural(result.turns, 'query', 'queries')} "
        f"{'occurs' if result.turns_found == 1 else 'occur'} in full in {plural(result.files, 'file')} "
        f"({result.bytes / 1e6:.1f} MB of text), and parts of {parts} more"
    )
    if result.too_short:
        lines.append(
            f"{plural(result.too_short, 'query is', 'queries are')} too short to be evidence and "
            f"{'was' if result.too_short == 1 else 'were'} not searched for."
        )
    return [*lines, *(line for one in result.shared for line in one.lines())]


class _Progress(Protocol):
    def __call__(self, file: str, read: int, /) -> None: ...


@contextmanager
def _reading(display: str) -> Iterator[_Progress | None]:
    """Show how much has been read; the total is unknown."""
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
