"""What the command line says of budgets that were too small, rules that cannot work and runs that were broken off."""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from evolif.cli import app
from evolif.contexts import tokenizer_name
from evolif.errors import ContextOverflowError, ModelError, WithheldError
from evolif.models import ChatRequest, Reply
from evolif.types import Usage


class Fake:
    """A model that follows, and a judge that accepts everything."""

    connections = 2

    def __init__(self, spec: str) -> None:
        self.name = spec.partition("?")[0]
        self.calls = 0

    async def complete(self, request: ChatRequest) -> Reply:
        self.calls += 1
        text = (request.prompt.payload["witness"] or "") if request.prompt else '{"rationale": "Fine.", "score": 9}'
        return Reply(text, usage=Usage(1000, 100))

    async def aclose(self) -> None:
        pass


def evolif(*arguments: str) -> Any:
    return CliRunner().invoke(app, list(arguments), prog_name="evolif", env={"COLUMNS": "200"})


def said(result: Any) -> str:
    return " ".join(result.output.split())


def before_next(result: Any) -> str:
    """The line above the commands to type next."""
    lines = result.stdout.splitlines()
    return str(lines[lines.index("Next:") - 1])


@pytest.fixture
def opened() -> dict[str, Fake]:
    return {}


def generate(folder: Path) -> None:
    made = evolif("generate", str(folder), "--dialogues", "2", "--turns", "6", "--seed", "4", "--profile", "paper")
    assert made.exit_code == 0, made.output


@pytest.fixture(autouse=True)
def bench(
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    opened: dict[str, Fake],
    fake_models: Any,
    copied: Callable[..., Path],
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "EVOLIF_PRICES"):
        monkeypatch.delenv(name, raising=False)
    copied(generate, Path("bench"))
    fake_models(lambda spec: opened.setdefault(spec, Fake(spec)))


EVALUATE = ("evaluate", "bench", "-m", "openai/gpt-4.1", "--max-turns", "6")
REJUDGE = ("rejudge", "bench-run", "--judge", "openai/gpt-4.1-mini")


def test_a_budget_smaller_than_one_call_is_refused_in_one_sentence() -> None:
    done = evolif(*EVALUATE, "--budget-tokens", "10")
    assert done.exit_code == 2
    assert "suspended" not in done.output and "┃" not in done.output
    assert re.search(
        r"evolif: no call was made: the next call could exceed the budget of 10 tokens: it may use up to 3\d,\d+ "
        r"tokens; set a larger budget or --max-tokens$",
        said(done),
    )
    assert "e.g. --max-tokens 2000" in said(done)
    assert evolif(*EVALUATE, "--budget-tokens", "10").exit_code == 2
    assert "or --max-tokens" not in said(
        evolif(*EVALUATE[:-2], "--max-tokens", "9", "--budget-tokens", "10", "--out", "x")
    )


@pytest.mark.slow
def test_a_budget_that_was_spent_is_no_failure_and_the_sessions_are_told_once() -> None:
    done = evolif(*EVALUATE, "--max-tokens", "50", "--budget-tokens", "4000", "--max-connections", "1")
    assert done.exit_code == 0 and "suspended" not in done.output
    assert "The budget ended 1 session early and kept 1 session from starting" in said(done)
    figures = json.loads(evolif("report", "bench-run", "--json", "-").stdout)
    assert figures["models"][0]["suspended"] == 0
    more = evolif(*EVALUATE, "--max-tokens", "50", "--budget-tokens", "400000")
    assert more.exit_code == 0 and "The budget" not in more.output


def test_a_rule_that_cannot_end_a_run_is_warned_of_and_the_rule_stands_at_the_end() -> None:
    done = evolif(*EVALUATE, "--stop-when", "rob=0.1")
    assert "this run has only 2: it cannot end early" in said(done)
    assert "Stop rule rob=0.1 did not end the run early (2 dialogues)" in before_next(done)


@pytest.mark.slow
def test_a_rule_that_ended_a_run_stands_at_the_end() -> None:
    evolif("generate", "long", "--dialogues", "40", "--turns", "2", "--seed", "4", "--profile", "objective")
    done = evolif(
        "evaluate", "long", "-m", "sim/perfect", "--max-turns", "2", "--stop-when", "rob=0.1", "--max-connections", "1"
    )
    assert "cannot end early" not in done.output
    assert "the first 30 dialogues showed that 30 of 40 are enough" in before_next(done)


def test_judging_again_keeps_a_budget_and_goes_on_with_a_larger_one(opened: dict[str, Fake]) -> None:
    assert evolif(*EVALUATE).exit_code == 0
    tiny = evolif(*REJUDGE, "--budget-usd", "0.00001")
    assert tiny.exit_code == 0 and "The budget ended" in said(tiny) and opened["openai/gpt-4.1-mini"].calls == 0
    some = evolif(*REJUDGE, "--budget-tokens", "6000")
    assert some.exit_code == 0 and "The budget ended" in said(some) and "()" not in some.output
    calls = opened["openai/gpt-4.1-mini"].calls
    assert 0 < calls < 8
    rest = evolif(*REJUDGE, "--budget-tokens", "600000")
    assert rest.exit_code == 0 and "The budget" not in rest.output
    assert opened["openai/gpt-4.1-mini"].calls > calls


def test_judging_again_tells_its_cost_beforehand_and_asks_nobody(opened: dict[str, Fake]) -> None:
    assert evolif(*EVALUATE).exit_code == 0
    told = evolif(*REJUDGE, "--dry-run")
    assert told.exit_code == 0 and "openai/gpt-4.1-mini" not in opened and not Path("bench-run-rejudged").exists()
    calls = int(re.search(r"judge openai/gpt-4.1-mini: (\d+) calls", told.stdout)[1])
    assert evolif(*REJUDGE).exit_code == 0
    assert opened["openai/gpt-4.1-mini"].calls <= calls
    assert "total: $0.0" in told.stdout


def test_judging_again_uses_the_cache_of_requests_and_prices(opened: dict[str, Fake]) -> None:
    assert evolif(*EVALUATE).exit_code == 0
    first = evolif(*REJUDGE, "--cache-dir", "kept", "--out", "one")
    assert re.search(r"Cache kept: 0 of (\d+) requests", said(first))
    calls = opened["openai/gpt-4.1-mini"].calls
    second = evolif(*REJUDGE, "--cache-dir", "kept", "--out", "two")
    assert re.search(r"Cache kept: (\d+) of \1 requests", said(second)) and opened["openai/gpt-4.1-mini"].calls == calls
    Path("p.yaml").write_text(
        "models:\n  openai/gpt-4.1-mini: {prompt: 1000, completion: 1000, date: 2026-11-01}\n", encoding="utf-8"
    )
    assert f"${1.1 * calls:.2f}" in evolif(*REJUDGE, "--prices", "p.yaml", "--out", "one").stdout


def test_a_run_that_was_broken_off_says_what_is_missing(opened: dict[str, Fake]) -> None:
    judged = (*EVALUATE, "--judge", "openai/gpt-4.1")
    assert evolif(*judged).exit_code == 0
    with closing(sqlite3.connect("bench-run/run.sqlite")) as file, file:
        file.execute("UPDATE session SET ending = NULL, cause = '', reason = '', seal = NULL")
    done = evolif(*REJUDGE)
    assert done.exit_code == 3 and "()" not in done.output and "┃" not in done.output
    assert "bench-run was interrupted: 2 of its 2 sessions have not ended" in said(done)
    assert "No session could be judged to its end" in said(done)
    assert "2 sessions: its run was broken off here; finish that run, and judge again" in said(done)
    assert evolif(*judged).exit_code == 0
    again = evolif(*REJUDGE)
    assert again.exit_code == 0 and "broken off" not in again.output and "┃" in again.output


def test_a_run_without_an_answer_is_refused() -> None:
    assert evolif(*EVALUATE, "--budget-tokens", "10").exit_code == 2
    done = evolif(*REJUDGE)
    assert done.exit_code == 2 and "has no answers to judge" in said(done)
    assert not Path("bench-run-rejudged").exists()


# What a provider refused, and models of a run's own that were of no use.


class Refusing(Fake):
    """Refuses every question from the one with this number on."""

    def __init__(self, spec: str, fault: ModelError, answers: int = 0) -> None:
        super().__init__(spec)
        self.fault, self.answers = fault, answers

    async def complete(self, request: ChatRequest) -> Reply:
        if self.calls >= self.answers:
            raise self.fault
        return await super().complete(request)


REFUSALS = {
    "withheld by the provider's content filter": WithheldError("m: the provider's content filter refused"),
    "ended by a conversation that no longer fits the context": ContextOverflowError("m: the context is full"),
}


@pytest.mark.sampled
@pytest.mark.parametrize("how", REFUSALS)
def test_a_run_in_which_nobody_answered_says_why_and_is_no_success(fake_models: Any, how: str) -> None:
    fault = REFUSALS[how]
    fake_models(lambda spec: Refusing(spec, fault))
    done = evolif(*EVALUATE)
    assert done.exit_code == 3 and "No session has ended yet" not in done.output
    sentence = (
        f"No answer was judged of openai/gpt-4.1: all of its sessions were refused; 2 sessions were {how} ({fault})."
    )
    assert sentence in said(done)
    assert sentence in said(evolif("report", "bench-run"))
    evolif("report", "bench-run", "--html", "page.html")
    assert "No answer was judged of openai/gpt-4.1" in Path("page.html").read_text("utf-8")
    again = evolif(*EVALUATE)  # the sessions are over, and stay so
    assert again.exit_code == 3 and sentence in said(again)


def test_a_run_that_was_refused_later_says_so_and_has_figures(fake_models: Any) -> None:
    fake_models(lambda spec: Refusing(spec, REFUSALS["withheld by the provider's content filter"], answers=2))
    done = evolif(*EVALUATE, "--max-connections", "1")
    assert done.exit_code == 0
    assert re.search(
        r"Only \d turns? (was|were) judged of openai/gpt-4.1: all of its sessions were refused", said(done)
    )


def test_one_model_of_two_that_was_refused_is_named(fake_models: Any) -> None:
    fault = REFUSALS["withheld by the provider's content filter"]
    fake_models(lambda spec: Refusing(spec, fault) if spec.endswith("mini") else Fake(spec))
    done = evolif(*EVALUATE, "-m", "openai/gpt-4.1-mini")
    assert done.exit_code == 3 and said(done).count("No answer was judged") == 1
    assert "No answer was judged of openai/gpt-4.1-mini:" in said(done)


def test_a_model_that_only_answers_some_is_not_told_of(fake_models: Any) -> None:
    assert "judged of" not in said(evolif(*EVALUATE)) and evolif(*EVALUATE).exit_code == 0


class Deciding(Fake):
    """The model of a context strategy; all of its replies cannot be read, or two in so many, or none."""

    def __init__(self, spec: str, every: int) -> None:
        super().__init__(spec)
        self.every = every

    async def complete(self, request: ChatRequest) -> Reply:
        if request.prompt is not None:
            return await super().complete(request)
        self.calls += 1
        # Such a reply is asked for once more, so two of them in a row make one decision that is of no use.
        useless = self.every > 0 and self.calls % self.every in (0, 1)
        decision = {"action": "CONTINUE", "target": None, "fork": None, "reason": "the same"}
        return Reply("no idea" if useless else json.dumps(decision), usage=Usage(10, 1))


@pytest.mark.sampled
@pytest.mark.skipif(tokenizer_name() is None, reason="needs the extra `contexts`")
@pytest.mark.parametrize(
    ("every", "told"),
    [
        (1, r"openai/decider in (\d+) of \1 turns that asked it, that is never;"),
        (4, r"in \d of \d+ turns that asked it;"),
    ],
)
def test_a_context_strategy_that_goes_on_without_its_model_is_told_of(fake_models: Any, every: int, told: str) -> None:
    fake_models(lambda spec: Deciding(spec, every))
    done = evolif(*EVALUATE, "--context", "tree?decider=model", "--context-model", "openai/decider")
    assert done.exit_code == 0 and re.search(told, said(done)) and re.search(told, said(evolif("report", "bench-run")))
    evolif("report", "bench-run", "--html", "page.html")
    assert "could use no reply of its model" in Path("page.html").read_text("utf-8")


@pytest.mark.skipif(tokenizer_name() is None, reason="needs the extra `contexts`")
def test_a_context_strategy_whose_model_decides_is_not_told_of(fake_models: Any) -> None:
    fake_models(lambda spec: Deciding(spec, 0))
    done = evolif(*EVALUATE, "--context", "tree?decider=model", "--context-model", "openai/decider")
    assert done.exit_code == 0 and "could use no reply" not in said(done)


def test_a_judge_that_never_gives_a_score_is_told_of(fake_models: Any) -> None:
    fault = REFUSALS["withheld by the provider's content filter"]
    fake_models(lambda spec: Refusing(spec, fault) if spec.endswith("mini") else Fake(spec))
    done = evolif(*EVALUATE, "--judge", "openai/gpt-4.1-mini")
    assert "The judge openai/gpt-4.1-mini gave no score for any of" in said(done)
    assert "(the provider's content filter refused the request)" in said(done)
