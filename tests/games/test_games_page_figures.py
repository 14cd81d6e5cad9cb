"""Density, centering and phrases, as the page states them, and against a second implementation of each formula."""

from __future__ import annotations

import math
import re
from collections import Counter
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evolif.errors import UsageError
from evolif.scenarios.games import centering, content_ratio, lexical_density, novelty, phrases

# TextBlob leaves its word list open; the interpreter says so whenever it happens to collect it.
pytestmark = pytest.mark.filterwarnings("ignore::ResourceWarning", "ignore::pytest.PytestUnraisableExceptionWarning")

PAGE = ["Green door, green lamp", "A lamp", "No"]
# A small part of the stop list, enough for the words that are drawn below.
STOPS = set("a the is no yes i in on of and okay um like it do n't 'm 's not".split())
WORDS = st.sampled_from("lamp door green red chair fox a the is no yes okay um like".split())


def second_tokens(text: str) -> list[str]:
    """Tokens of the page, written from the page."""
    tokens = []
    for run in re.findall(r"[a-z0-9]+(?:'[a-z]+)?", text.lower().replace("’", "'")):
        for ending in ("n't", "'s", "'d", "'m", "'re", "'ve", "'ll"):
            if run.endswith(ending) and run != ending:
                tokens += [run[: -len(ending)], ending]
                break
        else:
            tokens.append(run)
    return tokens


def second_novelty(utterances: list[str]) -> float:
    counts = [Counter(token for token in second_tokens(text) if token not in STOPS) for text in utterances]
    total = 0.0
    for count in counts:
        worth = [tf * math.log(len(counts) / sum(token in other for other in counts)) for token, tf in count.items()]
        positive = [value for value in worth if value > 1e-15]
        total += sum(positive) / len(positive) if positive else 0
    return total / len(counts) if counts else 0.0


# Density


def test_the_example_of_the_page() -> None:
    first = (2 * math.log(3) + math.log(3) + math.log(1.5)) / 3
    assert content_ratio(PAGE) == pytest.approx(5 / 7)
    assert novelty(PAGE) == pytest.approx((first + math.log(1.5)) / 3)
    assert (round(novelty(PAGE), 4), round(lexical_density(PAGE), 2)) == (0.5464, 39.03)


@pytest.mark.parametrize(
    ("utterances", "ratio"),
    [
        (["lamp"], 1),
        (["the"], 0),
        ([""], 0),
        ([], 0),
        (["the lamp"], 1 / 2),
        (["THE LAMP!"], 1 / 2),
        (["the lamp", "door"], 2 / 3),
        (["I don't"], 0),  # i, do, n't
        (["I'm"], 0),  # i, 'm
        (["lamp's"], 1 / 2),  # lamp, 's
        (["lamp’s"], 1 / 2),
        (["we'll", "they've", "you're", "he'd"], 0),
        (["isn’t lamp"], 1 / 3),  # is, n't, lamp
        (["row 7"], 1),
        (["row 7, row 8"], 1),
        (["okay um gonna lamp yeah"], 1 / 5),
        (["wow cool stuff", "hm mm ooh ouch"], 0),
        (["red-green"], 1),
        (["hello hi sorry thanks alright anyways basically maybe"], 0),
        (["left right lamp"], 2 / 3),  # of the three only *right* is a stop word
        (["aha ah god gosh gotta wanna huh na"], 0),
        (["the rock'n'roll"], 2 / 3),  # the, rock'n, roll: a token has one apostrophe at most
        (["the o'clock"], 1 / 2),
        (["the dogs'"], 1 / 2),
        (["the 'lamp'"], 1 / 2),
        (["the lamp'll"], 1 / 3),
        (["the lamp'x"], 1 / 2),
        (["the 5'll"], 1 / 3),
        (["can't lamp"], 1 / 3),  # ca, n't, lamp
        (["DON’T LAMP"], 1 / 3),
        (["the café"], 1 / 2),
        (["the lamp_door"], 2 / 3),  # an underscore is neither letter nor digit
        (["the lamp—door…"], 2 / 3),
        (["the x2y"], 1 / 2),
        (["lamp's", "lamp's door"], 3 / 5),
        (["actually basically literally lamp"], 1 / 4),
    ],
)
def test_content_is_what_is_not_in_the_stop_list(utterances: list[str], ratio: float) -> None:
    assert content_ratio(utterances) == pytest.approx(ratio)


OWN = (
    "actually ah aha alright anyways basically bit cool cuz d god gonna gosh got gotta guess hello hi hm hmm huh kind "
    "know like literally ll lot lots m maybe mean mhm mm na oh ok okay ooh ouch right s said sorry sort stuff thanks "
    "thing things think uh uhm um ve wanna wow yeah yep yes yup"
).split()


def test_every_word_that_the_page_adds_to_the_stop_list_is_no_content() -> None:
    assert len(OWN) == 371 - 312
    assert [word for word in OWN if content_ratio([word])] == []


@pytest.mark.parametrize("word", ["lamp", "red", "pieces", "pawns", "board", "earlier", "row", "7", "blue", "scene"])
def test_words_of_the_games_are_content(word: str) -> None:
    assert content_ratio([word]) == 1


@pytest.mark.parametrize(
    ("utterances", "expected"),
    [
        ([], 0.0),
        (["lamp door"], 0.0),
        (["lamp", "lamp"], 0.0),
        (["lamp", "door"], math.log(2)),
        (["lamp lamp", "door"], 1.5 * math.log(2)),
        (["lamp", "the"], math.log(2) / 2),
        (["lamp door", "lamp"], math.log(2) / 2),  # a token without a positive value is left out of the mean
        (["the", "a"], 0.0),
        (["", "lamp"], math.log(2) / 2),
        (["Lamp", "LAMP"], 0.0),
        (["lamp’s", "lamp's"], 0.0),
        (["lamp", "door", "lamp door"], (2 * math.log(1.5) + math.log(1.5)) / 3),
    ],
)
def test_novelty_by_hand(utterances: list[str], expected: float) -> None:
    assert novelty(utterances) == pytest.approx(expected, abs=1e-12)


@given(st.lists(st.lists(WORDS, max_size=8).map(" ".join), max_size=8))
def test_novelty_agrees_with_a_second_implementation(utterances: list[str]) -> None:
    assert novelty(utterances) == pytest.approx(second_novelty(utterances), abs=1e-9)


@given(st.lists(st.lists(WORDS, max_size=8).map(" ".join), max_size=8))
def test_density_is_the_product_of_its_factors(utterances: list[str]) -> None:
    tokens = [token for text in utterances for token in second_tokens(text)]
    ratio = sum(token not in STOPS for token in tokens) / len(tokens) if tokens else 0
    assert content_ratio(utterances) == pytest.approx(ratio)
    assert lexical_density(utterances) == pytest.approx(100 * ratio * second_novelty(utterances), abs=1e-9)


@given(st.lists(st.lists(WORDS, max_size=6).map(" ".join), max_size=6), st.randoms(use_true_random=False))
def test_novelty_does_not_depend_on_the_order_of_utterances(utterances: list[str], random: Any) -> None:
    mixed = random.sample(utterances, len(utterances))
    assert novelty(mixed) == pytest.approx(novelty(utterances), abs=1e-9)


# Centering


def turn(subj: str = "", obj: str = "", other: str = "") -> dict[str, list[str]]:
    return {"subj": subj.split(), "obj": obj.split(), "other": other.split()}


@pytest.mark.parametrize(
    ("parsed", "transitions", "score"),
    [
        ([turn("lamp", "door"), turn("lamp"), turn("door", "lamp")], "START SMOOTH RETAIN", 1.5),
        ([turn("lamp")], "START", None),
        ([turn()], "START", None),
        ([turn("lamp"), turn("lamp")], "START SMOOTH", 1.0),
        ([turn("lamp"), turn("lamp"), turn("lamp")], "START SMOOTH CONTINUE", 2.0),
        ([turn("lamp"), turn("door")], "START ROUGH", 0.0),
        ([turn("lamp"), turn("door", "lamp")], "START ROUGH", 0.0),
        ([turn("lamp"), turn()], "START ROUGH", 0.0),
        ([turn(), turn("lamp")], "START ROUGH", 0.0),
        ([turn(other="lamp"), turn("lamp")], "START SMOOTH", 1.0),
        ([turn("lamp"), turn(other="lamp")], "START ROUGH", 0.0),  # without subject and object there is no Cp
        ([turn("lamp"), turn(obj="lamp")], "START SMOOTH", 1.0),
        ([turn("lamp"), turn("lamp"), turn(other="lamp")], "START SMOOTH RETAIN", 1.5),
        ([turn("lamp"), turn("lamp"), turn("door"), turn("door")], "START SMOOTH ROUGH SMOOTH", 2 / 3),
        ([turn("lamp door"), turn("door lamp")], "START ROUGH", 0.0),  # Cb is lamp, the first of the turn before
        ([turn("lamp", "door"), turn("lamp", "door"), turn("door")], "START SMOOTH SMOOTH", 1.0),
        ([turn("a", "b"), turn("b", "a"), turn("a", "b")], "START ROUGH ROUGH", 0.0),
    ],
)
def test_transitions_by_hand(parsed: list[dict[str, list[str]]], transitions: str, score: float | None) -> None:
    made = centering(parsed)
    assert made["transitions"] == transitions.split()
    assert made["CS"] == (None if score is None else pytest.approx(score))


def second_centering(parsed: list[dict[str, list[str]]]) -> tuple[list[str], float | None]:
    """Transitions of the page, written from the page."""
    names: list[str] = []
    forward: list[str] = []
    backward: str | None = None
    for number, heard in enumerate(parsed):
        now = heard["subj"] + heard["obj"] + heard["other"]
        preferred = (heard["subj"] + heard["obj"] + [None])[0]
        link = next((item for item in forward if item in now), None)
        if number == 0:
            names.append("START")
        elif link is None:
            names.append("ROUGH")
        elif link == backward:
            names.append("CONTINUE" if link == preferred else "RETAIN")
        else:
            names.append("SMOOTH" if link == preferred else "ROUGH")
        forward, backward = now, link
    points = sum({"CONTINUE": 3, "RETAIN": 2, "SMOOTH": 1}.get(name, 0) for name in names)
    return names, points / (len(parsed) - 1) if len(parsed) > 1 else None


NOUNS = st.lists(st.sampled_from(["lamp", "door", "fox"]), max_size=2)
TURNS = st.lists(st.fixed_dictionaries({"subj": NOUNS, "obj": NOUNS, "other": NOUNS}), min_size=1, max_size=10)


@given(TURNS)
def test_centering_agrees_with_a_second_implementation(parsed: list[dict[str, list[str]]]) -> None:
    names, score = second_centering(parsed)
    made = centering(parsed)
    assert made["transitions"] == names
    assert made["CS"] == (None if score is None else pytest.approx(score))


@given(TURNS)
def test_the_score_stays_below_three(parsed: list[dict[str, list[str]]]) -> None:
    made = centering(parsed)
    assert made["CS"] is None or 0 <= made["CS"] < 3
    assert "CONTINUE" not in made["transitions"][:2]


# Phrases


@pytest.fixture
def textblob() -> None:
    pytest.importorskip("textblob", reason="a phrase parser")


@pytest.mark.usefixtures("textblob")
@pytest.mark.parametrize(
    ("text", "subjects", "objects"),
    [
        ("The small red lamp is beside the old door.", ["small red lamp"], ["old door"]),
        ("My lamp stands on your table.", ["lamp"], ["table"]),
        ("A dog sees the cat.", ["dog"], ["cat"]),
        ("The Lamp is red.", ["lamp"], []),
        ("The dog sees the cat. The cat sees a bird.", ["dog", "cat"], ["cat", "bird"]),
        ("The dog sees the cat\nThe cat sees a bird\n", ["dog", "cat"], ["cat", "bird"]),
        ("This lamp is on that table.", ["lamp"], ["table"]),
        ("On the table, the lamp stands.", ["lamp"], ["table"]),
        ("Some lamps hide every door.", ["lamps"], ["door"]),
        ("Its colour is red.", ["colour"], []),
        ("You have a lamp!", ["you"], ["lamp"]),
        ("My board has no pawns? Your board has sixteen pawns.", ["board", "board"], ["pawns", "sixteen pawns"]),
    ],
)
def test_phrases_of_plain_sentences(text: str, subjects: list[str], objects: list[str]) -> None:
    assert phrases(text, parser="textblob") == {"subj": subjects, "obj": objects, "other": []}


@pytest.mark.usefixtures("textblob")
def test_a_phrase_without_a_verb_is_neither_subject_nor_object() -> None:
    assert phrases("Lamps.", parser="textblob") == {"subj": [], "obj": [], "other": ["lamps"]}
    assert phrases("", parser="textblob") == {"subj": [], "obj": [], "other": []}


@pytest.mark.usefixtures("textblob")
def test_a_noun_phrase_in_a_prepositional_phrase_before_the_verb_is_an_object() -> None:
    made = phrases("The lamp on the table is red.", parser="textblob")
    assert made["subj"] == ["lamp"] and "table" in made["obj"]


def test_a_function_may_be_the_parser() -> None:
    found = {"subj": ["lamp"], "obj": [], "other": ["door"]}
    assert phrases("whatever", parser=lambda text: found) == found


@pytest.mark.parametrize("parser", ["nltk", "", 3])
def test_a_parser_without_a_name_of_the_page_is_an_error(parser: Any) -> None:
    with pytest.raises(UsageError):
        phrases("A lamp.", parser=parser)


@pytest.mark.usefixtures("textblob")
def test_what_phrases_makes_can_be_centred() -> None:
    turns = ["The lamp stands near the door.", "The lamp is red.", "The door hides the lamp."]
    made = centering([phrases(text, parser="textblob") for text in turns])
    assert made["transitions"] == ["START", "SMOOTH", "RETAIN"]
