"""What a dry run foretells is what happens, where it can be known."""

from __future__ import annotations

from pathlib import Path

import pytest

from evolif.budget import Quotes, load_prices
from evolif.budget.forecast import forecast, survival_of_mean, survival_of_sessions
from evolif.config import EvalConfig
from evolif.runner import evaluate, plan
from evolif.scenarios.instructions import InstructionBenchmark, generate
from evolif.types import Ending, JudgedTurn, Session, Verdict


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


def test_a_run_foretold_from_itself_comes_to_the_same_calls(tmp_path: Path) -> None:
    bench = generate(tmp_path / "bench", dialogues=3, turns=4, seed=3, profile="objective")
    with_run = evaluate(bench, "sim/forgetful", tmp_path / "run", max_turns=30)
    config = EvalConfig(models=("sim/forgetful",), max_turns=30, epochs=2)
    told = forecast(InstructionBenchmark(tmp_path / "bench"), plan(bench, config), Quotes(load_prices(), {}), with_run)
    played = sum(len(s.turns) for s in with_run.sessions())
    [one] = told.expected
    assert one.calls == pytest.approx((2 * played, 2 * played)) and one.usd == (0, 0)
    with_run.close()


def test_by_the_papers_lengths_a_longer_session_costs_more_than_in_proportion(tmp_path: Path) -> None:
    bench = generate(tmp_path / "bench", dialogues=3, turns=4, seed=3, profile="objective")
    config = EvalConfig(models=("openai/gpt-4.1",), judges=("openai/gpt-4.1-mini",), max_tokens=200)
    told = forecast(bench, plan(bench, config), Quotes(load_prices(), {}))
    target = told.expected[0]
    low, high = target.calls
    assert 3 * 7 < low < 3 * 7.9 and 3 * 17 < high < 3 * 19.32
    assert target.usage is not None and target.usd is not None
    in_proportion = high / low
    assert target.usage[1].prompt_tokens / target.usage[0].prompt_tokens > 1.5 * in_proportion
    assert "the EDR length of the paper's" in told.grounds and "200 tokens" in told.grounds
