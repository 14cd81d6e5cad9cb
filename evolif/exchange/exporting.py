"""Export a benchmark or a run to a file, a folder or a dataset hub."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from evolif.benchmark import HEADER, BenchmarkFolder, open_benchmark
from evolif.errors import UsageError
from evolif.exchange.export_source import Content, Exported, ExportSource
from evolif.exchange.formats import EXPORTERS, find_exporter
from evolif.exchange.hub import Hub
from evolif.exchange.training import TrainingOptions
from evolif.runner import RunStore, load_run
from evolif.runner.scheduler import calm_collector
from evolif.scenarios.instructions import InstructionBenchmark


def export(
    path: Path | str,
    out: Path | str,
    *,
    format: str | None = None,
    with_witness: bool = False,
    licence: str | None = None,
    push: str | None = None,
    public: bool = False,
    training: TrainingOptions | None = None,
    notify: Callable[[str], None] | None = None,
) -> Exported:
    """Export a benchmark or a run.

    Args:
        path: The directory of a benchmark or of a run; it is only read.
        out: A new file (`jsonl`, `csv`, `parquet`), or a folder that is new or empty.
        format: One of `EXPORTERS`; None takes it from the suffix of `out`.
        with_witness: Include the answer key.
        licence: For the card, an identifier such as `cc-by-4.0`.
        push: A repository `user/name` on the hub, for `parquet` and `datasets`; the token is read from HF_TOKEN.
        public: Whether a newly created repository is public.
        training: For `messages` and `preferences`: how rows are made from runs.
        notify: Receives a sentence when part of the benchmark was repaired.

    Raises:
        UsageError: there is nothing to export, `out` already exists, or the format does not fit.
        OutsideError: the disk or the hub failed.
    """
    target = Path(out)
    exporter = find_exporter(format, target)
    if push is not None and not exporter.pushed:
        pushed = [one.name for one in EXPORTERS.values() if one.pushed]
        raise UsageError(f"--push uploads {' and '.join(pushed)}, not {exporter.name}; choose one of these formats")
    if training is not None and not exporter.trains:
        trains = [one.name for one in EXPORTERS.values() if one.trains]
        raise UsageError(
            f"the format {exporter.name} takes no options for training data; choose {' or '.join(trains)}, or leave "
            "them out"
        )
    hub = Hub(push, public=public) if push is not None else None
    with _open(Path(path), notify) as content:
        source = ExportSource(content, with_witness, licence, training)
        exporter.check(source)
        with calm_collector():
            return exporter.write(source, target, hub)


@contextmanager
def _open(path: Path, notify: Callable[[str], None] | None) -> Iterator[Content]:
    if (path / HEADER).is_file():
        opened = open_benchmark(path, notify)
        if not isinstance(opened, (InstructionBenchmark, BenchmarkFolder)):
            raise UsageError(
                f"{path}: benchmarks of the scenario {opened.scenario} cannot be exported; export its runs"
            )
        yield opened
        return
    if not (path.is_dir() and RunStore.begun(path, read_only=True)):
        raise UsageError(f"{path} is neither a benchmark nor a run; use a folder that evolif generate or evaluate made")
    with closing(load_run(path, read_only=True)) as run:
        yield run
