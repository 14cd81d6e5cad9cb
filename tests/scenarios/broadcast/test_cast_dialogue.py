"""Dialogues: what their turns hold, and what variants of one number share."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from functools import cache
from hashlib import sha256
from typing import Any

import pytest

from evolif.errors import ArgumentError, InternalError
from evolif.scenarios.broadcast import score_from_rows, split_rows
from evolif.scenarios.broadcast.checklist import needs_judge
from evolif.scenarios.broadcast.dialogue import dialogue, match_of
from evolif.scenarios.broadcast.layout import TASKS
from evolif.scenarios.broadcast.scoring import score_reply
from evolif.scenarios.broadcast.witness import witness
from evolif.scenarios.games.tokens import SubwordTokenizer

SPORTS = ("basketball", "hockey")
PERIODS = {"basketball": 4, "hockey": 3}
TURNS = {
    ("IF", "basketball"): 32,
    ("IF", "hockey"): 21,
    ("CR", "basketball"): 32,
    ("CR", "hockey"): 24,
    ("IR", "basketball"): 32,
    ("IR", "hockey"): 24,
    ("TS", "basketball"): 44,
    ("TS", "hockey"): 33,
}
SEED = 19
EVERY = [(task, sport) for task in TASKS for sport in SPORTS]


@cache
def made(task: str, sport: str, number: int = 0, **settings: Any) -> dict[str, Any]:
    """One dialogue for all tests, which must not change it."""
    return dialogue(task, sport, number, seed=SEED, **settings)


def turns_of(task: str, sport: str, number: int = 0, **settings: Any) -> list[dict[str, Any]]:
    turns: list[dict[str, Any]] = made(task, sport, number, **settings)["turns"]
    return turns


def rows_of(turn: dict[str, Any]) -> list[str]:
    return [line for line in turn["message"].split("\n") if "\t" in line]


def words_of(turn: dict[str, Any]) -> str:
    """The friend's words."""
    return str(turn["message"]).partition("\n---\n")[2]


def asked(turns: list[dict[str, Any]]) -> list[tuple[Any, ...]]:
    """What is asked in breaks, and the keys."""
    return [(turn["kind"], turn["question"], turn["key"]) for turn in turns if turn["kind"] in "QAILTH"]


@pytest.mark.parametrize(("task", "sport"), EVERY)
def test_shape(task: str, sport: str) -> None:
    found = made(task, sport)
    assert set(found) == {"system", "turns", "task", "sport", "number", "settings"}
    assert (found["task"], found["sport"], found["number"]) == (task, sport, 0)
    assert json.loads(json.dumps(found)) == found
    assert len(found["turns"]) == TURNS[task, sport]
    assert [turn["number"] for turn in found["turns"]] == list(range(1, TURNS[task, sport] + 1))
    match = match_of(task, sport, 0, seed=SEED)
    for turn in found["turns"]:
        assert turn["names"] == {name: match[name] for name in ("sport", "teams", "roster")}
        assert ("intent" in turn) is (task == "IF")


@pytest.mark.parametrize(("task", "sport"), EVERY)
def test_rows_come_in_five_parts_a_period(task: str, sport: str) -> None:
    turns = turns_of(task, sport)
    events = match_of(task, sport, 0, seed=SEED)["events"]
    for period in range(1, PERIODS[sport] + 1):
        rows = [f"{event['clock']}\t{event['text']}" for event in events if event["period"] == period]
        told = [rows_of(turn) for turn in turns if turn["period"] == period]
        assert [row for part in told for row in part] == rows
        assert [len(part) for part in told if part] == split_rows(len(rows))


@pytest.mark.sampled
@pytest.mark.parametrize(("task", "sport"), EVERY)
@pytest.mark.parametrize("number", range(3))
def test_a_score_is_that_of_the_rows_so_far(task: str, sport: str, number: int) -> None:
    seen: list[str] = []
    checked = 0
    for turn in turns_of(task, sport, number):
        seen += rows_of(turn)
        if turn["kind"] == "S":
            names = turn["names"]
            assert turn["key"] == score_from_rows(seen, names["teams"], names["roster"], sport)
            checked += 1
    assert checked >= 4 * PERIODS[sport]


@pytest.mark.parametrize(("task", "sport"), EVERY)
@pytest.mark.parametrize("number", range(3))
def test_judged_turns_have_a_checklist_and_a_witness(task: str, sport: str, number: int) -> None:
    for turn in turns_of(task, sport, number):
        assert bool(turn["checklist"]) is turn["judged"]
        if turn["judged"]:
            assert sum(item["weight"] for item in turn["checklist"]) == pytest.approx(1)
            assert turn["witness"]


@pytest.mark.parametrize(("task", "sport"), EVERY)
@pytest.mark.parametrize("number", range(3))
def test_every_witness_is_right(task: str, sport: str, number: int) -> None:
    for turn in turns_of(task, sport, number):
        if turn["judged"]:
            assert score_reply(turn, turn["witness"])["score"] == 1


NEEDED = "number period kind message judged checklist gates key witness distance names".split()
"""What a turn needs to be scored; the others say how it was made."""


@pytest.mark.parametrize(("task", "sport"), EVERY)
def test_turns_are_scored_alike_and_have_a_witness_without_the_other_fields(task: str, sport: str) -> None:
    for turn in turns_of(task, sport):
        if turn["judged"]:
            bare = json.loads(json.dumps({name: turn[name] for name in NEEDED}))
            for reply in (turn["witness"], "Noted.", "", turn["witness"].split("\n")[0]):
                found = score_reply(turn, reply)
                assert score_reply(bare, reply)["score"] == found["score"]
                assert json.loads(json.dumps(found)) == found
            assert score_reply(turn, witness({**bare, "witness": ""}))["score"] == 1


def test_a_witness_that_is_wrong_stops_everything(monkeypatch: pytest.MonkeyPatch) -> None:
    module = sys.modules["evolif.scenarios.broadcast.dialogue"]  # the package exports the function under the same name
    monkeypatch.setattr(module, "witness", lambda turn: "I do not know.")
    with pytest.raises(InternalError, match=r"turn 6 \(A\) of match 7 of CR in hockey \(seed 19\) has a witness"):
        dialogue("CR", "hockey", 7, seed=SEED)


@pytest.mark.parametrize("sport", SPORTS)
def test_sub_tasks(sport: str) -> None:
    told = {task: {(turn["kind"], turn["subtask"]) for turn in turns_of(task, sport)} for task in TASKS}
    assert told["IF"] == {
        ("S", "prompted format"),
        ("K", "fixed format"),
        ("Q", "prompted format"),
        ("Q", "inferred format"),
    }
    assert told["CR"] == {("S", "score"), ("A", "anchored event"), ("I", "interval events")}
    assert told["IR"] <= {("S", "score"), ("L", "changes of the lead"), ("T", "impact"), ("H", "impact")}
    assert {subtask for _, subtask in told["TS"]} == {"in-context query", "problem"}
    assert {subtask for kind, subtask in told["TS"] if kind == "M"} == {"problem"}


@pytest.mark.parametrize("sport", SPORTS)
@pytest.mark.parametrize("task", ["CR", "IR", "TS"])
def test_hockey_is_never_asked_for_points_nor_basketball_for_faceoffs(task: str, sport: str) -> None:
    for turn in turns_of(task, sport):
        if turn["kind"] in "AITH":
            told = words_of(turn).lower().replace("percentage point", "")
            assert ("points" if sport == "hockey" else "faceoff") not in told


@pytest.mark.parametrize("sport", SPORTS)
def test_instruction_following_wants_the_summary_where_nobody_mentions_it(sport: str) -> None:
    turns = turns_of("IF", sport)
    announced = [turn["number"] for turn in turns if turn["kind"] == "K"]
    wanted = [turn["number"] for turn in turns if turn["gates"] == ["no_summary"]]
    assert wanted == [number + 2 for number in announced]
    for turn in turns:
        assert ("Summary" in turn["message"]) is (turn["kind"] == "K")
        assert turn["intent"] == ("Update Score" if turn["kind"] == "S" else "Other Question")


def test_both_teams_are_cheered_in_turn() -> None:
    teams = [turn["question"]["team"] for turn in turns_of("IF", "basketball") if turn["kind"] == "K"]
    assert teams[0] == teams[2] != teams[1] == teams[3]


@pytest.mark.parametrize(("task", "sport"), EVERY)
def test_distance_and_what_lies_between(task: str, sport: str) -> None:
    turns = turns_of(task, sport)
    rows: dict[tuple[int, str], int] = {}
    for turn in turns:
        rows |= {(turn["period"], row.partition("\t")[0]): turn["number"] for row in rows_of(turn)}
    for turn in turns:
        question = turn["question"]
        if turn["kind"] not in "AILTH":
            assert turn["distance"] is None
            assert turn["evidence"] is None
            continue
        if turn["kind"] == "A":
            period, clock = turn["key"][0][2:]
        elif turn["kind"] == "L":
            period, clock = question["period"], turn["key"][-1][0]
        else:
            period, clock = question["end"]
        assert turn["distance"] == turn["period"] - period
        assert turn["evidence"]["turns"] >= 0
        if (period, clock) in rows:
            assert turn["evidence"]["turns"] == turn["number"] - rows[period, clock] - 1
        assert (turn["evidence"]["tokens"] > 0) is (turn["evidence"]["turns"] > 0)


def test_tokens_between_are_those_of_the_messages_between() -> None:
    turns = turns_of("CR", "basketball")
    for turn in turns:
        if turn["evidence"]:
            between = turns[turn["number"] - 1 - turn["evidence"]["turns"] : turn["number"] - 1]
            assert len(between) == turn["evidence"]["turns"]
            told = sum(len(re.findall(r"\w+|[^\w\s]", one["message"])) for one in between)
            assert turn["evidence"]["tokens"] == told


@pytest.mark.parametrize(("task", "sport"), EVERY)
def test_the_score_never_stands_in_a_message(task: str, sport: str) -> None:
    for turn in turns_of(task, sport):
        for team in turn["names"]["teams"]:
            assert not re.search(rf"{team.split()[-1]} \d", turn["message"])
        told = words_of(turn)
        assert " - " not in told
        if turn["kind"] == "S":
            assert not any(character.isdigit() for character in told)


@pytest.mark.parametrize(("task", "sport"), EVERY)
def test_messages_have_a_header_a_table_a_line_and_words(task: str, sport: str) -> None:
    for turn in turns_of(task, sport):
        lines = turn["message"].split("\n")
        assert lines[0] == "GAME INFO"
        label = f"{'Q' if sport == 'basketball' else 'P'}{turn['period']}"
        assert lines[1].startswith(" vs. ".join(turn["names"]["teams"]) + " | ")
        assert label in lines[1]
        begin, end, line = (lines.index(mark) for mark in ("=== ticker ===", "=== end of ticker ===", "---"))
        assert 1 < begin < end - 1
        assert line == end + 1 < len(lines) - 1
        if turn["kind"] in "SK":
            assert all("\t" in row for row in lines[begin + 1 : end])
        else:
            assert end == begin + 2
            assert lines[begin + 1].startswith("(no new rows")


def test_who_starts_a_period_of_basketball() -> None:
    match = match_of("CR", "basketball", 0, seed=SEED)
    team = match["teams"][0]
    own = set(match["lineups"][team])
    for turn in turns_of("CR", "basketball"):
        told = [line for line in turn["message"].split("\n") if line.startswith(f"{team.split()[-1]} start with ")]
        assert bool(told) is ("part 1 of 5" in turn["message"])
        if told:
            assert set(told[0].partition(" start with ")[2].split(", ")) == own
        for row in rows_of(turn):
            enters, found, leaves = row.partition("\t")[2].partition(" enters the game for ")
            if found and leaves in own:
                own = own - {leaves} | {enters}


def test_hockey_tells_the_goalkeepers_in_every_message_with_rows() -> None:
    keepers = [own[0] for own in match_of("IR", "hockey", 0, seed=SEED)["lineups"].values()]
    for turn in turns_of("IR", "hockey"):
        assert all(keeper in turn["message"] for keeper in keepers) or not rows_of(turn)


def test_no_two_tasks_share_a_match() -> None:
    first = [turns_of(task, "hockey")[0] for task in TASKS]
    assert len({json.dumps(turn["names"]) for turn in first}) == len(TASKS)


def test_other_numbers_seeds_and_series_are_other_dialogues() -> None:
    found = [
        made("CR", "hockey"),
        made("CR", "hockey", 1),
        made("CR", "hockey", series="b"),
        dialogue("CR", "hockey", 0, seed=SEED + 1),
    ]
    assert len({one["turns"][0]["message"] for one in found}) == len(found)


@pytest.mark.sampled
@pytest.mark.parametrize("sport", SPORTS)
@pytest.mark.parametrize(
    ("task", "variants"),
    [
        ("IF", [{}, {"chunks": 5}, {"chunks": 1}, {"chunks": 10}]),
        ("CR", [{}, {"chunks": 1}, {"chunks": 20}, {"whole": True}]),
        ("IR", [{}, {"chunks": 1}, {"chunks": 20}, {"whole": True}]),
        ("TS", [{}, {"chunks": 10}, {"switch": "math"}, {"switch": "chat"}, {"switch": "none"}]),
        ("CR", [{"ask_after": 1}, {"ask_after": 2}, {"ask_after": 3}]),
        ("IR", [{"ask_after": 1}, {"ask_after": 2}, {"ask_after": 3}]),
    ],
)
def test_variants_share_the_match_and_the_questions(sport: str, task: str, variants: list[dict[str, Any]]) -> None:
    first, *others = (turns_of(task, sport, 1, **settings) for settings in variants)
    rows = [row for turn in first for row in rows_of(turn)]
    told = [words_of(turn).partition("?")[2] for turn in first if turn["kind"] in "AILTH"]
    for turns in others:
        assert [row for turn in turns for row in rows_of(turn)] == rows
        assert [one[2] for one in asked(turns)] == [one[2] for one in asked(first)]
        if task != "IF":  # where another turn brings the summary
            assert asked(turns) == asked(first)
            assert [words_of(turn).partition("?")[2] for turn in turns if turn["kind"] in "AILTH"] == told


def test_items_that_a_judge_decides_are_a_fiftieth_of_all_points() -> None:
    """Problems apart."""
    items = [item for task, sport in EVERY for turn in turns_of(task, sport) for item in turn["checklist"]]
    judged = sum(item["weight"] for item in items if needs_judge(item))
    assert judged / sum(item["weight"] for item in items if item["kind"] != "letter") == pytest.approx(0.02, abs=0.002)


@pytest.mark.parametrize("sport", SPORTS)
def test_five_chunks_are_the_usual_parts_with_every_score_judged(sport: str) -> None:
    usual, chosen = turns_of("CR", sport), turns_of("CR", sport, chunks=5)
    assert [turn["message"] for turn in chosen] == [turn["message"] for turn in usual]
    assert all(turn["judged"] for turn in chosen)


@pytest.mark.parametrize("sport", SPORTS)
@pytest.mark.parametrize("task", ["CR", "IR"])
def test_all_rows_in_one_message(task: str, sport: str) -> None:
    first, *others = turns_of(task, sport, whole=True)
    assert first["message"].count("GAME INFO\n") == PERIODS[sport]
    assert first["judged"] is (task == "IR")
    assert len(others) == 3 * PERIODS[sport]
    assert all(turn["judged"] and not rows_of(turn) for turn in others)
    for turn in others:
        assert turn["evidence"]["turns"] == turn["number"] - 2
    for turn, usual in zip(others, (one for one in turns_of(task, sport) if one["kind"] in "AILTH"), strict=True):
        assert turn["distance"] - usual["distance"] == PERIODS[sport] - usual["period"]


@pytest.mark.parametrize("task", ["CR", "IR"])
def test_questions_asked_later_lie_farther_away(task: str) -> None:
    for after in (1, 2, 3, 4):
        turns = [turn for turn in turns_of(task, "basketball", ask_after=after) if turn["kind"] in "AITH"]
        assert [turn["kind"] for turn in turns] == (["A", "A", "I"] if task == "CR" else ["T", "H", "H"])
        assert {turn["distance"] for turn in turns} == {after - 1}
        assert {turn["period"] for turn in turns} == {after}


@pytest.mark.parametrize("sport", SPORTS)
def test_pairs_have_the_same_evidence_at_the_same_distance(sport: str) -> None:
    anchored = [turn for turn in turns_of("CR", sport, pair="anchored") if turn["kind"] == "A"]
    interval = [turn for turn in turns_of("CR", sport, pair="interval") if turn["kind"] == "I"]
    assert len(anchored) == len(interval) == 3 * PERIODS[sport]
    for one, other in zip(anchored, interval, strict=True):
        assert one["distance"] == other["distance"]
        assert one["evidence"]["turns"] == other["evidence"]["turns"]
        assert other["key"][-len(one["key"]) :] == one["key"]
        assert len(other["key"]) >= 5


@pytest.mark.parametrize("sport", SPORTS)
def test_small_talk_is_as_long_as_the_problem_in_its_place(sport: str) -> None:
    for problem, talk in zip(turns_of("TS", sport), turns_of("TS", sport, switch="chat"), strict=True):
        if problem["kind"] == "M":
            assert talk["kind"] == "C"
            assert len(words_of(talk)) == pytest.approx(len(words_of(problem)), rel=0.15)
            assert (talk["judged"], talk["checklist"], talk["gates"], talk["witness"]) == (False, [], [], "")
        else:
            assert {**talk, "evidence": None} == {**problem, "evidence": None}


def test_no_problem_comes_twice() -> None:
    told = [
        turn["question"]["text"]
        for sport in SPORTS
        for number in range(12)
        for turn in turns_of("TS", sport, number)
        if turn["kind"] == "M"
    ]
    assert len(set(told)) == len(told) == 12 * (12 + 9)


def test_a_problem_lists_its_options_and_says_how_to_answer() -> None:
    for turn in turns_of("TS", "hockey"):
        if turn["kind"] == "M":
            lines = words_of(turn).split("\n")
            assert turn["question"]["text"] in lines[0]
            assert lines[1:6] == [f"{letter}) {option}" for letter, option in turn["question"]["options"].items()]
            assert lines[-1] == "Answer: X"
            assert turn["key"] in "ABCDE"


DIGEST = """
import json, sys
from hashlib import sha256
from evolif.scenarios.broadcast.dialogue import dialogue
for task in ("IF", "CR", "IR", "TS"):
    for sport in ("basketball", "hockey"):
        print(sha256(json.dumps(dialogue(task, sport, 0, seed=19)).encode()).hexdigest())
"""


@pytest.mark.slow
def test_the_same_bytes_in_another_process() -> None:
    environment = {**os.environ, "PYTHONHASHSEED": "7"}
    done = subprocess.run([sys.executable, "-c", DIGEST], capture_output=True, text=True, check=True, env=environment)
    here = [sha256(json.dumps(made(task, sport)).encode()).hexdigest() for task, sport in EVERY]
    assert done.stdout.split() == here


@pytest.mark.parametrize(
    ("task", "sport", "number", "seed"),
    [
        ("if", "hockey", 0, 0),
        ("IF", "football", 0, 0),
        ("IF", "hockey", -1, 0),
        ("IF", "hockey", 0, -1),
        ("IF", "hockey", 0.0, 0),
    ],
)
def test_bad_arguments(task: str, sport: str, number: Any, seed: int) -> None:
    with pytest.raises(ArgumentError):
        dialogue(task, sport, number, seed=seed)


@pytest.mark.sampled
@pytest.mark.parametrize(("task", "sport"), EVERY)
def test_the_messages_of_a_match_are_8_to_25_thousand_tokens(task: str, sport: str) -> None:
    tokenizer = SubwordTokenizer()
    for number in range(5):
        told = sum(len(tokenizer.spans(turn["message"])) for turn in turns_of(task, sport, number))
        assert 8_000 <= told <= 25_000
