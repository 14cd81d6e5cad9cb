"""Lexical density: how much of a dialogue is content, and how new each utterance is (MT-PingEval, as printed).

The plots of that paper show about half of what its formula gives, so these values do not compare with them.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable
from functools import lru_cache

from evolif.scenarios.games.arguments import texts_of
from evolif.util.resources import data_path

_TOKEN = re.compile(r"[^\W_]++(?:'[^\W\d_]+)?")
_ENDINGS = frozenset({"s", "d", "m", "re", "ve", "ll"})
"""What is split off after an apostrophe."""


def content_ratio(utterances: Iterable[str]) -> float:
    """The share of a dialogue's tokens that are content, which is all but stop words.

    Args:
        utterances: What was said, one text a turn.

    Returns:
        From 0 to 1; 0 without tokens.

    Raises:
        ArgumentError: they are no list of texts.
    """
    tokens = [token for text in texts_of(utterances) for token in lexical_tokens(text)]
    return sum(token not in stop_words() for token in tokens) / len(tokens) if tokens else 0.0


def novelty(utterances: Iterable[str]) -> float:
    """How much the utterances of a dialogue say that its others do not.

    An utterance is worth the mean of tf × ln(n ÷ df) over its distinct content tokens for which this is positive: tf
    counts the token in it, df the utterances that hold the token, n all utterances. Without such tokens it is worth 0.

    Args:
        utterances: What was said, one text a turn.

    Returns:
        The mean over all utterances; 0 without any, and for a single one.

    Raises:
        ArgumentError: they are no list of texts.
    """
    counts = [
        Counter(token for token in lexical_tokens(text) if token not in stop_words()) for text in texts_of(utterances)
    ]
    holding = Counter(token for count in counts for token in count)
    total = len(counts)
    means = []
    for count in counts:
        values = [times * math.log(total / holding[token]) for token, times in count.items() if holding[token] < total]
        means.append(math.fsum(values) / len(values) if values else 0.0)
    return math.fsum(means) / total if total else 0.0


def lexical_density(utterances: Iterable[str]) -> float:
    """100 × content ratio × novelty.

    Args:
        utterances: What was said, one text a turn.

    Raises:
        ArgumentError: they are no list of texts.
    """
    texts = texts_of(utterances)
    return 100 * content_ratio(texts) * novelty(texts)


def lexical_tokens(text: str) -> list[str]:
    """The tokens of a text: runs of letters and digits in lower case.

    A run may hold one apostrophe with letters after it. Where it ends in `n't`, or in `'s 'd 'm 're 've 'll`, the
    ending is a token of its own.
    """
    tokens: list[str] = []
    for run in _TOKEN.findall(text.lower().replace("’", "'")):
        tokens += _split(run)
    return tokens


def _split(run: str) -> list[str]:
    head, apostrophe, ending = run.partition("'")
    if not apostrophe:
        return [run]
    if ending == "t" and head.endswith("n"):
        head, ending = head[:-1], "n't"
    elif ending in _ENDINGS:
        ending = f"'{ending}"
    else:
        return [run]
    return [head, ending] if head else [ending]


@lru_cache(maxsize=1)
def stop_words() -> frozenset[str]:
    """The words of `seeds/stop-words.txt`, which are no content."""
    lines = data_path("seeds", "stop-words.txt").read_text(encoding="utf-8").splitlines()
    return frozenset(word for line in lines for word in line.partition("#")[0].split())
