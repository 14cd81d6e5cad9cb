"""Inspect: runs as its logs, and every scenario as a task that it can evaluate (extra `inspect`).

`evolif export RUN OUT --format inspect` writes logs; `inspect eval evolif/SCENARIO` finds the tasks by the entry point
group `inspect_ai`. `evolif_dataset`, `evolif_solver` and `evolif_scorer` are for tasks of users. Importing this package
adds the export format; Inspect is imported when one of them is asked for.
"""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evolif.errors import UsageError
from evolif.exchange import Exported
from evolif.exchange.export_source import ExportSource
from evolif.exchange.formats import Exporter, register_exporter

if TYPE_CHECKING:
    from evolif.inspect.dataset import evolif_dataset
    from evolif.inspect.scorers import evolif_scorer
    from evolif.inspect.solvers import evolif_solver

INSPECT = "inspect"
_LAZY = {"evolif_dataset": "dataset", "evolif_scorer": "scorers", "evolif_solver": "solvers"}
"""Names whose modules need Inspect."""


def __getattr__(name: str) -> Any:
    if name not in _LAZY:
        raise AttributeError(f"module {__name__} has no attribute {name!r}")
    try:
        module = import_module(f"{__name__}.{_LAZY[name]}")
    except ModuleNotFoundError as fault:
        if (fault.name or "").partition(".")[0] != "inspect_ai":
            raise
        raise UsageError(f"{name} needs inspect-ai; install evolif[inspect]") from None
    return getattr(module, name)


def _write(source: ExportSource, out: Path, hub: object) -> Exported:
    """Write a run as logs of Inspect, one for each model."""
    from evolif.inspect.logs import write_logs
    from evolif.runner import Run
    from evolif.util.files import new_path

    run = source.content
    assert isinstance(run, Run), "the exporter has checked it"
    with new_path(out, is_folder=True) as folder:
        written = write_logs(run, folder, with_witness=source.with_witness)
        source.count, source.withheld = written.turns, written.withheld
    return source.exported(out, INSPECT)


register_exporter(
    Exporter(
        INSPECT,
        _write,
        for_benchmarks=False,
        instead="have Inspect play a benchmark: inspect eval evolif/{scenario} -T bench=BENCH",
    )
)

__all__ = ["INSPECT", "evolif_dataset", "evolif_scorer", "evolif_solver"]
