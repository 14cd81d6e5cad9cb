"""Evidence points at the words it talks about, also where folding moves characters."""

import pytest

from evolif.scenarios.instructions.constraints import check
from evolif.text import Reading


@pytest.mark.parametrize(
    ("text", "word", "shown"),
    [
        ("new  york, New\tYork and new york", "new york", ["new  york", "New\tYork", "new york"]),
        ("straße STRASSE und Straße", "straße", ["straße", "STRASSE", "Straße"]),
        ("Plain kyoto, KYOTO", "kyoto", ["kyoto", "KYOTO"]),
        ("ﬁnal   word, then final word", "final word", ["ﬁnal   word", "final word"]),
        ("It’s o’clock", "o'clock", ["o’clock"]),
        ("İzmir  and izmir", "izmir", ["İzmir", "izmir"]),
    ],
)
def test_spans_of_occurrences(text, word, shown):
    verdict = check([{"group": "existence", "params": {"counts": {word: len(shown)}}}], text)[0]
    assert verdict.satisfied
    content = Reading(text).content_text
    assert [content[s.start : s.end] for s in verdict.spans if s.view == "content"] == shown


def test_spans_in_code_and_lists_point_into_the_body():
    body = "- two  kyoto  trips\n\n      kyoto  in code\n"
    verdict = check([{"group": "existence", "params": {"counts": {"kyoto": 2}}}], body)[0]
    text = Reading(body).body
    assert [text[s.start : s.end] for s in verdict.spans if s.view == "body"] == ["kyoto", "kyoto"]
