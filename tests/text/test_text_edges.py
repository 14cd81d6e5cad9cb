"""Rule 10: edges; and where content stands in the body."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evolif.text import Reading, first_grapheme, is_skippable
from evolif.text.tokens import last_grapheme

START = [
    ("a letter", "Hello", None, "H"),
    ("punctuation is skipped", '"(¿Hello', None, "H"),
    ("signs of mark-up are skipped", "= + ~ | ^ Hello", None, "H"),
    ("mark-up is no content", "# **Hello**", None, "H"),
    ("a bullet is skipped", "- Hello", None, "H"),
    ("a list's number is content", "1. Hello", None, "1."),
    ("a list's number is content with a bracket", "3) Hello", None, "3."),
    ("an HTML list's number is content", "<ol><li>Hello</li></ol>", "html", "1."),
    ("digits are content", "5 apples", None, "5"),
    ("other signs are content", "$5", None, "$"),
    ("emoji are content", "«😀", None, "😀"),
    ("a composed letter is one", "E\u0301a", None, "É"),
    ("a mark that does not compose stays with its letter", "h\u0323\u0301a", None, "ḥ́"),
    ("a JSON key", '{"hello": 1}', "json", "h"),
    ("a JSON literal stands in the way", '[null, "a"]', "json", "null"),
    ("a literal later does not", '["a", null]', "json", "a"),
    ("the first cell with text", ",b\nc,d", "csv", "b"),
    ("front matter is no content", "---\ntitle: a\n---\nHello", None, "H"),
    ("a comment is no content", "<!-- a -->\n\nHello", None, "H"),
    ("code is content", "```py\nhello\n```", None, "h"),
    ("a block of signs is skipped", "...\n\nHello", None, "H"),
]


def start_of(reading):
    edge = reading.start
    return edge.blocked or first_grapheme(reading.blocks[edge.block].text, edge.offset)


@pytest.mark.parametrize(("rule", "text", "fmt", "expected"), START, ids=[row[0] for row in START])
def test_start(rule, text, fmt, expected):
    assert start_of(Reading(text, fmt)) == expected


END = [
    ("a letter", "Hello", None, "o"),
    ("punctuation is skipped", 'Hello!")', None, "o"),
    ("mark-up is no content", "Hello **there**", None, "e"),
    ("a rule is no content", "Hello\n\n---", None, "o"),
    ("a link's target is no content", "[Hello](http://a.z)", None, "o"),
    ("a comment is no content", "Hello\n\n<!-- z -->", None, "o"),
    ("a digit is content", "Hello 5.", None, "5"),
    ("an emoji is content", "Hello 👍🏽!", None, "👍🏽"),
    ("a family is one", "Hello 👨‍👩‍👧", None, "👨‍👩‍👧"),
    ("a JSON literal stands in the way", '{"a": true}', "json", "true"),
    ("the last cell with text", "a,b\nc,", "csv", "c"),
    ("closing tags are no content", "<p>Hello</p>", "html", "o"),
]


def end_of(reading):
    edge = reading.end
    return edge.blocked or last_grapheme(reading.blocks[edge.block].text, edge.offset)


@pytest.mark.parametrize(("rule", "text", "fmt", "expected"), END, ids=[row[0] for row in END])
def test_end(rule, text, fmt, expected):
    assert end_of(Reading(text, fmt)) == expected


@pytest.mark.parametrize("text", ["...", "---", "“”", "<!-- a -->"])
def test_without_content_there_is_no_edge(text):
    assert Reading(text).start is None
    assert Reading(text).end is None


@pytest.mark.parametrize("char", list(" \n\u00a0.,;!?-–—“”'\"()[]{}<>#*_~|+=^`。、《》"))
def test_skipped(char):
    assert is_skippable(char)


@pytest.mark.parametrize("char", list("aé字5٣$€°©😀\u0301"))
def test_not_skipped(char):
    assert not is_skippable(char)


PLACED = [
    "One\n\n# Two *three* `four`\n\n- five\n- six [seven](x)\n\n> eight\n\n| nine | ten |\n|---|---|\n| a | b |",
    "Ünï *cödé* 👍🏽 und\n  mehr\n\n• dot\n",
    "plain\n  indented line\n\nlast",
    "```py\nx = 1\n```\n\ntext <foo> & more",
]


def pieces_agree(reading):
    for block in reading.blocks:
        for at, body, length in block.pieces:
            held = block.text[at : at + length]  # the last one may lose its line end
            assert reading.body[body : body + length].rstrip("\n") == held.rstrip("\n")


@pytest.mark.parametrize("text", PLACED)
def test_pieces_stand_where_they_say(text):
    reading = Reading(text)
    assert any(block.pieces for block in reading.blocks)
    pieces_agree(reading)


@pytest.mark.parametrize(("fmt", "text"), [("json", '{"ab": "c d", "e": "f\\n"}'), ("csv", 'a,b\n"c, d","e"')])
def test_pieces_of_data_formats_stand_where_they_say(fmt, text):
    reading = Reading(text, fmt)
    assert reading.fault is None
    pieces_agree(reading)


@given(st.text(alphabet="aB é👍.\n#*-_`>|[]()<b>&;•~", max_size=60))
def test_pieces_of_any_text_stand_where_they_say(text):
    pieces_agree(Reading(text or "a"))


@given(st.text(alphabet="a é\n#*-`>👍", max_size=40))
def test_spans_of_body_and_content_hold_the_same_text(text):
    reading = Reading("kyoto " + text + " kyoto")
    for place in reading.occurrences("kyoto"):
        held = {
            (reading.content_text if span.view == "content" else reading.body)[span.start : span.end].lower()
            for span in reading.folded_spans(*place)
        }
        assert held <= {"kyoto"}  # none where folding moved characters


def test_occurrences_have_their_places_in_both_views():
    reading = Reading("# One *kyoto* two")
    spans = reading.folded_spans(*reading.occurrences("kyoto")[0])
    assert [(s.view, s.start, s.end) for s in spans] == [("content", 4, 9), ("body", 7, 12)]


def test_spans_follow_where_folding_moved_characters():
    reading = Reading("one  kyoto and more")
    content, body = reading.folded_spans(*reading.occurrences("kyoto")[0])
    assert (content.start, content.end) == (body.start, body.end) == (5, 10)
