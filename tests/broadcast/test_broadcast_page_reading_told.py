"""Replies to instructions: tags, sentences, words, the acrostic, and what a judge decides."""

from __future__ import annotations

import time
from typing import Any

import pytest
from page_broadcast import OTHER, A, acrostic, anchored, impact, interval, lost, score_turn, told_score, turn

from evolif.scenarios.broadcast import score_reply

RIGHT = "[Update Score] [Tag A]\nHerons 54, Foxes 51 today. The Foxes try. Enjoy what they play!"


def test_a_reply_as_asked() -> None:
    found = score_reply(told_score(1, 54, 51), RIGHT)
    assert (found["score"], lost(found)) == (1.0, [])


@pytest.mark.parametrize(
    ("reply", "score", "items"),
    [
        (RIGHT.replace("Update Score", "Other Question"), 0.9, ["tag"]),
        (RIGHT.replace("[Tag A]", ""), 0.6, ["tag"]),
        (RIGHT.replace("Tag A", "Tag B"), 0.6, ["tag"]),
        (RIGHT.replace("[Tag A]", "[Tag A] [Tag B]"), 0.6, ["tag"]),
        ("Sure! " + RIGHT, 0.9, ["tag"]),
        ("Sure!\n" + RIGHT.split("\n")[1], 0.5, ["tag", "tag"]),
        (RIGHT.replace("Foxes 51", "Foxes 50"), 0.95, ["score"]),
        (RIGHT.replace("54", "53").replace("51", "50"), 0.9, ["score", "score"]),
        (RIGHT.replace("Enjoy what they play!", ""), 0.8, ["sentences"]),
        (RIGHT + " Hooray!", 0.8, ["sentences"]),
        (RIGHT.replace("they play", "they do"), 0.8, ["sentences"]),
        (RIGHT.replace("The Foxes try", "The " + "very " * 90 + "tired try"), 0.8, ["words"]),
        ("[Update Score] [Tag A]", 0.5, ["words", "sentences", "score", "score"]),
    ],
)
def test_what_each_demand_costs(reply: str, score: float, items: list[str]) -> None:
    found = score_reply(told_score(1, 54, 51), reply)
    assert (found["score"], lost(found)) == (score, items)


@pytest.mark.parametrize("number", [1, 2, 3, 4])
def test_an_empty_reply_scores_nothing_whatever_its_number(number: int) -> None:
    for reply in ("", "  \n "):
        assert score_reply(told_score(number, 54, 51), reply)["score"] == 0.0


@pytest.mark.parametrize(("number", "tags"), [(2, ""), (3, " [Tag B]"), (4, ""), (5, " [Tag A]"), (7, " [Tag B]")])
def test_tags_by_number(number: int, tags: str) -> None:
    reply = RIGHT.replace(" [Tag A]", tags)
    assert score_reply(told_score(number, 54, 51), reply)["score"] == 1.0
    wrong = " [Tag A]" if tags != " [Tag A]" else ""
    assert score_reply(told_score(number, 54, 51), RIGHT.replace(" [Tag A]", wrong))["score"] == 0.6


@pytest.mark.parametrize(("words", "kept"), [(98, True), (99, True), (100, False), (101, False)])
def test_fewer_than_a_hundred_words(words: int, kept: bool) -> None:
    fixed = "Herons 54, Foxes 51 today. The Foxes try. Enjoy what they play"
    filler = " they" * (words - len([w for w in fixed.replace(",", "").replace(".", "").split() if w.isalpha()]) - 1)
    reply = f"[Update Score] [Tag A]\n{fixed}{filler} may!"
    assert ("words" not in lost(score_reply(told_score(1, 54, 51), reply))) is kept


def test_blocks_are_not_part_of_the_body() -> None:
    long = "word " * 120
    for block in (f"<Summary>{long}</Summary>", f"<Stats>{long}</Stats>"):
        assert score_reply(told_score(1, 54, 51), f"{RIGHT}\n{block}")["score"] == 1.0


def test_accents_are_not_folded_in_the_body() -> None:
    reply = "[Update Score] [Tag A]\nHerons 54, Foxes 51 in this café. It is half. We laugh off."
    assert score_reply(told_score(1, 54, 51), reply)["score"] == 1.0


CHEER = "We all cheer when quick Herons keep igniting noisy games."


def accepts(value: bool) -> Any:
    return lambda turn, reply, item: value


@pytest.mark.parametrize(
    ("sentence", "judge", "score"),
    [
        (CHEER, True, 1.0),
        (CHEER, False, 0.9),
        ("We all cheer when quick Herons run.", True, 0.75),
        ("We all cheer when noisy Herons run.", True, 0.5),
        (CHEER[:-1] + " on" * 11 + ".", True, 0.9),
        (CHEER[:-1] + " on" * 10 + ".", True, 1.0),
    ],
)
def test_the_sentence_of_support(sentence: str, judge: bool, score: float) -> None:
    found = score_reply(acrostic(4), f"[Other Question]\n{sentence}", accepts(judge))
    assert found["score"] == score
    assert sum(item["weight"] for item in found["items"]) == pytest.approx(1)
    assert [item["kind"] for item in found["items"]].count("support") == 1


def test_without_a_judge_the_other_weights_are_divided_by_their_sum() -> None:
    found = score_reply(acrostic(4), f"[Other Question]\n{CHEER}")
    assert found["score"] == 1.0
    assert "support" not in [item["kind"] for item in found["items"]]
    assert sum(item["weight"] for item in found["items"]) == pytest.approx(1)
    short = score_reply(acrostic(4), "[Other Question]\nWe all cheer when quick Herons run.")
    assert short["score"] == pytest.approx(0.65 / 0.9)
    assert lost(short) == ["acrostic"]


def test_the_judge_sees_turn_reply_and_item() -> None:
    seen: list[tuple[Any, ...]] = []

    def judge(turn: Any, reply: str, item: Any) -> bool:
        seen.append((turn, reply, item))
        return True

    asked, reply = acrostic(4), f"[Other Question]\n{CHEER}"
    score_reply(asked, reply, judge)
    assert [(t["kind"], r, i["kind"], i["team"]) for t, r, i in seen] == [("K", reply, "support", A)]


def summary_turn() -> dict[str, Any]:
    checklist = [
        {"kind": "tag", "which": "first", "intent": OTHER, "number": 6, "weight": 0.1},
        {"kind": "tag", "which": "second", "intent": OTHER, "number": 6, "weight": 0.4},
        {"kind": "summary", "part": "lt50", "weight": 0.25},
        {"kind": "summary", "part": "true", "weight": 0.25},
    ]
    return turn("Q", "basketball", [], checklist, number=6, intent=OTHER, gates=["no_summary"])


@pytest.mark.parametrize(
    ("reply", "score", "gates"),
    [
        ("[Other Question]\nYes.\n<Summary>Herons lead.</Summary>", 1.0, []),
        ("[Other Question]\nYes.\n<summary></summary>", 1.0, []),
        ("[Other Question]\nYes.\n<Summary>" + "word " * 50 + "</Summary>", 0.75, []),
        ("[Other Question]\nYes.", 0.0, ["no_summary"]),
        ("[Other Question]\nYes.\n<Summary>Herons lead.", 0.0, ["no_summary"]),
        ("", 0.0, ["no_summary"]),
    ],
)
def test_the_summary_is_a_gate(reply: str, score: float, gates: list[str]) -> None:
    found = score_reply(summary_turn(), reply, accepts(True))
    assert (found["score"], found["gates"]) == (score, gates)


def test_a_failing_judge_is_an_error_and_no_failed_item() -> None:
    def judge(turn: Any, reply: str, item: Any) -> bool:
        raise RuntimeError("unreachable")

    with pytest.raises(Exception, match="unreachable"):
        score_reply(acrostic(4), f"[Other Question]\n{CHEER}", judge)


@pytest.mark.parametrize(
    "hostile",
    [
        "Bo Carr " * 30_000,
        "Q4 11:25 " * 30_000,
        "Herons 5-4 Foxes " * 20_000,
        "(" * 200_000,
        "Bo Carr (" * 20_000,
        "1" * 200_000,
        "Player: " * 30_000,
        "[" * 200_000,
        "<Stats>" * 30_000,
        "\n" * 200_000,
        "* _ `" * 50_000,
    ],
)
def test_long_replies_are_read_in_little_time(hostile: str) -> None:
    turns = [
        score_turn(5, 4),
        told_score(1, 5, 4),
        acrostic(4),
        anchored(("Bo Carr", 3, 4, "11:25")),
        interval(("Bo Carr", 3, 4, "11:25")),
        impact("T", "Ann Lee", (A, 2), ("Tie", 0)),
    ]
    begin = time.perf_counter()
    for asked in turns:
        assert 0 <= score_reply(asked, hostile)["score"] <= 1
    assert time.perf_counter() - begin < 20
