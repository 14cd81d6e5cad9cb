"""Foreign text on the screen: nothing of it is a command, and marks stay on their words."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evolif.review.text import Marked, clean_input, hidden, joined, one_line, styled, visible
from evolif.text import plain

NASTY = [
    "\x1b[31mred\x1b[0m",
    "\x1b]0;title\x07",
    "\x9b2J",
    "\u202eabc\u202c",
    "\u2066x\u2069",
    "a\u200bb\ufeff\u00ad",
    "\U000e0041\U000e0042",
    "\ud800",
    "a\x00b\x7f",
    "\u2028x\u2029",
    "[red]x[/red][@click=app.quit]y[/]",
    "a\rb\tc",
]
STORED = [text for text in NASTY if "\ud800" not in text]
"""Those that can be written into a file."""
ON_SCREEN = [
    pytest.param(" ".join(STORED), id="all"),
    *(pytest.param(text, id=str(number), marks=pytest.mark.slow) for number, text in enumerate(STORED)),
]
"""For tests that start the application: all texts at once, and each on its own where time allows."""
texts = st.text(st.one_of(st.characters(), st.sampled_from("\x1b\x9b\u202e\u200b\t\r\n[]@/\u2028")), max_size=60)


def is_safe(text: str) -> bool:
    return all(
        sign == "\n" or sign in "\u200c\u200d" or unicodedata.category(sign) not in {"Cc", "Cf", "Cs", "Zl", "Zp"}
        for sign in text
    )


@pytest.mark.parametrize("text", NASTY)
def test_nothing_unsafe_is_left_and_nothing_is_swallowed(text):
    shown = visible(text).text
    assert is_safe(shown) and plain(shown) == shown
    assert is_safe(one_line(text)) and "\n" not in one_line(text)
    assert all(sign in shown for sign in text if sign.isprintable())


@given(texts)
def test_no_text_gets_through(text):
    assert is_safe(visible(text).text) and is_safe(clean_input(text))


@given(texts, st.integers(-3, 70), st.integers(-3, 70))
def test_a_mark_stays_on_its_words(text, start, end):
    shown = visible(text, [(start, end)])
    for first, last, look in shown.marks:
        if look == "finding":
            assert shown.text[first:last] == visible(text[max(0, start) : max(0, end)]).text
    assert any(look == "finding" for *_, look in shown.marks) == (max(0, start) < min(end, len(text)))


def test_what_is_spelled_out_is_marked():
    shown = visible("a\x1bb\u202e")
    assert shown.text == r"a\x1bb\u202e"
    assert [shown.text[start:end] for start, end, _ in shown.marks] == [r"\x1b", r"\u202e"]
    assert hidden("a\x1b\tb\u202e") == [(1, 2), (4, 5)]


def test_joining_shifts_marks():
    whole = joined([styled("one", "strong"), Marked(), visible("x\x1b")], " | ")
    assert whole.text == r"one |  | x\x1b"
    assert [(whole.text[a:b], look) for a, b, look in whole.marks] == [("one", "strong"), (r"\x1b", "escape")]


def test_long_lines_are_cut_with_a_sign():
    assert one_line("a  b\nc", 5) == "a b c"
    assert one_line("abcdef", 5) == "abcd…"
