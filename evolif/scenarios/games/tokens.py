"""Tokenizers that count what players say, and texts cut to a number of tokens.

All models are counted by the same tokenizer, which needs no network, so that a budget is worth the same to each of
them. Results name their tokenizer; results with different ones are not compared.
"""

from __future__ import annotations

import re
from hashlib import sha256
from typing import Protocol

from evolif.contexts.tokens import token_spans, tokenizer_name
from evolif.errors import ArgumentError, UsageError
from evolif.scenarios.games.arguments import text_of, whole

Span = tuple[int, int]
"""Where a token starts and ends, in characters of its text."""
WORDS_AND_MARKS = r"\w+|[^\w\s]"
"""The usual pattern of a `RegexTokenizer`: each word and each mark is a token, white space is none."""


class Tokenizer(Protocol):
    """What counts the tokens of a text."""

    @property
    def name(self) -> str:
        """Its name; two tokenizers of one name give the same tokens."""

    def spans(self, text: str) -> list[Span]:
        """Where each token of a text is, in order; several may share one character."""


class RegexTokenizer:
    """Makes each match of a regular expression a token; an empty match is none.

    Args:
        pattern: Of Python's `re`. It is trusted: a slow one makes long texts slow.

    Attributes:
        name: `regex-` and 16 hex digits of the pattern's SHA-256.

    Raises:
        ArgumentError: it is no regular expression.
    """

    def __init__(self, pattern: str = WORDS_AND_MARKS) -> None:
        try:
            self._pattern = re.compile(text_of(pattern))
        except re.error as fault:
            raise ArgumentError(f"{pattern!r} is no regular expression ({fault}); correct it") from None
        digest = sha256(pattern.encode("utf-8", "surrogatepass")).hexdigest()
        self.name = f"regex-{digest[:16]}"

    def spans(self, text: str) -> list[Span]:
        """Where each match is that is not empty."""
        return [match.span() for match in self._pattern.finditer(text_of(text)) if match.end() > match.start()]


class SubwordTokenizer:
    """Splits texts into 32,000 subwords, those of Llama 2, whose file lies in the wheel of wordllama.

    Attributes:
        name: `l2_supercat-` and 16 hex digits of the SHA-256 of its file.

    Raises:
        UsageError: the extra `games` is not installed.
    """

    def __init__(self) -> None:
        name = tokenizer_name()
        if name is None:
            raise UsageError(
                "the tokens of games are counted by tokenizers and wordllama: install the extra `games` (in a "
                "checkout: pip install -e '.[games]')."
            )
        self.name = name

    def spans(self, text: str) -> list[Span]:
        """Where each token is; all bytes of a character without a token of its own have the place of the character."""
        return token_spans(text_of(text))


def truncate(text: str, tokens: int, tokenizer: Tokenizer) -> str:
    """Cut a text after a number of tokens.

    Args:
        text: As said.
        tokens: The most that may stay; at least 0.
        tokenizer: What counts them.

    Returns:
        The text unchanged if it has no more tokens than that, white space included; else what ends with the last token
        that may stay. A character goes whole if not all of its tokens fit. With 0 tokens it is empty.

    Raises:
        ArgumentError: `tokens` is no whole number of at least 0, or `tokenizer` is none.
    """
    return cut(text_of(text), whole("tokens", tokens, 0), check_tokenizer(tokenizer).spans(text))


def check_tokenizer(tokenizer: Tokenizer) -> Tokenizer:
    """A tokenizer, unchanged.

    Raises:
        ArgumentError: it is none.
    """
    if not callable(getattr(tokenizer, "spans", None)):
        raise ArgumentError(f"{tokenizer!r} is no tokenizer; give one, such as RegexTokenizer()")
    return tokenizer


def cut(text: str, tokens: int, spans: list[Span]) -> str:
    """Cut a text as `truncate` does, by the places of its tokens; for callers that need these, too."""
    if tokens == 0 or len(spans) <= tokens:
        return text if tokens else ""
    # The first token that goes may share its character with the last that stays.
    return text[: min(spans[tokens - 1][1], spans[tokens][0])]
