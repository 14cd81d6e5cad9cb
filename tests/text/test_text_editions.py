"""The two editions of the reading rules: one reader, with a switch."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evolif.scenarios.instructions.tracker import load_topics
from evolif.text import EDITIONS, Reading, sentences
from evolif.text.sentences import ABBREVIATIONS, foreign_abbreviations
from evolif.util.resources import data_path

MARKS = st.text(st.sampled_from("aB 1.)(!?…\n*-•>#[]:`<b>4)5)w/"), max_size=60)


@given(MARKS)
def test_both_editions_read_the_same_words_and_characters_of_plain_lines(text):
    """Without mark-up only the ends of sentences may differ, and never their text."""
    plain = text.translate(dict.fromkeys(map(ord, "*-•>#[]`<1245)"), " "))
    first, second = (Reading(plain, rules=rules) for rules in EDITIONS)
    assert first.content_text == second.content_text and first.paragraphs == second.paragraphs


@given(MARKS)
def test_places_of_both_editions_are_those_of_the_body(text):
    for rules in EDITIONS:
        reading = Reading(text, rules=rules)
        for block in reading.blocks:
            for at, body, length in block.pieces:
                assert block.text[at : at + length] == reading.body[body : body + length][: len(block.text) - at]


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        ("**Plan**\nGo _now_.\n**Then**\nRest.", ["heading", "paragraph", "heading", "paragraph"]),
        ("Then:\n4) one\n5) two\n\n6) three", ["paragraph", "item", "item", "item"]),
        ("[Answer]: Paris\n\n[b]: https://a.org\n\nSee it.", ["paragraph", "paragraph"]),
        ("•tight\n\nThen:\n4) one\n5) <two>", ["item", "paragraph", "item", "item"]),
    ],
)
def test_evidence_of_edition_2_has_its_place(text, kinds):
    reading = Reading(text)
    assert [block.kind for block in reading.blocks] == kinds
    if "•" in text:
        assert [block.text for block in reading.blocks][-1] == "<two>" and reading.blocks[-1].number == "5."
        return
    for block in reading.blocks:
        start, end = block.to_body(0), block.to_body(len(block.text), end=True)
        assert reading.body[start:end].replace("_", "") == block.text


def test_no_keyword_or_filler_is_an_abbreviation_of_another_language():
    """Else witnesses of earlier sets could be read otherwise."""
    foreign = foreign_abbreviations()
    words = foreign.words
    assert not words & ABBREVIATIONS and foreign.ends <= words
    keywords = {
        part
        for topic in load_topics(data_path("seeds", "topics.jsonl"))
        for k in topic.keywords
        for part in k.lower().split()
    }
    fillers = {word for path in data_path("seeds").glob("fillers*.txt") for word in path.read_text("utf-8").split()}
    assert not words & (keywords | fillers)


def test_a_block_alone_is_read_by_the_first_edition():
    assert len(sentences("See it. https://a.org")) == 2


def test_brackets_are_read_in_linear_time():
    text = "a (b. " * 8_000 + "C" + " d)" * 8_000
    assert len(Reading(text).sentence_spans) == 1
    assert len(Reading("(" * 16_000 + "a. B" + ")" * 16_000 + " c.").sentence_spans) == 2


def test_late_lists_are_read_in_linear_time():
    text = "\n".join(f"text\n{number}) a\n{number + 1}) b" for number in range(2, 2_500))
    assert len(Reading(text).content.numbered) == 2 * 2_498
