"""A budget: never exceeded, spent as far as it goes, and remembered."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from evolif import ModelError, UsageError
from evolif.budget import Quotes, load_prices
from evolif.budget.budget import Budget
from evolif.models import ChatRequest, ManagedModel, Reply, Sampling, managed
from evolif.models.waits import RetryPolicy
from evolif.runner import Deny, PlannedCall, Run, Spent, evaluate
from evolif.runner.bounds import upper_bound
from evolif.runner.metering import CallDeniedError, MeteredModel, Wait
from evolif.scenarios.instructions import generate
from evolif.types import Image, Message, Usage

MODEL = "openai/gpt-4.1"
QUOTES = Quotes(load_prices(), {})


def planned(text: str = "word " * 100, most: int | None = 100) -> PlannedCall:
    request = ChatRequest((Message("user", text),), Sampling(max_tokens=most))
    return PlannedCall("target", MODEL, request, None)


class Counted:
    """Answers nothing worth having, for a known number of tokens."""

    connections = 4
    name = MODEL

    def __init__(self, usage: Usage) -> None:
        self.usage, self.calls = usage, 0

    async def complete(self, request: ChatRequest) -> Reply:
        self.calls += 1
        await asyncio.sleep(0)
        turn = request.prompt
        return Reply(turn.payload["witness"] or "" if turn else "", usage=self.usage)

    async def aclose(self) -> None:
        pass


def make(folder: Path) -> None:
    generate(folder, dialogues=3, turns=4, seed=3, profile="objective")


@pytest.fixture
def bench(tmp_path: Path, copied: Callable[..., Path]) -> Path:
    return copied(make, tmp_path / "bench")


def test_the_bound_holds_prose_and_the_longest_answer() -> None:
    text = "The quick brown fox jumps over the lazy dog. " * 50
    call = planned(text, 77)
    usage = upper_bound(MODEL, call.request)
    assert len(text.split()) * 1.5 < usage.prompt_tokens < len(text) and usage.completion_tokens == 77


def test_the_bound_holds_images() -> None:
    images = (Image(b"one", "image/png"), Image(b"two", "image/png"))
    plain = planned("Which is it?", 9).request
    bound = upper_bound(MODEL, replace(plain, messages=(replace(plain.messages[0], images=images),)))
    assert bound.prompt_tokens - upper_bound(MODEL, plain).prompt_tokens >= 2 * 25_501
    assert bound.completion_tokens == 9


def test_no_order_of_calls_exceeds_the_budget() -> None:
    chance = random.Random(5)

    async def spend(limit: int) -> int:
        budget, spent = Budget(QUOTES, tokens=limit), 0

        async def one() -> None:
            nonlocal spent
            call = planned(most=chance.randrange(1, 200))
            while isinstance(answer := budget.admit(call), Wait):
                await answer.until
            if answer is None:
                await asyncio.sleep(0)
                most = upper_bound(MODEL, call.request).tokens
                used = chance.randrange(most + 1)
                spent += used
                budget.record(call, Usage(used, 0) if used else None)

        await asyncio.gather(*(one() for _ in range(60)))
        return spent

    for limit in (0, 400, 3_000, 9_000):
        assert asyncio.run(spend(limit)) <= limit


def test_a_call_waits_for_those_under_way_and_is_let_through_when_they_were_cheap() -> None:
    async def main() -> None:
        first, second = planned(), planned()
        most = upper_bound(MODEL, first.request).tokens
        budget = Budget(QUOTES, tokens=most + 10)
        assert budget.admit(first) is None
        later = budget.admit(second)
        assert isinstance(later, Wait)
        budget.record(first, Usage(5, 5))
        await later.until
        assert budget.admit(second) is None
        budget.record(second, Usage(1, 0))
        stop = budget.admit(planned())
        assert isinstance(stop, Deny) and stop.cause == "budget"
        assert isinstance(budget.admit(planned("a", 1)), Deny), "spending has ended for good"

    asyncio.run(main())


def test_tokens_that_are_not_told_count_at_their_most() -> None:
    call = planned()
    most = upper_bound(MODEL, call.request).tokens
    budget = Budget(QUOTES, tokens=2 * most - 1)
    assert budget.admit(call) is None
    budget.record(call, Usage())
    assert isinstance(budget.admit(planned()), Deny)


def test_dollars_for_a_model_of_unknown_price_are_refused() -> None:
    with pytest.raises(UsageError, match="price of fake/x, which is unknown"):
        Budget(QUOTES, usd=1, spent=[Spent("judge", "fake/x", Usage(1, 1))])
    with pytest.raises(UsageError, match="at this endpoint"):
        Quotes(load_prices(), {("target", MODEL): "http://a/v1"}).refuse_unknown([("target", MODEL)])


def play(bench: Path, out: Path, model: Counted, budget: Budget) -> Run:
    return evaluate(bench, model, out, max_turns=4, max_tokens=50, gate=budget)


def test_a_run_stops_before_its_budget_and_goes_on_with_a_larger_one(bench: Path, tmp_path: Path) -> None:
    model = Counted(Usage(700, 50))
    run = play(bench, tmp_path / "run", model, Budget(QUOTES, tokens=6_000))
    spent = sum(s.usage.prompt_tokens + s.usage.completion_tokens for s in run.costs())
    assert 3_000 < spent <= 6_000
    cut = [s for s in run.sessions() if s.ending == "censored" and "budget of 6,000 tokens" in s.reason]
    assert cut and len(cut) + sum(run.unbegun().values()) + sum(len(s.turns) == 4 for s in run.sessions()) == 3
    before, costs = model.calls, run.costs()
    run.close()
    same = play(bench, tmp_path / "run", model, Budget(QUOTES, tokens=6_000, spent=costs))
    assert model.calls == before
    same.close()
    whole = play(bench, tmp_path / "run", model, Budget(QUOTES, tokens=60_000, spent=costs))
    assert [(s.ending, len(s.turns)) for s in whole.sessions()] == [("censored", 4)] * 3 and model.calls == 12
    whole.close()


@pytest.mark.parametrize("paid", [True, False])
def test_repeats_that_may_cost_are_admitted_like_calls_of_their_own(paid: bool) -> None:
    attempts = 0

    class Flaky:
        name, connections = MODEL, 1

        async def complete(self, request: ChatRequest) -> Reply:
            nonlocal attempts
            attempts += 1
            raise ModelError("gone", retryable=True, may_cost=paid)

        async def aclose(self) -> None:
            pass

    async def ask() -> None:
        request = ChatRequest((Message("user", "Hi."),), Sampling(max_tokens=100))
        budget = Budget(QUOTES, tokens=round(2.5 * upper_bound(MODEL, request).tokens))
        client = ManagedModel(Flaky(), managed(Flaky()).limit, RetryPolicy(most=4, first=0.001))
        model = MeteredModel(client, "target", budget, lambda: False)
        with pytest.raises(CallDeniedError if paid else ModelError):
            await model.complete(request)
        assert (budget.stop is not None) == paid
        for limit in budget._limits:  # nothing stays reserved, and what may have been paid counts
            assert limit.reserved == 0 and limit.spent == (2 * upper_bound(MODEL, request).tokens if paid else 0)

    asyncio.run(ask())
    assert attempts == (2 if paid else 5)
