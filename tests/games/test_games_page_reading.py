"""Reading answers: what the page calls readable, and what it does not."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evolif.errors import UsageError
from evolif.scenarios.games import answer_proposal, parse_chess, parse_image, parse_question, parse_row


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("_MINE_", "MINE"),
        ("_YOURS_", "YOURS"),
        ("MINE", "MINE"),
        ("I say MINE, hers is undermined", "MINE"),
        ("**YOURS**!", "YOURS"),
        ("MINE. Yes, MINE", "MINE"),
        ("_MINE", "MINE"),
        ("x_MINE_y", "MINE"),
        ("3MINE4", "MINE"),
        ("MINE_1", "MINE"),
        ("Is it yours? No: _MINE_.", "MINE"),
        ("mine", None),
        ("Mine", None),
        ("_mine_", None),
        ("MINE or YOURS?", None),
        ("_YOURS_ not _MINE_", None),
        ("UNDERMINE", None),
        ("MINEs", None),
        ("DETERMINED", None),
        ("YOURSELF", None),
        ("éMINE", None),
        ("MINEß", None),
        ("UNDERMINE but YOURS", "YOURS"),
        ("", None),
        ("YOUR", None),
        ("M I N E", None),
        ("MINE\nmine\nMINE", "MINE"),
    ],
)
def test_reading_of_chess(text: str, answer: str | None) -> None:
    assert parse_chess(text) == answer


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("ANSWER: blue", "blue"),
        ("ANSWER: Blue.", "blue"),
        ("ANSWER: *Blue.*", "blue"),
        ("ANSWER: **True**", "true"),
        ("ANSWER: `3`", "3"),
        ("ANSWER: 'red'", "red"),
        ('ANSWER: "red!".', "red"),
        ("ANSWER: two", "two"),
        ("I think so. ANSWER: False!!", "false"),
        ("ANSWER: red\nANSWER: green", "green"),
        ("ANSWER: red ANSWER: green", "red answer: green"),
        ("ANSWER:\nblue", "blue"),
        ("ANSWER:   \n\n  \n blue", "blue"),
        ("ANSWER:blue", "blue"),
        ("ANSWER: blue\nand that is all", "blue"),
        ("ANSWER: dark blue", "dark blue"),
        ("ANSWER: the blue", "the blue"),
        ("**ANSWER:** blue", "blue"),
        ("answer: blue", None),
        ("Answer: blue", None),
        ("ANSWER blue", None),
        ("ANSWER:", None),
        ("ANSWER: \n \n", None),
        ("ANSWER: ***", None),
        ("ANSWER: '.'", None),
        ("ANSWER: red\nANSWER:", None),
        ("ANSWER: red\nANSWER: .!", None),
        ("", None),
        ("blue", None),
        ("ANSWER: .5", ".5"),
        ("ANSWER: !blue!", "!blue"),
        ("ANSWER: Blue*.'!", "blue"),
    ],
)
def test_reading_of_questions(text: str, answer: str | None) -> None:
    assert parse_question(text) == answer


@pytest.mark.parametrize(
    ("text", "n", "answer"),
    [
        ("ANSWER: Image 3", 6, 3),
        ("ANSWER: Image 0", 6, 0),
        ("ANSWER: Image 5", 6, 5),
        ("ANSWER: Image 6", 6, None),
        ("ANSWER: Image 4", 4, None),
        ("ANSWER: No match", 6, "none"),
        ("answer: image 2", 6, 2),
        ("ANSWER: IMAGE 2", 6, 2),
        ("Answer: no MATCH.", 6, "none"),
        ("ANSWER: Image 1. ANSWER: Image 2", 6, 2),
        ("ANSWER: Image 1. ANSWER: No match", 6, "none"),
        ("ANSWER: No match\nANSWER: Image 1", 6, 1),
        ("ANSWER: Image 1 ANSWER: Image 9", 6, None),
        ("ANSWER: **Image 3**", 6, 3),
        ("ANSWER:\n'Image 3'", 6, 3),
        ('ANSWER: "No match"', 6, "none"),
        ("**ANSWER:** Image 3", 6, 3),
        ("ANSWER:Image 3", 6, 3),
        ("Image 3", 6, None),
        ("No match", 6, None),
        ("ANSWER Image 3", 6, None),
        ("ANSWER: the third", 6, None),
        ("ANSWER: 3", 6, None),
        ("ANSWER: it is Image 3", 6, None),
        ("ANSWER: Image three", 6, None),
        ("ANSWER: Image 10", 6, None),
        ("ANSWER: Image 10", 11, 10),
        ("", 6, None),
    ],
)
def test_reading_of_images(text: str, n: int, answer: int | str | None) -> None:
    assert parse_image(text, n) == answer


@pytest.mark.parametrize(
    ("text", "n", "answer"),
    [
        ("SELECT ROW 3", 9, 3),
        ("SELECT ROW 1", 9, 1),
        ("SELECT ROW 9", 9, 9),
        ("SELECT ROW 0", 9, None),
        ("SELECT ROW 10", 9, None),
        ("SELECT ROW 10", 16, 10),
        ("I am sure, so SELECT ROW 4 it is", 9, 4),
        ("SELECT ROW: 3", 9, 3),
        ("SELECT ROW #3", 9, 3),
        ("SELECT ROW **3**", 9, 3),
        ("**SELECT ROW 3**", 9, 3),
        ("SELECT ROW 3.", 9, 3),
        ("SELECT ROW 3, not SELECT ROW 4", 9, 4),
        ("SELECT ROW 3, then SELECT ROW 40", 9, None),
        ("SELECT ROW 40, no, SELECT ROW 3", 9, 3),
        ("SELECT ROW -3", 9, None),
        ("select row 3", 9, None),
        ("Select Row 3", 9, None),
        ("SELECT row 3", 9, None),
        ("SELECT ROW three", 9, None),
        ("SELECT ROW", 9, None),
        ("ROW 3", 9, None),
        ("row 7?", 9, None),
        ("", 9, None),
    ],
)
def test_reading_of_names(text: str, n: int, answer: int | None) -> None:
    assert parse_row(text, n) == answer


@pytest.mark.parametrize("n", [0, -1])
def test_nothing_to_choose_from_is_an_error(n: int) -> None:
    with pytest.raises(UsageError):
        parse_row("SELECT ROW 1", n)
    with pytest.raises(UsageError):
        parse_image("ANSWER: Image 0", n)


@given(st.text(max_size=80), st.integers(1, 30))
def test_a_reading_is_an_answer_of_the_game_or_none(text: str, n: int) -> None:
    assert parse_chess(text) in ("MINE", "YOURS", None)
    assert parse_image(f"ANSWER: Image {text}", n) in (None, "none", *range(n))
    assert parse_row(f"SELECT ROW {text}", n) in (None, *range(1, n + 1))
    read = parse_question(f"ANSWER: {text}")
    assert read is None or (read and read == read.lower() == read.strip(" '\"`*"))


@given(st.integers(-50, 50), st.integers(1, 30))
def test_numbers_are_read_within_their_range(number: int, n: int) -> None:
    assert parse_row(f"SELECT ROW {number}", n) == (number if 1 <= number <= n else None)
    if number >= 0:
        assert parse_image(f"ANSWER: Image {number}", n) == (number if number < n else None)


@pytest.mark.parametrize(
    "unit",
    ["ANSWER: ", "ANSWER:\n", "SELECT ROW ", "MINE", "*'\"`", "my board is earlier ", "9", "ANSWER: Image ", "\n "],
)
def test_long_replies_are_read_in_little_time(unit: str) -> None:
    text = unit * 40_000
    start = time.perf_counter()
    parse_chess(text)
    parse_question(text)
    parse_image(text, 6)
    parse_row(text, 9)
    answer_proposal(text)
    assert time.perf_counter() - start < 5


def test_numbers_of_thousands_of_digits_are_out_of_range() -> None:
    assert parse_row("SELECT ROW " + "9" * 100_000, 9) is None
    assert parse_image("ANSWER: Image " + "9" * 100_000, 6) is None


# Proposals


@pytest.mark.parametrize(
    ("text", "proposal"),
    [
        ("I think my board is earlier.", "mine"),
        ("MINE SEEMS EARLIER", "mine"),
        ("my board came first", "mine"),
        ("yours is later", "mine"),
        ("Your board seems later, I think", "mine"),
        ("yours came last", "mine"),
        ("your board is earlier", "yours"),
        ("yours seems earlier", "yours"),
        ("Yours came first!", "yours"),
        ("my board is later", "yours"),
        ("mine seems later", "yours"),
        ("my board came last", "yours"),
        ("my   board\n is\tearlier", "mine"),
        ("mine is earlier, so yours is later", "mine"),
        ("mine is earlier, or yours is earlier", "both"),
        ("mine is earlier. No, mine is later", "both"),
        ("I do not think that mine is earlier", "mine"),
        ("mine is not earlier", None),
        ("undermine is earlier", "mine"),
        ("mine is earlierish", "mine"),
        ("mine  came first", "mine"),
        ("my board, is earlier", None),
        ("the first board is earlier", None),
        ("mine might be earlier", None),
        ("my board is first", None),
        ("_MINE_", None),
        ("", None),
    ],
)
def test_proposals_are_plain_substrings(text: str, proposal: str | None) -> None:
    assert answer_proposal(text) == proposal


@given(st.lists(st.sampled_from("my your mine yours board is seems came earlier later first last not the , .".split())))
def test_proposals_agree_with_a_list_of_all_sentences(words: list[str]) -> None:
    text = " ".join(words)
    early, late = ("is earlier", "seems earlier", "came first"), ("is later", "seems later", "came last")
    own, other = ("my board", "mine"), ("your board", "yours")

    def said(subjects: tuple[str, ...], ends: tuple[str, ...]) -> bool:
        return any(f"{subject} {end}" in text for subject in subjects for end in ends)

    mine, yours = said(own, early) or said(other, late), said(other, early) or said(own, late)
    expected = "both" if mine and yours else "mine" if mine else "yours" if yours else None
    assert answer_proposal(text) == expected
