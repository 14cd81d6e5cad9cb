"""Variants of a dialogue: the same rows in other parts, asked later, all at once, without problems, in pairs."""

from __future__ import annotations

from typing import Any

import pytest
from page_referee import PERIODS, SPORTS, Turn, moment, rows, sport_of, watch

from evolif.errors import UsageError
from evolif.scenarios.broadcast import dialogue, split_rows

each_sport = pytest.mark.parametrize("sport", SPORTS)
NUMBERS = range(3)


def of_kind(found: dict[str, Any], kinds: str) -> list[Turn]:
    return [turn for turn in found["turns"] if turn["kind"] in kinds]


def asked(found: dict[str, Any]) -> list[Any]:
    """What is asked in the breaks, with its key."""
    return [(turn["kind"], turn["question"], turn["key"]) for turn in of_kind(found, "AILTHQ")]


def told(found: dict[str, Any]) -> list[tuple[str, str]]:
    return [row for turn in found["turns"] for row in rows(turn["message"])]


@pytest.mark.parametrize("task", ["IF", "CR", "IR", "TS"])
@pytest.mark.parametrize("chunks", [1, 5, 10, 20])
@each_sport
def test_the_same_rows_in_more_or_fewer_turns(task: str, chunks: int, sport: str) -> None:
    for number in NUMBERS:
        usual, found = dialogue(task, sport, number, seed=3), dialogue(task, sport, number, seed=3, chunks=chunks)
        assert told(found) == told(usual)
        assert all(turn["judged"] for turn in of_kind(found, "S"))
        for period in range(1, PERIODS[sport] + 1):
            turns = [turn for turn in of_kind(found, "SK") if turn["period"] == period]
            sizes = [len(rows(turn["message"])) for turn in turns]
            assert sizes == split_rows(sum(sizes), chunks)


@pytest.mark.parametrize("task", ["CR", "IR", "TS"])
@each_sport
def test_the_same_break_questions_whatever_the_parts(task: str, sport: str) -> None:
    for number in NUMBERS:
        usual = asked(dialogue(task, sport, number, seed=3))
        for chunks in (1, 10, 20):
            assert asked(dialogue(task, sport, number, seed=3, chunks=chunks)) == usual


@pytest.mark.parametrize(
    ("chunks", "kinds"), [(5, "SSSMMMSS"), (10, "SSSSSSMMMSSSS"), (20, "S" * 12 + "MMM" + "S" * 8)]
)
def test_problems_come_after_the_same_share_of_the_rows(chunks: int, kinds: str) -> None:
    found = dialogue("TS", "hockey", 1, seed=3, chunks=chunks)
    for period in (1, 2, 3):
        told_kinds = "".join(turn["kind"] for turn in found["turns"] if turn["period"] == period)
        assert told_kinds[:-3] == kinds


@pytest.mark.parametrize(("chunks", "place"), [(5, 3), (10, 7), (20, 15)])
def test_the_acrostic_comes_after_the_same_share_of_the_rows(chunks: int, place: int) -> None:
    found = dialogue("IF", "hockey", 1, seed=3, chunks=chunks)
    for period in (1, 2, 3):
        kinds = [turn["kind"] for turn in found["turns"] if turn["period"] == period]
        assert [i for i, kind in enumerate(kinds) if kind == "K"] == [place]


@pytest.mark.parametrize("chunks", [5, 10, 20])
@each_sport
def test_the_summary_comes_two_judged_turns_after_the_acrostic(chunks: int, sport: str) -> None:
    found = dialogue("IF", sport, 1, seed=3, chunks=chunks)
    turns = found["turns"]
    for place, turn in enumerate(turns):
        if turn["kind"] == "K":
            assert any(item["kind"] == "summary" for item in turns[place + 2]["checklist"])


@pytest.mark.parametrize("task", ["CR", "IR"])
@each_sport
def test_questions_about_the_first_period_asked_later(task: str, sport: str) -> None:
    for number in NUMBERS:
        early = dialogue(task, sport, number, seed=3, ask_after=1)
        for after in range(1, PERIODS[sport] + 1):
            found = dialogue(task, sport, number, seed=3, ask_after=after)
            assert asked(found) == asked(early)
            assert told(found) == told(early)
            questions = of_kind(found, "AILTH")
            assert questions
            assert {turn["period"] for turn in questions} == {after}
            assert {turn["distance"] for turn in questions} == {after - 1}
            assert all(turn["judged"] for turn in questions)


@pytest.mark.parametrize("task", ["CR", "IR"])
@each_sport
def test_later_questions_look_back_to_the_first_period(task: str, sport: str) -> None:
    for turn in of_kind(dialogue(task, sport, 2, seed=3, ask_after=3), "ITH"):
        assert turn["question"]["end"][0] == 1
        assert sport_of(turn) == sport


@pytest.mark.parametrize("task", ["CR", "IR"])
@each_sport
def test_all_rows_in_one_message(task: str, sport: str) -> None:
    for number in NUMBERS:
        usual, found = dialogue(task, sport, number, seed=3), dialogue(task, sport, number, seed=3, whole=True)
        assert asked(found) == asked(usual)
        with_rows = [turn for turn in found["turns"] if rows(turn["message"])]
        assert len(with_rows) == 1
        assert rows(with_rows[0]["message"]) == told(usual)
        assert found["turns"][0] is with_rows[0]


@each_sport
def test_problems_small_talk_or_nothing(sport: str) -> None:
    for number in NUMBERS:
        math = dialogue("TS", sport, number, seed=3, switch="math")
        chat = dialogue("TS", sport, number, seed=3, switch="chat")
        none = dialogue("TS", sport, number, seed=3, switch="none")
        assert math == {**dialogue("TS", sport, number, seed=3), "settings": math["settings"]}
        assert told(math) == told(chat) == told(none)
        assert asked(math) == asked(chat) == asked(none)
        assert len(math["turns"]) == len(chat["turns"]) == len(none["turns"]) + 3 * PERIODS[sport]
        for problem, talk in zip(math["turns"], chat["turns"], strict=True):
            assert (problem["kind"] == "M") == (talk["kind"] not in "SLTH")
            if problem["kind"] == "M":
                assert not talk["judged"]
                assert len(talk["message"]) == pytest.approx(len(problem["message"]), rel=0.35)
        assert not of_kind(none, "M")


@each_sport
def test_the_same_evidence_asked_in_two_ways(sport: str) -> None:
    for number in NUMBERS:
        anchored = dialogue("CR", sport, number, seed=3, pair="anchored")
        interval = dialogue("CR", sport, number, seed=3, pair="interval")
        assert told(anchored) == told(interval)
        pairs = list(zip(of_kind(anchored, "A"), of_kind(interval, "I"), strict=True))
        assert len(pairs) == 3 * PERIODS[sport]
        for first, second in pairs:
            assert first["number"] == second["number"]
            assert first["distance"] == second["distance"]
            assert first["key"][-1] in second["key"]
            end = moment(second["question"]["end"], sport)
            assert end == moment(first["key"][0][2:], sport)


@pytest.mark.parametrize(
    ("task", "settings"),
    [
        ("CR", {"chunks": 0}),
        ("CR", {"chunks": -3}),
        ("CR", {"ask_after": 0}),
        ("CR", {"ask_after": 5}),
        ("IF", {"ask_after": 2}),
        ("IF", {"whole": True}),
        ("TS", {"switch": "music"}),
        ("CR", {"switch": "chat"}),
        ("IR", {"pair": "anchored"}),
        ("CR", {"pair": "both"}),
        ("CR", {"colour": "blue"}),
        ("CR", {"chunks": "many"}),
    ],
)
def test_settings_that_do_not_fit(task: str, settings: dict[str, Any]) -> None:
    with pytest.raises(UsageError):
        dialogue(task, "hockey", 0, seed=3, **settings)


def test_an_unfit_break_is_of_the_sport() -> None:
    assert watch(dialogue("CR", "basketball", 0, seed=3, ask_after=4)["turns"])
    with pytest.raises(UsageError):
        dialogue("CR", "hockey", 0, seed=3, ask_after=4)
