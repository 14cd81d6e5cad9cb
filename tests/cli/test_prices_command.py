"""`evolif prices`: what is known, where it is from, and prices of one's own."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from evolif.budget import load_prices
from evolif.cli import app


@pytest.fixture(autouse=True)
def here(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("EVOLIF_CONFIG_DIR", str(tmp_path / "own"))
    monkeypatch.delenv("EVOLIF_PRICES", raising=False)


def evolif(*arguments: str) -> Any:
    return CliRunner().invoke(app, ["prices", *arguments], prog_name="evolif", env={"COLUMNS": "200"})


def given(text: str) -> str:
    Path("given.yaml").write_text(f"models:\n{text}", encoding="utf-8")
    return "given.yaml"


def test_every_packaged_price_is_listed_with_its_date_and_source() -> None:
    rows = json.loads(evolif("list", "--json").stdout)
    assert [row["model"] for row in rows] == sorted(load_prices().listed)
    assert all(row["date"] and row["source"] and not row["own"] for row in rows)
    shown = evolif("list").stdout.splitlines()
    assert len([line for line in shown if line.startswith("openai/")]) > 20
    assert any(line.split() == ["openai/gpt-6-luna", "0.10", "0.50", "0.01", "2026-09-23"] for line in shown)


def test_one_is_shown_with_what_its_tokens_cost() -> None:
    shown = evolif("show", "openai/gpt-6-luna").stdout
    assert "prompt: 0.10" in shown and "cached: 0.01" in shown and "image as prompt, reasoning as completion" in shown
    assert "as of 2026-09-23\n  from https://" in shown
    assert "runs on this machine" in evolif("show", "local/smollm2-135m").stdout
    assert json.loads(evolif("show", "openai/gpt-6-luna", "--json").stdout)["cached"] == 0.01


def test_one_that_is_unknown_is_told_with_the_lines_to_write_which_then_work() -> None:
    unknown = evolif("show", "openai/gpt-6-lunar")
    assert unknown.exit_code == 2 and "did you mean openai/gpt-6-luna?" in unknown.stderr
    lines = unknown.stderr[unknown.stderr.index("models:") :].split("\n\n")[0]
    Path("prices.yaml").write_text(lines, encoding="utf-8")
    assert "evolif prices update prices.yaml" in unknown.stderr
    assert evolif("update", "prices.yaml").exit_code == 0
    assert "prompt: 1.25" in evolif("show", "openai/gpt-6-lunar").stdout


def test_an_update_is_kept_goes_over_the_packaged_and_says_what_changed() -> None:
    first = evolif("update", given("  my/model: {prompt: 1, completion: 2, date: 2026-11-01}\n"))
    assert first.exit_code == 0 and "my/model: new, $1.00 / $2.00, as of 2026-11-01" in first.stdout
    second = evolif(
        "update",
        given(
            "  my/model: {prompt: 1, completion: 2, date: 2026-11-02}\n"
            "  openai/gpt-5: {prompt: 9, completion: 10, reasoning: 11, date: 2026-11-02}\n"
        ),
    )
    assert "my/model: the same price, now as of 2026-11-02" in second.stdout
    assert "openai/gpt-5: $1.25 / $10.00 as of 2026-03-21, now $9.00 / $10.00, reasoning 11.00" in second.stdout
    assert (
        "my/model: unchanged"
        in evolif("update", given("  my/model: {prompt: 1, completion: 2, date: 2026-11-02}\n")).stdout
    )
    table = load_prices()
    at = "http://127.0.0.1:1/v1"
    mine = table.price("my/model", at)
    assert mine is not None and mine.prompt == 1 and table.price("openai/gpt-5", at) is not None
    assert evolif("list").stdout.count("(yours)") == 2
    # A file that is given goes over them.
    over = load_prices(Path(given("  my/model: {prompt: 5, completion: 6, date: 2026-11-03}\n"))).price("my/model")
    assert over is not None and over.prompt == 5


@pytest.mark.parametrize(
    "text", ["  a/b: {prompt: -1, completion: 2, date: 2026-11-01}\n", "  a/b: {prompt: 1, completion: 2}\n", "  - x\n"]
)
def test_a_file_that_is_none_changes_nothing(text: str) -> None:
    evolif("update", given("  my/model: {prompt: 1, completion: 2, date: 2026-11-01}\n"))
    before = Path("own/prices.yaml").read_bytes()
    refused = evolif("update", given(text))
    assert refused.exit_code == 2 and "given.yaml" in refused.stderr and Path("own/prices.yaml").read_bytes() == before


def test_old_prices_are_marked() -> None:
    evolif("update", given("  my/model: {prompt: 1, completion: 2, date: 2024-11-01}\n"))
    shown = evolif("list").stdout
    assert (
        "2024-11-01 (yours, older than a year)" in shown and "1 price is older than a year; look it up again" in shown
    )
    assert "older than a year: look it up again" in evolif("show", "my/model").stdout
