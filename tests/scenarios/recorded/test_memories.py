"""Memories: what they store, what they find, and how they are named."""

from __future__ import annotations

import asyncio
import logging
import subprocess
import sys
from collections.abc import Sequence
from importlib.metadata import EntryPoint
from importlib.util import find_spec
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evolif import UsageError
from evolif.contexts import tokenizer_name
from evolif.scenarios.recorded.memories import Memory, Snippet, memory_names, open_memories
from evolif.scenarios.recorded.units import Unit

pytestmark = pytest.mark.skipif(
    tokenizer_name() is None or find_spec("bm25s") is None, reason="needs the extra `contexts`"
)

FACTS = ["My dog is called Rex.", "I live in Oslo, near the park.", "The red lamp broke on Monday.", "She plays chess."]


def filled(name: str, texts: Sequence[str], **more: Any) -> Memory:
    memory = open_memories(name, **more).new()
    for place, text in enumerate(texts, 1):
        asyncio.run(memory.ingest(Unit((place,), text)))
    return memory


def ask(memory: Memory, question: str, k: int = 10) -> list[Snippet]:
    return list(asyncio.run(memory.query(question, k)))


@pytest.mark.parametrize("name", ["bm25:10", "embed:10"])
def test_the_best_unit_comes_first_with_its_number(name: str) -> None:
    memory = filled(name, FACTS)
    best = ask(memory, "What is the name of your dog, is it Rex?")[0]
    assert (best.text, best.units) == (FACTS[0], (1,))
    assert ask(memory, "When did the lamp break, on Monday?")[0].units == (3,)
    assert memory.rewrites is False


@pytest.mark.parametrize("name", ["bm25", "embed"])
def test_nothing_is_found_in_nothing(name: str) -> None:
    assert ask(filled(name, []), "dog") == []
    assert ask(filled("bm25", FACTS), "?!") == []
    assert ask(filled("bm25", ["", "...", "!"]), "dog") == []


def test_bm25_gives_only_what_shares_a_word() -> None:
    assert [found.units for found in ask(filled("bm25", FACTS), "chess chess zebra")] == [(4,)]


@pytest.mark.parametrize("name", ["bm25", "embed"])
def test_of_equal_units_the_later_one_comes_first(name: str) -> None:
    memory = filled(name, ["the red lamp", "a dog", "the red lamp", "the red lamp"])
    assert [found.units[0] for found in ask(memory, "red lamp", 3)] == [4, 3, 1]


@pytest.mark.parametrize("name", ["bm25", "embed"])
def test_no_more_than_k_are_given(name: str) -> None:
    assert len(ask(filled(name, ["red lamp"] * 5), "lamp", 2)) == 2
    assert len(ask(filled(name, ["red lamp"] * 5), "lamp", 50)) == 5


@pytest.mark.parametrize("name", ["bm25", "embed"])
def test_a_fork_is_independent(name: str) -> None:
    memory = filled(name, FACTS)
    before = ask(memory, "zebra in Oslo")
    fork = asyncio.run(memory.fork())
    assert ask(fork, "zebra in Oslo") == before
    asyncio.run(fork.ingest(Unit((9,), "A zebra in Oslo.")))
    assert ask(fork, "zebra in Oslo")[0].units == (5,)
    assert ask(memory, "zebra in Oslo") == before
    asyncio.run(memory.ingest(Unit((9,), "Zebra, Oslo, zebra in Oslo.")))
    assert ask(fork, "zebra in Oslo")[0].text == "A zebra in Oslo."


@settings(max_examples=30, deadline=None)
@given(texts=st.lists(st.text(max_size=40), max_size=6), question=st.text(max_size=40))
def test_any_text_can_be_stored_and_asked(texts: list[str], question: str) -> None:
    for name in ("bm25", "embed"):
        found = ask(filled(name, texts), question)
        assert len(found) <= len(texts) and all(texts[one.units[0] - 1] == one.text for one in found)
        scores = [one.score for one in found if one.score is not None]
        assert scores == sorted(scores, reverse=True) and len(scores) == len(found)


def test_half_a_surrogate_pair_does_no_harm() -> None:
    assert len(ask(filled("embed", ["half \ud83d a pair", FACTS[0]]), "\ud83d")) == 2


def test_only_the_first_words_are_embedded() -> None:
    beginning = " ".join(["word"] * 256)
    memory = filled("embed", [beginning + " zebra" * 50, beginning, beginning[:-5] + " zebra"])
    scores = {one.units[0]: one.score for one in ask(memory, "zebra")}
    assert scores[1] == scores[2] != scores[3]


@pytest.mark.slow
def test_the_vectors_are_those_of_wordllama() -> None:
    """In a process of its own: on import, wordllama sets up logging for the whole process."""
    code = (
        "import pathlib, numpy, wordllama\n"
        "from evolif.contexts.embedding import open_embedder\n"
        "texts = ['a cat on a mat', 'Über 世界', 'x' * 300]\n"
        "model = wordllama.WordLlama.load(cache_dir=pathlib.Path(wordllama.__file__).parent, disable_download=True)\n"
        "assert numpy.abs(numpy.asarray(open_embedder()(texts)) - model.embed(texts)).max() < 1e-6\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


@pytest.mark.slow
def test_opening_and_asking_changes_no_logging() -> None:
    code = (
        "import asyncio, logging, sys\n"
        "logging.basicConfig(stream=sys.stdout, level=logging.INFO)\n"
        "from evolif.scenarios.recorded.memories import open_memories\n"
        "from evolif.scenarios.recorded.units import Unit\n"
        "for name in ('bm25', 'embed'):\n"
        "    memory = open_memories(name).new()\n"
        "    asyncio.run(memory.ingest(Unit((1,), 'a red lamp')))\n"
        "    asyncio.run(memory.query('lamp', 1))\n"
        "assert 'wordllama' not in sys.modules\n"
        "assert len(logging.getLogger().handlers) == 1\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, ""), done.stderr
    assert logging.getLogger("evolif").handlers == []


@pytest.mark.parametrize(
    ("name", "canonical", "k"),
    [
        ("bm25", "bm25:10", 10),
        ("bm25:3", "bm25:3", 3),
        ("embed:5", "embed:5?embedder=wordllama", 5),
        ("embed?embedder=wordllama", "embed:10?embedder=wordllama", 10),
    ],
)
def test_names(name: str, canonical: str, k: int) -> None:
    opened = open_memories(name)
    assert (opened.name, opened.k) == (canonical, k)
    assert open_memories(canonical).name == canonical


@pytest.mark.parametrize("name", ["bm25:0", "bm25:x", "bm25:", "bm25:-1", "bm25?k=3", "embed:0", "embed:3?theta=1"])
def test_a_wrong_parameter_is_named(name: str) -> None:
    with pytest.raises(UsageError, match="is a whole number from 1"):
        open_memories(name)


def test_unknown_names() -> None:
    with pytest.raises(UsageError, match="unknown memory “graph:3”; there are bm25:K, embed:K"):
        open_memories("graph:3")
    with pytest.raises(UsageError, match="unknown embedder “nonsense”"):
        open_memories("embed:3?embedder=nonsense")


def test_an_embedder_of_ones_own() -> None:
    def length(texts: Sequence[str]) -> list[list[float]]:
        return [[float(len(text)), 1.0] for text in texts]

    opened = open_memories("embed:1", embedder=length)
    assert opened.name == "embed:1?embedder=length"
    assert ask(filled("embed", ["a", "abcdef"], embedder=length), "uvwxyz", 1)[0].units == (2,)


@pytest.mark.parametrize("vector", [[1.0, float("nan")], [[1.0], [2.0]], [float("inf")]])
def test_an_embedder_that_gives_no_vectors_is_refused(vector: Any) -> None:
    with pytest.raises(UsageError, match="no list of finite numbers"):
        filled("embed", ["a"], embedder=lambda texts: [vector for _ in texts])


def test_vectors_of_different_lengths_are_refused() -> None:
    with pytest.raises(UsageError, match="different lengths"):
        filled("embed", ["a", "ab"], embedder=lambda texts: [[1.0] * len(text) for text in texts])


class Echo(Memory):
    """Gives the question back."""

    rewrites = True

    def __init__(self, name: str, models: Any) -> None:
        self.opened = name, models

    async def ingest(self, unit: Unit) -> None:
        return

    async def query(self, question: str, k: int) -> Sequence[Snippet]:
        return [Snippet(question)] * k


def echo(name: str, *, models: Any, embedder: Any) -> Memory:
    return Echo(name, models)


def broken(name: str, *, models: Any, embedder: Any) -> Memory:
    raise RuntimeError("no such file")


@pytest.fixture
def plugins(monkeypatch: pytest.MonkeyPatch) -> None:
    points = [
        EntryPoint("echo", f"{__name__}:echo", "evolif.memories"),
        EntryPoint("broken", f"{__name__}:broken", "evolif.memories"),
        EntryPoint("absent", "no_such_module_at_all:make", "evolif.memories"),
    ]
    monkeypatch.setattr(
        "importlib.metadata.entry_points", lambda group: [point for point in points if point.group == group]
    )


@pytest.mark.usefixtures("plugins")
def test_plug_ins() -> None:
    assert memory_names() == ("bm25:K", "embed:K", "absent", "broken", "echo")
    opened = open_memories("echo:3?deep=1", models={})
    memory = opened.new()
    assert isinstance(memory, Echo) and memory.opened == ("echo:3?deep=1", {})
    assert (opened.k, open_memories("echo").k, open_memories("echo?x=1").k, open_memories("echo:deep").k) == (
        3,
        10,
        10,
        10,
    )
    with pytest.raises(NotImplementedError):
        asyncio.run(memory.fork())
    assert asyncio.run(memory.close()) is None
    with pytest.raises(UsageError, match=r"the memory broken: the plug-in .* \(RuntimeError: no such file\); fix or"):
        open_memories("broken").new()
    with pytest.raises(UsageError, match="the memory absent: the plug-in no_such_module_at_all:make cannot be loaded"):
        open_memories("absent")


@pytest.mark.usefixtures("plugins")
def test_plug_ins_can_be_turned_off(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EVOLIF_PLUGINS", "0")
    assert memory_names() == ("bm25:K", "embed:K")
    with pytest.raises(UsageError, match="unknown memory “echo”"):
        open_memories("echo")


def test_what_is_not_installed_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "bm25s", None)
    with pytest.raises(UsageError, match="the memory bm25 needs bm25s: install the extra `contexts`"):
        open_memories("bm25")
