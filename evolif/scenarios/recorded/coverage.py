"""How much of what should be scored is scored, and how far the rest could move a figure.

A score that cannot be had is never a silent zero. These figures stand beside every mean instead.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any, Literal, TypeAlias

from evolif.scenarios.recorded.aggregation import (
    Record,
    aggregate,
    check_aggregation,
    checked_records,
    is_identifier,
    valid_score,
)
from evolif.scenarios.recorded.metrics import metric_name
from evolif.scenarios.recorded.schema import Dialog

INVALID = "invalid"
"""The kind of failure where a record names none."""
UNEXPECTED = "unexpected"
"""Records that no metric entry of the dialogues asks for."""

_Key: TypeAlias = tuple[int, int, str]
"""A dialogue, a turn and a metric's name."""
_State: TypeAlias = Literal["scored", "failed", "missing"]


def coverage(dialogs: Iterable[Dialog], records: Iterable[Record]) -> dict[str, dict[str, int]]:
    """How many records, turns and dialogues are expected, and what became of them.

    Args:
        dialogs: Their metric entries say what is expected. An evaluated turn without any is not.
        records: Of one model. Where one is there twice, the first with a valid score counts.

    Returns:
        `records`, `turns` and `dialogues`, each with `expected`, `scored`, `failed` and `missing`: a turn or a dialogue
        is scored when all its records are, missing when none is there, and failed otherwise. `failures` counts the
        failed records by `details.failure`, without one as `invalid`; records that nobody asked for are its
        `unexpected`, and count nowhere else.

    Raises:
        ArgumentError: A record is no dict.
    """
    expected = _expected(dialogs)
    found, unexpected = _found(expected, records)
    failures: Counter[str] = Counter()
    by_record: list[_State] = []
    turns: dict[tuple[int, int], set[_State]] = {}
    dialogues: dict[int, set[_State]] = {}
    for key, entries in expected.items():
        chosen = _chosen(found.get(key, ()), entries)
        states = [_state(record) for record in chosen]
        failures.update(_failure(record) for record, state in zip(chosen, states, strict=True) if state == "failed")
        by_record.extend(states)
        turns.setdefault(key[:2], set()).update(states)
        dialogues.setdefault(key[0], set()).update(states)
    if unexpected:
        failures[UNEXPECTED] += unexpected
    return {
        "records": _counted(by_record),
        "turns": _counted(map(_together, turns.values())),
        "dialogues": _counted(map(_together, dialogues.values())),
        "failures": dict(sorted(failures.items())),
    }


def bounds(
    dialogs: Iterable[Dialog],
    records: Iterable[Record],
    turn_stat: str = "mean",
    dialog_stat: str = "min",
    dataset_level: str = "dialog",
) -> tuple[float, float] | None:
    """The global mean if every expected record without a valid score were 0, and if it were 1.

    Args:
        dialogs: Their metric entries say what is expected.
        records: Of one model; those that are not expected are left out.
        turn_stat: As for `aggregate`.
        dialog_stat: As for `aggregate`.
        dataset_level: As for `aggregate`.

    Returns:
        Both, the lower first; None if no record is expected.

    Raises:
        ArgumentError: A statistic or the level is unknown, or a record is no dict.
    """
    check_aggregation(turn_stat, dialog_stat, dataset_level)
    expected = _expected(dialogs)
    if not expected:
        return None
    found, _ = _found(expected, records)
    scores = [
        (key, None if record is None else valid_score(record))
        for key, entries in expected.items()
        for record in _chosen(found.get(key, ()), entries)
    ]

    def filled(instead: float) -> float:
        complete = [
            {"dialog_id": dialog, "turn_id": turn, "score": instead if score is None else score}
            for (dialog, turn, _), score in scores
        ]
        return float(aggregate(complete, turn_stat, dialog_stat, dataset_level)["global"]["mean"])

    return filled(0.0), filled(1.0)


def _expected(dialogs: Iterable[Dialog]) -> Counter[_Key]:
    """How many records each metric of each evaluated turn should have: more than one where entries share a name."""
    return Counter(
        (dialog.dialog_id, turn.turn_id, metric_name(entry.class_name, entry.args))
        for dialog in dialogs
        for turn in dialog.dialog_turns
        if turn.eval_config.do_eval
        for entry in turn.eval_config.metrics
    )


def _found(expected: Counter[_Key], records: Iterable[Record]) -> tuple[dict[_Key, list[Record]], int]:
    """The expected records by key, and how many others there are."""
    found: dict[_Key, list[Record]] = {}
    unexpected = 0
    for record in checked_records(records):
        key: Any = (record.get("dialog_id"), record.get("turn_id"), record.get("metric_name"))
        if all(map(is_identifier, key)) and key in expected:
            found.setdefault(key, []).append(record)
        else:
            unexpected += 1
    return found, unexpected


def _chosen(records: Sequence[Record], entries: int) -> list[Record | None]:
    """One record for each entry: those with a valid score first, None where there are too few."""
    ordered = sorted(records, key=lambda record: valid_score(record) is None)
    return [*ordered[:entries], *[None] * (entries - len(ordered))]


def _state(record: Record | None) -> _State:
    if record is None:
        return "missing"
    return "failed" if valid_score(record) is None else "scored"


def _together(states: set[_State]) -> _State:
    return next(iter(states)) if len(states) == 1 else "failed"


def _failure(record: Record | None) -> str:
    details = record.get("details") if record else None
    kind = details.get("failure") if isinstance(details, dict) else None
    return kind if isinstance(kind, str) and kind else INVALID


def _counted(states: Iterable[_State]) -> dict[str, int]:
    count = Counter(states)
    kinds: tuple[_State, ...] = ("scored", "failed", "missing")
    return {"expected": count.total(), **{kind: count[kind] for kind in kinds}}
