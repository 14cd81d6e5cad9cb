"""What a text says in its own words: code and quotations are blanked, and everything else keeps its place."""

import pytest

from evolif.text import Reading
from evolif.text.prose import quotations, without_quotations


@pytest.mark.parametrize(
    ("answer", "left"),
    [
        ("Use `my list` now.", "Use now."),
        ("Use <code>my list</code> now.", "Use now."),
        ("Then:\n\n```python\nmy = 1\n```\n\nGo.", "Then: Go."),
        ("See `a` or `b`.\n**Title**\nThen `c`.", "See or . Title Then ."),
        ("No code at all.", "No code at all."),
    ],
)
def test_code_is_left_out(answer: str, left: str) -> None:
    reading = Reading(answer)
    assert " ".join(" ".join(reading.prose).split()) == left
    assert [len(text) for text in reading.prose] == [len(block.text) for block in reading.blocks]


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("“I won,” she said. “My boat!”", "she said."),
        ('"I won," I said.', "I said."),
        ("‘I don’t go,’ we said.", "we said."),
        ("'I don't go,' we said.", "we said."),
        ("„Ich gehe“, sagt er. »Wir auch«, sagt sie. «Moi», dit-il.", ", sagt er. , sagt sie. , dit-il."),
        ("彼は「私です」と言った。", "彼は と言った。"),
        ('A 5" and a 6" board are mine.', 'A 5" and a 6" board are mine.'),
        ("We don't know the dogs' names.", "We don't know the dogs' names."),
        ("“I never end", "“I never end"),
        ("Say (“yes”) twice.", "Say ( ) twice."),
    ],
)
def test_quotations_are_left_out(text: str, left: str) -> None:
    found = without_quotations(text)
    assert len(found) == len(text)
    assert found.split() == left.split()


def test_quotations_are_ranges_with_their_marks() -> None:
    assert quotations("a “b” c “d”") == [(2, 5), (8, 11)]


def test_a_block_quote_is_quoted() -> None:
    assert [text.strip() for text in Reading("We say:\n\n> I won.\n>\n> - my boat\n\nEnd.").unquoted] == [
        "We say:",
        "",
        "",
        "End.",
    ]
    html = Reading("<p>We say:</p><blockquote><p>I won.</p></blockquote><p>End.</p>", "html")
    assert [text.strip() for text in html.unquoted] == ["We say:", "", "End."]
