"""Prices: dated, of one endpoint, never guessed."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest

from evolif.budget import PriceTable, Quotes, load_prices
from evolif.budget.prices import Price
from evolif.errors import InputError
from evolif.models.providers import providers
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


def test_each_token_is_paid_once_at_its_own_price() -> None:
    day = date(2026, 11, 1)
    plain = Price(prompt=2, completion=8, date=day)
    usage = Usage(1_000_000, 1_000_000, 400_000, 300_000, 100_000)
    assert plain.of(usage) == pytest.approx(10), "what has no price of its own costs as much as the rest"
    own = Price(prompt=2, completion=8, cached=0.5, reasoning=10, image=3, date=day)
    assert own.of(usage) == pytest.approx(0.4 * 0.5 + 0.1 * 3 + 0.5 * 2 + 0.3 * 10 + 0.7 * 8)
    # Tokens of images from the cache are cached.
    assert own.of(Usage(100, 0, 100, 0, 100)) == pytest.approx(100 * 0.5 / 1e6)
    assert own.at_most(usage) == pytest.approx(3 + 10) and own.highest == 10 and plain.highest == 8


def test_a_budget_reserves_what_any_token_may_cost() -> None:
    table = PriceTable({}, {"a/b": Price(prompt=2, completion=8, reasoning=20, date=date(2026, 11, 1))})
    quotes = Quotes(table, {})
    assert quotes.at_most("target", "a/b", Usage(10, 10)) == pytest.approx((20 + 200) / 1e6)
    assert quotes.highest("target", "a/b", 10) == pytest.approx(200 / 1e6)
    assert quotes.at_most("target", "c/d", Usage(1, 1)) is None and quotes.at_most("target", "c/d", Usage()) == 0


UNPRICED = {
    # What a name there costs depends on the deployment, the region or the provider behind it.
    "azure", "bedrock", "databricks", "huggingface", "vertex",
    # No page with a date was found that could be cited.
    "cerebras", "moonshot", "nvidia",
}  # fmt: skip


def test_every_preset_that_charges_has_a_price_or_a_reason() -> None:
    priced = {name.partition("/")[0] for name in load_prices().listed}
    charge = {name for name, provider in providers().items() if provider.key_env}
    assert (charge | {"openai", "google"}) - UNPRICED == priced
