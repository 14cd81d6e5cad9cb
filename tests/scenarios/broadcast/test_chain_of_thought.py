"""Thinking before an answer: asked for by an option, and worth nothing whatever it says."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from broadcast_matches import PERIODS

from evolif.errors import UsageError
from evolif.scenario import get_scenario
from evolif.scenarios.broadcast import dialogue, score_reply
from evolif.scenarios.broadcast.options import BroadcastOptions
from evolif.scenarios.broadcast.reading_answer import without_thinking

THOUGHTS = (
    "Ana Lima, 3 points, Q1 4:00? Changes: 7. Answer: E. <Summary>none</Summary> [Update Score] [Tag B] Tie by 0."
)
WAYS = ("<think>\n{}\n</think>\n", "<Thinking>{}</Thinking>", "{}\n</think>\n\n", "<REASONING>{}</reasoning>\n")


@pytest.mark.parametrize("sport", PERIODS)
@pytest.mark.parametrize("task", ["IF", "CR", "IR", "TS"])
def test_no_item_and_no_gate_looks_at_thoughts(task: str, sport: str) -> None:
    made = dialogue(task, sport, 0, seed=7, chain_of_thought=True)
    assert "<think>" in made["system"]
    for number, turn in enumerate(turn for turn in made["turns"] if turn["judged"]):
        thought = WAYS[number % len(WAYS)].format(THOUGHTS)
        assert score_reply(turn, thought + turn["witness"])["score"] == 1
        assert score_reply(turn, thought)["score"] == score_reply(turn, "")["score"]


def test_without_the_option_nothing_is_said_of_thinking() -> None:
    plain, thinking = (dialogue("CR", "hockey", 0, seed=7, chain_of_thought=wanted) for wanted in (False, True))
    assert thinking["system"].startswith(plain["system"])
    assert "think" not in plain["system"].lower()
    assert [turn["message"] for turn in plain["turns"]] == [turn["message"] for turn in thinking["turns"]]


@pytest.mark.parametrize(
    ("reply", "left"),
    [
        ("<think>a</think>b", "b"),
        ("a</think>b", "b"),
        ("<think>a", "<think>a"),
        ("x<think>a<think>b</think>c", "xc"),
        ("a <b>c</b>", "a <b>c</b>"),
        ("<Thinking>a</Thinking>\n<thoughts>b</thoughts>c", "\nc"),
        ("", ""),
    ],
)
def test_what_is_left_of_a_reply(reply: str, left: str) -> None:
    assert without_thinking(reply) == left


def test_the_option_is_stored_only_where_it_is_chosen() -> None:
    assert "chain_of_thought" not in BroadcastOptions().model_dump(mode="json")
    chosen = BroadcastOptions(chain_of_thought=True)
    assert chosen.model_dump(mode="json")["chain_of_thought"] is True
    assert chosen.place(1).settings == {"chain_of_thought": True}


def test_a_set_of_an_older_version_is_played_but_not_added_to(tmp_path: Path) -> None:
    scenario = get_scenario("broadcast")
    spec = BroadcastOptions(task=("CR",), sport=("hockey",))
    scenario.generate(tmp_path / "b", spec, dialogues=1, seed=7)
    scenario.generate(tmp_path / "b", spec, dialogues=1, seed=7)
    [file] = (tmp_path / "b" / "dialogues").iterdir()
    lines = [json.loads(line) for line in file.read_text("utf-8").splitlines()]
    older = [{name: value for name, value in line.items() if name != "reading"} for line in lines]
    file.write_text("".join(f"{json.dumps(line)}\n" for line in older), "utf-8")
    assert len(scenario.open(tmp_path / "b").dialogues()) == 1
    with pytest.raises(UsageError, match="generate a fresh benchmark"):
        scenario.generate(tmp_path / "b", spec, dialogues=2, seed=7)
