"""`evolif evaluate` ends in a screenful: the figures, what stopped, and what to type next."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from typer.testing import CliRunner

from evolif.budget import Quotes, load_prices
from evolif.cli import app
from evolif.contexts import tokenizer_name
from evolif.errors import ModelError
from evolif.models import ChatRequest, Reply
from evolif.report.ending import MOST_LINES, _costs, shortened
from evolif.types import Spent, Usage

SIMULATED = ("sim/steady", "sim/forgetful", "sim/perfect", "sim/steady?skill=.9", "sim/steady?skill=.85")


def evolif(*arguments: str, code: int = 0) -> Any:
    done = CliRunner().invoke(app, list(arguments), prog_name="evolif", env={"COLUMNS": "80"})
    assert done.exit_code == code, done.output
    return done


def generate(folder: Path) -> None:
    evolif("generate", str(folder), "--dialogues", "6", "--turns", "5", "--seed", "4", "--profile", "objective")


@pytest.fixture(autouse=True)
def bench(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, copied: Callable[..., Path]) -> None:
    monkeypatch.chdir(tmp_path)
    copied(generate, Path("bench"))


@pytest.fixture
def below(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What an ending says on standard error."""
    said: list[str] = []
    monkeypatch.setattr("evolif.cli.ending.say", said.append)
    return said


def ending(output: str) -> list[str]:
    """The lines from the settings on; what was said of the progress stands above."""
    lines = output.rstrip("\n").splitlines()
    first = next(number for number, line in enumerate(lines) if re.match(r"(Profile|Scenario) \w+, ", line))
    return lines[first:]


def rows(lines: list[str]) -> int:
    """How many they take at 80 columns."""
    return sum(max(1, -(-len(line) // 80)) for line in lines)


def played(*arguments: str, below: Sequence[str] = (), code: int = 0) -> list[str]:
    lines = ending(evolif("evaluate", *arguments, "--out", "run", code=code).stdout)
    assert rows([*lines, *below]) <= MOST_LINES, "\n".join([*lines, *below])
    assert any(line.startswith("  evolif report run ") for line in lines)
    assert any(line.startswith("  evolif report run --html run.html") for line in lines)
    return lines


@pytest.mark.parametrize("models", [1, 4, 5])
@pytest.mark.parametrize("display", ["none", "plain", "auto"])
def test_up_to_five_models_end_in_a_screenful(models: int, display: str) -> None:
    flags = [word for name in SIMULATED[:models] for word in ("-m", name)]
    lines = played("bench", *flags, "--max-turns", "5", "--display", display)
    told = [line for line in lines if line.startswith("│ sim/")]
    assert len(told) == models
    figures = json.loads(evolif("report", "run", "--json", "-").stdout)["models"]
    for row, model in zip(told, figures, strict=True):
        assert f"{100 * model['isr_at_n']['value']:.0f}" in row
        assert f"{100 * model['csr']['value']:.0f}" in row
    text = " ".join(lines)
    assert "in brackets 95 %" in text and "ISR@5 %" in text and "EDR len" in text and "CSR %" in text
    assert "lengths are lower bounds" in text
    assert "Satisfied" not in text and "Satisfied" in evolif("report", "run").stdout


def test_of_many_models_the_best_are_shown_and_the_others_counted() -> None:
    names = [f"sim/steady?skill=.{number}" for number in range(50, 95, 5)]
    flags = [word for name in names for word in ("-m", name)]
    done = evolif("evaluate", "bench", *flags, "--max-turns", "3", "--limit", "2", "--out", "run")
    lines = ending(done.stdout)
    assert len([line for line in lines if line.startswith("│ sim/")]) == 8
    told = " ".join(" ".join(lines).split())
    assert "Shown are the best 8 of 9 models by ISR@3." in told and re.search(r"and \d more\.", told)


class Limited:
    """A model that follows until its endpoint fails, at a price."""

    connections = 2

    def __init__(self, spec: str, answers: int, fault: str = "no luck today, " * 30) -> None:
        self.name, self.left, self.fault = spec.partition("?")[0], answers, fault

    async def complete(self, request: ChatRequest) -> Reply:
        self.left -= 1
        if self.left < 0:
            raise ModelError(f"{self.name}: HTTP 500 {self.fault}")
        text = (request.prompt.payload["witness"] or "") if request.prompt else ""
        return Reply(text, usage=Usage(1000, 100))

    async def aclose(self) -> None:
        pass


PRICED = ("openai/gpt-4.1", "openai/gpt-4.1-mini", "openai/gpt-4.1-nano", "openai/gpt-4o", "openai/o3")


@pytest.mark.parametrize("models", [1, 3, 5])
def test_suspended_sessions_are_told_with_what_resumes_them(fake_models: Any, below: list[str], models: int) -> None:
    fake_models(lambda spec: Limited(spec, 12))
    flags = [word for name in PRICED[:models] for word in ("-m", name)]
    lines = played(
        "bench", *flags, "--max-turns", "5", "--max-connections", "1", "--max-retries", "0", below=below, code=3
    )
    assert "run the same command to resume them. Until then the figures may favour short" in below[-1]
    assert "no luck today" in below[0] and len(below) == 2  # the reason is the same for all
    assert below[0].startswith("openai/gpt-4.1 and 4 more, 20 sessions: HTTP 500" if models == 5 else "openai/gpt-4.1")
    assert any("cost" in line for line in lines) and any(line.startswith("Cost: $") for line in lines)


def test_models_that_are_free_have_no_column_of_costs() -> None:
    quotes = Quotes(load_prices(), {})

    def column(*models: str) -> dict[str, str]:
        spent = [Spent("target", model, Usage(1_000_000, 0), 1) for model in models]
        run: Any = SimpleNamespace(costs=lambda: spent)
        return _costs(run, quotes)

    assert column("local/smollm2-135m", "sim/steady") == {}
    assert column("openai/gpt-4.1", "openai/nobody") == {"openai/gpt-4.1": "$2.00", "openai/nobody": "unknown"}
    assert not any("ost" in line for line in played("bench", "-m", "sim/steady", "--max-turns", "2"))


def test_different_reasons_are_told_up_to_three(fake_models: Any, below: list[str]) -> None:
    fake_models(lambda spec: Limited(spec, 12, f"by {spec[-4:]} {'x ' * 99}"))
    flags = [word for name in PRICED for word in ("-m", name)]
    played("bench", *flags, "--max-turns", "5", "--max-connections", "1", "--max-retries", "0", below=below, code=3)
    assert [len(line) <= 80 for line in below] == [True] * 4 + [False] and below[3] == "… and 2 more reasons."


def test_a_budget_that_was_spent_is_told(fake_models: Any, below: list[str]) -> None:
    fake_models(lambda spec: Limited(spec, 1000))
    flags = "--max-turns 5 --max-tokens 50 --budget-tokens 9000 --max-connections 1".split()
    lines = played("bench", "-m", PRICED[0], *flags, below=below)
    assert any(line.startswith("Cost: $") for line in lines)
    [told] = below
    assert re.match(r"The budget ended \d+ sessions? early and kept \d+ sessions? from starting; run the same", told)


def test_a_stop_rule_is_told() -> None:
    lines = played("bench", "-m", "sim/steady", "--max-turns", "5", "--stop-when", "rob=0.1")
    assert "Stop rule rob=0.1 did not end the run early" in " ".join(" ".join(lines).split())


SCENARIOS = {
    "games": ("--set game=names --set n=9", "-m sim/scripted --partner scripted --set tokenizer=regex", "Accuracy %"),
    "shifts": ("", "-m sim/reader --set replies=scripted", "TCR %"),
    "broadcast": ("", "-m sim/reader", "Accuracy %"),
}


@pytest.mark.sampled
@pytest.mark.skipif(tokenizer_name() is None, reason="needs the extra `contexts`")
@pytest.mark.parametrize("scenario", ["shifts", "games", "broadcast"])
def test_other_scenarios_end_alike(scenario: str) -> None:
    make, play, headline = SCENARIOS[scenario]
    evolif("generate", "other", "--scenario", scenario, *make.split(), "--dialogues", "1", "--seed", "3")
    told = "\n".join(played("other", *play.split()))
    assert headline in told
    assert ("patience" in told) == (scenario == "broadcast")


RECORDED = """\
{"messages": [{"role": "user", "content": "Do you true wheels?"}, {"role": "assistant", "content": "Yes."}]}
{"messages": [{"role": "user", "content": "When do you close on Saturdays?"}]}
"""


def test_records_without_a_score_are_told_with_the_score() -> None:
    Path("chats.jsonl").write_text(RECORDED, encoding="utf-8")
    evolif("import", "chats.jsonl", "chats", "--metric", "recall")
    told = " ".join(" ".join(played("chats", "-m", "sim/reference")).split())
    assert "Coverage of sim/reference: 1 of 2 records are scored, 1 failed (no_reference 1)" in told


def test_judging_again_ends_alike_and_names_the_comparison() -> None:
    evolif("evaluate", "bench", "-m", "sim/steady", "--max-turns", "5", "--out", "run")
    lines = evolif("rejudge", "run", "--judge", "lexical").stdout.splitlines()
    assert len(lines) <= MOST_LINES
    assert any(line.startswith("  evolif compare run run-rejudged --ablation judge") for line in lines)


def test_hostile_names_reach_no_terminal_and_long_ones_keep_both_ends() -> None:
    assert shortened("a\x1b[31mb", 20) == "a\\x1b[31mb"
    name = "openrouter/" + "x" * 80 + "?effort=low"
    assert shortened(name, 30).startswith("openrouter/") and shortened(name, 30).endswith("effort=low")
    assert len(shortened(name, 30)) == 30 and "…" in shortened(name, 30)
