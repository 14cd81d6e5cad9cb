"""Witnesses of all judged turns, and faults planted in them by the tests themselves."""

from __future__ import annotations

import re
from typing import Any

import pytest
from page_broadcast import accepting, lost
from page_referee import PAIRS, SPORTS, Turn, all_turns, dialogues

from evolif.scenarios.broadcast import score_reply, witness

NUMBER = 12
each_pair = pytest.mark.parametrize(("task", "sport"), PAIRS)
each_sport = pytest.mark.parametrize("sport", SPORTS)
impacts = pytest.mark.parametrize("task", ["IR", "TS"])


def no(turn: Any, reply: str, item: Any) -> bool:
    return False


@each_pair
def test_every_judged_turn_has_a_witness_that_scores_one(task: str, sport: str) -> None:
    for _, turn in all_turns(task, sport, number=NUMBER):
        if turn["judged"]:
            assert turn["witness"].strip()
            for reply in (turn["witness"], witness(turn)):
                found = score_reply(turn, reply)
                assert (found["score"], found["gates"], lost(found)) == (1.0, [], []), (turn["kind"], reply)


@each_pair
def test_a_judge_that_agrees_changes_nothing(task: str, sport: str) -> None:
    for _, turn in all_turns(task, sport, number=4):
        if turn["judged"]:
            found = score_reply(turn, turn["witness"], accepting)
            assert found["score"] == 1.0
            assert len(found["items"]) == len(turn["checklist"])


@each_sport
def test_a_judge_that_disagrees_costs_its_items(sport: str) -> None:
    for _, turn in all_turns("IF", sport, number=4):
        weight = 0.1 if turn["kind"] == "K" else 0.25 if turn["gates"] else 0
        assert score_reply(turn, turn["witness"], no)["score"] == pytest.approx(1 - weight)


@each_pair
def test_what_a_scored_reply_holds(task: str, sport: str) -> None:
    for turn in dialogues(task, sport, 2)[1]["turns"]:
        if turn["judged"]:
            found = score_reply(turn, turn["witness"])
            assert {"score", "items", "gates"} <= set(found)
            for item in found["items"]:
                assert {"kind", "weight", "satisfied", "found"} <= set(item)
            assert sum(item["weight"] for item in found["items"]) == pytest.approx(1)


@each_pair
def test_an_empty_reply_scores_nothing(task: str, sport: str) -> None:
    for _, turn in all_turns(task, sport, number=3):
        if turn["judged"]:
            assert score_reply(turn, "")["score"] == 0.0
            assert score_reply(turn, " \n\t ")["score"] == 0.0


@each_pair
def test_the_witness_of_another_turn_is_rarely_right(task: str, sport: str) -> None:
    """Checkers that accept anything would be found out here."""
    turns = [turn for _, turn in all_turns(task, sport, number=3) if turn["judged"]]
    full = 0
    tried = 0
    for turn, other in zip(turns, turns[1:] + turns[:1], strict=True):
        if turn["key"] != other["key"] or turn["kind"] != other["kind"]:
            tried += 1
            full += score_reply(turn, other["witness"])["score"] == 1.0
    assert tried > 10
    assert full <= tried * 0.1


def without_line(text: str, number: int) -> str:
    lines = text.split("\n")
    return "\n".join(line for i, line in enumerate(lines) if i != number)


def bumped(text: str, pattern: str) -> str:
    """The number that a pattern's group holds, one higher."""
    found = re.search(pattern, text)
    assert found, (pattern, text)
    return text[: found.start(1)] + str(int(found[1]) + 1) + text[found.end(1) :]


def other_player(turn: Turn, taken: set[str]) -> str:
    return next(p for players in turn["names"]["roster"].values() for p in players if p not in taken)


def named(turn: Turn) -> set[str]:
    """Everybody whom key or question name."""
    everyone = {player for players in turn["names"]["roster"].values() for player in players}
    return {player for player in everyone if player in f"{turn['key']}{turn['question']}"}


@pytest.mark.parametrize("task", ["IR", "TS"])
@each_sport
def test_a_wrong_number_costs_a_team(task: str, sport: str) -> None:
    for _, turn in all_turns(task, sport, "S", NUMBER):
        if turn["judged"]:
            for team in turn["names"]["teams"]:
                found = score_reply(turn, bumped(turn["witness"], rf"{team}\D*(\d+)"))
                assert (found["score"], lost(found)) == (0.5, ["score"])


def test_wrong_points_cost_half_an_event() -> None:
    for _, turn in all_turns("CR", "basketball", "A", NUMBER):
        found = score_reply(turn, bumped(turn["witness"], r", (\d) points?"))
        n = len(turn["key"])
        assert found["score"] == pytest.approx(1 - 0.5 / n)
        assert lost(found) == ["fact"]


@each_sport
def test_an_invented_player_at_a_moment_is_the_gate(sport: str) -> None:
    for _, turn in all_turns("CR", sport, "A", NUMBER):
        names = {name for event in turn["key"] for name in event[: 2 if sport == "hockey" else 1]}
        wrong = other_player(turn, named(turn))
        for name in names - {turn["question"]["player"], turn["question"].get("opponent")}:
            found = score_reply(turn, turn["witness"].replace(name, wrong))
            assert (found["score"], found["gates"]) == (0.0, turn["gates"])


@each_sport
def test_an_event_left_out_costs_its_share(sport: str) -> None:
    for _, turn in all_turns("CR", sport, "I", NUMBER):
        n = len(turn["key"])
        assert turn["witness"].count("\n") == n - 1
        for number in {0, n // 2, n - 1}:
            found = score_reply(turn, without_line(turn["witness"], number))
            assert found["score"] == pytest.approx(1 - 1 / n)
            assert len(lost(found)) == 1
            assert found["gates"] == []


@each_sport
def test_a_neighbours_name_costs_an_event(sport: str) -> None:
    for _, turn in all_turns("CR", sport, "I", NUMBER):
        line, *rest = turn["witness"].split("\n")
        name = turn["key"][0][0]
        wrong = other_player(turn, named(turn))
        found = score_reply(turn, "\n".join([line.replace(name, wrong), *rest]))
        assert found["score"] == pytest.approx(1 - 1 / len(turn["key"]))


@each_sport
def test_one_invented_event_costs_nothing_and_many_everything(sport: str) -> None:
    for _, turn in all_turns("CR", sport, "I", NUMBER):
        n = len(turn["key"])
        line = turn["witness"].split("\n")[0]
        wrong = line.replace(turn["key"][0][0], other_player(turn, named(turn)))
        assert score_reply(turn, "\n".join([turn["witness"], wrong]))["score"] == 1.0
        assert score_reply(turn, "\n".join([turn["witness"], *[wrong] * (n + 1)]))["score"] == 0.0


@impacts
@each_sport
def test_a_wrong_count_of_changes_costs_a_fifth(task: str, sport: str) -> None:
    for _, turn in all_turns(task, sport, "L", NUMBER):
        found = score_reply(turn, bumped(turn["witness"], r"Changes: (\d+)"))
        assert (found["score"], lost(found)) == (pytest.approx(0.8), ["count"])


@impacts
@each_sport
def test_no_count_of_changes_costs_a_fifth(task: str, sport: str) -> None:
    for _, turn in all_turns(task, sport, "L", NUMBER):
        found = score_reply(turn, without_line(turn["witness"], 0))
        assert (found["score"], lost(found)) == (pytest.approx(0.8), ["count"])


@impacts
@each_sport
def test_a_change_left_out_costs_its_share(task: str, sport: str) -> None:
    for _, turn in all_turns(task, sport, "L", NUMBER):
        n = len(turn["key"])
        found = score_reply(turn, without_line(turn["witness"], n))
        assert (found["score"], lost(found)) == (pytest.approx(1 - 0.8 / n), ["change"])


@impacts
@each_sport
def test_the_other_team_went_ahead(task: str, sport: str) -> None:
    for _, turn in all_turns(task, sport, "L", NUMBER):
        n = len(turn["key"])
        first, second = turn["names"]["teams"]
        *lines, last = turn["witness"].split("\n")
        wrong = last.replace(first, "?").replace(second, first).replace("?", second)
        found = score_reply(turn, "\n".join([*lines, wrong]))
        assert lost(found) == ["change"]
        assert found["score"] == (0.0 if n == 1 else pytest.approx(1 - 0.8 / n))


@impacts
def test_another_player_is_the_gate_of_the_best(task: str) -> None:
    for _, turn in all_turns(task, "basketball", "T", NUMBER):
        player = turn["key"]["player"]
        for wrong in (other_player(turn, named(turn)), ""):
            found = score_reply(turn, turn["witness"].replace(player, wrong))
            assert (found["score"], found["gates"]) == (0.0, turn["gates"])


@impacts
def test_a_wrong_margin_costs_a_quarter(task: str) -> None:
    for _, turn in all_turns(task, "basketball", "TH", NUMBER):
        for case, name in (("no_ft", "No free throw"), ("no_goals", "Nothing")):
            if turn["key"][case][0] != "Tie":
                found = score_reply(turn, bumped(turn["witness"], rf"{name}: .* by (\d+)"))
                assert (found["score"], lost(found)) == (0.75, ["margin"])


@impacts
def test_another_case_left_out_costs_half(task: str) -> None:
    for _, turn in all_turns(task, "basketball", "TH", NUMBER):
        lines = [line for line in turn["witness"].split("\n") if not line.startswith("Nothing")]
        assert score_reply(turn, "\n".join(lines))["score"] == 0.5


@impacts
def test_wrong_shares(task: str) -> None:
    for _, turn in all_turns(task, "hockey", "TH", NUMBER):
        key = turn["key"]
        if turn["kind"] == "H":
            assert score_reply(turn, f"Gain: {key['increase_if_all_won'] + 0.04:.2f}")["score"] == 1.0
            assert score_reply(turn, f"Gain: {key['increase_if_all_won'] + 0.07:.2f}")["score"] == 0.0
        else:
            wrong = turn["witness"].replace(key["player"], other_player(turn, named(turn)))
            assert score_reply(turn, wrong)["score"] == 0.5


@each_sport
def test_another_letter(sport: str) -> None:
    for _, turn in all_turns("TS", sport, "M", NUMBER):
        for letter in "ABCDE":
            assert score_reply(turn, f"Answer: {letter}")["score"] == (letter == turn["key"])


def spoiled(reply: str, how: str) -> str:
    """A reply to instructions with one fault."""
    first, _, rest = reply.partition("\n")
    if how == "first tag":
        wrong = "Other Question" if "Update" in first else "Update Score"
        return re.sub(r"^\[.*?\]", f"[{wrong}]", first) + "\n" + rest
    return f"{first} [Tag A] [Tag B]\n{rest}"


@each_sport
def test_one_wrong_tag(sport: str) -> None:
    for _, turn in all_turns("IF", sport, number=NUMBER):
        tags = {i["which"]: i["weight"] for i in turn["checklist"] if i["kind"] == "tag"}
        for how, which in (("first tag", "first"), ("both tags", "second")):
            found = score_reply(turn, spoiled(turn["witness"], how), accepting)
            assert lost(found) == ["tag"]
            assert found["score"] == pytest.approx(1 - tags[which])


@each_sport
def test_a_fourth_sentence_or_too_many_words(sport: str) -> None:
    for _, turn in all_turns("IF", sport, "SQ", NUMBER):
        weights = {i["kind"]: i["weight"] for i in turn["checklist"]}
        tags, _, rest = turn["witness"].partition("\n")
        found = score_reply(turn, f"{tags}\nHere we go. {rest}", accepting)
        assert (lost(found), found["score"]) == (["sentences"], pytest.approx(1 - weights["sentences"]))
        found = score_reply(turn, f"{tags}\n{'Well ' * 99}{rest}", accepting)
        assert (lost(found), found["score"]) == (["words"], pytest.approx(1 - weights["words"]))


@each_sport
def test_a_wrong_number_of_a_player_costs_his_line(sport: str) -> None:
    for _, turn in all_turns("IF", sport, "Q", NUMBER):
        weights = [i["weight"] for i in turn["checklist"] if i["kind"] == "statistics"]
        for line in turn["key"]:
            found = score_reply(turn, bumped(turn["witness"], rf"\n{line['player']}:.*?(\d+)\n"), accepting)
            assert (lost(found), found["score"]) == (["statistics"], pytest.approx(1 - weights[0]))


@each_sport
def test_no_statistics_at_all(sport: str) -> None:
    for _, turn in all_turns("IF", sport, "Q", 4):
        reply = re.sub(r"(?s)<Stats>.*?</Stats>", "", turn["witness"])
        found = score_reply(turn, reply, accepting)
        assert lost(found) == ["statistics"] * len(turn["key"])


@each_sport
def test_the_missing_or_long_summary(sport: str) -> None:
    for _, turn in all_turns("IF", sport, "Q", 4):
        if turn["gates"]:
            cut = re.sub(r"(?s)<Summary>.*?</Summary>", "", turn["witness"])
            assert score_reply(turn, cut, accepting)["score"] == 0.0
            long = re.sub(r"</Summary>", " more" * 50 + "</Summary>", turn["witness"])
            found = score_reply(turn, long, accepting)
            assert (lost(found), found["score"]) == (["summary"], pytest.approx(0.75))


@each_sport
def test_a_spoiled_acrostic(sport: str) -> None:
    for _, turn in all_turns("IF", sport, "K", NUMBER):
        tags, _, sentence = turn["witness"].partition("\n")
        words = sentence.rstrip(".!").split()
        late = " ".join(["So", *words])
        assert lost(score_reply(turn, f"{tags}\n{late}.", accepting))[-1:] == ["acrostic"]
        short = " ".join(words[:-1])
        found = score_reply(turn, f"{tags}\n{short}.", accepting)
        assert lost(found) in ([], ["acrostic"])
        long = " ".join([*words, *["on"] * (21 - len(words))])
        found = score_reply(turn, f"{tags}\n{long}.", accepting)
        assert (lost(found), found["score"]) == (["acrostic"], pytest.approx(0.9))
