"""Summaries, judges, the weights that are left without one, and faults of turns and judges."""

from __future__ import annotations

import copy
from typing import Any

import pytest
from reading_turns import HERONS, OWLS, names_of, turn_of

from evolif.errors import UsageError
from evolif.scenarios.broadcast import score_reply

SCORE = {HERONS: 20, OWLS: 18}
CHEER = "We all cheer when quick Herons keep igniting noisy games."
TALK = "Both of your players are listed below. Their lines cover the whole period now. I can look up more for you now."
FACEOFFS = [
    {"player": "Ana Lima", "team": HERONS, "taken": 9, "won": 6, "lost": 3},
    {"player": "Dia Frostin", "team": OWLS, "taken": 7, "won": 2, "lost": 5},
]
STATS = "<Stats>\nAna Lima: faceoffs 9, won 6, lost 3\nDia Frostin: faceoffs 7, won 2, lost 5\n</Stats>"


@pytest.mark.parametrize(
    ("summary", "short", "gated"),
    [
        ("<Summary>The Herons lead.</Summary>", True, False),
        ("<summary>The Herons lead.</summary>", True, False),
        ("<Summary></Summary>", True, False),
        (f"<Summary>{'word ' * 49}</Summary>", True, False),
        (f"<Summary>{'word ' * 50}</Summary>", False, False),
        ("<Summary>The Herons lead.", False, True),
        ("Summary: The Herons lead.", False, True),
        ("", False, True),
    ],
)
def test_summaries(summary: str, short: bool, gated: bool) -> None:
    turn = turn_of("IF", "Q", FACEOFFS, "hockey", number=2, summary=True)
    found = score_reply(turn, f"[Other Question]\n{TALK}\n{STATS}\n{summary}")
    assert found["items"][-1]["satisfied"] is short
    assert found["gates"] == (["no_summary"] if gated else [])
    assert found["unjudged"] == ["summary"]
    assert sum(item["weight"] for item in found["items"]) == pytest.approx(1)


def test_a_judge_is_asked_about_what_is_there() -> None:
    asked: list[tuple[str, str, str]] = []

    def judge(turn: Any, reply: str, item: Any) -> bool:
        asked.append((turn["kind"], reply, item["kind"]))
        return item["kind"] == "summary"

    turn = turn_of("IF", "Q", FACEOFFS, "hockey", number=2, summary=True)
    reply = f"[Other Question]\n{TALK}\n{STATS}\n"
    summarised = f"{reply}<Summary>They lead.</Summary>"
    found = score_reply(turn, summarised, judge)
    assert (found["score"], found["unjudged"], asked) == (1.0, [], [("Q", summarised, "summary")])
    assert score_reply(turn, reply, judge)["score"] == 0.0
    assert len(asked) == 1
    cheer = turn_of("IF", "K", "QHKING", number=3, team=HERONS, seq="QHKING")
    cheered = f"[Other Question] [Tag B]\n{CHEER}"
    assert score_reply(cheer, cheered, judge)["score"] == pytest.approx(0.9)
    assert score_reply(cheer, "", judge)["score"] == 0.0
    assert asked[1:] == [("K", cheered, "support")]


def test_without_a_judge_the_other_weights_are_divided_by_their_sum() -> None:
    cheer = turn_of("IF", "K", "QHKING", number=3, team=HERONS, seq="QHKING")
    found = score_reply(cheer, f"[Other Question]\n{CHEER}")
    assert found["score"] == pytest.approx(0.65 / 0.9, abs=1e-9)
    weights = [0.05, 0.25, 0.1, 0.25, 0.25]
    assert [item["weight"] for item in found["items"]] == pytest.approx([weight / 0.9 for weight in weights])


def test_scoring_changes_nothing_and_says_what_it_found() -> None:
    turn = turn_of("CR", "S", SCORE)
    before = copy.deepcopy(turn)
    found = score_reply(turn, "Herons 20, Owls 17")
    assert turn == before
    assert [(item["found"], item["satisfied"], item["points"]) for item in found["items"]] == [
        (20, True, 20),
        (17, False, 18),
    ]


@pytest.mark.parametrize(
    "change",
    [
        {"checklist": None},
        {"checklist": []},
        {"checklist": [{"kind": "nonsense", "weight": 1.0}]},
        {"checklist": ["score"]},
        {"gates": ["no_such_gate"]},
        {"names": None},
        {"names": {**names_of("hockey"), "sport": "chess"}},
        {"names": {**names_of("hockey"), "teams": [HERONS]}},
    ],
)
def test_a_faulty_turn_is_an_error(change: dict[str, Any]) -> None:
    with pytest.raises(UsageError):
        score_reply({**turn_of("CR", "S", SCORE), **change}, "Herons 20, Owls 18")


def test_faults_are_errors_and_no_failed_items() -> None:
    turn = turn_of("IF", "K", "QHKING", number=3, team=HERONS, seq="QHKING")

    def breaks(turn: Any, reply: str, item: Any) -> bool:
        raise ZeroDivisionError

    def says_yes(turn: Any, reply: str, item: Any) -> Any:
        return "yes"

    no_text: Any = ["text"]
    with pytest.raises(ZeroDivisionError):
        score_reply(turn, "text\ntext", breaks)
    with pytest.raises(UsageError):
        score_reply(turn, "text\ntext", says_yes)
    with pytest.raises(UsageError):
        score_reply(turn, no_text)
