"""The summary of a round by rules: what the user said, and how the reply begins."""

from __future__ import annotations

import re

from evolif.text import sentences

MOST_QUERY_WORDS = 40
"""Of the user's text."""
MOST_REPLY_WORDS = 25
"""Of the first sentence of the reply."""
_LONGEST = 16_384
"""Characters of a text that are read: far more than a summary can hold."""
_FACT = re.compile(r"\d|[\"“”„«»]")
_CAPITALISED = re.compile(r"\b[^\W\d_][\w'’-]*")
_I = re.compile(r"I(?:['’]\w+)?")


def summary_by_rules(query: str, reply: str) -> str:
    """Summarise a round in one line, without a model.

    The user's text stays as it is up to 40 words. A longer one keeps its sentences that hold a digit, a quotation or a
    name, or all if none does, and is cut to 40 words. Then comes the first sentence of the reply, cut to 25 words.

    Args:
        query: The user's text.
        reply: What was heard of the answer.

    Returns:
        Words parted by single spaces; empty if both texts are.
    """
    said, answered = _one_line(query), _one_line(reply)
    if len(said.split()) > MOST_QUERY_WORDS:
        whole = _sentences(said)
        said = " ".join([sentence for sentence in whole if _holds_a_fact(sentence)] or whole)
    first = next(iter(_sentences(answered)), answered)
    return " ".join([*said.split()[:MOST_QUERY_WORDS], *first.split()[:MOST_REPLY_WORDS]])


def _one_line(text: str) -> str:
    return " ".join(text[:_LONGEST].split())


def _sentences(text: str) -> list[str]:
    return [text[start:end].strip() for start, end in sentences(text)]


def _holds_a_fact(sentence: str) -> bool:
    return bool(_FACT.search(sentence)) or _holds_a_name(sentence)


def _holds_a_name(sentence: str) -> bool:
    """Whether a word after the first is capitalised; the pronoun “I” is no name."""
    words = [match[0] for match in _CAPITALISED.finditer(sentence)]
    return any(word[0].isupper() and not _I.fullmatch(word) for word in words[1:])
