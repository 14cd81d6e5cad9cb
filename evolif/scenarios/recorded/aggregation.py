"""From records to figures: turn scores, dialogue scores, the figures of a set, and breakdowns by metric and label.

An aggregation is named by its three steps, such as `mean-min-dialog`: records become turn scores by their mean, turn
scores become a dialogue score by their minimum, and figures are taken over dialogues (UniDial-EvalKit, arXiv
2603.23160, §3.4). One model has 7 % under one name and 95 % under another, so a figure without its name says little.

A record counts here if its score is a finite number and no boolean; `coverage` counts the others.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import mean as exact_mean
from typing import Any, Final, TypeAlias, TypeGuard

from evolif.errors import ArgumentError
from evolif.scenarios.recorded.labels import Figures, label_buckets, label_values

Identifier: TypeAlias = int | str
"""Of a dialogue or of a turn."""
Record: TypeAlias = Mapping[str, Any]
"""One score of one answer: `dialog_id`, `turn_id`, `metric_name`, `score`, `details` and the labels of both."""

DEFAULT_AGGREGATION: Final = "mean-min-dialog"
_LEVELS: Final = ("dialog", "turn")
_HIERARCHY: Final = ("task_type", "task_subtype")


def mean(values: Sequence[float]) -> float:
    """The mean, which never lies outside the values by a rounding error.

    Args:
        values: At least one finite number.
    """
    try:
        plain = math.fsum(values) / len(values)
    except OverflowError:
        plain = exact_mean(values)
    return min(max(plain, min(values)), max(values))


_STATISTICS: Final[Mapping[str, Callable[[Sequence[float]], float]]] = {"mean": mean, "min": min, "max": max}


def parse_aggregation(name: str) -> tuple[str, str, str]:
    """The three parts of an aggregation's name.

    Args:
        name: Such as `mean-min-dialog`.

    Returns:
        The statistic of a turn, the statistic of a dialogue, and the level of the set.

    Raises:
        ArgumentError: It is no such name.
    """
    parts = name.split("-") if isinstance(name, str) else []
    if len(parts) != 3:
        raise ArgumentError(
            f"{name!r} is no aggregation; join a turn statistic, a dialogue statistic and a level, as in "
            f"{DEFAULT_AGGREGATION!r}"
        )
    turn_stat, dialog_stat, dataset_level = parts
    check_aggregation(turn_stat, dialog_stat, dataset_level)
    return turn_stat, dialog_stat, dataset_level


def check_aggregation(turn_stat: str, dialog_stat: str, dataset_level: str) -> None:
    """Refuse an unknown statistic or level.

    Raises:
        ArgumentError: It names what is unknown and what there is.
    """
    _check_statistic("turn", turn_stat)
    _check_statistic("dialogue", dialog_stat)
    if dataset_level not in _LEVELS:
        raise ArgumentError(f"there is no level {dataset_level!r}; take one of {', '.join(_LEVELS)}")


def _check_statistic(of: str, name: str) -> None:
    if name not in tuple(_STATISTICS):
        raise ArgumentError(f"there is no {of} statistic {name!r}; take one of {', '.join(_STATISTICS)}")


def valid_score(record: Record) -> float | None:
    """The score of a record; None unless it is a finite number and no boolean."""
    score = record.get("score")
    if isinstance(score, bool) or not isinstance(score, (int, float)):
        return None
    try:
        value = float(score)
    except OverflowError:
        return None
    return value if math.isfinite(value) else None


def checked_records(records: Iterable[Any]) -> Iterator[Record]:
    """The records as they come.

    Raises:
        ArgumentError: One is no mapping.
    """
    for number, record in enumerate(records, start=1):
        if not isinstance(record, Mapping):
            raise ArgumentError(f"record {number} is no dict but {_kind(record)}; give records as `read_records` does")
        yield record


def is_identifier(value: object) -> TypeGuard[Identifier]:
    """Whether a value may name a dialogue or a turn: a whole number or a text, and no boolean."""
    return isinstance(value, (int, str)) and not isinstance(value, bool)


def id_order(identifier: Identifier) -> tuple[bool, Any]:
    """A key that sorts integers before texts, each in their own order."""
    return isinstance(identifier, str), identifier


@dataclass(slots=True)
class _ScoredTurn:
    """The valid scores of one turn, and the labels of the first of them."""

    dialog_labels: Any
    turn_labels: Any
    scores: list[float] = field(default_factory=list)


_Dialogues: TypeAlias = dict[Identifier, dict[Identifier, _ScoredTurn]]


def _by_dialogue(records: Iterable[Record], *, strict: bool = False) -> _Dialogues:
    """The valid scores by dialogue and turn, each in the order of their first record."""
    dialogues: _Dialogues = {}
    for number, record in enumerate(checked_records(records), start=1):
        score = valid_score(record)
        if score is None and strict:
            score = 0.0
        if score is None:
            continue
        dialogue = dialogues.setdefault(_identifier(record, "dialog_id", number), {})
        turn = _identifier(record, "turn_id", number)
        if turn not in dialogue:
            dialogue[turn] = _ScoredTurn(record.get("dialog_labels"), record.get("turn_labels"))
        dialogue[turn].scores.append(score)
    return dialogues


def _identifier(record: Record, key: str, number: int) -> Identifier:
    identifier = record.get(key)
    if is_identifier(identifier):
        return identifier
    found = "is missing" if identifier is None else f"is {_kind(identifier)}"
    raise ArgumentError(f"record {number}: its {key} {found}; give a whole number or a text")


def _kind(value: object) -> str:
    return type(value).__name__


def turn_scores(records: Iterable[Record], turn_stat: str = "mean") -> dict[Identifier, list[float]]:
    """The turn scores of each dialogue.

    Args:
        records: Of one model.
        turn_stat: `mean`, `min` or `max`, over the valid records of a turn.

    Returns:
        Dialogues in the order of `id_order`; each has the scores of its turns that have a valid record, in the order of
        their ids.

    Raises:
        ArgumentError: The statistic is unknown, or a valid record does not say where it belongs.
    """
    _check_statistic("turn", turn_stat)
    dialogues = _by_dialogue(records)
    statistic = _STATISTICS[turn_stat]
    return {
        dialog_id: [statistic(dialogues[dialog_id][turn].scores) for turn in sorted(dialogues[dialog_id], key=id_order)]
        for dialog_id in sorted(dialogues, key=id_order)
    }


def dialogue_score(scores: Sequence[float], dialog_stat: str) -> float:
    """The score of a dialogue: a known statistic of its turn scores, of which there is at least one."""
    return float(_STATISTICS[dialog_stat](scores))


def aggregate(
    records: Iterable[Record],
    turn_stat: str = "mean",
    dialog_stat: str = "min",
    dataset_level: str = "dialog",
    *,
    by_metric: bool = False,
    strict: bool = False,
) -> dict[str, Any]:
    """The figures of one model on one set of dialogues.

    Args:
        records: Of one model. Records without a valid score enter no figure.
        turn_stat: `mean`, `min` or `max`, over the records of a turn.
        dialog_stat: The same, over the turn scores of a dialogue.
        dataset_level: Whether the figures of `global` are over dialogue scores (`dialog`) or all turn scores (`turn`).
        by_metric: Whether to break records down by `metric_name`.
        strict: Whether a record without a valid score counts as 0.

    Returns:
        `config`, `global`, `by_metric` and `by_label`, of which all figures are `count`, `mean`, `min`, `max`; without
        a valid record `global`, `by_metric` and `by_label`, all empty. `by_label` has `dialog` (over dialogue scores)
        and `turn` (over turn scores), with keys `column:value` in alphabetical order.

    Raises:
        ArgumentError: A statistic or the level is unknown, or a record that counts does not say where it belongs.
    """
    check_aggregation(turn_stat, dialog_stat, dataset_level)
    records = list(records)
    dialogues = _by_dialogue(records, strict=strict)
    if not dialogues:
        return {"global": {}, "by_metric": {}, "by_label": {}}
    statistic = _STATISTICS[turn_stat]
    dialogue_scores, scores = _Breakdown(), _Breakdown()
    for turns in dialogues.values():
        own = []
        for turn in turns.values():
            own.append(float(statistic(turn.scores)))
            scores.add(own[-1], label_buckets(turn.turn_labels))
        first = next(iter(turns.values()))  # the turn of the dialogue's first valid record
        labels = [*label_buckets(first.dialog_labels), *hierarchies(first.dialog_labels)]
        dialogue_scores.add(dialogue_score(own, dialog_stat), labels)
    overall = dialogue_scores if dataset_level == "dialog" else scores
    return {
        "config": {"turn_stat": turn_stat, "dialog_stat": dialog_stat, "dataset_level": dataset_level},
        "global": _figures(overall.values),
        "by_metric": _by_metric(records, strict=strict) if by_metric else {},
        "by_label": {"dialog": dialogue_scores.figures(), "turn": scores.figures()},
    }


@dataclass(slots=True)
class _Breakdown:
    """Scores, all of them and by bucket."""

    values: list[float] = field(default_factory=list)
    buckets: dict[str, list[float]] = field(default_factory=dict)

    def add(self, value: float, buckets: Iterable[str]) -> None:
        self.values.append(value)
        for bucket in set(buckets):
            self.buckets.setdefault(bucket, []).append(value)

    def figures(self) -> dict[str, Figures]:
        return {bucket: _figures(self.buckets[bucket]) for bucket in sorted(self.buckets)}


def _figures(values: Sequence[float]) -> Figures:
    return {"count": len(values), "mean": mean(values), "min": min(values), "max": max(values)}


def _by_metric(records: Iterable[Record], *, strict: bool) -> dict[str, Figures]:
    metrics = _Breakdown()
    for record in records:
        score, name = valid_score(record), record.get("metric_name")
        if isinstance(name, str) and (score is not None or strict):
            metrics.add(score or 0.0, [name])
    return metrics.figures()


def hierarchies(labels: Any) -> Iterator[str]:
    """The buckets that `task_type` and `task_subtype` of a dialogue make together."""
    columns = label_values(labels)
    kinds, subkinds = (columns.get(column, []) for column in _HIERARCHY)
    return (f"task_hierarchy:{kind} > {subkind}" for kind in kinds for subkind in subkinds)


def length_curve(records: Iterable[Record], turn_stat: str = "mean") -> dict[int, float]:
    """The mean dialogue minimum over the first turns only, so that dialogues of different lengths can be compared.

    A minimum over all turns shrinks as dialogues get longer.

    Args:
        records: Of one model.
        turn_stat: `mean`, `min` or `max`, over the valid records of a turn.

    Returns:
        For k = 1, 2, … up to the length that half of the dialogues reach: the mean, over the dialogues with at least k
        scored turns, of the minimum over their first k.

    Raises:
        ArgumentError: The statistic is unknown, or a valid record does not say where it belongs.
    """
    lowest = [list(_running_minimum(scores)) for scores in turn_scores(records, turn_stat).values()]
    lengths = sorted(map(len, lowest), reverse=True)
    # Half of the dialogues, rounded up, are at least as long as the last of them.
    longest = lengths[(len(lengths) + 1) // 2 - 1] if lengths else 0
    return {k: mean([minima[k - 1] for minima in lowest if len(minima) >= k]) for k in range(1, longest + 1)}


def _running_minimum(scores: Iterable[float]) -> Iterator[float]:
    lowest = math.inf
    for score in scores:
        lowest = min(lowest, score)
        yield lowest
