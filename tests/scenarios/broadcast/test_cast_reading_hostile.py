"""Hostile replies: long, repetitive, in odd characters. Reading takes linear time and never fails."""

from __future__ import annotations

from time import process_time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from reading_turns import HERONS, OWLS, turn_of

from evolif.scenarios.broadcast import score_reply
from evolif.text import MAX_BODY_BYTES
from evolif.text.answers import AT_ONCE

FACEOFFS = {
    "player": "Ana Lima",
    "team": HERONS,
    "rate": 55.0,
    "decrease_if_all_lost": 12.5,
    "increase_if_all_won": 7.1,
}
POINTS = {"player": "Ana Lima", "no_ft": [HERONS, 5], "no_goals": [OWLS, 3]}
SHOTS = {f"{shot}_{what}": 1 for shot in ("two", "three", "free") for what in ("attempts", "made")}
SPAN: dict[str, Any] = {"start": [1, "6:14"], "end": [2, "3:00"]}
TURNS = [
    turn_of("CR", "S", {HERONS: 20, OWLS: 18}),
    turn_of("IF", "S", {HERONS: 20, OWLS: 18}),
    turn_of("IF", "K", "QHKING", team=HERONS, seq="QHKING"),
    turn_of("IF", "Q", [{"player": "Ana Lima", "team": HERONS, **SHOTS, "points": 6}], summary=True),
    turn_of("IF", "Q", [{"player": "Ana Lima", "team": HERONS, "taken": 3, "won": 2, "lost": 1}], "hockey"),
    turn_of("CR", "A", [["Ana Lima", 2, 2, "6:14"]], player="Bo Reedal"),
    turn_of("CR", "A", [["Ana Lima", "Dia Frostin", 2, "6:14"]], "hockey", player="Bo Reedal", opponent="Ed Holtan"),
    turn_of("CR", "I", [["Ana Lima", 2, 2, "6:14"], ["Ana Lima", 1, 2, "43.5"]], **SPAN),
    turn_of("CR", "I", [["Ana Lima", "Dia Frostin", 2, "6:14"]], "hockey", **SPAN),
    turn_of("IR", "L", [["6:14", HERONS]], period=2),
    turn_of("IR", "T", POINTS, **SPAN),
    turn_of("IR", "H", POINTS, player="Ana Lima", **SPAN),
    turn_of("IR", "T", FACEOFFS, "hockey", **SPAN),
    turn_of("IR", "H", FACEOFFS, "hockey", player="Ana Lima", **SPAN),
    turn_of("TS", "M", "B"),
]
PIECES = [
    "1 ",
    "1:",
    "1,000,",
    "6:14 Q2 ",
    "Q2 6:14 Ana Lima 2 points, ",
    "Ana Lima, 2 points, Q2 6:14\n",
    "Ana Lima won against Dia Frostin, P2 6:14; ",
    "(",
    "()",
    "(1) ",
    "Quarry Herons 20 ",
    "Herons 20-18 Owls\n",
    "6:14 Herons 5:14 Owls ",
    "10 + 10 ",
    "no free throw ",
    "without his ",
    "nothing, Herons by 5; ",
    "Answer: ",
    "answer is ",
    "[A] ",
    "<Stats>",
    "<Stats>Ana Lima: twos 3/7</Stats>",
    "twenty hundred and ",
    "Points: 2\n",
    "assisted by Ana Lima ",
    "changes: ",
    "loss: 12.5 from ",
    "Player: Ana Lima. ",
    "\u0301",
    "\ufdfa",
    "aé",
    "\n",
    "1 or ",
    "* _ `",
    "Ana Lima (",
]
LENGTH = MAX_BODY_BYTES - 20
"""Characters, with the tag before them; of a longer reply nothing is read."""
SECONDS = 4.0
"""Of the processor, for a reply of `LENGTH`; reading that is not linear takes far longer."""


BEGINNINGS = [
    *(("", piece) for piece in PIECES),
    ("without ", "of "),
    ("without ", "any all of "),
    ("minus his ", "all "),
]


@pytest.mark.slow
def test_a_reply_that_is_read_at_once_takes_at_most_50_ms() -> None:
    """Of the processor; the best of three, as others may have the machine."""
    for beginning, piece in BEGINNINGS:
        reply = (beginning + piece * AT_ONCE)[:AT_ONCE]
        for turn in TURNS:
            times: list[float] = []
            while len(times) < 3 and min(times, default=1.0) > 0.05:
                begun = process_time()
                score_reply(turn, reply)
                times.append(process_time() - begun)
            assert min(times) <= 0.05, (piece, turn["kind"])


@pytest.mark.sampled
@pytest.mark.parametrize(
    ("beginning", "piece", "share"), [(*BEGINNINGS[0], 4), *((beginning, piece, 1) for beginning, piece in BEGINNINGS)]
)
def test_long_replies_are_read_in_linear_time(beginning: str, piece: str, share: int) -> None:
    """Replies of a quarter of the length, and of the whole."""
    reply = beginning + piece * (LENGTH // share // len(piece.encode()) - 1)
    for turn in TURNS:
        begun = process_time()
        found = score_reply(turn, f"[Update Score]\n{reply}" if turn["number"] and "intent" in turn else reply)
        assert process_time() - begun < SECONDS / share, turn["kind"]
        assert 0 <= found["score"] <= 1


ODD = st.text(
    st.sampled_from(sorted(set("".join(PIECES) + "\r\x00\x85\u2028\u200bÅﬁ１٣😀'’\"*_|>#~`.-–{}$\\"))), max_size=80
)


@given(st.lists(st.one_of(ODD, st.sampled_from(PIECES)), max_size=12).map("".join))
def test_no_reply_breaks_the_reading(reply: str) -> None:
    for turn in TURNS:
        found = score_reply(turn, reply)
        assert 0 <= found["score"] <= 1
        assert found == score_reply(turn, reply)
