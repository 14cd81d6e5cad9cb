"""A pilot on the command line: it is the beginning of the run, and its forecast stays beside what the run cost."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from evolif.cli import app
from evolif.models import ChatRequest, Reply
from evolif.types import Usage

calls: list[int] = []


class Fake:
    name, connections = "openai/gpt-4.1", 2

    async def complete(self, request: ChatRequest) -> Reply:
        calls.append(len(request.messages))
        asked = 200 * len(request.messages)
        text = request.prompt.payload["witness"] or "" if request.prompt else ""
        return Reply(text, usage=Usage(asked, 150, asked // 2, 50))

    async def aclose(self) -> None:
        pass


def evolif(*arguments: str) -> Any:
    return CliRunner().invoke(app, list(arguments), prog_name="evolif", env={"COLUMNS": "200"})


def generate(folder: Path) -> None:
    made = evolif("generate", str(folder), "--dialogues", "5", "--turns", "4", "--seed", "1", "--profile", "objective")
    assert made.exit_code == 0, made.output


@pytest.fixture(autouse=True)
def bench(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, fake_models: Any, copied: Callable[..., Path]) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "EVOLIF_PRICES"):
        monkeypatch.delenv(name, raising=False)
    copied(generate, Path("bench"))
    fake_models(lambda _: Fake())
    calls.clear()


TOLD = ("evaluate", "bench", "-m", "openai/gpt-4.1", "--max-turns", "4", "--out", "run")
PILOT = ("--dry-run", "--pilot", "2")


def test_a_pilot_is_the_beginning_of_the_run_and_its_forecast_stands_beside_the_truth() -> None:
    pilot = evolif(*TOLD, *PILOT)
    assert pilot.exit_code == 0, pilot.output
    assert len(calls) == 8
    total = re.search(r"total: (\$[\d.]+) to (\$[\d.]+)", pilot.stdout)
    assert total is not None and "From 2 sessions that this run has played" in pilot.stdout
    assert "The pilot of 2 dialogues has cost $0.0" in pilot.stdout and "pays nothing twice" in pilot.stdout
    so_far = evolif("report", "run").stdout
    assert "Forecast" not in so_far, "the run has not the extent that was forecast"
    whole = evolif(*TOLD)
    assert whole.exit_code == 0 and len(calls) == 20, "the pilot's eight calls were not made again"
    assert "run grows by 3 more dialogues" in whole.stderr
    assert f", $0.0640 (forecast: {total[1]} to {total[2]})" in evolif("status", "run").stdout
    status = json.loads(evolif("status", "run", "--json").stdout)
    assert [f"${amount:.4f}" for amount in status["forecast_usd"]] == [total[1], total[2]]
    line = f"Forecast from a pilot of 2 dialogues: {total[1]} to {total[2]}; it cost $0.0640."
    assert line in whole.stdout
    told = evolif("report", "run").stdout
    # No price of its own is known for what came from the cache.
    assert "20 calls, 20,000 + 3,000 tokens (10,000 cached, 1,000 reasoning), $0.0640." in told
    assert "Prices: openai/gpt-4.1 as of 2026-06-21, https://tokenmath.io" in told and line in told


def test_json_has_the_forecast_the_truth_and_the_prices() -> None:
    evolif(*TOLD, *PILOT)
    evolif(*TOLD)
    shown = evolif("report", "run", "--json", "-")
    assert shown.exit_code == 0, shown.output
    [run] = json.loads(shown.stdout)["runs"]
    [cost] = run["costs"]
    told = run["forecast"]
    assert told["is_over"] and told["pilot"] == 2 and told["dialogues"] == 5 and told["is_priced"]
    assert told["truth"] == {"usd": pytest.approx(cost["usd"]), "tokens": 23_000}
    assert told["usd"][0] <= cost["usd"] <= told["usd"][1]
    assert (cost["cached_tokens"], cost["reasoning_tokens"], "image_tokens" in cost) == (10_000, 1_000, False)
    assert run["prices"]["openai/gpt-4.1"]["date"] == "2026-06-21"


@pytest.mark.slow
def test_the_page_has_the_forecast_beside_the_truth() -> None:
    evolif(*TOLD, *PILOT)
    evolif(*TOLD)
    assert evolif("report", "run", "--html", "page.html").exit_code == 0
    page = Path("page.html").read_text(encoding="utf-8")
    assert "Forecast from a pilot of 2 dialogues" in page and "it cost $0.0640" in page and "reasoning tokens" in page
    assert "Prices: openai/gpt-4.1 as of 2026-06-21" in page


def test_a_pilot_again_costs_nothing_and_more_of_it_only_what_is_new() -> None:
    evolif(*TOLD, *PILOT)
    assert evolif(*TOLD, *PILOT).exit_code == 0 and len(calls) == 8
    assert "run grows by 1 more dialogue" in evolif(*TOLD, "--dry-run", "--pilot", "3").stderr and len(calls) == 12
    # A pilot of more dialogues than there are is the run.
    done = evolif(*TOLD, "--dry-run", "--pilot", "9")
    assert done.exit_code == 0 and len(calls) == 20
    low, high = re.search(r"total: (\$[\d.]+)(?: to (\$[\d.]+))?\n", done.stdout).groups()
    assert high is None and f"The pilot of 5 dialogues has cost {low} so far" in done.stdout


def test_a_budget_holds_for_a_pilot() -> None:
    cut = evolif(*TOLD, *PILOT, "--budget-usd", "0.01", "--max-tokens", "200")
    assert cut.exit_code == 0, cut.output
    assert 0 < len(calls) < 8 and "The budget ended" in cut.stderr and "total: $0.0" in cut.stdout
    refused = evolif(*TOLD[:-1], "other", *PILOT, "--budget-usd", "0.000001", "--max-tokens", "200")
    assert refused.exit_code == 2 and "no call was made" in refused.stderr


@pytest.mark.parametrize(
    ("flags", "said"),
    [
        (("--pilot", "2"), "--pilot 2 needs --dry-run"),
        (("--dry-run", "--pilot", "0"), "--pilot"),
        ((*PILOT, "--like", "x"), "--pilot and --like cannot be combined"),
        ((*PILOT, "--fork", "x"), "--pilot and --fork cannot be combined"),
    ],
)
def test_where_there_can_be_no_pilot_it_is_refused(flags: tuple[str, ...], said: str) -> None:
    refused = evolif(*TOLD, *flags)
    assert refused.exit_code == 2 and said in refused.stderr and not calls and not Path("run").exists()


def test_without_a_price_the_forecast_is_in_tokens_and_says_how_to_give_one() -> None:
    told = ("--base-url", "http://127.0.0.1:9/v1")
    pilot = evolif(*TOLD, *PILOT, *told)
    assert pilot.exit_code == 0 and "price unknown" in pilot.stdout
    assert '\n  "openai/gpt-4.1": {prompt: 1.25' in pilot.stderr and "evolif prices update prices.yaml" in pilot.stderr
    done = evolif(*TOLD, *told).stdout
    assert re.search(r"Forecast from a pilot of 2 dialogues: [\d,]+ to [\d,]+; it cost 23,000 tokens\.", done)
