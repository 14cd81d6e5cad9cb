"""Characters, words and keywords: the reading rules that work on plain text.

`normalise` is rule 1, `words` rule 5, `find_all` rule 6 on texts prepared by `fold`, `count_graphemes` rule 9.
"""

from __future__ import annotations

import re
import unicodedata

import regex

from evolif.text.editions import FIRST_RULES, READING_RULES_VERSION

_ALNUM = re.compile(r"[^\W_]")
_DOTS = re.compile(r"\.{3,}")
_EN_DASH = re.compile(r"(?<=[^\W\d_])–(?=[^\W\d_])")
_CJK = regex.compile(r"[\p{Han}\p{Hiragana}\p{Katakana}ー]")

_CLUSTER = regex.compile(r"\X")
# Flags are pairs; a long row of them is slow to split, since every pair depends on all before it.
_FLAG = re.compile("[\U0001f1e6-\U0001f1ff]{2}")
_SELECTORS = dict.fromkeys((0xFE0E, 0xFE0F))

_PLAIN = str.maketrans({"’": "'", "‘": "'", "ʼ": "'", "＇": "'", "‐": "-", "‑": "-", "İ": "i"})
# White space, except for the gap between CSV cells (U+001F): no keyword reaches across it.
_SPACE = re.compile(r"[^\S\x1f]+")
_JOINING = regex.compile(r"[\p{L}\p{M}\p{N}]")
_UNSPACED = regex.compile(r"[\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}ー]")

# Line ends of every kind become LF; U+2029 separates paragraphs, so it becomes a blank line.
_TABLE: dict[int, str | None] = {
    **dict.fromkeys(map(ord, "\r\u2028\x85\v\f"), "\n"),
    ord("\u2029"): "\n\n",
    **dict.fromkeys(map(ord, "\ufeff\u200b\u2060\u00ad"), None),
    # The parsers use these two control characters as marks, so texts must not hold them.
    0x01: "\x02",
    0x1F: "\x02",
}
_SPECIAL = re.compile("[\r\u2028\x85\v\f\u2029\ufeff\u200b\u2060\u00ad\x01\x1f\ud800-\udfff]")
_SURROGATE = re.compile("[\ud800-\udfff]")
_THINK = re.compile(r"[\s\ufeff\u200b]*<think(?:ing)?>", re.IGNORECASE)
_THINK_END = re.compile(r"</think(?:ing)?>", re.IGNORECASE)


def clean(text: str) -> str:
    """Normalise to NFC, unify line ends, remove invisible characters; no stripping."""
    if _SPECIAL.search(text):
        text = _SURROGATE.sub("\ufffd", text.replace("\r\n", "\n")).translate(_TABLE)
    return text if text.isascii() else unicodedata.normalize("NFC", text)


def strip_reasoning(text: str) -> tuple[str, str]:
    """Split a leading `<think>…</think>` off; returns (answer, reasoning).

    An unclosed block means that there is no answer.
    """
    opening = _THINK.match(text)
    if opening is None:
        return text, ""
    closing = _THINK_END.search(text, opening.end())
    if closing is None:
        return "", text[opening.end() :]
    return text[closing.end() :], text[opening.end() : closing.start()]


def normalise(text: str) -> str:
    """Rule 1 in full: no reasoning, NFC, LF line ends, nothing invisible, no surrounding white space."""
    return clean(strip_reasoning(text)[0]).strip()


def words(text: str) -> list[str]:
    """The words of `text`, as written."""
    if "..." in text:
        text = _DOTS.sub(" ", text)
    if not text.isascii():
        text = text.replace("—", " ").replace("…", " ")
        if "–" in text:
            text = _EN_DASH.sub(" ", text)
        text = _CJK.sub(r" \g<0> ", text)
    return [token for token in text.split() if token[0].isalnum() or _ALNUM.search(token)]


def count_words(text: str) -> int:
    """How many words `text` has."""
    return len(words(text))


def count_graphemes(text: str) -> int:
    """How many characters a reader sees; line ends are already single."""
    return len(text) if text.isascii() else len(_CLUSTER.findall(_FLAG.sub("x", text)))


def first_grapheme(text: str, offset: int = 0) -> str:
    """The grapheme cluster that starts at `offset`."""
    match = _CLUSTER.match(text, offset)
    return match.group() if match else ""


def last_grapheme(text: str, end: int) -> str:
    """The grapheme cluster that ends at `end`."""
    # A cluster is rarely long; a window keeps this independent of the text's length.
    window = text[max(0, end - 64) : end]
    clusters: list[str] = _CLUSTER.findall(window)
    return clusters[-1] if clusters else ""


def without_selectors(grapheme: str) -> str:
    """The grapheme without variation selectors."""
    return grapheme.translate(_SELECTORS)


def fold(text: str) -> str:
    """Casefold, with typographic apostrophes, hyphens and white space made plain."""
    if text.isascii():
        odd = "\n" in text or "  " in text or "\t" in text or "\r" in text
        return (_SPACE.sub(" ", text) if odd else text).lower()
    folded = text.translate(_PLAIN).casefold()
    return _SPACE.sub(" ", unicodedata.normalize("NFC", folded))


def fold_offsets(text: str) -> list[int]:
    """Where each character of the folded text stands in `text`; empty if folding composed characters."""
    offsets: list[int] = []
    made: list[str] = []
    for at, char in enumerate(text):
        if char != "\x1f" and char.isspace():
            if made and made[-1] == " ":
                continue
            made.append(" ")
        else:
            made.append(char.translate(_PLAIN).casefold())
        offsets += [at] * len(made[-1])
    return offsets if "".join(made) == fold(text) else []


def _joined(inner: str, text: str, at: int, step: int) -> bool:
    """Whether the character of `text` at `at` continues the word whose outermost character is `inner`."""
    while 0 <= at < len(text) and text[at] == "_":
        at += step  # an underscore joins only between letters or digits: look past it
    if not 0 <= at < len(text):
        return False
    outer = text[at]
    if outer.isascii():
        return outer.isalnum()
    return bool(_JOINING.match(outer)) and not (_UNSPACED.match(inner) and _UNSPACED.match(outer))


def find_all(folded: str, keyword: str, rules: int = READING_RULES_VERSION) -> list[tuple[int, int]]:
    """Occurrences of a folded keyword in a folded block, as ranges; they do not overlap.

    Args:
        folded: The text, as `fold` makes it.
        keyword: The keyword, as `fold` makes it.
        rules: The edition: since 2, a keyword that begins or ends in a sign is bounded by it (`(KAI)Yes`, `AI:yes`).
    """
    first = _bound(keyword[0], rules)
    last = _bound(keyword[-1], rules)
    found = []
    at = folded.find(keyword)
    while at >= 0:
        end = at + len(keyword)
        if (first and _joined(keyword[0], folded, at - 1, -1)) or (last and _joined(keyword[-1], folded, end, 1)):
            at = folded.find(keyword, at + 1)
        else:
            found.append((at, end))
            at = folded.find(keyword, end)
    return found


def _bound(outermost: str, rules: int) -> bool:
    """Whether no letter, mark or digit may stand next to a keyword's outermost character."""
    return rules == FIRST_RULES or outermost.isalnum() or bool(_JOINING.match(outermost))
