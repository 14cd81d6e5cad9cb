"""Accuracy against turns between floor and ceiling, as tables and as the figure of the paper."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from statistics import fmean
from typing import Any

from evolif.scenario import LineChart, LinePoint, PlotLine
from evolif.scenario.presentation import Grid, TableCell, TableRow
from evolif.scenarios.games.cells import (
    accuracy_cell,
    counted,
    heads_of,
    mean_of,
    percent_cell,
    points_cell,
    without_references,
)
from evolif.scenarios.games.figures import (
    AccuracyRow,
    Dialogue,
    accuracy_interval,
    accuracy_table,
    gain_table,
    guess_and_check,
    is_correct,
    isotoken,
)
from evolif.scenarios.games.play_charts import INTERACTIVITY
from evolif.scenarios.games.sessions import GameColumn
from evolif.scenarios.games.stored import Played

TURNS, NORMALISED, GAIN = "turns", "normalised", "gain"
"""Names of the tables."""
ACCURACY_FIGURE = "accuracy-by-turns"
"""The name of the figure."""
_GUESSING = "guess and check"


def turns_grid(columns: Sequence[GameColumn]) -> Grid:
    """Accuracy at each number of turns, with the references beside it."""
    found = [_by_turns(one) for one in columns]
    references = _references(columns)
    rows = []
    for turns in _budgets(columns):
        cells = [accuracy_cell(one.get(turns)) for one in found]
        rows.append((str(turns), (*cells, *(percent_cell(one.get(turns)) for one in references.values()))))
    note = (
        "All with the same tokens a dialogue, so more turns should never hurt. In brackets: 95 % intervals over "
        f"instances, and how many dialogues. {counted(columns)} "
        "Floor: the best guess from one part; ceiling: with both parts, each instance has a proof"
        f"{'; guess and check: the odds of proposing own rows in turn' if _GUESSING in references else ''}."
    )
    heads = (*heads_of(columns), *references)
    return Grid(TURNS, "Accuracy by number of turns, in %", "turns", heads, tuple(rows), note)


def normalised_grid(columns: Sequence[GameColumn]) -> Grid:
    """Accuracy between the references: 0 at the floor, 100 at the ceiling."""
    found = [_by_turns(one) for one in columns]
    rows = tuple(
        (
            str(turns),
            tuple(percent_cell(None if (row := one.get(turns)) is None else row["normalised"]) for one in found),
        )
        for turns in _budgets(columns)
    )
    title = "Accuracy between floor (0) and ceiling (100)"
    return Grid(NORMALISED, title, "turns", heads_of(columns), tuple(rows))


def gain_grid(columns: Sequence[GameColumn]) -> Grid | None:
    """What turns gain; None where all dialogues have as many."""
    own = [one for one in without_references(columns) if len(one.budgets) > 1]
    if not own:
        return None
    gains = [gain_table(one.played)[0] for one in own]
    sums = [isotoken({turns: row["accuracy"] for turns, row in _by_turns(one).items()}) for one in own]
    ends = {(row["fewest"], row["most"]) for row in gains}
    words = "gain, points" if len(ends) > 1 else "gain from {} to {} turns, points".format(*ends.copy().pop())
    rows: tuple[TableRow, ...] = (
        (words, tuple(points_cell(row["gain"], row["low"], row["high"]) for row in gains)),
        ("instances played with both", tuple(TableCell(str(row["instances"])) for row in gains)),
        ("best with", tuple(TableCell(f"{one['best_turns']} turns") for one in sums)),
        (
            "never falls as turns grow",
            tuple(TableCell("yes" if one["monotone_non_decreasing"] else "no") for one in sums),
        ),
    )
    note = (
        "The same instances are played with few turns and with many; the interval (95 %) is paired over instances. "
        f"{counted(own)}"
    )
    return Grid(GAIN, "What more turns gain", "figure", heads_of(own), rows, note)


def turns_chart(columns: Sequence[GameColumn]) -> LineChart:
    """Accuracy against turns, between floor and ceiling."""
    budgets = _budgets(columns)
    games = [(one.name, _by_turns(one)) for one in without_references(columns)]
    lines = [PlotLine(name, tuple(_point(own.get(turns)) for turns in budgets)) for name, own in games]
    references = {name: [values.get(turns) for turns in budgets] for name, values in _references(columns).items()}
    for column in columns:
        if column.reference != "none":
            right = fmean(map(is_correct, column.played))
            references[column.name] = [right] * len(budgets)
    caption = (
        "Accuracy with 95 % intervals over instances; all dialogues have the same tokens, cut into more turns to the "
        "right. Grey: the floor, which is the best guess from one part, the ceiling with both parts, and other "
        "references."
    )
    grey = [PlotLine(name, tuple(map(LinePoint, values))) for name, values in references.items() if name != "chance"]
    return LineChart(
        ACCURACY_FIGURE, "Accuracy against turns", caption, INTERACTIVITY, "accuracy (%)",
        tuple(map(float, budgets)), tuple(lines), tuple(grey),
    )  # fmt: skip


def game_remarks(name: str, dialogues: Sequence[Dialogue]) -> Iterator[str]:
    """What turns gain a model, in two sentences; nothing where all its dialogues have as many.

    Args:
        name: Of the model.
        dialogues: As for `accuracy_object`.
    """
    by_turns = {row["turn_budget"]: row["accuracy"] for row in accuracy_table(dialogues)}
    if len(by_turns) < 2:
        return
    [row] = gain_table(dialogues)
    found = isotoken(by_turns)
    cell = points_cell(row["gain"], row["low"], row["high"])
    listed = ", ".join(
        f"{100 * value:.0f} % ({turns}{' turns' if not at else ''})"
        for at, (turns, value) in enumerate(by_turns.items())
    )
    falls = "never falls" if found["monotone_non_decreasing"] else "falls somewhere"
    yield (
        f"Accuracy of {name}: {listed}. From {row['fewest']} to {row['most']} turns it gains "
        f"{f'{cell.value} {cell.aside}'.strip()} points over {row['instances']} instances; it is best with "
        f"{found['best_turns']} turns, and {falls} as turns grow."
    )


def turns_sentence(name: str, dialogues: Sequence[Dialogue]) -> str:
    """Accuracy at the fewest and at the most turns, and what lies between; empty if all dialogues have as many.

    Args:
        name: Of the model.
        dialogues: As for `accuracy_object`.
    """
    by_turns = {row["turn_budget"]: row["accuracy"] for row in accuracy_table(dialogues)}
    if len(by_turns) < 2:
        return ""
    [row] = gain_table(dialogues)
    cell = points_cell(row["gain"], row["low"], row["high"])
    first, last = (f"{100 * by_turns[turns]:.0f} %" for turns in (row["fewest"], row["most"]))
    return (
        f"{name} gets {first} of the games right with {row['fewest']} turns and {last} with {row['most']}: "
        f"{f'{cell.value} points {cell.aside}'.strip()}."
    )


def accuracy_object(dialogues: Iterable[Dialogue]) -> dict[str, Any]:
    """Accuracy of one model in one run, for machines.

    Args:
        dialogues: Of one pair; those that have a result. Of instances, what tells them apart is enough.

    Returns:
        `accuracy` {value, low, high} with its 95 % interval over instances, the one of tables; `reasons`, dialogues by
        how they ended; where there are several numbers of turns, `by_turns`, accuracy by number of turns, as
        fractions, `gain`, accuracy at the most minus accuracy at the fewest over the instances played at both, with
        `gain_interval` {low, high}, paired over these, and `best_turns` and `monotone_non_decreasing`, as `isotoken`
        has them. Of several games there is instead `games`, the same for each.
    """
    own = list(dialogues)
    right = list(map(is_correct, own))
    value = mean_of(map(float, right))
    low, high = accuracy_interval(own) or (None, None)
    found: dict[str, Any] = {
        "accuracy": {"value": value, "low": low, "high": high},
        "reasons": dict(sorted(Counter(one["final"]["reason"] for one in own).items())),
    }
    games = sorted({one["instance"]["game"] for one in own})
    if len(games) > 1:
        parts = {game: [one for one in own if one["instance"]["game"] == game] for game in games}
        return found | {"games": {game: accuracy_object(part) for game, part in parts.items()}}
    by_turns = {str(row["turn_budget"]): row["accuracy"] for row in accuracy_table(own)}
    if len(by_turns) > 1:
        [row] = gain_table(own)
        found |= {"by_turns": by_turns, "gain_interval": {"low": row["low"], "high": row["high"]}, **isotoken(by_turns)}
        if row["gain"] is not None:
            found["gain"] = row["gain"]  # what its interval is about, where some instances lack a number of turns
    return found


def accuracy_references(played: Iterable[Played]) -> dict[int, dict[str, float]]:
    """The floor, the ceiling, chance and in names guess-and-check, at each number of turns."""
    found: dict[int, dict[str, float]] = {}
    for turns, own in GameColumn("", "", tuple(played)).budgets.items():
        [row, *_] = accuracy_table([{**one, "pair": []} for one in own])
        known = {"floor": row["floor"], "ceiling": row["ceiling"], "chance": row["chance"]}
        if row["game"] == "names":
            sizes = [len(one["instance"]["private"][0]["rows"]) for one in own]
            known[_GUESSING] = fmean(guess_and_check(size, turns) for size in sizes)
        found[turns] = {name: value for name, value in known.items() if value is not None}
    return found


def _references(columns: Sequence[GameColumn]) -> dict[str, dict[int, float]]:
    """The same by name, in the order of tables."""
    found = accuracy_references(one for column in columns for one in column.played)
    names = ("floor", _GUESSING, "ceiling", "chance")
    told = {name: {turns: own[name] for turns, own in found.items() if name in own} for name in names}
    return {name: values for name, values in told.items() if values}


def _by_turns(column: GameColumn) -> dict[int, AccuracyRow]:
    return {row["turn_budget"]: row for row in accuracy_table(column.played)}


def _budgets(columns: Sequence[GameColumn]) -> list[int]:
    return sorted({turns for one in columns for turns in one.budgets})


def _point(row: AccuracyRow | None) -> LinePoint:
    return LinePoint() if row is None else LinePoint(row["accuracy"], row["low"], row["high"], row["n"])
