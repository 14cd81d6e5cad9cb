"""What a dry run foretells is what happens, where it can be known."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest

from evolif.budget import PriceTable, Quotes, load_prices, quotes_of
from evolif.budget.forecast import forecast
from evolif.budget.prices import Price
from evolif.budget.survival import survival_of_failing, survival_of_mean, survival_of_sessions
from evolif.config import EvalConfig
from evolif.models import ChatRequest, Reply
from evolif.runner import Run, RunSettings, evaluate, plan
from evolif.scenario import get_scenario
from evolif.scenarios.instructions import InstructionBenchmark, generate
from evolif.types import Ending, JudgedTurn, Session, Usage, Verdict


def session(length: int, ending: Ending) -> Session:
    turns = tuple(JudgedTurn(t, (Verdict("length", False, "", ""),)) for t in range(1, length + 1))
    return Session("a/b", length, 1, 3, ending, "", turns)


@pytest.mark.parametrize("mean", [3, 7.86, 19.32])
def test_a_mean_length_gives_itself_back_and_a_cap_shortens_it(mean: float) -> None:
    assert survival_of_mean(mean, 3, 2_000).turns == pytest.approx(mean)
    capped = survival_of_mean(mean, 3, 10)
    assert len(capped.alive) == 10 and capped.turns <= min(mean, 10) and capped.alive[:3] == (1, 1, 1)


def test_survival_of_an_earlier_run_takes_cut_sessions_as_cut() -> None:
    curve = survival_of_sessions([session(3, "finished"), session(3, "censored"), session(4, "finished")], 6)
    assert curve is not None
    assert curve.alive[:4] == pytest.approx((1, 1, 1, 2 / 3)) and curve.alive[4:] == (0, 0)
    assert survival_of_sessions([], 5) is None


def test_without_a_run_the_range_reaches_from_the_weakest_model_to_the_cap(tmp_path: Path) -> None:
    bench = generate(tmp_path / "bench", dialogues=3, turns=4, seed=3, profile="objective")
    config = EvalConfig(models=("openai/gpt-4.1",), judges=("openai/gpt-4.1-mini",), max_tokens=200)
    told = forecast(bench, plan(bench, config), Quotes(load_prices(), {}))
    target = told.expected[0]
    low, high = target.calls
    assert 3 * 7 < low < 3 * 7.9 and high == 3 * 50
    assert target.usage is not None and target.usd is not None
    assert target.usage[1].prompt_tokens / target.usage[0].prompt_tokens > 2 * high / low, (
        "each turn resends the others"
    )
    assert target.usage[1].reasoning_tokens == 0, "--max-tokens leaves no room beside the answer"
    assert "7.86, patience 3" in told.grounds and "150 to 200 tokens" in told.grounds and "--pilot" in told.grounds
    unbounded = forecast(bench, plan(bench, config.model_copy(update={"max_tokens": None})), Quotes(load_prices(), {}))
    [usage, *_] = [one.usage for one in unbounded.expected]
    assert usage is not None and usage[1].completion_tokens == 3 * 50 * 3000
    assert usage[1].reasoning_tokens == 3 * 50 * 2000 and "--max-tokens N bounds" in unbounded.grounds


def test_a_total_is_narrower_than_the_sum_of_its_parts(counted: Run, bench: InstructionBenchmark) -> None:
    settings = settings_of(bench, Counted("one"), Counted("two"))
    told = forecast(bench, settings, quotes_of(settings, TABLE), counted)
    parts = [one.usd for one in told.expected]
    assert [one.model for one in told.expected] == ["counted/one", "counted/two"] and None not in parts
    assert sum(low for low, _ in parts) < told.usd[0] < told.usd[1] < sum(high for _, high in parts)
    assert told.is_priced


class Counted:
    """A simulated model with tokens."""

    connections = 4

    def __init__(self, name: str, answer: int = 100, reasoning: int = 0) -> None:
        self.name = f"counted/{name}"
        self.calls = 0
        self._model = get_scenario("instructions").player("steady?skill=.85", 1)
        self._answer, self._reasoning = answer, reasoning

    async def complete(self, request: ChatRequest) -> Reply:
        self.calls += 1
        asked = sum(len(message.content) for message in request.messages) // 4
        usage = Usage(asked, self._answer + self._reasoning, asked // 2, self._reasoning)
        return replace(await self._model.complete(request), usage=usage)

    async def aclose(self) -> None:
        pass


TABLE = PriceTable(
    {}, dict.fromkeys(("counted/one", "counted/two"), Price(prompt=2, completion=8, cached=1, date=date(2026, 11, 1)))
)


CAP = 12


def settings_of(bench: InstructionBenchmark, *models: Counted, limit: int | None = None) -> RunSettings:
    return plan(bench, EvalConfig(models=models, max_turns=CAP, limit=limit))


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> InstructionBenchmark:
    folder = tmp_path_factory.mktemp("forecast") / "bench"
    return generate(folder, dialogues=12, turns=CAP, seed=5, profile="objective")


@pytest.fixture(scope="module")
def counted(bench: InstructionBenchmark, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Run]:
    folder = tmp_path_factory.mktemp("forecast") / "run"
    with closing(evaluate(bench, Counted("one"), folder, max_turns=CAP, limit=3)) as run:
        yield run


def test_a_pilot_tells_the_rest_and_what_it_cost_is_certain(counted: Run, bench: InstructionBenchmark) -> None:
    settings = settings_of(bench, Counted("one"))
    quotes = quotes_of(settings, TABLE)
    told = forecast(bench, settings, quotes, counted, begun=True)
    spent, whole = quotes.total(counted.costs())
    [one] = told.expected
    played = sum(len(session.turns) for session in counted.sessions())
    assert whole and spent < told.usd[0] < told.usd[1]
    assert played + 9 * 3 <= one.calls[0] < one.calls[1] <= played + 9 * CAP
    assert forecast(bench, settings, quotes, counted, begun=True) == told, "it is seeded"
    # Another run of the same settings: the same evidence for all twelve, so more is unknown.
    other = forecast(bench, settings, quotes, counted)
    assert other.usd[1] - other.usd[0] > told.usd[1] - told.usd[0]
    # Nothing is left to forecast of what has been played.
    whole_run = settings_of(bench, Counted("one"), limit=3)
    assert forecast(bench, whole_run, quotes, counted, begun=True).usd == pytest.approx((spent, spent))


def test_more_sessions_make_it_narrower(counted: Run, bench: InstructionBenchmark, tmp_path: Path) -> None:
    settings = settings_of(bench, Counted("one"))
    quotes = quotes_of(settings, TABLE)
    few = forecast(bench, settings, quotes, counted).usd
    with closing(evaluate(bench, Counted("one"), tmp_path / "all", max_turns=CAP)) as run:
        many, truth = forecast(bench, settings, quotes, run).usd, quotes.total(run.costs())[0]
    assert many[1] / many[0] < few[1] / few[0] and many[0] < truth < many[1]


def test_reasoning_is_forecast_and_is_not_sent_again(bench: InstructionBenchmark, tmp_path: Path) -> None:
    ranges = {}
    for reasoning in (0, 400):
        model = Counted("one", reasoning=reasoning)
        settings = settings_of(bench, model)
        with closing(evaluate(bench, model, tmp_path / f"run-{reasoning}", max_turns=CAP, limit=2)) as run:
            [one] = forecast(bench, settings, quotes_of(settings, TABLE), run).expected
        assert one.usage is not None
        ranges[reasoning] = one.usage[1]
    plain, reasons = ranges[0], ranges[400]
    assert plain.reasoning_tokens == 0 and reasons.reasoning_tokens > 0.7 * reasons.completion_tokens
    assert reasons.prompt_tokens == pytest.approx(plain.prompt_tokens, rel=0.25)


def test_chances_of_failing_become_lengths() -> None:
    never = survival_of_failing(0.0, 0.0, patience=3, cap=10)
    always = survival_of_failing(1.0, 1.0, patience=3, cap=10)
    assert never.alive == (1.0,) * 10 and always.alive == (1.0,) * 3 + (0.0,) * 7
    half = survival_of_failing(0.5, 0.5, patience=1, cap=4)
    assert half.alive == pytest.approx((1, 0.5, 0.25, 0.125))
    # Three failures in a row of one half take fourteen turns on average.
    assert survival_of_failing(0.5, 0.5, patience=3, cap=500).turns == pytest.approx(14)
    assert survival_of_failing(0.5, 0.5, patience=3, cap=2000, judged=0.5).turns == pytest.approx(28)
    worse = survival_of_failing(0.3, 0.3, patience=3, cap=50, drift=0.05)
    assert worse.turns < survival_of_failing(0.3, 0.3, patience=3, cap=50).turns
