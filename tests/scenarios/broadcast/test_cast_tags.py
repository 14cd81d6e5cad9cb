"""The fixed format of replies: tags, sentences, summaries, acrostics."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evolif.errors import UsageError
from evolif.scenarios.broadcast import (
    check_acrostic,
    check_summary,
    check_tags,
    expected_tag,
    three_sentences_same_letter,
)
from evolif.scenarios.broadcast.tags import body_of, count_words, cut_blocks

UPDATE = "Update Score"
BODY = "It is 4 to 2 now. What a show! They will not slow?"


def test_the_letters_come_round_every_four_replies() -> None:
    assert [expected_tag(number) for number in range(1, 10)] == ["A", None, "B", None, "A", None, "B", None, "A"]


@pytest.mark.parametrize("number", [0, -1, True, 1.0, "1", None])
def test_replies_are_counted_from_one(number: Any) -> None:
    with pytest.raises(UsageError):
        expected_tag(number)
    with pytest.raises(UsageError):
        check_tags("[Update Score]", number, UPDATE)


@pytest.mark.parametrize(
    ("reply", "number", "right"),
    [
        ("[Update Score][Tag A]\nBody.", 1, (True, True)),
        ("  \n [Update Score] [Tag B] \r\nBody.", 3, (True, True)),
        ("[Update Score]\nBody.", 2, (True, True)),
        ("[Update Score]", 4, (True, True)),
        ("[Update Score]\nBody.", 1, (True, False)),
        ("[Update Score][Tag B]\nBody.", 1, (True, False)),
        ("[Update Score][Tag A][Tag B]\nBody.", 1, (True, False)),
        ("[Update Score][Tag A]\nBody.", 2, (True, False)),
        ("[Update Score][Tag A][Other]\nBody.", 1, (True, True)),
        ("[Update Score] [Other] [Tag A]\nBody.", 1, (True, True)),
        ("[Update Score] [Tag C]\nBody.", 2, (True, True)),
        ("[Update Score] [Tag a]\nBody.", 1, (True, False)),
        ("[Update Score][Tag A][Tag B]\nBody.", 2, (True, False)),
        ("[Update Score]\n[Tag A]\nBody.", 1, (True, False)),
        ("[Update Score], [Tag A]\nBody.", 1, (False, True)),
        ("**[Update Score]** [Tag A]\nBody.", 1, (False, True)),
        ("[Update Score]\t[Tag B]\nBody.", 31, (True, True)),
        ("[Tag A][Update Score]\nBody.", 1, (False, True)),
        ("[Other Question][Tag A]\nBody.", 1, (False, True)),
        ("[update score][tag a]\nBody.", 1, (False, False)),
        ("[ Update Score ][Tag A]\nBody.", 1, (False, True)),
        ("[Update Score][Tag A] Body.", 1, (False, True)),
        ("Sure: [Update Score][Tag A]\nBody.", 1, (False, True)),
        ("[[Update Score]][Tag A]\nBody.", 1, (False, True)),
        ("[Update Score[Tag A]\nBody.", 1, (False, True)),
        ("Update Score\nBody.", 2, (False, True)),
        ("Body.\n[Update Score][Tag A]", 1, (False, False)),
        ("[Update Score][Tag A] <Stats>1</Stats>\nBody.", 1, (False, True)),
        ("<Stats>1</Stats>\n[Update Score][Tag A]\nBody.", 1, (False, False)),
        ("<summary>[Tag B]</SUMMARY>[Update Score] [Tag A]\nBody.", 1, (True, True)),
        ("[Update Score][Tag A] <Summary>[x]</Summary>\nBody.", 1, (True, True)),
        ("<summary>first\nof all</SUMMARY>\n[Update Score][Tag A]\nBody.", 1, (True, True)),
        ("", 1, (False, False)),
        ("", 2, (False, True)),
    ],
)
def test_tags_of_the_first_line(reply: str, number: int, right: tuple[bool, bool]) -> None:
    assert check_tags(reply, number, UPDATE) == {"tag1": right[0], "tag2": right[1]}


def test_the_other_intent() -> None:
    assert check_tags("[Other Question]\nBody.", 2, "Other Question") == {"tag1": True, "tag2": True}


@pytest.mark.parametrize(("reply", "intent"), [(None, UPDATE), ("", "[Update Score]"), ("", "Weather"), ("", None)])
def test_a_reply_is_a_text_and_an_intent_one_of_two(reply: Any, intent: Any) -> None:
    with pytest.raises(UsageError):
        check_tags(reply, 1, intent)


def test_the_body_comes_after_the_tags_without_blocks() -> None:
    reply = f"[Update Score]\r\n{BODY}\n<Stats>\nAda Venn 9\n</Stats> <Summary>Short. Sweet.</Summary>"
    assert body_of(reply) == BODY
    assert body_of("[Update Score]") == body_of("") == ""


@pytest.mark.parametrize(
    ("reply", "rest", "inside"),
    [
        ("a<Summary>b</Summary>c", "ac", ["b"]),
        ("<SUMMARY></summary>", "", [""]),
        ("<Summary>a</Summary><Summary>b</Summary>", "", ["a", "b"]),
        ("<Summary>a<Summary>b</Summary>c</Summary>", "c</Summary>", ["a<Summary>b"]),
        ("a<Summary>b", "a<Summary>b", []),
        ("</Summary>a<Summary>", "</Summary>a<Summary>", []),
        ("<ſummary>a</ſummary>", "<ſummary>a</ſummary>", []),
    ],
)
def test_blocks_are_cut(reply: str, rest: str, inside: list[str]) -> None:
    assert cut_blocks(reply, "Summary") == (rest, inside)


@pytest.mark.parametrize(
    ("body", "right"),
    [
        (BODY, True),
        ("Go go. Who\nknows? No!", False),
        ("One to go. Two to go! Show it so", True),  # the last one needs no mark
        ("They led BY 2. My oh my! Why (not) y.", True),
        ("It is so... Oh no! Go.", True),  # cut once after several marks
        ("It is 3.5 to 0. No, so! Go.", True),  # the last letters, also before a number
        ("So. Go.", False),
        ("So. Go. No. Do.", False),
        ("So. 12. No.", False),
        ("1. 2. 3.", False),
        ("They play. ! What a day.", False),  # a sentence without a letter
        ("They play; all stay; what a day.", False),
        ('They play. All stay. He said "hooray".', True),
        ("The U. S. lead by a lot.", False),
        ("So.Go.No.", False),
        ("\n So. \n\n Go!\tNO? \n", True),
        ("Café. Ref. If.", True),  # letters are A to Z
        ("", False),
        ("   ", False),
    ],
)
def test_three_sentences_with_one_ending(body: str, right: bool) -> None:
    assert three_sentences_same_letter(body) is right


@given(st.lists(st.sampled_from(["so", "Go", "he", "12", "x"]), max_size=5), st.data())
def test_sentences_follow_the_rule(words: list[str], data: st.DataObject) -> None:
    marks = data.draw(st.lists(st.sampled_from(".!?"), min_size=len(words), max_size=len(words)))
    body = " ".join(f"Well {word}{mark}" for word, mark in zip(words, marks, strict=True))
    last = ["l" if word == "12" else word[-1].lower() for word in words]
    assert three_sentences_same_letter(body) is (len(words) == 3 and len(set(last)) == 1)


@pytest.mark.parametrize(
    ("reply", "present", "short"),
    [
        ("Body.", False, False),
        ("<Summary></Summary>", True, True),
        ("<Summary>" + "word " * 49 + "</Summary>", True, True),
        ("<Summary>" + "word " * 50 + "</Summary>", True, False),
        ("<Summary>" + "word " * 48 + "don't</Summary>", True, False),  # two runs of letters
        ("<Summary>" + "word " * 49 + "12 30</Summary>", True, True),
        ("<summary>" + "word " * 25 + "</SUMMARY> and <Summary>" + "word " * 25 + "</Summary>", True, False),
        ("word " * 60 + "<Summary>\nfew\n</Summary>", True, True),
        ("<Summary>never closed", False, False),
        ("</Summary><Summary>", False, False),
        ("The Herons lead.</Summary>", False, False),
        ("<Summary>" + "12 " * 200 + "</Summary>", True, True),
        ("", False, False),
    ],
)
def test_a_summary_is_there_and_short(reply: str, present: bool, short: bool) -> None:
    assert check_summary(reply) == {"present": present, "lt50": short}


def test_words_are_runs_of_letters() -> None:
    assert count_words("It's 4-2, half-time; go!") == 5
    assert count_words("") == 0


HERONS = "We all cheer when quick Herons keep igniting noisy games"


@pytest.mark.parametrize(
    ("sentence", "starts", "complete", "short"),
    [
        (HERONS, True, True, True),
        (HERONS.upper() + "!", True, True, True),
        (HERONS + " again tonight", True, True, True),
        ("We all cheer when Quarry Herons keep in good nick", True, False, True),
        ("We all cheer " + HERONS[17:], False, False, True),
        ("We all cheer when quick Herons keep igniting noisy", True, False, True),
        ("We don't ever-so care: 4 quick 'Herons' keep-up in nine goals", True, True, True),
        ("We don’t ever care, quick Herons keep igniting noisy games", True, True, True),
        (HERONS + " and on" * 5, True, True, True),  # 20 words
        (HERONS + " and on" * 5 + " now", True, True, False),
        ("We all cheer when", False, False, True),
        ("", False, False, True),
    ],
)
def test_the_acrostic(sentence: str, starts: bool, complete: bool, short: bool) -> None:
    found = check_acrostic(sentence, "Quarry Herons")
    assert found == {"starts": starts, "complete": complete, "max20": short, "seq": "QHKING"}


def test_initials_follow_the_same_word_rule() -> None:
    assert check_acrostic("", "Port o'Lark half-Moon 76", "QUEEN")["seq"] == "POHQUEEN"
    assert check_acrostic("", "quarry herons", "king")["seq"] == "QHKING"
    assert check_acrostic("a b c d quick hens", "Quarry Herons", "")["complete"] is True


@pytest.mark.parametrize(
    ("sentence", "team", "suffix", "seq"),
    [
        ("We all cheer when other men fight kindly in near games", "Old Mill Foxes", "KING", "OMFKING"),
        ("We all cheer when awful wild kites invite new guests", "Anne's Well-Wishers", "KING", "AWKING"),
        ("We all cheer when quick kites invite new guests", "quarry", "KING", "QKING"),
        ("We all cheer when quick herons win it now", "Quarry Herons", "WIN", "QHWIN"),
    ],
)
def test_the_acrostic_of_other_teams(sentence: str, team: str, suffix: str, seq: str) -> None:
    found = check_acrostic(sentence, team, suffix)
    assert found == {"starts": True, "complete": True, "max20": True, "seq": seq}


LETTERS = st.text("abcdefghijklmnopqrstuvwxyz", min_size=1, max_size=6)


@given(st.lists(LETTERS, min_size=1, max_size=4), LETTERS, st.lists(LETTERS, min_size=4, max_size=4), st.data())
def test_a_built_acrostic_is_complete_and_a_changed_letter_is_not(
    team: list[str], suffix: str, opening: list[str], data: st.DataObject
) -> None:
    seq = "".join(word[0] for word in team) + suffix
    tail = [letter + "ow" for letter in seq]
    found = check_acrostic(" ".join(opening + tail), " ".join(team), suffix)
    assert found == {"starts": True, "complete": True, "max20": len(seq) <= 16, "seq": seq.upper()}
    place = data.draw(st.integers(0, len(seq) - 1))
    tail[place] = ("b" if seq[place] == "a" else "a") + "ow"
    changed = check_acrostic(" ".join(opening + tail), " ".join(team), suffix)
    assert changed["complete"] is False
    assert changed["starts"] is (place > 0)


@pytest.mark.parametrize(
    "arguments",
    [("x", ""), ("x", "76 !"), ("x", "Herons", "K1NG"), ("x", "Herons", None), (None, "Herons"), ("x", None)],
)
def test_an_acrostic_needs_a_team_and_letters(arguments: tuple[Any, ...]) -> None:
    with pytest.raises(UsageError):
        check_acrostic(*arguments)


@pytest.mark.parametrize("check", [three_sentences_same_letter, check_summary, body_of])
def test_a_reply_is_a_text(check: Callable[[Any], Any]) -> None:
    for value in (None, 3, ["a"]):
        with pytest.raises(UsageError):
            check(value)


CHECKS: list[Callable[[str], Any]] = [
    lambda reply: check_tags(reply, 1, UPDATE),
    three_sentences_same_letter,
    check_summary,
    lambda reply: check_acrostic(reply, "Quarry Herons"),
    body_of,
]
HOSTILE = [
    "[",
    "[a",
    "[]",
    "<Summary>",
    "</Summary>",
    "<Summary></Summary>",
    "<Summary",
    "<Stats>",
    "a.",
    ". ",
    " ",
    "a-",
    "'",
    "1",
    ".",
    "\r\n",
]


@pytest.mark.sampled
@pytest.mark.parametrize("piece", HOSTILE)
def test_hostile_replies_take_linear_time(piece: str) -> None:
    reply = "x" + piece * (1_000_000 // len(piece)) + "x"
    start = time.process_time()
    for check in CHECKS:
        check(reply)
    assert time.process_time() - start < 5
