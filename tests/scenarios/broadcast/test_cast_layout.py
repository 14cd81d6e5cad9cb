"""Layouts of dialogues: how many turns, of which kinds, with which rows."""

from __future__ import annotations

from typing import Any

import pytest

from evolif.errors import ArgumentError
from evolif.scenarios.broadcast.clock import SPORTS
from evolif.scenarios.broadcast.layout import TASKS, DialogueSettings, LayoutTurn, layout_of, settings_of

ROWS = {"basketball": [118, 112, 123, 90], "hockey": [104, 84, 122]}


def layout(task: str, sport: str, **given: Any) -> list[LayoutTurn]:
    rules = SPORTS[sport]
    return layout_of(task, rules, settings_of(task, rules, given), ROWS[sport])


def kinds(slots: list[LayoutTurn]) -> str:
    """The kinds of turns as one word; questions of a break are question marks."""
    return "".join(slot.kind or "?" for slot in slots)


@pytest.mark.parametrize(
    ("task", "sport", "one_period", "turns"),
    [
        ("IF", "basketball", "SSSKS???", 32),
        ("IF", "hockey", "SSSKS??", 21),
        ("CR", "basketball", "SSSSS???", 32),
        ("CR", "hockey", "SSSSS???", 24),
        ("IR", "basketball", "SSSSS???", 32),
        ("IR", "hockey", "SSSSS???", 24),
        ("TS", "basketball", "SSSMMMSS???", 44),
        ("TS", "hockey", "SSSMMMSS???", 33),
    ],
)
def test_a_period_of_each_task(task: str, sport: str, one_period: str, turns: int) -> None:
    slots = layout(task, sport)
    assert kinds(slots) == one_period * SPORTS[sport].periods
    assert len(slots) == turns


@pytest.mark.parametrize("sport", SPORTS)
def test_what_is_judged(sport: str) -> None:
    assert all(slot.judged for slot in layout("IF", sport))
    assert [slot.kind or "?" for slot in layout("CR", sport) if slot.judged] == ["?"] * 3 * SPORTS[sport].periods
    for task in ("IR", "TS"):
        scores = [slot for slot in layout(task, sport) if slot.kind == "S"]
        assert [slot.judged for slot in scores] == [False] * (len(scores) - 1) + [True]
        assert all(slot.judged for slot in layout(task, sport) if slot.kind != "S")


@pytest.mark.parametrize("sport", SPORTS)
@pytest.mark.parametrize("task", TASKS)
@pytest.mark.parametrize("chunks", [None, 1, 2, 5, 10, 20, 80])
def test_every_row_comes_once_and_in_order(task: str, sport: str, chunks: int | None) -> None:
    slots = layout(task, sport, chunks=chunks)
    for period, count in enumerate(ROWS[sport], 1):
        parts = [part for slot in slots for part in slot.rows if part[0] == period]
        assert [start for _, start, _ in parts] == [0, *(stop for _, _, stop in parts[:-1])]
        assert parts[-1][2] == count
        assert len(parts) == (chunks or 5)
        sizes = [stop - start for _, start, stop in parts]
        assert sizes == sorted(sizes, reverse=True)
        assert sizes[0] - sizes[-1] <= 1


def test_the_parts_of_a_period() -> None:
    first = [slot.rows for slot in layout("CR", "basketball") if slot.period == 1 and slot.kind == "S"]
    assert first == [((1, 0, 24),), ((1, 24, 48),), ((1, 48, 72),), ((1, 72, 95),), ((1, 95, 118),)]


@pytest.mark.parametrize("chunks", [1, 5, 10, 20])
def test_with_chunks_every_score_is_judged(chunks: int) -> None:
    for task in TASKS:
        slots = layout(task, "hockey", chunks=chunks)
        assert all(slot.judged for slot in slots)
        assert kinds(slots).count("?") == kinds(layout(task, "hockey")).count("?")


@pytest.mark.parametrize(("chunks", "sentence", "problems"), [(1, 1, 1), (5, 4, 3), (10, 8, 6), (20, 16, 12)])
def test_sentence_and_problems_come_after_the_same_share_of_the_rows(chunks: int, sentence: int, problems: int) -> None:
    assert [slot.part for slot in layout("IF", "hockey", chunks=chunks) if slot.kind == "K"] == [sentence] * 3
    assert [slot.part for slot in layout("TS", "hockey", chunks=chunks) if slot.kind == "M"] == [problems] * 9


@pytest.mark.parametrize("sport", SPORTS)
@pytest.mark.parametrize("chunks", [None, 1, 4, 10, 20])
def test_the_summary_comes_two_turns_after_the_sentence(sport: str, chunks: int | None) -> None:
    slots = layout("IF", sport, chunks=chunks)
    announced = [place for place, slot in enumerate(slots) if slot.kind == "K"]
    assert len(announced) == SPORTS[sport].periods
    assert [place for place, slot in enumerate(slots) if slot.summary] == [place + 2 for place in announced]
    assert all(slots[place + 2].period == slots[place].period for place in announced)


def test_by_default_the_first_statistics_of_a_period_bring_the_summary() -> None:
    assert [slot.asked for slot in layout("IF", "basketball") if slot.summary] == [(1, 0), (2, 0), (3, 0), (4, 0)]


@pytest.mark.parametrize("task", ["CR", "IR"])
@pytest.mark.parametrize("after", [1, 2, 3])
def test_questions_about_the_first_period_after_another_one(task: str, after: int) -> None:
    slots = layout(task, "hockey", ask_after=after)
    assert kinds(slots) == "SSSSS" * after + "???" + "SSSSS" * (3 - after)
    asked = [slot for slot in slots if slot.asked]
    assert [slot.asked for slot in asked] == [(1, 0), (1, 1), (1, 2)]
    assert {slot.period for slot in asked} == {after}


@pytest.mark.parametrize("task", ["CR", "IR"])
@pytest.mark.parametrize("sport", SPORTS)
def test_all_rows_at_once(task: str, sport: str) -> None:
    first, *others = layout(task, sport, whole=True)
    assert first.rows == tuple((period, 0, count) for period, count in enumerate(ROWS[sport], 1))
    assert first.kind == "S"
    assert first.judged is (task == "IR")
    assert [slot.asked for slot in others] == [slot.asked for slot in layout(task, sport) if slot.asked]


def test_what_stands_between_two_parts() -> None:
    assert kinds(layout("TS", "hockey", switch="chat")) == "SSSCCCSS???" * 3
    assert kinds(layout("TS", "hockey", switch="none")) == "SSSSS???" * 3
    assert not any(slot.judged for slot in layout("TS", "hockey", switch="chat") if slot.kind == "C")


def test_a_sentence_and_a_problem_have_the_same_place_whatever_the_settings() -> None:
    for chunks in (None, 1, 10):
        problems = [slot.place for slot in layout("TS", "basketball", chunks=chunks) if slot.kind == "M"]
        assert problems == list(range(12))
        assert [slot.place for slot in layout("IF", "basketball", chunks=chunks) if slot.kind == "K"] == [0, 1, 2, 3]


@pytest.mark.parametrize(
    ("task", "given", "said"),
    [
        ("IF", {"whole": True}, "IF has no setting whole; give it for CR or IR"),
        ("TS", {"ask_after": 1}, "TS has no setting ask_after; give it for CR or IR"),
        ("CR", {"switch": "chat"}, "CR has no setting switch; give it for TS"),
        ("IR", {"pair": "anchored"}, "IR has no setting pair; give it for CR"),
        ("CR", {"ask_after": 4}, "ask_after is 4; give 1 to 3, the periods of hockey"),
        ("CR", {"ask_after": 0}, "ask_after"),
        ("CR", {"chunks": 0}, "chunks"),
        ("CR", {"chunks": -3}, "chunks"),
        ("CR", {"chunks": 81}, "chunks"),
        ("CR", {"chunks": "5"}, "chunks"),
        ("CR", {"whole": 1}, "whole"),
        ("TS", {"switch": "maths"}, "switch"),
        ("CR", {"pair": "both"}, "pair"),
        ("CR", {"series": 3}, "series"),
        ("CR", {"parts": 5}, "parts"),
        ("CR", {"whole": True, "chunks": 5}, "whole and chunks exclude each other"),
        ("CR", {"whole": True, "ask_after": 1}, "whole and ask_after exclude each other"),
        ("CR", {"pair": "interval", "ask_after": 1}, "ask_after and pair exclude each other"),
    ],
)
def test_settings_that_do_not_fit(task: str, given: dict[str, Any], said: str) -> None:
    with pytest.raises(ArgumentError, match=said):
        settings_of(task, SPORTS["hockey"], given)


def test_settings_that_are_the_usual_ones_fit_every_task() -> None:
    usual = DialogueSettings().model_dump()
    for task in TASKS:
        assert settings_of(task, SPORTS["hockey"], usual) == DialogueSettings()
