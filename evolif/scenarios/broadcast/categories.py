"""Categories and what stands beside them: all together, problems, what nobody judged, switching against reasoning."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from statistics import fmean
from typing import Any

from evolif.metrics import Interval
from evolif.metrics.shares import Share
from evolif.scenario.presentation import Grid, TableCell, TableRow
from evolif.scenarios.broadcast.accuracy import category_sums, match_accuracy, match_share, overall_share
from evolif.scenarios.broadcast.breakdowns import by_subtask
from evolif.scenarios.broadcast.cells import Shares, percent_cell, points_cell, share_object
from evolif.scenarios.broadcast.means import difference_interval, value_of
from evolif.scenarios.broadcast.scores import CATEGORIES
from evolif.scenarios.broadcast.sessions import BroadcastColumn, PlayedMatch, heads_of

CATEGORY_TABLE = "categories"
"""The name of the table."""
TITLES: Mapping[str, str] = {
    "IF": "instruction following",
    "CR": "context retrieval",
    "IR": "information reasoning",
    "TS": "task switching",
}
_OVERALL, _PROBLEMS, _ALL, _UNJUDGED = "overall", "problems", "all judged turns", "points that nobody judged"
_FEWEST_TURNS = 10
"""A sub-task is called the weakest only with as many turns."""


def category_shares(column: BroadcastColumn) -> dict[str, Share]:
    """Overall, the categories, problems and all judged turns of one model; those that it has."""
    found = {_OVERALL: overall_share(column.matches, seed=column.seed, resamples=column.resamples)}
    for task, matches in column.tasks.items():
        found[_named(task)] = match_share(((one, match_accuracy(one)["accuracy"]) for one in matches), column.draws)
    found[_PROBLEMS] = _mean_of(column, "math_accuracy")
    found[_ALL] = _mean_of(column, "original_accuracy")
    return {name: share for name, share in found.items() if share.value is not None}


def _named(task: str) -> str:
    return f"{task} {TITLES[task]}" if task in TITLES else task or "unknown"


def _mean_of(column: BroadcastColumn, name: str) -> Share:
    found = ((one, match_accuracy(one).get(name)) for one in column.matches)
    return match_share(((one, value) for one, value in found if isinstance(value, float)), column.draws)


def unjudged_share(matches: Sequence[PlayedMatch]) -> float | None:
    """Which part of the points of the judged turns nobody judged; None without a turn."""
    turns = [turn.unjudged for match in matches for turn in match.turns]
    return fmean(turns) if turns else None


def switching(column: BroadcastColumn) -> tuple[float, Interval | None] | None:
    """TS minus IR, which were played on different matches; None without one of them.

    The 95 % interval is over the matches of both; there is none with fewer than six of either.
    """
    own = category_sums(column.matches)
    if "TS" not in own or "IR" not in own:
        return None
    value = value_of(own["TS"]) - value_of(own["IR"])
    return value, difference_interval(own["TS"], own["IR"], column.draws)


def category_grid(columns: Sequence[BroadcastColumn]) -> Grid:
    """The categories of models side by side."""
    found = [category_shares(one) for one in columns]
    names = [name for name in _order(found) if any(name in own for own in found)]
    rows: list[TableRow] = [(name, tuple(percent_cell(own.get(name), True) for own in found)) for name in names]
    notes = [
        "Mean over dialogues of the mean score of their turns, from whole matches, whatever became of patience; "
        "problems count in their own row only. Overall: the plain mean of the categories. In brackets: 95 % intervals "
        "over matches, of which all variants and epochs are one."
    ]
    apart = [switching(one) for one in columns]
    if any(apart):
        cells = (TableCell() if one is None else points_cell(*one) for one in apart)
        rows.append(("TS − IR, points", tuple(cells)))
        notes.append(
            "TS − IR: on different matches; what switching costs on the same ones takes --set switch=math,none."
        )
    unjudged = [unjudged_share(one.matches) for one in columns]
    if any(unjudged):
        rows.append((_UNJUDGED, tuple(_small_cell(one) for one in unjudged)))
    title = "Accuracy by category (%), and how many matches"
    return Grid(CATEGORY_TABLE, title, "category", heads_of(columns), tuple(rows), " ".join(notes))


def _order(found: Sequence[Shares]) -> list[str]:
    tasks = [f"{task} {TITLES[task]}" for task in CATEGORIES]
    known = (_OVERALL, *tasks, _PROBLEMS, _ALL)
    others = dict.fromkeys(name for own in found for name in own if name not in known)
    return [_OVERALL, *tasks, *others, _PROBLEMS, _ALL]


def _small_cell(share: float | None) -> TableCell:
    return TableCell() if share is None else TableCell(f"{100 * share:.1f}" if share else "0")


def category_remarks(name: str, column: BroadcastColumn) -> Iterator[str]:
    """What a model reaches, where it is weakest, and what the figures leave out, in sentences.

    Args:
        name: Of the model.
        column: What it played.
    """
    if column.matches:
        yield reached(name, column)
        yield from _weakest(name, column)
    yield from broken_line(name, column)
    unjudged = unjudged_share(column.matches)
    if unjudged:
        yield (
            f"{name}: {100 * unjudged:.1f} % of the points are not judged (does a sentence support the team, is a "
            "summary true); a judge decides on them with --judge."
        )


def broken_line(name: str, column: BroadcastColumn) -> Iterator[str]:
    """How many matches broke off, and what lacks them; nothing if none did."""
    if column.broken:
        were = "match broke off and is" if column.broken == 1 else "matches broke off and are"
        yield f"{name}: {column.broken} {were} in no category: their scores come from whole matches."


def reached(name: str, column: BroadcastColumn) -> str:
    """What a model reaches in all, and in each category.

    Args:
        name: Of the model.
        column: What it played; with a match.
    """
    found = category_shares(column)
    tasks = column.tasks
    whole = percent_cell(found.get(_OVERALL))
    share = f"{whole.value} % {whole.aside}".strip()
    if len(tasks) == 1:
        [task] = tasks
        text = f"{name} reaches {share} in {task} ({TITLES.get(task, 'unknown')}) over {column.size}"
    else:
        own = category_sums(column.matches)
        listed = ", ".join(f"{task} {100 * value_of(sums):.0f}" for task, sums in own.items())
        text = f"{name} reaches {share} overall over {column.size}: {listed}"
    problems = found.get(_PROBLEMS)
    beside = "" if problems is None else f"; of the problems in between it solves {percent_cell(problems).value} %"
    return f"{text}{beside}."


def _weakest(name: str, column: BroadcastColumn) -> Iterator[str]:
    shares = {
        asked: share.value
        for asked, share in by_subtask(column.matches).items()
        if share.value is not None and share.of >= _FEWEST_TURNS and not asked.endswith(", problem")
    }
    if len(shares) > 1:
        best, worst = max(shares, key=lambda asked: shares[asked]), min(shares, key=lambda asked: shares[asked])
        if shares[best] > shares[worst]:
            yield (
                f"{name} does best in {best} ({100 * shares[best]:.0f} %) and worst in {worst} "
                f"({100 * shares[worst]:.0f} %)."
            )


def categories_object(column: BroadcastColumn) -> dict[str, Any]:
    """What the table of metrics does not have, for machines."""
    value = overall_share(column.matches, seed=column.seed, resamples=column.resamples)
    overall = share_object(value)
    del overall["of"]
    found: dict[str, Any] = {"overall": overall, "unjudged_points": unjudged_share(column.matches)}
    apart = switching(column)
    if apart is not None:
        low, high = apart[1] or (None, None)
        found["ts_minus_ir_on_other_matches"] = {"value": apart[0], "low": low, "high": high}
    return found
