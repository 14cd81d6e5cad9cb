"""Rules 5, 6 and 9: words, keyword occurrences, characters."""

import pytest
import regex
from hypothesis import given
from hypothesis import strategies as st

from evolif.text import Reading, count_graphemes, count_words, find_all, fold, words

WORDS = [
    ("a contraction is one word", "I don't", 2),
    ("a typographic apostrophe is no separator", "I don’t", 2),
    ("a hyphen is no separator", "a well-known fact", 3),
    ("numbers are one word each", "3.14 and 1,000", 3),
    ("an abbreviation is one word", "the U.S. army", 3),
    ("a date is one word", "2024-01-05", 1),
    ("an address is one word", "write a@b.org", 2),
    ("a web address is one word", "see https://a.b/c?d=e-f", 2),
    ("an em dash separates", "word—word", 2),
    ("an ellipsis separates", "well…then", 2),
    ("three dots separate", "well...then", 2),
    ("four dots separate", "well....then", 2),
    ("two dots do not", "well..then", 1),
    ("an en dash separates letters", "Paris–London", 2),
    ("an en dash between digits does not", "1990–2000", 1),
    ("an en dash between a digit and a letter does not", "2019–now", 1),
    ("a slash is no separator", "and/or", 1),
    ("a lone dash is no word", "a - b – c — d", 4),
    ("a lone sign is no word", "a & b + c", 3),
    ("an emoji is no word", "hi 👋 there", 2),
    ("an underscore alone is no word", "a _ b", 2),
    ("a number with a sign is a word", "costs $5", 2),
    ("every Han character is a word", "我喜欢", 3),
    ("every Kana character is a word", "カメラ", 3),
    ("Han beside Latin: both count", "用Python写", 3),
    ("Hangul goes by white space", "안녕 세계", 2),
    ("full-width punctuation is no word", "你好。", 2),
    ("a no-break space separates", "a\u00a0b", 2),
    ("an ideographic space separates", "a\u3000b", 2),
    ("decomposed accents are one word", "cafe\u0301", 1),
    ("a list's numbers are no words", "1. one\n2. two", 2),
    ("headings and code are counted", "# One\n\n```py\ntwo three\n```", 3),
    ("link targets are not", "[one](http://a.b/two-three)", 1),
    ("mark-up inside a word does not part it", "un**believ**able", 1),
]


@pytest.mark.parametrize(("rule", "text", "count"), WORDS, ids=[row[0] for row in WORDS])
def test_words(rule, text, count):
    assert Reading(text).words == count


def test_words_are_as_written():
    assert words("Well—it's 3.14… 好") == ["Well", "it's", "3.14", "好"]


OCCURRENCES = [
    ("case is ignored", "Kyoto KYOTO kyoto", "kyoto", 3),
    ("a plural is no occurrence", "budgets", "budget", 0),
    ("a prefix is no occurrence", "applesauce", "apple", 0),
    ("the end of a word is no occurrence", "smart form", "art form", 0),
    ("a possessive holds one", "Budget's end", "budget", 1),
    ("a typographic possessive holds one", "Budget’s end", "budget", 1),
    ("a hyphenated compound holds one", "low-budget film", "budget", 1),
    ("a word of a phrase holds one", "art history", "art", 1),
    ("apostrophes are compared plainly", "ten o’clock", "o'clock", 1),
    ("hyphens are compared plainly", "low‑budget", "low-budget", 1),
    ("white-space runs are one space", "art \t  form", "art form", 1),
    ("a no-break space is a space", "art\u00a0form", "art form", 1),
    ("a line break is a space", "art\nform", "art form", 1),
    ("not over blocks", "art\n\nform", "art form", 0),
    ("not over list items", "- art\n- form", "art form", 0),
    ("mark-up inside does not matter", "**art** form", "art form", 1),
    ("a digit joins", "5 feet, 15 feet", "5 feet", 1),
    ("a digit after joins", "covid19", "covid", 0),
    ("an underscore joins letters", "state_of_art", "art", 0),
    ("an underscore alone does not join", "\\_art\\_", "art", 1),
    ("a combining mark joins", "cafe\u0323\u0301", "cafe", 0),
    ("decomposed text holds composed keywords", "cafe\u0301", "café", 1),
    ("sharp s is folded", "STRASSE", "straße", 1),
    ("dotted capital I is i", "İstanbul", "istanbul", 1),
    ("Han needs no boundary", "我爱北京烤鸭", "北京", 1),
    ("Han beside a letter joins", "a北京", "北京", 0),
    ("Thai needs no boundary", "ฉันรักไทยมาก", "ไทย", 1),
    ("occurrences do not overlap", "tip tip tip", "tip tip", 1),
    ("link targets hold none", "[x](http://a/kyoto)", "kyoto", 0),
    ("alt texts hold some", "![kyoto](a.png)", "kyoto", 1),
    ("code holds some", "`kyoto`", "kyoto", 1),
    ("comments hold none", "a <!-- kyoto -->", "kyoto", 0),
    ("a web address holds some", "kyoto.org and www.kyoto.jp", "kyoto", 2),
]


@pytest.mark.parametrize(("rule", "text", "keyword", "count"), OCCURRENCES, ids=[row[0] for row in OCCURRENCES])
def test_occurrences(rule, text, keyword, count):
    assert len(Reading(text).occurrences(keyword)) == count


def slow_occurrences(text, keyword):
    """The rule written as one pattern, for Latin letters."""
    pattern = r"(?<![\p{L}\p{M}\p{N}]_*)" + regex.escape(keyword) + r"(?!_*[\p{L}\p{M}\p{N}])"
    return [match.span() for match in regex.finditer(pattern, text)]


@given(st.text(alphabet="ab_ -'1", max_size=40), st.sampled_from(["a", "ab", "a b", "a-b", "b1"]))
def test_occurrences_agree_with_one_slow_pattern(text, keyword):
    assert find_all(fold(text), keyword) == slow_occurrences(fold(text), keyword)


CHARACTERS = [
    ("spaces and line breaks count", "a b\nc", 5),
    ("a line end is one character", "a\r\nb", 3),
    ("a combining sequence is one", "e\u0301\u0323", 1),
    ("a family is one", "👨‍👩‍👧", 1),
    ("a flag is one", "🇩🇪🇫🇷", 2),
    ("half a flag is one", "🇩🇪🇫", 2),
    ("a flag with a joiner is one", "🇩🇪\u200d", 1),
    ("a skin tone is part of its emoji", "👍🏽", 1),
    ("a Hangul syllable of parts is one", "\u1112\u1161\u11ab", 1),
    ("mark-up counts", "**a**", 5),
]


@pytest.mark.parametrize(("rule", "text", "count"), CHARACTERS, ids=[row[0] for row in CHARACTERS])
def test_characters(rule, text, count):
    assert Reading(text).characters == count


@given(st.text(alphabet="a🇩🇪\u200d\u0301👍🏽", max_size=30))
def test_flags_in_pairs_count_as_clusters_do(text):
    assert count_graphemes(text) == len(regex.findall(r"\X", text))


@given(st.text(max_size=60))
def test_counting_words_is_counting_the_words(text):
    assert count_words(text) == len(words(text))
