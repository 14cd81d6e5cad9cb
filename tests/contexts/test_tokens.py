"""Context tokens, counted by one tokenizer."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from evolif import UsageError
from evolif.contexts import context_tokens, count_tokens, full_history, tokenizer_name, tokens

installed = pytest.mark.skipif(tokenizer_name() is None, reason="needs the extra `contexts`")


@pytest.fixture
def fresh() -> Iterator[None]:
    def forget() -> None:
        tokens._tokenizer.cache_clear()
        tokens.tokenizer_name.cache_clear()
        tokens._counts.clear()

    forget()
    yield
    forget()


@installed
@pytest.mark.parametrize(
    ("text", "expected"), [("", 0), ("Hello world", 2), ("word " * 150, 151), ("日本語", 4), ("half \ud83d a pair", 4)]
)
def test_tokens_are_counted_without_special_ones(text: str, expected: int) -> None:
    assert count_tokens(text) == expected


@installed
def test_tokens_have_places_in_the_text() -> None:
    assert tokens.token_spans("Hello world") == [(0, 5), (5, 11)]
    assert tokens.token_spans("a😀b") == [(0, 1), *[(1, 2)] * 4, (2, 3)]
    assert tokens.token_spans("\ud83d a")[-1] == (1, 3)


@installed
def test_nothing_is_cut() -> None:
    assert count_tokens("word " * 20_000) == 20_001


@installed
def test_context_tokens_are_those_of_all_messages_but_the_query() -> None:
    messages = full_history([("word " * 10, "word " * 20)], "word " * 40, "word " * 5)
    assert context_tokens(messages) == count_tokens("word " * 10) + count_tokens("word " * 20) + count_tokens(
        "word " * 5
    )
    assert context_tokens(messages[-1:]) == context_tokens([]) == 0


@installed
@pytest.mark.usefixtures("fresh")
def test_a_text_that_repeats_is_encoded_once(monkeypatch: pytest.MonkeyPatch) -> None:
    encoded = []

    def count(text: str) -> int:
        encoded.append(text)
        return len(text)

    monkeypatch.setattr(tokens, "count_tokens", count)
    turns = [(f"question {n}", f"answer {n}") for n in range(5)]
    sums = [context_tokens(full_history(turns[:n], "next", "Rules.")) for n in range(6)]
    assert sorted(encoded) == sorted(["Rules.", *(text for turn in turns for text in turn)])
    assert sums == [6 + n * (10 + 8) for n in range(6)]


@installed
@pytest.mark.usefixtures("fresh")
def test_what_is_kept_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tokens, "_KEPT", 3)
    texts = [("word " * n, "") for n in range(10)]
    assert context_tokens(full_history(texts, "")) == sum(count_tokens(text) for text, _ in texts)
    assert len(tokens._counts) <= 3


@installed
def test_the_name_tells_the_file() -> None:
    assert tokenizer_name() == "l2_supercat-93248f2a9ec36c7b"


@pytest.mark.slow
@installed
def test_wordllama_is_never_imported() -> None:
    code = (
        "import sys; from evolif.contexts import count_tokens, tokenizer_name; tokenizer_name(); "
        "early = 'tokenizers' in sys.modules; print(count_tokens('Hello world'), early, 'wordllama' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["2", "False", "False"]


@pytest.mark.usefixtures("fresh")
@pytest.mark.parametrize("missing", ["tokenizers", "wordllama"])
def test_without_the_extra_there_is_no_name_and_counting_says_what_to_install(
    missing: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    find = tokens.importlib.util.find_spec
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None if name == missing else find(name))
    assert tokenizer_name() is None
    with pytest.raises(UsageError, match="install the extra `contexts`"):
        count_tokens("Hello world")


@pytest.mark.usefixtures("fresh")
def test_a_broken_file_says_what_to_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("tokenizers", reason="needs the extra `contexts`")
    broken = tmp_path / "tokenizer.json"
    broken.write_text("{}", encoding="utf-8")
    monkeypatch.setattr(tokens, "_path", lambda: broken)
    with pytest.raises(UsageError, match=r"cannot be read .*; install wordllama again"):
        count_tokens("Hello world")
