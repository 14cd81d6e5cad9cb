"""`evolif score`: the eight metrics from plain verdicts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from evolif.cli._options import Config, Resamples

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rich.table import Table

    from evolif.metrics import DialogueRecord, Interval, Metrics

_LABELS = {
    "edr_len": "EDR_len",
    "edr_acc": "EDR_acc",
    "edr_succ": "EDR_succ",
    "edr_lss": "EDR_lss",
    "rec": "REC",
    "rob": "ROB",
    "csr": "CSR",
    "isr": "ISR",
}


def score(
    file: Annotated[
        str, typer.Argument(metavar="FILE.jsonl|-", help="Verdicts, one dialogue a line; - reads standard input.")
    ],
    as_json: Annotated[
        bool, typer.Option("--json", envvar="EVOLIF_JSON", help="Print one JSON object, rates as fractions.")
    ] = False,
    seed: Annotated[int, typer.Option(min=0, envvar="EVOLIF_SEED", help="Seed of the bootstrap.")] = 0,
    resamples: Resamples = 2_000,
    config: Config = None,
) -> None:
    """Compute the eight metrics, with 95 % intervals, from plain verdicts.

    A line of the file is a JSON object with a "dialogue" (its name), its "patience" (3 where left out) and its "turns",
    each a list with true, false or null (not judged) per constraint.
    """
    from evolif.metrics import bootstrap_intervals, process_metrics

    records = _records(file)
    metrics = process_metrics(records)
    intervals = bootstrap_intervals(records, seed=seed, resamples=resamples)
    if as_json:
        typer.echo(_json(metrics, intervals))
    else:
        _print_table(records, metrics, intervals)


def _records(file: str) -> tuple[DialogueRecord, ...]:
    import sys

    from evolif._errors import UsageError
    from evolif.metrics import read_verdict_file, read_verdicts

    if file != "-":
        return read_verdict_file(file)
    if sys.stdin is None:
        raise UsageError("standard input is closed; name a file, or pipe the verdicts in")
    return read_verdicts(sys.stdin.buffer)


def _json(metrics: Metrics, intervals: Mapping[str, Interval | None]) -> str:
    import json

    counts = {"dialogues": metrics.dialogues, "rec_left_out": metrics.rec_left_out}
    return json.dumps({**metrics.by_name(), **counts, "intervals": intervals}, allow_nan=False)


def _print_table(
    records: tuple[DialogueRecord, ...], metrics: Metrics, intervals: Mapping[str, Interval | None]
) -> None:
    from rich.console import Console

    from evolif.metrics import patience_left

    console = Console()
    console.print(_table(metrics, intervals))
    console.print(f"Dialogues: {metrics.dialogues}. Intervals: bootstrap over dialogues.")
    if metrics.rec_left_out:
        console.print(f"{metrics.rec_left_out} left out of REC: no failed turn with a turn after it.")
    if metrics.rob_left_out:
        console.print(f"{metrics.rob_left_out} left out of ROB: no judged turn.")
    if censored := sum(patience_left(record) > 0 for record in records):
        console.print(f"{censored} ended with patience left, so their lengths are lower bounds.")


def _table(metrics: Metrics, intervals: Mapping[str, Interval | None]) -> Table:
    from rich.table import Table

    table = Table("metric")
    table.add_column("value", justify="right")
    table.add_column("95 % interval", justify="right")
    for name, value in metrics.by_name().items():
        interval = intervals[name]
        ends = "-" if interval is None else f"{_show(name, interval[0])} to {_show(name, interval[1])}"
        table.add_row(_LABELS[name], "-" if value is None else _show(name, value), ends)
    return table


def _show(name: str, value: float) -> str:
    """Turns with two decimals, rates as percent."""
    return f"{value:.2f}" if name.startswith("edr") else f"{100 * value:.2f} %"
