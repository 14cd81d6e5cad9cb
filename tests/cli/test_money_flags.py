"""Budgets and prices on the command line."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from evolif.cli import app
from evolif.models import ChatRequest, Reply
from evolif.types import Usage


class Fake:
    name, connections = "openai/gpt-4.1", 2

    async def complete(self, request: ChatRequest) -> Reply:
        return Reply(request.prompt.payload["witness"] or "" if request.prompt else "", usage=Usage(1000, 100))

    async def aclose(self) -> None:
        pass


def evolif(*arguments: str) -> Any:
    return CliRunner().invoke(app, list(arguments), prog_name="evolif", env={"COLUMNS": "200"})


def generate(folder: Path) -> None:
    made = evolif("generate", str(folder), "--dialogues", "2", "--turns", "3", "--seed", "1", "--profile", "objective")
    assert made.exit_code == 0, made.output


@pytest.fixture(autouse=True)
def bench(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, fake_models: Any, copied: Callable[..., Path]) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "EVOLIF_PRICES"):
        monkeypatch.delenv(name, raising=False)
    copied(generate, Path("bench"))
    fake_models(lambda _: Fake())


@pytest.mark.slow
def test_dollars_stop_a_run_and_the_report_says_what_it_cost() -> None:
    told = ("evaluate", "bench", "-m", "openai/gpt-4.1", "--max-turns", "3", "--max-tokens", "100")
    done = evolif(*told, "--budget-usd", "0.012")
    assert done.exit_code == 0, done.output
    assert re.search(
        r"\(the next call could exceed the budget of \$0.012: it may use up to \$0\.0\d+, with", done.stderr
    )
    assert "The budget ended" in done.stderr and "run the same command with a larger budget to continue" in done.stderr
    calls = int(re.search(r"Cost: \$0\.0\d+; (\d) calls", done.stdout)[1])
    assert 2 <= calls <= 4 and f"Cost: ${0.0028 * calls:.4f}; {calls} calls, {1100 * calls:,} tokens." in done.stdout
    report = evolif("report", "bench-run").stdout
    assert f"{calls} calls, {1000 * calls:,} + {100 * calls} tokens, ${0.0028 * calls:.4f}." in report
    again = evolif(*told, "--budget-usd", "1")
    assert "Cost: $0.0168; 6 calls, 6,600 tokens." in again.stdout


def test_dollars_for_an_unknown_price_are_refused_before_the_first_call() -> None:
    for flags in (("-m", "openai/no-such-name"), ("-m", "openai/gpt-4.1", "--base-url", "http://127.0.0.1:9/v1")):
        refused = evolif("evaluate", "bench", *flags, "--budget-usd", "1")
        assert refused.exit_code == 2 and "--budget-usd needs the price of openai/" in " ".join(refused.stderr.split())
    assert not Path("bench-run").exists()


def test_an_unknown_price_is_said_to_be_unknown_and_a_file_gives_it() -> None:
    Path("p.yaml").write_text(
        "models:\n  openai/gpt-4.1: {prompt: 100, completion: 100, date: 2026-11-01}\n", encoding="utf-8"
    )
    told = ("evaluate", "bench", "-m", "openai/gpt-4.1", "--max-turns", "1", "--base-url", "http://127.0.0.1:9/v1")
    assert "price unknown" in evolif(*told).stdout
    assert "$0.22" in evolif("report", "bench-run", "--prices", "p.yaml").stdout


@pytest.mark.slow
def test_a_second_run_on_the_same_prefix_costs_nothing_and_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-verysecret-0123456789")
    told = ("evaluate", "bench", "-m", "openai/gpt-4.1", "--max-turns", "3", "--cache-dir", "kept", "--out")
    first = evolif(*told, "one")
    assert "0 of 6 requests came from the cache" in first.stderr and "6 calls" in first.stdout
    second = evolif(*told, "two")
    assert "Cache kept: 6 of 6 requests came from the cache and cost nothing." in second.stderr
    assert "Spent on" not in second.stdout
    other = evolif(*told, "three", "--seed", "1", "--explain-cache")
    assert "Not in the cache: openai/gpt-4.1, nearest request: seed is 1 here and 0 there" in other.stderr
    assert all(b"verysecret" not in path.read_bytes() for path in Path("kept").iterdir())
    twice = evolif(*told, "four", "--epochs", "2")
    assert "6 of 12 requests came from the cache" in twice.stderr


@pytest.mark.slow
def test_the_variable_of_the_cache_only_says_where_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-verysecret-0123456789")
    monkeypatch.setenv("EVOLIF_CACHE_DIR", "kept")
    told = ("evaluate", "bench", "-m", "openai/gpt-4.1", "--max-turns", "3", "--out")
    assert "Cache" not in evolif(*told, "one").stderr and not Path("kept").exists()
    assert "Cache kept: 0 of 6 requests" in evolif(*told, "two", "--cache").stderr
    assert "Cache kept: 6 of 6 requests" in evolif(*told, "three", "--cache").stderr
    assert "Cache other: 0 of 6 requests" in evolif(*told, "four", "--cache-dir", "other").stderr
    Path("c.yaml").write_text("cache-dir: other\n", encoding="utf-8")
    monkeypatch.delenv("EVOLIF_CACHE_DIR")
    assert "Cache other: 6 of 6 requests" in evolif(*told, "five", "--config", "c.yaml").stderr
