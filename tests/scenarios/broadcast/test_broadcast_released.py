"""What the public release of the benchmark gets wrong, one mistake a test: none of them is made here."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

import pytest
from page_referee import (
    PAIRS,
    SPORTS,
    air_time,
    all_turns,
    counted,
    dialogues,
    inside,
    moment,
    rows,
    scores,
    shown,
    watch,
)
from reading_turns import HERONS, OWLS, turn_of

from evolif.scenarios.broadcast import (
    category_score,
    check_acrostic,
    events_at,
    format_clock,
    game_accuracy,
    lead_changes,
    lead_checklist,
    score_from_rows,
    score_reply,
    shift_clock,
)

NUMBER = 24
each_sport = pytest.mark.parametrize("sport", SPORTS)


def lost(result: Mapping[str, Any]) -> list[str]:
    """The kinds of the items that are not satisfied, in order."""
    return [item["kind"] for item in result["items"] if not item["satisfied"]]


def accepting(turn: Any, reply: str, item: Any) -> bool:
    """A judge that finds everything right."""
    return True


def basket(t: int, team: str, pts: int) -> dict[str, object]:
    player = "Ana Lima" if team == HERONS else "Dia Frostin"
    clock = format_clock(t, "basketball")
    return {"period": 1, "t": t, "clock": clock, "team": team, "player": player, "pts": pts, "text": ""}


def test_the_first_lead_of_the_match_is_no_change() -> None:
    match = [basket(20, HERONS, 2), basket(50, OWLS, 2), basket(70, OWLS, 3)]
    assert lead_changes(match[:1], [HERONS, OWLS], 1) == []
    assert lead_changes(match[:2], [HERONS, OWLS], 1) == []
    assert lead_changes(match, [HERONS, OWLS], 1) == [["10:50", OWLS]]


def test_who_counts_the_first_lead_loses_the_count() -> None:
    turn = turn_of("IR", "L", [["10:50", OWLS]], period=1)
    found = score_reply(turn, "Changes: 2\n11:40, Herons\n10:50, Owls")
    assert (found["score"], lost(found)) == (0.8, ["count"])


@each_sport
def test_an_interval_has_every_event_and_not_the_two_at_its_ends(sport: str) -> None:
    for found, turn in all_turns("CR", sport, "I", NUMBER):
        match = counted(watch(found["turns"]), sport)
        assert turn["key"] == [shown(row) for row in inside(match, turn["question"], sport)]
        assert len(turn["key"]) >= 5


def test_the_moment_of_the_score_is_named_and_often_not_the_end_of_the_span() -> None:
    differ = 0
    turns = all_turns("IR", "basketball", "TH", NUMBER)
    for _, turn in turns:
        at = turn["question"]["at"]
        assert f"Q{at[0]} {at[1]}" in turn["message"]
        differ += at != turn["question"]["end"]
    assert differ / len(turns) > 0.5


def test_a_target_in_a_break_is_refused() -> None:
    assert shift_clock(1, "0:30", 90, "basketball") is None
    assert events_at([basket(700, HERONS, 2)], "basketball", 1, "30.0", 90) == []


@each_sport
def test_deltas_have_at_most_one_decimal(sport: str) -> None:
    for _, turn in all_turns("CR", sport, "A", NUMBER):
        delta = turn["question"]["delta"]
        assert delta == round(delta, 1)
        assert len(re.findall(r"\d+\.\d{2,}", turn["message"])) == 0
        assert air_time(moment(turn["question"]["anchor"], sport), sport) + delta > 0


@pytest.mark.parametrize(("task", "sport"), PAIRS)
def test_every_judged_checklist_has_attainable_points(task: str, sport: str) -> None:
    for _, turn in all_turns(task, sport, number=NUMBER):
        if turn["judged"]:
            assert sum(item["weight"] for item in turn["checklist"]) == pytest.approx(1)
            assert json.loads(json.dumps(turn["checklist"])) == turn["checklist"]
            assert all(isinstance(item["kind"], str) for item in turn["checklist"])


@pytest.mark.slow
def test_a_named_player_has_points_in_the_span() -> None:
    for task in ("IR", "TS"):
        for found, turn in all_turns(task, "basketball", "H", NUMBER):
            span = inside(watch(found["turns"]), turn["question"], "basketball")
            assert any(row.player == turn["question"]["player"] and row.points for row in span)


def test_one_sentence_and_three_do_not_meet() -> None:
    for sport in SPORTS:
        for _, turn in all_turns("IF", sport, number=NUMBER):
            kinds = {item["kind"] for item in turn["checklist"]}
            assert not ({"acrostic", "sentences"} <= kinds)


def test_twenty_words_are_allowed() -> None:
    sentence = "We all cheer when quick Herons keep igniting noisy games" + " on" * 10
    assert check_acrostic(sentence, "Quarry Herons")["max20"] is True
    for _, turn in all_turns("IF", "basketball", "K", NUMBER):
        assert not re.search(r"(fewer|less) than (20|twenty)", turn["message"])


@each_sport
def test_statistics_are_checked_for_truth(sport: str) -> None:
    for _, turn in all_turns("IF", sport, "Q", 4):
        wrong = re.sub(r"(?<=[ /])(\d+)\n", lambda found: f"{int(found[1]) + 1}\n", turn["witness"])
        assert lost(score_reply(turn, wrong)) == ["statistics"] * 2
    # Each sport has its own line.
    for _, turn in all_turns("IF", sport, "Q", 4):
        block = turn["message"].partition("<Stats>")[2]
        assert ("won" in block) == (sport == "hockey")
        assert ("threes" in block or "three" in block) == (sport == "basketball")


@pytest.mark.sampled
@pytest.mark.parametrize("task", ["IF", "CR", "IR", "TS"])
def test_every_score_is_told_by_the_rows(task: str) -> None:
    for sport in SPORTS:
        for found in dialogues(task, sport, NUMBER):
            names = found["turns"][0]["names"]
            table = ["\t".join(row) for turn in found["turns"] for row in rows(turn["message"])]
            told = score_from_rows(table, names["teams"], names["roster"], sport)
            assert told == [turn["key"] for turn in found["turns"] if turn["kind"] == "S"][-1]
            assert told == scores(watch(found["turns"]), found["turns"][0])


def test_a_dialogue_without_a_point_stays_in_the_mean() -> None:
    nothing = game_accuracy({1: 0.0, 2: 0.0})["accuracy"]
    assert category_score([nothing, 1.0]) == 0.5


def test_a_judge_that_breaks_is_an_error() -> None:
    def judge(turn: object, reply: str, item: object) -> bool:
        raise OSError("no line")

    turn = next(turn for _, turn in all_turns("IF", "hockey", "K", 1))
    with pytest.raises(Exception, match="no line"):
        score_reply(turn, turn["witness"], judge)
    assert score_reply(turn, turn["witness"], accepting)["score"] == 1.0


def test_a_judge_is_not_asked_where_rules_decide() -> None:
    def judge(turn: object, reply: str, item: object) -> bool:
        raise OSError("asked")

    assert score_reply(turn_of("CR", "S", {HERONS: 5, OWLS: 4}), "Herons 5, Owls 4", judge)["score"] == 1.0
    for _, turn in all_turns("CR", "hockey", "AI", 2):
        assert score_reply(turn, turn["witness"], judge)["score"] == 1.0


def test_no_changes_leave_the_count_alone() -> None:
    assert lead_checklist([], [HERONS, OWLS]) == [{"kind": "changes", "count": 0, "weight": 0.2}]
