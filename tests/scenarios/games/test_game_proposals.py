"""Answers that players propose in chess."""

from __future__ import annotations

import time

import pytest

from evolif.errors import ArgumentError
from evolif.scenarios.games import answer_proposal


@pytest.mark.parametrize("verb", ["is earlier", "seems earlier", "came first"])
@pytest.mark.parametrize(
    ("subject", "expected"), [("my board", "mine"), ("mine", "mine"), ("your board", "yours"), ("yours", "yours")]
)
def test_earlier(subject: str, verb: str, expected: str) -> None:
    assert answer_proposal(f"So {subject} {verb}.") == expected


@pytest.mark.parametrize("verb", ["is later", "seems later", "came last"])
@pytest.mark.parametrize(
    ("subject", "expected"), [("my board", "yours"), ("mine", "yours"), ("your board", "mine"), ("yours", "mine")]
)
def test_later(subject: str, verb: str, expected: str) -> None:
    assert answer_proposal(f"So {subject} {verb}.") == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("MY  Board\n\tis earlier", "mine"),
        ("I do not think that my board is earlier", "mine"),
        ("they undermine is earlier", "mine"),
        ("my board is earlier, so yours is later", "mine"),
        ("my board is earlier or mine is later", "both"),
        ("Mine is earlier? Or yours came first?", "both"),
        ("my board is much earlier", None),
        ("my board, is earlier", None),
        ("board is earlier", None),
        ("your boardis earlier", None),
        ("", None),
    ],
)
def test_only_fixed_phrases_count(text: str, expected: str | None) -> None:
    assert answer_proposal(text) == expected


def test_what_is_no_text_is_refused() -> None:
    with pytest.raises(ArgumentError):
        answer_proposal(["my board is earlier"])


@pytest.mark.parametrize("piece", ["my board ", "mine is ", " ", "m"])
def test_a_million_characters_take_no_time(piece: str) -> None:
    text = piece * (10**6 // len(piece))
    begin = time.perf_counter()
    assert answer_proposal(text) is None
    assert time.perf_counter() - begin < 5
