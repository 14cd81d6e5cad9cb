"""Evidence found again in the answer as it was received, and marked there."""

from __future__ import annotations

import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import evolif
from evolif.report.page.evidence import AnswerEvidence, breakable, evidence, marked, one_line, visible
from evolif.text import unhidden
from evolif.types import Span, Verdict


def found(answer: str, word: str, fmt: str | None = None, group: str = "forbidden") -> AnswerEvidence:
    """Where the checker's own verdict on a forbidden word points."""
    params = {"keywords": [word]}
    constraints: list[dict[str, Any]] = [{"group": group, "params": params}]
    if fmt:
        constraints.append({"group": "format", "params": {"mode": fmt}})
    verdict = evolif.check(constraints, answer)[0]
    assert verdict.satisfied is False and verdict.spans
    return evidence(answer, fmt, [verdict])


@pytest.mark.parametrize(
    ("answer", "shown"),
    [
        ("The tea is hot.", ["tea"]),
        ("   \n\n The tea, and tea again.  ", ["tea", "tea"]),
        ("<think>tea? no tea.</think>\n\nThe tea is hot.", ["tea"]),
        ("<think>tea</think>\r\n\r\nThe\r\ntea\r\nis hot.", ["tea"]),
        ("```text\nThe tea is hot.\n```", ["tea"]),
        ("```\n\n   tea   \n```\n", ["tea"]),
        ("~~~md\ntea ~~~\n~~~", ["tea"]),
        ("A **bold tea** and a `tea`.", ["tea", "tea"]),
        ("# Tea\n\n- one tea\n- two", ["Tea", "tea"]),
        ("\ufeffCafe\u0301 \u200band\u200b tea\u200b.", ["tea"]),
        ("e\u0301e\u0301e\u0301 tea e\u0301 tea", ["tea", "tea"]),
        ("👩\u200d👩\u200d👧 tea 🇩🇪 tea", ["tea", "tea"]),
        ("line\u2029tea\u2028tea\x0btea", ["tea", "tea", "tea"]),
        ("한국어 각 tea", ["tea"]),
    ],
)
def test_the_place_in_the_answer_as_received(answer: str, shown: list[str]) -> None:
    places = found(answer, "tea")
    assert [answer[start:end] for start, end, _ in places.answer] == shown
    # Never the thought, nor a fence's line.
    assert all(start >= answer.rfind("</think>") for start, _, _ in places.answer)
    assert not places.content


def test_a_word_split_by_something_invisible_is_shown_whole() -> None:
    answer = "The t\u200be\xada is hot."
    [(start, end, _)] = found(answer, "tea").answer
    assert answer[start:end] == "t\u200be\xada"


def test_a_composed_character_is_shown_with_its_parts() -> None:
    answer = "Un cafe\u0301, please."
    [(start, end, _)] = found(answer, "café").answer
    assert answer[start:end] == "cafe\u0301"


@pytest.mark.parametrize(
    ("answer", "fmt"),
    [
        ("<!DOCTYPE html><html><head><title>x</title></head><body><p>The <b>te</b>a is hot.</p></body></html>", "html"),
        ("<a><b>The tea</b><c>is hot</c></a>", "xml"),
        ('{"a": "The \\u0074ea is \\"hot\\""}', "json"),
    ],
)
def test_what_has_no_place_in_the_answer_is_shown_in_the_content(answer: str, fmt: str) -> None:
    places = found(answer, "tea", fmt)
    assert [places.content[start:end] for start, end, _ in places.in_content] == ["tea"]


def test_plain_json_has_its_places_in_the_answer() -> None:
    answer = '{"a": "The tea is hot"}'
    places = found(answer, "tea", "json")
    assert [answer[start:end] for start, end, _ in places.answer] == ["tea"] and not places.content


def test_sentences_have_places_over_markup_and_blocks() -> None:
    answer = "One **bold** thing. Two things.\n\n- an item."
    [verdict] = evolif.check(
        [{"group": "length", "params": {"unit": "sentences", "relation": "exactly", "count": 9}}], answer
    )
    places = evidence(answer, None, [verdict])
    assert [answer[s:e] for s, e, _ in places.answer] == ["One **bold** thing.", "Two things.", "an item."]


def test_spans_of_another_hand_that_lie_outside_are_left_out() -> None:
    spans = (Span(-3, 2), Span(-3, 2, "body"), Span(5, 5), Span(4, 10**12), Span(10**12, 10**13, "body"), Span(7, 3))
    for answer in ("", "abc", "The tea\u0301 \u200bis hot, but not too hot."):
        places = evidence(answer, None, [Verdict("x", False, "", "", spans)])
        assert all(0 <= s < e <= len(answer) for s, e, _ in places.answer)
        assert all(0 <= s < e <= len(places.content) for s, e, _ in places.in_content)


HIDDEN = re.compile(r'<span class="hid" title="[a-z0-9 ()-]+">U\+([0-9A-F]{4,6})</span>')
MARK = re.compile(r'<mark(?: class="bad")? data-v="([\d ]+)">(.*?)</mark>', re.DOTALL)
ENTITIES = {"&lt;": "<", "&gt;": ">", "&#34;": '"', "&#39;": "'", "&amp;": "&"}


def text_of(markup: str) -> str:
    """What was said, out of its HTML."""
    pieces = re.split(r"(<[^>]*>)", HIDDEN.sub(lambda m: f"<U{m[1]}>", markup))
    told = (chr(int(piece[2:-1], 16)) if piece.startswith("<U") else "" if piece.startswith("<") else
            re.sub("|".join(ENTITIES), lambda m: ENTITIES[m[0]], piece) for piece in pieces)  # fmt: skip
    return "".join(told).replace("\r\n", "\n")


@given(st.text(), st.data())
def test_marks_change_no_text(text: str, data: st.DataObject) -> None:
    ends = st.integers(0, len(text))
    pairs = data.draw(st.lists(st.tuples(ends, ends, st.integers(0, 3)), max_size=8))
    places = sorted({(min(a, b), max(a, b), i) for a, b, i in pairs if a != b})
    out = str(marked(text, places, frozenset({1})))
    assert text_of(out) == text.replace("\r\n", "\n")
    for verdict in range(4):
        covered = {at for start, end, index in places if index == verdict for at in range(start, end)}
        shown = "".join(text_of(piece[1]) for piece in MARK.findall(out) if str(verdict) in piece[0].split())
        assert shown.replace("\r", "") == "".join(text[at] for at in sorted(covered)).replace("\r", "")


def test_overlapping_evidence_is_told_apart() -> None:
    out = str(marked("abcdef", [(0, 4, 0), (2, 6, 1), (3, 4, 2)], frozenset({1})))
    assert out == (
        '<mark data-v="0">ab</mark><mark class="bad" data-v="0 1">c</mark>'
        '<mark class="bad" data-v="0 1 2">d</mark><mark class="bad" data-v="1">ef</mark>'
    )


@given(st.text())
def test_nothing_that_hides_or_opens_markup_gets_through(text: str) -> None:
    shown = HIDDEN.sub("", str(visible(text)))
    assert not set(shown) & set("<>\"'")
    shown.encode()
    assert not re.search(
        "[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\u200b\ufeff\U000e0000-\U000e007f]", shown
    )
    unhidden(text).encode()
    assert "\n" not in one_line(text)


def test_names_break_after_a_slash_and_markup_does_not() -> None:
    shown = str(breakable(visible("openai/gpt<b>/\u202ex</b>")))
    assert shown.startswith("openai/<wbr>gpt&lt;b&gt;/<wbr><span") and shown.count("<wbr>") == 3
    assert "</span>" in shown and "<b>" not in shown


@pytest.mark.parametrize(
    ("text", "mark"),
    [
        ("\u202e", "U+202E"),
        ("\x1b", "U+001B"),
        ("\x00", "U+0000"),
        ("\U000e0041", "U+E0041"),
        ("\ud800", "U+D800"),
        ("\xad", "U+00AD"),
    ],
)
def test_each_is_named(text: str, mark: str) -> None:
    assert f">{mark}</span>" in visible(text)
    assert f"\\x{ord(text):02x}" == unhidden(text)


def test_joiners_of_emoji_and_scripts_stay() -> None:
    for text in ("👩\u200d👧", "می\u200cخواهم", "שלום", "❤\ufe0f"):
        assert visible(text) == text
