"""What scripted players understand: sentences in many voices, what statements claim, and places."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from evolif.scenarios.games.chess_players import asks_in, counts_in
from evolif.scenarios.games.information import open_reader
from evolif.scenarios.games.partner_reader import read_remarks
from evolif.scenarios.games.statements import LOOK_WORDS, SCENE_WORDS, Remark, Vocabulary

CASES = yaml.safe_load((Path(__file__).parent / "cases" / "partner_sentences.yaml").read_text(encoding="utf-8"))
WORDS: dict[str, tuple[Vocabulary, int]] = {
    "scenes": (SCENE_WORDS, 8),
    "shapes": (LOOK_WORDS, 5),
    "questions": (SCENE_WORDS, 8),
}
UNDERSTOOD = 0.95


def told(remark: Remark) -> list[str]:
    """A remark in the words of the cases."""
    said = [str(one).replace(" thing", "") for one in remark.statements]
    if remark.act == "ask":
        return [f"?{remark.asks} {one.removeprefix('some')}".replace("  ", " ") for one in said]
    return said if remark.act == "say" else [remark.act]


def told_of_images(game: str, text: str) -> list[str]:
    found = [one for remark in read_remarks(text, *WORDS[game]) for one in told(remark)]
    return sorted([one for one in found if one != "unread"] or ["unread"])


@pytest.mark.parametrize("game", WORDS)
def test_sentences_about_images_are_understood(game: str) -> None:
    assert len(CASES[game]) == 60
    missed = {}
    for text, *means in CASES[game]:
        if told_of_images(game, text) != sorted(one.replace(" thing", "") for one in means):
            missed[text] = told_of_images(game, text)
    assert len(missed) <= (1 - UNDERSTOOD) * 60, missed


NAMES_COLUMNS = ["name", "town", "beast", "drink"]


def told_of_names(text: str) -> list[str]:
    reader = open_reader(NAMES_COLUMNS)
    return [" ".join([one.kind, *(value for _, value in one.values)]) for one in reader.read(text)]


def test_sentences_about_names_are_understood() -> None:
    assert len(CASES["names"]) == 60
    missed = {text: told_of_names(text) for text, *means in CASES["names"] if told_of_names(text) != means}
    assert len(missed) <= (1 - UNDERSTOOD) * 60, missed


SIDES = {"white": "white pieces", "black": "black pieces"}


def understands_of_chess(text: str, means: list[str]) -> bool:
    """Whether the counts, or that some are asked for, are read as the case says."""
    told = counts_in(text)
    if means == ["unread"] or means[0].startswith("?"):
        return asks_in(text) is (means != ["unread"]) and (asks_in(text) or not told)
    expected = {}
    for one in means:
        name, _, number = one.rpartition(" ")
        expected[SIDES.get(name, name)] = int(number)
    return expected.items() <= told.items() and set(told) - set(expected) <= {"pieces", "pawns"}


def test_sentences_about_boards_are_understood() -> None:
    assert len(CASES["chess"]) == 60
    missed = {text: counts_in(text) for text, *means in CASES["chess"] if not understands_of_chess(text, means)}
    assert len(missed) <= (1 - UNDERSTOOD) * 60, missed


SCENE: Any = {
    (1, 1): {"size": "large", "pattern": "striped", "colour": "red", "shape": "star"},
    (1, 3): {"size": "small", "pattern": "plain", "colour": "blue", "shape": "circle"},
    (2, 3): {"size": "small", "pattern": "dotted", "colour": "red", "shape": "cross"},
}


@pytest.mark.parametrize(
    ("text", "is_so"),
    [
        ("There are two red things.", True),
        ("There is exactly one red thing.", False),
        ("The top left corner holds a large striped star.", True),
        ("Row 1 has a star in column 1, a circle in column 3, and nothing else.", True),
        ("Row 1 has a star in column 1, and nothing else.", False),
        ("Left of the blue circle is a red star.", True),
        ("The cross is directly below the circle.", True),
        ("A star is above a cross.", True),
        ("No star is next to a circle.", True),
        ("All crosses are small.", True),
        ("All red things are small.", False),
        ("Not every red thing is left of a circle.", True),
        ("Row 3 is empty.", True),
        ("The circle in row 1 is not blue.", False),
        ("no stars or circles", False),
        ("More than one thing is red.", True),
        ("There are fewer than two stars.", True),
        ("Row 1: a star, empty, a circle, empty.", True),
        ("In row 2 I see nothing but a red cross.", True),
        ("There are more than two red things.", True),  # no more is read than that there are some
    ],
)
def test_what_is_said_holds_or_not(text: str, is_so: bool) -> None:
    [remark] = read_remarks(text, SCENE_WORDS, 4)
    assert remark.act in ("say", "unread")
    assert all(one.holds(SCENE) for one in remark.statements) is is_so


@pytest.mark.parametrize(
    "text", ["", " ", "?", "...", "Lovely weather, is it not?", "(", "row", "row 99, column 3", "-"]
)
def test_what_says_nothing_is_not_understood(text: str) -> None:
    assert all(remark.act == "unread" for remark in read_remarks(text, SCENE_WORDS, 8))


@pytest.mark.sampled
@pytest.mark.parametrize(
    "piece",
    ["a red star and ", "row 1, ", "row 1 and 2, 3 ", "left of ", "no ", "(1, 2) ", "which one: ", "\n", "9", "a"],
)
def test_hostile_texts_take_little_time(piece: str) -> None:
    assert read_remarks(piece * 100_000, SCENE_WORDS, 8) is not None
    assert counts_in(piece * 100_000 + "white 3 pawns " * 10_000) is not None
