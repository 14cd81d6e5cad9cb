"""Export a benchmark or a run into a file or a folder that other programs read."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from evolif._errors import OutsideError, UsageError
from evolif.benchmark import Benchmark
from evolif.exchange._arrow import batches, schema_of, write_parquet
from evolif.exchange._authors import DIALOGS, FILE_NAMES, STATES, layout_rows
from evolif.exchange._canary import canary_of
from evolif.exchange._card import PARQUET_IN_REPO, Card, benchmark_card, run_card
from evolif.exchange._extension import FIELD, whole_of
from evolif.exchange._hub import Hub
from evolif.exchange._rows import Row, benchmark_rows, dump, extension, run_rows
from evolif.protocol import Run, RunStore, load_run

JSONL, PARQUET, DATASETS = "jsonl", "parquet", "datasets"
FORMATS = (JSONL, PARQUET, DATASETS, STATES, DIALOGS)
_SUFFIXES = {".jsonl": JSONL, ".parquet": PARQUET}


@dataclass(frozen=True, slots=True)
class Exported:
    """What was written."""

    path: Path
    format: str
    kind: str
    """`benchmark` or `run`."""
    rows: int
    canary: str
    with_witness: bool
    beyond: int = 0
    """Constraints that the layout has no words for; they travel in the field `evolif` alone."""
    withheld: int = 0
    """Answers of a run that are left out because they are the witness."""
    pushed: str | None = None
    """Where it was uploaded to."""


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
        path: The directory of a benchmark or of a run; only read.
        out: A file (`jsonl`, `parquet`) or a folder, which must not be there yet, or be empty.
        format: One of `FORMATS`; told by the ending of `out` where None.
        with_witness: Put the answer key in.
        licence: For the card, an identifier such as `cc-by-4.0`.
        push: A repository `user/name` on the hub, for `parquet` and `datasets`; the token is read from HF_TOKEN.
        public: Whether a repository that is made is open to everybody.
        notify: Told in one sentence when something of the benchmark was repaired.

    Raises:
        UsageError: nothing to export, `out` is taken, a format that does not fit.
        OutsideError: the disk or the hub.
    """
    source, target = Path(path), Path(out)
    chosen = _format(format, target)
    if push is not None and chosen not in (PARQUET, DATASETS):
        raise UsageError(f"--push uploads {PARQUET} and {DATASETS}, not {chosen}; choose one of these formats")
    hub = Hub(push, public=public) if push is not None else None
    with _opened(source, with_witness, licence, notify) as data:
        if chosen in (STATES, DIALOGS):
            return _authors(data, target, chosen)
        return _table(data, target, chosen, hub)


class _Data:
    """A benchmark or a run as rows."""

    def __init__(self, held: Benchmark | Run, with_witness: bool, licence: str | None) -> None:
        self.held = held
        self.with_witness = with_witness
        self.kind = "benchmark" if isinstance(held, Benchmark) else "run"
        self.identity = held.identity if isinstance(held, Benchmark) else held.settings.benchmark
        self.canary = canary_of(self.identity)
        self.count = self.withheld = 0
        self._licence = licence

    def rows(self) -> Iterator[Row]:
        """The rows, counted as they go by."""
        held = self.held
        if isinstance(held, Benchmark):
            rows = benchmark_rows(held, with_witness=self.with_witness)
        else:
            rows = run_rows(held, with_witness=self.with_witness)
        self.count = self.withheld = 0
        for row in rows:
            self.count += 1
            self.withheld += bool(row.get("withheld"))
            yield row

    def schema(self) -> Any:
        """Their Arrow schema."""
        metadata = {"evolif.canary": self.canary, "evolif.kind": self.kind, "evolif.identity": self.identity}
        return schema_of(self.kind, with_witness=self.with_witness, metadata=metadata)

    def card(self, columns: tuple[str, ...]) -> Card:
        """The card, once the rows were counted."""
        held = self.held
        told = (self.canary, self.count, columns, self._licence)
        if isinstance(held, Benchmark):
            return benchmark_card(held, *told, witness=self.with_witness)
        return run_card(held, *told, witness=self.with_witness)

    def exported(self, path: Path, format: str, **more: Any) -> Exported:
        """What was written."""
        return Exported(
            path, format, self.kind, self.count, self.canary, self.with_witness, withheld=self.withheld, **more
        )


@contextmanager
def _opened(
    path: Path, with_witness: bool, licence: str | None, notify: Callable[[str], None] | None
) -> Iterator[_Data]:
    if (path / "benchmark.json").is_file():
        yield _Data(Benchmark(path, notify), with_witness, licence)
    elif path.is_dir() and RunStore.begun(path, read_only=True):
        with closing(_run(path)) as run:
            yield _Data(run, with_witness, licence)
    else:
        raise UsageError(f"{path} is neither a benchmark nor a run; name the folder that generate or evaluate made")


def _run(path: Path) -> Run:
    try:
        return load_run(path, read_only=True)
    except UsageError:  # of an earlier version: opened for writing, it is made one of this
        return load_run(path)


def _format(name: str | None, out: Path) -> str:
    chosen = name or _SUFFIXES.get(out.suffix)
    if chosen is None:
        raise UsageError(f"{out} does not tell the format; name one with --format: {', '.join(FORMATS)}")
    if chosen not in FORMATS:
        raise UsageError(f"the format {chosen} is unknown; there are {', '.join(FORMATS)}")
    return chosen


def _table(data: _Data, out: Path, format: str, hub: Hub | None) -> Exported:
    if format == DATASETS:
        with new_folder(out) as folder:
            _save_dataset(data, folder)
        written = out
    else:
        written = out / f"{data.kind}.{format}" if out.is_dir() else out
        with _new_file(written) as file:
            if format == JSONL:
                _write_lines(file, data.rows())
            else:
                write_parquet(file, data.rows(), data.schema())
    pushed = _push(data, hub, written if format == PARQUET else None) if hub is not None else None
    return data.exported(written, format, pushed=pushed)


def _save_dataset(data: _Data, folder: Path) -> None:
    schema = data.schema()
    try:
        import datasets
        import pyarrow
    except ImportError:
        raise UsageError("the format datasets needs the library; install evolif[datasets]") from None
    table = pyarrow.Table.from_batches(batches(data.rows(), schema), schema=schema)
    card = data.card(tuple(schema.names))
    info = datasets.DatasetInfo(description=f"{card.title}. {data.canary}", license=card.licence)
    shown = datasets.utils.logging.is_progress_bar_enabled()
    datasets.utils.logging.disable_progress_bar()
    try:
        datasets.Dataset(table.replace_schema_metadata(None), info=info).save_to_disk(str(folder))
    finally:
        if shown:
            datasets.utils.logging.enable_progress_bar()
    (folder / "README.md").write_text(card.text(hub=False), encoding="utf-8")


def _push(data: _Data, hub: Hub, parquet: Path | None) -> str:
    with tempfile.TemporaryDirectory(prefix="evolif-") as folder:
        file = parquet or Path(folder) / "data.parquet"
        schema = data.schema()
        if parquet is None:
            write_parquet(file, data.rows(), schema)
        card = data.card(tuple(schema.names)).text(hub=True)
        files: dict[str, Path | bytes] = {PARQUET_IN_REPO: file, "README.md": card.encode("utf-8")}
        return hub.push(files, f"Upload {data.count} turns of {data.kind} {data.identity}")


def _authors(data: _Data, out: Path, layout: str) -> Exported:
    bench = data.held
    if not isinstance(bench, Benchmark):
        raise UsageError(f"the layout {layout} holds benchmarks; export a run as {JSONL}, {PARQUET} or {DATASETS}")
    numbers = {topic.id: number for number, topic in enumerate(bench.topics, 1)}
    shared: Row | None = whole_of(bench)
    beyond = 0
    with new_folder(out) as folder:
        for dialogue in bench.dialogues():
            turns = bench.turns(dialogue)
            for turn in turns:
                numbers.setdefault(turn.topic.id, len(numbers) + 1)
            bare, extra, left_out = layout_rows(turns, layout, numbers)
            beyond += left_out
            rows = []
            for turn, row, line in zip(turns, bare, extra, strict=True):
                if data.with_witness:
                    line["witness"] = turn.witness
                field = extension(line={"dialogue": dialogue, **line}, benchmark=shared)
                rows.append({"canary": data.canary, **row, FIELD: field})
                shared = None
            data.count += len(rows)
            _write_lines(folder / f"{FILE_NAMES[layout]}_{dialogue}.jsonl", iter(rows))
    return data.exported(out, layout, beyond=beyond)


def _write_lines(path: Path, rows: Iterator[Row]) -> None:
    with path.open("w", encoding="utf-8", newline="\n") as file:
        file.writelines(f"{dump(row)}\n" for row in rows)


@contextmanager
def _new_file(path: Path) -> Iterator[Path]:
    """A file to write that takes its place when it is whole."""
    if path.exists():
        raise UsageError(f"{path} exists already; choose another name")
    part = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        yield part
        os.replace(part, path)
    except OSError as fault:
        raise OutsideError(f"{path} cannot be written ({fault.strerror or fault})") from None
    finally:
        part.unlink(missing_ok=True)


@contextmanager
def new_folder(path: Path) -> Iterator[Path]:
    """A folder to fill that takes its place when it is whole.

    Raises:
        UsageError: there is something already.
        OutsideError: the disk.
    """
    if path.exists() and (not path.is_dir() or any(path.iterdir())):
        raise UsageError(f"{path} exists already; choose another folder")
    part = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        part.mkdir(parents=True)
        yield part
        if path.exists():
            path.rmdir()
        os.replace(part, path)
    except OSError as fault:
        raise OutsideError(f"{path} cannot be written ({fault.strerror or fault})") from None
    finally:
        shutil.rmtree(part, ignore_errors=True)
