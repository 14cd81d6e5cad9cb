"""Tags, sentences, summaries and acrostics of a followed instruction."""

from __future__ import annotations

import time

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

U, Q = "Update Score", "Other Question"


@pytest.mark.parametrize(
    ("number", "tag"),
    [
        (1, "A"),
        (2, None),
        (3, "B"),
        (4, None),
        (5, "A"),
        (6, None),
        (7, "B"),
        (8, None),
        (21, "A"),
        (31, "B"),
        (32, None),
    ],
)
def test_the_tag_of_a_reply(number: int, tag: str | None) -> None:
    assert expected_tag(number) == tag


@pytest.mark.parametrize("number", [0, -1])
def test_replies_are_counted_from_one(number: int) -> None:
    with pytest.raises(UsageError):
        expected_tag(number)
    with pytest.raises(UsageError):
        check_tags("[Update Score] [Tag A]", number, U)


@pytest.mark.parametrize(
    ("reply", "number", "intent", "first", "second"),
    [
        ("[Update Score] [Tag A]\nIt is 5-4.", 1, U, True, True),
        ("[Update Score][Tag A]\nIt is 5-4.", 5, U, True, True),
        ("[Update Score] [Tag A]", 1, U, True, True),
        ("\n\n  [Update Score]\t[Tag A]  \nIt is 5-4.", 1, U, True, True),
        ("[Other Question] [Tag B]\nIt is.", 3, Q, True, True),
        ("[Other Question]\nIt is.", 2, Q, True, True),
        ("[Update Score]\nIt is.", 4, U, True, True),
        ("[Other Question] [Tag A]\nIt is.", 1, U, False, True),
        ("[Update Score] [Tag A]\nIt is.", 1, Q, False, True),
        ("[Tag A] [Update Score]\nIt is.", 1, U, False, True),
        ("[Tag A]\nIt is.", 1, U, False, True),
        ("[Update Score]\n[Tag A]\nIt is.", 1, U, True, False),
        ("[Update Score]\nIt is.", 1, U, True, False),
        ("[Update Score] [Tag B]\nIt is.", 1, U, True, False),
        ("[Update Score] [Tag A] [Tag B]\nIt is.", 1, U, True, False),
        ("[Update Score] [Tag A] [Tag B]\nIt is.", 3, U, True, False),
        ("[Update Score] [Tag A] [Tag B]\nIt is.", 2, U, True, False),
        ("[Update Score] [Tag A]\nIt is.", 2, U, True, False),
        ("[Update Score] [Tag B]\nIt is.", 4, U, True, False),
        ("[Update Score] [Tag C]\nIt is.", 2, U, True, True),
        ("[Update Score] [Hello] [Tag A]\nIt is.", 1, U, True, True),
        ("Sure! [Update Score] [Tag A]\nIt is.", 1, U, False, True),
        ("[Update Score] [Tag A] It is 5-4.", 1, U, False, True),
        ("[Update Score] It is 5-4.", 2, U, False, True),
        ("**[Update Score]** [Tag A]\nIt is.", 1, U, False, True),
        ("[Update Score], [Tag A]\nIt is.", 1, U, False, True),
        ("[update score] [Tag A]\nIt is.", 1, U, False, True),
        ("[UPDATE SCORE] [TAG A]\nIt is.", 1, U, False, False),
        ("[Update Score] [Tag a]\nIt is.", 1, U, True, False),
        ("Update Score Tag A\nIt is.", 1, U, False, False),
        ("Update Score\nIt is.", 2, U, False, True),
        ("<Summary>All well.</Summary>\n[Update Score] [Tag A]\nIt is.", 1, U, True, True),
        ("<summary>[Tag B]</SUMMARY>[Update Score] [Tag A]\nIt is.", 1, U, True, True),
        ("[Update Score] [Tag A]<Summary>All well.</Summary>\nIt is.", 1, U, True, True),
        ("<Stats>1</Stats>\n[Update Score] [Tag A]\nIt is.", 1, U, False, False),
        ("[Update Score] [Tag A] <Stats>1</Stats>\nIt is.", 1, U, False, True),
        ("It is.\n[Update Score] [Tag A]", 1, U, False, False),
        ("", 2, U, False, True),
        ("", 4, Q, False, True),
        ("", 1, U, False, False),
        ("   \n ", 2, U, False, True),
    ],
)
def test_tags_of_the_first_line(reply: str, number: int, intent: str, first: bool, second: bool) -> None:
    assert check_tags(reply, number, intent) == {"tag1": first, "tag2": second}


@pytest.mark.parametrize(
    ("body", "right"),
    [
        ("They play. All stay. What a day!", True),
        ("They play? All stay! What a day.", True),
        ("They play. All stay. What a DAY", True),
        ("They play.  All stay.\nWhat a day.\n", True),
        ("  They play. All stay. What a day.  ", True),
        ("They play... All stay?! What a day.", True),
        ("It is 3.5 a day. All stay. They play.", True),
        ("They play 5. All stay (yes, they may). What a day 42.", True),
        ('They play. All stay. He said "hooray".', True),
        ("I like café. It is half. We laugh off.", True),
        ("I like café. They are. We were.", False),
        ("They play. All stay.", False),
        ("They play.", False),
        ("They play. All stay. What a day. Hooray.", False),
        ("They play.All stay. What a day.", False),
        ("They play. All stay. What a game.", False),
        ("They play. Nobody stays. What a day.", False),
        ("They play. 42. What a day.", False),
        ("They play. ! What a day.", False),
        ("They play; all stay; what a day.", False),
        ("", False),
        ("   ", False),
        ("The U. S. lead by a lot.", False),
    ],
)
def test_three_sentences_that_end_alike(body: str, right: bool) -> None:
    assert three_sentences_same_letter(body) is right


@given(st.lists(st.sampled_from(["the stand", "a good end", "they send", "no game", "why 7"]), min_size=1, max_size=5))
def test_sentences_by_rule(sentences: list[str]) -> None:
    last = {[c for c in sentence if c.isalpha()][-1] for sentence in sentences}
    assert three_sentences_same_letter(". ".join(sentences) + ".") is (len(sentences) == 3 and len(last) == 1)


@pytest.mark.parametrize(
    ("reply", "present", "short"),
    [
        ("<Summary>Herons lead.</Summary>", True, True),
        ("It is.\n<Summary>\nHerons lead.\n</Summary>\nBye", True, True),
        ("<Summary></Summary>", True, True),
        ("<summary>Herons lead.</SUMMARY>", True, True),
        ("No summary", False, False),
        ("<Summary>Herons lead.", False, False),
        ("Herons lead.</Summary>", False, False),
        ("</Summary>Herons lead.<Summary>", False, False),
        ("", False, False),
        (f"<Summary>{'word ' * 49}</Summary>", True, True),
        (f"<Summary>{'word ' * 50}</Summary>", True, False),
        (f"<Summary>{'it is 25-20, ' * 24}yes</Summary>", True, True),
        (f"<Summary>{'don-t ' * 25}</Summary>", True, False),
        (f"<Summary>{'12 ' * 200}</Summary>", True, True),
        (f"{'word ' * 90}<Summary>Short.</Summary>{'word ' * 90}", True, True),
        (f"<Summary>{'word ' * 25}</Summary> and <Summary>{'word ' * 25}</Summary>", True, False),
        (f"<Summary>{'word ' * 25}</Summary> and <Summary>{'word ' * 24}</Summary>", True, True),
    ],
)
def test_the_summary(reply: str, present: bool, short: bool) -> None:
    assert check_summary(reply) == {"present": present, "lt50": short}


HERONS = "We all cheer when quick Herons keep igniting noisy games"


@pytest.mark.parametrize(
    ("sentence", "team", "starts", "complete", "max20", "seq"),
    [
        (HERONS, "Quarry Herons", True, True, True, "QHKING"),
        (HERONS.lower(), "Quarry Herons", True, True, True, "QHKING"),
        (HERONS.upper() + "!", "Quarry Herons", True, True, True, "QHKING"),
        (f"{HERONS} every day", "Quarry Herons", True, True, True, "QHKING"),
        ("We all cheer when quick herons run", "Quarry Herons", True, False, True, "QHKING"),
        ("We all cheer when noisy herons run", "Quarry Herons", False, False, True, "QHKING"),
        ("We cheer when quick Herons keep igniting noisy games", "Quarry Herons", False, False, True, "QHKING"),
        ("We all cheer when quick Herons keep igniting noisy", "Quarry Herons", True, False, True, "QHKING"),
        ("We all cheer when", "Quarry Herons", False, False, True, "QHKING"),
        ("", "Quarry Herons", False, False, True, "QHKING"),
        (f"{HERONS} {'on and ' * 5}", "Quarry Herons", True, True, True, "QHKING"),
        (f"{HERONS} {'on and ' * 5}on", "Quarry Herons", True, True, False, "QHKING"),
        (
            "1 We 2 all, cheer - when (quick) Herons' keep, igniting; noisy: games.",
            "Quarry Herons",
            True,
            True,
            True,
            "QHKING",
        ),
        (
            "We don't half-cheer when quick Herons keep igniting noisy games",
            "Quarry Herons",
            True,
            True,
            True,
            "QHKING",
        ),
        ("We all cheer when other men fight kindly in near games", "Old Mill Foxes", True, True, True, "OMFKING"),
        ("We all cheer when New Corvane divers keep in noisy games", "New Corvane Divers", True, True, True, "NCDKING"),
        ("We all cheer when awful wild kites invite new guests", "Anne's Well-Wishers", True, True, True, "AWKING"),
        ("We all cheer when quick kites invite new guests", "quarry", True, True, True, "QKING"),
    ],
)
def test_the_acrostic(sentence: str, team: str, starts: bool, complete: bool, max20: bool, seq: str) -> None:
    assert check_acrostic(sentence, team) == {"starts": starts, "complete": complete, "max20": max20, "seq": seq}


def test_another_suffix() -> None:
    found = check_acrostic("We all cheer when quick herons win", "Quarry Herons", suffix="WIN")
    assert found == {"starts": True, "complete": False, "max20": True, "seq": "QHWIN"}
    assert check_acrostic("We all cheer when quick herons win it now", "Quarry Herons", "WIN")["complete"] is True


@given(st.integers(0, 60))
def test_twenty_words_are_allowed_and_no_more(words: int) -> None:
    assert check_acrostic("go " * words, "Quarry Herons")["max20"] is (words <= 20)


@given(st.integers(0, 120))
def test_fewer_than_fifty_words(words: int) -> None:
    assert check_summary(f"<Summary>{'go ' * words}</Summary>")["lt50"] is (words < 50)


@pytest.mark.parametrize(
    "hostile", ["[" * 100_000, "<Summary>" * 30_000, ". " * 100_000, "a." * 100_000, "-" * 200_000, "<Summary" * 30_000]
)
def test_long_replies_cost_little(hostile: str) -> None:
    begin = time.perf_counter()
    check_tags(hostile, 1, U)
    check_summary(hostile)
    three_sentences_same_letter(hostile)
    check_acrostic(hostile, "Quarry Herons")
    assert time.perf_counter() - begin < 5
