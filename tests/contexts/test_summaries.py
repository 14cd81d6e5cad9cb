"""Summaries of rounds by rules."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evolif.contexts.summaries import summary_by_rules

FILLER = " ".join(["we talked about this and that for quite a while and then went on"] * 4).capitalize() + "."


def test_a_short_text_stays_and_the_reply_gives_its_first_sentence() -> None:
    assert summary_by_rules("Book a  table,\nplease.", "Done. It is at eight.") == "Book a table, please. Done."
    forty = " ".join(["word"] * 40)
    assert summary_by_rules(forty, "") == forty
    assert summary_by_rules("", "Yes.") == "Yes." and summary_by_rules("", " \n") == ""


@pytest.mark.parametrize(
    ("sentence", "kept"),
    [
        ("It costs 300 euros.", True),
        ("The title is “home and away”.", True),
        ("He said «no».", True),
        ('She said "yes".', True),
        ("Then we met Anna.", True),
        ("Anna came.", False),  # the first word of a sentence is capitalised whatever it is
        ("Then I came, and I'd say so.", False),
    ],
)
def test_of_a_long_text_the_sentences_with_facts_are_kept(sentence: str, kept: bool) -> None:
    told = f"{FILLER} {sentence} My dog is called Rex."
    assert summary_by_rules(told, "") == (f"{sentence} My dog is called Rex." if kept else "My dog is called Rex.")


def test_a_long_text_without_facts_is_cut() -> None:
    assert summary_by_rules(FILLER, "Fine.").split() == [*FILLER.split()[:40], "Fine."]


def test_a_long_sentence_of_the_reply_is_cut_and_an_abbreviation_ends_none() -> None:
    assert summary_by_rules("", "so " * 30 + "it is.") == " ".join(["so"] * 25)
    assert summary_by_rules("", "Dr. Smith agrees. I do not.") == "Dr. Smith agrees."
    assert summary_by_rules("", "no full stop") == "no full stop"


@given(st.text(), st.text())
def test_a_summary_is_one_short_line_of_what_was_said(query: str, reply: str) -> None:
    made = summary_by_rules(query, reply)
    words = made.split()
    assert made == " ".join(words) and len(words) <= 65
    said = [*query.split(), *reply.split()]
    places = iter(said)
    assert all(any(word in place for place in places) for word in words)


@pytest.mark.sampled
@pytest.mark.parametrize("evil", ["a ", ".", "“", "A. ", "1. ", "aA'", "Mr. ", "(", "\n"])
def test_only_the_beginning_of_a_huge_text_is_read(evil: str) -> None:
    text = evil * 500_000
    assert summary_by_rules(text, text) == summary_by_rules(text[:16_384], text[:16_384])
