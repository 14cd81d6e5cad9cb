"""Rules 1 and 2: one text whatever bytes arrive, and the body inside one enclosing fence."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evolif.text import Reading, normalise

NORMALISED = [
    ("accents are composed (NFC)", "Cafe\u0301", "Café"),
    ("CRLF becomes LF", "a\r\nb", "a\nb"),
    ("a lone CR becomes LF", "a\rb", "a\nb"),
    ("a line separator becomes LF", "a\u2028b", "a\nb"),
    ("a paragraph separator becomes a blank line", "a\u2029b", "a\n\nb"),
    ("next line, vertical tab and form feed become LF", "a\x85b\vc\fd", "a\nb\nc\nd"),
    ("byte order mark, zero-width space, word joiner and soft hyphen go", "\ufeffa\u200bb\u2060c\u00add", "abcd"),
    ("surrounding white space of any kind goes", "\u3000\u00a0 a \n\t", "a"),
    ("white space inside stays", "a  b", "a  b"),
    ("a lone surrogate is replaced", "a\ud800b", "a\ufffdb"),
    ("a leading thought goes", "<think>x</think>\n\nHello", "Hello"),
    ("a leading thought goes whatever its case", "<THINK>x</THINK>Hello", "Hello"),
    ("a thought after a byte order mark still leads", "\ufeff<think>x</think>Hello", "Hello"),
    ("a thought that never ends leaves no answer", "<think>Hello", ""),
    ("a thought in the middle is text", "Hello <think>x</think>", "Hello <think>x</think>"),
]


@pytest.mark.parametrize(("rule", "text", "expected"), NORMALISED, ids=[row[0] for row in NORMALISED])
def test_normalise(rule, text, expected):
    assert normalise(text) == expected


JSON = '{"a": 1}'
UNWRAPPED = [
    ("a fence without info unwraps where nothing is asked for", "```\nHello\n```", None, "Hello"),
    ("text, plain, md and markdown unwrap", "```text\nHello\n```", None, "Hello"),
    ("the first word of the info string decides", "```markdown title=x\nHello\n```", None, "Hello"),
    ("a tilde fence is a fence", "~~~\nHello\n~~~", None, "Hello"),
    ("another language is a code block of the answer", "```python\nx\n```", None, "```python\nx\n```"),
    ("the format's name unwraps", f"```json\n{JSON}\n```", "json", JSON),
    ("case of the name is ignored", f"```JSON\n{JSON}\n```", "json", JSON),
    ("an empty name unwraps for a format", f"```\n{JSON}\n```", "json", JSON),
    ("another format's name does not", f"```xml\n{JSON}\n```", "json", f"```xml\n{JSON}\n```"),
    ("text does not unwrap for a format", f"```text\n{JSON}\n```", "json", f"```text\n{JSON}\n```"),
    ("only md or markdown unwraps for Markdown", "```md\n# T\n```", "markdown", "# T"),
    ("an empty fence is a code block of a Markdown answer", "```\n# T\n```", "markdown", "```\n# T\n```"),
    ("text before the fence: no unwrapping", "Here:\n```\nHello\n```", None, "Here:\n```\nHello\n```"),
    ("text after the fence: no unwrapping", "```\nHello\n```\nBye", None, "```\nHello\n```\nBye"),
    ("a shorter fence does not close", "````\na\n```\nb\n````", None, "a\n```\nb"),
    ("a longer fence closes", "```\na\n`````", None, "a"),
    ("another mark does not close", "```\na\n~~~\nb\n```", None, "a\n~~~\nb"),
    ("the first closing fence closes", "```\na\n```\nb\n```", None, "```\na\n```\nb\n```"),
    ("the end of the text closes", "```json\n" + JSON, "json", JSON),
    ("a Markdown fence that is never closed stays", "```md\n# T", "markdown", "```md\n# T"),
    ("a backtick in the info string opens no fence", "```a`b\nx\n```", None, "```a`b\nx\n```"),
]


@pytest.mark.parametrize(("rule", "text", "fmt", "body"), UNWRAPPED, ids=[row[0] for row in UNWRAPPED])
def test_body(rule, text, fmt, body):
    assert Reading(text, fmt).body == body


@pytest.mark.parametrize("text", ["", " \n\t", "\u200b", "<think>x</think> ", "```\n```"])
def test_an_empty_body_is_unreadable(text):
    assert Reading(text).unreadable == "the answer is empty"


def test_the_size_counts_bytes():
    assert not Reading("é" * 32768).unreadable
    assert Reading("é" * 32769).unreadable == "the answer is longer than 64 KiB"


def test_the_size_limit_is_a_setting():
    assert Reading("a" * 2049, max_bytes=2048).unreadable == "the answer is longer than 2 KiB"


@given(st.text(max_size=80))
def test_composition_does_not_matter(text):
    assert normalise(unicodedata.normalize("NFD", text)) == normalise(unicodedata.normalize("NFC", text))


@given(st.text(alphabet=st.characters(exclude_characters="<`~", exclude_categories=["Cs"]), max_size=80))
def test_normalising_twice_changes_nothing(text):
    assert normalise(normalise(text)) == normalise(text)
