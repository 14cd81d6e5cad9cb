"""Synthesizers over dialogues: exactly in proportion, seeded, and the same whatever else is made."""

from __future__ import annotations

from collections import Counter

import pytest

from evolif import UsageError
from evolif.scenarios.instructions.synthesis import SynthesizerShare, author_of, parse_share

MIX = (SynthesizerShare("template"), SynthesizerShare("openai/a", 2), SynthesizerShare("google/b", 3))


def test_every_block_has_exactly_the_weights() -> None:
    names = [author_of(MIX, 7, dialogue) for dialogue in range(1, 601)]
    for start in range(0, 600, 6):
        assert Counter(names[start : start + 6]) == {"template": 1, "openai/a": 2, "google/b": 3}
    assert len({tuple(names[start : start + 6]) for start in range(0, 600, 6)}) > 30


def test_it_depends_on_the_seed_and_the_number_alone() -> None:
    names = [author_of(MIX, 7, dialogue) for dialogue in range(1, 100)]
    assert names == [author_of(MIX, 7, dialogue) for dialogue in reversed(range(1, 100))][::-1]
    assert names != [author_of(MIX, 8, dialogue) for dialogue in range(1, 100)]
    assert names[:12] == [
        "google/b", "google/b", "template", "google/b", "openai/a", "openai/a",
        "google/b", "google/b", "openai/a", "openai/a", "google/b", "template",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("spec", "share"),
    [
        ("template", SynthesizerShare("template")),
        (" openai/x ", SynthesizerShare("openai/x")),
        ("openai/x=3", SynthesizerShare("openai/x", 3)),
        ("openai/x?base_url=http://h/v1&key_env=K=2", SynthesizerShare("openai/x?base_url=http://h/v1&key_env=K", 2)),
        ("openai/x?base_url=http://h/v1&key_env=K", SynthesizerShare("openai/x?base_url=http://h/v1&key_env=K")),
        ("openai/x=2=1", SynthesizerShare("openai/x=2", 1)),
    ],
)
def test_a_share_is_read(spec: str, share: SynthesizerShare) -> None:
    assert parse_share(spec) == share
    assert parse_share(str(share)) == share


@pytest.mark.parametrize("spec", ["", " ", "=2", "a=0", "a=1001", "a=999999999"])
def test_a_share_that_is_none_is_refused(spec: str) -> None:
    with pytest.raises(UsageError, match="synthesizer"):
        parse_share(spec)
