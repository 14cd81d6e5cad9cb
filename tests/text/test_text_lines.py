"""Lines of a body: what is one, and what looks like an item of a list."""

from __future__ import annotations

import pytest

from evolif.text import Reading
from evolif.text.lines import item_like_lines

LINES = [
    ("plain lines", "One\nTwo\n\nThree", ["One", "Two", "Three"]),
    ("white space around a line is left out", "One  \n \t\n   Two", ["One", "Two"]),
    ("headings are lines", "# One\nTwo", ["# One", "Two"]),
    ("underlines are none", "One\n===\n\nTwo\n---\n\nThree", ["One", "Two", "Three"]),
    ("rules are none", "One\n\n***\n\n* * *\n\n___\n\nTwo", ["One", "Two"]),
    ("three hyphens are always a rule", "One\n\n```\na\n---\nb\n```", ["One", "a", "b"]),
    ("front matter", "---\ntitle: One\n---\n\nTwo", ["title: One", "Two"]),
    ("a row of other signs is a line", "One\n== two\nthree ---", ["One", "== two", "three ---"]),
    ("fences are none", "One\n```py\ntwo\n```\nThree", ["One", "two", "Three"]),
    ("a fence in another is a line", "One\n~~~~\n```\n~~~~", ["One", "```"]),
    ("a fence never closed", "One\n```\ntwo\nthree", ["One", "two", "three"]),
    ("quoted fences, rules and blanks are none", "> One\n>\n> ```\n> two\n> ```\n>\n> ---", ["> One", "> two"]),
    ("delimiter rows are none", "| a | b |\n|---|:-:|\n| c | d |\n\nOne", ["| a | b |", "| c | d |", "One"]),
    ("delimiter rows without outer bars", "a | b\n- | -\nc | d", ["a | b", "c | d"]),
    ("list items are", "- One\n- Two\n\n1. Three", ["- One", "- Two", "1. Three"]),
    ("dots without a space keep the lines", "•One\n•Two\n\n***\n\nThree", ["•One", "•Two", "Three"]),
    ("wide characters before marks", "漢字é\n\n***\n\n🙂", ["漢字é", "🙂"]),
]


@pytest.mark.parametrize(("rule", "text", "lines"), LINES, ids=[row[0] for row in LINES])
def test_lines(rule, text, lines):
    reading = Reading(text)
    assert [reading.body[start:end] for start, end in reading.lines] == lines


def test_a_data_format_has_its_lines_as_written():
    reading = Reading('{\n  "a": 1\n}', "json")
    assert [reading.body[start:end] for start, end in reading.lines] == ["{", '"a": 1', "}"]


ITEM_LIKE = [
    ("- a\n* b\n+ c\n• d\n▪ e", 5),
    ("1. a\n22) b\n333. c\n1999. d", 3),
    ("Text\n2. a", 1),
    ("> - a\n  - b", 2),
    ("a - b\n-5\n*a*\n**a**\n1.5\n–  a", 0),
    ("* * *\n\n- - -\n\nText", 0),
    ("```\n- a\n1. b\n```\n\n- c", 1),
    ("## 1. A", 0),
]


@pytest.mark.parametrize(("text", "count"), ITEM_LIKE)
def test_lines_that_look_like_items(text, count):
    reading = Reading(text)
    assert len(item_like_lines(reading.body, reading.content)) == count
