"""Export a benchmark or a run to a file, a folder or a dataset hub."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

from evolif._version import __version__
from evolif.benchmark import HEADER, BenchmarkFolder, open_benchmark
from evolif.errors import OutsideError, UsageError
from evolif.exchange.authors import DIALOGS, FILE_NAMES, STATES, layout_rows
from evolif.exchange.hub import Hub
from evolif.exchange.released import NTM, export_released
from evolif.exchange.results import UNIDIAL, model_results
from evolif.exchange.rows import (
    FIELD,
    Row,
    benchmark_rows,
    canary_of,
    dump,
    extension,
    folder_rows,
    run_rows,
    shared_fields,
)
from evolif.exchange.tables import batches, schema_of, schema_of_rows, write_csv, write_parquet
from evolif.instructions import Benchmark
from evolif.mends import did_you_mean
from evolif.resources import data_path
from evolif.runner import Integrity, Run, RunStore, load_run
from evolif.scenario import INSTRUCTIONS, answer_keys, get_scenario
from evolif.text import plural
from evolif.unidial import write_results
from evolif.workshop import workshop

JSONL, CSV, PARQUET, DATASETS = "jsonl", "csv", "parquet", "datasets"
INSPECT = "inspect"
FORMATS = (JSONL, CSV, PARQUET, DATASETS, STATES, DIALOGS, UNIDIAL, INSPECT, NTM)
_SUFFIXES = {".jsonl": JSONL, ".csv": CSV, ".parquet": PARQUET}


@dataclass(frozen=True, slots=True)
class Exported:
    """What an export wrote."""

    path: Path
    format: str
    kind: str
    """`benchmark` or `run`."""
    rows: int
    canary: str
    with_witness: bool
    beyond: int = 0
    """Constraints that the authors' layout cannot express; only the field `evolif` holds them."""
    withheld: int = 0
    """Answers of a run that are left out because they contain a witness."""
    pushed: str | None = None
    """The address of the upload."""
    keys: str = ""
    """What the scenario calls its answer keys; empty if it has none."""
    integrity: Integrity | None = None
    """Whether the run's turns are as they were written; None for a benchmark."""


def export(
    path: Path | str,
    out: Path | str,
    *,
    format: str | None = None,
    with_witness: bool = False,
    licence: str | None = None,
    push: str | None = None,
    public: bool = False,
    notify: Callable[[str], None] | None = None,
) -> Exported:
    """Export a benchmark or a run.

    Args:
        path: The directory of a benchmark or of a run; it is only read.
        out: A new file (`jsonl`, `csv`, `parquet`), or a folder that is new or empty.
        format: One of `FORMATS`; None takes it from the suffix of `out`.
        with_witness: Include the answer key.
        licence: For the card, an identifier such as `cc-by-4.0`.
        push: A repository `user/name` on the hub, for `parquet` and `datasets`; the token is read from HF_TOKEN.
        public: Whether a newly created repository is public.
        notify: Receives a sentence when part of the benchmark was repaired.

    Raises:
        UsageError: there is nothing to export, `out` already exists, or the format does not fit.
        OutsideError: the disk or the hub failed.
    """
    target = Path(out)
    chosen = _format(format, target)
    if push is not None and chosen not in (PARQUET, DATASETS):
        raise UsageError(f"--push uploads {PARQUET} and {DATASETS}, not {chosen}; choose one of these formats")
    hub = Hub(push, public=public) if push is not None else None
    with _open(Path(path), notify) as content:
        source = _Source(content, with_witness, licence)
        if chosen == UNIDIAL:
            return _export_results(source, target)
        if chosen == INSPECT:
            return _export_logs(source, target)
        if chosen == NTM:
            return _export_released(source, target)
        if chosen in (STATES, DIALOGS):
            return _export_layout(source, target, chosen)
        return _export_table(source, target, chosen, hub)


def _format(name: str | None, out: Path) -> str:
    chosen = name or _SUFFIXES.get(out.suffix)
    if chosen is None:
        raise UsageError(f"cannot infer the format from {out}; choose one with --format: {', '.join(FORMATS)}")
    if chosen not in FORMATS:
        raise UsageError(f"unknown format {chosen}{did_you_mean(chosen, FORMATS)}; use {', '.join(FORMATS)}")
    return chosen


@contextmanager
def _open(path: Path, notify: Callable[[str], None] | None) -> Iterator[_Content]:
    if (path / HEADER).is_file():
        opened = open_benchmark(path, notify)
        if not isinstance(opened, (Benchmark, BenchmarkFolder)):
            raise UsageError(
                f"{path}: benchmarks of the scenario {opened.scenario} cannot be exported; export its runs"
            )
        yield opened
        return
    if not (path.is_dir() and RunStore.begun(path, read_only=True)):
        raise UsageError(f"{path} is neither a benchmark nor a run; use a folder that evolif generate or evaluate made")
    with closing(load_run(path, read_only=True)) as run:
        yield run


_Content: TypeAlias = Benchmark | BenchmarkFolder | Run


class _Source:
    """The rows of a benchmark or a run, and their description."""

    def __init__(self, content: _Content, with_witness: bool, licence: str | None) -> None:
        self.content = content
        self.with_witness = with_witness
        self.kind = "run" if isinstance(content, Run) else "benchmark"
        self.identity = content.settings.benchmark if isinstance(content, Run) else content.identity
        self.scenario = content.settings.scenario if isinstance(content, Run) else content.scenario
        self.canary = canary_of(self.identity)
        self.count = self.withheld = 0
        self._licence = licence

    def rows(self) -> Iterator[Row]:
        """The rows, counted as they are read."""
        self.count = self.withheld = 0
        for row in self._rows():
            self.count += 1
            self.withheld += bool(row.get("withheld"))
            yield row

    def _rows(self) -> Iterator[Row]:
        content = self.content
        if isinstance(content, Run):
            return run_rows(content, with_witness=self.with_witness)
        if isinstance(content, Benchmark):
            return benchmark_rows(content, with_witness=self.with_witness)
        return folder_rows(content, with_witness=self.with_witness)

    def schema(self) -> Any:
        """The Arrow schema of the rows."""
        metadata = {"evolif.canary": self.canary, "evolif.kind": self.kind, "evolif.identity": self.identity}
        if self.scenario != INSTRUCTIONS:
            return schema_of_rows(self.kind, self._rows(), metadata)
        return schema_of(self.kind, self._rows(), with_witness=self.with_witness, metadata=metadata)

    def describe(self) -> _Description:
        """What the card says about the content."""
        content = self.content
        if isinstance(content, Benchmark):
            described = _describe_benchmark(content, self.with_witness)
        elif isinstance(content, BenchmarkFolder):
            described = _describe_folder(content, self.with_witness)
        else:
            described = _describe_run(content, self.with_witness)
        return described._replace(licence=self._licence or described.licence)

    def exported(self, path: Path, format: str, *, beyond: int = 0, pushed: str | None = None) -> Exported:
        """The result of the export."""
        keys = answer_keys(get_scenario(self.scenario))
        integrity = self.content.integrity() if isinstance(self.content, Run) else None
        counts = (self.count, self.canary, self.with_witness, beyond, self.withheld)
        return Exported(path, format, self.kind, *counts, pushed, keys, integrity)


def _key_fact(scenario: str, with_witness: bool) -> dict[str, bool]:
    """Whether an export has answer keys, for the front matter."""
    keys = answer_keys(get_scenario(scenario))
    return {keys: with_witness} if keys else {}


def _export_table(source: _Source, out: Path, format: str, hub: Hub | None) -> Exported:
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
                write_parquet(file, source.rows(), source.schema())
    pushed = _push(source, hub, out if format == PARQUET else None) if hub is not None else None
    return source.exported(out, format, pushed=pushed)


def _save_dataset(source: _Source, folder: Path) -> None:
    schema = source.schema()
    try:
        import datasets
        import pyarrow
    except ImportError:
        raise UsageError("the format datasets needs the datasets library; install evolif[datasets]") from None
    table = pyarrow.Table.from_batches(batches(source.rows(), schema), schema=schema)
    about = source.describe()
    info = datasets.DatasetInfo(description=f"{about.title}. {source.canary}", license=about.licence)
    progress_bar = datasets.utils.logging.is_progress_bar_enabled()
    datasets.utils.logging.disable_progress_bar()
    try:
        datasets.Dataset(table.replace_schema_metadata(None), info=info).save_to_disk(str(folder))
    finally:
        if progress_bar:
            datasets.utils.logging.enable_progress_bar()
    (folder / "README.md").write_text(_card(source, schema.names, hub=False), encoding="utf-8")


def _push(source: _Source, hub: Hub, parquet: Path | None) -> str:
    with tempfile.TemporaryDirectory(prefix="evolif-") as folder:
        schema = source.schema()
        file = parquet or Path(folder) / "data.parquet"
        if parquet is None:
            write_parquet(file, source.rows(), schema)
        card = _card(source, schema.names, hub=True)
        files: dict[str, Path | bytes] = {PARQUET_IN_REPO: file, "README.md": card.encode("utf-8")}
        return hub.push(files, f"Upload {plural(source.count, 'turn')} of {source.kind} {source.identity}")


def _export_layout(source: _Source, out: Path, layout: str) -> Exported:
    """Write a benchmark in one of the authors' layouts, one file per dialogue."""
    benchmark = source.content
    if isinstance(benchmark, BenchmarkFolder):
        raise UsageError(
            f"the format {layout} is only for benchmarks of instruction following; export this one as {JSONL}, "
            f"{PARQUET} or {DATASETS}"
        )
    if isinstance(benchmark, Run):
        raise UsageError(
            f"the format {layout} is only for benchmarks; export a run as {JSONL}, {PARQUET} or {DATASETS}"
        )
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


def _export_results(source: _Source, out: Path) -> Exported:
    """Write a run in the dialogue schema, a folder for each model."""
    run = source.content
    if not isinstance(run, Run):
        raise UsageError(
            f"the format {UNIDIAL} is only for runs; export a benchmark as {JSONL}, {PARQUET} or {DATASETS}"
        )
    with new_path(out, is_folder=True) as folder:
        for name, results in model_results(run, with_witness=source.with_witness):
            source.count += results.answers
            source.withheld += results.withheld
            write_results(folder / name, results.dialogs, results.records)
    return source.exported(out, UNIDIAL)


def _export_logs(source: _Source, out: Path) -> Exported:
    """Write a run as logs of Inspect, one for each model."""
    run = source.content
    if not isinstance(run, Run):
        raise UsageError(
            f"the format {INSPECT} is only for runs; have Inspect play a benchmark: inspect eval "
            f"evolif/{source.scenario} -T bench=BENCH"
        )
    write_logs = import_module("evolif.inspect.logs").write_logs  # it needs the report, so it is found by name
    with new_path(out, is_folder=True) as folder:
        written = write_logs(run, folder, with_witness=source.with_witness)
        source.count, source.withheld = written.turns, written.withheld
    return source.exported(out, INSPECT)


def _export_released(source: _Source, out: Path) -> Exported:
    """Write a benchmark of dialogues whose topic shifts in NTM's layout, which has the goals in it."""
    if not source.with_witness:
        raise UsageError(f"the format {NTM} holds the goals of the dialogues, an answer key; add --with-witness")
    with new_path(out, is_folder=False) as file:
        source.count = export_released(source.content, file, source.canary)
    return source.exported(out, NTM)


def _write_lines(path: Path, rows: Iterable[Row]) -> None:
    with path.open("w", encoding="utf-8", newline="\n") as file:
        file.writelines(f"{dump(row)}\n" for row in rows)


@contextmanager
def new_path(path: Path, *, is_folder: bool) -> Iterator[Path]:
    """A temporary file or folder to fill, which becomes `path` once it is complete.

    Raises:
        UsageError: `path` exists, other than as an empty folder when a folder is requested.
        OutsideError: the disk failed.
    """
    if path.exists() and not (is_folder and path.is_dir() and not any(path.iterdir())):
        raise UsageError(f"{path} already exists; choose another {'folder' if is_folder else 'name'}")
    try:
        with workshop(path) as folder:
            part = folder / path.name
            if is_folder:
                part.mkdir()
            yield part
            if path.exists() and is_folder:
                path.rmdir()
            os.replace(part, path)
    except OSError as fault:
        raise OutsideError(f"{path} cannot be written ({fault.strerror or fault})") from None


_SIZES = ((1_000, "n<1K"), (10_000, "1K<n<10K"), (100_000, "10K<n<100K"), (1_000_000, "100K<n<1M"))
PARQUET_IN_REPO = "data/test-00000-of-00001.parquet"

_LEADERBOARD = (
    "Results on it are **not comparable with the leaderboard of the EvolIF paper** (arXiv 2511.03508), nor with those "
    "on another benchmark of this kind: the dialogues, the checkers and the judge differ. Compare models on the same "
    "benchmark, with the same patience, cap and judge."
)


class _Description(NamedTuple):
    """What a card says about a benchmark or a run."""

    title: str
    licence: str
    facts: dict[str, Any]
    """For the front matter."""
    origin: str
    """How the data was made, in sentences."""
    tags: tuple[str, ...] = ("instruction-following",)
    warning: str = f"\n{_LEADERBOARD}\n"
    closing: str = (
        "Parameters of constraints are structs: a field that a constraint does not have is null. `evolif import` turns "
        "the data back\ninto a benchmark, using the field `evolif`."
    )


def _card(source: _Source, columns: Sequence[str], *, hub: bool) -> str:
    """The card: `README.md` with YAML front matter, as dataset hubs read it; call it once the rows are counted.

    Args:
        source: What was exported.
        columns: Names of the columns.
        hub: Whether the card accompanies a Parquet file on a hub; it then says where that file is.
    """
    import yaml

    about = source.describe()
    head: dict[str, Any] = {
        "license": about.licence,
        "pretty_name": about.title,
        "size_categories": [next((name for most, name in _SIZES if source.count < most), "n>1M")],
        "task_categories": ["text-generation"],
        "tags": ["evolif", "multi-turn", *about.tags],
    }
    if hub:
        files = [{"split": "test", "path": PARQUET_IN_REPO}]
        head["configs"] = [{"config_name": "default", "data_files": files}]
    head["evolif"] = {**about.facts, "rows": source.count, "canary": source.canary}
    front_matter = yaml.safe_dump(head, sort_keys=False, allow_unicode=True, width=1000)
    listed = "\n".join(f"- `{name}`" for name in columns)
    return f"""---
{front_matter}---

# {about.title}

{about.origin}
{about.warning}
**Please keep it out of training data.** Every row carries the string below; whoever finds it in a corpus, or a model
that can complete it, knows that the model may have been trained on it.

    {source.canary}

One row per turn. Columns:

{listed}

{about.closing} Written by evolif {__version__}.
"""


def _describe_benchmark(benchmark: Benchmark, with_witness: bool) -> _Description:
    header, spec = benchmark.header, benchmark.header.spec
    dialogues = len(benchmark.dialogues())
    facts: dict[str, Any] = {
        "kind": "benchmark",
        "identity": benchmark.identity,
        "dialogues": dialogues,
        "profile": spec.profile.name,
        "witnesses": with_witness,
        "reading_rules": header.reading_rules,
    }
    if header.imported is None:
        facts |= {"seed": spec.seed, "synthesizers": list(spec.synthesizers), "generator": f"evolif {header.generator}"}
        origin = (
            f"A multi-turn instruction-following benchmark of {plural(dialogues, 'dialogue')}, made by evolif "
            f"{_code(header.generator)} with the profile {_code(spec.profile.name)} and the seed {spec.seed}: scripts "
            "drawn by a state machine over topics, constraints and operations, each turn with a text that proves that "
            f"it can be satisfied, worded by {', '.join(_code(name) for name in spec.synthesizers)}."
        )
    else:
        facts["imported"] = header.imported.format
        origin = (
            f"{dialogues} multi-turn instruction-following dialogues, imported from files in the format "
            f"{_code(header.imported.format)}; they were made by others, and some turns may be unsatisfiable."
        )
    origin += f" It comes {'with' if with_witness else 'without'} the witnesses, which are an answer key."
    return _Description(f"EvolIF benchmark {benchmark.identity}", _licence(benchmark), facts, origin)


def _licence(benchmark: Benchmark) -> str:
    """The licence of the project's own data, if the benchmark contains nothing else."""
    packaged = {"topics.jsonl": ("seeds", "topics.jsonl"), "personas.jsonl": ("personas", "personas.jsonl")}
    own = all(
        (benchmark.path / name).read_bytes() == data_path(*parts).read_bytes() for name, parts in packaged.items()
    )
    return "cc-by-4.0" if own and set(benchmark.header.spec.synthesizers) == {"template"} else "other"


def _describe_folder(folder: BenchmarkFolder, with_witness: bool) -> _Description:
    dialogues = len(folder.dialogues())
    facts = {
        "kind": "benchmark",
        "scenario": folder.scenario,
        "identity": folder.identity,
        "dialogues": dialogues,
        **_key_fact(folder.scenario, with_witness),
    }
    origin = (
        f"{plural(dialogues, 'dialogue')} of the scenario {_code(folder.scenario)}, one row per line of their files."
    )
    return _of_any_scenario(f"Benchmark {folder.identity} of {folder.scenario}", facts, origin)


def _of_any_scenario(title: str, facts: dict[str, Any], origin: str) -> _Description:
    closing = "Columns whose shape varies are JSON text. `evolif import` does not read this data."
    return _Description(title, "other", facts, origin, (), "", closing)


def _describe_run(run: Run, with_witness: bool) -> _Description:
    settings = run.settings
    if settings.scenario != INSTRUCTIONS:
        return _describe_other_run(run, with_witness)
    facts = {
        "kind": "run",
        "benchmark": settings.benchmark,
        "profile": settings.profile,
        "models": list(settings.models),
        "judge": settings.judge,
        "patience": settings.patience,
        "max_turns": settings.max_turns,
        "witnesses": with_witness,
    }
    origin = (
        f"Transcripts of {', '.join(_code(name) for name in settings.models)} on the benchmark "
        f"{_code(settings.benchmark)} (profile {_code(settings.profile)}): the queries, answers and verdicts, turn "
        f"by turn, with patience {settings.patience}, at most {settings.cap} and the judge "
        f"{_code(settings.judge)}. The answers are subject to the terms of the models' providers."
    )
    return _Description(f"EvolIF transcripts on {settings.benchmark}", "other", facts, origin)


def _describe_other_run(run: Run, with_witness: bool) -> _Description:
    settings = run.settings
    optional = {"patience": settings.patience, "partner": settings.partner, "options": dict(settings.options)}
    facts = {
        "kind": "run",
        "scenario": settings.scenario,
        "benchmark": settings.benchmark,
        "models": list(settings.models),
        "judge": settings.judge,
        "max_turns": settings.max_turns,
        **{name: value for name, value in optional.items() if value},
        **_key_fact(settings.scenario, with_witness),
    }
    origin = (
        f"Transcripts of {', '.join(_code(name) for name in settings.models)} in the scenario "
        f"{_code(settings.scenario)} on the benchmark {_code(settings.benchmark)}: prompts, answers, verdicts and "
        f"scores, turn by turn, with at most {settings.cap} and the judge {_code(settings.judge)}. The "
        "answers are subject to the terms of the models' providers."
    )
    return _of_any_scenario(f"Transcripts of {settings.scenario} on {settings.benchmark}", facts, origin)


def _code(text: str) -> str:
    """Untrusted text as inline Markdown code."""
    return f"`{' '.join(text.replace('`', ' ').split())[:200]}`"
