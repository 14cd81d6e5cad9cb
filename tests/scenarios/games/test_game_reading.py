"""How answers are read."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evolif.errors import ArgumentError
from evolif.scenarios.games import parse_chess, parse_image, parse_question, parse_row
from evolif.scenarios.games.reading import has_marker, read_answer, same_answer

GAMES = ("chess", "names", "scenes", "shapes", "questions")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("_MINE_", "MINE"),
        ("_YOURS_", "YOURS"),
        ("I say MINE, hers is undermined", "MINE"),
        ("MINE MINE and 1MINE2", "MINE"),
        ("**YOURS**.", "YOURS"),
        ("mine", None),
        ("Mine", None),
        ("MINE or YOURS", None),
        ("MINES", None),
        ("DETERMINED", None),
        ("ÄMINE MINEß", None),
        ("xYOURS", None),
        ("MINE, but yours has more pieces", "MINE"),
        ("", None),
    ],
)
def test_chess(text: str, expected: str | None) -> None:
    assert parse_chess(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("ANSWER: blue", "blue"),
        ("ANSWER: *Blue.*", "blue"),
        ("ANSWER: `'\"Two\"'`!.!", "two"),
        ("ANSWER:True", "true"),
        ("I think so.\nFINAL ANSWER: dark red \nBye", "dark red"),
        ("ANSWER: red\nANSWER: blue", "blue"),
        ("ANSWER: red\nANSWER:", None),
        ("ANSWER: red ANSWER: blue", "red answer: blue"),
        ("ANSWER:  \n\n  3\n4", "3"),
        ("ANSWER:\nANSWER: 3", "3"),
        ("ANSWER: ** **", None),
        ("ANSWER: **\nred", None),
        ("ANSWER: .5", ".5"),
        ("ANSWER: ...", None),
        ("answer: red", None),
        ("Answer: red", None),
        ("ANSWER red", None),
        ("ANSWER: red\r\nmore", "red"),
        ("", None),
    ],
)
def test_questions(text: str, expected: str | None) -> None:
    assert parse_question(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("ANSWER: Image 0", 0),
        ("answer: image 5", 5),
        ("ANSWER: Image 6", None),
        ("ANSWER: Image -1", None),
        ("ANSWER: Image −1", None),
        ("ANSWER: Image 2 or Image 3", 2),
        ("ANSWER: Image 2, no, ANSWER: Image 3", 3),
        ("ANSWER: Image 2, no, ANSWER: Image 9", None),
        ("ANSWER: Image 2, no, ANSWER: No match", "none"),
        ("ANSWER: No match. No: ANSWER: Image 1", 1),
        ("ANSWER: no match", "none"),
        ("**ANSWER:** *Image 4*", 4),
        ("ANSWER: 'Image 4'", 4),
        ('ANSWER:\n"No match"', "none"),
        ("ANSWER: Image #4", 4),
        ("ANSWER: **Image** **4**", 4),
        ("ANSWER: `Image 4`", None),
        ("ANSWER: it is Image 4", None),
        ("Image 4", None),
        ("ANSWER: 4", None),
        ("ANSWER: Images 4", None),
        ("ANSWER: No matches", None),
        ("ANSWER: Image 0000000000000000004", 4),
        ("ANSWER: Image " + "9" * 5000, None),
    ],
)
def test_images(text: str, expected: int | str | None) -> None:
    assert parse_image(text, 6) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("SELECT ROW 3", 3),
        ("I will SELECT ROW 3.", 3),
        ("SELECT ROW: 3", 3),
        ("SELECT ROW #3", 3),
        ("SELECT ROW **3**", 3),
        ("**SELECT ROW** 3", 3),
        ("SELECT ROW\n9", 9),
        ("SELECT ROW 3, no, SELECT ROW 4", 4),
        ("SELECT ROW 3, no, SELECT ROW 10", None),
        ("SELECT ROW 3, then I SELECT ROW whatever", 3),
        ("SELECT ROW 0", None),
        ("SELECT ROW -3", None),
        ("SELECT ROW **-3**", None),
        ("SELECT ROW 10", None),
        ("select row 3", None),
        ("Select row 3", None),
        ("SELECT ROWS 3", None),
        ("ROW 3", None),
        ("SELECT ROW " + "9" * 5000, None),
    ],
)
def test_rows(text: str, expected: int | None) -> None:
    assert parse_row(text, 9) == expected


@pytest.mark.parametrize(
    ("game", "text", "expected"),
    [
        ("chess", "I would say mine", True),
        ("chess", "_Yours_", True),
        ("chess", "MINE or YOURS", True),
        ("chess", "We cannot determine it; mines", False),
        ("questions", "my answer: ", True),
        ("questions", "my answer is red", False),
        ("scenes", "Answer: the second", True),
        ("shapes", "Image 2", False),
        ("names", "Select Row three", True),
        ("names", "select rows 3", False),
        ("names", "row 3", False),
    ],
)
def test_markers(game: str, text: str, expected: bool) -> None:
    assert has_marker(game, text) is expected


@pytest.mark.parametrize(
    ("game", "said", "key", "expected"),
    [
        ("questions", "two", "2", True),
        ("questions", "2", "two", True),
        ("questions", "twenty", "20", True),
        ("questions", "zero", 0, True),
        ("questions", "yes", "True", True),
        ("questions", "no", "true", False),
        ("questions", "no", "False", True),
        ("questions", "the blue", "blue", True),
        ("questions", "blue", "a blue", True),
        ("questions", "a", "", False),
        ("questions", "dark  blue", "dark blue", True),
        ("questions", "blue", "red", False),
        ("questions", None, "red", False),
        ("chess", "MINE", "MINE", True),
        ("chess", "MINE", "YOURS", False),
        ("names", 3, 3, True),
        ("names", 3, 13, False),
        ("scenes", 0, 0, True),
        ("scenes", "none", "none", True),
        ("scenes", 2, None, False),
        ("scenes", None, None, False),
    ],
)
def test_answers_are_compared(game: str, said: str | int | None, key: object, expected: bool) -> None:
    assert same_answer(game, said, key) is expected


def test_each_game_has_its_reader() -> None:
    text = "MINE\nSELECT ROW 2\nANSWER: Image 1"
    assert [read_answer(game, text, 4) for game in GAMES] == ["MINE", 2, 1, 1, "image 1"]


@pytest.mark.parametrize("call", [lambda: read_answer("go", "", 1), lambda: has_marker("go", "")])
def test_another_game_is_refused(call: Callable[[], object]) -> None:
    with pytest.raises(ArgumentError, match="no game 'go'; there are chess"):
        call()


@pytest.mark.parametrize("n", [0, -1, 2.0, True])
def test_there_is_at_least_one_row_and_image(n: int) -> None:
    for read in (parse_row, parse_image):
        with pytest.raises(ArgumentError, match="n is"):
            read("", n)


@pytest.mark.parametrize("read", [parse_chess, parse_question])
def test_what_is_no_text_is_refused(read: Callable[[Any], object]) -> None:
    with pytest.raises(ArgumentError, match="no text"):
        read(None)


PIECES = st.sampled_from(
    [
        "MINE",
        "YOURS",
        "ANSWER:",
        "Image",
        "SELECT ROW",
        "No match",
        "3",
        "-",
        "7",
        " ",
        "\n",
        "*",
        "'",
        ".",
        "ä",
        "\ud83d",
    ]
)


@pytest.mark.slow
@given(st.lists(PIECES | st.text(max_size=3), max_size=12).map("".join), st.integers(1, 9))
def test_any_text_is_read(text: str, n: int) -> None:
    assert parse_row(text, n) in {None, *range(1, n + 1)}
    assert parse_image(text, n) in {None, "none", *range(n)}
    answer = parse_question(text)
    assert answer is None or answer == answer.lower().strip(" \t\n*'\"`") != ""
    for game in GAMES:
        # What can be read never counts as an answer without a marker.
        assert read_answer(game, text, n) is None or has_marker(game, text)


@given(st.text(alphabet="ab \n.", max_size=20), st.integers(1, 9), st.integers(1, 9))
def test_the_last_mention_counts(between: str, first: int, last: int) -> None:
    assert parse_row(f"SELECT ROW {first}{between} SELECT ROW {last}{between}", 9) == last
    assert parse_image(f"ANSWER: Image {first}{between} ANSWER: Image {last} {between}", 10) == last


HOSTILE = (
    "ANSWER:",
    "ANSWER:\n",
    "ANSWER: Image ",
    "ANSWER: No ",
    "SELECT ",
    "SELECT ROW ",
    "SELECT ROW*-",
    "MINE",
    "MINE ",
    "'",
    "9",
    " ",
    "\n",
    "😀",
)


@pytest.mark.sampled
@pytest.mark.parametrize("piece", HOSTILE)
@pytest.mark.parametrize("start", ["", "ANSWER:", "ANSWER: Image ", "SELECT", "SELECT ROW"])
def test_a_million_characters_are_read_in_no_time(start: str, piece: str) -> None:
    text = start + piece * (10**6 // len(piece))
    begin = time.perf_counter()
    for game in GAMES:
        read_answer(game, text, 9)
        has_marker(game, text)
    same_answer("questions", text, text)
    assert time.perf_counter() - begin < 5
