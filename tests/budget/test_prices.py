"""Prices: dated, of one endpoint, never guessed."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest

from evolif.budget import load_prices
from evolif.errors import InputError
from evolif.types import Usage


def test_listed_prices_have_a_date_and_a_source() -> None:
    for name, price in load_prices().listed.items():
        assert price.date > date(2026, 1, 1) and price.source.startswith("https://"), name
        assert 0 < price.prompt < price.completion, name


def test_a_price_is_per_million_tokens() -> None:
    price = load_prices().price("openai/gpt-4.1")
    assert price is not None and price.of(Usage(1_000_000, 500_000)) == pytest.approx(2 + 4)


def test_a_listed_price_holds_at_the_providers_own_endpoint_only_and_a_users_everywhere(tmp_path: Path) -> None:
    path = tmp_path / "p.yaml"
    path.write_text("models:\n  openai/gpt-4.1: {prompt: 9, completion: 10, date: 2026-11-01}\n", encoding="utf-8")
    at = "http://127.0.0.1:1/v1"
    own = load_prices(path).price("openai/gpt-4.1", at)
    assert own is not None and own.prompt == 9
    assert load_prices().price("openai/gpt-4.1", at) is None
    assert load_prices().price("openai/never-heard-of") is None


def test_what_runs_here_is_free() -> None:
    for name in ("sim/steady", "local/smollm2-135m"):
        price = load_prices().price(name)
        assert price is not None and price.of(Usage(10**6, 10**6)) == 0


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("models:\n  a/b: {prompt: -1, completion: 1, date: 2026-01-01}\n", "models.a/b.prompt"),
        ("models:\n  a/b: {prompt: .inf, completion: 1, date: 2026-01-01}\n", "models.a/b.prompt"),
        ("models:\n  a/b: {prompt: 1, completion: 1}\n", "models.a/b.date"),
        ("- 1\n", "the file"),
    ],
)
def test_a_file_that_is_none_is_told_with_its_mend(tmp_path: Path, text: str, said: str) -> None:
    path = tmp_path / "p.yaml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match=r"provider/name") as fault:
        load_prices(path)
    assert said in str(fault.value) and str(path) in str(fault.value)
