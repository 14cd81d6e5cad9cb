"""Counts agree with an independent, slow, character-by-character implementation."""

import unicodedata

from hypothesis import given
from hypothesis import strategies as st

from evolif.text import Reading

LETTERS = st.sampled_from(
    list("abcXYZéß0189") + list("漢字かな") + ["’", "'", "-", "_", "–", "—", "…", ".", "...", ",", "(", ")"]
)
TEXTS = st.lists(st.one_of(LETTERS, st.sampled_from([" ", "  ", " ", "\t"])), max_size=40).map("".join)
LINES = st.lists(st.sampled_from(["", " ", "harbour", "two words", "Ends here.", "ÄÖ; ü"]), max_size=12).map("\n".join)


def alnum(char):
    return unicodedata.category(char)[0] in "LN"


def cjk(char):
    return unicodedata.name(char, "").startswith(("CJK UNIFIED", "HIRAGANA", "KATAKANA"))


def separates(text, at):
    char = text[at]
    if char.isspace() or char in "—…":
        return True
    if char == "–":
        around = text[at - 1 : at] + text[at + 1 : at + 2]
        return len(around) == 2 and all(unicodedata.category(c)[0] == "L" for c in around)
    if char == ".":
        start = at
        while start and text[start - 1] == ".":
            start -= 1
        return len(text) - len(text[:start]) >= 3 and text[start : start + 3] == "..."
    return False


def slow_words(text):
    count, inside = 0, False
    for at, char in enumerate(text):
        if cjk(char):
            count, inside = count + 1, False
        elif separates(text, at):
            inside = False
        elif alnum(char) and not inside:
            count, inside = count + 1, True
    return count


@given(TEXTS)
def test_words(text):
    from evolif.text import count_words

    assert count_words(text) == slow_words(text)


@given(LINES)
def test_paragraphs_and_words_of_plain_text(text):
    groups, inside = 0, False
    for line in text.strip().split("\n"):
        filled = bool(line.strip())
        groups += filled and not inside
        inside = filled
    reading = Reading(text)
    if reading.body:
        assert reading.paragraphs == groups
        assert reading.words == slow_words(text)


@given(st.text(st.sampled_from("abc éü\u0301\u0308"), max_size=30))
def test_characters_are_bases_with_their_marks(text):
    reading = Reading("x" + text + "x")
    bases = [c for c in unicodedata.normalize("NFD", reading.body) if not unicodedata.combining(c)]
    assert reading.characters == len(bases)
