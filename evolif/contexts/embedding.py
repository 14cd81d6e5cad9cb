"""Embedders: vectors of texts, without a network (extra `contexts`).

The weights of the default one lie in the wheel of wordllama. Its code is not imported: on import it sets up logging for
the whole process, and its loader looks for files on the network. A text's vector is the mean of the vectors of its
tokens, as there.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, TypeAlias

from evolif.contexts.base import Embedder
from evolif.contexts.minilm import open_minilm
from evolif.contexts.tokens import token_ids
from evolif.errors import UsageError

Vectors: TypeAlias = Sequence[Sequence[float]]
DEFAULT_EMBEDDER = "wordllama"
MOST_WORDS = 256
"""Of a text, what is embedded: its first words."""
_WEIGHTS = Path("weights", "l2_supercat_256.safetensors")


def embedder_name(embedder: Embedder | None) -> str:
    """The name of an embedder, as it is part of a strategy's name; a function's own name for a function."""
    if isinstance(embedder, str):
        return embedder
    return DEFAULT_EMBEDDER if embedder is None else str(getattr(embedder, "__name__", type(embedder).__name__))


def open_embedder(embedder: Embedder | None = None) -> Callable[[Sequence[str]], Vectors]:
    """The function of an embedder: texts to vectors of one length.

    Args:
        embedder: `wordllama` (256 dimensions), `minilm` (384), or a function, which is used unchanged; None for the
            default.

    Raises:
        UsageError: there is no such embedder, or the extra `contexts` or the embedder's weights are not installed.
    """
    if callable(embedder):
        return embedder
    opener = _OWN.get(DEFAULT_EMBEDDER if embedder is None else embedder)
    if opener is None:
        raise UsageError(f"unknown embedder “{embedder}”; there are {', '.join(_OWN)}, or pass a function from Python")
    return opener()


def shortened(text: str) -> str:
    """A text of up to `MOST_WORDS` words as it is; of a longer one its first words, with single spaces between them."""
    words = text.split(maxsplit=MOST_WORDS)
    return text if len(words) <= MOST_WORDS else " ".join(words[:MOST_WORDS])


def _wordllama() -> Callable[[Sequence[str]], Vectors]:
    _weights()
    return _embed


_OWN: Mapping[str, Callable[[], Callable[[Sequence[str]], Vectors]]] = {
    DEFAULT_EMBEDDER: _wordllama,
    "minilm": open_minilm,
}


def _embed(texts: Sequence[str]) -> Vectors:
    import numpy

    weights = _weights()
    vectors: Any = numpy.zeros((len(texts), weights.shape[1]))
    for vector, text in zip(vectors, texts, strict=True):
        ids = token_ids(text)
        if ids:
            vector[:] = weights[ids].mean(axis=0, dtype=numpy.float64)
    rows: Vectors = vectors  # an array of rows is a sequence of sequences of numbers
    return rows


@lru_cache(maxsize=1)
def _weights() -> Any:
    """One vector per token."""
    found = importlib.util.find_spec("wordllama")  # of a top-level package, so nothing is imported
    path = None if found is None or found.origin is None else Path(found.origin).parent / _WEIGHTS
    if path is None or not path.is_file() or importlib.util.find_spec("safetensors") is None:
        raise UsageError(
            "texts are embedded by the weights of wordllama: install the extra `contexts` (in a checkout: "
            "pip install -e '.[contexts]')."
        )
    from safetensors import SafetensorError
    from safetensors.numpy import load_file

    try:
        [weights] = load_file(path).values()
    except (OSError, ValueError, SafetensorError) as fault:
        raise UsageError(f"{path} cannot be read ({fault}); install wordllama again.") from fault
    return weights
