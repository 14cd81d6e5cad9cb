"""The summary of a round by rules: what the user said, and how the reply begins."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

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
    return bool(_FACT.search(sentence)) or any(True for _ in _names(sentence))


def capitalised(text: str) -> Iterator[tuple[int, str]]:
    """The names in a text: runs of capitalised words, none of them the first of a sentence; “I” is no name.

    Args:
        text: Any; time grows with its length only.

    Returns:
        The position and the words of each, in order.
    """
    for start, end in sentences(text):
        run: list[re.Match[str]] = []
        for match in _names(text[start:end]):
            if run and text[start + run[-1].end() : start + match.start()] != " ":
                yield start + run[0].start(), text[start + run[0].start() : start + run[-1].end()]
                run = []
            run.append(match)
        if run:
            yield start + run[0].start(), text[start + run[0].start() : start + run[-1].end()]


def _names(sentence: str) -> Iterator[re.Match[str]]:
    """The capitalised words after the first."""
    words = islice(_CAPITALISED.finditer(sentence), 1, None)
    return (match for match in words if match[0][0].isupper() and not _I.fullmatch(match[0]))
