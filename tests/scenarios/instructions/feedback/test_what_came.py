"""What came instead of what was asked for, as a phrase: from real verdicts on real answers, and from hostile ones."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evolif.scenarios.instructions.constraints import check
from evolif.scenarios.instructions.feedback.found import LONGEST, found_of
from evolif.scenarios.instructions.feedback.misses import Miss
from evolif.scenarios.instructions.turns import Constraint

LIST = "- one\n- two\n- three"
TABLE = "| a | b |\n|---|---|\n| 1 | 2 |\n| 3 | 4 |"
SAID = "Sure thing, my friend, this is a text."


def came(group: str, params: dict, answer: str) -> str:
    constraint = Constraint(group, params)
    [verdict] = check([constraint], answer)
    assert verdict.satisfied is False
    return found_of(Miss(constraint, verdict))


@pytest.mark.parametrize(
    ("group", "params", "answer", "phrase"),
    [
        ("length", {"unit": "words", "relation": "at_most", "count": 2}, "One two three.", "3 words"),
        ("length", {"unit": "paragraphs", "relation": "exactly", "count": 2}, "One.", "1 paragraph"),
        ("length", {"unit": "lines", "relation": "exactly", "count": 4, "noun": "verses"}, "One.", "1 verse"),
        ("bullets", {"count": 5}, LIST, "3 bullets"),
        ("bullets", {"count": 5}, "None.", "no bullets"),
        ("bullets", {"count": 2, "kind": "numbered"}, "1. one", "1 numbered point"),
        ("bullets", {"kind": "bullet", "relation": "exactly", "count": 5}, LIST, "3 bullets"),
        ("bullets", {"kind": "either", "relation": "at_most", "count": 2}, LIST, "3 points"),
        ("bullets", {"kind": "either", "relation": "none"}, LIST, "3 points"),
        ("bullets", {"kind": "bullet", "relation": "some", "only": True}, f"{LIST}\n\nSo.", "text outside the list"),
        ("labels", {"labels": ["Pro", "Con"]}, "Hello there.", "no labels"),
        ("labels", {"labels": ["Pro", "Con"]}, "Pro: it is.\nPro: it is.\nCon: it is not.", "3 labels"),
        ("labels", {"labels": ["Pro", "Con"]}, "Con: it is.\nPro: it is not.", ""),
        ("labels", {"labels": ["Pro"], "only": True}, "Well then.\n\nPro: it is.", "text before the first label"),
        ("language", {"code": "fr"}, "This is an English answer about the ferry and its times.", "English"),
        ("format", {"mode": "markdown"}, "Plain words.", "plain text"),
        ("format", {"mode": "json", "keys": ["a"]}, "[1]", "a JSON array"),
        ("format", {"mode": "json"}, "Plain words.", ""),
        ("format", {"mode": "table", "columns": ["a", "b"]}, "Plain words.", "no table"),
        ("format", {"mode": "table", "column_count": 3}, TABLE, "a table with 2 columns"),
        ("format", {"mode": "comma_list", "count": 3}, "red, green", "2 items"),
        ("format", {"mode": "plain"}, LIST, "a list"),
        ("start_with", {"mode": "phrase", "value": "Dear all"}, SAID, "“Sure thing, my” at the start"),
        ("start_with", {"mode": "keyword", "value": "ferry"}, SAID, "“Sure thing, my” at the start"),
        ("start_with", {"mode": "letter", "value": "Q"}, SAID, "“S” at the start"),
        ("start_with", {"mode": "phrase", "value": "Sure thing, my dear"}, SAID, ""),  # half of it came
        ("start_with", {"mode": "phrase", "value": "Dear all"}, "**Bold** words.", "“Bold words” at the start"),
        ("end_with", {"mode": "phrase", "value": "Yours"}, SAID, "“is a text” at the end"),
        ("end_with", {"mode": "letter", "value": "q"}, SAID, "“t” at the end"),
        ("placement", {"mode": "nth_word", "position": 2, "value": "ferry"}, SAID, "“thing”"),
        ("placement", {"mode": "nth_word", "position": 9, "value": "ferry"}, "Too short.", "only 2 words"),
        ("placement", {"mode": "every_paragraph", "value": "ferry"}, "A ferry.\n\nA bus.", "it in 1 of 2 paragraphs"),
        ("part_length", {"unit": "item", "measure": "words", "relation": "at_most", "count": 1},
         "- one\n- two words\n- three", "2 words in bullet 2"),
        ("part_length", {"unit": "item", "measure": "words", "relation": "at_most", "count": 1}, "None.", "no bullets"),
        ("emoji", {"relation": "none"}, "Well 🙂 🎉", "2 emojis"),
        ("emoji", {"relation": "some"}, "Well.", "no emojis"),
        ("emoji", {"place": "end"}, "Well.", "no emoji at the end"),
        ("emoji", {"place": "each_item"}, "- one 🙂\n- two", "1 of 2 items with an emoji"),
        ("hashtags", {"relation": "none"}, "So #fine and #well", "2 hashtags"),
        ("headings", {"count": 2}, "# One\n\nText.", "1 heading"),
        ("headings", {"relation": "title"}, "Text.", "no title"),
        ("headings", {"levels": [2, 3]}, "## Two\n\nText.", "no level 3 headings"),
        ("emphasis", {"count": 2}, "Text.", "no bold"),
        ("emphasis", {"relation": "none"}, "Some **bold** text.", "1 bold passage"),
        ("digits", {"mode": "none"}, "The 24th.", "2 digits"),
        ("existence", {"counts": {"ferry": 3}}, "A ferry.", "“ferry” once"),
        ("existence", {"at_least": {"ferry": 1}}, "A bus.", "no “ferry”"),
        ("existence", {"counts": {"bus": 1, "ferry": 1}}, "A bus.", "no “ferry”"),
        ("existence", {"any_of": ["ferry", "ship"]}, "A bus.", "none of them"),
        ("forbidden", {"keywords": ["bus", "ferry"]}, "A bus, a bus.", "“bus” twice"),
        ("forbidden", {"keywords": ["bus", "ferry"]}, "A bus, a ferry.", "“bus” and “ferry”"),
        ("case", {"mode": "all_lower"}, "A Bus", "2 capital letters"),
        ("case", {"mode": "all_upper"}, "A Bus", "2 small letters"),
        ("case", {"mode": "all_upper"}, "a bus is all there is to see here, for all that I can say", ""),
        ("case", {"mode": "share", "percent": 40}, "a bus", "no capital letters"),
        ("case", {"mode": "share", "percent": 40}, "ABCd", "75% capital letters"),
        ("punctuation", {"mode": "exclude", "mark": ","}, "a, b, c", "2 commas"),
        ("punctuation", {"mode": "exclude", "mark": "—"}, "a — b", "a “—”"),
        ("punctuation", {"mode": "exclude_all"}, "a, b.", "2 punctuation marks"),
        ("sentences", {"mode": "max_words", "count": 2}, "One two three.", "a sentence of 3 words"),
        ("sentences", {"mode": "questions", "count": 2}, "Well?", "1 question"),
        ("sentences", {"mode": "all_questions"}, "Well? Yes.", "1 question in 2 sentences"),
        ("sentences", {"mode": "distinct_starts"}, "The bus. The ferry. A car.", "two that begin with “the”"),
        ("lettering", {"mode": "max_letters", "count": 3}, "The timetable.", "“timetable”"),
        ("lettering", {"mode": "no_repeat"}, "a bus and a ferry", "“a” twice"),
        ("lettering", {"mode": "without", "letter": "e"}, "the bus", "“the”"),
        ("person", {"avoid": "first"}, "I took my bus.", "“I” and “my”"),
        ("person", {"use": "first"}, "The bus.", "no first person"),
        ("manner", {"mode": "answer_only"}, "Sure! The bus.", "an intro"),
        ("manner", {"mode": "no_offer"}, "The bus. Let me know.", "an offer at the end"),
        ("manner", {"mode": "no_closing_question"}, "The bus?", "a question at the end"),
        ("manner", {"mode": "no_disclaimer"}, "As an AI, I walk.", "a disclaimer"),
        ("wrap", {"left": "<<", "right": ">>"}, SAID, "“Sure thing, my” at the start"),
        ("choice", {"mode": "options", "options": ["yes", "no"]}, "Maybe.", "“Maybe”"),
        ("choice", {"mode": "options", "options": ["yes", "no"]}, "Yes\nBecause it is.", "1 more line"),
        ("choice", {"mode": "options", "options": ["yes", "no"], "reason": True}, "Yes", "no reason"),
        ("choice", {"mode": "options", "options": ["yes", "no"]}, "It depends on who asks me.", ""),
    ],
)  # fmt: skip
def test_what_came_is_a_short_phrase(group: str, params: dict, answer: str, phrase: str) -> None:
    assert came(group, params, answer) == phrase


@pytest.mark.parametrize(
    ("group", "params", "answer"),
    [
        ("start_with", {"mode": "phrase", "value": "Dear all"}, "<b>Sure</b> thing"),
        ("start_with", {"mode": "phrase", "value": "Dear all"}, "\u202egnihton\u202c"),
        ("start_with", {"mode": "phrase", "value": "Dear all"}, "[link](http://example.org) text"),
        ("start_with", {"mode": "letter", "value": "Q"}, "\x07bell"),
        ("choice", {"mode": "options", "options": ["yes", "no"]}, "<script>alert(1)</script>"),
        ("choice", {"mode": "options", "options": ["yes", "no"]}, "y\u200be\u202es"),
        ("lettering", {"mode": "max_letters", "count": 3}, "<b>timetable</b>_and_more"),
        ("wrap", {"left": "<<", "right": ">>"}, "`code` and more"),
    ],
)
def test_nothing_that_is_no_plain_word_is_repeated(group: str, params: dict, answer: str) -> None:
    phrase = came(group, params, answer)
    assert phrase.isprintable() and not set(phrase) & set("<>[]()*_`\\{}|")


ASKED = [
    Constraint("start_with", {"mode": "phrase", "value": "Dear all"}),
    Constraint("end_with", {"mode": "keyword", "value": "ferry"}),
    Constraint("length", {"unit": "words", "relation": "exactly", "count": 3}),
    Constraint("bullets", {"kind": "either", "relation": "exactly", "count": 3}),
    Constraint("choice", {"mode": "options", "options": ["yes", "no"]}),
    Constraint("placement", {"mode": "nth_word", "position": 1, "value": "ferry"}),
    Constraint("lettering", {"mode": "no_repeat"}),
    Constraint("labels", {"labels": ["Pro"]}),
    Constraint("person", {"avoid": "first"}),
    Constraint("punctuation", {"mode": "exclude_all"}),
]


@given(st.text(max_size=200))
def test_whatever_came_the_phrase_is_short_and_plain(answer: str) -> None:
    for constraint, verdict in zip(ASKED, check(ASKED, answer), strict=True):
        if not verdict.satisfied:
            phrase = found_of(Miss(constraint, verdict))
            assert len(phrase) <= LONGEST and phrase.isprintable()
            assert not set(phrase) & set("<>[]*_`\\{}|\ue000\ue001")
