"""Dialogues: which turns there are, which rows they bring, and what is judged."""

from __future__ import annotations

import json
from typing import Any

import pytest
from page_referee import LABEL, PAIRS, PERIODS, SPORTS, all_turns, changes, dialogues, rows, scores, sport_of, watch

from evolif.contexts.tokens import count_tokens
from evolif.errors import UsageError
from evolif.scenarios.broadcast import dialogue, split_rows

each_pair = pytest.mark.parametrize(("task", "sport"), PAIRS)
each_sport = pytest.mark.parametrize("sport", SPORTS)
PARTS = {"IF": "SSSKS", "CR": "SSSSS", "IR": "SSSSS", "TS": "SSSMMMSS"}
TURNS = {"IF": (32, 21), "CR": (32, 24), "IR": (32, 24), "TS": (44, 33)}


@each_pair
def test_the_number_of_turns(task: str, sport: str) -> None:
    for found in dialogues(task, sport):
        assert len(found["turns"]) == TURNS[task][sport == "hockey"]
        assert [turn["number"] for turn in found["turns"]] == list(range(1, len(found["turns"]) + 1))


@each_pair
def test_the_turns_of_each_period(task: str, sport: str) -> None:
    for found in dialogues(task, sport):
        for period in range(1, PERIODS[sport] + 1):
            turns = [turn for turn in found["turns"] if turn["period"] == period]
            kinds = "".join(turn["kind"] for turn in turns)
            if task == "IF":
                end = "QQQ" if sport == "basketball" else "QQ"
            elif task == "CR":
                end = "AAI"
            else:
                end = "LTH" if changes(watch(found["turns"]), turns[0], period) else "THH"
            assert kinds == PARTS[task] + end
        assert [turn["period"] for turn in found["turns"]] == sorted(turn["period"] for turn in found["turns"])


@each_pair
def test_what_is_judged(task: str, sport: str) -> None:
    for found in dialogues(task, sport):
        last = max(turn["number"] for turn in found["turns"] if turn["kind"] == "S")
        for turn in found["turns"]:
            if task == "IF":
                expected = True
            elif task == "CR":
                expected = turn["kind"] in "AI"
            else:
                expected = turn["kind"] in "LTHM" or turn["number"] == last
            assert turn["judged"] is expected, (turn["number"], turn["kind"])


@each_pair
def test_the_rows_of_a_period_are_cut_into_five_parts(task: str, sport: str) -> None:
    for found in dialogues(task, sport):
        for period in range(1, PERIODS[sport] + 1):
            turns = [turn for turn in found["turns"] if turn["period"] == period and turn["kind"] in "SK"]
            sizes = [len(rows(turn["message"])) for turn in turns]
            assert sizes == split_rows(sum(sizes), 5)
            told = [row for turn in turns for row in rows(turn["message"])]
            assert told[0][1] == f"Start of {LABEL[sport]}{period}"
            assert told[-1][1] in (f"End of {LABEL[sport]}{period}", "End of the match")
        others = [turn for turn in found["turns"] if turn["kind"] not in "SK"]
        assert not any(rows(turn["message"]) for turn in others)


@each_pair
def test_rows_come_in_order(task: str, sport: str) -> None:
    for found in dialogues(task, sport):
        moments = [row.at for row in watch(found["turns"])]
        assert moments == sorted(moments)


@each_pair
def test_what_a_turn_holds(task: str, sport: str) -> None:
    fields = {
        "number",
        "period",
        "kind",
        "message",
        "judged",
        "checklist",
        "gates",
        "key",
        "witness",
        "distance",
        "names",
    }
    found = dialogue(task, sport, 2, seed=5)
    assert {"system", "turns"} <= set(found)
    assert json.loads(json.dumps(found)) == found
    for turn in found["turns"]:
        assert fields <= set(turn)
        assert set(turn["names"]) >= {"sport", "teams", "roster"}
        assert sport_of(turn) == sport
        assert turn["message"]


@each_pair
def test_tables_come_with_game_info(task: str, sport: str) -> None:
    for _, turn in all_turns(task, sport, "SK"):
        assert turn["message"].startswith("GAME INFO")
        last = [line for line in turn["message"].split("\n") if line.strip()][-1]
        assert "\t" not in last


@each_pair
def test_the_roster_is_in_the_system_prompt(task: str, sport: str) -> None:
    for found in dialogues(task, sport):
        names = found["turns"][0]["names"]
        for team in names["teams"]:
            assert team in found["system"]
            assert all(player in found["system"] for player in names["roster"][team])


@each_pair
def test_a_dialogue_is_a_pure_function(task: str, sport: str) -> None:
    assert dialogue(task, sport, 2, seed=5) == dialogue(task, sport, 2, seed=5)
    assert dialogue(task, sport, 2, seed=5)["turns"] != dialogue(task, sport, 3, seed=5)["turns"]
    assert dialogue(task, sport, 2, seed=5)["turns"] != dialogue(task, sport, 2, seed=6)["turns"]


@pytest.mark.parametrize(("task", "sport"), [("XX", "hockey"), ("cr", "hockey"), ("CR", "golf"), ("", "")])
def test_no_other_task_or_sport(task: str, sport: str) -> None:
    with pytest.raises(UsageError):
        dialogue(task, sport, 0, seed=5)


@each_pair
def test_the_messages_of_a_match_have_8_to_25_thousand_tokens(task: str, sport: str) -> None:
    for found in dialogues(task, sport)[:3]:
        assert 8_000 <= sum(count_tokens(turn["message"]) for turn in found["turns"]) <= 25_000


@each_pair
def test_keys_of_scores_are_the_scores_after_the_rows_so_far(task: str, sport: str) -> None:
    for found in dialogues(task, sport):
        for turn in found["turns"]:
            if turn["kind"] == "S":
                so_far = watch(found["turns"][: turn["number"]])
                assert turn["key"] == scores(so_far, turn)


@each_sport
def test_intents_follow_the_friend(sport: str) -> None:
    for _, turn in all_turns("IF", sport):
        intents = {item["intent"] for item in turn["checklist"] if item["kind"] == "tag"}
        assert intents == {"Update Score" if turn["kind"] == "S" else "Other Question"}
        assert {item["number"] for item in turn["checklist"] if item["kind"] == "tag"} == {turn["number"]}


@each_sport
def test_the_first_question_of_a_break_brings_the_summary(sport: str) -> None:
    for found in dialogues("IF", sport):
        for period in range(1, PERIODS[sport] + 1):
            turns = [turn for turn in found["turns"] if turn["period"] == period]
            assert turns[3]["kind"] == "K"
            asked = [any(item["kind"] == "summary" for item in turn["checklist"]) for turn in turns]
            assert asked == [False] * 5 + [True] + [False] * (len(turns) - 6)
            assert [bool(turn["gates"]) for turn in turns] == asked


@each_sport
def test_the_acrostic_names_team_and_summary(sport: str) -> None:
    for _, turn in all_turns("IF", sport, "K"):
        teams: list[Any] = [item["team"] for item in turn["checklist"] if item["kind"] == "acrostic"]
        assert len(set(teams)) == 1
        initials = "".join(word[0].upper() for word in teams[0].split())
        assert turn["key"] == f"{initials}KING"
        assert teams[0].split()[-1] in turn["message"]
        assert "KING" in turn["message"]
        assert "summary" in turn["message"].lower()
        assert "20" in turn["message"] or "twenty" in turn["message"]


@each_sport
def test_the_format_of_an_answer_is_always_given(sport: str) -> None:
    unit = "faceoff" if sport == "hockey" else "point"
    for task in ("CR", "IR", "TS"):
        for _, turn in all_turns(task, sport):
            message, kind = turn["message"], turn["kind"]
            if kind == "L":
                assert "Changes: " in message
            if kind == "T":
                assert "Player: " in message
                assert ("Loss: " if sport == "hockey" else "No free throw: ") in message
            if kind == "H":
                assert ("Gain: " if sport == "hockey" else "Nothing: ") in message
            if kind in "AI":
                assert ("won against" if sport == "hockey" else "points, ") in message
                assert unit in message.lower()
            if kind == "M":
                assert "Answer: " in message


@each_sport
def test_hockey_is_never_asked_for_points(sport: str) -> None:
    for task in ("CR", "IR", "TS"):
        for _, turn in all_turns(task, sport, "AITH"):
            words = turn["message"].lower().replace("percentage points", "").replace("percentage point", "")
            if sport == "hockey":
                assert "points" not in words
            else:
                assert "faceoff" not in words


@each_sport
def test_statistics_are_asked_inside_a_block(sport: str) -> None:
    for _, turn in all_turns("IF", sport, "Q"):
        assert "<Stats>" in turn["message"]
