"""Folders of results, one for each model: the dialogues with its answers, their records, and the figures of these."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from evolif.benchmark.files import writing
from evolif.errors import InputError
from evolif.scenarios.recorded.aggregation import (
    DEFAULT_AGGREGATION,
    aggregate,
    length_curve,
    parse_aggregation,
    turn_scores,
)
from evolif.scenarios.recorded.coverage import bounds, coverage
from evolif.scenarios.recorded.folder import (
    GENERATED,
    META,
    read_dialogs,
    read_records,
    write_dialogs,
    write_records,
    write_summary,
)
from evolif.scenarios.recorded.labels import flat_labels
from evolif.scenarios.recorded.runs import INFO, counted, left_out
from evolif.scenarios.recorded.schema import Dialog
from evolif.scenarios.recorded.sources import unscored
from evolif.scenarios.recorded.statistics import bootstrap_interval

DETAILS, SUMMARY = "eval_details", "summary.json"
"""What the folder of a model's results holds."""


@dataclass(frozen=True, slots=True)
class Results:
    """A model's results on a set of dialogues."""

    path: Path
    model: str
    """As the dialogues say, if they are sessions of evolif; else the folder's name."""
    dialogs: Sequence[Dialog]
    """Empty where the folder has records only."""
    records: Sequence[Mapping[str, Any]]


def results_folders(path: Path | str) -> list[Path]:
    """The folders of results in a folder: itself, or those directly in it, by name; none if there is none."""
    root = Path(path)
    if _is_results(root):
        return [root]
    if not root.is_dir():
        return []
    inner = (folder for folder in root.iterdir() if not folder.name.startswith(".") and _is_results(folder))
    return sorted(inner, key=lambda folder: folder.name)


def _is_results(folder: Path) -> bool:
    return (folder / DETAILS).is_dir() or (folder / GENERATED).is_dir()


def read_results(path: Path | str) -> list[Results]:
    """Read the results of one model, or those of each model in a folder.

    Raises:
        InputError: There are none, or a file cannot be used.
    """
    folders = results_folders(path)
    if not folders:
        raise InputError(f"no results; name a folder that has {DETAILS} in it, or in its folders", path=path)
    return [_read(folder) for folder in folders]


def _read(folder: Path) -> Results:
    generated, details = folder / GENERATED, folder / DETAILS
    if not details.is_dir():
        raise InputError(f"it has dialogues, but no {DETAILS}; score them first, or restore the folder", path=folder)
    dialogs = read_dialogs(generated) if generated.is_dir() else []
    names = {str(info["model"]) for dialog in dialogs if "model" in (info := session_info(dialog))}
    return Results(folder, names.pop() if len(names) == 1 else folder.resolve().name, dialogs, read_records(details))


def session_info(dialog: Dialog) -> Mapping[str, Any]:
    """What a dialogue says of the session that it was; empty if it was none."""
    info = dialog.dialog_raw_info.get(INFO)
    return info if isinstance(info, Mapping) else {}


def write_results(folder: Path, dialogs: Sequence[Dialog], records: Sequence[Mapping[str, Any]]) -> None:
    """Write the results of a model, with the figures of the default aggregation.

    Args:
        folder: New or empty.
        dialogs: With the answers in them.
        records: Theirs.

    Raises:
        ArgumentError: Something in them cannot be stored.
        OutsideError: The disk failed.
    """
    write_dialogs(folder / GENERATED, dialogs, benchmark_id="")
    with writing(folder):
        (folder / GENERATED / META).unlink()  # of data only; the release takes any file there for a dialogue
    write_records(folder / DETAILS, dialogs, records)
    _, own = counted(dialogs, records)
    write_summary(folder / SUMMARY, _aggregated(own, DEFAULT_AGGREGATION))


def summarise(results: Results, name: str = DEFAULT_AGGREGATION, *, as_released: bool = False) -> dict[str, Any]:
    """The figures of a model, and what they rest on. Sessions that reports leave out are left out here as well.

    Args:
        results: Of the model.
        name: Of the aggregation.
        as_released: Whether figures by label have the form of the release.

    Returns:
        What `aggregate` returns, and `model`, `aggregate`, `interval` (None without NumPy), `coverage` and `bounds`
        (None without dialogues), `length_curve` (empty where all dialogues are equally long), and `left_out`, sessions
        by the reason. Where evaluated turns have no metric, `unscored` counts them.

    Raises:
        ArgumentError: The aggregation has no such name, or a record does not say where it belongs.
    """
    turn_stat, dialog_stat, level = parse_aggregation(name)
    dialogs, records = counted(results.dialogs, results.records)
    found = _aggregated(records, name)
    if as_released:
        found["by_label"] = flat_labels(found["by_label"])
    reasons = Counter(filter(None, map(left_out, results.dialogs)))
    return {
        "model": results.model,
        "aggregate": name,
        **found,
        "interval": _interval(records, turn_stat, dialog_stat, level),
        "coverage": coverage(dialogs, records) if results.dialogs else None,
        "bounds": bounds(dialogs, records, turn_stat, dialog_stat, level),
        "length_curve": _curve(records, turn_stat),
        "left_out": dict(sorted(reasons.items())),
        **_unscored(dialogs),
    }


def _unscored(dialogs: Sequence[Dialog]) -> dict[str, Any]:
    """How many turns have no metric, where some have none."""
    turns, dialogues = unscored(dialogs)
    evaluated = sum(turn.evaluated for dialog in dialogs for turn in dialog.dialog_turns)
    return {"unscored": {"turns": turns, "evaluated_turns": evaluated, "dialogues": dialogues}} if turns else {}


def _aggregated(records: Iterable[Mapping[str, Any]], name: str) -> dict[str, Any]:
    return aggregate(records, *parse_aggregation(name), by_metric=True)


def _interval(
    records: Sequence[Mapping[str, Any]], turn_stat: str, dialog_stat: str, level: str
) -> dict[str, float] | None:
    from importlib.util import find_spec

    if find_spec("numpy") is None:
        return None
    return bootstrap_interval(records, turn_stat=turn_stat, dialog_stat=dialog_stat, dataset_level=level)


def _curve(records: Sequence[Mapping[str, Any]], turn_stat: str) -> dict[int, float]:
    """The curve, where dialogues differ in the number of their scored turns."""
    lengths = set(map(len, turn_scores(records, turn_stat).values()))
    return length_curve(records, turn_stat) if len(lengths) > 1 else {}
