"""How much of the evidence a memory's snippets bring back: hit@k and recall.

A snippet matches a piece of evidence by ROUGE-2 recall, so a memory may cut and join what it stores. One that rewrites
what it stores is held to a lower threshold (the paper's retrieval scores for LoCoMo, arXiv 2603.23160).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from evolif.errors import ArgumentError

VERBATIM = 1.0
"""The threshold for memories that store the words as they were."""
REWRITTEN = 0.2
"""The threshold for memories that store a text of their own."""
_SLACK = 1e-12
_TOKEN = re.compile("[a-z0-9]+")
_Bigrams = Counter[tuple[str, str]]


@dataclass(frozen=True, slots=True)
class _Read:
    """A text as it is compared."""

    folded: str
    """Case folded, with single spaces: for scripts without any token."""
    tokens: tuple[str, ...]
    bigrams: _Bigrams

    @classmethod
    def of(cls, text: str) -> _Read:
        tokens = tuple(_TOKEN.findall(text.lower()))
        return cls(" ".join(text.casefold().split()), tokens, Counter(pairwise(tokens)))


def rouge2_recall(gold: str, snippet: str) -> float:
    """The share of the bigrams of `gold` that occur in `snippet`, as ROUGE-2 counts them without stemming.

    Returns:
        From 0 to 1; 0 if the gold has no bigram.
    """
    return _recall(_Read.of(gold).bigrams, _Read.of(snippet).bigrams)


def retrieval_scores(
    golds: Sequence[str],
    snippets: Sequence[str],
    threshold: float = VERBATIM,
    *,
    ks: Sequence[int] = (1, 5, 10),
    top: int = 10,
) -> dict[str, float | None]:
    """How much of the evidence the snippets hold.

    Args:
        golds: The texts that hold the evidence.
        snippets: What the memory gave, best first.
        threshold: The least ROUGE-2 recall at which a snippet matches: `VERBATIM` or `REWRITTEN`.
        ks: How many snippets each hit counts.
        top: How many snippets the recall counts.

    Returns:
        `hit@k` for each k: 1.0 if one of the first k snippets matches any gold, else 0.0. `recall`: the share of golds
        that one of the first `top` snippets matches. All None without golds.

    Raises:
        ArgumentError: a threshold outside [0, 1], a k or `top` below 1, or one text instead of a list of texts.
    """
    _check(golds, snippets, threshold, (*ks, top))
    names = [f"hit@{k}" for k in ks]
    if not golds:
        return dict.fromkeys([*names, "recall"])
    wanted = [_Read.of(gold) for gold in golds]
    found: list[int] = []  # per gold, the rank of the first snippet that matches
    shown = [_Read.of(snippet) for snippet in snippets[: max(*ks, top)]]
    for gold in wanted:
        ranks = (rank for rank, snippet in enumerate(shown, 1) if _matches(gold, snippet, threshold))
        found.append(next(ranks, len(shown) + 1))
    best = min(found)
    hits = {name: float(best <= min(k, len(shown))) for name, k in zip(names, ks, strict=True)}
    return {**hits, "recall": sum(rank <= min(top, len(shown)) for rank in found) / len(found)}


def _check(golds: Sequence[str], snippets: Sequence[str], threshold: float, counts: Sequence[int]) -> None:
    if isinstance(golds, str) or isinstance(snippets, str):
        raise ArgumentError("golds and snippets are lists of texts; put the one text into a list")
    if not 0 <= threshold <= 1:
        raise ArgumentError(f"the threshold must be from 0 to 1, not {threshold}")
    if min(counts) < 1:
        raise ArgumentError(f"hits and recall count at least 1 snippet, not {min(counts)}")


def _matches(gold: _Read, snippet: _Read, threshold: float) -> bool:
    if gold.bigrams:
        return _recall(gold.bigrams, snippet.bigrams) >= threshold - _SLACK
    if gold.tokens:
        return gold.tokens[0] in snippet.tokens
    return gold.folded != "" and gold.folded in snippet.folded


def _recall(gold: _Bigrams, snippet: _Bigrams) -> float:
    total = gold.total()
    return sum(min(count, snippet[pair]) for pair, count in gold.items()) / total if total else 0.0
