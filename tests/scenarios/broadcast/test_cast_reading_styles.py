"""Events of simulated matches in the styles of chat models: right keys are read in all of them, wrong ones in none."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import pytest

from evolif.scenarios.broadcast import score_reply
from evolif.scenarios.broadcast.clock import SPORTS
from evolif.scenarios.broadcast.dialogue import dialogue

Row = Sequence[Any]
Style = Callable[[str, list[Row]], str]
ORDINALS = ("", "first", "second", "third", "fourth")


def label(sport: str, period: int) -> str:
    return SPORTS[sport].label(period)


def ordinal(sport: str, period: int) -> str:
    return f"the {ORDINALS[period]} {'quarter' if sport == 'basketball' else 'period'}"


def told(row: Row, verb: str = "won against", points: str = "scored {} points") -> str:
    first, second, *_ = row
    return f"{first} {verb} {second}" if isinstance(second, str) else f"{first} {points.format(second)}"


def bullets(sport: str, rows: list[Row]) -> str:
    return "\n".join(f"- **{told(row, points='— {} points')}** — {label(sport, row[2])} {row[3]}" for row in rows)


def moments_first(sport: str, rows: list[Row]) -> str:
    return "\n".join(f"{label(sport, row[2])} {row[3]}: {told(row, 'beat')}" for row in rows)


def prose(sport: str, rows: list[Row]) -> str:
    return "This is it. " + " ".join(f"At {row[3]} of {ordinal(sport, row[2])}, {told(row)}." for row in rows)


def last_names(sport: str, rows: list[Row]) -> str:
    short = [[cell.split()[-1] if isinstance(cell, str) and " " in cell else cell for cell in row] for row in rows]
    lines = (f"{told(row, 'over', '({} points)')} at {label(sport, row[2])} {row[3]}" for row in short)
    return f"There were these: {', '.join(lines)}."


def table(sport: str, rows: list[Row]) -> str:
    lines = (f"| {label(sport, row[2])} {row[3]} | {row[0]} | {row[1]} |" for row in rows)
    return "\n".join(["| Time | Player | |", "|---|---|---|", *lines])


def by_period(sport: str, rows: list[Row]) -> str:
    lines: list[str] = []
    for place, row in enumerate(rows):
        if not place or rows[place - 1][2] != row[2]:
            lines.append(f"\n### {ordinal(sport, row[2]).title()}\n")
        lines.append(f"{place + 1}. `{row[3]}` – {told(row, 'def.', '+{}')}")
    return "\n".join(lines)


def records(sport: str, rows: list[Row]) -> str:
    names = ("Winner", "Loser") if sport == "hockey" else ("Player", "Points")
    return "\n\n".join(
        f"**{names[0]}:** {row[0]}\n**{names[1]}:** {row[1]}\n**Time:** {label(sport, row[2])} {row[3]}" for row in rows
    )


STYLES: tuple[Style, ...] = (bullets, moments_first, prose, last_names, table, by_period, records)


def wrong_keys(turn: dict[str, Any]) -> Iterator[list[Row]]:
    """Keys with one fault: a clock, a period, a name, the points or the roles; an event left out."""
    key = [list(row) for row in turn["key"]]
    people = [player for own in turn["names"]["roster"].values() for player in own]
    for place in {0, len(key) // 2, len(key) - 1}:
        first, second, period, clock = key[place]
        stranger = next(player for player in people if player not in (first, second))
        swapped = [second, first] if isinstance(second, str) else [first, second % 3 + 1]
        for wrong in (
            [stranger, second, period, clock],
            [*swapped, period, clock],
            [first, second, period % 3 + 1, clock],
            [first, second, period, f"{clock[:-1]}{(int(clock[-1]) + 1) % 10}"],
        ):
            yield [*key[:place], wrong, *key[place + 1 :]]
        yield [*key[:place], *key[place + 1 :]]


@pytest.mark.sampled
@pytest.mark.parametrize("sport", sorted(SPORTS))
@pytest.mark.parametrize("style", STYLES, ids=lambda style: style.__name__)
def test_events_in_the_styles_of_chat_models(sport: str, style: Style) -> None:
    turns = [turn for turn in dialogue("CR", sport, 1, seed=12)["turns"] if turn["kind"] in ("A", "I")]
    assert len(turns) >= 9
    for turn in turns:
        found = score_reply(turn, style(sport, turn["key"]))
        assert (found["score"], found["gates"]) == (1.0, []), style(sport, turn["key"])
        for wrong in wrong_keys(turn):
            assert score_reply(turn, style(sport, wrong))["score"] < 1, style(sport, wrong)
