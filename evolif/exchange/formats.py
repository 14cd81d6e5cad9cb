"""The formats of `evolif export`: a table of exporters, which other parts of the package may add to.

A new format is a function that writes an `ExportSource` to a path, and a row made with `register_exporter` in a module
that an entry point of the group `evolif.exporters` names.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TypeAlias

from evolif.benchmark import BenchmarkFolder
from evolif.errors import UsageError
from evolif.exchange.authors import DIALOGS, FILE_NAMES, STATES, layout_rows
from evolif.exchange.export_source import PARQUET_IN_REPO, Exported, ExportSource, card
from evolif.exchange.hub import Hub
from evolif.exchange.messages import MESSAGES, NO_WITNESSES, write_messages
from evolif.exchange.ntm_files import NTM, export_released
from evolif.exchange.preferences import PREFERENCES, write_preferences
from evolif.exchange.results import UNIDIAL, model_results
from evolif.exchange.rows import FIELD, Row, dump, extension, shared_fields
from evolif.exchange.tables import write_csv, write_parquet
from evolif.runner import Run
from evolif.scenarios.recorded.results import write_results
from evolif.text import plural
from evolif.util.files import new_path
from evolif.util.suggestions import did_you_mean

ENTRY_POINTS = "evolif.exporters"
JSONL, CSV, PARQUET, DATASETS = "jsonl", "csv", "parquet", "datasets"
Write: TypeAlias = Callable[[ExportSource, Path, Hub | None], Exported]
"""Writes a source to a new path, and uploads it where a hub is given."""


@dataclass(frozen=True, slots=True)
class Exporter:
    """One format of `evolif export`.

    Example:
        >>> EXPORTERS["csv"].suffix
        '.csv'
    """

    name: str
    """What `--format` is given."""
    write: Write
    suffix: str = ""
    """The suffix of a file that has this format unless `--format` says otherwise."""
    for_runs: bool = True
    for_benchmarks: bool = True
    pushed: bool = False
    """Whether `--push` uploads it."""
    trains: bool = False
    """Whether it makes training data, as `TrainingOptions` say."""
    instead: str = f"export {{what}} as {JSONL}, {PARQUET} or {DATASETS}"
    """What to do with a benchmark or a run that it is not for; may contain `{what}` and `{scenario}`."""

    def check(self, source: ExportSource) -> None:
        """Refuse what the format is not for.

        Raises:
            UsageError: a run of a format for benchmarks, or the reverse.
        """
        is_run = isinstance(source.content, Run)
        if self.for_runs if is_run else self.for_benchmarks:
            return
        of, what = ("benchmarks", "a run") if is_run else ("runs", "a benchmark")
        instead = self.instead.format(what=what, scenario=source.scenario)
        raise UsageError(f"the format {self.name} is only for {of}; {instead}")


EXPORTERS: dict[str, Exporter] = {}
"""All formats by name, in the order in which messages list them."""


def register_exporter(exporter: Exporter) -> None:
    """Add a format.

    Raises:
        ValueError: there is another one of this name or suffix.
    """
    suffixes = {one.suffix for one in EXPORTERS.values() if one.suffix}
    if exporter.name in EXPORTERS or exporter.suffix in suffixes:
        raise ValueError(f"there is already an exporter for {exporter.name}{exporter.suffix}")
    EXPORTERS[exporter.name] = exporter


@cache
def _add_installed() -> None:
    """Import the modules that add formats."""
    from importlib.metadata import entry_points

    for point in entry_points(group=ENTRY_POINTS):
        point.load()


def find_exporter(name: str | None, out: Path) -> Exporter:
    """The exporter of a format, or else of the suffix of a file.

    Raises:
        UsageError: neither is known.
    """
    _add_installed()
    names = ", ".join(EXPORTERS)
    chosen = name or next((one.name for one in EXPORTERS.values() if one.suffix == out.suffix != ""), None)
    if chosen is None:
        raise UsageError(f"cannot infer the format from {out}; choose one with --format: {names}")
    if chosen not in EXPORTERS:
        raise UsageError(f"unknown format {chosen}{did_you_mean(chosen, EXPORTERS)}; use {names}")
    return EXPORTERS[chosen]


def _write_table(source: ExportSource, out: Path, format: str, hub: Hub | None) -> Exported:
    if format == DATASETS:
        with new_path(out, is_folder=True) as folder:
            _save_dataset(source, folder)
    else:
        out = out / f"{source.kind}.{format}" if out.is_dir() else out
        with new_path(out, is_folder=False) as file:
            if format == JSONL:
                _write_lines(file, source.rows())
            elif format == CSV:
                write_csv(file, source.rows)
            else:
                schema = source.schema()
                write_parquet(file, source.batches(schema), schema)
    pushed = _push(source, hub, out if format == PARQUET else None) if hub is not None else None
    return source.exported(out, format, pushed=pushed)


def _save_dataset(source: ExportSource, folder: Path) -> None:
    schema = source.schema()
    try:
        import datasets
        import pyarrow
    except ImportError:
        raise UsageError("the format datasets needs the datasets library; install evolif[datasets]") from None
    table = pyarrow.Table.from_batches(source.batches(schema), schema=schema)
    about = source.describe()
    info = datasets.DatasetInfo(description=f"{about.title}. {source.canary}", license=about.licence)
    progress_bar = datasets.utils.logging.is_progress_bar_enabled()
    datasets.utils.logging.disable_progress_bar()
    try:
        datasets.Dataset(table.replace_schema_metadata(None), info=info).save_to_disk(str(folder))
    finally:
        if progress_bar:
            datasets.utils.logging.enable_progress_bar()
    (folder / "README.md").write_text(card(source, schema.names, hub=False), encoding="utf-8")


def _push(source: ExportSource, hub: Hub, parquet: Path | None) -> str:
    with tempfile.TemporaryDirectory(prefix="evolif-") as folder:
        schema = source.schema()
        file = parquet or Path(folder) / "data.parquet"
        if parquet is None:
            write_parquet(file, source.batches(schema), schema)
        text = card(source, schema.names, hub=True)
        files: dict[str, Path | bytes] = {PARQUET_IN_REPO: file, "README.md": text.encode("utf-8")}
        return hub.push(files, f"Upload {plural(source.count, 'turn')} of {source.kind} {source.identity}")


def _write_layout(source: ExportSource, out: Path, layout: str) -> Exported:
    """Write a benchmark in one of the authors' layouts, one file per dialogue."""
    benchmark = source.content
    if isinstance(benchmark, BenchmarkFolder):
        raise UsageError(
            f"the format {layout} is only for benchmarks of instruction following; export this one as {JSONL}, "
            f"{PARQUET} or {DATASETS}"
        )
    assert not isinstance(benchmark, Run), "the exporter has checked it"
    numbers = {topic.id: number for number, topic in enumerate(benchmark.topics, 1)}
    shared: Row | None = shared_fields(benchmark)
    beyond = 0
    with new_path(out, is_folder=True) as folder:
        for dialogue in benchmark.dialogues():
            turns = benchmark.turns(dialogue)
            for turn in turns:
                numbers.setdefault(turn.topic.id, len(numbers) + 1)
            layout_lines, differences, inexpressible = layout_rows(turns, layout, numbers)
            beyond += inexpressible
            rows = []
            for turn, row, line in zip(turns, layout_lines, differences, strict=True):
                if source.with_witness:
                    line["witness"] = turn.witness
                field = extension(line={"dialogue": dialogue, **line}, benchmark=shared)
                rows.append({"canary": source.canary, **row, FIELD: field})
                shared = None
            source.count += len(rows)
            _write_lines(folder / f"{FILE_NAMES[layout]}_{dialogue}.jsonl", rows)
    return source.exported(out, layout, beyond=beyond)


def _write_results(source: ExportSource, out: Path, hub: Hub | None) -> Exported:
    """Write a run in the dialogue schema, a folder for each model."""
    run = source.content
    assert isinstance(run, Run), "the exporter has checked it"
    with new_path(out, is_folder=True) as folder:
        for name, results in model_results(run, with_witness=source.with_witness):
            source.count += results.answers
            source.withheld += results.withheld
            write_results(folder / name, results.dialogs, results.records)
    return source.exported(out, UNIDIAL)


def _write_released(source: ExportSource, out: Path, hub: Hub | None) -> Exported:
    """Write a benchmark of dialogues whose topic shifts in NTM's layout, which has the goals in it."""
    if not source.with_witness:
        raise UsageError(f"the format {NTM} holds the goals of the dialogues, an answer key; add --with-witness")
    with new_path(out, is_folder=False) as file:
        source.count = export_released(source.content, file, source.canary)
    return source.exported(out, NTM)


def _write_lines(path: Path, rows: Iterable[Row]) -> None:
    # Earlier versions stored half a surrogate pair as an escape, which no file can hold.
    with path.open("w", encoding="utf-8", errors="replace", newline="\n") as file:
        file.writelines(f"{dump(row)}\n" for row in rows)


def _table_writer(format: str) -> Write:
    return lambda source, out, hub: _write_table(source, out, format, hub)


def _layout_writer(layout: str) -> Write:
    return lambda source, out, hub: _write_layout(source, out, layout)


for _exporter in (
    Exporter(JSONL, _table_writer(JSONL), ".jsonl"),
    Exporter(CSV, _table_writer(CSV), ".csv"),
    Exporter(PARQUET, _table_writer(PARQUET), ".parquet", pushed=True),
    Exporter(DATASETS, _table_writer(DATASETS), pushed=True),
    Exporter(STATES, _layout_writer(STATES), for_runs=False),
    Exporter(DIALOGS, _layout_writer(DIALOGS), for_runs=False),
    Exporter(UNIDIAL, _write_results, for_benchmarks=False),
    Exporter(NTM, _write_released),
    Exporter(MESSAGES, write_messages, for_benchmarks=False, trains=True, instead=f"{NO_WITNESSES}; export a run"),
    Exporter(
        PREFERENCES, write_preferences, for_benchmarks=False, trains=True, instead=f"{NO_WITNESSES}; export a run"
    ),
):
    register_exporter(_exporter)
