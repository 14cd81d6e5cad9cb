"""Export a benchmark or a run into a file or a folder that other programs read."""

from __future__ import annotations

import os
import re
import shutil
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from evolif._version import __version__
from evolif.errors import AccessError, OutsideError, UsageError
from evolif.exchange.authors import DIALOGS, FILE_NAMES, STATES, layout_rows
from evolif.exchange.rows import (
    FIELD,
    Row,
    batches,
    benchmark_rows,
    canary_of,
    dump,
    extension,
    run_rows,
    schema_of,
    whole_of,
    write_parquet,
)
from evolif.instructions import Benchmark
from evolif.resources import data_path
from evolif.runner import Run, RunStore, load_run

# Upload to a dataset hub: one commit, with the user's token out of the environment and nowhere else.

TOKEN = "HF_TOKEN"
_NAME = re.compile(r"[A-Za-z0-9][\w.-]{0,95}/[A-Za-z0-9][\w.-]{0,95}", re.ASCII)


class Hub:
    """A repository of data sets to push to; nothing is asked before `push`.

    Args:
        repo: `user/name`.
        public: Whether a repository that has to be made is open to everybody.

    Raises:
        UsageError: no such name, no token in the environment, or the library is missing.
    """

    def __init__(self, repo: str, *, public: bool) -> None:
        if find_spec("huggingface_hub") is None:
            raise UsageError("--push needs huggingface_hub; install evolif[datasets]")
        if not _NAME.fullmatch(repo):
            raise UsageError("--push takes the name of a repository of data sets, such as user/name")
        self._token = os.environ.get(TOKEN, "").strip()
        if not self._token:
            raise UsageError(f"--push needs a token: set {TOKEN} in the environment to one that may write data sets")
        self._repo = repo
        self._public = public

    def push(self, files: Mapping[str, Path | bytes], message: str) -> str:
        """Upload files in one commit; the repository is made where it is missing.

        Args:
            files: By their paths in the repository.
            message: Of the commit.

        Returns:
            The address of the data set.

        Raises:
            AccessError: the token may not do this.
            OutsideError: the hub cannot be reached, or refused.
        """
        from huggingface_hub import CommitOperationAdd, HfApi
        from huggingface_hub.errors import HfHubHTTPError

        endpoint = os.environ.get("HF_ENDPOINT") or None
        api = HfApi(endpoint=endpoint, token=self._token)
        operations = [
            CommitOperationAdd(name, str(file) if isinstance(file, Path) else file) for name, file in files.items()
        ]
        try:
            api.create_repo(self._repo, repo_type="dataset", private=not self._public, exist_ok=True)
            api.create_commit(self._repo, operations, commit_message=message, repo_type="dataset")
        except HfHubHTTPError as fault:
            raise self._refused(fault) from None
        except Exception as fault:  # whatever its transport raises: the text may hold what must not be shown
            raise OutsideError(
                f"{self._repo} could not be uploaded ({type(fault).__name__}); what was exported is kept, try again"
            ) from None
        return f"{(api.endpoint or '').rstrip('/')}/datasets/{self._repo}"

    def _refused(self, fault: Any) -> OutsideError:
        status = getattr(getattr(fault, "response", None), "status_code", None)
        if status in (401, 403):
            return AccessError(
                f"the hub refuses the token in {TOKEN} for {self._repo} (HTTP {status}); it must be one that may write"
            )
        return OutsideError(f"the hub did not take {self._repo} (HTTP {status}); what was exported is kept, try again")


# The card of an exported data set: `README.md` with a YAML head, as dataset hubs read it.

_SIZES = ((1_000, "n<1K"), (10_000, "1K<n<10K"), (100_000, "10K<n<100K"), (1_000_000, "100K<n<1M"))
PARQUET_IN_REPO = "data/test-00000-of-00001.parquet"

_LEADERBOARD = (
    "Figures on it are **not comparable with the leaderboard of the EvolIF paper** (arXiv 2511.03508), nor with those "
    "on another benchmark of this kind: the dialogues, the checkers and the judge differ. Compare models on the same "
    "benchmark, with the same patience, cap and judge."
)


@dataclass(frozen=True, slots=True)
class Card:
    """What is told of a data set."""

    title: str
    canary: str
    rows: int
    licence: str
    facts: Mapping[str, Any]
    """For machines, in the head."""
    made: str
    """How it was made, in sentences."""
    columns: tuple[str, ...]
    tags: tuple[str, ...] = field(default=())

    def text(self, *, hub: bool) -> str:
        """The card.

        Args:
            hub: Whether it goes beside a Parquet file on a hub, which then shows and loads it.
        """
        import yaml

        head: dict[str, Any] = {
            "license": self.licence,
            "pretty_name": self.title,
            "size_categories": [next((name for most, name in _SIZES if self.rows < most), "n>1M")],
            "task_categories": ["text-generation"],
            "tags": ["evolif", "multi-turn", "instruction-following", *self.tags],
        }
        if hub:
            files = [{"split": "test", "path": PARQUET_IN_REPO}]
            head["configs"] = [{"config_name": "default", "data_files": files}]
        head["evolif"] = {**self.facts, "rows": self.rows, "canary": self.canary}
        written = yaml.safe_dump(head, sort_keys=False, allow_unicode=True, width=1000)
        return f"---\n{written}---\n\n{self._body()}"

    def _body(self) -> str:
        columns = "\n".join(f"- `{name}`" for name in self.columns)
        return f"""# {self.title}

{self.made}

{_LEADERBOARD}

**Please keep it out of training data.** Every row carries the string below; whoever finds it in a corpus, or a model
that can complete it, knows why the figures are good.

    {self.canary}

One row per turn. Columns:

{columns}

What differs from row to row in shape (parameters of constraints) is JSON text. `evolif import` makes a benchmark of it
again; the field `evolif` holds what that takes. Written by evolif {__version__}.
"""


def benchmark_card(
    benchmark: Benchmark, canary: str, rows: int, columns: tuple[str, ...], licence: str | None, *, witness: bool
) -> Card:
    """The card of a benchmark.

    Args:
        benchmark: The benchmark.
        canary: Its canary.
        rows: Turns.
        columns: Names of the columns.
        licence: An identifier such as `cc-by-4.0`; told by the catalogues where None.
        witness: Whether the answer key is in it.
    """
    header, spec = benchmark.header, benchmark.header.spec
    facts: dict[str, Any] = {
        "kind": "benchmark",
        "identity": benchmark.identity,
        "dialogues": len(benchmark.dialogues()),
        "profile": spec.profile.name,
        "witnesses": witness,
        "reading_rules": header.reading_rules,
    }
    if header.imported is None:
        facts |= {"seed": spec.seed, "synthesizers": list(spec.synthesizers), "generator": f"evolif {header.generator}"}
        made = (
            f"A multi-turn instruction-following benchmark of {facts['dialogues']} dialogues, made by evolif "
            f"{_code(header.generator)} with the profile {_code(spec.profile.name)} and the seed {spec.seed}: scripts "
            "drawn by a state machine over topics, constraints and operations, each turn with a text that proves that "
            f"it can be satisfied, put into words by {', '.join(_code(name) for name in spec.synthesizers)}."
        )
    else:
        facts["imported"] = header.imported.format
        made = (
            f"{facts['dialogues']} multi-turn instruction-following dialogues, imported from files of the layout "
            f"{_code(header.imported.format)}; they were made by others, and not all turns need be satisfiable."
        )
    key = "with" if witness else "without"
    made += f" It comes {key} the witnesses, which are an answer key."
    title = f"EvolIF benchmark {benchmark.identity}"
    return Card(title, canary, rows, licence or _licence(benchmark), facts, made, columns)


def run_card(run: Run, canary: str, rows: int, columns: tuple[str, ...], licence: str | None, *, witness: bool) -> Card:
    """The card of a run; arguments as for `benchmark_card`."""
    settings = run.settings
    facts = {
        "kind": "run",
        "benchmark": settings.benchmark,
        "profile": settings.profile,
        "models": list(settings.models),
        "judge": settings.judge,
        "patience": settings.patience,
        "max_turns": settings.max_turns,
        "witnesses": witness,
    }
    models = ", ".join(_code(name) for name in settings.models)
    made = (
        f"Transcripts of {models} on the benchmark {_code(settings.benchmark)} (profile {_code(settings.profile)}): "
        f"what was asked, answered and judged, turn by turn, with patience {settings.patience}, at most "
        f"{settings.max_turns} turns and the judge {_code(settings.judge)}. The answers are under the terms of the "
        "models' providers."
    )
    title = f"EvolIF transcripts on {settings.benchmark}"
    return Card(title, canary, rows, licence or "other", facts, made, columns)


def _licence(benchmark: Benchmark) -> str:
    """That of the project's data, where nothing else went in."""
    own = {"topics.jsonl": ("seeds", "topics.jsonl"), "personas.jsonl": ("personas", "personas.jsonl")}
    ours = all((benchmark.path / name).read_bytes() == data_path(*parts).read_bytes() for name, parts in own.items())
    return "cc-by-4.0" if ours and set(benchmark.header.spec.synthesizers) == {"template"} else "other"


def _code(text: str) -> str:
    """Foreign text inside a sentence of Markdown."""
    return f"`{' '.join(text.replace('`', ' ').split())[:200]}`"


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
