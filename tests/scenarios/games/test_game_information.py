"""Information exchanged in names, by hand on a small game: which sentences are read, and what they rule out."""

from __future__ import annotations

import math
import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evolif.errors import ArgumentError
from evolif.scenarios.games import generate, information_gain

ONE = [["Ann", "red", "oak"], ["Ann", "blue", "elm"], ["Bob", "red", "elm"], ["Cat", "blue", "oak"]]
TWO = [["Bob", "red", "oak"], ["Ann", "blue", "elm"], ["Dan", "red", "fir"], ["Bob", "blue", "fir"]]
GAME = {
    "game": "names",
    "private": [{"columns": ["name", "colour", "tree"], "rows": rows} for rows in (ONE, TWO)],
    "answer": [2, 2],
}


def after(*texts: str) -> list[tuple[list[int], int, int]]:
    """Candidates, false claims and unread sentences of each turn."""
    return [(one["candidates"], one["false"], one["unread"]) for one in information_gain(GAME, texts)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        # Player 2 listens: Bob red oak, Ann blue elm, Dan red fir, Bob blue fir.
        ("I have no Dan.", ([4, 3], 0, 0)),
        ("Nobody is called dan!", ([4, 3], 0, 0)),
        ("I don't have fir.", ([4, 2], 0, 0)),
        ("I don’t have fir.", ([4, 2], 0, 0)),
        ("No Dan, no fir.", ([4, 3], 0, 0)),  # of different columns: no such row
        ("Not Dan. Not fir.", ([4, 2], 0, 0)),
        ("I have none with Bob and oak.", ([4, 3], 0, 0)),
        ("No Dan or Ann.", ([4, 3], 1, 0)),  # of one column: two claims, and one is false
        ("I have no Ann.", ([4, 4], 1, 0)),
        ("I am without Bob.", ([4, 4], 1, 0)),
        ("I have Ann.", ([4, 4], 0, 0)),
        ("I have Dan.", ([4, 4], 1, 0)),
        ("I have Ann and Dan and Fir.", ([4, 4], 2, 0)),  # two names: every value is a claim
        ("Ann is red.", ([4, 4], 0, 0)),
        ("Bob is blue.", ([4, 4], 1, 0)),  # both are there, but not in one row
        ("Ann, blue, elm.", ([4, 1], 0, 0)),
        ("row 2: Ann blue elm?", ([4, 1], 0, 0)),
        ("row 1: Ann red oak?", ([4, 4], 0, 0)),  # a row that the partner does not have
        ("Is it Bob, red and oak?", ([4, 4], 0, 0)),  # a question about a row that one does not have is no claim
        ("Bob, red and oak.", ([4, 4], 1, 0)),
        ("name: Ann, Bob, Cat; no others.", ([4, 3], 0, 0)),
        ("NAME: Cat, bob and Ann ; No others", ([4, 3], 0, 0)),
        ("tree: oak, elm; no others", ([4, 2], 0, 0)),
        ("tree: oak; no others", ([4, 4], 1, 0)),
        ("tree: oak, elm, fir; no others", ([4, 4], 1, 0)),
        ("tree: oak, elm, yew; no others", ([4, 4], 1, 0)),
        ("tree: oak, elm, red; no others", ([4, 4], 1, 0)),
        ("Do you have Dan?", ([4, 4], 0, 0)),
        ("Do you not have Dan?", ([4, 4], 0, 0)),
        ("SELECT ROW 2", ([4, 4], 0, 1)),
        ("Hello. How are you?\nFine", ([4, 4], 0, 3)),
        ("Yes. No.", ([4, 4], 0, 2)),
        ("Danish oakum, no redder.", ([4, 4], 0, 1)),  # no whole word is a value
        ("...", ([4, 4], 0, 0)),
        ("", ([4, 4], 0, 0)),
        ("My trees are oak, elm.No fir", ([4, 2], 2, 0)),  # no white space: one sentence, which denies all three
    ],
)
def test_one_turn(text: str, expected: tuple[list[int], int, int]) -> None:
    assert after(text) == [expected]


@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        (("Do you have Cat?", "No."), ([3, 4], 0, 0)),
        (("Do you have Cat?", "no"), ([3, 4], 0, 0)),
        (("Do you have Cat?", "Yes."), ([4, 4], 1, 0)),
        (("Do you have Bob?", "No."), ([4, 4], 1, 0)),
        (("Do you have Ann, blue, elm?", "Yes!"), ([1, 1], 0, 0)),
        (("Do you have Ann, red, oak?", "No."), ([3, 4], 0, 0)),
        (("Do you have Cat? Do you have red?", "No."), ([4, 4], 1, 0)),  # the last question counts
        (("Do you have Cat? Right?", "No."), ([3, 4], 0, 0)),
        (("Do you have Cat?", "No, sorry."), ([4, 4], 0, 1)),
        (("Hello", "Do you have Dan?", "Yes.", "Yes."), ([4, 4], 0, 1)),  # nobody asked the one who says it last
        (("Do you have Cat?", "Do you have Dan?", "No.", "No."), ([3, 3], 0, 0)),
    ],
)
def test_answers_to_questions(texts: tuple[str, ...], expected: tuple[list[int], int, int]) -> None:
    assert after(*texts)[-1] == expected


def test_bits_are_those_of_the_listener_and_add_up() -> None:
    gains = information_gain(GAME, ["tree: oak, elm; no others", "No Cat. I have no Bob elm.", "No Bob.", "Hm"])
    assert [one["turn"] for one in gains] == [1, 2, 3, 4]
    assert [one["bits"] for one in gains] == pytest.approx([1, 1, 0, 0])
    assert [one["candidates"] for one in gains] == [[4, 2], [2, 2], [2, 2], [2, 2]]
    assert [one["false"] for one in gains] == [0, 0, 1, 0]


def test_whoever_tells_the_shared_row_tells_all_there_is() -> None:
    instance = generate("names", 5, seed=1, n=25)
    first, second = instance["answer"]
    shared = instance["private"][0]["rows"][first - 1]
    told = information_gain(instance, [f"row {first}: {' '.join(shared)}?", f"SELECT ROW {second}"])
    assert told == [
        {"turn": 1, "bits": pytest.approx(math.log2(25)), "candidates": [25, 1], "false": 0, "unread": 0},
        {"turn": 2, "bits": 0.0, "candidates": [25, 1], "false": 0, "unread": 1},
    ]


def test_values_that_neither_table_has_are_known() -> None:
    instance = generate("names", 5, seed=1, n=9)
    from evolif.scenarios.games.names import read_pools

    shown = {value for part in instance["private"] for row in part["rows"] for value in row}
    absent = next(value for value in read_pools()["name"] if value not in shown)
    assert information_gain(instance, [f"I have {absent}.", f"I have no {absent}."]) == [
        {"turn": 1, "bits": 0.0, "candidates": [9, 9], "false": 1, "unread": 0},
        {"turn": 2, "bits": 0.0, "candidates": [9, 9], "false": 0, "unread": 0},
    ]


SAID = st.lists(
    st.sampled_from(
        ["Ann", "bob", "Cat", "Dan", "red", "blue", "oak", "elm", "fir", "no", "not", "yes", "?", ".", "; no others",
         "tree:", "name:", ",", " and ", "\n", "row 2", "n't", "?\n", ". "]
    ),
    max_size=12,
).map(" ".join)  # fmt: skip


@given(st.lists(SAID, max_size=6))
def test_the_shared_row_is_never_ruled_out_and_candidates_never_come_back(texts: list[str]) -> None:
    before = [4, 4]
    for at, one in enumerate(information_gain(GAME, texts)):
        listener = 1 - at % 2
        assert one["candidates"][1 - listener] == before[1 - listener]
        assert 1 <= one["candidates"][listener] <= before[listener]
        assert one["bits"] == pytest.approx(math.log2(before[listener] / one["candidates"][listener]))
        before = one["candidates"]


@pytest.mark.sampled
@pytest.mark.parametrize(
    "text",
    ["no ? " * 200_000, "Ann" + " " * 10**6, "Ann, " * 200_000 + "; no others",
     "name: " + "Ann, " * 200_000 + "; no others", "a:;" * 300_000, "x" * 10**6, ". " * 500_000,
     "K\u0130\u017f" * 300_000],
)  # fmt: skip
def test_hostile_texts_take_no_longer_than_their_length_explains(text: str) -> None:
    start = time.perf_counter()
    information_gain(GAME, [text, text])
    assert time.perf_counter() - start < 20


@pytest.mark.parametrize(
    "instance",
    [
        None,
        {},
        {"private": []},
        {"private": [{"board": "x"}, {"board": "y"}]},
        {"private": [{"columns": ["a"], "rows": [[1, 2]]}] * 2},
    ],
)
def test_what_is_no_game_of_names_is_refused(instance: Any) -> None:
    with pytest.raises(ArgumentError):
        information_gain(instance, ["a"])


def test_a_single_text_is_refused() -> None:
    with pytest.raises(ArgumentError, match="list of texts"):
        information_gain(GAME, "I have Ann.")
