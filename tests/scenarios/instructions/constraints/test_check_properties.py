"""What never changes a verdict, and counts that agree with slow counting."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evolif.scenarios.instructions.constraints import check

CONSTRAINTS = [
    {"group": "start_with", "params": {"mode": "letter", "value": "a"}},
    {"group": "start_with", "params": {"mode": "quotation", "left": "(", "right": ")"}},
    {"group": "end_with", "params": {"mode": "keyword", "value": "café"}},
    {"group": "end_with", "params": {"mode": "emoji", "value": "👍"}},
    {"group": "bullets", "params": {"count": 2}},
    {"group": "length", "params": {"unit": "words", "relation": "more_than", "count": 4}},
    {"group": "length", "params": {"unit": "sentences", "relation": "exactly", "count": 2}},
    {"group": "length", "params": {"unit": "paragraphs", "relation": "exactly", "count": 2}},
    {"group": "length", "params": {"unit": "characters", "relation": "less_than", "count": 20}},
    {"group": "existence", "params": {"counts": {"café": 1}}},
    {"group": "forbidden", "params": {"keywords": ["a b"]}},
    {"group": "case", "params": {"mode": "all_lower"}},
    {"group": "case", "params": {"mode": "share", "percent": 20}},
    {"group": "punctuation", "params": {"mode": "include", "mark": "；"}},
    {"group": "punctuation", "params": {"mode": "exclude", "mark": "."}},
]
FORMATS = [None, "json", "xml", "html", "csv", "markdown"]
PIECES = [
    "a",
    "b ",
    "café",
    "Ünï",
    ". ",
    "！",
    "\n",
    "\n\n",
    "- ",
    "# ",
    "(",
    ")",
    "👍",
    "；",
    "`x`",
    "**",
    "<p>",
    "</p>",
    ",",
]
ANSWERS = st.lists(st.sampled_from(PIECES), min_size=1, max_size=16).map("".join)  # fmt: skip


def verdicts(text, fmt=None):
    asked = [*CONSTRAINTS, {"group": "format", "params": {"mode": fmt}}] if fmt else CONSTRAINTS
    return [(v.group, v.satisfied, v.found) for v in check(asked, text)]


@pytest.mark.sampled
@pytest.mark.parametrize("fmt", FORMATS)
@given(text=ANSWERS)
def test_composition_does_not_matter(fmt, text):
    assert verdicts(unicodedata.normalize("NFD", text), fmt) == verdicts(unicodedata.normalize("NFC", text), fmt)


@pytest.mark.sampled
@pytest.mark.parametrize("fmt", FORMATS)
@given(text=ANSWERS)
def test_line_ends_do_not_matter(fmt, text):
    assert verdicts(text.replace("\n", "\r\n"), fmt) == verdicts(text, fmt)


@pytest.mark.parametrize("fmt", FORMATS)
@given(
    text=ANSWERS,
    before=st.sampled_from(["", " ", "\n\n", "\ufeff", "\u00a0"]),
    after=st.sampled_from(["", "\n", " \t"]),
)
def test_surrounding_white_space_does_not_matter(fmt, text, before, after):
    assert verdicts(before + text + after, fmt) == verdicts(text, fmt)


@given(text=ANSWERS.filter(lambda text: "`" not in text and text.strip()))
def test_an_outer_fence_does_not_matter(text):
    assert verdicts(f"```text\n{text}\n```") == verdicts(text)


@given(text=ANSWERS)
def test_a_leading_thought_does_not_matter(text):
    assert verdicts(f"<think>(a) café 👍</think>\n{text}") == verdicts(text)


@given(text=ANSWERS, at=st.integers(0, 40), mark=st.sampled_from("\u200b\u2060\u00ad\ufeff"))
def test_invisible_characters_do_not_matter(text, at, mark):
    assert verdicts(text[:at] + mark + text[at:]) == verdicts(text)


@given(st.lists(st.sampled_from(["kyoto", "KYOTO", "tokyo", "nara"]), min_size=1, max_size=12), st.integers(0, 5))
def test_occurrences_are_counted_word_by_word(words, count):
    verdict = check([{"group": "existence", "params": {"counts": {"kyoto": count}}}], " ".join(words))[0]
    assert verdict.satisfied is (sum(word.lower() == "kyoto" for word in words) == count)


@given(st.text(alphabet="abcXYZ ÄöЖж", min_size=1, max_size=30), st.integers(0, 100))
def test_shares_are_counted_letter_by_letter(text, percent):
    upper, lower = sum(c.isupper() for c in text), sum(c.islower() for c in text)
    expected = upper + lower > 0 and abs(100 * upper / (upper + lower) - percent) <= 3 + 1e-9
    assert check([{"group": "case", "params": {"mode": "share", "percent": percent}}], text)[0].satisfied is expected


@given(st.lists(st.sampled_from("-*+•"), max_size=9), st.integers(0, 9))
def test_bullets_are_counted_line_by_line(marks, count):
    text = "Intro\n\n" + "\n".join(f"{mark} item" for mark in marks)
    assert check([{"group": "bullets", "params": {"count": count}}], text)[0].satisfied is (len(marks) == count)
