"""The tables of a report on recorded dialogues: from records to the score, what is missing, lengths, differences.

Figures are in per cent. Names from the dialogues are made plain here, because tables go to terminals and papers, too.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import combinations
from typing import Any, Final

from evolif.metrics import FEWEST
from evolif.scenario.presentation import Grid, TableCell, TableRow
from evolif.scenarios.recorded.aggregation import length_curve, mean, parse_aggregation, turn_scores, valid_score
from evolif.scenarios.recorded.model_results import COMMON_AGGREGATIONS, ModelResults, dialogue_of, has_intervals
from evolif.text import plain

_LONGEST_NAME: Final = 60
_MOST_PAIRS: Final = 15
"""Up to this many pairs of models, all are compared; beyond that, the best model with every other."""
_LENGTHS: Final = (*range(1, 11), 15, 20, 30, 40, 50, 75, 100, 150, 200, 300, 500)
_WORDS: Final[Mapping[str, str]] = {"mean": "mean", "min": "lowest", "max": "highest"}
_KINDS: Final = ("records", "turns", "dialogues")
_NO_NUMPY: Final = "Intervals need NumPy: pip install 'evolif[report]'."


def name_of(text: str) -> str:
    """A foreign name for a table: plain, and not long."""
    shown = plain(text[: 4 * _LONGEST_NAME])
    return shown if len(shown) <= _LONGEST_NAME else f"{shown[: _LONGEST_NAME - 1]}…"


def score_cell(
    value: float | None, interval: tuple[float, float] | None = None, of: int | None = None, expected: int | None = None
) -> TableCell:
    """A score in per cent, its interval, over how many it goes, and how many it should: “45 [38–52] of 29/30”.

    An interval of a single point says nothing and is left out: all dialogues agree.
    """
    partial = expected is not None and expected != of
    counted = "" if of is None else f"of {of}/{expected}" if partial else f"of {of}"
    if value is None:
        return TableCell("-", counted if partial else "")
    between = "" if interval is None or interval[0] == interval[1] else f"[{_percent(*interval)}]"
    return TableCell(f"{100 * value:.0f}", f"{between} {counted}".strip())


def aggregation_tree(results: Sequence[ModelResults]) -> Grid:
    """How records become turns, dialogues and the score, step by step, with the bounds of the score."""
    name = results[0].aggregation
    turn_stat, dialog_stat, level = parse_aggregation(name)
    own_score = "the score is their mean"
    rows: list[TableRow] = [("records", tuple(_mean_cell(_scores(one)) for one in results))]
    turn = f"turns: the {_WORDS[turn_stat]} of their records"
    if level == "dialog":
        turns = (_flat(turn_scores(one.valid, turn_stat).values()) for one in results)
        rows.append((turn, tuple(map(_mean_cell, turns))))
        rows += _score_rows(
            results, name, f"dialogues: the {_WORDS[dialog_stat]} of their turns; {own_score}", "bounds"
        )
    else:
        rows += _score_rows(results, name, f"{turn}; {own_score}", "bounds")
    what = "dialogue" if level == "dialog" else "turn"
    rows.append((f"lowest and highest {what}", tuple(_range(one.under(name)) for one in results)))
    return Grid(
        "aggregation", f"From records to the score {name}, in %", "step", _heads(results), tuple(rows), _apart(results)
    )


def other_aggregations(results: Sequence[ModelResults]) -> Grid:
    """The score under the common aggregations, each with its interval and bounds."""
    names = dict.fromkeys((results[0].aggregation, *COMMON_AGGREGATIONS))
    rows = tuple(row for name in names for row in _score_rows(results, name, name, f"{name}, bounds"))
    note = (
        "Brackets are 95 % percentiles over resampled dialogues; there are none over fewer than six dialogues, or "
        "where all agree. The headline allows for few dialogues, so its interval may be wider. Bounds: the score if "
        "every record that is not in it were 0, and if it were 1."
    )
    note = note if has_intervals() else f"{note} {_NO_NUMPY}"
    title = "The score under other aggregations, in %"
    return Grid("aggregations", title, "aggregation", _heads(results), rows, note)


def coverage_grid(results: Sequence[ModelResults]) -> Grid:
    """What is expected, scored, failed and missing; and the failures by kind."""
    found = [one.coverage for one in results]
    rows: list[TableRow] = []
    for what in _KINDS:
        rows.append((f"{what} scored", tuple(_share(one[what]) for one in found)))
        for state in ("failed", "missing"):
            rows.append((f"{what} {state}", tuple(TableCell(str(one[what][state])) for one in found)))
    kinds = sorted({kind for one in found for kind in one["failures"]})
    for kind in kinds:
        rows.append((f"failed: {name_of(kind)}", tuple(TableCell(str(one["failures"].get(kind, 0))) for one in found)))
    if any(one.unscored["turns"] for one in results):
        bare = (TableCell(f"{one.unscored['turns']} of {one.unscored['evaluated_turns']}") for one in results)
        rows.append(("evaluated turns without a metric", tuple(bare)))
    lacking = any(one["records"]["failed"] or one["records"]["missing"] for one in found)
    note = (
        "Failed and missing records are in no mean, nor are sessions that did not come to their end." if lacking else ""
    )
    return Grid("coverage", "Coverage: scored of expected", "what", _heads(results), tuple(rows), note)


def metrics_grid(results: Sequence[ModelResults]) -> Grid:
    """The mean of the records of each metric."""
    found = [one.figures["by_metric"] for one in results]
    expected = [_expected_by_metric(one) for one in results]
    rows: list[TableRow] = []
    for name in sorted({name for one in expected for name in one}):
        cells = (
            score_cell(own.get(name, {}).get("mean"), None, own.get(name, {}).get("count", 0), of.get(name, 0))
            for own, of in zip(found, expected, strict=True)
        )
        rows.append((name_of(name), tuple(cells)))
    note = partial_note([cell for _, cells in rows for cell in cells])
    return Grid("metrics", "Mean score by metric, in %, over records", "metric", _heads(results), tuple(rows), note)


def partial_note(cells: Iterable[TableCell]) -> str:
    """What “of 29/30” means, where a cell has it."""
    return "“of A/B”: A of B expected have a score." if any("/" in cell.aside for cell in cells) else ""


def length_grid(results: Sequence[ModelResults]) -> Grid | None:
    """The mean of the lowest turn so far, over the first turns only; None where all dialogues are equally long."""
    if all(len(one.lengths) < 2 for one in results):
        return None
    turn_stat = parse_aggregation(results[0].aggregation)[0]
    curves = [length_curve(one.valid, turn_stat) for one in results]
    sizes = [list(map(len, turn_scores(one.valid).values())) for one in results]
    longest = max(map(len, curves))
    rows = [
        (
            str(k),
            tuple(
                score_cell(curve.get(k), None, sum(size >= k for size in own))
                for curve, own in zip(curves, sizes, strict=True)
            ),
        )
        for k in sorted({*(k for k in _LENGTHS if k < longest), longest})
    ]
    return Grid(
        "lengths",
        "Mean of the dialogue's lowest turn among its first k scored turns, in %",
        "k",
        _heads(results),
        tuple(rows),
        "Lengths differ, and a minimum shrinks as dialogues get longer: compare within a row. Each row has the "
        "dialogues with at least k scored turns.",
    )


def differences_grid(results: Sequence[ModelResults]) -> Grid | None:
    """By how much one model's score is above another's, over the dialogues of both; None for one model."""
    name = results[0].aggregation
    title = f"Paired differences in {name}, in percentage points"
    if len(results) < 2:
        return None
    if not has_intervals():
        return Grid("differences", title, "pair", (), (), _NO_NUMPY)
    rows = []
    for first, second in _pairs(results, name):
        found = first.minus(second)
        both = TableCell(str(int(found["dialogues"])) if found else "0")
        rows.append((f"{first.head} minus {second.head}", (_difference(found), both)))
    note = "Over the dialogues in which both have a score. No interval over fewer than six dialogues."
    return Grid("differences", title, "pair", ("difference", "dialogues"), tuple(rows), note)


def _pairs(results: Sequence[ModelResults], name: str) -> list[tuple[ModelResults, ModelResults]]:
    every = list(combinations(results, 2))
    if len(every) <= _MOST_PAIRS:
        return every
    best = max(results, key=lambda one: one.under(name).get("mean", -1.0))
    return [(best, other) for other in results if other is not best]


def _difference(found: Mapping[str, float] | None) -> TableCell:
    if found is None:
        return TableCell()
    enough = found["dialogues"] >= FEWEST
    shown = [f"{100 * found[key]:.1f}".replace("-0.0", "0.0") for key in ("point", "lo", "hi")]
    return TableCell(shown[0], f"[{shown[1]}, {shown[2]}]" if enough else "")


def _score_rows(results: Sequence[ModelResults], name: str, what: str, bounds: str) -> Iterator[TableRow]:
    cells = []
    for one in results:
        found = one.under(name)
        cells.append(score_cell(found.get("mean"), one.score_interval(name), found.get("count", 0), one.lacking(name)))
    yield what, tuple(cells)
    yield bounds, tuple(_between(one.bounds(name)) for one in results)


def _between(ends: tuple[float, float] | None) -> TableCell:
    return TableCell() if ends is None else TableCell(_percent(*ends))


def _percent(low: float, high: float) -> str:
    return f"{100 * low:.0f}–{100 * high:.0f}"


def _range(found: Mapping[str, Any]) -> TableCell:
    return _between((found["min"], found["max"]) if found else None)


def _share(counts: Mapping[str, int]) -> TableCell:
    expected, scored = counts["expected"], counts["scored"]
    return TableCell(f"{scored} of {expected}", f"({100 * scored / expected:.0f} %)" if expected else "")


def _scores(one: ModelResults) -> list[float]:
    return [score for record in one.records if (score := valid_score(record)) is not None]


def _flat(scores: Iterable[Sequence[float]]) -> list[float]:
    return [score for own in scores for score in own]


def _mean_cell(scores: Sequence[float]) -> TableCell:
    return score_cell(mean(scores) if scores else None, None, len(scores))


def _expected_by_metric(one: ModelResults) -> dict[str, int]:
    counted: dict[str, int] = {}
    for outline in one.outlines.values():
        for name in (name for turn in outline["turns"] for name in turn[1]):
            counted[name] = counted.get(name, 0) + 1
    return counted


def _heads(results: Sequence[ModelResults]) -> tuple[str, ...]:
    return tuple(one.head for one in results)


def _apart(results: Sequence[ModelResults]) -> str:
    """What the reader has to know of the sessions."""
    lines = []
    broken = [(one.head, len({record["dialog_id"] for record in one.apart})) for one in results if one.apart]
    if broken:
        listed = ", ".join(f"{head} {sessions}" for head, sessions in broken)
        lines.append(f"Sessions that did not come to their end are in the coverage only: {listed}.")
    if any(len({dialogue_of(number) for number in one.outlines}) < len(one.outlines) for one in results):
        lines.append("Each session counts as a dialogue; intervals draw a dialogue with all its sessions.")
    return " ".join(lines)
