"""How games are played, as tables: how they end, what haste costs, what is used, and what players say."""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import fmean

from evolif.scenario import HeatCell
from evolif.scenario.presentation import Grid, HeatMap, TableCell
from evolif.scenarios.games.cells import (
    first_head,
    game_of,
    mean_of,
    percent_cell,
    points_cell,
    row_name,
    rows_by_turns,
    share_cell,
)
from evolif.scenarios.games.early_answers import HasteRow, early_table, haste_cost
from evolif.scenarios.games.ending import REASONS
from evolif.scenarios.games.figures import is_correct, proposal_table
from evolif.scenarios.games.sessions import GameColumn
from evolif.scenarios.games.stored import Played
from evolif.scenarios.games.sycophancy import KINDS
from evolif.scenarios.games.talk import has_apology, information_of, talk_of

USAGE, ENDINGS, EARLY, INFORMATION, LANGUAGE, PROPOSALS, SYCOPHANCY = (
    "usage", "endings", "early", "information", "language", "proposals", "sycophancy",
)  # fmt: skip
"""Names of the tables."""
INFORMATION_FIGURE = "information-by-turn"
"""The name of the figure."""
_MOST_DRAWN = 24
"""Turns of a dialogue whose information is still drawn turn by turn."""
_PLAIN = ("correct", "wrong")
"""Reasons that need no explanation."""


def endings_grid(columns: Sequence[GameColumn]) -> Grid:
    """How games end."""
    heads = tuple(reason.replace("_", " ") for reason in REASONS)
    told = "; ".join(
        f"{reason.replace('_', ' ')}: {words}" for reason, words in REASONS.items() if reason not in _PLAIN
    )
    note = f"{told[0].upper()}{told[1:]}."
    rows = rows_by_turns(columns, _ended)
    return Grid(ENDINGS, "Reasons why games end, in %", first_head(columns), (*heads, "dialogues"), rows, note)


def _ended(own: Sequence[Played]) -> tuple[TableCell, ...]:
    reasons = [one["final"]["reason"] for one in own if one["final"] is not None]
    return (*(percent_cell(reasons.count(reason) / len(own)) for reason in REASONS), TableCell(str(len(own))))


def early_grid(columns: Sequence[GameColumn]) -> Grid | None:
    """Answers before the last turn, and what haste cost where held runs stand beside; None if all were held."""
    free = [one for one in columns if not one.held]
    if not free:
        return None
    held = {one.model: one for one in columns if one.held}
    costs = {one.name: _costs(one, held.get(one.model)) for one in free}

    def cells(name: str, turns: int, own: Sequence[Played]) -> tuple[TableCell, ...]:
        [row] = early_table(own)
        last = [float(is_correct(one)) for one in own if not _is_early(one)]
        shown = [
            percent_cell(row["share"]),
            share_cell(row["accuracy"], row["early"]),
            share_cell(mean_of(last), len(last)),
        ]
        if held:
            shown.append(_cost_cell(costs[name].get(turns)))
        return tuple(shown)

    rows = tuple(
        (row_name(free, one, turns), cells(one.name, turns, own)) for one in free for turns, own in one.budgets.items()
    )
    heads = (
        "answered early",
        "accuracy of these",
        "of those at the last turn",
        *(["cost of haste, points"] if held else []),
    )
    note = (
        "Cost: accuracy of the same instances with early answers refused, minus that of the early answers; in "
        "brackets: its 95 % interval, paired over instances, and how many these are."
        if held
        else "What haste costs is shown beside a run with --fork and --set hold_answers=true."
    )
    return Grid(EARLY, "Answers before the last turn, in %", first_head(free), heads, rows, note)


def _costs(free: GameColumn, held: GameColumn | None) -> dict[int, HasteRow]:
    found = [] if held is None else haste_cost(free.played, held.played)
    return {row["turn_budget"]: row for row in found}


def _cost_cell(row: HasteRow | None) -> TableCell:
    return TableCell() if row is None else points_cell(row["cost"], row["low"], row["high"], row["n"])


def _is_early(one: Played) -> bool:
    return one["final"] is not None and one["final"]["turn"] < one["turn_budget"]


def usage_grid(columns: Sequence[GameColumn]) -> Grid:
    """How much of turns and tokens is used, and what is cut."""
    heads = (
        "turns used, %",
        "tokens of player 1",
        "tokens of player 2",
        "tokens used, %",
        "turns cut, %",
        "apologies, %",
    )
    title = "Turns and tokens that are used, on average"
    note = "Apologies: dialogues with a word that begins with “apolog”."
    return Grid(USAGE, title, first_head(columns), heads, rows_by_turns(columns, _used), note)


def _used(own: Sequence[Played]) -> tuple[TableCell, ...]:
    spoken = [turn for one in own for turn in one["turns"]]
    tokens = [
        [sum(turn["tokens"] for turn in one["turns"] if turn["player"] == player) for one in own] for player in (0, 1)
    ]
    shares = [sum(turn["tokens"] for turn in one["turns"]) / one["total_tokens"] for one in own]
    return (
        percent_cell(fmean(len(one["turns"]) / one["turn_budget"] for one in own)),
        *(TableCell(f"{fmean(counts):.0f}") for counts in tokens),
        percent_cell(fmean(shares)),
        percent_cell(mean_of(float(turn["truncated"]) for turn in spoken)),
        percent_cell(fmean(has_apology(one) for one in own)),
    )


def information_grid(columns: Sequence[GameColumn]) -> Grid | None:
    """In names, what the turns tell; None in other games."""
    rows = rows_by_turns([one for one in columns if game_of(one) == "names"], _informed)
    if not rows:
        return None
    heads = ("bits a turn", "bits a dialogue", "of what is needed, %", "false claims", "unread sentences")
    note = (
        "Bits: by how much a turn narrows the listener’s rows that may be the shared one, as the binary logarithm of "
        "how many there were ÷ are left. Needed: that of all rows. False claims and unread sentences tell nothing; "
        "both are counted per dialogue."
    )
    return Grid(INFORMATION, "Information that is exchanged", first_head(columns), heads, rows, note)


def _informed(own: Sequence[Played]) -> tuple[TableCell, ...]:
    found = [information_of(one) for one in own]
    bits = [math.fsum(one.bits) for one in found]
    turns = sum(len(one.bits) for one in found)
    return (
        TableCell(f"{math.fsum(bits) / turns:.2f}") if turns else TableCell(),
        TableCell(f"{fmean(bits):.2f}"),
        percent_cell(mean_of(told / one.needed for told, one in zip(bits, found, strict=True) if one.needed)),
        TableCell(f"{fmean(one.false for one in found):.2f}"),
        TableCell(f"{fmean(one.unread for one in found):.2f}"),
    )


def information_map(columns: Sequence[GameColumn]) -> HeatMap | None:
    """The share of the needed information that each turn tells; None in other games, or where turns are too many."""
    rows = []
    own = [one for one in columns if game_of(one) == "names"]
    most = max((turns for one in own for turns in one.budgets), default=0)
    if not 0 < most <= _MOST_DRAWN:
        return None
    for column in own:
        for turns, played in column.budgets.items():
            found = [one for one in map(information_of, played) if one.needed]
            cells = [[one.bits[at] / one.needed for one in found if at < len(one.bits)] for at in range(most)]
            rows.append((row_name(own, column, turns), tuple(HeatCell(mean_of(one), len(one)) for one in cells)))
    caption = (
        "Bits that a turn tells its listener, in % of what is needed to single out the shared row, over the dialogues "
        "that had this turn."
    )
    columns_named = tuple(str(at + 1) for at in range(most))
    return HeatMap(INFORMATION_FIGURE, "Information per turn", caption, columns_named, tuple(rows), "dialogues")


def language_grid(columns: Sequence[GameColumn], parser: str | None) -> Grid | None:
    """Lexical density, and coherence where a parser is installed; without dialogues of two turns."""
    rows = rows_by_turns(columns, lambda own: _said(own, parser), fewest=3)
    if not rows:
        return None
    heads = ("lexical density", "content words, %", "novelty", *(["coherence"] if parser else []))
    note = (
        "Dialogues of two turns are left out. Density: 100 × share of content words × novelty, by the printed formula; "
        "values of the paper’s plots are about half of it. "
        + (
            f"Coherence: centering, from 0 to 3, with noun phrases by {parser}."
            if parser
            else "No parser for noun phrases is installed (extra games), so there is no coherence."
        )
    )
    return Grid(LANGUAGE, "How players talk, on average", first_head(columns), heads, rows, note)


def _said(own: Sequence[Played], parser: str | None) -> tuple[TableCell, ...]:
    found = [talk_of(one, coherent=parser is not None) for one in own]
    coherence = mean_of(one.coherence for one in found if one.coherence is not None)
    cells = [
        TableCell(f"{fmean(one.density for one in found):.1f}"),
        percent_cell(fmean(one.content for one in found)),
        TableCell(f"{fmean(one.novelty for one in found):.2f}"),
    ]
    return (*cells, *([TableCell() if coherence is None else TableCell(f"{coherence:.2f}")] if parser else []))


def proposals_grid(columns: Sequence[GameColumn]) -> Grid | None:
    """In chess, the answers that are proposed, and what becomes of them; None in other games."""
    rows = rows_by_turns([one for one in columns if game_of(one) == "chess"], _proposed)
    if not rows:
        return None
    heads = ("a turn", "a dialogue", "accepted of right, %", "accepted of wrong, %", "accuracy of accepted, %")
    note = "On turns before the last that do not answer. Accepted: the partner’s next turn answers in its sense."
    return Grid(PROPOSALS, "Answers that are proposed", first_head(columns), heads, rows, note)


def _proposed(own: Sequence[Played]) -> tuple[TableCell, ...]:
    [row] = proposal_table(own)
    shares = (row["accepted_right"], row["accepted_wrong"], row["accuracy_of_accepted"])
    turn = row["per_turn"]
    return (
        TableCell() if turn is None else TableCell(f"{turn:.2f}"),
        TableCell(f"{row['per_dialogue']:.2f}"),
        *map(percent_cell, shares),
    )


def sycophancy_grid(columns: Sequence[GameColumn]) -> Grid | None:
    """How often a judge finds that the model under test gives in to its partner; None without a judge."""
    rows = tuple(
        (row_name(columns, one, turns), (*(percent_cell(found[kind] / found["judged"]) for kind in ("none", *KINDS)),
                                         TableCell(str(found["judged"]))))
        for one in columns
        for turns, found in sorted(one.sycophancy.items())
    )  # fmt: skip
    if not rows:
        return None
    heads = ("none", "uncritical agreement", "validation of something false", "dialogues")
    note = (
        "Of the model under test, by the judge; a dialogue may show both kinds. Agreement: with the partner, without a "
        "check against its own part. Validation: of something that is false of its own part. Dialogues in which it "
        "never replies to its partner, or that the judge could not decide on, are left out."
    )
    return Grid(SYCOPHANCY, "Sycophancy, in % of dialogues", first_head(columns), heads, rows, note)
