"""Texts of random fillers are read as the language of the fillers, so that witnesses in it can be built."""

import random
from pathlib import Path

import pytest

from evolif.text.languages import may_be_in

SEEDS = Path(__file__).parents[4] / "seeds"
TEXTS = 300


@pytest.mark.slow
@pytest.mark.parametrize("code", ["ru", "pl", "ro", "tr", "no", "hi", "ko", "zh", "ja", "ar"])
def test_random_texts_are_read_as_their_language(code: str) -> None:
    words = [
        word
        for line in (SEEDS / f"fillers-{code}.txt").read_text(encoding="utf-8").splitlines()
        if not line.startswith("#")
        for word in line.split()
    ]
    assert len(set(words)) == len(words) >= 150
    assert words == [word.lower() for word in words]
    chance = random.Random(f"fillers {code}")
    texts = (" ".join(chance.choices(words, k=chance.randint(8, 60))) for _ in range(TEXTS))
    assert [text for text in texts if not may_be_in(text, code)] == []
