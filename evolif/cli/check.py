"""`evolif check`, one response against constraints, and `evolif score`, the eight metrics from plain verdicts."""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from evolif.cli.console import show, show_json
from evolif.cli.options import JsonFlag, Resamples, Seed
from evolif.errors import InputError, UsageError
from evolif.types import DEFAULT_RESAMPLES

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rich.table import Table

    from evolif.metrics import DialogueRecord, Interval, Metrics
    from evolif.types import Verdict

_LABELS = {
    "isr_at_n": "ISR@{}",
    "edr_len": "EDR_len",
    "exhaustion_rate": "EXH",
    "isr": "ISR",
    "edr_acc": "EDR_acc",
    "edr_succ": "EDR_succ",
    "edr_lss": "EDR_lss",
    "rec": "REC",
    "pooled_rec": "REC all",
    "rob": "ROB",
    "csr": "CSR",
    "csr_corrected": "CSR corr.",
}


def check(
    constraints: Annotated[
        Path,
        typer.Option(envvar="EVOLIF_CHECK_CONSTRAINTS", help="JSON file: a list of constraints, or a benchmark line."),
    ],
    response: Annotated[
        str, typer.Argument(metavar="[RESPONSE_FILE|-]", help="The response; - reads standard input.")
    ] = "-",
    as_json: JsonFlag = False,
) -> None:
    """Check one response. Exit code 1 if a constraint is not satisfied."""
    from evolif.scenarios.instructions.constraints import check as check_response

    verdicts = check_response(_constraints(constraints), _response(response))
    if as_json:
        typer.echo(json.dumps([_verdict_object(verdict) for verdict in verdicts], ensure_ascii=False))
    else:
        show(map(_verdict_line, verdicts))
    if any(v.satisfied is False for v in verdicts):
        raise typer.Exit(1)


def _constraints(path: Path) -> list[Any]:
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except OSError as fault:
        raise InputError(f"cannot be read ({fault.strerror})", path=path) from None
    except ValueError as fault:  # not JSON, not UTF-8, or a number of thousands of digits
        line = fault.lineno if isinstance(fault, json.JSONDecodeError) else None
        raise InputError("not JSON; give a list of constraints", path=path, line=line) from None
    except RecursionError:
        raise InputError("nested too deeply; give a list of constraints", path=path) from None
    if isinstance(data, dict):
        data = data.get("constraints", [data])
    if not isinstance(data, list):
        raise InputError('give a list of constraints: [{"group": …, "params": {…}}]', path=path)
    return data


def _response(name: str) -> str:
    try:
        data = sys.stdin.buffer.read() if name == "-" else Path(name).read_bytes()
    except OSError as fault:
        raise InputError(f"cannot be read ({fault.strerror})", path=name) from None
    return data.decode("utf-8", "replace")


def _verdict_object(verdict: Verdict) -> dict[str, Any]:
    return {
        "group": verdict.group,
        "satisfied": verdict.satisfied,
        "expected": verdict.expected,
        "found": verdict.found,
        "spans": [{"start": s.start, "end": s.end, "view": s.view} for s in verdict.spans],
    }


def _verdict_line(verdict: Verdict) -> str:
    word = {True: "satisfied", False: "FAILED", None: "not judged"}[verdict.satisfied]
    return f"{word:10}  {verdict.group:12}  expected {verdict.expected}; found {verdict.found}"


def score(
    file: Annotated[
        str, typer.Argument(metavar="FILE.jsonl|-", help="Verdicts, one dialogue per line; - reads standard input.")
    ],
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object, rates as fractions.")] = False,
    floor: Annotated[
        float | None,
        typer.Option(help="CSR of the best responder that follows nothing, a fraction as in a report; corrects CSR."),
    ] = None,
    ceiling: Annotated[float, typer.Option(help="CSR of a perfect responder, a fraction; used with --floor.")] = 1.0,
    cap: Annotated[
        int | None, typer.Option(min=1, metavar="N", help="The most turns that a dialogue could have; adds ISR@N.")
    ] = None,
    seed: Seed = 0,
    resamples: Resamples = DEFAULT_RESAMPLES,
) -> None:
    """Compute the eight metrics, and with --cap ISR@N, with 95 % intervals, from plain verdicts.

    Each line is a JSON object with "dialogue" (its name), "patience" (3 by default) and "turns": for each turn a list
    of true, false or null (not judged), one per constraint.
    """
    from evolif.metrics import AT_N, corrected_csr, is_saturated, process_intervals, process_metrics
    from evolif.metrics.patience import records_at_cap

    if floor is not None and not 0 <= floor < ceiling <= 1:
        raise UsageError(f"--floor {floor:g} --ceiling {ceiling:g}: give fractions from 0 to 1, the floor the smaller")
    records = tuple(replace(record, cap=cap) for record in _records(file))
    metrics = process_metrics(records)
    intervals = process_intervals(records, cap=cap, seed=seed, resamples=resamples)
    if cap is None:
        del intervals[AT_N]
    corrected = corrected_csr(metrics.csr, intervals["csr"], floor, ceiling)
    values = {**_beside(metrics), "csr_corrected": corrected and corrected.value}
    intervals["csr_corrected"] = corrected and corrected.interval
    if as_json:
        counts = {"dialogues": metrics.dialogues, "rec_left_out": metrics.rec_left_out}
        saturated = is_saturated(records_at_cap(records), metrics.dialogues)
        beside = {**values, "floor": floor, "saturated": saturated}
        lead = {} if cap is None else {AT_N: metrics.isr_at_n}
        show_json({**lead, **metrics.by_name(), **beside, **counts, "intervals": intervals})
    else:
        _print_table(records, metrics, values, intervals, cap)


def _beside(metrics: Metrics) -> dict[str, float | None]:
    return {"exhaustion_rate": metrics.exhaustion_rate, "pooled_rec": metrics.pooled_rec}


def _records(file: str) -> tuple[DialogueRecord, ...]:
    from evolif.metrics import read_verdict_file
    from evolif.metrics.verdict_file import read_verdicts

    if file != "-":
        return read_verdict_file(file)
    if sys.stdin is None:
        raise UsageError("standard input is closed; name a file, or pipe the verdicts in")
    return read_verdicts(sys.stdin.buffer)


def _print_table(
    records: tuple[DialogueRecord, ...],
    metrics: Metrics,
    beside: Mapping[str, float | None],
    intervals: Mapping[str, Interval | None],
    cap: int | None,
) -> None:
    from rich.console import Console

    from evolif.metrics import TOO_FEW, patience_left

    console = Console()
    values = {**metrics.by_name(), **beside}
    console.print(_table(values, intervals, cap))
    if cap is not None and metrics.isr_at_n is None:
        console.print(f"ISR@{cap} is not known: every dialogue with patience left ends before its turn {cap}.")
    console.print(f"Dialogues: {metrics.dialogues}. Intervals are over dialogues, never over turns.")
    if any(value is not None and intervals[name] is None for name, value in values.items()):
        console.print(TOO_FEW)
    if metrics.exhaustion_rate is not None:
        told = "EXH: exhaustion rate, dialogues that ran out of patience per 100 judged turns"
        console.print(f"{told}{', with the interval of a count' if intervals['exhaustion_rate'] else ''}.")
    if metrics.rec_left_out:
        console.print(f"{metrics.rec_left_out} left out of REC: no failed turn with another turn after it.")
    if metrics.rob_left_out:
        console.print(f"{metrics.rob_left_out} left out of ROB: no judged turn.")
    if censored := sum(patience_left(record) > 0 for record in records):
        console.print(f"{censored} ended with patience left, so their lengths are lower bounds.")


def _table(values: Mapping[str, float | None], intervals: Mapping[str, Interval | None], cap: int | None) -> Table:
    from rich.table import Table

    table = Table("metric")
    table.add_column("value", justify="right")
    table.add_column("95 % interval", justify="right")
    for name, label in _LABELS.items():
        value, interval = values.get(name), intervals.get(name)
        if value is None and (name == "csr_corrected" or (cap is None and name == "isr_at_n")):
            continue
        ends = "–" if interval is None else f"{_show(name, interval[0])} to {_show(name, interval[1])}"
        table.add_row(label.format(cap), "–" if value is None else _show(name, value), ends)
    return table


def _show(name: str, value: float) -> str:
    """Turns with two decimals, rates as percent."""
    return f"{value:.2f}" if name.startswith("edr") else f"{100 * value:.2f} %"
