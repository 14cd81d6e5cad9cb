"""Answers of every shape: what is read of them, and that no text does more than be read."""

from __future__ import annotations

import json
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evolif.scenarios.instructions.synthesis.chat import (
    clean_query,
    form_findings,
    read_flag,
    read_object,
    read_text,
    refused,
    storable,
    without_trailing_commas,
)

READ = {
    '{"query": "Do it."}': "Do it.",
    '```json\n{"query": "Do it."}\n```': "Do it.",
    'Sure! Here it is:\n```\n{"query": "Do it."}\n```\nAnything else?': "Do it.",
    'My answer is {"query": "Do it."} as asked.': "Do it.",
    '{"query": "Do it.",}': "Do it.",
    '{"query": "Do it.", "notes": ["a", "b",],}': "Do it.",
    '{"query": "first\nsecond"}': "first\nsecond",
    '{"thoughts": {"a": 1}} {"query": "Do it."}': "Do it.",
    '{"query": "Use “{x}”, ok,}"}': "Use “{x}”, ok,}",
    "Do it, please.": "Do it, please.",
    "  Do it, please.\n": "Do it, please.",
    "```\nDo it, please.\n```": "Do it, please.",
    "Use {braces} and go on.": "Use {braces} and go on.",
}
NOT_READ = [
    "", "  ", "{", '{"query": "Do', '```json\n{"query": "Do', '{"query": 3}', '{"query": ""}', '{"query": null}',
    '{"answer": "Do it."}', '["Do it."]', "[" * 50_000, '{"a":' * 50_000, '{"query": "a', "```",
    "{'query': 'Do it.'}",
]  # fmt: skip


@pytest.mark.parametrize("text", list(READ))
def test_what_was_meant_is_read(text: str) -> None:
    assert read_text(text, "query") == READ[text]


@pytest.mark.parametrize("text", NOT_READ, ids=lambda text: text[:20])
def test_what_is_broken_is_not_taken_for_words(text: str) -> None:
    assert read_text(text, "query") is None


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ('{"ok": true}', True), ('{"ok": false}', False), ('{"ok": "Yes"}', True), ('{"ok": "no"}', False),
        ('{"ok": 1}', None), ('{"ok": "perhaps"}', None), ("true", None), ("", None), ('{"ko": true}', None),
    ],
)  # fmt: skip
def test_a_yes_is_a_yes_and_all_else_is_nothing(text: str, told: bool | None) -> None:
    assert read_flag(text, "ok") is told


@given(st.text() | st.text(alphabet='{}[]",:\\ \nquery`'))
def test_no_answer_breaks_the_reader(text: str) -> None:
    words = read_text(text, "query")
    assert words is None or words.strip()
    read_object(text, "query")
    read_flag(text, "query")


@pytest.mark.slow
@given(st.recursive(st.none() | st.booleans() | st.text() | st.integers(), lambda inner: st.lists(inner)))
def test_valid_json_has_no_trailing_commas_to_lose(value: object) -> None:
    text = json.dumps(value, ensure_ascii=False)
    assert without_trailing_commas(text) == text


def test_an_endless_answer_is_read_to_a_bound_only() -> None:
    assert read_object(" " * 70_000 + '{"query": "late"}', "query") is None
    assert read_text("{" * 1_000_000, "query") is None
    assert read_text(", " * 500_000 + "}", "query") is not None  # read in linear time, and cut


CLEANED = {
    '"Do it."': "Do it.",
    "“Do it.”": "Do it.",
    "'Do it.'": "Do it.",
    "Query: Do it.": "Do it.",
    "**Message:** Do it.": "Do it.",
    'Here is the rewritten message: "Do it."': "Do it.",
    "User: “Do it.”": "Do it.",
    '"Use "lake" twice."': 'Use "lake" twice.',
    "“Use “lake” twice.”": "Use “lake” twice.",
    '"Lake" first, then "boat"': '"Lake" first, then "boat"',
    "“Lake” first, then “boat”": "“Lake” first, then “boat”",
    "End with “lake”": "End with “lake”",
    'Start with "lake"': 'Start with "lake"',
    "Here's the thing: do it.": "Here's the thing: do it.",
    "a\r\nb\tc": "a\nb c",
    '"': '"',
    '""': '""',
    "Message:": "Message:",
}


@pytest.mark.parametrize("text", list(CLEANED))
def test_labels_and_quotation_marks_round_the_whole_go_and_no_others(text: str) -> None:
    assert clean_query(text) == CLEANED[text]


@pytest.mark.parametrize(
    "char",
    ["\x00", "\x07", "\x1b", "\x7f", "\x9b", "\u202e", "\u2066", "\u2028", "\ufeff", "\ud800", "\ue000", "\u0378"],
)
def test_characters_that_steer_or_are_none_are_a_finding(char: str) -> None:
    (finding,) = form_findings(f"Do {char}it.", None)
    assert finding.checker == "form" and finding.spans == ((3, 4),)
    stored = storable(f"Do {char}it.")
    assert stored == "Do \ufffdit." and not form_findings(stored, None)


@pytest.mark.parametrize("text", ["👩‍🚀 ok", "Use 🥕 and 【】.", "two\nlines", "naïve — “so” …", "न्\u200dय", "①²½"])
def test_ordinary_writing_is_none(text: str) -> None:
    assert form_findings(text, None) == () and storable(text) == text


def test_length_is_bounded_and_an_answer_key_refused() -> None:
    witness = "K " + "word " * 20
    assert not form_findings("x" * 4000, witness)
    assert "4001" in form_findings("x" * 4001, witness)[0].message
    assert form_findings(f"Say: {witness.strip()}!", witness)
    assert not form_findings("Say K.", "K")
    assert form_findings(" \n", None)[0].message == "there are no words"
    assert len(storable("x" * 9000)) == 4000 and storable("\n") == "(no words)"


@given(st.text())
def test_whatever_is_stored_can_be_written_and_shown(text: str) -> None:
    stored = storable(text)
    assert stored.strip() and stored.encode("utf-8")
    assert not any(refused(char) or (unicodedata.category(char) == "Cc" and char != "\n") for char in stored)
    cleaned = clean_query(text)
    assert len(cleaned) <= len(text.replace("\r", "\r\r"))
