"""A game of two models: what the partner's calls cost is the partner's, and within the budget."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest
from pydantic import BaseModel

from evolif.budget import load_prices, quotes_of
from evolif.budget.budget import Budget
from evolif.budget.forecast import forecast
from evolif.config import EvalConfig
from evolif.judging import Judgement
from evolif.models import ChatRequest, Reply
from evolif.runner import CallPolicy, Run, evaluate_with, plan
from evolif.scenario import Benchmark, Environment, Lengths, Scenario, Services
from evolif.types import End, Exchange, Message, Prompt, Spent, Usage

TURNS = 4


class Rally(Environment):
    """Each says to the other what it has just heard."""

    async def prompt(self, dialogue: int, past: Sequence[Exchange]) -> Prompt | End:
        if len(past) == 2 * TURNS:
            return End("finished", "over", "Every ball was played.")
        heard = past[-1].heard if past else "Serve."
        seat = "partner" if len(past) % 2 else "target"
        return Prompt(dialogue, len(past) + 1, (Message("user", heard),), seat=seat)

    async def score(
        self, prompt: Prompt, answer: str, past: Sequence[Exchange], stored: Judgement | None = None
    ) -> Judgement:
        return Judgement(())


class Tennis(Scenario):
    name = "tennis"
    title = "two players"
    seats = ("target", "partner")

    def open(self, path: Path, notify: Callable[[str], None] = print) -> Benchmark:
        return Court()

    def environment(self, bench: Benchmark | None, play: BaseModel, services: Services) -> Environment:
        return Rally()

    def expected(self, bench: Benchmark, play: BaseModel) -> Lengths:
        return Lengths(TURNS, partner_calls=1)


class Court:
    path, scenario, identity, variant = Path("court"), "tennis", "0" * 16, ""

    def dialogues(self) -> list[int]:
        return [1, 2, 3]

    def hold(self, dialogues: int) -> None:
        pass


class Player:
    connections = 1

    def __init__(self, name: str, *, told: bool = True) -> None:
        self.name, self.calls, self._told = name, 0, told

    async def complete(self, request: ChatRequest) -> Reply:
        self.calls += 1
        return Reply("Your ball.", usage=Usage(50 + 10 * len(request.messages), 10) if self._told else Usage())

    async def aclose(self) -> None:
        pass


@pytest.fixture(autouse=True)
def _installed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("EVOLIF_PLUGINS", raising=False)
    point = EntryPoint("tennis", f"{__name__}:Tennis", "evolif.scenarios")
    monkeypatch.setattr("importlib.metadata.entry_points", lambda group: [point])


@contextmanager
def played(config: EvalConfig, out: Path, gate: CallPolicy | None = None) -> Iterator[Run]:
    with closing(evaluate_with(Court(), config, out, gate=gate)) as run:
        yield run


def test_a_partners_calls_are_booked_priced_and_foreseen_as_the_partners(tmp_path: Path) -> None:
    one, other = Player("openai/gpt-4.1"), Player("openai/gpt-4.1-mini")
    config = EvalConfig(models=(one,), partner=other)
    prices = load_prices()
    with played(config, tmp_path / "run") as run:
        costs = {cost.role: cost for cost in run.costs()}
        assert costs["partner"] == Spent("partner", other.name, costs["partner"].usage, 3 * TURNS)
        assert (one.calls, other.calls) == (3 * TURNS, 3 * TURNS)
        told = forecast(Court(), plan(Court(), config), quotes_of(run.settings, prices), run)
        assert [(line.role, line.model, line.calls) for line in told.expected] == [
            ("target", one.name, (3 * TURNS, 3 * TURNS)),
            ("partner", other.name, (3 * TURNS, 3 * TURNS)),
        ]
        for line in told.expected:
            assert line.usage is not None
            low, high = line.usage
            spent = costs[line.role].usage
            assert low.prompt_tokens <= spent.prompt_tokens <= high.prompt_tokens, line.role
            assert low.completion_tokens <= spent.completion_tokens <= high.completion_tokens, line.role


def test_self_play_is_one_client_in_two_roles(tmp_path: Path) -> None:
    one = Player("openai/gpt-4.1")
    with played(EvalConfig(models=(one,), partner="self"), tmp_path / "run") as run:
        assert {(cost.role, cost.model, cost.calls) for cost in run.costs()} == {
            ("target", one.name, 3 * TURNS),
            ("partner", one.name, 3 * TURNS),
        }


def test_a_budget_holds_both_seats_and_a_larger_one_goes_on(tmp_path: Path) -> None:
    one, other = Player("openai/gpt-4.1"), Player("openai/gpt-4.1-mini")
    config = EvalConfig(models=(one,), partner=other, max_tokens=20)
    quotes = quotes_of(plan(Court(), config), load_prices())
    with played(config, tmp_path / "run", Budget(quotes, tokens=1_500)) as run:
        spent = run.costs()
        assert 700 < sum(cost.usage.tokens for cost in spent) <= 1_500
        assert {cost.role for cost in spent} == {"target", "partner"}
        assert "censored" in {session.ending for session in run.sessions()}
    with played(config, tmp_path / "run", Budget(quotes, tokens=100_000, spent=spent)) as run:
        assert [session.ending for session in run.sessions()] == ["finished"] * 3
        assert (one.calls, other.calls) == (3 * TURNS, 3 * TURNS)


def test_the_same_game_four_times_spends_one_budget_though_nobody_tells_its_usage(tmp_path: Path) -> None:
    one = Player("openai/gpt-4.1", told=False)
    config = EvalConfig(models=(one,), partner="self", max_tokens=20)
    quotes = quotes_of(plan(Court(), config), load_prices())
    spent: list[Spent] = []
    for _ in range(4):
        with played(config, tmp_path / "run", Budget(quotes, tokens=1_500, spent=spent)) as run:
            spent = run.costs()
            assert sum(cost.calls for cost in spent) == one.calls == sum(cost.unknown for cost in spent)
            assert {cost.role for cost in spent} == {"target", "partner"}
            assert 700 < sum(cost.bound for cost in spent) <= 1_500
            assert run.store.under_way() == []
    dollars = Budget(quotes, usd=0.001, spent=spent)
    with played(config, tmp_path / "run", dollars) as run:
        assert run.costs() == spent and dollars.stop is not None
