"""What was found of answered turns as Arrow arrays, built by column from the store's JSON."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate, chain
from typing import Any

from evolif.exchange.columns import arrow, fitted
from evolif.exchange.run_rows import judge_score_rows, score_rows, verdict_rows
from evolif.exchange.tables import run_columns
from evolif.runner.records import load_json


@dataclass(frozen=True, slots=True)
class FoundColumns:
    """Verdicts and scores of some turns; each column has a value per turn.

    Attributes:
        judged: Numbers of verdicts that were reached.
        satisfied: How many of these are that it is satisfied.
        ok: Whether all are; None where there is none.
        verdicts: An Arrow array of lists.
        scores: An Arrow array of lists; without any for each turn if no turn has one.
        judge_scores: An Arrow array of lists.
    """

    judged: Sequence[int]
    satisfied: Sequence[int]
    ok: Sequence[bool | None]
    verdicts: Any
    scores: Any
    judge_scores: Any


def found_columns(
    verdicts: Sequence[str | None], scores: Sequence[str], records: Sequence[str], *, hide_expected: bool = False
) -> FoundColumns:
    """The columns of stored verdicts, scores and records.

    Args:
        verdicts: JSON texts; None for a turn that is not judged yet.
        scores: JSON texts, or empty ones.
        records: JSON texts, or empty ones.
        hide_expected: Leave out what was expected, because it gives an answer key away.

    Raises:
        ValueError, LookupError, TypeError: A text is not as it was written, or an array cannot hold what is in it.
    """
    rows = [() if text is None else load_json(text) for text in verdicts]
    judged = [[one["satisfied"] for one in own if one["satisfied"] is not None] for own in rows]
    try:
        arrays = _arrays(rows, scores, records, hide_expected)
    except (ValueError, LookupError, TypeError, OverflowError):
        # A value that its column cannot hold, such as half a surrogate pair, or a span without its view.
        arrays = _fitted_arrays(verdicts, scores, records, hide_expected)
    return FoundColumns(
        judged=[*map(len, judged)],
        satisfied=[*map(sum, judged)],
        ok=[all(own) if own else None for own in judged],
        verdicts=arrays[0],
        scores=arrays[1],
        judge_scores=arrays[2],
    )


def _arrays(
    rows: Sequence[Sequence[Mapping[str, Any]]], scores: Sequence[str], records: Sequence[str], hide_expected: bool
) -> tuple[Any, Any, Any]:
    given = [[*map(_blank, score_rows(text))] if hide_expected else score_rows(text) for text in scores]
    judges = [judge_score_rows(text) for text in records]
    return (_verdicts(rows, hide_expected), lists(given, _structs(_SCORE)), lists(judges, _structs(_JUDGE_SCORE)))


def _fitted_arrays(
    verdicts: Sequence[str | None], scores: Sequence[str], records: Sequence[str], hide_expected: bool
) -> tuple[Any, Any, Any]:
    pa = arrow()
    types = run_columns(pa)
    found, given = [*map(verdict_rows, verdicts)], [*map(score_rows, scores)]
    if hide_expected:
        found, given = ([[*map(_blank, own)] for own in column] for column in (found, given))
    columns = {"verdicts": found, "scores": given, "judge_scores": [*map(judge_score_rows, records)]}
    first, second, third = (
        pa.array([fitted(own, types[name]) for own in column], types[name]) for name, column in columns.items()
    )
    return first, second, third


def null_if_empty(array: Any) -> Any:
    """A column that rows only have where there is something in it."""
    pa = arrow()
    from pyarrow import compute

    return compute.if_else(compute.equal(compute.list_value_length(array), 0), pa.scalar(None, array.type), array)


def _blank(row: dict[str, Any]) -> dict[str, Any]:
    return {**row, "expected": ""}


_SCORE = {"name": "string", "value": "float64", "expected": "string", "found": "string"}
_JUDGE_SCORE = {
    "group": "string", "judge": "string", "score": "float64", "rationale": "string", "problem": "string",
}  # fmt: skip


def lists(rows: Sequence[Sequence[Any]], items: Callable[[Sequence[Any]], Any]) -> Any:
    """An Arrow array of lists.

    Args:
        rows: The lists.
        items: Makes the array of all their items.
    """
    pa = arrow()
    ends = pa.array([*accumulate(map(len, rows), initial=0)], pa.int32())
    return pa.ListArray.from_arrays(ends, items([*chain.from_iterable(rows)]))


def _structs(types: Mapping[str, str]) -> Callable[[Sequence[Any]], Any]:
    pa = arrow()
    return lambda items: _struct({name: pa.array([one[name] for one in items], kind) for name, kind in types.items()})


def _struct(columns: Mapping[str, Any]) -> Any:
    return arrow().StructArray.from_arrays([*columns.values()], [*columns])


def _verdicts(rows: Sequence[Sequence[Mapping[str, Any]]], hide_expected: bool) -> Any:
    pa = arrow()

    def items(all_verdicts: Sequence[Mapping[str, Any]]) -> Any:
        expected: Iterable[str] = (one["expected"] for one in all_verdicts)
        return _struct(
            {
                "group": pa.array([one["group"] for one in all_verdicts], "string"),
                "satisfied": pa.array([one["satisfied"] for one in all_verdicts], "bool"),
                "expected": pa.array([""] * len(all_verdicts) if hide_expected else [*expected], "string"),
                "found": pa.array([one["found"] for one in all_verdicts], "string"),
                "spans": lists([one["spans"] for one in all_verdicts], _spans),
            }
        )

    return lists(rows, items)


def _spans(spans: Sequence[Sequence[Any]]) -> Any:
    pa = arrow()
    if any(len(span) != 3 for span in spans):
        raise ValueError("a span without its view")  # of a file that another program wrote
    types = {"start": "int64", "end": "int64", "view": "string"}
    return _struct(
        {name: pa.array([span[place] for span in spans], kind) for place, (name, kind) in enumerate(types.items())}
    )
