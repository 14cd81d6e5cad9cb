"""Words in any inflection: spaCy's English lemmas where the extra `nlp` is installed, Porter's stems where not."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache
from importlib.util import find_spec
from typing import Any

_WORD = re.compile(r"[^\W\d_]+(?:'[^\W\d_]+)?|\d+")


def word_stems(text: str) -> list[str]:
    """The words of a text, each by what it has in common with its other forms."""
    stem = _stemmer()
    return [
        stem(word.casefold().removesuffix("'s")) for word in _WORD.findall(text.replace("’", "'").replace("-", " "))
    ]


@lru_cache(maxsize=1)
def _stemmer() -> Callable[[str], str]:
    from nltk.stem.porter import PorterStemmer

    porter = PorterStemmer()
    lemma = _lemmatizer()

    @lru_cache(maxsize=50_000)
    def stem(word: str) -> str:
        return str(porter.stem(lemma(word)))

    return stem


def _lemmatizer() -> Callable[[str], str]:
    """Irregular forms (mice, went) by spaCy's tables; the word itself where they are not installed."""
    if find_spec("spacy") is None or find_spec("spacy_lookups_data") is None:
        return str
    from spacy.lookups import load_lookups

    tables: Any = load_lookups("en", ["lemma_exc"])
    exceptions = tables.get_table("lemma_exc")

    def lemma(word: str) -> str:
        for kind in ("noun", "verb", "adj", "adv"):
            known = exceptions.get(kind, {}).get(word)
            if known:
                return str(known[0])
        return word

    return lemma
