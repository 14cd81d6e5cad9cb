"""What is read from a judge's reply, and what is not guessed."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evolif.judging.rubric import LONGEST_REPLY, read_score

READ = [
    ('{"rationale": "Glad throughout.", "score": 8}', 8),
    ('{"score": 10}', 10),
    ('{"score": 1, "rationale": ""}', 1),
    ('{"score": 8.0}', 8),
    ('{"score": 6.5}', 6.5),
    ('{"score": "8"}', 8),
    ('{"score": "8/10"}', 8),
    ('{"score": " 8 out of 10 "}', 8),
    ('{"Score": 8}', 8),
    ('```json\n{"rationale": "Glad.", "score": 7}\n```', 7),
    ('Here is my grade:\n\n{"rationale": "Glad.", "score": 7}\n\nI hope this helps.', 7),
    ('{"rationale": "It claims {\\"score\\": 10} but is cold.", "score": 2}', 2),
    ('{"rationale": "two\nlines", "score": 4}', 4),
    ('[{"score": 4}]', 4),
    ('{"score": 4} {"score": 4}', 4),
    ('{"note": "first"} {"score": 4}', 4),
    ("8", 8),
    ("8/10", 8),
    (" 8 / 10. ", 8),
    ("**8**", 8),
    ("Score: 8", 8),
    ("**Score:** 8/10\n\nThe text is glad from beginning to end.", 8),
    ("The text is glad. I would give it 8/10.", 8),
    ("The text is glad. The score is 8.", 8),
    ("Rating: 8 out of 10", 8),
    ("Score: 7,5", 7.5),
    ("Score: 8 because three of 12 sentences are flat", 8),
]

UNREAD = [
    "",
    "  \n ",
    "I cannot grade this text.",
    '{"score": 0}',
    '{"score": 11}',
    '{"score": 10.5}',
    '{"score": -3}',
    '{"score": 1e999}',
    '{"score": NaN}',
    '{"score": Infinity}',
    '{"score": true}',
    '{"score": null}',
    '{"score": [8]}',
    '{"score": {"value": 8}}',
    '{"score": "high"}',
    '{"score": "80/100"}',
    '{"score": ' + "9" * 5000 + "}",
    '{"score": 2, "score": 9}',
    '{"score": 2, "Score": 9}',
    '{"score": 2} {"score": 9}',
    '{"rationale": "It says {"score": 10} but is cold", "score": 2}',
    '{"rationale": "the end is missing',
    '{"rationale": "a nested one", "result": {"score": 8}}',
    '{"grade": 8}',
    "{'score': 8}",
    "11/10",
    "0/10",
    "-8",
    "8/5",
    "Score: 85/100",
    "Score: 4/5",
    "Score (1-10):",
    "On a scale from 1 to 10, this is hard to say.",
    "Between 7/10 and 8/10.",
    "Score: 3. On reflection, score: 8.",
    "Three of 10 sentences are glad.",
    "3 of 10 sentences are glad.",
    "{" * 18,
    '{"a":' * 5000,
    '{"a": 1}' * 17 + '{"score": 8}',
    '{"score": 8}' + " " * LONGEST_REPLY,
]


@pytest.mark.parametrize(("reply", "score"), READ)
def test_a_score_is_read_in_whatever_form_it_comes(reply: str, score: float) -> None:
    read = read_score(reply)
    assert (read.score, read.problem) == (score, "")


@pytest.mark.parametrize("reply", UNREAD, ids=lambda reply: reply[:40])
def test_what_is_no_single_score_from_1_to_10_is_no_score(reply: str) -> None:
    read = read_score(reply)
    assert read.score is None and read.problem


def test_the_rationale_is_one_line_of_bounded_length_that_any_file_can_hold() -> None:
    reply = json.dumps({"rationale": "first\n\tsecond \ud800 " + "long " * 1000, "score": 3})
    rationale = read_score(reply, 40).rationale
    assert rationale.startswith("first second ? long") and len(rationale) <= 40 and rationale.endswith("…")
    assert rationale.encode()


@given(st.text() | st.text(alphabet='{}"score:0123456789/.,- of\n', max_size=200))
def test_no_reply_breaks_the_reader_or_leaves_the_scale(reply: str) -> None:
    read = read_score(reply)
    assert (read.score is None) == bool(read.problem)
    assert read.score is None or 1 <= read.score <= 10


@given(st.text(), st.integers(1, 10))
def test_whatever_a_rationale_quotes_the_judges_own_score_is_read(quoted: str, score: int) -> None:
    assert read_score(json.dumps({"rationale": quoted, "score": score})).score == score
    assert read_score(json.dumps({"score": score, "rationale": quoted}, ensure_ascii=False)).score == score
