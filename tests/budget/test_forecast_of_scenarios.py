"""What a dry run, prices and a budget make of a scenario of two seats."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any, ClassVar

import pytest
from pydantic import BaseModel
from typer.testing import CliRunner

from evolif.budget import load_prices, quotes_of
from evolif.budget.budget import Budget
from evolif.budget.forecast import Expected, Forecast, forecast
from evolif.budget.prices import callable_models
from evolif.budget.survival import survival_of_sessions
from evolif.cli import app
from evolif.errors import UsageError
from evolif.models import ChatRequest, Sampling
from evolif.runner import Deny, PlannedCall, RunSettings, evaluate
from evolif.scenario import Author, Benchmark, Lengths, NoOptions, Scenario
from evolif.scenarios.instructions import generate
from evolif.types import JudgedTurn, Message, Seat, Session, Usage

MODEL, PARTNER, HERE = "openai/gpt-4.1", "openai/gpt-4.1-mini", "http://127.0.0.1:1/v1"


class Options(NoOptions):
    judged: float = 0


class Duel(Scenario):
    name = "duel"
    title = "two players, eight turns"
    seats = ("target", "partner")
    play = Options
    written: ClassVar[tuple[Author, ...]] = ()

    def open(self, path: Path, notify: Callable[[str], None] = print) -> Benchmark:
        return Folder(path)

    def expected(self, bench: Benchmark, play: BaseModel) -> Lengths:
        assert isinstance(play, Options)
        return Lengths(8, 50, 40, system_tokens=10, partner_calls=1, judge_calls=play.judged)

    def authors(self, bench: Benchmark, max_turns: int, dialogues: Sequence[int]) -> tuple[Author, ...]:
        return self.written


@dataclass
class Folder:
    path: Path = Path("bench")
    scenario: str = "duel"
    identity: str = "0" * 16
    variant: str = ""

    def dialogues(self) -> list[int]:
        return [1, 2]

    def hold(self, dialogues: int) -> None:
        pass


@pytest.fixture(autouse=True)
def _installed(monkeypatch: pytest.MonkeyPatch) -> None:
    points = [EntryPoint(Duel.name, f"{__name__}:Duel", "evolif.scenarios")]
    monkeypatch.delenv("EVOLIF_PLUGINS", raising=False)
    monkeypatch.setattr("importlib.metadata.entry_points", lambda group: points if group == "evolif.scenarios" else [])


def settings(**changed: Any) -> RunSettings:
    told: dict[str, Any] = {
        "benchmark": "0" * 16, "models": (MODEL,), "patience": None, "max_turns": 50, "dialogues": (1, 2), "epochs": 3,
        "reading_rules": 1, "scenario": "duel", "partner": PARTNER,
    }  # fmt: skip
    return RunSettings(**(told | changed))


def told(**changed: Any) -> Forecast:
    run = settings(**changed)
    return forecast(Folder(), run, quotes_of(run, load_prices()))


def line(found: Forecast, role: str) -> Expected:
    [one] = [expected for expected in found.expected if expected.role == role]
    return one


def test_without_patience_every_session_has_the_turns_of_its_dialogue() -> None:
    found = told()
    target = line(found, "target")
    assert target.calls == (48, 48)
    assert target.usage is not None and target.usage[0] == Usage(6 * (8 * 60 + 90 * 28), 48 * 40)
    assert "Assumes sessions of 8 turns, and answers of 40 tokens" in found.grounds and "arXiv" not in found.grounds
    bounded = line(told(max_tokens=40), "target")
    assert bounded.usage == (target.usage[0], target.usage[0]), "nothing is left to be guessed"
    assert line(told(max_turns=5), "target").calls == (30, 30)


def test_patience_that_only_cuts_what_is_read_shortens_no_session() -> None:
    assert line(told(cut="after", patience=3), "target").calls == (48, 48)


def test_patience_ends_sessions_but_no_dialogue_becomes_longer() -> None:
    found = told(patience=3)
    low, high = line(found, "target").calls
    assert 6 * 3 < low < high == 48 and "arXiv" in found.grounds


def test_a_partners_calls_are_priced_as_the_partners() -> None:
    partner, target = line(told(), "partner"), line(told(), "target")
    assert partner.model == PARTNER and partner.calls == target.calls
    assert partner.usage is not None and target.usage is not None
    assert partner.usage[0] == Usage(target.usage[0].prompt_tokens, 48 * 50)
    assert partner.usd is not None and target.usd is not None and partner.usd[0] < target.usd[0]
    elsewhere = told(other_endpoints={"partner": HERE})
    assert line(elsewhere, "partner").usd is None and line(elsewhere, "target").usd == target.usd


def test_an_earlier_run_is_as_long_as_the_turns_of_the_model_under_test() -> None:
    seats: tuple[Seat, ...] = ("target", "partner", "target", "partner")
    turns = tuple(JudgedTurn(turn, (), seat=seat) for turn, seat in enumerate(seats, 1))
    curve = survival_of_sessions([Session(MODEL, 1, 1, None, "finished", turns=turns)], 4)
    assert curve is not None and curve.alive == (1, 1, 0, 0)


def test_an_earlier_run_of_another_scenario_tells_nothing(tmp_path: Path) -> None:
    bench = generate(tmp_path / "bench", dialogues=1, turns=2, seed=3, profile="objective")
    run = settings()
    with (
        closing(evaluate(bench, "sim/perfect", tmp_path / "run", max_turns=2)) as other,
        pytest.raises(UsageError, match="run is a run of the scenario instructions, not of duel; choose another run"),
    ):
        forecast(Folder(), run, quotes_of(run, load_prices()), other)


def test_one_partner_of_two_models_is_one_line() -> None:
    found = told(models=(MODEL, "openai/gpt-5"))
    assert line(found, "partner").calls == (96, 96)


def test_self_play_asks_each_model_in_both_seats_at_one_address() -> None:
    models = (MODEL, "sim/steady")
    found = told(models=models, endpoints=(HERE, ""), partner="self")
    partners = {one.model: one for one in found.expected if one.role == "partner"}
    assert tuple(partners) == models
    assert partners[MODEL].usd is None
    assert partners["sim/steady"].calls == (48, 48) and partners["sim/steady"].usage == (Usage(), Usage())


def test_without_a_partner_none_is_paid() -> None:
    assert [one.role for one in told(partner="").expected] == ["target"]
    assert callable_models(settings(partner=""), Folder()) == (("target", MODEL),)


def test_options_of_the_run_reach_the_estimate() -> None:
    judged = {"judge": "openai/gpt-5-mini (rubric 1)", "judge_endpoints": ("",)}
    assert line(told(options={"judged": 0.5}, **judged), "judge").calls == (24, 24)
    assert [one.role for one in told(**judged).expected] == ["target", "partner"]
    with pytest.raises(UsageError, match="--set colour: the scenario duel has no such option"):
        told(options={"colour": "red"})


def test_a_plug_in_that_fails_is_named_in_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Duel, "expected", lambda *_: 1 / 0)
    with pytest.raises(UsageError, match=r"the plug-in of the scenario duel failed .ZeroDivisionError"):
        told()


def test_what_a_context_strategy_saves_and_asks_is_not_estimated_and_said_so() -> None:
    found = told(context="summary", context_model="openai/gpt-4.1-nano")
    assert "Prompts are estimated as with the context full." in found.grounds
    assert "Calls of the context strategy's model openai/gpt-4.1-nano are not estimated." in found.grounds
    assert "estimated" not in told().grounds


def test_how_the_person_reacts_is_not_estimated_and_said_so() -> None:
    assert "Lengths are estimated as with --feedback none." in told(feedback="repair").grounds
    assert "--feedback" not in told().grounds


def test_missing_prompts_are_counted_as_far_as_they_are_foreseen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Duel, "written", (Author("synthesizer", MODEL, (8, 6)), Author("checker", PARTNER)))
    found = told()
    assert line(found, "synthesizer").calls == pytest.approx((2, 2)) and line(found, "synthesizer").usage is None
    assert "checker" not in [one.role for one in found.expected]


def test_every_model_that_may_be_called_needs_a_price(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Duel, "written", (Author("checker", MODEL),))
    run = settings(context_model="openai/gpt-4.1-nano", other_endpoints={"partner": HERE, "context": HERE})
    called = callable_models(run, Folder())
    assert called == (("target", MODEL), ("partner", PARTNER), ("context", "openai/gpt-4.1-nano"), ("checker", MODEL))
    with pytest.raises(UsageError, match=r"the price of openai/gpt-4.1-mini, openai/gpt-4.1-nano, which is unknown"):
        quotes_of(run, load_prices()).refuse_unknown(called)


def test_a_budget_pays_for_the_partner_at_the_partners_price() -> None:
    request = ChatRequest((Message("user", "Your turn."),), Sampling(max_tokens=1_000))
    quotes = quotes_of(settings(), load_prices())
    budget = Budget(quotes, usd=0.002)  # a thousand tokens of the one cost $0.0016, of the other $0.008
    partner = PlannedCall("partner", PARTNER, request, None)
    assert budget.admit(partner) is None
    budget.record(partner, Usage(0, 1_000))
    denied = budget.admit(PlannedCall("target", MODEL, request, None))
    assert isinstance(denied, Deny) and "$0.0016 already spent" in denied.reason


def test_a_dry_run_on_the_command_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("bench").mkdir()
    Path("bench/benchmark.json").write_text('{"scenario": "duel"}', encoding="utf-8")
    dry = ["evaluate", "bench", "-m", MODEL, "--partner", f"{PARTNER}?base_url={HERE}", "--max-turns", "4", "--dry-run"]
    done = CliRunner().invoke(app, dry, prog_name="evolif")
    assert done.exit_code == 0, done.output
    lines = done.stdout.splitlines()
    assert lines[0] == "openai/gpt-4.1: 2 sessions, at most 8 turns of its own (cap 4 turns)"
    assert lines[3].startswith("  partner openai/gpt-4.1-mini: 8 calls, ") and lines[3].endswith("price unknown")
    assert "constraint" not in done.stdout and lines[4].endswith("plus calls without a known price")
    refused = CliRunner().invoke(app, [*dry[:-1], "--budget-usd", "1"], prog_name="evolif")
    assert refused.exit_code == 2 and "--budget-usd needs the price of openai/gpt-4.1-mini" in refused.output
